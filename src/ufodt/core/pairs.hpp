// Outcomes that come together: how often two of them were told in one case, under each label.
//
// Naive Bayes takes answers to be independent once the label is known. Pairs tell where they are not:
//
//     P(b | a, y) = (N(a, b, y) + q P(b | y)) / (N(a, any, y) + q),
//
// with N(a, any, y) the cases of label y in which a came and the feature of b was known, and q cases' worth of naive
// Bayes. A label is then as likely as the answers are in the geometric mean of the models in which all others depend on
// one of them (averaged one-dependence: Webb, Boughton and Wang, "Not So Naive Bayes", 2005); a question that is still
// open has the mean of P(b | a, y) over the answers a. In both means an answer weighs what it tells of the others, so
// that those which tell nothing take nothing away. Counts of pairs are additive: they merge and forget.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <utility>
#include <vector>

#include "logarithms.hpp"
#include "shape.hpp"

namespace ufodt {

// What was counted of one case that is to be judged as if it had not been: nothing, if it was not.
struct LeftOut {
    int label = 0;
    double amount = 0.0;
};

class Pairs {
  public:
    // None, or of all outcomes of a problem; also none where that would be more than a few megabytes.
    Pairs() = default;
    explicit Pairs(const Shape& shape) {
        const auto n = static_cast<std::size_t>(shape.n_rows);
        if (n > max_cells / (n * shape.n_labels)) return;
        shape_ = shape;
        for (int f = 0; f < shape.n_features; ++f) feature_.insert(feature_.end(), shape.n_outcomes(f), f);
        count_.assign(n * n * shape.n_labels, 0.0);
    }

    bool is_none() const { return count_.empty(); }

    // One case that told these rows, at most one of each feature.
    void add(const std::vector<int>& rows, int label, double weight) {
        for (std::size_t i = 0; i < rows.size(); ++i) {
            for (std::size_t j = 0; j < i; ++j) {
                at(rows[i], rows[j])[label] += weight;
                at(rows[j], rows[i])[label] += weight;
            }
        }
    }

    void merge(const Pairs& other) {
        for (std::size_t i = 0; i < count_.size(); ++i) count_[i] += other.count_[i];
    }

    void scale(double factor) {
        for (double& c : count_) c = c < 1e-200 ? 0.0 : c * factor;  // what is next to nothing would be slow
    }

    // The outcomes of a feature are others now: of what was counted for one, a share goes to another, by (from, to,
    // label).
    void move(int feature, const std::vector<double>& share) {
        const int first = shape_.row(feature), n = shape_.n_outcomes(feature), m = shape_.n_labels;
        std::vector<double> moved(static_cast<std::size_t>(n) * m);
        for (int row = 0; row < shape_.n_rows; ++row) {
            std::fill(moved.begin(), moved.end(), 0.0);
            const double* const counted = at(row, first);
            for (int from = 0; from < n; ++from) {
                for (int y = 0; y < m; ++y) {
                    const double count = counted[from * m + y];
                    for (int to = 0; count > 0.0 && to < n; ++to)
                        moved[to * m + y] += count * share[(from * n + to) * m + y];
                }
            }
            std::copy(moved.begin(), moved.end(), at(row, first));
            for (int to = 0; to < n; ++to) std::copy_n(moved.data() + to * m, m, at(first + to, row));
        }
    }

    // How much likelier than by chance two outcomes are to come together, under each label: `ratio` is multiplied by
    // that with the first given, and with the second given. `p_a` and `p_b` are P(outcome | label), above 1e-100. The
    // factor has limits, so that it has a logarithm.
    void multiply_bond(int a, const double* p_a, int b, const double* p_b, const LeftOut& own, double* ratio) const {
        double n[Shape::max_labels], with_a[Shape::max_labels], with_b[Shape::max_labels];
        with_number(shape_.n_labels, [&](auto m) {
            std::copy_n(at(a, b), +m, n);
            count_known(a, feature_[b], m, with_a);
            count_known(b, feature_[a], m, with_b);
            double& n_here = n[own.label];
            n_here = std::max(n_here - own.amount, 0.0);
            for (double* const known : {with_a, with_b})
                known[own.label] = std::max(known[own.label] - own.amount, n_here);
            for (int y = 0; y < m; ++y) {
                const double together = (n[y] + strength * p_a[y]) * (n[y] + strength * p_b[y]);
                const double apart = p_a[y] * p_b[y] * (with_a[y] + strength) * (with_b[y] + strength);
                ratio[y] *= std::clamp(together / apart, 1e-30, 1e30);
            }
        });
    }

