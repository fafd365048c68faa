// The money of one case: what was spent, what is known, and so what each feature costs now.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "problem.hpp"

namespace ufodt {

// What is special about one case.
struct CaseTerms {
    std::vector<double> price;  // in place of the problem's, if not empty
    double budget = INFINITY;   // besides the policy's
};

class Purse {
  public:
    void take(const Problem& problem, CaseTerms terms) {
        const auto empty = [](const std::vector<int>& list) { return list.empty(); };
        if (problem_ != &problem) {
            is_plain_ = problem.n_groups == 0 && std::all_of(problem.needs.begin(), problem.needs.end(), empty) &&
                        std::all_of(problem.computed_from.begin(), problem.computed_from.end(), empty);
            is_free_choice_ = is_plain_ && problem.surcharge.empty() && problem.mandatory.empty();
        }
        problem_ = &problem;
        terms_ = std::move(terms);
    }

    void reset() {
        is_known_.assign(problem_->shape.n_features, 0);
        group_paid_.assign(problem_->n_groups, 0);
        promised_.clear();
        spent_ = 0.0;
    }

    double spent() const { return spent_; }
    void set_spent(double spent) { spent_ = spent; }
    void know(int feature) { is_known_[feature] = 1; }
    bool is_known(int feature) const { return is_known_[feature]; }

    // Whether it follows from what is known: then it is free, whatever comes of it.
    bool is_computed(int feature) const {
        if (is_plain_) return false;
        const std::vector<int>& inputs = problem_->computed_from[feature];
        return !inputs.empty() && all_known(inputs);
    }

    // The price apart from what the outcome may add.
    double price(int feature) const {
        if (is_plain_) return prices()[feature];
        if (is_computed(feature)) return 0.0;
        const int group = problem_->group[feature];
        return group >= 0 && group_paid_[group] ? later(feature) : prices()[feature];
    }

    // What it costs more as the first of its group than as a later one.
    double extra(int feature) const {
        if (is_plain_ || problem_->group[feature] < 0) return 0.0;
        return std::max(price(feature) - later(feature), 0.0);
    }

    // The prices of all features, if every one may always be asked at a price that never changes; else null.
    const double* plain_prices(double budget) const {
        return is_free_choice_ && budget == INFINITY ? prices() : nullptr;
    }

    // What a feature is charged at with its outcome, of which -1 adds nothing.
    double charge(int feature, int outcome) const {
        const bool adds = outcome >= 0 && !problem_->surcharge.empty() && !is_computed(feature);
        return price(feature) + (adds ? problem_->surcharge[problem_->shape.row(feature) + outcome] : 0.0);
    }

    void pay(int feature, int outcome) {
        spent_ += charge(feature, outcome);
        if (problem_->group[feature] >= 0) group_paid_[problem_->group[feature]] = 1;
    }

    // As if bought, without what its outcome may add.
    void buy(int feature) {
        pay(feature, -1);
        know(feature);
    }

    // Whether the feature may be asked now: what it needs is known, and its worst price fits the budget.
    bool askable(int feature, double budget) const { return is_allowed(feature) && fits(feature, budget); }
    double budget(double of_policy) const { return std::min(of_policy, terms_.budget); }
    bool is_allowed(int feature) const { return is_plain_ || all_known(problem_->needs[feature]); }

    // Those of some features that are not known, each after what it needs itself; what others of them make free or
    // cheaper comes after these, if it can.
    void missing(const std::vector<int>& features, std::vector<int>& together) const {
        together.clear();
        list_missing(features, together);
        if (!is_plain_) arrange(together);
    }

    // Something is paid for the sake of all that is mandatory and still needs this feature, or is it.
    void promise(int feature) {
        std::vector<std::uint8_t> is_passed = is_known_, needs_it(is_known_.size(), 0);
        needs_it[feature] = is_passed[feature] = 1;
        for (const int mandatory : problem_->mandatory) {
            find_need(mandatory, is_passed, needs_it);
            if (needs_it[mandatory] && !contains(promised_, mandatory)) promised_.push_back(mandatory);
        }
    }

    // Marks the features that have to be asked, whatever the stop rule says: what is mandatory and can still be had,
    // and all that it still needs. What was promised comes first, in its order, then what is begun otherwise: nothing
    // is bought for one duty at the cost of another for which something was. `can_ask` says whether a feature may still
    // be asked in this case.
    template <class CanAsk>
    void find_duties(double budget, CanAsk can_ask, std::vector<std::uint8_t>& is_duty) const {
        is_duty.assign(is_known_.size(), 0);
        std::vector<int> together;
        Purse then = *this;  // once all that was begun is done
        const auto mark = [&](int mandatory, bool is_begun) {
            if (!std::all_of(together.begin(), together.end(), can_ask)) return;
            if (budget < INFINITY) {
                Purse after = then;
                after.buy_at_most(together);
                if (!is_within(after.spent_, budget)) return;
                if (is_begun) then = std::move(after);
            }
            for (const int f : together) is_duty[f] = 1;
        };
        for (const int mandatory : promised_) {
            if (!can_ask(mandatory)) continue;
            missing({mandatory}, together);
            mark(mandatory, true);
        }
        for (const bool is_begun : {true, false}) {
            for (std::size_t i = 0; i < problem_->mandatory.size(); ++i) {
                const int mandatory = problem_->mandatory[i];
                if (is_duty[mandatory] || !can_ask(mandatory)) continue;
                missing({mandatory}, together);
                if ((together.size() < problem_->n_steps[i]) == is_begun) mark(mandatory, is_begun);
            }
        }
    }

