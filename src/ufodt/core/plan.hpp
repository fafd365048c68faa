// How a case is planned: draw theta and hypotheses, then ask, observe, stop and answer.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "case.hpp"
#include "gains.hpp"
#include "lookahead.hpp"

namespace ufodt {

class Plan {
  public:
    Plan(std::shared_ptr<const Problem> problem, Policy policy) : case_(std::move(problem), std::move(policy)) {}

    // Open case number `number` with some features on offer: take theta from the belief. The belief must outlive the
    // plan, or `keep_mean` must follow. With several draws of theta the case is planned under one after the other, each
    // asking until it would stop: a belief that knows little then learns more from a case.
    void begin(const Belief& belief, std::uint64_t seed, std::uint64_t number, const Offer& offered,
               CaseTerms terms = {}, int n_draws = 1) {
        case_.begin(belief, seed, number, offered, std::move(terms), n_draws);
        belief_ = &belief;
        found_what_may_tell_ = false;
        restart();
    }

    // Copy what the plan needs of the belief, so that later learning does not reach this case.
    void keep_mean(const Belief& belief) {
        find_what_may_tell();
        case_.keep_mean(belief);
    }

    // Back to the state right after `begin`: same theta, same random numbers, no evidence.
    void reset() {
        case_.reset();
        restart();
    }

    const Shape& shape() const { return case_.shape(); }
    const Problem& problem() const { return case_.problem(); }
    const Theta& theta() const { return case_.theta(); }
    const Hypotheses& hypotheses() const { return case_.hypotheses(); }
    double spent() const { return case_.purse().spent(); }
    double price(int feature) const { return case_.price(feature); }
    double charge(int feature, int outcome) const { return case_.purse().charge(feature, outcome); }
    double most(int feature) const { return case_.purse().most(feature); }
    bool fits(int feature) const { return case_.purse().fits(feature, case_.budget()); }
    double left() const { return std::max(case_.budget() - spent(), 0.0); }  // of the budget
    bool is_open(int feature) const { return case_.is_open(feature); }
    bool is_duty(int feature) const { return case_.is_duty(feature); }
    bool is_settled(int feature) const { return case_.is_settled(feature); }
    std::span<const int> open_features() const { return case_.open(); }
    const std::vector<double>& cuts(int feature) const { return case_.cuts()[feature]; }
    const std::vector<Reward>& rewards() const { return gains_.rewards(); }

    // What a value of a continuous feature says: its bin, or if it is above the threshold in play; -1: nothing yet.
    int outcome(int feature, double value) {
        const std::vector<double>& cuts = this->cuts(feature);
        if (cuts.empty()) return -1;
        if (!case_.views().has(feature)) return outcome_of(cuts, value);
        const int number = view_number(feature);
        return number < 0 ? -1 : value > cuts[number];
    }

    // The threshold in play for a feature, as a view; -1 where there is none.
    int view(int feature) {
        if (!case_.is_viewed(feature)) return -1;
        if (case_.is_open(feature) && case_.theta().chosen[feature] < 0 && next().feature < 0) {
            gains_.score(case_);  // nothing more is asked, but something may be told
        }
        if (gains_.view(case_, feature) < 0 && !case_.is_open(feature)) gains_.choose_view(case_, feature);
        return gains_.view(case_, feature);
    }
    int view_number(int feature) {
        const int v = view(feature);
        return v < 0 ? -1 : v - case_.views().first(feature);
    }

    // The next question, or one with feature -1; asking again changes nothing.
    const Question& next() {
        if (!decided_) {
            question_ = decide();
            while (question_.feature < 0 && case_.has_another_turn()) {
                case_.take_turn();
                question_ = decide();
            }
            decided_ = true;
        }
        return question_;
    }

    // Settling a feature does the same as asking for one, so that whether a question was asked before it was answered
    // makes no difference to the random numbers, nor to the turn.
    void prepare() {
        if (case_.takes_turns()) next();
        case_.imagine();
    }