    // Adds P(outcome | label, `told`) of every outcome of a feature to `sum`, times what `told` weighs, and returns
    // that: by how much they differ from what they are without, `p`, as chi square has it, and a little.
    double add_given(int told, int feature, const double* p, double* sum) const {
        double scale[Shape::max_labels];
        const double* const both = at(told, shape_.row(feature));
        const int n_outcomes = shape_.n_outcomes(feature);
        return with_number(shape_.n_labels, [&](auto m) {
            count_known(told, feature, m, scale);
            for (int y = 0; y < m; ++y) scale[y] = 1.0 / (scale[y] + strength);
            double weight = 0.0;
            for (int cell = 0; cell < n_outcomes * m; cell += m) {
                for (int y = 0; y < m; ++y) {
                    const double without = p[cell + y];
                    const double news = (both[cell + y] + strength * without) * scale[y] - without;
                    weight += news * news / std::max(without, 1e-6);
                }
            }
            weight = weight / m + little_given;
            for (int cell = 0; cell < n_outcomes * m; cell += m) {
                for (int y = 0; y < m; ++y)
                    sum[cell + y] += weight * ((both[cell + y] + strength * p[cell + y]) * scale[y]);
            }
            return weight;
        });
    }

    // What was counted, each pair of rows once.
    std::vector<double> counts() const {
        std::vector<double> all;
        all.reserve(n_counts());
        for (int a = 0; a < shape_.n_rows; ++a) all.insert(all.end(), at(a, a + 1), at(a, shape_.n_rows));
        return all;
    }
    std::size_t n_counts() const {
        const auto n = static_cast<std::size_t>(shape_.n_rows);
        return is_none() ? 0 : n * (n - 1) / 2 * shape_.n_labels;
    }
    void set_counts(const std::vector<double>& all) {
        if (all.size() != n_counts() || !are_counts(all)) throw std::invalid_argument("the pairs do not fit");
        const double* from = all.data();
        for (int a = 0; a < shape_.n_rows; ++a) {
            for (int b = a + 1; b < shape_.n_rows; ++b, from += shape_.n_labels) {
                std::copy_n(from, shape_.n_labels, at(a, b));
                std::copy_n(from, shape_.n_labels, at(b, a));
            }
        }
    }

  private:
    static constexpr std::size_t max_cells = std::size_t{1} << 19;
    static constexpr double strength = 10.0;      // q: cases' worth of naive Bayes behind every outcome
    static constexpr double little_given = 0.01;  // what an answer weighs that tells nothing of a question

    Shape shape_;
    std::vector<int> feature_;   // of every row
    std::vector<double> count_;  // rows x rows x labels

    double* at(int a, int b) {
        return count_.data() + (static_cast<std::size_t>(a) * shape_.n_rows + b) * shape_.n_labels;
    }
    const double* at(int a, int b) const { return const_cast<Pairs*>(this)->at(a, b); }

    // In how many cases of each label an outcome came and a feature was known.
    template <class Number>
    void count_known(int row, int feature, Number m, double* n) const {
        const double* both = at(row, shape_.row(feature));
        std::fill_n(n, +m, 0.0);
        for (int k = 0; k < shape_.n_outcomes(feature); ++k, both += m) {
            for (int y = 0; y < m; ++y) n[y] += both[y];
        }
    }
};

// What pairs add to the likelihood of the answers of one case: the mean over the models in which all depend on one of
// them. A model weighs by how differently its bonds judge the labels, squared, and a little.
class Bonds {
  public:
    void clear() { rows_.clear(), p_.clear(), sum_.clear(), weight_.clear(); }

    // One more answer, by its row and its log likelihood under each label.
    void add(const Pairs& pairs, int row, const std::vector<double>& log_p, const LeftOut& left_out = {}) {
        const std::size_t m = log_p.size(), before = p_.size();
        p_.resize(before + m);
        sum_.resize(before + m, 0.0);
        weight_.push_back(little);
        for (std::size_t y = 0; y < m; ++y) p_[before + y] = std::max(smooth_exp(log_p[y]), 1e-100);
        for (std::size_t j = 0; j < rows_.size(); ++j) {
            bond_.assign(m, 1.0);
            pairs.multiply_bond(rows_[j], &p_[j * m], row, &p_[before], left_out, bond_.data());
            for (double& bond : bond_) bond = 0.5 * smooth_log(bond);
            for (std::size_t y = 0; y < m; ++y) sum_[j * m + y] += bond_[y], sum_[before + y] += bond_[y];
            const auto [least, most] = std::minmax_element(bond_.begin(), bond_.end());
            const double told = (*most - *least) * (*most - *least);
            weight_[j] += told, weight_.back() += told;
        }
        rows_.push_back(row);
    }

    const std::vector<int>& rows() const { return rows_; }

    // What is added to the log likelihood of a label.
    double operator[](std::size_t label) const {
        if (rows_.size() < 2) return 0.0;
        const std::size_t m = p_.size() / rows_.size();
        double sum = 0.0, weight = 0.0;
        for (std::size_t j = 0; j < rows_.size(); ++j) {
            sum += weight_[j] * sum_[j * m + label];
            weight += weight_[j];
        }
        return sum / weight;
    }

  private:
    static constexpr double little = 0.1;  // what an answer weighs that tells nothing of the others, in squared nats

    std::vector<int> rows_;
    std::vector<double> p_;       // P(answer | label), answers x labels
    std::vector<double> sum_;     // answers x labels: what the bonds of one add to the log likelihood
    std::vector<double> weight_;  // per answer
    std::vector<double> bond_;    // scratch, per label: how likely two come together, then the logarithm of its root
};

}  // namespace ufodt
