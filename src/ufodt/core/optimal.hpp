// The exact optimum for one known theta: what the best policy of all pays, and which question it asks where.
//
// A state is what is known of a case, one digit per feature in mixed radix: 0 while it is unknown, k + 1 once its
// outcome is k. Every answer leads to a state of a higher number. Values are weighted by P(evidence), which saves the
// divisions. All loops run over neighbouring states, so that they vectorise: a planner solves some for every question.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "price_list.hpp"
#include "problem.hpp"
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

// Call `work` for 0 to n-1. Powers of three are what binary features have: as constants, such short loops unroll.
template <class Work>
inline void for_each(std::size_t n, Work work) {
    const auto loop = [&](auto end) {
        for (std::size_t i = 0; i < end; ++i) work(i);
    };
    switch (n) {
        case 1: return loop(std::integral_constant<std::size_t, 1>());
        case 3: return loop(std::integral_constant<std::size_t, 3>());
        case 9: return loop(std::integral_constant<std::size_t, 9>());
        case 27: return loop(std::integral_constant<std::size_t, 27>());
        case 81: return loop(std::integral_constant<std::size_t, 81>());
        default: return loop(n);
    }
}

class Optimal {
  public:
    static constexpr std::size_t max_states = std::size_t{1} << 24;  // about 500 MB

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
    // one unit of loss is worth in the currency of the prices. The budget is kept as `PriceList` has it: so no policy
    // that keeps to it costs less than this.
    void solve(const Problem& problem, const double* p, std::span<const double> label, std::span<const int> open,
               const Purse& purse, double worth, double budget) {
        problem_ = &problem;
        p_ = p;
        worth_ = worth;
        open_.assign(open.begin(), open.end());
        label_.assign(label.begin(), label.end());
        n_ = static_cast<int>(open_.size());
        m_ = problem.shape.n_labels;
        const std::size_t n = n_states(problem.shape, open_);
        if (n > max_states) throw std::length_error("the optimum has too many states");
        stride_.assign(n_, 1);
        for (int j = n_ - 2; j >= 0; --j) stride_[j] = stride_[j + 1] * (n_outcomes(j + 1) + 1);
        prices_.make(problem, purse, open_, budget);
        list_questions();
        weigh(n);
        stop_value_ = value_[0];
        settle(0, 0);
    }

    // Expected cost to go from the start, price and worth of the loss together, times the sum of the labels' weights:
    // of stopping at once, and of asking `open[at]` first; infinite where that may not be asked.
    double stop_value() const { return stop_value_; }
    double ask_value(int at) const { return cost(at, 0, 0); }

    // The tree of the optimal policy, in `tree`, and what it is expected to pay.
    Expected unroll(std::vector<Visit>& tree) const {
        Expected sum;
        visit(0, 0, label_, -1, -1, tree, sum);
        return sum;
    }

    // The nodes of the best plan that begins with `open[at]`, behind that question.
    void visit_after(int at, std::vector<Visit>& tree) const {
        Expected sum;
        visit_answers(at, 0, 0, label_, -1, tree, sum);
    }

    // The best question once some answers are known, as pairs of feature and outcome; -1 where stopping is best.
    int question(const std::vector<std::pair<int, int>>& evidence) const {
        std::size_t state = 0;
        std::uint32_t known = 0;
        std::vector<double> joint = label_;
        for (const auto& [feature, outcome] : evidence) {
            const int at = static_cast<int>(std::lower_bound(open_.begin(), open_.end(), feature) - open_.begin());
            state += stride_[at] * (outcome + 1);
            known |= 1U << at;
            for (int y = 0; y < m_; ++y) joint[y] *= row(at, outcome)[y];
        }
        const int at = choose(state, known, worth_ * problem_->loss.least(joint.data(), mass_[state]).second);
        return at < 0 ? -1 : open_[at];
    }

  private:
    static constexpr double slack = 1.0 - 1e-12;  // rounding alone is no reason to ask
    const Problem* problem_ = nullptr;
    const double* p_ = nullptr;
    double worth_ = 1.0, stop_value_ = 0.0;
    int n_ = 0, m_ = 0;
    std::vector<int> open_;
    std::vector<double> label_;
    std::vector<std::size_t> stride_;
    std::vector<double> mass_, value_;  // per state: P(evidence), and the cost to go
    std::vector<double> joint_, lost_;  // per state: P(evidence, label) of one label; the loss of one answer
    PriceList prices_;
    std::vector<std::uint32_t> known_;  // per state, where prices are not fixed: the set of known features
    struct Asked {
        std::uint32_t state, stride, last;  // last: the state after the feature's last outcome
        int at;
    };
    struct Tail {
        int first;
        std::vector<int> radix;
        std::vector<Asked> asked;
    };
    int tail_ = 0;         // the first of the features that are settled together
    int binary_tail_ = 0;  // how many they are, if all are binary and prices fixed: then without a list of questions
    std::vector<int> radix_;
    std::deque<Tail> tails_;
    std::span<const Asked> asked_;

