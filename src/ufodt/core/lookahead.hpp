// Which questions pay: what the answer saves, in loss, exceeds its price, alone or as the first of the best plan over
// the most promising questions, each asked only where it pays.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>
#include <vector>

#include "case.hpp"
#include "gains.hpp"
#include "optimal.hpp"

namespace ufodt {

// A feature that may be asked now, or only once others are bought.
struct Candidate {
    std::size_t at;  // in the open features
    double price;    // with those that are to be bought first
    bool is_askable = true;
    bool pays = true;  // by a stop rule that weighs cost and benefit
    bool looked_at = false;
    bool is_unsure = false;  // whether it pays was not worked out: ask `Lookahead::is_sure_to_pay`

    // Gain per price, by the gains of the open features; without a division where prices are 1, as they often are.
    double rate(const std::vector<double>& gain) const {
        return price == 1.0 ? gain[at] : gain[at] / std::max(price, 1e-300);
    }
};
using Candidates = std::vector<Candidate>;

inline bool some_pay(const Candidates& candidates) {
    return std::any_of(candidates.begin(), candidates.end(), [](const Candidate& c) { return c.pays; });
}

class Lookahead {
  public:
    // A question is to be decided; nothing has been weighed for it.
    void reset() {
        weighed_ = false;
        foreseen_ = -1;
        at_stake_ = 0.0;
    }

    // What the answer of now is expected to lose, at the least worth that it was weighed by; 0: it was not.
    double at_stake() const { return at_stake_; }

    // Of the candidates, the first question of the best plan; -1: none was looked for.
    int foreseen() const { return foreseen_; }

    // Begin to weigh, at the worth of one unit of loss; returns whether the best that an answer could do would pay.
    bool some_could_pay(const Case& now, Candidates& candidates, double worth) {
        const double at_stake = worth * now.problem().loss.whole(loss_now(now), 1.0);
        at_stake_ = weighed_ ? std::min(at_stake_, at_stake) : at_stake;
        worth_ = worth;
        weighed_ = true;
        foreseen_ = -1;
        p_ = now.in_mind().p.data();
        double highest_price = 0.0;
        lowest_price_ = INFINITY;
        has_one_price_ = true;
        for (Candidate& c : candidates) {
            if (c.is_askable) lowest_price_ = std::min(lowest_price_, c.price);
            highest_price = std::max(highest_price, c.price);
            has_one_price_ &= c.is_askable;
            c.pays = c.looked_at = c.is_unsure = false;
        }
        has_one_price_ &= lowest_price_ == highest_price;
        return !(lowest_price_ >= at_stake && at_stake > 0.0);
    }

    // Features with thresholds are looked at through those that the criterion found best.
    void look_through(const Case& now, const Gains& gains) {
        const Theta& theta = now.in_mind();
        const Shape& shape = now.shape();
        const int m = shape.n_labels;
        p_in_play_ = theta.p;
        for (const int f : now.open()) {
            if (!now.is_viewed(f)) continue;
            const double* above = theta.view.data() + static_cast<std::size_t>(gains.view(now, f)) * m;
            double* p = p_in_play_.data() + shape.cell(shape.row(f), 0);
            for (int y = 0; y < m; ++y) p[y] = 1.0 - above[y], p[m + y] = above[y];
        }
        p_ = p_in_play_.data();
    }

    // Whether some answer pays alone, and which. At one price for all the first will do; whether those behind it pay is
    // worked out for the one that the criterion chooses.
    bool some_answer_pays(const Case& now, Candidates& candidates) {
        const double before = loss_now(now);
        bool any = false;
        with_number(now.shape().n_labels, [&](auto m) {
            for (Candidate& c : candidates) {
                c.is_unsure = any && has_one_price_;
                c.pays = c.is_unsure || (c.is_askable && pays_alone(now, c, before, m));
                any |= c.pays;
            }
        });
        return any;
    }

    // Settles whether a candidate pays alone, where that was left open.
    bool is_sure_to_pay(const Case& now, Candidate& c) {
        if (std::exchange(c.is_unsure, false)) c.pays = pays_alone(now, c, loss_now(now), now.shape().n_labels);
        return c.pays;
    }

