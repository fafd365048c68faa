// What a mistake costs, and the answer that is expected to cost least.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace ufodt {

// loss[truth][answer], with the common case known apart in which all mistakes cost the same.
struct Loss {
    int n_labels = 0;
    std::vector<double> of;  // n_labels x n_labels
    bool is_uniform = true;
    double mistake = 1.0;  // what each costs then

    double operator()(int truth, int answer) const { return of[truth * n_labels + answer]; }

    void set(int labels, std::vector<double> losses) {
        n_labels = labels;
        of = std::move(losses);
        mistake = n_labels > 1 ? (*this)(0, 1) : 1.0;
        is_uniform = mistake > 0.0;
        for (int y = 0; y < n_labels; ++y) {
            for (int a = 0; a < n_labels; ++a) is_uniform &= (*this)(y, a) == (y == a ? 0.0 : mistake);
        }
    }

    // The answer of least expected loss, the lowest index on ties, and that loss up to what `whole` adds; the sum of p
    // need not be one.
    template <class Real>
    std::pair<int, double> best(const Real* p) const {
        int answer = 0;
        double least = INFINITY;
        for (int a = 0; a < n_labels; ++a) {
            double expected = 0.0;
            if (is_uniform) {
                expected = -mistake * static_cast<double>(p[a]);
            } else {
                for (int y = 0; y < n_labels; ++y) expected += static_cast<double>(p[y]) * (*this)(y, a);
            }
            if (expected < least) least = expected, answer = a;
        }
        return {answer, least};
    }

    // The expected loss from what `best` gives, which spares itself the sum of p, the mass, where all cost the same.
    double whole(double least, double mass) const { return is_uniform ? std::max(mistake * mass + least, 0.0) : least; }

    // The answer of least expected loss, and that loss; `mass` is the sum of p.
    std::pair<int, double> least(const double* p, double mass) const {
        const auto [answer, least] = best(p);
        return {answer, whole(least, mass)};
    }
};

}  // namespace ufodt
