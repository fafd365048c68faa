// The prior of a yes-or-no or a named value, shaped as its outcomes come over all labels: what comes one time in a
// hundred under the labels that were met is not taken to come every second time under one that was not. As strong as
// before, it says that a feature tells nothing of the label, and not that its outcomes are equally likely.
//
// A count changes the shape a little, and with it all cells of its feature. So it is rounded, to an eighth or less, and
// hardly ever changes; being a function of the counts, it is the same however these came.
#pragma once

#include <bit>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "shape.hpp"

namespace ufodt {

class Pooled {
  public:
    // Of the features that are flagged; the prior of the others stays as it is.
    void pool(const Shape& shape, std::vector<std::uint8_t> features) {
        if (static_cast<int>(features.size()) != shape.n_features)
            throw std::invalid_argument("one flag for each feature is expected");
        is_pooled_ = std::move(features);
        factor_.assign(shape.n_rows, 1.0);
    }
    bool has(int feature) const { return !is_pooled_.empty() && is_pooled_[feature]; }
    bool is_alike(const Pooled& other) const { return is_pooled_ == other.is_pooled_; }

    // What the prior of a row is multiplied by: 1 on average over the outcomes of a feature, but for rounding.
    double factor(int row) const { return is_pooled_.empty() ? 1.0 : factor_[row]; }

    // From what was counted of a feature, outcomes x labels, and some more of every outcome; returns if it has changed.
    bool find(const Shape& shape, int feature, const double* count) {
        const int n = shape.n_outcomes(feature), m = shape.n_labels;
        double* const factor = factor_.data() + shape.row(feature);
        came_.assign(n, behind);
        double sum = 0.0;
        for (int k = 0; k < n; ++k, count += m) {
            for (int y = 0; y < m; ++y) came_[k] += count[y];
            sum += came_[k];
        }
        bool has_changed = false;
        for (int k = 0; k < n; ++k) {
            const double now = rounded(came_[k] * n / sum);
            has_changed |= now != factor[k];
            factor[k] = now;
        }
        return has_changed;
    }

  private:
    static constexpr double behind = 4.0;  // times that every outcome came, beside what was counted
    std::vector<std::uint8_t> is_pooled_;
    std::vector<double> factor_;  // per row
    std::vector<double> came_;    // scratch: how often each outcome of a feature came

    // To two bits behind the first one.
    static double rounded(double x) {
        constexpr int n_dropped = 50;
        const auto bits = std::bit_cast<std::uint64_t>(x) + (std::uint64_t{1} << (n_dropped - 1));
        return std::bit_cast<double>(bits >> n_dropped << n_dropped);
    }
};

}  // namespace ufodt