    // The features that may be asked now and, where the stop rule weighs cost and benefit, pay.
    std::vector<int> paying() {
        const Question asked = next();
        std::vector<int> features;
        for (Candidate& c : candidates_) {
            const int f = case_.open()[c.at];
            if (lookahead_.pays(case_, c) || (f == asked.feature && !asked.is_to_learn)) features.push_back(f);
        }
        return features;
    }

    // Gain of every open feature by the criterion, in the order of `open_features`.
    void gains(std::vector<double>& gain) {
        next();
        gains_.look(case_, gain);
    }

    // Note an outcome (-1: had, but it tells nothing yet); one that was known from the start is not paid for, and
    // another feature stands in for it. One that was not on offer counts too, by the mean belief, but not among
    // hypotheses drawn once, as the paper's are.
    void observe(int feature, int outcome, bool paid) {
        const bool offered = case_.is_open(feature);
        const int v = view(feature);
        if (paid) {
            if (may_learn()) was_worth_asking_ = next().feature != feature || !question_.is_to_learn;
            prepare();
            case_.pay(feature, outcome);
        }
        case_.observe(feature, outcome, v, offered);
        if (offered && !paid && case_.is_candidate(feature)) open_another();
        decided_ = false;
    }

    // The feature cannot be had, which may have been charged for: it is not asked again in this case and tells nothing.
    // Others stand in for it and for what needs it.
    void skip(int feature, bool charged) {
        const int n_lost = case_.is_open(feature) ? case_.lost_with(feature) : 0;
        prepare();
        if (charged) case_.pay(feature, -1);
        case_.skip(feature);
        for (int i = 0; i < n_lost && open_another(); ++i) {}
        decided_ = false;
    }

    // P(label | evidence) in `p`; returns the label of least expected loss.
    int predict(std::vector<double>& p) const { return case_.predict(p); }
    double trust() const { return case_.trust(); }

    // What each outcome of a feature would lead to, as the answer has it: rows of P(outcome), then P(label | outcome).
    void outlook(int feature, std::vector<double>& table) { case_.outlook(feature, view(feature), table); }

  private:
    Case case_;
    Gains gains_;
    Lookahead lookahead_;
    Candidates candidates_;  // what may be asked
    std::vector<int> bundle_;
    bool decided_ = false, scored_ = false;
    bool must_ = false;  // some of the candidates are duties
    const Belief* belief_ = nullptr;
    std::vector<double> may_tell_;  // of each feature that is little known; of the others 0
    bool found_what_may_tell_ = false;
    bool was_worth_asking_ = false;  // something was paid for, and not to learn
    Question question_;

    bool open_another() {
        const std::vector<int> opened = case_.open_another();
        for (const int f : opened) {
            if (case_.is_viewed(f)) gains_.choose_view(case_, f);
        }
        return !opened.empty();
    }

    void restart() {
        gains_.reset(case_);
        decided_ = was_worth_asking_ = false;
    }

    // What pays under the draw is asked, to learn; then what still pays under the mean belief, by which the answer is
    // given: a draw alone often stops short of that.
    Question decide() {
        case_.think_by_mean(false);
        Question question = decide_in_mind();
        if (question.feature >= 0 || case_.has_another_turn()) return question;
        if (case_.plans_twice()) {
            case_.think_by_mean(true);
            question = decide_in_mind();
        }
        return question.feature < 0 ? something_to_learn() : question;
    }

    // A case that asks nothing teaches nothing. Where labels are rare, no question may seem to pay, under draws
    // neither, though some do: so a share of the loss that is expected goes to learning, on average. Asked is what may
    // tell most about the label, of what is little known.
    bool may_learn() const {
        const Policy& policy = case_.policy();
        return case_.explores() && !case_.takes_turns() && case_.views().size() == 0 && policy.spend_to_learn > 0.0 &&
               policy.stops_by_cost() && !was_worth_asking_ && spent() == 0.0;
    }

    void find_what_may_tell() {
        if (std::exchange(found_what_may_tell_, true) || !may_learn()) return;
        may_tell_ = belief_->promises().most;
        for (int f = 0; f < shape().n_features; ++f) may_tell_[f] *= belief_->is_little_known(f);
    }