    int n_outcomes(int at) const { return problem_->shape.n_outcomes(open_[at]); }
    const double* row(int at, int outcome) const {
        return p_ + problem_->shape.cell(problem_->shape.row(open_[at]) + outcome, 0);
    }

    // P(evidence, label) of every state, for one label.
    void spread_label(int y, double weight) {
        joint_[0] = weight;
        for (int j = n_ - 1; j >= 0; --j) {
            const std::size_t stride = stride_[j];
            for (int k = 0; k < n_outcomes(j); ++k) {
                const double p = row(j, k)[y], *const from = joint_.data();
                double* const to = joint_.data() + (k + 1) * stride;
                for_each(stride, [=](std::size_t s) { to[s] = from[s] * p; });
            }
        }
    }

    // P(evidence) of every state, and what stopping there costs.
    void weigh(std::size_t n) {
        joint_.resize(n);
        mass_.assign(n, 0.0);
        const Loss& loss = problem_->loss;
        if (loss.is_uniform) {
            value_.assign(n, 0.0);
            double *const mass = mass_.data(), *const most = value_.data();
            const double *const joint = joint_.data(), worth = worth_ * loss.mistake;
            for (int y = 0; y < m_; ++y) {
                spread_label(y, label_[y]);
                for_each(n, [=](std::size_t s) {
                    mass[s] += joint[s];
                    most[s] = std::max(most[s], joint[s]);
                });
            }
            for_each(n, [=](std::size_t s) { most[s] = worth * std::max(mass[s] - most[s], 0.0); });
        } else {
            value_.assign(n, INFINITY);
            for (int answer = 0; answer < m_; ++answer) {
                lost_.assign(n, 0.0);
                for (int y = 0; y < m_; ++y) {
                    spread_label(y, label_[y]);
                    const double each = worth_ * loss(y, answer);
                    for (std::size_t s = 0; s < n; ++s) lost_[s] += each * joint_[s];
                    for (std::size_t s = 0; answer == 0 && s < n; ++s) mass_[s] += joint_[s];
                }
                for (std::size_t s = 0; s < n; ++s) value_[s] = std::min(value_[s], lost_[s]);
            }
        }
        if (prices_.is_fixed()) return;
        known_.assign(n, 0);
        for (int j = n_ - 1; j >= 0; --j) {
            for (std::size_t s = 0; s < stride_[j] * n_outcomes(j); ++s)
                known_[stride_[j] + s] = known_[s % stride_[j]] | 1U << j;
        }
        for (std::size_t s = 0; s < n; ++s) value_[s] = prices_.must_ask(known_[s]) ? INFINITY : value_[s];
    }

    // What asking the feature at `at` in a state is expected to be charged, times P(evidence).
    double charge(int at, std::size_t state, std::uint32_t known) const {
        double sum = prices_.price(at, known) * mass_[state];
        if (problem_->surcharge.empty() || prices_.is_computed(at, known)) return sum;
        for (int k = 0; k < n_outcomes(at); ++k)
            sum += problem_->surcharge[problem_->shape.row(open_[at]) + k] * mass_[state + (k + 1) * stride_[at]];
        return sum;
    }

    // What it costs in all, with what follows; infinite where it may not be asked.
    double cost(int at, std::size_t state, std::uint32_t known) const {
        if (prices_.price(at, known) == INFINITY) return INFINITY;
        double sum = charge(at, state, known);
        for (int k = 1; k <= n_outcomes(at); ++k) sum += value_[state + k * stride_[at]];
        return sum;
    }

    static void improve(double& value, double asked) { value = asked < slack * value ? asked : value; }

    // All states from `from` on that share their first `depth` digits. Answers come before questions: first the states
    // in which the next feature is known, then asking it where it is not, then what may be asked besides.
    void settle(std::size_t from, int depth) {
        if (depth == tail_) {
            settle_tail(from);
            return;
        }
        const std::size_t stride = stride_[depth];
        for (int k = 1; k <= n_outcomes(depth); ++k) settle(from + k * stride, depth + 1);
        double* const value = value_.data() + from;
        if (prices_.is_fixed() && n_outcomes(depth) == 2) {
            const double *const mass = mass_.data() + from, *const zero = value + stride, *const one = zero + stride,
                                each = prices_.fixed()[depth];
            for (std::size_t s = 0; s < stride; ++s) improve(value[s], each * mass[s] + zero[s] + one[s]);
        } else {
            for (std::size_t s = 0; s < stride; ++s)
                improve(value[s], cost(depth, from + s, prices_.is_fixed() ? 0 : known_[from + s]));
        }
        settle(from, depth + 1);
    }

