// Outcomes that come together: how often two of them were told in one case, under each label.
//
// Naive Bayes takes answers to be independent once the label is known. Pairs tell where they are not, by how much
// likelier than by chance two outcomes come together where both features were known:
//
//     lift(a, b | y) = P(a, b | y) / (P(a | y) P(b | y)), all three counted in those cases alone.
//
// Which feature is known depends on what was told before: where b is asked only after a, all that is known together has
// a, and that says nothing. By P(a | b, y), counted there, over P(a | y) of all cases it would look like a bond; by the
// lift it does not. As few counts say little, q cases' worth of chance stand behind every outcome. A label is then as
// likely as the answers are in the geometric mean of the models in which all others depend on one of them (averaged
// one-dependence: Webb, Boughton and Wang, "Not So Naive Bayes", 2005); a question that is still open has the mean of
// P(b | a, y) over the answers a. In both means an answer weighs what it tells of the others, so that those which tell
// nothing take nothing away. Counts of pairs are additive: they merge and forget.
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
        came_.assign(n * shape.n_features * shape.n_labels, 0.0);
        known_.assign(static_cast<std::size_t>(shape.n_features) * shape.n_features * shape.n_labels, 0.0);
    }

    bool is_none() const { return count_.empty(); }

    // One case that told these rows, at most one of each feature.
    void add(const std::vector<int>& rows, int label, double weight) {
        is_whole_ &= weight == std::floor(weight);
        if (is_whole_) count(rows, label, weight, [&](int a, int b) { add_up(a, b, label, weight); });
        else count(rows, label, weight, [&](int a, int b) { sum_up(a, b, label); });
    }

    // One of many, of which all are merged into others in the end: only the counts are kept up to date.
    void count(const std::vector<int>& rows, int label, double weight) {
        count(rows, label, weight, [](int, int) {});
    }

    void merge(const Pairs& other) {
        for (std::size_t i = 0; i < count_.size(); ++i) count_[i] += other.count_[i];
        sum_up();
    }

    void scale(double factor) {
        for (double& c : count_) c = c < 1e-200 ? 0.0 : c * factor;  // what is next to nothing would be slow
        sum_up();
    }

    // The outcomes of a feature are others now: of what was counted for one, a share goes to another, by (from, to,
    // label).
    void move(int feature, const std::vector<double>& share) {
        if (!was_known(feature)) return;
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
        sum_up();
    }

    // The square of the lift of two outcomes under each label. `p_a` and `p_b` are P(outcome | label), above 1e-100. It
    // has limits, so that it has a logarithm.
    void square_lift(int a, const double* p_a, int b, const double* p_b, const LeftOut& own, double* square) const {
        const double *const n = at(a, b), *const n_a = came(a, feature_[b]), *const n_b = came(b, feature_[a]),
                            *const n_all = known(feature_[a], feature_[b]);
        with_number(shape_.n_labels, [&](auto m) {
            for (int y = 0; y < m; ++y) square[y] = square_lift(n[y], n_a[y], n_b[y], n_all[y], p_a[y], p_b[y]);
        });
        if (own.amount == 0.0) return;
        const int y = own.label;
        const auto without = [&](double count, double least) { return std::max(count - own.amount, least); };
        const double rest = without(n[y], 0.0), rest_a = without(n_a[y], rest), rest_b = without(n_b[y], rest);
        const double rest_all = without(n_all[y], std::max(rest_a, rest_b));
        square[y] = square_lift(rest, rest_a, rest_b, rest_all, p_a[y], p_b[y]);
    }

    // Adds P(outcome | label, `told`) of every outcome of a feature to `sum`, times what `told` weighs, and returns
    // that: by how much they differ from what they are without, `p`, as chi square has it, and a little. `given` is
    // room to work in.
    double add_given(int told, int feature, const double* p, double* sum, std::vector<double>& given) const {
        const double *const n = at(told, shape_.row(feature)), *const n_told = came(told, feature),
                            *const n_all = known(feature_[told], feature);
        const int n_outcomes = shape_.n_outcomes(feature);
        given.resize(static_cast<std::size_t>(n_outcomes) * shape_.n_labels);
        return with_number(shape_.n_labels, [&](auto m) {
            // With these, `few` and `by_chance` of an outcome are products.
            double few_of[Shape::max_labels], chance_of[Shape::max_labels], scale[Shape::max_labels];
            for (int y = 0; y < m; ++y) {
                few_of[y] = few(1.0, n_all[y], 0.0);
                chance_of[y] = by_chance(n_told[y], 1.0, n_all[y]);
                scale[y] = 0.0;
            }
            const double* n_b = came(shape_.row(feature), feature_[told]);
            for (int cell = 0; cell < n_outcomes * m; cell += m) {
                for (int y = 0; y < m; ++y) {
                    const double without = p[cell + y],
                                 few_b = few_of[y] * (n_b[cell + y] + strength * without) + 1e-300;
                    given[cell + y] = without * (n[cell + y] + few_b) / (chance_of[y] * n_b[cell + y] + few_b);
                    scale[y] += given[cell + y];
                }
            }
            for (int y = 0; y < m; ++y) scale[y] = 1.0 / scale[y];
            double weight = 0.0;
            for (int cell = 0; cell < n_outcomes * m; cell += m) {
                for (int y = 0; y < m; ++y) {
                    const double without = p[cell + y], news = (given[cell + y] *= scale[y]) - without;
                    weight += news * news / std::max(without, 1e-6);
                }
            }
            weight = weight / m + little_given;
            for (int cell = 0; cell < n_outcomes * m; ++cell) sum[cell] += weight * given[cell];
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
        sum_up();
    }

  private:
    static constexpr std::size_t max_cells = std::size_t{1} << 19;
    static constexpr double strength = 5.0;       // q: cases by chance behind every outcome
    static constexpr double little_given = 0.01;  // what an answer weighs that tells nothing of a question

    Shape shape_;
    std::vector<int> feature_;   // of every row
    std::vector<double> count_;  // rows x rows x labels
    std::vector<double> came_;   // features x rows x labels: how often one came where the other was known
    std::vector<double> known_;  // features x features x labels, the first below the second: both were known
    bool is_whole_ = true;       // all counts are whole numbers

    double* at(int a, int b) {
        return count_.data() + (static_cast<std::size_t>(a) * shape_.n_rows + b) * shape_.n_labels;
    }
    const double* at(int a, int b) const { return const_cast<Pairs*>(this)->at(a, b); }
    double* came(int row, int feature) {
        return came_.data() + (static_cast<std::size_t>(feature) * shape_.n_rows + row) * shape_.n_labels;
    }
    const double* came(int row, int feature) const { return const_cast<Pairs*>(this)->came(row, feature); }
    double* known(int f, int g) {
        return known_.data() +
               (static_cast<std::size_t>(std::min(f, g)) * shape_.n_features + std::max(f, g)) * shape_.n_labels;
    }
    const double* known(int f, int g) const { return const_cast<Pairs*>(this)->known(f, g); }

    template <class Then>
    void count(const std::vector<int>& rows, int label, double weight, Then then) {
        for (std::size_t i = 0; i < rows.size(); ++i) {
            for (std::size_t j = 0; j < i; ++j) {
                at(rows[i], rows[j])[label] += weight;
                at(rows[j], rows[i])[label] += weight;
                then(rows[i], rows[j]);
            }
        }
    }

    // How many cases of two outcomes there would be by chance, of so many in which each came where both were known.
    static double by_chance(double n_a, double n_b, double n_all) { return n_a * n_b / std::max(n_all, 1e-300); }

    // q times the share of an outcome where both were known, of which few cases say little either.
    static double few(double n_one, double n_all, double p) {
        return strength * (n_one + strength * p) / (n_all + strength);
    }

    // (n + q P(b)) / (chance + q P(b)) is the lift with q cases by chance behind a, and likewise behind b.
    static double square_lift(double n, double n_a, double n_b, double n_all, double p_a, double p_b) {
        const double few_a = few(n_a, n_all, p_a), few_b = few(n_b, n_all, p_b), chance = by_chance(n_a, n_b, n_all);
        return std::clamp((n + few_a) * (n + few_b) / ((chance + few_a) * (chance + few_b)), 1e-30, 1e30);
    }

    bool was_known(int feature) const {
        for (int g = 0; g < shape_.n_features; ++g) {
            const double* const n = known(feature, g);
            if (std::any_of(n, n + shape_.n_labels, [](double count) { return count > 0.0; })) return true;
        }
        return false;
    }

    // What is derived from the counts of two rows, or of all of them; always in the same order, so that a model that
    // was loaded has the same bits. Sums of whole counts have these in any order.
    void add_up(int a, int b, int label, double weight) {
        came(a, feature_[b])[label] += weight;
        came(b, feature_[a])[label] += weight;
        known(feature_[a], feature_[b])[label] += weight;
    }
    void sum_up(int a, int b, int label) {
        if (feature_[a] > feature_[b]) std::swap(a, b);
        const int f = feature_[a], g = feature_[b], m = shape_.n_labels;
        const auto sum = [m](const double* from, int n) {
            double total = 0.0;
            for (int k = 0; k < n; ++k) total += from[k * m];
            return total;
        };
        came(a, g)[label] = sum(at(a, shape_.row(g)) + label, shape_.n_outcomes(g));
        came(b, f)[label] = sum(at(b, shape_.row(f)) + label, shape_.n_outcomes(f));
        known(f, g)[label] = sum(came(shape_.row(f), g) + label, shape_.n_outcomes(f));
    }
    void sum_up() {
        const int m = shape_.n_labels;
        const std::size_t n = static_cast<std::size_t>(shape_.n_rows) * m;
        is_whole_ = std::all_of(count_.begin(), count_.end(), [](double c) { return c == std::floor(c) && c < 1e15; });
        std::fill(came_.begin(), came_.end(), 0.0);
        std::fill(known_.begin(), known_.end(), 0.0);
        for (int a = 0; a < shape_.n_rows; ++a) {
            const double* const counted = at(a, 0);
            double* const sums = came(0, feature_[a]);
            for (std::size_t i = 0; i < n; ++i) sums[i] += counted[i];
        }
        for (int g = 0; g < shape_.n_features; ++g) {
            for (int row = 0; row < shape_.row(g); ++row) {
                const double* const counted = came(row, g);
                double* const sums = known(feature_[row], g);
                for (int y = 0; y < m; ++y) sums[y] += counted[y];
            }
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
            bond_.resize(m);
            pairs.square_lift(rows_[j], &p_[j * m], row, &p_[before], left_out, bond_.data());
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
    std::vector<double> bond_;    // scratch, per label: the squared lift of two, then the logarithm of its root
};

}  // namespace ufodt
