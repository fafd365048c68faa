// What a mistake costs, and the answer that is expected to cost least.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace ufodt {

// loss[truth][answer], with the common case of one unit per mistake known apart.
struct Loss {
    int n_labels = 0;
    std::vector<double> of;  // n_labels x n_labels
    bool zero_one = true;

    double operator()(int truth, int answer) const { return of[truth * n_labels + answer]; }

    // The answer of least expected loss, the lowest index on ties, and that loss up to what `whole` adds; the sum of p
    // need not be one.
    template <class Real>
    std::pair<int, double> best(const Real* p) const {
        int answer = 0;
        double least = INFINITY;
        for (int a = 0; a < n_labels; ++a) {
            double expected = 0.0;
            if (zero_one) {
                expected = -static_cast<double>(p[a]);
            } else {
                for (int y = 0; y < n_labels; ++y) expected += static_cast<double>(p[y]) * (*this)(y, a);
            }
            if (expected < least) least = expected, answer = a;
        }
        return {answer, least};
    }

    // The expected loss from what `best` gives, which spares itself the sum of p, the mass, where mistakes cost one.
    double whole(double least, double mass) const { return zero_one ? std::max(mass + least, 0.0) : least; }

    // The answer of least expected loss, and that loss; `mass` is the sum of p.
    std::pair<int, double> least(const double* p, double mass) const {
        const auto [answer, least] = best(p);
        return {answer, whole(least, mass)};
    }
};

}  // namespace ufodt