    // Whether some question could pay as the first of a plan, were the next one to tell the label: after every answer a
    // plan stops or pays at least the lowest price once more.
    bool some_plan_could_pay(const Case& now, const Candidates& candidates) {
        const bool prices_may_fall = now.purse().plain_prices(now.budget()) == nullptr;
        if (prices_may_fall) return true;
        const double before = worth_ * now.problem().loss.whole(loss_now(now), 1.0);
        return with_number(now.shape().n_labels, [&](auto m) {
            return std::any_of(candidates.begin(), candidates.end(), [&](const Candidate& c) {
                return c.price + least_after(now, now.open()[c.at], m) < before;
            });
        });
    }

    // Whether some question pays as the first of a plan over the most promising ones by their gains, and which. A
    // greedy planner leaves the choice between them to the criterion, else the best plan's is foreseen.
    bool some_plan_pays(const Case& now, const std::vector<double>& gain, Candidates& candidates) {
        const Policy& policy = now.policy();
        choose_promising(now, gain, candidates);
        optimal_.solve(now.problem(), p_, now.posterior(), features_, now.purse(), worth_, now.budget());
        const double stop = slack * optimal_.stop_value();
        double best = stop;
        bool any = false;
        for (std::size_t i = 0; i < promising_.size(); ++i) {
            Candidate& c = candidates[promising_[i]];
            const double cost = optimal_.ask_value(static_cast<int>(i));
            c.pays = cost < stop;
            any |= c.pays;
            if (cost < best && !policy.greedy) best = slack * cost, foreseen_ = static_cast<int>(promising_[i]);
        }
        return some_bundle_pays(now, candidates, stop, best) || any;
    }

    // Whether a candidate pays itself: alone or, where it was looked ahead at, as the first of a plan that would be
    // dearer without it. To begin with what tells nothing may be better than to stop, if the rest of the plan is good;
    // that does not count.
    bool pays(const Case& now, Candidate& c) {
        if (!c.is_askable) return false;
        if (c.looked_at) return c.pays && (saves(now, c) || is_missed(now, now.open()[c.at]));
        return is_sure_to_pay(now, c) || (weighed_ && saves(now, c));
    }

  private:
    static constexpr double slack = 1.0 - 1e-9;  // rounding alone is no reason to ask
    bool weighed_ = false, has_one_price_ = false;
    double worth_ = 1.0;  // of one unit of loss, by the stop rule that weighs it
    double lowest_price_ = 0.0, at_stake_ = 0.0;
    int foreseen_ = -1;
    std::size_t max_states_ = 0;          // to look ahead over
    std::vector<std::size_t> promising_;  // of the candidates: those looked ahead at
    std::vector<int> features_;           // the same, as features
    std::vector<int> together_;           // one of them with what is to be bought first
    std::vector<double> rate_, surplus_;  // per candidate: gain per price, and less it; -inf once chosen
    Optimal optimal_, without_;           // the best plan, and one without its first question
    std::vector<Visit> nodes_;            // of a plan behind its first question
    std::vector<int> others_;             // what is asked there
    const double* p_ = nullptr;           // P(outcome | label), as plans read it: the theta in mind, or
    std::vector<double> p_in_play_;       // the same with thresholds as they are in play
    std::vector<double> joint_;

    template <class Number>
    bool pays_alone(const Case& now, const Candidate& c, double before, Number m) {
        return worth_ * (before - loss_after(now, now.open()[c.at], m)) > c.price + (1.0 - slack) * at_stake_;
    }

    // Whether the answer about a candidate alone saves its price.
    bool saves(const Case& now, const Candidate& c) { return slack * saved_by(now, now.open()[c.at]) > c.price; }

    // Whether the best plan that begins with a feature, one of those looked ahead at, would be dearer without it: than
    // the best over its other questions.
    bool is_missed(const Case& now, int feature) {
        const int at = static_cast<int>(std::find(features_.begin(), features_.end(), feature) - features_.begin());
        nodes_.clear();
        optimal_.visit_after(at, nodes_);
        others_.clear();
        for (const int f : features_) {
            if (std::any_of(nodes_.begin(), nodes_.end(), [f](const Visit& node) { return node.feature == f; }))
                others_.push_back(f);
        }
        without_.solve(now.problem(), p_, now.posterior(), others_, now.purse(), worth_, now.budget());
        double best = without_.stop_value();
        for (std::size_t i = 0; i < others_.size(); ++i) best = std::min(best, without_.ask_value(static_cast<int>(i)));
        return optimal_.ask_value(at) < slack * best;
    }

