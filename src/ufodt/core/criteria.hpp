// What a question is worth: one function per criterion.
//
// EC2 and US read the mass of the surviving hypotheses by outcome and region, shape `(n_outcomes, n_regions)`.
// IG needs no hypotheses: under naive Bayes P(label | evidence) is a closed form.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "shape.hpp"

namespace ufodt {

enum class Criterion : std::uint8_t { ec2, ig, us, random };

inline double sum_of(const double* mass, int n_regions) {
    double sum = 0.0;
    for (int r = 0; r < n_regions; ++r) sum += mass[r];
    return sum;
}

// Weight of the edges between hypotheses of different regions: ((sum w)^2 - sum over regions (sum w)^2) / 2.
inline double edge_weight(const double* mass, int n_regions, double total) {
    double same = 0.0;
    for (int r = 0; r < n_regions; ++r) same += mass[r] * mass[r];
    return 0.5 * (total * total - same);
}

// Expected weight of the edges that the answer cuts: W - sum over outcomes of P(outcome) W_outcome.
// `total` and `edges` are the mass and the edge weight W of all survivors, the same for every feature.
inline double ec2(const std::vector<double>& mass, int n_outcomes, int n_regions, double total, double edges) {
    double left = 0.0;
    for (int k = 0; k < n_outcomes; ++k) {
        const double* row = mass.data() + static_cast<std::size_t>(k) * n_regions;
        const double here = sum_of(row, n_regions);
        left += here * edge_weight(row, n_regions, here);
    }
    return total > 0.0 ? std::max(edges - left / total, 0.0) : 0.0;
}

// Expected drop of the entropy over hypotheses, in bits; since a hypothesis fixes the answer, it is the entropy of the answer.
inline double us(const std::vector<double>& mass, int n_outcomes, int n_regions, double total) {
    double sum = 0.0;
    for (int k = 0; k < n_outcomes; ++k) {
        const double here = sum_of(mass.data() + static_cast<std::size_t>(k) * n_regions, n_regions);
        if (here > 0.0) sum += here * std::log2(here);
    }
    return total > 0.0 ? std::max(std::log2(total) - sum / total, 0.0) : 0.0;
}

// Expected drop of the entropy of the label, in bits: I(X; Y | evidence) = H(X) - sum over labels of P(y) H(X | y).
inline double ig(const Shape& shape, const Theta& theta, const std::vector<double>& posterior, int feature) {
    double gain = 0.0;
    for (int row = shape.row(feature); row < shape.row(feature + 1); ++row) {
        double q = 0.0, conditional = 0.0;
        for (int y = 0; y < shape.n_labels; ++y) {
            const int cell = shape.cell(row, y);
            const double joint = posterior[y] * theta.p[cell];
            q += joint;
            conditional += joint * static_cast<double>(theta.log_p[cell]);
        }
        if (q > 0.0) gain += conditional - q * std::log(q);
    }
    return std::max(gain, 0.0) * 1.4426950408889634;
}

// The same three for a binary view of a feature, whose chance to lie above its threshold is that of the model:
// P(above | evidence) = sum over labels of P(y) P(above | y).
inline double chance_above(const std::vector<double>& posterior, const double* above) {
    double p = 0.0;
    for (std::size_t y = 0; y < posterior.size(); ++y) p += posterior[y] * above[y];
    return p;
}

inline double bits(double p) { return p > 0.0 ? -p * std::log2(p) : 0.0; }

inline double ec2_above(const std::vector<double>& mass, int n_regions, double edges, const std::vector<double>& posterior, const double* above) {
    const double p = chance_above(posterior, above), *ones = mass.data() + n_regions;
    const double left0 = edge_weight(mass.data(), n_regions, sum_of(mass.data(), n_regions)), left1 = edge_weight(ones, n_regions, sum_of(ones, n_regions));
    return std::max(edges - (1.0 - p) * left0 - p * left1, 0.0);
}

inline double us_above(const std::vector<double>& posterior, const double* above) {
    const double p = chance_above(posterior, above);
    return bits(p) + bits(1.0 - p);
}

inline double ig_above(const std::vector<double>& posterior, const double* above) {
    double given = 0.0;
    for (std::size_t y = 0; y < posterior.size(); ++y) given += posterior[y] * (bits(above[y]) + bits(1.0 - above[y]));
    return std::max(us_above(posterior, above) - given, 0.0);
}

}  // namespace ufodt