    // The same for n binary features at fixed prices; n is a constant, so that all of it unrolls.
    template <int n>
    static void settle_binary(double* value, const double* mass, const double* price) {
        constexpr int strides[] = {1, 3, 9, 27}, stride = strides[n - 1];
        const auto rest = [&](int at) {
            if constexpr (n > 1) settle_binary<n - 1>(value + at, mass + at, price + 1);
        };
        rest(stride);
        rest(2 * stride);
        for (int s = 0; s < stride; ++s)
            improve(value[s], *price * mass[s] + value[stride + s] + value[2 * stride + s]);
        rest(0);
    }

    // The same for the last few features, question by question from the highest state down.
    void settle_tail(std::size_t from) {
        double* const value = value_.data() + from;
        const double *const mass = mass_.data() + from, *const each = prices_.fixed();
        switch (binary_tail_) {
            case 1: return settle_binary<1>(value, mass, each + tail_);
            case 2: return settle_binary<2>(value, mass, each + tail_);
            case 3: return settle_binary<3>(value, mass, each + tail_);
            case 4: return settle_binary<4>(value, mass, each + tail_);
            default: break;
        }
        for (const Asked& a : asked_) {
            if (!prices_.is_fixed()) {
                improve(value[a.state], cost(a.at, from + a.state, known_[from + a.state]));
                continue;
            }
            double sum = each[a.at] * mass[a.state] + value[a.state + a.stride] + value[a.state + 2 * a.stride];
            for (std::uint32_t next = a.state + 3 * a.stride; next <= a.last; next += a.stride) sum += value[next];
            improve(value[a.state], sum);
        }
    }

    // Which questions there are in the states of the last few features; lists are kept, for the same numbers recur.
    void list_questions() {
        constexpr std::size_t max_listed = 256, max_lists = 64;
        binary_tail_ = std::min(n_, 4);
        tail_ = n_ - binary_tail_;
        const auto is_binary = [&](int f) { return problem_->shape.n_outcomes(f) == 2; };
        if (prices_.is_fixed() && std::all_of(open_.begin() + tail_, open_.end(), is_binary)) return;
        binary_tail_ = 0;
        asked_ = {};
        tail_ = n_;
        while (tail_ > 0 && stride_[tail_ - 1] * (n_outcomes(tail_ - 1) + 1) <= max_listed) --tail_;
        radix_.clear();
        for (int j = tail_; j < n_; ++j) radix_.push_back(n_outcomes(j) + 1);
        for (const Tail& tail : tails_) {
            if (tail.first == tail_ && tail.radix == radix_) {
                asked_ = tail.asked;
                return;
            }
        }
        if (tails_.size() == max_lists) tails_.clear();
        std::vector<Asked> asked;
        for (std::size_t state = tail_ < n_ ? stride_[tail_] * radix_[0] : 0; state-- > 0;) {
            for (int j = tail_; j < n_; ++j) {
                if (state / stride_[j] % radix_[j - tail_] != 0) continue;
                asked.push_back({static_cast<std::uint32_t>(state), static_cast<std::uint32_t>(stride_[j]),
                                 static_cast<std::uint32_t>(state + n_outcomes(j) * stride_[j]), j});
            }
        }
        tails_.push_back({tail_, radix_, std::move(asked)});
        asked_ = tails_.back().asked;
    }

    // The best question in a state, -1 where stopping is best.
    int choose(std::size_t state, std::uint32_t known, double stop_value) const {
        double best = prices_.must_ask(known) ? INFINITY : stop_value;
        int at = -1;
        for (int j = 0; j < n_; ++j) {
            const double asked = known >> j & 1 ? INFINITY : cost(j, state, known);
            if (asked < slack * best) best = asked, at = j;
        }
        return at;
    }

    void visit(std::size_t state, std::uint32_t known, const std::vector<double>& joint, int parent, int branch,
               std::vector<Visit>& tree, Expected& sum) const {
        const double mass = mass_[state];
        const auto [answer, lost] = problem_->loss.least(joint.data(), mass);
        const int at = choose(state, known, worth_ * lost), here = static_cast<int>(tree.size());
        tree.push_back({parent, branch, at < 0 ? -1 : open_[at], answer, mass});
        if (at < 0) {
            sum.loss += lost;
            sum.accuracy += joint[answer];
            return;
        }
        sum.n_asked += mass;
        sum.price += charge(at, state, known);
        visit_answers(at, state, known, joint, here, tree, sum);
    }

    // What follows each answer about the feature at `at` in a state.
    void visit_answers(int at, std::size_t state, std::uint32_t known, const std::vector<double>& joint, int here,
                       std::vector<Visit>& tree, Expected& sum) const {
        std::vector<double> next(m_);
        for (int k = 0; k < n_outcomes(at); ++k) {
            for (int y = 0; y < m_; ++y) next[y] = joint[y] * row(at, k)[y];
            visit(state + (k + 1) * stride_[at], known | 1U << at, next, here, k, tree, sum);
        }
    }
};

}  // namespace ufodt
