// Continuous features: which values were seen of each, and where it is cut into bins or thresholds.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "shape.hpp"
#include "sketch.hpp"

namespace ufodt {

class Continuous {
  public:
    // `is_continuous` flags them among all features; `cuts` fixes the cut points of some, the others are found: as many
    // as make the bins that the shape has, or so many thresholds.
    Continuous(const Shape& shape, std::vector<std::uint8_t> is_continuous, Cuts cuts, std::optional<int> n_thresholds)
        : m_(shape.n_labels), is_continuous_(std::move(is_continuous)), cuts_(std::move(cuts)),
          has_thresholds_(n_thresholds.has_value()) {
        is_continuous_.resize(shape.n_features, 0);
        cuts_.resize(shape.n_features);
        n_seen_.assign(shape.n_features, 0);
        sketch_.assign(shape.n_features, Sketch(m_));
        for (int f = 0; f < shape.n_features; ++f) {
            is_fixed_.push_back(!cuts_[f].empty());
            const int n_found = is_continuous_[f] ? n_thresholds.value_or(shape.n_outcomes(f) - 1) : 0;
            n_cuts_.push_back(is_fixed_[f] ? static_cast<int>(cuts_[f].size()) : n_found);
        }
    }

    bool has(int f) const { return is_continuous_[f]; }
    bool is_found(int f) const { return is_continuous_[f] && !is_fixed_[f]; }  // whether its cut points are
    const Cuts& cuts() const { return cuts_; }
    const std::vector<double>& cuts(int f) const { return cuts_[f]; }
    const Sketch& sketch(int f) const { return sketch_[f]; }
    std::int64_t n_seen(int f) const { return n_seen_[f]; }
    bool is_alike(const Continuous& other) const {
        return is_continuous_ == other.is_continuous_ && is_fixed_ == other.is_fixed_;
    }

    // How many thresholds each feature has, at most.
    std::vector<int> n_thresholds() const { return has_thresholds_ ? n_cuts_ : std::vector<int>(n_cuts_.size(), 0); }

    // One more value of a feature whose cut points are found; returns whether it is to be cut anew: when as many values
    // came as it remembers, up to a power of two. Where nothing is forgotten, that is at each doubling.
    bool add(int f, double value, int label) {
        sketch_[f].add(value, label);
        const std::int64_t n = ++n_seen_[f];
        if (n < first_cut || n % first_cut != 0) return false;
        return static_cast<std::uint64_t>(n) % std::bit_ceil(remembered(f)) == 0;
    }

    // New cut points for a feature. One that had a single value so far is cut there, as one that may be yes and was
    // always no: another value may yet come. Not for thresholds, since what Exp3 gained by this one would go to another
    // of its rank.
    void cut(int f) {
        const Sketch& sketch = sketch_[f];
        if (!has_thresholds_ && is_informed(f)) sketch.informative(n_cuts_[f], cuts_[f]);
        else sketch.quantiles(n_cuts_[f], cuts_[f]);
        if (cuts_[f].empty() && !has_thresholds_) cuts_[f] = sketch.values();
    }

    // What was seen of a feature elsewhere. The cut points move if they would have on the way there, value by value,
    // and if a fair share of all was seen there: these must not fall into one bin.
    void merge(int f, const Continuous& other) {
        const std::int64_t n_before = n_seen_[f], n = n_seen_[f] += other.n_seen_[f];
        const std::uint64_t before = remembered(f);
        sketch_[f].merge(other.sketch_[f]);
        if (n < first_cut) return;
        const auto period = static_cast<std::int64_t>(std::bit_ceil(remembered(f)));
        const bool would_have =
            std::bit_floor(before) != std::bit_floor(remembered(f)) || n_before / period != n / period;
        if (cuts_[f].empty() || would_have || fair_share * other.n_seen_[f] >= n) cut(f);
    }

    void scale(double factor) {
        for (Sketch& sketch : sketch_) sketch.scale(factor);
    }

    // Cut points stay until new ones are found.
    void clear() {
        std::fill(n_seen_.begin(), n_seen_.end(), 0);
        for (Sketch& sketch : sketch_) sketch = Sketch(m_);
    }