    bool fits(int feature, double budget) const {
        return budget == INFINITY || is_within(spent_ + most(feature), budget);
    }
    static bool is_within(double amount, double budget) { return amount <= budget * (1.0 + 1e-12); }

    // What it costs at worst, whatever its outcome.
    double most(int feature) const {
        if (problem_->surcharge.empty() || is_computed(feature)) return price(feature);
        const auto from = problem_->surcharge.begin();
        return price(feature) +
               *std::max_element(from + problem_->shape.row(feature), from + problem_->shape.row(feature + 1));
    }

  private:
    const Problem* problem_ = nullptr;
    CaseTerms terms_;
    bool is_plain_ = true;        // no groups, nothing needed or computed: a price is a price
    bool is_free_choice_ = true;  // besides, no outcome adds to a price, and nothing is mandatory
    std::vector<std::uint8_t> is_known_, group_paid_;
    std::vector<int> promised_;  // mandatory features for which something was paid, in that order
    double spent_ = 0.0;

    static bool contains(const std::vector<int>& features, int feature) {
        return std::find(features.begin(), features.end(), feature) != features.end();
    }

    // Those of some features that are not known, each after what it needs itself, behind what `together` holds.
    void list_missing(const std::vector<int>& features, std::vector<int>& together) const {
        for (const int f : features) {
            if (is_known_[f] || contains(together, f)) continue;
            list_missing(problem_->needs[f], together);
            together.push_back(f);
        }
    }

    // Notes whether a feature that was not passed needs one that is noted, itself or through others.
    void find_need(int f, std::vector<std::uint8_t>& is_passed, std::vector<std::uint8_t>& needs_it) const {
        if (std::exchange(is_passed[f], 1)) return;
        for (const int needed : problem_->needs[f]) {
            find_need(needed, is_passed, needs_it);
            needs_it[f] |= needs_it[needed];
        }
    }

    // Of what may be bought next in a list, each time that which waiting would save least.
    void arrange(std::vector<int>& list) const {
        const auto is_fixed = [&](int f) { return problem_->computed_from[f].empty() && problem_->group[f] < 0; };
        if (std::all_of(list.begin(), list.end(), is_fixed)) return;
        for (auto next = list.begin(); next != list.end(); ++next) {
            const auto waits = [&](int f) { return std::find(next, list.end(), f) != list.end(); };
            const auto is_had = [&](int f) { return is_known_[f] || std::find(list.begin(), next, f) != next; };
            // Whether waiting makes it free, and what it makes cheaper else.
            const auto saved_by_waiting = [&](int f) -> std::pair<bool, double> {
                const std::vector<int>& inputs = problem_->computed_from[f];
                if (!inputs.empty() && std::all_of(inputs.begin(), inputs.end(), is_had)) return {false, 0.0};
                const auto will_be_had = [&](int input) { return is_had(input) || waits(input); };
                if (!inputs.empty() && std::all_of(inputs.begin(), inputs.end(), will_be_had)) return {true, price(f)};
                const auto shares = [&](int other) {
                    return other != f && problem_->group[f] >= 0 && problem_->group[other] == problem_->group[f];
                };
                const bool is_later = std::any_of(list.begin(), next, shares);
                return {false, !is_later && std::any_of(next, list.end(), shares) ? extra(f) : 0.0};
            };
            auto best = list.end();
            std::pair<bool, double> least;
            for (auto at = next; at != list.end(); ++at) {
                const std::vector<int>& needs = problem_->needs[*at];
                if (std::any_of(needs.begin(), needs.end(), waits)) continue;
                const auto saved = saved_by_waiting(*at);
                if (best == list.end() || saved < least) best = at, least = saved;
            }
            std::rotate(next, best, best + 1);
        }
    }

    // Buy what is not known of some features, one after the other, for the most that it may cost.
    void buy_at_most(const std::vector<int>& features) {
        for (const int f : features) {
            if (is_known_[f]) continue;
            const double spent = spent_ + most(f);
            buy(f);
            spent_ = spent;
        }
    }

    // The price as a later one of its group, which is no more than the first.
    double later(int feature) const { return std::min(problem_->later_price[feature], prices()[feature]); }

    const double* prices() const { return terms_.price.empty() ? problem_->price.data() : terms_.price.data(); }

    bool all_known(const std::vector<int>& features) const {
        return std::all_of(features.begin(), features.end(), [&](int f) { return is_known_[f]; });
    }
};

}  // namespace ufodt
