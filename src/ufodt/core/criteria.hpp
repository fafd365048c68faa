// What a question is worth: one function per criterion.
//
// EC2, US and RIG read how an answer would split the surviving hypotheses. IG, Gini and ECED need no hypotheses: under
// naive Bayes P(label | evidence) is a closed form.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "logarithms.hpp"
#include "shape.hpp"

namespace ufodt {

enum class Criterion : std::uint8_t { ec2, ig, us, random, rig, gini, eced };

// What is read to score a question: P(label | evidence), the survivors, or neither.
enum class Reads : std::uint8_t { labels, hypotheses, nothing };

struct Trait {
    Criterion criterion;
    const char* name;
    Reads reads;
};
inline constexpr std::array traits = {
    Trait{Criterion::ec2, "ec2", Reads::hypotheses}, Trait{Criterion::ig, "ig", Reads::labels},
    Trait{Criterion::us, "us", Reads::hypotheses},   Trait{Criterion::random, "random", Reads::nothing},
    Trait{Criterion::rig, "rig", Reads::hypotheses}, Trait{Criterion::gini, "gini", Reads::labels},
    Trait{Criterion::eced, "eced", Reads::labels},
};

constexpr Reads reads(Criterion criterion) {
    for (const Trait& trait : traits) {
        if (trait.criterion == criterion) return trait.reads;
    }
    return Reads::nothing;
}

// The survivors that agree with one outcome: their mass, and the sum over regions of its square.
struct Part {
    double mass = 0.0, squares = 0.0;

    void add(double region_mass) { mass += region_mass, squares += region_mass * region_mass; }

    // Weight of the edges between hypotheses of different regions: ((sum w)^2 - sum over regions (sum w)^2) / 2.
    double edges() const { return 0.5 * (mass * mass - squares); }
};

// Expected weight of the edges that an answer leaves, times the mass of all survivors: the sum of mass * W by outcome.
inline double edges_left(const std::vector<Part>& parts) {
    double left = 0.0;
    for (const Part& part : parts) left += part.mass * part.edges();
    return left;
}

// Expected weight of the edges that the answer cuts: W - sum over outcomes of P(outcome) W_outcome.
inline double ec2(double left, const Part& all) {
    return all.mass > 0.0 ? std::max(all.edges() - left / all.mass, 0.0) : 0.0;
}

// Expected drop of the entropy over hypotheses, in bits; it is the answer's entropy, since a hypothesis fixes that.
inline double us(const std::vector<Part>& parts, const Part& all) {
    double sum = 0.0;
    for (const Part& part : parts) sum += part.mass > 0.0 ? part.mass * std::log2(part.mass) : 0.0;
    return all.mass > 0.0 ? std::max(std::log2(all.mass) - sum / all.mass, 0.0) : 0.0;
}

// m log2 m; from a table for counts, which masses are when all hypotheses weigh the same.
inline const std::vector<double> count_bits = [] {
    std::vector<double> table(1025, 0.0);
    for (std::size_t m = 1; m < table.size(); ++m)
        table[m] = static_cast<double>(m) * std::log2(static_cast<double>(m));
    return table;
}();

inline double mass_bits(double m) {
    if (m >= 0.0 && m <= 1024.0) {
        const auto count = static_cast<std::size_t>(m);
        if (static_cast<double>(count) == m) return count_bits[count];
    }
    return m > 0.0 ? m * std::log2(m) : 0.0;
}

// The same survivors as the entropy of their region reads them: their mass, and the sum over regions of m log2 m.
struct Mixture {
    double mass = 0.0, logs = 0.0;

    void add(double region_mass) { mass += region_mass, logs += mass_bits(region_mass); }

