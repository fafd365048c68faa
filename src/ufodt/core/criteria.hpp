// What a question is worth: one function per criterion.
//
// EC2 and US read how an answer would split the surviving hypotheses. IG needs no hypotheses: under naive Bayes
// P(label | evidence) is a closed form.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "shape.hpp"

namespace ufodt {

enum class Criterion : std::uint8_t { ec2, ig, us, random };

// The survivors that agree with one outcome: their mass, and the sum over regions of its square.
struct Part {
    double mass = 0.0, squares = 0.0;

    void add(double region_mass) { mass += region_mass, squares += region_mass * region_mass; }

    // Weight of the edges between hypotheses of different regions: ((sum w)^2 - sum over regions (sum w)^2) / 2.
    double edges() const { return 0.5 * (mass * mass - squares); }
};

// Expected weight of the edges that the answer cuts: W - sum over outcomes of P(outcome) W_outcome.
inline double ec2(const std::vector<Part>& parts, const Part& all) {
    double left = 0.0;
    for (const Part& part : parts) left += part.mass * part.edges();
    return all.mass > 0.0 ? std::max(all.edges() - left / all.mass, 0.0) : 0.0;
}

// The same for two outcomes.
inline double ec2(const Part& zero, const Part& one, const Part& all) {
    return all.mass > 0.0 ? std::max(all.edges() - (zero.mass * zero.edges() + one.mass * one.edges()) / all.mass, 0.0) : 0.0;
}

// Expected drop of the entropy over hypotheses, in bits; since a hypothesis fixes the answer, it is the entropy of the answer.
inline double us(const std::vector<Part>& parts, const Part& all) {
    double sum = 0.0;
    for (const Part& part : parts) sum += part.mass > 0.0 ? part.mass * std::log2(part.mass) : 0.0;
    return all.mass > 0.0 ? std::max(std::log2(all.mass) - sum / all.mass, 0.0) : 0.0;
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

inline double ec2_above(const std::vector<Part>& parts, const Part& all, const std::vector<double>& posterior, const double* above) {
    const double p = chance_above(posterior, above);
    return std::max(all.edges() - (1.0 - p) * parts[0].edges() - p * parts[1].edges(), 0.0);
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
