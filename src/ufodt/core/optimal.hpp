// The exact optimum for one known theta: what the best policy of all pays, and which question it asks where.
//
// A state is what is known of a case, one digit per feature in mixed radix: 0 while it is unknown, k + 1 once its
// outcome is k. Every answer leads to a state of a higher number, so one pass from the highest down has all it needs.
// Values are weighted by P(evidence), which saves the divisions.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "policy.hpp"
#include "purse.hpp"

namespace ufodt {

// What a policy is expected to pay, under the theta it is judged by.
struct Expected {
    double price = 0.0, loss = 0.0;  // loss in its own unit
    double accuracy = 0.0, n_asked = 0.0;
};

// A node of a policy's tree, as it is judged.
struct Visit {
    int parent, branch;   // branch: the outcome at the parent; -1 at the root
    int feature, answer;  // feature -1: stop and answer
    double probability;   // that a case comes here
};

class Optimal {
  public:
    static constexpr std::size_t max_states = std::size_t{1} << 24;  // about 150 MB

    // How many states the features have, or max_states + 1 if there are more than can be held.
    static std::size_t n_states(const Shape& shape, std::span<const int> features) {
        std::size_t n = 1;
        for (const int f : features) {
            n *= static_cast<std::size_t>(shape.n_outcomes(f)) + 1;
            if (n > max_states) return max_states + 1;
        }
        return n;
    }

    // Solve what is left of a case: `p` is P(outcome | label) per row, `label` the weights of the labels given what is
    // known already, `open` the features that may still be asked, and `purse` knows what was paid for. `worth` is what
    // one unit of loss is worth in the currency of the prices. A budget of the purse is not heeded.
    void solve(const Problem& problem, const double* p, std::span<const double> label, std::span<const int> open, const Purse& purse, double worth) {
        problem_ = &problem;
        p_ = p;
        worth_ = worth;
        open_.assign(open.begin(), open.end());
        n_ = static_cast<int>(open_.size());
        m_ = problem.shape.n_labels;
        const std::size_t n_states_in_all = n_states(problem.shape, open_);
        if (n_states_in_all > max_states) throw std::length_error("the optimum has too many states");
        stride_.assign(n_, 1);
        for (int j = n_ - 2; j >= 0; --j) stride_[j] = stride_[j + 1] * (problem.shape.n_outcomes(open_[j + 1]) + 1);
        list_offers(purse);
        value_.resize(n_states_in_all);
        choice_.resize(n_states_in_all);
        joint_.resize(static_cast<std::size_t>(n_ + 1) * m_);
        std::copy(label.begin(), label.end(), joint_.begin());
        fill(0, 0, 0);
    }

    // The state after one more answer; the start is state 0.
    std::size_t after(std::size_t state, int feature, int outcome) const {
        const auto at = std::lower_bound(open_.begin(), open_.end(), feature) - open_.begin();
        return state + stride_[at] * (static_cast<std::size_t>(outcome) + 1);
    }

    // The best question in a state, -1 where stopping is best.
    int question(std::size_t state) const { return choice_[state] < 0 ? -1 : open_[choice_[state]]; }

    // Expected cost to go from a state, price and worth of the loss together, times P(evidence).
    double value(std::size_t state) const { return value_[state]; }

    // The tree of the optimal policy in `tree`, if given, and what it is expected to pay.
    Expected unroll(std::vector<Visit>* tree = nullptr) {
        Expected sum;
        visit(0, 0, 0, -1, -1, tree, sum);
        return sum;
    }

  private:
    struct Offer {
        int at;  // in open_
        double price;
    };
    const Problem* problem_ = nullptr;
    const double* p_ = nullptr;
    double worth_ = 1.0;
    int n_ = 0, m_ = 0;
    std::vector<int> open_;
    std::vector<std::size_t> stride_;
    std::vector<double> value_;
    std::vector<std::int8_t> choice_;
    std::vector<double> joint_;             // per depth: P(evidence so far, label)
    std::vector<Offer> offers_;             // per set of known features: what may be asked, at its price
    std::vector<std::size_t> first_offer_;  // into offers_
    std::vector<std::uint8_t> must_;        // per set: one of the offers has to be taken

    // Prices depend on which features are known, not on what they said: there are far fewer sets than states.
    void list_offers(const Purse& purse) {
        const std::size_t n_sets = std::size_t{1} << n_;
        offers_.clear();
        first_offer_.assign(1, 0);
        must_.assign(n_sets, 0);
        for (std::size_t set = 0; set < n_sets; ++set) {
            Purse then = purse;
            for (int j = 0; j < n_; ++j) {
                if (set >> j & 1) then.pay(open_[j], -1), then.know(open_[j]);
            }
            const std::size_t from = offers_.size();
            for (int j = 0; j < n_; ++j) {
                if (set >> j & 1 || !then.is_allowed(open_[j])) continue;
                offers_.push_back({j, then.price(open_[j])});
                must_[set] |= problem_->mandatory[open_[j]];
            }
            if (must_[set]) {
                const auto optional = [&](const Offer& offer) { return !problem_->mandatory[open_[offer.at]]; };
                offers_.erase(std::remove_if(offers_.begin() + from, offers_.end(), optional), offers_.end());
            }
            first_offer_.push_back(offers_.size());
        }
    }

