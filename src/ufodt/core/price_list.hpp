// What each of a few features costs once some of them are known. Prices depend on which are known, not on what they
// said: there are far fewer sets than states.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "purse.hpp"

namespace ufodt {

class PriceList {
  public:
    // For the features `open`, as things stand in the purse. A feature is left off a set's list if it does not fit the
    // budget even when the set was bought as cheaply as it can be. One is a duty only if what it serves is in reach
    // when the set was bought as dearly as it can be.
    void make(const Problem& problem, const Purse& purse, std::span<const int> open, double budget) {
        n_ = open.size();
        const double* const plain = purse.plain_prices(budget);
        is_fixed_ = plain != nullptr;
        const std::size_t n_sets = is_fixed_ ? 1 : std::size_t{1} << n_;
        price_.assign(n_sets * n_, INFINITY);
        must_.assign(n_sets, 0);
        is_computed_.assign(is_fixed_ ? 0 : n_sets * n_, 0);
        if (is_fixed_) {
            for (std::size_t j = 0; j < n_; ++j) price_[j] = plain[open[j]];
            return;
        }
        is_open_.assign(problem.shape.n_features, 0);
        for (const int f : open) is_open_[f] = 1;
        const auto can_ask = [&](int f) { return is_open_[f] && !then_.is_known(f); };
        spent_.assign(n_sets, {INFINITY, -INFINITY});
        spent_[0] = {purse.spent(), purse.spent()};
        for (std::size_t set = 0; set < n_sets; ++set) {
            then_ = purse;
            for (std::size_t j = 0; j < n_; ++j) {
                if (set >> j & 1) then_.buy(open[j]);
            }
            const auto is_open = [&](std::size_t j) { return !(set >> j & 1) && then_.askable(open[j], budget); };
            const auto is_duty = [&](std::size_t j) { return is_open(j) && is_duty_[open[j]]; };
            const auto [least, most] = spent_[set];
            then_.set_spent(most);
            then_.find_duties(budget, can_ask, is_duty_);
            for (std::size_t j = 0; j < n_; ++j) {
                is_computed_[set * n_ + j] = then_.is_computed(open[j]);
                must_[set] |= is_duty(j);
            }
            then_.set_spent(least);
            then_.find_duties(budget, can_ask, is_duty_);
            for (std::size_t j = 0; j < n_; ++j) {
                if (must_[set] ? !is_duty(j) : !is_open(j)) continue;
                price_[set * n_ + j] = then_.price(open[j]);
                auto& [then_least, then_most] = spent_[set | std::size_t{1} << j];
                then_least = std::min(then_least, least + then_.price(open[j]));
                then_most = std::max(then_most, most + then_.most(open[j]));
            }
        }
    }

    // Whether everything may be asked and nothing must, at the same price whatever is known.
    bool is_fixed() const { return is_fixed_; }
    const double* fixed() const { return price_.data(); }

    // Of the feature at `at`, once a set is known: its price, infinite where it cannot be had; whether it follows.
    double price(int at, std::uint32_t known) const { return price_[(is_fixed_ ? 0 : known * n_) + at]; }
    bool is_computed(int at, std::uint32_t known) const { return !is_fixed_ && is_computed_[known * n_ + at]; }

    // Whether one of the questions has to be asked.
    bool must_ask(std::uint32_t known) const { return must_[is_fixed_ ? 0 : known]; }

  private:
    std::size_t n_ = 0;
    bool is_fixed_ = true;
    std::vector<double> price_;                     // per set, or just once: of each feature
    std::vector<std::uint8_t> must_, is_computed_;  // per set; per set, where prices are not fixed: of each feature
    std::vector<std::pair<double, double>>
        spent_;  // per set, where prices are not fixed: the least and most that buy it
    std::vector<std::uint8_t> is_open_, is_duty_;  // per feature of the problem
    Purse then_;
};

}  // namespace ufodt
