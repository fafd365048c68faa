// The weights of online feature selection (OFS, Wang et al. 2014, with the paper's estimate for features that were not
// bought): one perceptron for two labels, else one for each label against the rest. Weights of features that are no
// candidates are kept: the paper does not cut them off, and a feature that was met once by chance could otherwise never
// come back.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "belief.hpp"

namespace ufodt {

class Perceptrons {
  public:
    Perceptrons(const Shape& shape, double step, double radius)
        : shape_(&shape), n_(shape.n_features), n_rows_(shape.n_labels == 2 ? 1 : shape.n_labels), step_(step),
          radius_(radius), weight_(static_cast<std::size_t>(n_rows_) * n_), magnitude_(n_) {}

    const std::vector<double>& weights() const { return weight_; }
    const std::vector<double>& magnitudes() const { return magnitude_; }

    void set_weights(std::vector<double> weights) {
        if (weights.size() != weight_.size() || !are_finite(weights))
            throw std::invalid_argument("the weights do not fit");
        weight_ = std::move(weights);
        weigh_all();
    }

    // Add the weights of another, as if its steps had been taken here too.
    void merge(const Perceptrons& other) {
        if (weight_.size() != other.weight_.size()) throw std::invalid_argument("the weights do not fit");
        for (std::size_t i = 0; i < weight_.size(); ++i) weight_[i] += other.weight_[i];
        for (int row = 0; row < n_rows_; ++row) bound(weight_.data() + static_cast<std::size_t>(row) * n_);
        weigh_all();
    }

    // Learn from the features that were bought, each had with some chance.
    void update(const Belief& belief, const std::vector<Seen>& evidence, int label, double chance) {
        const double scale = 1.0 / chance;
        inputs_.clear();
        for (const Seen& seen : evidence) inputs_.emplace_back(seen.feature, scale * input(belief, seen));
        learn(label);
    }

    // History in bulk, case by case: every cell that is known was sure to be had, so it counts as it is.
    void update_many(const Belief& belief, const Cases& cases, const std::int32_t* labels) {
        for (std::size_t i = 0; i < cases.size(); ++i) {
            if (labels[i] < 0) continue;
            take(belief, cases, i);
            learn(labels[i]);
        }
    }

    // The same for a table with weights, as a whole: a few steps along the mean of what its cases ask for. Neither the
    // order of rows nor whether equal ones stand as one makes a difference, to the last bit.
    void update_table(const Belief& belief, const Cases& cases, const std::int32_t* labels, const double* weights) {
        double total = 0.0;
        for (std::size_t i = 0; i < cases.size(); ++i) total += labels[i] < 0 ? 0.0 : weights[i];
        if (!(total > 0.0)) return;
        std::vector<double> sum(weight_.size());
        for (int pass = 0; pass < n_passes; ++pass) {
            std::fill(sum.begin(), sum.end(), 0.0);
            for (std::size_t i = 0; i < cases.size(); ++i) {
                if (labels[i] < 0 || weights[i] == 0.0) continue;
                take(belief, cases, i);
                for (auto& [f, x] : inputs_) x = std::round(x * 0x1p20) * 0x1p-20;  // sums of these do not round
                for (int row = 0; row < n_rows_; ++row) {
                    if (is_sure(row, labels[i])) continue;
                    double* const here = sum.data() + static_cast<std::size_t>(row) * n_;
                    for (const auto& [f, x] : inputs_) here[f] += weights[i] * truth(row, labels[i]) * x;
                }
            }
            for (std::size_t k = 0; k < sum.size(); ++k) weight_[k] += step_ * (sum[k] / total);
            for (int row = 0; row < n_rows_; ++row) bound(weight_.data() + static_cast<std::size_t>(row) * n_);
        }
        weigh_all();
    }

  private:
    static constexpr int n_passes = 20;  // over a table with weights

    const Shape* shape_;
    int n_, n_rows_;
    double step_, radius_;                        // learning rate; bound on the norm of the weights
    std::vector<double> weight_;                  // perceptrons x features
    std::vector<double> magnitude_;               // per feature: the largest weight, without its sign
    std::vector<std::pair<int, double>> inputs_;  // of the case being learned: feature, and its estimate

    void weigh(int feature) {
        double most = 0.0;
        for (int row = 0; row < n_rows_; ++row)
            most = std::max(most, std::abs(weight_[static_cast<std::size_t>(row) * n_ + feature]));
        magnitude_[feature] = most;
    }

    void weigh_all() {
        for (int f = 0; f < n_; ++f) weigh(f);
    }

    // An outcome as a number from -1 to 1; a value as its bin between the cut points that there are, unless it was seen
    // through one of them.
    double input(const Belief& belief, const Seen& seen) const {
        const int f = seen.feature;
        if (belief.continuous().has(f) && seen.view < 0) {
            const std::vector<double>& cuts = belief.cuts()[f];
            return cuts.empty() ? 0.0 : 2.0 * outcome_of(cuts, seen.value) / static_cast<double>(cuts.size()) - 1.0;
        }
        const int outcome = belief.outcome(seen);
        return outcome < 0 ? 0.0 : 2.0 * outcome / (shape_->n_outcomes(f) - 1) - 1.0;
    }

    void take(const Belief& belief, const Cases& cases, std::size_t i) {
        inputs_.clear();
        for (int f = 0; f < n_; ++f) {
            if (cases.has(i, f)) inputs_.emplace_back(f, input(belief, cases.seen(i, f)));
        }
    }

    double truth(int row, int label) const { return label == (n_rows_ == 1 ? 1 : row) ? 1.0 : -1.0; }

    // Whether a perceptron is sure enough of the label, given `inputs_`.
    bool is_sure(int row, int label) const {
        const double* const w = weight_.data() + static_cast<std::size_t>(row) * n_;
        double score = 0.0;
        for (const auto& [f, x] : inputs_) score += w[f] * x;
        return truth(row, label) * score > 1.0;
    }

    // A step for every perceptron that is not.
    void learn(int label) {
        bool any = false, all = false;  // which weights moved: those of the inputs, or all
        for (int row = 0; row < n_rows_; ++row) {
            if (is_sure(row, label)) continue;
            double* const w = weight_.data() + static_cast<std::size_t>(row) * n_;
            for (const auto& [f, x] : inputs_) w[f] += step_ * truth(row, label) * x;
            any = true;
            all |= bound(w);
        }
        if (all) {
            weigh_all();
        } else if (any) {
            for (const auto& [f, x] : inputs_) weigh(f);
        }
    }

    // Whether the weights had to be shortened.
    bool bound(double* w) const {
        constexpr int n_sums = 8;  // side by side
        double sums[n_sums] = {}, norm = 0.0;
        int f = 0;
        for (; f + n_sums <= n_; f += n_sums) {
            for (int i = 0; i < n_sums; ++i) sums[i] += w[f + i] * w[f + i];
        }
        for (; f < n_; ++f) norm += w[f] * w[f];
        for (const double sum : sums) norm += sum;
        norm = std::sqrt(norm);
        if (!(norm > radius_)) return false;
        const double factor = radius_ / norm;
        for (f = 0; f < n_; ++f) w[f] *= factor;
        return true;
    }
};

}  // namespace ufodt