    const double* row(int at, int outcome) const { return p_ + problem_->shape.cell(problem_->shape.row(open_[at]) + outcome, 0); }

    void step(int depth, int at, int outcome) {
        const double *now = joint_.data() + static_cast<std::size_t>(depth) * m_, *p = row(at, outcome);
        double* next = joint_.data() + static_cast<std::size_t>(depth + 1) * m_;
        for (int y = 0; y < m_; ++y) next[y] = now[y] * p[y];
    }

    // All states whose first `depth` digits are given, from the highest to the lowest.
    void fill(int depth, std::size_t state, std::size_t set) {
        if (depth == n_) {
            settle(state, set);
            return;
        }
        for (int k = problem_->shape.n_outcomes(open_[depth]) - 1; k >= 0; --k) {
            step(depth, depth, k);
            fill(depth + 1, state + stride_[depth] * (k + 1), set | std::size_t{1} << depth);
        }
        std::copy_n(joint_.begin() + static_cast<std::ptrdiff_t>(depth) * m_, m_, joint_.begin() + static_cast<std::ptrdiff_t>(depth + 1) * m_);
        fill(depth + 1, state, set);
    }

    // Weighted loss of the best answer in its own unit, and the answer.
    std::pair<double, int> loss(const double* joint, double mass) const {
        const auto [answer, least] = problem_->loss.best(joint);
        return {problem_->loss.zero_one ? std::max(mass + least, 0.0) : least, answer};
    }

    double mass_of(const double* joint) const {
        double mass = 0.0;
        for (int y = 0; y < m_; ++y) mass += joint[y];
        return mass;
    }

    // What the outcomes of a feature are expected to add to its price, times P(evidence).
    double surcharge(const double* joint, const Offer& offer) const {
        if (problem_->surcharge.empty() || offer.price == 0.0) return 0.0;
        double sum = 0.0;
        for (int k = 0; k < problem_->shape.n_outcomes(open_[offer.at]); ++k) {
            const double *p = row(offer.at, k), added = problem_->surcharge[problem_->shape.row(open_[offer.at]) + k];
            for (int y = 0; y < m_; ++y) sum += joint[y] * p[y] * added;
        }
        return sum;
    }

    void settle(std::size_t state, std::size_t set) {
        constexpr double slack = 1.0 - 1e-12;  // rounding alone is no reason to ask
        const double* joint = joint_.data() + static_cast<std::size_t>(n_) * m_;
        const double mass = mass_of(joint);
        double best = must_[set] ? INFINITY : worth_ * loss(joint, mass).first;
        int choice = -1;
        for (std::size_t i = first_offer_[set]; i < first_offer_[set + 1]; ++i) {
            const Offer& offer = offers_[i];
            const std::size_t stride = stride_[offer.at];
            double cost = mass * offer.price + surcharge(joint, offer);
            for (int k = problem_->shape.n_outcomes(open_[offer.at]); k > 0; --k) cost += value_[state + k * stride];
            if (cost < slack * best || (must_[set] && choice < 0)) best = cost, choice = offer.at;
        }
        value_[state] = best;
        choice_[state] = static_cast<std::int8_t>(choice);
    }

    void visit(std::size_t state, std::size_t set, int depth, int parent, int branch, std::vector<Visit>* tree, Expected& sum) {
        const double* joint = joint_.data() + static_cast<std::size_t>(depth) * m_;
        const double mass = mass_of(joint);
        const auto [lost, answer] = loss(joint, mass);
        const int at = choice_[state];
        int here = -1;
        if (tree) {
            here = static_cast<int>(tree->size());
            tree->push_back({parent, branch, question(state), answer, mass});
        }
        if (at < 0) {
            sum.loss += lost;
            sum.accuracy += joint[answer];
            return;
        }
        const auto offer = std::find_if(offers_.begin() + first_offer_[set], offers_.end(), [&](const Offer& o) { return o.at == at; });
        sum.price += mass * offer->price + surcharge(joint, *offer);
        sum.n_asked += mass;
        for (int k = 0; k < problem_->shape.n_outcomes(open_[at]); ++k) {
            step(depth, at, k);
            visit(state + stride_[at] * (k + 1), set | std::size_t{1} << at, depth + 1, here, k, tree, sum);
        }
    }
};

}  // namespace ufodt
