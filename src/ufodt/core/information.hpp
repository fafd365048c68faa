// What an answer is expected to tell about the label, by a belief that is not sure.
#pragma once

#include <algorithm>
#include <cmath>

#include "shape.hpp"

namespace ufodt {

// I(answer; label) in nats, labels weighing the same, on the mean over theta; `alpha(k, y)` are the counts of the
// Dirichlets that theta is drawn from. It is what the mean of theta tells and, to second order, what the spread around
// it adds: half the variance of each P(outcome | label) times the curvature of -p log p there, less that of the
// mixture. So what was hardly ever asked promises something, and what was often asked for nothing does not.
template <class Alpha>
inline double expected_information(int n_outcomes, int n_labels, Alpha alpha) {
    const double share = 1.0 / n_labels;
    double total[Shape::max_labels] = {};
    for (int k = 0; k < n_outcomes; ++k) {
        for (int y = 0; y < n_labels; ++y) total[y] += alpha(k, y);
    }
    double told = 0.0;
    for (int k = 0; k < n_outcomes; ++k) {
        double mixed = 1e-300, spread = 0.0;
        for (int y = 0; y < n_labels; ++y) {
            const double p = alpha(k, y) / total[y], unsure = (1.0 - p) / (total[y] + 1.0);
            mixed += share * p;
            spread += share * share * p * unsure;
            told += share * (p * std::log(std::max(p, 1e-300)) + 0.5 * unsure);
        }
        told -= mixed * std::log(mixed) + 0.5 * spread / mixed;
    }
    return std::clamp(told, 0.0, std::log(n_labels));
}

}  // namespace ufodt