    // What was seen of a feature, as a model file has it.
    void restore(int f, std::vector<double> cuts, std::vector<double> values, std::vector<double> counts,
                 std::int64_t n_seen) {
        const auto rises = [](const std::vector<double>& all) {
            return are_finite(all) && std::adjacent_find(all.begin(), all.end(), std::greater_equal<>()) == all.end();
        };
        const bool fit = is_fixed_[f] ? cuts == cuts_[f] : static_cast<int>(cuts.size()) <= n_cuts_[f];
        if (!rises(cuts) || !rises(values) || !fit || n_seen < 0 || counts.size() != values.size() * m_ ||
            !are_counts(counts)) {
            throw std::invalid_argument("the sketch does not fit");
        }
        cuts_[f] = std::move(cuts);
        sketch_[f].restore(std::move(values), std::move(counts));
        n_seen_[f] = n_seen;
    }

    // Adds what was seen of a feature to `count`, bins x labels, once it was time to cut it.
    void count(int f, double* count) const {
        if (cuts_[f].empty() && n_seen_[f] < first_cut) return;
        const Sketch& sketch = sketch_[f];
        for (std::size_t i = 0; i < sketch.values().size(); ++i) {
            double* const in_bin = count + static_cast<std::size_t>(outcome_of(cuts_[f], sketch.values()[i])) * m_;
            for (int y = 0; y < m_; ++y) in_bin[y] += sketch.counts()[i * m_ + y];
        }
    }

    // Whether enough is remembered of a feature to cut it by what it tells, and no more by equal shares.
    bool is_informed(int f) const { return sketch_[f].weight() >= informed_cut * (n_cuts_[f] + 1); }

    // Whether bins hold several values each. Where every bin has a single one, values are as good as categories.
    bool has_wide_bins(int f) const { return sketch_[f].values().size() > cuts_[f].size() + 1; }

    // Of what was counted between other cut points of a feature, the share of each of n bins that belongs to each one
    // of now, under each label: a bin goes where its values went, as far as the sketch tells under the label, or else
    // under all, or else where its upper end is. A feature without cut points has no bins: nothing goes anywhere.
    std::vector<double> shares(int f, int n, const std::vector<double>& before) const {
        const Sketch& sketch = sketch_[f];
        const int all = m_, n_columns = m_ + 1;
        std::vector<double> share(static_cast<std::size_t>(n) * n * m_, 0.0);
        if (cuts_[f].empty()) return share;
        std::vector<double> moved(static_cast<std::size_t>(n) * n * n_columns),
            in_bin(static_cast<std::size_t>(n) * n_columns);
        for (std::size_t i = 0; i < sketch.values().size(); ++i) {
            const int from = outcome_of(before, sketch.values()[i]), to = outcome_of(cuts_[f], sketch.values()[i]);
            for (int y = 0; y < m_; ++y) {
                const double count = sketch.counts()[i * m_ + y];
                for (const int column : {y, all}) {
                    moved[(from * n + to) * n_columns + column] += count;
                    in_bin[from * n_columns + column] += count;
                }
            }
        }
        for (int from = 0; from < n; ++from) {
            const int upper_end = outcome_of(cuts_[f], before[std::min<std::size_t>(from, before.size() - 1)]);
            for (int y = 0; y < m_; ++y) {
                const int column = in_bin[from * n_columns + y] > 0.0 ? y : all;
                const double of = in_bin[from * n_columns + column];
                for (int to = 0; to < n; ++to) {
                    share[(from * n + to) * m_ + y] =
                        of > 0.0 ? moved[(from * n + to) * n_columns + column] / of : to == upper_end;
                }
            }
        }
        return share;
    }

  private:
    static constexpr std::int64_t fair_share = 8;  // one part in so many
    static constexpr std::int64_t first_cut = 8;   // values seen before a feature is cut; a power of two
    static constexpr int informed_cut = 16;  // remembered for each bin: from here on by what is told, not by shares

    int m_;  // labels
    std::vector<std::uint8_t> is_continuous_, is_fixed_;
    Cuts cuts_;
    bool has_thresholds_;
    std::vector<int> n_cuts_;  // cut points wanted
    std::vector<Sketch> sketch_;
    std::vector<std::int64_t> n_seen_;

    // How many values of a feature are remembered, as many as it takes to be cut at least.
    std::uint64_t remembered(int f) const {
        return static_cast<std::uint64_t>(std::max(std::ceil(sketch_[f].weight()), static_cast<double>(first_cut)));
    }
};

}  // namespace ufodt
