// What an answer tells about the label, by a belief that is not sure.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "shape.hpp"

namespace ufodt {

// I(answer; label) in nats, labels weighing the same, when theta is not known: what it is by the mean of theta, less
// and plus what the spread around that mean is worth.
struct Information {
    double least, most;
};

// The same of every feature, as far as it was worked out since it learned last.
struct Promises {
    std::vector<double> least, most;

    explicit Promises(int n_features) : least(n_features), most(n_features, unknown) {}

    bool is_known(int f) const { return most[f] != unknown; }
    void set(int f, const Information& told) { least[f] = told.least, most[f] = told.most; }
    void forget(int f) { most[f] = unknown; }
    void forget() { std::fill(most.begin(), most.end(), unknown); }

  private:
    static constexpr double unknown = -1.0;
};

// From `alpha(k, y)`, the counts of the Dirichlets that theta is drawn from. To second order, the mean over theta lies
// above what the mean of theta tells by half the variance of each P(outcome | label) times the curvature of p log p
// there, less the same of the mixture: what was hardly ever asked may tell much. By as much, counts of what tells
// nothing seem to tell something: that is taken off to be sure.
template <class Alpha>
inline Information information(int n_outcomes, int n_labels, Alpha alpha) {
    const double share = 1.0 / n_labels;
    double total[Shape::max_labels] = {};
    for (int k = 0; k < n_outcomes; ++k) {
        for (int y = 0; y < n_labels; ++y) total[y] += alpha(k, y);
    }
    double told = 0.0, spread = 0.0;
    for (int k = 0; k < n_outcomes; ++k) {
        double mixed = 1e-300, variance = 0.0;
        for (int y = 0; y < n_labels; ++y) {
            const double p = alpha(k, y) / std::max(total[y], 1e-300), unsure = (1.0 - p) / (total[y] + 1.0);
            mixed += share * p;
            variance += share * share * p * unsure;
            told += share * p * std::log(std::max(p, 1e-300));
            spread += share * unsure;
        }
        told -= mixed * std::log(mixed);
        spread -= variance / mixed;
    }
    if (!std::isfinite(told)) return {0.0, 0.0};  // counts beyond what a double holds
    const double all = std::log(std::min(n_outcomes, n_labels));
    return {std::clamp(told - 0.5 * spread, 0.0, all), std::clamp(told + 0.5 * spread, 0.0, all)};
}

}  // namespace ufodt