    // The best of it that can be had and could pay, if the case is one that spends its price.
    Question something_to_learn() {
        if (!may_learn()) return {};
        find_what_may_tell();
        const double at_stake = lookahead_.at_stake();
        const Candidate* best = nullptr;
        double most = 0.0;
        for (const Candidate& c : candidates_) {
            const double told = may_tell_[case_.open()[c.at]];
            if (c.is_askable && c.price < at_stake && told > most) best = &c, most = told;
        }
        const double drawn = uniform_of(case_.seed(), case_.number());
        if (best == nullptr || drawn * best->price >= case_.policy().spend_to_learn * at_stake) return {};
        score_once();
        Question found = question(*best);
        found.is_to_learn = true;
        return found;
    }

    Question decide_in_mind() {
        const bool must = must_ = list_candidates();
        if (candidates_.empty()) return {};
        scored_ = false;
        lookahead_.reset();
        const std::vector<Stop>& stop = case_.policy().stop;
        const bool weighs = !must || plans_all();  // duties do not stop, but an exact plan says which come first
        std::size_t at = 0;
        if (weighs && !stop.empty() && stops(stop, at) && !must) return {};
        if (lookahead_.foreseen() >= 0) {
            const Candidate& first = candidates_[lookahead_.foreseen()];
            if (!must || is_duty(case_.open()[first.at])) return question(first);
        }
        score_once();
        Candidate* const first = best_candidate(must);
        // While it explores, a criterion may follow its own bent once something pays.
        if (must || case_.policy().plans != Plans::mean) return question(*first);
        for (Candidate* best = first; some_pay(candidates_); best = best_candidate(must)) {
            if (lookahead_.pays(case_, *best)) return question(*best);
            best->pays = false;
        }
        return question(*first);
    }

    // The criterion's best of those that pay, or of all if none does; of duties, one that others do not make cheaper.
    Candidate* best_candidate(bool must) {
        const bool only_paying = some_pay(candidates_);
        Candidate* best = nullptr;
        double best_avoidable = INFINITY, best_rate = -INFINITY;
        for (Candidate& c : candidates_) {
            const int f = case_.open()[c.at];
            if (!c.is_askable || (must ? !is_duty(f) : only_paying && !c.pays)) continue;
            const double avoidable_now = must ? avoidable(f) : 0.0, rate = c.rate(gains_.of_open());
            if (best != nullptr && avoidable_now > best_avoidable) continue;
            const bool is_better = best == nullptr || avoidable_now < best_avoidable || rate > best_rate ||
                                   (rate == best_rate && c.price < best->price);
            if (is_better) best = &c, best_avoidable = avoidable_now, best_rate = rate;
        }
        return best;
    }

    bool plans_all() const { return case_.policy().lookahead >= Optimal::max_states; }

    Question question(const Candidate& c) const { return {case_.open()[c.at], c.price, gains_.of_open()[c.at]}; }

    void score_once() {
        if (!scored_) gains_.score(case_);
        scored_ = true;
    }

    // What a mandatory feature costs more now than after the others: what the first of its group costs more than a
    // later one. What can be computed then comes last.
    double avoidable(int feature) const {
        const Purse& purse = case_.purse();
        const std::vector<int>& inputs = problem().computed_from[feature];
        const auto will_be_known = [&](int f) { return purse.is_known(f) || (case_.is_open(f) && is_duty(f)); };
        if (!inputs.empty() && std::all_of(inputs.begin(), inputs.end(), will_be_known))
            return case_.price(feature) > 0.0 ? INFINITY : 0.0;
        const std::vector<int>& open = case_.open();
        const auto shares = [&](int f) {
            return f != feature && problem().group[f] == problem().group[feature] && is_duty(f);
        };
        return std::any_of(open.begin(), open.end(), shares) ? purse.extra(feature) : 0.0;
    }