    // What the answer about a feature alone is expected to save.
    double saved_by(const Case& now, int f) {
        return worth_ * (loss_now(now) - loss_after(now, f, now.shape().n_labels));
    }

    // What must be known before a feature may be asked may be too much to look ahead over. Then it is weighed as one
    // question with the feature, as if it told nothing itself.
    bool some_bundle_pays(const Case& now, Candidates& candidates, double stop, double best) {
        bool any = false;
        for (const Candidate& c : candidates) {
            if (c.is_askable || c.looked_at) continue;
            const int f = now.open()[c.at];
            const double cost = stop - saved_by(now, f) + c.price;
            if (!(cost < slack * stop)) continue;
            bundle(now, c);
            for (const int each : together_) {
                const std::size_t at = place_of(now, candidates, each);
                if (at == candidates.size() || !candidates[at].is_askable) continue;
                candidates[at].pays = any = true;
                if (cost < best && !now.policy().greedy) best = slack * cost, foreseen_ = static_cast<int>(at);
            }
        }
        return any;
    }

    // As many candidates as can be looked ahead over: in turn the one of the highest gain per price, and the one whose
    // gain leaves most after its price, so that neither many cheap questions nor a dear decisive one go unseen. Where
    // prices differ, that takes twice as many states.
    void choose_promising(const Case& now, const std::vector<double>& gain, Candidates& candidates) {
        promising_.clear();
        features_.clear();
        rank(now, gain, candidates);
        max_states_ = std::min((has_one_price_ ? 1 : 2) * now.policy().lookahead, Optimal::max_states);
        std::size_t n_states = 1, n_passed = 0;
        while (promising_.size() + n_passed < candidates.size()) {
            const std::size_t found = first_of(has_one_price_ || promising_.size() % 2 == 0 ? rate_ : surplus_);
            const bool is_askable = candidates[found].is_askable;
            bundle(now, candidates[found]);
            const std::size_t n_then = n_states_with(now, n_states);
            const bool is_too_much = takes_too_long(now, n_then);
            if (is_askable && is_too_much && !promising_.empty()) return;
            if (!is_askable && (is_too_much || !all_listed(now, candidates))) {
                rate_[found] = surplus_[found] = -INFINITY;
                ++n_passed;
                continue;
            }
            n_states = n_then;
            for (const int each : together_) {
                if (is_promising(each)) continue;
                const std::size_t i = is_askable ? found : place_of(now, candidates, each);
                rate_[i] = surplus_[i] = -INFINITY;
                candidates[i].looked_at = true;
                promising_.push_back(i);
                features_.push_back(each);
            }
        }
    }

    // Whether to look ahead over so many states is too much, by how long it takes: each is weighed for every label and,
    // where mistakes differ, every answer. A few are looked at all the same, and more where labels are very many: one
    // answer tells little of them, so that none would pay alone.
    bool takes_too_long(const Case& now, std::size_t n_states) const {
        const auto m = static_cast<std::size_t>(now.shape().n_labels);
        const std::size_t few = std::min((has_one_price_ ? 1 : 2) * Policy().lookahead, max_states_);
        const std::size_t n_at_least = std::bit_width(m) / 2;
        const bool sees_all = max_states_ == Optimal::max_states, is_uniform = now.problem().loss.is_uniform;
        if (n_states > max_states_) return true;
        if (n_states * m * (is_uniform || sees_all ? 1 : m) <= 4 * max_states_) return false;
        return n_states > few || (n_states * m > 4 * few && promising_.size() >= n_at_least);
    }

    // Gain per price of every candidate, and what its gain leaves after its price, where prices differ.
    void rank(const Case& now, const std::vector<double>& gain, const Candidates& candidates) {
        const std::vector<double>& losses = now.problem().loss.of;
        const double most_lost = worth_ * *std::max_element(losses.begin(), losses.end());
        rate_.resize(candidates.size());
        surplus_.resize(candidates.size());
        for (std::size_t i = 0; i < candidates.size(); ++i) {
            const Candidate& c = candidates[i];
            rate_[i] = has_one_price_ ? gain[c.at] : c.rate(gain);
            if (!has_one_price_) surplus_[i] = most_lost * gain[c.at] - c.price;
        }
    }

