// What a question is worth: one function per criterion.
//
// EC2 and US read the mass of the surviving hypotheses by outcome and region, shape `(n_outcomes, n_regions)`.
// IG needs no hypotheses: under naive Bayes P(label | evidence) is a closed form.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "belief.hpp"

namespace ufodt {

enum class Criterion : std::uint8_t { ec2, ig, us, random };

// Weight of the edges between hypotheses of different regions: ((sum w)^2 - sum over regions (sum w)^2) / 2.
inline double edge_weight(const double* mass, int n_regions, double total) {
    double same = 0.0;
    for (int r = 0; r < n_regions; ++r) same += mass[r] * mass[r];
    return 0.5 * (total * total - same);
}

// Expected weight of the edges that the answer cuts: W - sum over outcomes of P(outcome) W_outcome.
inline double ec2(const std::vector<double>& mass, int n_outcomes, int n_regions, std::vector<double>& scratch) {
    scratch.assign(n_regions, 0.0);
    double all = 0.0, left = 0.0;
    for (int k = 0; k < n_outcomes; ++k) {
        const double* row = mass.data() + static_cast<std::size_t>(k) * n_regions;
        double total = 0.0;
        for (int r = 0; r < n_regions; ++r) total += row[r], scratch[r] += row[r];
        left += total * edge_weight(row, n_regions, total);
        all += total;
    }
    return all > 0.0 ? edge_weight(scratch.data(), n_regions, all) - left / all : 0.0;
}

// Expected drop of the entropy over hypotheses, in bits; since a hypothesis fixes the answer, it is the entropy of the answer.
inline double us(const std::vector<double>& mass, int n_outcomes, int n_regions) {
    double all = 0.0, sum = 0.0;
    for (int k = 0; k < n_outcomes; ++k) {
        double total = 0.0;
        for (int r = 0; r < n_regions; ++r) total += mass[static_cast<std::size_t>(k) * n_regions + r];
        if (total > 0.0) sum += total * std::log2(total);
        all += total;
    }
    return all > 0.0 ? std::log2(all) - sum / all : 0.0;
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

}  // namespace ufodt
