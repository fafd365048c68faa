// Too many features: a few candidates per case, of which a plan asks some. They are those that promise to tell most
// about the label, or, as in the paper, those of the largest weights of online perceptrons.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "belief.hpp"
#include "perceptrons.hpp"
#include "policy.hpp"
#include "random.hpp"

namespace ufodt {

// The numbers below `n` for which something holds, in order; without a branch, which none could foresee.
template <class Holds>
inline void list_where(int n, Holds holds, std::vector<int>& numbers) {
    numbers.resize(n);
    std::size_t n_found = 0;
    for (int i = 0; i < n; ++i) {
        numbers[n_found] = i;
        n_found += holds(i);
    }
    numbers.resize(n_found);
}

struct SelectionSettings {
    int size = 0;           // candidates per case, B; 0: all features
    double epsilon = 0.05;  // share of cases with random candidates
    bool by_weights = false;
    double step = 0.05, radius = 10.0;  // of the perceptrons
};

class Selection {
  public:
    Selection(const SelectionSettings& settings, const Problem& problem)
        : settings_(settings), shape_(&problem.shape), per_price_(problem.price) {
        for (double& x : per_price_) x = 1.0 / std::sqrt(std::max(x, 1e-100));
        if (on() && settings.by_weights) perceptrons_.emplace(problem.shape, settings.step, settings.radius);
    }

    bool fits(const Shape& shape) const { return *shape_ == shape; }
    bool on() const { return settings_.size > 0 && settings_.size < shape_->n_features; }

    // None where candidates are chosen by what is believed.
    std::optional<Perceptrons>& perceptrons() { return perceptrons_; }
    const std::optional<Perceptrons>& perceptrons() const { return perceptrons_; }

    // Candidates of one case, marked among all features: those of the highest merit, ties at random, or, to explore,
    // with probability epsilon any features.
    void candidates(const Belief& belief, Random& random, bool explore, std::vector<std::uint8_t>& is_candidate) const {
        is_candidate.assign(shape_->n_features, 0);
        if (explore && random.uniform() < settings_.epsilon) {
            pick(random, shape_->n_features, settings_.size, [&](int i) -> auto& { return is_candidate[i]; });
            return;
        }
        const std::vector<double>& merit = perceptrons_ ? perceptrons_->magnitudes() : promises_for_prices(belief);
        const double last = rank(merit);
        int n_left = settings_.size;
        tied_.clear();
        for (const int f : front_) {
            is_candidate[f] = merit[f] > last;
            n_left -= is_candidate[f];
            if (merit[f] == last) tied_.push_back(f);
        }
        pick(random, static_cast<int>(tied_.size()), n_left, [&](int i) -> auto& { return is_candidate[tied_[i]]; });
    }

    // One labelled case, before the belief learns it. The chance of a feature is that of one of large weight.
    void update(const Belief& belief, const std::vector<Seen>& evidence, int label) {
        if (!perceptrons_) return;
        const double epsilon = settings_.epsilon;
        perceptrons_->update(belief, evidence, label, epsilon * settings_.size / shape_->n_features + 1.0 - epsilon);
    }

  private:
    SelectionSettings settings_;
    const Shape* shape_;
    std::vector<double> per_price_;  // per feature: one over the root of its price
    std::optional<Perceptrons> perceptrons_;
    mutable std::vector<double> promise_;
    // Only for speed, so that a case costs little more with many features: where the front was seen last.
    mutable double floor_ = 0.0;
    mutable std::vector<int> front_, tied_;
    mutable std::vector<double> sorted_;

    // The geometric mean of what a feature promises and of what it promises per price: neither many cheap features nor
    // a dear decisive one are to be left out.
    const std::vector<double>& promises_for_prices(const Belief& belief) const {
        promise_ = belief.promises();
        for (std::size_t f = 0; f < promise_.size(); ++f) promise_[f] *= per_price_[f];
        return promise_;
    }

    // The size-th largest merit; `front_` then holds all features that have at least it, in index order.
    double rank(const std::vector<double>& merit) const {
        const auto size = static_cast<std::size_t>(settings_.size);
        for (;;) {
            list_where(shape_->n_features, [&](int f) { return merit[f] >= floor_; }, front_);
            if (front_.size() >= size) break;
            floor_ = 0.0;
        }
        sorted_.clear();
        for (const int f : front_) sorted_.push_back(merit[f]);
        const auto nth_largest = [&](std::size_t n) {
            std::nth_element(sorted_.begin(), sorted_.begin() + static_cast<std::ptrdiff_t>(n) - 1, sorted_.end(),
                             std::greater<>());
            return sorted_[n - 1];
        };
        if (sorted_.size() > 4 * size) floor_ = nth_largest(2 * size);  // with room for weights that fall
        return nth_largest(size);
    }

    // Mark `n` of the first `of` marks, each set of them as likely (Floyd's way).
    template <class Mark>
    static void pick(Random& random, int of, int n, Mark mark) {
        for (int top = of - n; top < of; ++top) {
            std::uint8_t& drawn = mark(static_cast<int>(random.uniform() * (top + 1)));
            (drawn ? mark(top) : drawn) = 1;
        }
    }
};

}  // namespace ufodt
