// What may still be asked in one case, what has to be, and what it takes to get there: the features on offer, and the
// purse they are paid from. Nothing here knows what answers tell.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "problem.hpp"
#include "purse.hpp"

namespace ufodt {

class Agenda {
  public:
    // A case begins, once it is `reset`; `budget` is the policy's.
    void begin(const Problem& problem, const Offer& offer, CaseTerms terms, double budget) {
        problem_ = &problem;
        offer_ = offer;
        purse_.take(problem, std::move(terms));
        budget_ = purse_.budget(budget);
    }

    // Back to the state right after `begin`.
    void reset() {
        const int n = problem_->shape.n_features;
        offered_ = open_ = offer_.features;
        is_open_.assign(n, 0);
        for (const int f : open_) is_open_[f] = 1;
        is_settled_.assign(n, 0);
        candidates_ = offer_.candidates;
        purse_.reset();
        found_duties_ = false;
    }

    const Purse& purse() const { return purse_; }
    double budget() const { return budget_; }
    const std::vector<int>& offered() const { return offered_; }
    const std::vector<int>& open() const { return open_; }
    bool is_open(int feature) const { return is_open_[feature]; }
    bool is_settled(int feature) const { return is_settled_[feature]; }

    void pay(int feature, int outcome) {
        if (budget_ < INFINITY && !problem_->mandatory.empty()) purse_.promise(feature);
        purse_.pay(feature, outcome);
        found_duties_ = false;
    }

    // The feature is known now, or cannot be had.
    void tell(int feature) {
        purse_.know(feature);
        close(feature);
    }
    void close(int feature) {
        if (is_open_[feature]) open_.erase(std::lower_bound(open_.begin(), open_.end(), feature));
        is_open_[feature] = 0;
        is_settled_[feature] = 1;
        found_duties_ = false;
    }

    // Whether the feature has to be asked, whatever the stop rule says.
    bool is_duty(int feature) const {
        if (problem_->mandatory.empty()) return false;
        if (!found_duties_) purse_.find_duties(budget_, [&](int f) { return is_open_[f]; }, is_duty_);
        found_duties_ = true;
        return is_duty_[feature];
    }

    // The cheapest list to buy that ends with a feature, in order, in `together`: what it needs and itself; or with its
    // inputs first, or another of its group, where that is cheaper or fits the budget when the other does not. Returns
    // the price of the list; infinite where none is sure to fit the budget. `added(feature)` is what its outcome is
    // expected to add to a price.
    template <class Added>
    double bundle(int feature, std::vector<int>& together, Added added) const {
        purse_.missing(problem_->needs[feature], together);
        together.push_back(feature);
        double least = price_together(together, added);
        const auto try_with = [&](const std::vector<int>& others) {
            first_ = problem_->needs[feature];
            first_.insert(first_.end(), others.begin(), others.end());
            purse_.missing(first_, other_bundle_);
            other_bundle_.push_back(feature);
            const double price = price_together(other_bundle_, added);
            if (price < least) least = price, together = other_bundle_;
        };
        if (!problem_->computed_from[feature].empty()) try_with(problem_->computed_from[feature]);
        const double extra = purse_.extra(feature);
        if (extra == 0.0) return least;
        for (const int f : open_) {
            const bool could_save = least == INFINITY || purse_.price(f) < extra;
            if (f != feature && problem_->group[f] == problem_->group[feature] && could_save) try_with({f});
        }
        return least;
    }

    // How many candidates cannot be had any more without this feature: itself, if it is one, and those that need it.
    int lost_with(int feature) const {
        return static_cast<int>(std::count_if(candidates_.begin(), candidates_.end(), [&](int f) {
            if (!is_open_[f] || (f != feature && problem_->needs[f].empty())) return false;
            const std::vector<int> needed = still_needed(f);
            return can_be_had(needed) && std::count(needed.begin(), needed.end(), feature) > 0;
        }));
    }
    bool is_candidate(int feature) const {
        return std::find(candidates_.begin(), candidates_.end(), feature) != candidates_.end();
    }

    // Open the best of the others that can be had, after what it needs, in place of a feature that need not be asked;
    // returns what was opened.
    std::vector<int> open_another() {
        const std::vector<double>& merit = offer_.merit;
        std::vector<int> opened;
        int best = -1;
        for (int f = 0; f < static_cast<int>(merit.size()); ++f) {
            if (is_open_[f] || is_settled_[f] || (best >= 0 && merit[f] <= merit[best])) continue;
            std::vector<int> needed = still_needed(f);
            if (!can_be_had(needed)) continue;
            best = f;
            opened = std::move(needed);
        }
        std::erase_if(opened, [&](int f) { return is_open_[f]; });
        for (const int f : opened) {
            is_open_[f] = 1;
            open_.insert(std::lower_bound(open_.begin(), open_.end(), f), f);
            if (std::find(offered_.begin(), offered_.end(), f) == offered_.end()) offered_.push_back(f);
        }
        if (opened.empty()) return opened;
        candidates_.push_back(best);
        found_duties_ = false;
        return opened;
    }

  private:
    const Problem* problem_ = nullptr;
    Purse purse_;
    double budget_ = INFINITY;
    Offer offer_;                                     // at first
    std::vector<int> offered_;                        // then too, those that stand in last
    std::vector<int> open_;                           // that may still be asked, in index order
    std::vector<int> candidates_;                     // of the selection, and those that stand in
    std::vector<std::uint8_t> is_open_, is_settled_;  // on offer and not settled; told or skipped
    mutable std::vector<std::uint8_t> is_duty_;       // per feature, if found for the case as it stands
    mutable bool found_duties_ = false;
    mutable Purse then_;  // what was paid, once the first of a bundle are bought
    mutable std::vector<int> first_, other_bundle_;

    // What some features cost one after the other; infinite as for a bundle.
    template <class Added>
    double price_together(const std::vector<int>& features, Added added) const {
        if (features.size() == 1 && !purse_.fits(features[0], budget_)) return INFINITY;
        then_ = purse_;
        double sum = 0.0, most = 0.0;
        for (const int f : features) {
            if (!is_open_[f]) return INFINITY;
            sum += then_.price(f) + (then_.is_computed(f) ? 0.0 : added(f));
            most += then_.most(f);
            then_.buy(f);
        }
        return Purse::is_within(purse_.spent() + most, budget_) ? sum : INFINITY;
    }

    // A feature that is not known and all that it still needs, in the order in which they may be asked.
    std::vector<int> still_needed(int feature) const {
        std::vector<int> needed;
        purse_.missing({feature}, needed);
        return needed;
    }
    bool can_be_had(const std::vector<int>& needed) const {
        return std::none_of(needed.begin(), needed.end(), [&](int f) { return is_settled_[f]; });
    }
};

}  // namespace ufodt