    // Entropy of the region, in bits, times the mass; exactly zero when there is one region.
    double disorder() const { return mass_bits(mass) - logs; }
};

// Expected drop of the entropy of the region, in bits: I(X; R) over the survivors.
inline double rig(const std::vector<Mixture>& parts, const Mixture& all) {
    double left = 0.0;
    for (const Mixture& part : parts) left += part.disorder();
    return all.mass > 0.0 ? std::max(all.disorder() - left, 0.0) / all.mass : 0.0;
}

// Expected drop of the Gini impurity of the label, 1 - sum over labels of P(y)^2, from `chance(k, y)`, P(outcome | y).
// It is the spread of the posterior around what it is now, a sum of squares: sum over k of q_k |P(y | k) - P(y)|^2.
template <class Chance>
inline double gini(const std::vector<double>& posterior, int n_outcomes, Chance chance) {
    const int m = static_cast<int>(posterior.size());
    double gain = 0.0;
    for (int k = 0; k < n_outcomes; ++k) {
        double q = 0.0, squares = 0.0;
        for (int y = 0; y < m; ++y) q += posterior[y] * chance(k, y);
        for (int y = 0; y < m; ++y) {
            const double moved = posterior[y] * (chance(k, y) - q);
            squares += moved * moved;
        }
        if (q > 0.0) gain += squares / q;
    }
    return gain;
}

// Weight of the edges between labels, sum over pairs of P(y) P(y'): half the Gini impurity.
inline double label_edges(const std::vector<double>& posterior) {
    Part all;
    for (const double p : posterior) all.add(p);
    return std::max(all.edges(), 0.0);
}

// ECED: expected weight that the answer takes off the edges between labels when an outcome discounts each label by its
// likelihood ratio, lambda = P(k | y) / max over outcomes of P(. | y), less what an outcome takes off that says
// nothing: sum over k of q_k sum over pairs of P(y) P(y') (max lambda^2 - lambda_y lambda_y'). `likeliest` is scratch.
template <class Chance>
inline double eced(const std::vector<double>& posterior, int n_outcomes, Chance chance,
                   std::vector<double>& likeliest) {
    const int m = static_cast<int>(posterior.size());
    likeliest.assign(m, 1e-300);
    for (int k = 0; k < n_outcomes; ++k) {
        for (int y = 0; y < m; ++y) likeliest[y] = std::max(likeliest[y], chance(k, y));
    }
    const double edges = label_edges(posterior);
    double gain = 0.0;
    for (int k = 0; k < n_outcomes; ++k) {
        double q = 0.0, most = 0.0;
        for (int y = 0; y < m; ++y) {
            q += posterior[y] * chance(k, y);
            if (posterior[y] > 0.0) most = std::max(most, chance(k, y) / likeliest[y]);
        }
        if (most <= 0.0) continue;
        Part left;  // relative to the largest ratio, so that equal ratios leave exactly all
        for (int y = 0; y < m; ++y) left.add(posterior[y] * (chance(k, y) / likeliest[y] / most));
        gain += q * most * most * std::max(edges - left.edges(), 0.0);
    }
    return gain;
}

// Expected drop of the entropy of the label, in bits: I(X; Y | evidence) = H(X) - sum over labels of P(y) H(X | y), of
// each of some features into `gain`. All outcomes first and their logarithms side by side; `q` is scratch.
inline void ig(const Shape& shape, const Theta& theta, const std::vector<double>& posterior,
               const std::vector<int>& features, std::vector<double>& q, double* gain) {
    q.resize(shape.n_rows);
    double* chance = q.data();
    with_number(shape.n_labels, [&](auto m) {
        for (std::size_t i = 0; i < features.size(); ++i) {
            double conditional = 0.0;
            for (int row = shape.row(features[i]); row < shape.row(features[i] + 1); ++row) {
                const double* const p = theta.p.data() + row * m;
                const float* const log_p = theta.log_p.data() + row * m;
                double sum = 0.0;
                for (int y = 0; y < m; ++y) {
                    const double joint = posterior[y] * p[y];
                    sum += joint;
                    conditional += joint * static_cast<double>(log_p[y]);
                }
                *chance++ = sum;
            }
            gain[i] = conditional;
        }
    });
    times_log(q.data(), chance - q.data());
    chance = q.data();
    for (std::size_t i = 0; i < features.size(); ++i) {
        for (int k = shape.n_outcomes(features[i]); k > 0; --k) gain[i] -= *chance++;
        gain[i] = std::max(gain[i], 0.0) * bits_per_nat;
    }
}

// Of a binary view of a feature, the chance to lie above its threshold, by the model rather than by the survivors:
// P(above | evidence) = sum over labels of P(y) P(above | y). Criteria over hypotheses weigh the two sides by it.
inline double chance_above(const std::vector<double>& posterior, const double* above) {
    double p = 0.0;
    for (std::size_t y = 0; y < posterior.size(); ++y) p += posterior[y] * above[y];
    return p;
}

// Entropy of a binary answer, in bits; without branches, so that many go side by side.
[[gnu::always_inline]] inline double binary_entropy(double p) {
    const double q = 1.0 - p;
    return -bits_per_nat * (p * smooth_log(std::max(p, 1e-300)) + q * smooth_log(std::max(q, 1e-300)));
}

inline double ec2_above(const std::vector<Part>& parts, const Part& all, const std::vector<double>& posterior,
                        const double* above) {
    const double p = chance_above(posterior, above);
    return std::max(all.edges() - (1.0 - p) * parts[0].edges() - p * parts[1].edges(), 0.0);
}

inline double rig_above(const std::vector<Mixture>& parts, const Mixture& all, const std::vector<double>& posterior,
                        const double* above) {
    const double p = chance_above(posterior, above);
    const auto entropy = [](const Mixture& part) { return part.mass > 0.0 ? part.disorder() / part.mass : 0.0; };
    return std::max(entropy(all) - (1.0 - p) * entropy(parts[0]) - p * entropy(parts[1]), 0.0);
}

inline double ig_above(const std::vector<double>& posterior, const double* above) {
    double conditional = 0.0;
    for (std::size_t y = 0; y < posterior.size(); ++y) conditional += posterior[y] * binary_entropy(above[y]);
    return std::max(binary_entropy(chance_above(posterior, above)) - conditional, 0.0);
}

inline double us_above(const std::vector<double>& posterior, const double* above) {
    return binary_entropy(chance_above(posterior, above));
}

}  // namespace ufodt
