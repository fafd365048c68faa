// Too many features: a few candidates per case, chosen by the weights of an online perceptron (OFS, Wang et al. 2014,
// with the paper's estimate for features that were not bought). Weights of features that are no candidates are kept:
// the paper does not cut them off, and a feature that was met once by chance could otherwise never come back.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "belief.hpp"
#include "random.hpp"

namespace ufodt {

struct SelectionSettings {
    int size = 0;          // candidates per case, B; 0: all features
    double epsilon = 0.1;  // share of cases with random candidates
    double step = 0.2;
    double radius = 10.0;  // bound on the norm of the weights
    bool operator==(const SelectionSettings&) const = default;
};

class Selection {
  public:
    Selection(const SelectionSettings& settings, const Shape& shape)
        : settings_(settings), shape_(&shape), n_(shape.n_features), n_rows_(shape.n_labels == 2 ? 1 : shape.n_labels) {
        if (on()) weight_.assign(static_cast<std::size_t>(n_rows_) * n_, 0.0);
    }

    bool on() const { return settings_.size > 0 && settings_.size < n_; }
    const SelectionSettings& settings() const { return settings_; }
    const std::vector<double>& weights() const { return weight_; }
    void set_weights(std::vector<double> weights) {
        if (weights.size() != weight_.size()) throw std::invalid_argument("the weights do not fit");
        weight_ = std::move(weights);
    }

    // Candidates of one case, in index order: the largest weights, or with probability epsilon any features.
    void candidates(Random& random, std::vector<int>& features) const {
        std::vector<std::pair<double, int>> rank(n_);
        const bool explore = random.uniform() < settings_.epsilon;
        for (int f = 0; f < n_; ++f) rank[f] = {explore ? 0.0 : -magnitude(f), static_cast<int>(random.word() >> 33)};
        std::vector<int> order(n_);
        std::iota(order.begin(), order.end(), 0);
        std::nth_element(order.begin(), order.begin() + settings_.size, order.end(), [&](int a, int b) { return rank[a] < rank[b]; });
        features.assign(order.begin(), order.begin() + settings_.size);
        std::sort(features.begin(), features.end());
    }

    // One perceptron per label against the rest, updated from the features that were bought.
    void update(const Belief& belief, const std::vector<Seen>& evidence, int label) {
        const double scale = 1.0 / (settings_.epsilon * settings_.size / n_ + 1.0 - settings_.epsilon);
        for (int row = 0; row < n_rows_; ++row) {
            double* w = weight_.data() + static_cast<std::size_t>(row) * n_;
            const double truth = label == (n_rows_ == 1 ? 1 : row) ? 1.0 : -1.0;
            double score = 0.0;
            for (const Seen& seen : evidence) score += w[seen.feature] * input(belief, seen) * scale;
            if (truth * score > 1.0) continue;
            for (const Seen& seen : evidence) w[seen.feature] += settings_.step * truth * input(belief, seen) * scale;
            bound(w);
        }
    }

  private:
    SelectionSettings settings_;
    const Shape* shape_;
    int n_, n_rows_;
    std::vector<double> weight_;  // perceptrons x features

    double magnitude(int feature) const {
        double most = 0.0;
        for (int row = 0; row < n_rows_; ++row) most = std::max(most, std::abs(weight_[static_cast<std::size_t>(row) * n_ + feature]));
        return most;
    }

    // An outcome as a number from -1 to 1.
    double input(const Belief& belief, const Seen& seen) const {
        const int outcome = belief.outcome(seen);
        return outcome < 0 ? 0.0 : 2.0 * outcome / (shape_->n_outcomes(seen.feature) - 1) - 1.0;
    }

    void bound(double* w) const {
        double norm = 0.0;
        for (int f = 0; f < n_; ++f) norm += w[f] * w[f];
        norm = std::sqrt(norm);
        for (int f = 0; f < n_ && norm > settings_.radius; ++f) w[f] *= settings_.radius / norm;
    }
};

}  // namespace ufodt