    // What may be asked now or later and at what price; nothing where nothing may be asked now. Returns whether
    // some of it are duties.
    bool list_candidates() {
        const std::vector<int>& open = case_.open();
        const Purse& purse = case_.purse();
        const double budget = case_.budget();
        candidates_.resize(open.size());
        if (const double* const prices = purse.plain_prices(budget)) {
            for (std::size_t i = 0; i < open.size(); ++i) candidates_[i] = {i, prices[open[i]]};
            return false;
        }
        // Where the plan has an eye for it, what is cheaper after its inputs or another of its group waits for these;
        // one that sees all features knows by itself, and a criterion alone would never ask what tells nothing.
        const bool takes_detours =
            case_.policy().uses(Stop::Kind::cost_benefit) && !case_.policy().greedy && !plans_all();
        const bool must =
            std::any_of(open.begin(), open.end(), [&](int f) { return is_duty(f) && purse.askable(f, budget); });
        bool some = false;
        std::size_t n = 0;
        for (std::size_t i = 0; i < open.size(); ++i) {
            const int f = open[i];
            if (purse.askable(f, budget)) {
                const bool may_wait =
                    takes_detours && !is_duty(f) && (!problem().computed_from[f].empty() || purse.extra(f) > 0.0);
                const double price = case_.price(f), detour = may_wait ? case_.bundle(f, bundle_) : price;
                if (detour < price && bundle_.size() > 1) candidates_[n++] = {i, detour, false};
                else candidates_[n++] = {i, price};
                some = true;
            } else if (must && !plans_all()) {
                continue;  // no plan is made before the duties are done
            } else if (const double price = case_.bundle(f, bundle_); price < INFINITY) {
                candidates_[n++] = {i, price, false};
            } else if (plans_all() &&
                       std::all_of(bundle_.begin(), bundle_.end(), [&](int each) { return case_.is_open(each); })) {
                candidates_[n++] = {i, case_.price(f), false};  // some order may make it cheap enough
            }
        }
        candidates_.resize(some ? n : 0);
        return must;
    }

    // Evaluates the stop rule that starts at `at` in prefix order and moves `at` behind it.
    bool stops(const std::vector<Stop>& rules, std::size_t& at) {
        const Stop rule = rules[at++];
        switch (rule.kind) {
            case Stop::Kind::region: case_.survey(); return case_.hypotheses().n_regions() <= 1;
            case Stop::Kind::confidence: return case_.confidence() >= rule.value;
            case Stop::Kind::budget: {
                const std::vector<int>& open = case_.open();
                return std::none_of(open.begin(), open.end(), [&](int f) { return case_.purse().fits(f, rule.value); });
            }
            case Stop::Kind::cost_benefit: return !worth_asking(rule.value);
            case Stop::Kind::any:
            case Stop::Kind::all: break;
        }
        bool any = false, all = true;
        for (int i = 0; i < rule.n_children; ++i) {
            const bool child = stops(rules, at);
            any |= child;
            all &= child;
        }
        return rule.kind == Stop::Kind::any ? any : all;
    }

    // Whether some question pays under theta, alone or in a plan. A greedy planner asks the criterion's best of those
    // that pay, else the plan's first is asked.
    bool worth_asking(double worth) {
        const Policy& policy = case_.policy();
        case_.weigh_labels();
        if (!lookahead_.some_could_pay(case_, candidates_, worth) && !must_) return false;
        if (!case_.in_mind().is_in_play) {
            score_once();
            lookahead_.look_through(case_, gains_);
        }
        if (policy.greedy && lookahead_.some_answer_pays(case_, candidates_)) return true;
        if (policy.lookahead == 0 || !lookahead_.some_plan_could_pay(case_, candidates_)) return false;
        // A criterion over hypotheses may prefer what says nothing about the label. Where it only chooses between what
        // pays, whether anything does is looked for among what tells most.
        const bool by_criterion = !policy.greedy || reads(policy.criterion) == Reads::labels;
        if (by_criterion) score_once();
        return lookahead_.some_plan_pays(case_, by_criterion ? gains_.of_open() : gains_.told(case_), candidates_);
    }
};

}  // namespace ufodt
