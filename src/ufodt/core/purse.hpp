// The money of one case: what was spent, what is known, and so what each feature costs now.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "policy.hpp"

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
        }
        problem_ = &problem;
        terms_ = std::move(terms);
        prices_ = terms_.price.empty() ? problem.price.data() : terms_.price.data();
    }

    void reset() {
        is_known_.assign(problem_->shape.n_features, 0);
        group_paid_.assign(problem_->n_groups, 0);
        spent_ = 0.0;
    }

    double spent() const { return spent_; }
    void know(int feature) { is_known_[feature] = 1; }

    // The price apart from what the outcome may add; features computed from known ones are free.
    double price(int feature) const {
        if (is_plain_) return prices_[feature];
        const std::vector<int>& inputs = problem_->computed_from[feature];
        if (!inputs.empty() && all_known(inputs)) return 0.0;
        const double first = prices_[feature];
        const int group = problem_->group[feature];
        return group >= 0 && group_paid_[group] ? std::min(problem_->later_price[feature], first) : first;
    }

    // Pay for a feature; outcome -1 adds nothing.
    void pay(int feature, int outcome) {
        const double base = price(feature);
        spent_ += base;
        if (outcome >= 0 && base > 0.0 && !problem_->surcharge.empty()) spent_ += problem_->surcharge[problem_->shape.row(feature) + outcome];
        if (problem_->group[feature] >= 0) group_paid_[problem_->group[feature]] = 1;
    }

    // Whether the feature may be asked now: what it needs is known, and its worst price fits the budget.
    bool askable(int feature, double budget) const { return is_allowed(feature) && fits(feature, std::min(budget, terms_.budget)); }
    bool is_allowed(int feature) const { return is_plain_ || all_known(problem_->needs[feature]); }

    bool fits(int feature, double budget) const {
        if (budget == INFINITY) return true;
        double most = price(feature);
        if (!problem_->surcharge.empty() && most > 0.0) {
            const auto from = problem_->surcharge.begin();
            most += *std::max_element(from + problem_->shape.row(feature), from + problem_->shape.row(feature + 1));
        }
        return spent_ + most <= budget * (1.0 + 1e-12);
    }

  private:
    const Problem* problem_ = nullptr;
    CaseTerms terms_;
    const double* prices_ = nullptr;
    bool is_plain_ = true;  // no groups, nothing needed or computed: a price is a price
    std::vector<std::uint8_t> is_known_, group_paid_;
    double spent_ = 0.0;

    bool all_known(const std::vector<int>& features) const {
        return std::all_of(features.begin(), features.end(), [&](int f) { return is_known_[f]; });
    }
};

}  // namespace ufodt
