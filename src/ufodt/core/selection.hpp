// Too many features: a few candidates per case, of which a plan asks some. They are those that promise to tell most
// about the label, or, as in the paper, those of the largest weights of online perceptrons.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "belief.hpp"
#include "perceptrons.hpp"
#include "problem.hpp"
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
        double mean = 0.0;
        for (const double price : problem.price) mean += price / shape_->n_features;
        for (double& x : per_price_) x = mean > 0.0 ? 1.0 / std::sqrt(std::max(x / mean, least_price)) : 1.0;
        if (on() && settings.by_weights) perceptrons_.emplace(problem.shape, settings.step, settings.radius);
    }

    bool fits(const Shape& shape) const { return *shape_ == shape; }
    bool on() const { return settings_.size > 0 && settings_.size < shape_->n_features; }

    // None where candidates are chosen by what is believed.
    std::optional<Perceptrons>& perceptrons() { return perceptrons_; }
    const std::optional<Perceptrons>& perceptrons() const { return perceptrons_; }

    // Candidates of one case, marked among all features. By weights those of the largest; by what is believed those
    // that surely tell most and, to explore, as many drawn by what they may tell at most: a feature that cannot be had
    // promises for ever, and would block a place that was its own; others stand in by what they surely tell. With
    // probability epsilon, any features.
    void candidates(const Belief& belief, Random& random, bool explore, std::vector<std::uint8_t>& is_candidate,
                    std::vector<double>& merit) const {
        is_candidate.assign(shape_->n_features, 0);
        merit.clear();
        if (explore && random.uniform() < settings_.epsilon) {
            pick(random, shape_->n_features, settings_.size, [&](int i) -> auto& { return is_candidate[i]; });
            if (perceptrons_) return;
            weigh_by_price(belief.promises().least);
            merit = merit_;
        } else if (perceptrons_) {
            take_best(perceptrons_->magnitudes(), settings_.size, random, is_candidate);
        } else {
            const int n_drawn = explore ? settings_.size / 2 : 0;
            weigh_by_price(belief.promises().least);
            take_best(merit_, settings_.size - n_drawn, random, is_candidate);
            merit = merit_;
            if (n_drawn == 0) return;
            weigh_by_price(belief.promises().most);
            draw(n_drawn, random, is_candidate);
        }
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
    std::vector<double> per_price_;  // per feature: one over the root of its price, in mean prices
    std::optional<Perceptrons> perceptrons_;
    mutable std::vector<double> merit_;
    // Only for speed, so that a case costs little more with many features: where the front was seen last.
    mutable double floor_ = 0.0;
    mutable std::vector<int> front_, tied_;
    mutable std::vector<double> sorted_;

    static constexpr double least_price = 0.1;  // of the mean: what is cheaper or free counts as that
    static constexpr int max_tries = 32;        // to draw a feature by its merit

    // The geometric mean of what a feature tells and of what it tells per price: neither many cheap features nor a dear
    // decisive one are to be left out.
    void weigh_by_price(const std::vector<double>& told) const {
        merit_.resize(told.size());
        for (std::size_t f = 0; f < told.size(); ++f) merit_[f] = told[f] * per_price_[f];
    }

    // Mark the `n` features of the highest merit, ties at random.
    void take_best(const std::vector<double>& merit, int n, Random& random,
                   std::vector<std::uint8_t>& is_candidate) const {
        const double last = rank(merit, n);
        tied_.clear();
        for (const int f : front_) {
            is_candidate[f] = merit[f] > last;
            n -= is_candidate[f];
            if (merit[f] == last) tied_.push_back(f);
        }
        pick(random, static_cast<int>(tied_.size()), n, [&](int i) -> auto& { return is_candidate[tied_[i]]; });
    }

    // Mark `n` more features, each in turn with a chance by its merit; where merits are few, soon any.
    void draw(int n, Random& random, std::vector<std::uint8_t>& is_candidate) const {
        const double most = *std::max_element(merit_.begin(), merit_.end());
        for (int left = n, n_tries = 0; left > 0; ++n_tries) {
            const int f = static_cast<int>(random.uniform() * shape_->n_features);
            const bool is_drawn = random.uniform() * most < merit_[f] || n_tries > max_tries * n;
            if (is_drawn && !is_candidate[f]) is_candidate[f] = 1, --left;
        }
    }

    // The n-th largest merit; `front_` then holds all features that have at least it, in index order.
    double rank(const std::vector<double>& merit, int n) const {
        const auto size = static_cast<std::size_t>(n);
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
        if (sorted_.size() > 4 * size) floor_ = nth_largest(2 * size);  // with room for merits that fall
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
