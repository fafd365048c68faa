// What was believed before any evidence, as counts, and the prior that forgetting leads to.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "shape.hpp"

namespace ufodt {

struct PriorCounts {
    std::vector<double> outcome, label;
    double view = 1.0;  // of either side of a threshold
    bool operator==(const PriorCounts&) const = default;

    bool fits(const Shape& shape) const {
        return static_cast<int>(outcome.size()) == shape.n_cells() && static_cast<int>(label.size()) == shape.n_labels;
    }
    bool is_valid() const {
        const auto fine = [](double x) { return std::isfinite(x) && x > 0.0; };
        return std::all_of(outcome.begin(), outcome.end(), fine) && std::all_of(label.begin(), label.end(), fine) &&
               fine(view);
    }
};

class Prior {
  public:
    Prior(PriorCounts start, const Shape& shape) : start_(std::move(start)) {
        if (!start_.fits(shape)) throw std::invalid_argument("the prior does not fit the problem");
        if (!start_.is_valid()) throw std::invalid_argument("prior counts must be positive and finite");
    }

    // From now on forgetting leads to this prior, and not back to the one of the start (the paper's "Handling Concept
    // Drift"); labels that are not learned keep theirs.
    void inject(PriorCounts injected, const Shape& shape, bool learns_labels) {
        if (!injected.fits(shape) || !injected.is_valid()) {
            throw std::invalid_argument("the injected prior must fit the problem, and be positive and finite");
        }
        if (!learns_labels) injected.label = start_.label;
        injected_ = std::move(injected);
    }
    bool is_injected() const { return injected_.has_value(); }

    // The share of the prior of the start that is not yet forgotten.
    double kept() const { return kept_; }
    void set_kept(double kept) {
        if (!(kept >= 0.0 && kept <= 1.0))
            throw std::invalid_argument("a share from 0 to 1 is expected of what is kept of the prior");
        kept_ = kept;
    }
    void fade(double share) {
        if (injected_) kept_ *= share;
    }

    bool is_alike(const Prior& other) const { return start_ == other.start_ && injected_ == other.injected_; }

    // As it is now: that of the start, or between it and the injected one.
    double outcome(std::size_t cell) const {
        return injected_ ? between(start_.outcome[cell], injected_->outcome[cell]) : start_.outcome[cell];
    }
    double label(std::size_t y) const {
        return injected_ ? between(start_.label[y], injected_->label[y]) : start_.label[y];
    }
    double view() const { return injected_ ? between(start_.view, injected_->view) : start_.view; }
    PriorCounts now() const {
        PriorCounts all = start_;
        for (std::size_t cell = 0; cell < all.outcome.size(); ++cell) all.outcome[cell] = outcome(cell);
        for (std::size_t y = 0; y < all.label.size(); ++y) all.label[y] = label(y);
        all.view = view();
        return all;
    }

  private:
    PriorCounts start_;
    std::optional<PriorCounts> injected_;
    double kept_ = 1.0;

    double between(double first, double last) const { return kept_ * first + (1.0 - kept_) * last; }
};

}  // namespace ufodt