    // The first of the highest. Candidates may be many: behind the first part, few hold one that is higher than all
    // before.
    static std::size_t first_of(const std::vector<double>& merit) {
        constexpr std::size_t n_part = 32;
        double best = -INFINITY;
        std::size_t found = 0;
        for (std::size_t from = 0; from < merit.size(); from += n_part) {
            const std::size_t to = std::min(from + n_part, merit.size());
            bool is_higher = from == 0;
            for (std::size_t i = from; from > 0 && i < to; ++i) is_higher |= merit[i] > best;
            for (std::size_t i = from; is_higher && i < to; ++i) {
                found = merit[i] > best ? i : found;
                best = std::max(best, merit[i]);
            }
        }
        return found;
    }

    // A candidate with what is to be bought first, in `together_`.
    void bundle(const Case& now, const Candidate& c) {
        const int f = now.open()[c.at];
        if (c.is_askable) together_.assign(1, f);
        else now.bundle(f, together_);
    }

    // States to look ahead over once the bundle is added, or more than are allowed.
    std::size_t n_states_with(const Case& now, std::size_t n_states) const {
        for (const int each : together_) {
            if (n_states <= max_states_ && !is_promising(each))
                n_states *= static_cast<std::size_t>(now.shape().n_outcomes(each)) + 1;
        }
        return n_states;
    }

    // Whether all of the bundle are candidates: one whose price falls with another's may still be beyond the budget.
    bool all_listed(const Case& now, const Candidates& candidates) const {
        return std::all_of(together_.begin(), together_.end(),
                           [&](int f) { return place_of(now, candidates, f) < candidates.size(); });
    }

    bool is_promising(int feature) const {
        return std::find(features_.begin(), features_.end(), feature) != features_.end();
    }

    static std::size_t place_of(const Case& now, const Candidates& candidates, int feature) {
        const auto is_it = [&](const Candidate& c) { return now.open()[c.at] == feature; };
        return std::find_if(candidates.begin(), candidates.end(), is_it) - candidates.begin();
    }

    // Expected loss of the best answer now, up to the same constant as `loss_after`.
    static double loss_now(const Case& now) { return now.problem().loss.best(now.posterior().data()).second; }

    // Expected loss of the best answer once a feature is known, up to a constant. `m` is the number of labels.
    template <class Number>
    double loss_after(const Case& now, int feature, Number m) {
        return sum_after(now, feature, m, [](double loss, double) { return loss; });
    }

    // The least that a plan costs once a feature is known: after each outcome it stops or asks at least once more.
    template <class Number>
    double least_after(const Case& now, int feature, Number m) {
        const Loss& losses = now.problem().loss;
        return sum_after(now, feature, m, [&](double loss, double mass) {
            return std::min(worth_ * losses.whole(loss, mass), lowest_price_ * mass);
        });
    }

    // Sum over the outcomes of a feature of what comes of the best answer's loss and the outcome's chance. Inlined,
    // since a call for each candidate would show.
    template <class Number, class Term>
    [[gnu::always_inline]] double sum_after(const Case& now, int feature, Number m, Term term) {
        const Shape& shape = now.shape();
        const Loss& loss = now.problem().loss;
        const int first = shape.row(feature), last = shape.row(feature + 1);
        const double *const posterior = now.posterior().data(), *p = p_ + first * m;
        double sum = 0.0;
        if (loss.is_uniform) {
            for (int row = first; row < last; ++row, p += m) {
                double most = 0.0, mass = 0.0;
                for (int y = 0; y < m; ++y) most = std::max(most, posterior[y] * p[y]), mass += posterior[y] * p[y];
                sum += term(-loss.mistake * most, mass);
            }
            return sum;
        }
        joint_.resize(m);
        for (int row = first; row < last; ++row, p += m) {
            double mass = 0.0;
            for (int y = 0; y < m; ++y) mass += joint_[y] = posterior[y] * p[y];
            sum += term(loss.best(joint_.data()).second, mass);
        }
        return sum;
    }
};

}  // namespace ufodt
