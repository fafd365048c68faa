// One case: draw theta and hypotheses, then ask, observe, stop and answer.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "belief.hpp"
#include "criteria.hpp"
#include "hypotheses.hpp"
#include "optimal.hpp"
#include "policy.hpp"
#include "purse.hpp"

namespace ufodt {

class Plan {
  public:
    Plan(std::shared_ptr<const Problem> problem, Policy policy) : problem_(std::move(problem)), policy_(std::move(policy)) {
        if (policy_.needs_hypotheses()) hypotheses_.resize(shape(), policy_.n_hypotheses);
    }
    Plan(const Plan&) = delete;  // hypotheses point at this plan's theta
    Plan& operator=(const Plan&) = delete;

    // Open case number `number` with some features on offer: take theta from the belief. The belief must outlive the
    // plan, or `keep_mean` must follow. With several draws of theta the case is planned under one after the other, each
    // asking until it would stop: a belief that knows little then learns more from a case.
    void begin(const Belief& belief, std::uint64_t seed, std::uint64_t number, const std::vector<int>& offered, CaseTerms terms = {}, int n_draws = 1) {
        seed_ = seed;
        number_ = number;
        offered_ = offered;
        purse_.take(*problem_, std::move(terms));
        random_.reseed(seed, 2 * number);
        if (policy_.plan_mean) belief.mean(offered_, theta_);
        else belief.draw(random_, offered_, theta_);
        const bool draws_more = !policy_.plan_mean && !policy_.predict_theta && belief.views().size() == 0;
        other_.resize(draws_more ? n_draws - 1 : 0);
        turn_ = 0;
        for (Theta& theta : other_) belief.draw(random_, offered_, theta);
        if (policy_.needs_hypotheses()) hypotheses_.set_theta(theta_, offered_);
        mean_ = &belief.log_mean();
        cuts_ = &belief.cuts();
        views_ = &belief.views();
        exponent_ = belief.temper().exponent();
        plans_twice_ = policy_.plans_twice() && views_->size() == 0;  // the threshold in play belongs to one theta
        if (plans_twice_) belief.mean(offered_, mean_theta_);
        reset();
    }

    // Copy what the plan needs of the belief, so that later learning does not reach this case.
    void keep_mean() {
        own_mean_ = *mean_;
        own_cuts_ = *cuts_;
        own_views_ = *views_;
        mean_ = &own_mean_;
        cuts_ = &own_cuts_;
        views_ = &own_views_;
    }

    // Back to the state right after `begin`: same theta, same random numbers, no evidence.
    void reset() {
        const int n = shape().n_features, m = shape().n_labels;
        random_.reseed(seed_, 2 * number_ + 1);
        if (turn_ > 0) {
            while (turn_ > 0) std::swap(theta_, other_[--turn_]);
            if (policy_.needs_hypotheses()) hypotheses_.set_theta(theta_, offered_);
        }
        told_.clear();
        open_ = offered_;
        is_open_.assign(n, 0);
        for (const int f : open_) is_open_[f] = 1;
        is_settled_.assign(n, 0);
        purse_.reset();
        log_theta_.resize(m);
        for (int y = 0; y < m; ++y) log_theta_[y] = std::log(theta_.label[y]);
        log_mean_ = mean_->label;
        if (plans_twice_) log_trusting_ = log_mean_;
        by_mean_ = plans_twice_;
        if (views_->size() > 0) view_ = theta_.chosen;
        rewards_.clear();
        drawn_ = decided_ = surveyed_ = false;
    }

    const Shape& shape() const { return problem_->shape; }
    const Problem& problem() const { return *problem_; }
    const Policy& policy() const { return policy_; }
    const Theta& theta() const { return theta_; }
    const Hypotheses& hypotheses() const { return hypotheses_; }
    double spent() const { return purse_.spent(); }
    bool is_open(int feature) const { return is_open_[feature]; }
    bool is_settled(int feature) const { return is_settled_[feature]; }
    std::span<const int> open_features() const { return open_; }

    // What asking the feature costs now, with what its outcome is expected to add.
    double price(int feature) const {
        double sum = purse_.price(feature);
        if (problem_->surcharge.empty() || sum == 0.0) return sum;
        std::vector<double> p;
        posterior(log_in_mind(), p);
        for (int row = shape().row(feature); row < shape().row(feature + 1); ++row) {
            for (int y = 0; y < shape().n_labels; ++y) sum += p[y] * in_mind().p[shape().cell(row, y)] * problem_->surcharge[row];
        }
        return sum;
    }

    // What a value of a continuous feature says: its bin, or whether it lies above the threshold in play; -1: nothing yet.
    int outcome(int feature, double value) {
        const std::vector<double>& cuts = (*cuts_)[feature];
        if (cuts.empty()) return -1;
        if (!views_->has(feature)) return outcome_of(cuts, value);
        const int number = view_number(feature);
        return number < 0 ? -1 : value > cuts[number];
    }

    // The threshold in play for a feature, as a view; -1 where there is none.
    int view(int feature) {
        if (!views_->has(feature) || (*cuts_)[feature].empty()) return -1;
        if (is_open_[feature] && views_->settings().mode == Thresholds::exhaustive && next().feature < 0) {
            score_open(gain_);  // nothing more is asked, but something may be told
        }
        return view_[feature];
    }
    int view_number(int feature) {
        const int v = view(feature);
        return v < 0 ? -1 : v - views_->first(feature);
    }
    const std::vector<double>& cuts(int feature) const { return (*cuts_)[feature]; }

    // Exp3's gains of this case, one for every feature that was on offer when it was first scored.
    const std::vector<Reward>& rewards() const { return rewards_; }

    // The next question, or one with feature -1; asking again changes nothing.
    const Question& next() {
        if (!decided_) {
            question_ = decide();
            while (question_.feature < 0 && turn_ < other_.size()) {
                take_turn();
                question_ = decide();
            }
            decided_ = true;
        }
        return question_;
    }

    // Settling a feature does the same as asking for one, so that whether a question was asked before it was answered
    // makes no difference to the random numbers, nor to the turn.
    void prepare() {
        if (!other_.empty()) next();
        imagine();
    }

    // The features that may be asked now and, where the stop rule weighs cost and benefit, pay.
    std::vector<int> paying() {
        next();
        std::vector<int> features;
        for (const Candidate& c : candidates_) {
            const bool alone = weighed_ && !c.looked_at && worth_ * (loss_now() - loss_after(open_[c.at])) > c.price;
            if (c.pays || alone) features.push_back(open_[c.at]);
        }
        return features;
    }

    // Gain of every open feature by the criterion, in the order of `open_features`.
    void gains(std::vector<double>& gain) {
        next();
        const std::vector<int> in_play = view_;  // looking does not move a threshold
        score(policy_.criterion, gain);
        view_ = in_play;
    }

    // Note an outcome (-1: had, but it tells nothing yet); one that was known from the start is not paid for. A feature
    // that was not on offer informs the answer, but not the plan.
    void observe(int feature, int outcome, bool paid) {
        const bool offered = is_open_[feature];
        const int v = view(feature);
        if (paid) {
            prepare();
            purse_.pay(feature, outcome);
        }
        if (outcome >= 0) {
            const int m = shape().n_labels, cell = shape().cell(shape().row(feature) + outcome, 0);
            const double* seen = v >= 0 ? theta_.view.data() + static_cast<std::size_t>(v) * m : nullptr;
            const double* mean = v >= 0 ? views_->log_mean(v, outcome) : nullptr;
            for (int y = 0; y < m; ++y) {
                if (offered) log_theta_[y] += seen ? std::log(std::max(outcome ? seen[y] : 1.0 - seen[y], 1e-300)) : static_cast<double>(theta_.log_p[cell + y]);
                const double told = mean ? mean[y] : mean_->outcome[cell + y] - mean_->total[feature * m + y];
                log_mean_[y] += exponent_ * told;
                if (plans_twice_ && offered) log_trusting_[y] += told;
            }
            if (drawn_ && offered) hypotheses_.observe(feature, outcome);
            if (!other_.empty() && offered) told_.push_back(cell);
        }
        purse_.know(feature);
        close(feature);
    }

    // The feature cannot be had, which may have been charged for: it is never asked again in this case and tells nothing.
    void skip(int feature, bool charged) {
        prepare();
        if (charged) purse_.pay(feature, -1);
        close(feature);
        if (policy_.redraw_below > 0) drawn_ = false;  // survivors still imagine its outcome
    }

    // P(label | evidence) in `p`; returns the label of least expected loss.
    int predict(std::vector<double>& p) const {
        posterior(policy_.predict_theta ? log_theta_ : log_mean_, p);
        return problem_->loss.best(p.data()).first;
    }

    // What each outcome of a feature would lead to, by the mean belief: rows of P(outcome), then P(label | outcome).
    void outlook(int feature, std::vector<double>& table) const {
        const int m = shape().n_labels, n_outcomes = shape().n_outcomes(feature);
        std::vector<double> now;
        posterior(policy_.predict_theta ? log_theta_ : log_mean_, now);
        const bool viewed = views_->has(feature) && view_[feature] >= 0;
        table.assign(static_cast<std::size_t>(n_outcomes) * (m + 1), 0.0);
        for (int k = 0; k < n_outcomes; ++k) {
            double* row = table.data() + static_cast<std::size_t>(k) * (m + 1);
            const int cell = shape().cell(shape().row(feature) + k, 0);
            double sum = 0.0;
            for (int y = 0; y < m; ++y) {
                const double p = viewed                   ? std::exp(views_->log_mean(view_[feature], k)[y])
                                 : policy_.predict_theta ? theta_.p[cell + y]
                                                          : std::exp(mean_->outcome[cell + y] - mean_->total[feature * m + y]);
                row[0] += now[y] * p;
                sum += row[y + 1] = now[y] * (exponent_ == 1.0 ? p : std::pow(p, exponent_));
            }
            for (int y = 0; y < m && sum > 0.0; ++y) row[y + 1] /= sum;
        }
    }

  private:
    std::shared_ptr<const Problem> problem_;
    Policy policy_;
    std::uint64_t seed_ = 0, number_ = 0;
    Random random_{0, 0};
    Theta theta_, mean_theta_;          // drawn for the case, or the mean; the mean, where both are planned under
    std::vector<Theta> other_;          // more draws, to take turns with
    std::size_t turn_ = 0;
    std::vector<int> told_;             // first cells of the outcomes told, where there are more draws
    bool plans_twice_ = false;          // ask what pays under the mean belief first, then what pays under theta
    bool by_mean_ = false;              // the question of now is decided under the mean belief
    Hypotheses hypotheses_;
    const LogMean* mean_ = nullptr;
    const Cuts* cuts_ = nullptr;
    const Views* views_ = nullptr;
    LogMean own_mean_;
    Cuts own_cuts_;
    Views own_views_;
    Purse purse_;
    std::vector<int> offered_, open_;   // features on offer at first, and those that may still be asked, in index order
    std::vector<std::uint8_t> is_open_, is_settled_;  // on offer and not settled; told or skipped
    std::vector<int> view_;             // per feature: the threshold in play
    std::vector<Reward> rewards_;
    double exponent_ = 1.0;             // of the likelihood under the mean belief: how far several answers are trusted
    std::vector<double> log_theta_, log_mean_;  // log P(label, evidence) under theta and under the mean belief
    std::vector<double> log_trusting_;          // the latter trusted in full, as planning does
    bool drawn_ = false, decided_ = false;
    Question question_;
    struct Candidate {
        std::size_t at;  // in open_
        double price;
        bool pays = true;  // by a stop rule that weighs cost and benefit
        bool looked_at = false;
    };
    std::vector<Candidate> candidates_;  // what may be asked now
    std::vector<std::size_t> promising_; // of the candidates: those looked ahead at
    std::vector<int> promising_features_;
    Optimal optimal_;
    std::vector<double> p_in_play_;      // P(outcome | label) as the look-ahead reads it
    bool surveyed_ = false, scored_ = false, weighed_ = false, has_one_price_ = false;
    double worth_ = 1.0;                 // of one unit of loss, by the stop rule that weighs it
    int foreseen_ = -1;                  // of the candidates: the first question of the best plan that was looked at
    std::vector<double> gain_, posterior_, joint_;
    std::vector<Part> parts_;
    std::vector<Mixture> mixtures_;
    Mixture whole_;                      // all survivors, as region information reads them

    // Draw hypotheses if there are none yet or too few survive.
    void imagine() {
        if (!policy_.needs_hypotheses() || open_.empty()) return;
        const bool few = hypotheses_.n_alive() < std::min(policy_.redraw_below, hypotheses_.n_drawn());
        if (drawn_ && !few) return;
        posterior(log_theta_, posterior_);
        if (policy_.distinct) {
            hypotheses_.draw_distinct(random_, posterior_, open_, problem_->loss);
        } else {
            hypotheses_.draw(random_, posterior_, open_, problem_->loss);
        }
        drawn_ = true;
    }

    // Go on under the next theta, given what was told so far.
    void take_turn() {
        std::swap(theta_, other_[turn_++]);
        const int m = shape().n_labels;
        for (int y = 0; y < m; ++y) {
            log_theta_[y] = std::log(theta_.label[y]);
            for (const int cell : told_) log_theta_[y] += static_cast<double>(theta_.log_p[cell + y]);
        }
        if (policy_.needs_hypotheses()) hypotheses_.set_theta(theta_, offered_);
        drawn_ = surveyed_ = false;
    }

    void close(int feature) {
        if (is_open_[feature]) open_.erase(std::lower_bound(open_.begin(), open_.end(), feature));
        is_open_[feature] = 0;
        is_settled_[feature] = 1;
        decided_ = surveyed_ = false;
    }

    static void posterior(const std::vector<double>& log_p, std::vector<double>& p) {
        const double top = *std::max_element(log_p.begin(), log_p.end());
        double sum = 0.0;
        p.resize(log_p.size());
        for (std::size_t y = 0; y < p.size(); ++y) sum += p[y] = std::exp(log_p[y] - top);
        for (double& x : p) x /= sum;
    }

    // What may be asked now and at what price; returns whether something mandatory is among it.
    bool list_candidates() {
        candidates_.resize(open_.size());
        if (const double* const prices = purse_.plain_prices(policy_.budget)) {
            for (std::size_t i = 0; i < open_.size(); ++i) candidates_[i] = {i, prices[open_[i]]};
            return false;
        }
        bool must = false;
        std::size_t n = 0;
        for (std::size_t i = 0; i < open_.size(); ++i) {
            const int f = open_[i];
            if (!purse_.askable(f, policy_.budget)) continue;
            candidates_[n++] = {i, price(f)};
            must |= problem_->mandatory[f] != 0;
        }
        candidates_.resize(n);
        return must;
    }

    const Theta& in_mind() const { return by_mean_ ? mean_theta_ : theta_; }
    const std::vector<double>& log_in_mind() const { return by_mean_ ? log_trusting_ : log_theta_; }

    // The answer is given under the mean belief, so what pays there is asked; a draw alone would often stop short of it.
    // What pays under the draw beyond that is asked to learn.
    Question decide() {
        by_mean_ = plans_twice_;
        const Question first = decide_in_mind();
        if (!by_mean_ || (first.feature >= 0 && (!weighed_ || some_pay()))) return first;
        by_mean_ = false;
        return decide_in_mind();
    }

    bool some_pay() const {
        return std::any_of(candidates_.begin(), candidates_.end(), [](const Candidate& c) { return c.pays; });
    }

    Question decide_in_mind() {
        const bool must = list_candidates();
        if (candidates_.empty()) return {};
        scored_ = weighed_ = surveyed_ = false;
        foreseen_ = -1;
        std::size_t at = 0;
        if (!must && !policy_.stop.empty() && stops(at)) return {};
        if (foreseen_ >= 0) return question(candidates_[foreseen_]);
        score_once();
        const bool only_paying = some_pay();
        const Candidate* best = nullptr;
        for (const Candidate& c : candidates_) {
            if (must ? !problem_->mandatory[open_[c.at]] : only_paying && !c.pays) continue;
            if (best == nullptr || rate(c) > rate(*best) || (rate(c) == rate(*best) && c.price < best->price)) best = &c;
        }
        return question(*best);
    }

    Question question(const Candidate& c) const { return {open_[c.at], c.price, gain_[c.at]}; }
    double rate(const Candidate& c) const { return gain_[c.at] / std::max(c.price, 1e-300); }

    void score_once() {
        if (!scored_) score_open(gain_);
        scored_ = true;
    }

    // Gains by the criterion; where it sees no difference between the open features (all survivors agree), by information.
    void score_open(std::vector<double>& gain) {
        score(policy_.criterion, gain);
        const bool informed = std::any_of(gain.begin(), gain.end(), [](double g) { return g > 0.0; });
        if (!informed && policy_.criterion != Criterion::ig) score(Criterion::ig, gain);
    }

    // Have the hypotheses drawn and counted by region, if any are needed.
    void survey() {
        if (surveyed_ || !policy_.needs_hypotheses()) return;
        surveyed_ = true;
        imagine();
        hypotheses_.count_regions();
    }

    void score(Criterion criterion, std::vector<double>& gain) {
        survey();
        gain.resize(open_.size());
        if (criterion == Criterion::random) {  // from a stream of its own, so that asking changes nothing
            Random order(seed_ + open_.size(), ~number_);
            for (double& g : gain) g = order.uniform();
        }
        const double by_share = 1.0 / std::max(hypotheses_.all().mass * hypotheses_.all().mass, 1e-300);  // EC2: as if the weights summed to one
        const bool by_mass = criterion == Criterion::ec2 || criterion == Criterion::us, by_region = criterion == Criterion::rig;
        const bool by_label = criterion != Criterion::random && !by_mass && !by_region;
        const Part& all = hypotheses_.all();
        if (by_region) whole_ = hypotheses_.sum<Mixture>();
        if (criterion == Criterion::ec2 && views_->size() == 0) {
            hypotheses_.edges_left(open_, gain.data());
            for (double& g : gain) g = ec2(g, all) * by_share;
            return;
        }
        if (by_label || views_->size() > 0) posterior(log_in_mind(), posterior_);
        for (std::size_t i = 0; i < open_.size(); ++i) {
            const int f = open_[i];
            if (by_mass) hypotheses_.split(f, parts_);
            if (by_region) hypotheses_.split(f, mixtures_);
            if (views_->has(f) && !(*cuts_)[f].empty()) score_views(criterion, f, gain[i]);
            else if (criterion == Criterion::ig) gain[i] = ig(shape(), in_mind(), posterior_, f);
            else if (by_label) gain[i] = gain_by_label(criterion, shape().n_outcomes(f), [&, row = shape().row(f)](int k, int y) { return in_mind().p[shape().cell(row + k, y)]; });
            else if (by_region) gain[i] = rig(mixtures_, whole_);
            else if (by_mass) gain[i] = criterion == Criterion::us ? us(parts_, all) : ec2(edges_left(parts_), all);
        }
        if (criterion == Criterion::ec2) {
            for (double& g : gain) g *= by_share;
        }
    }

    // Gain by Gini or ECED, from `chance(k, y)`, P(outcome k | label y).
    template <class Chance>
    double gain_by_label(Criterion criterion, int n_outcomes, Chance chance) {
        return criterion == Criterion::gini ? gini(posterior_, n_outcomes, chance) : eced(posterior_, n_outcomes, chance, joint_);
    }

    // Gain of one threshold of a feature, whose hypotheses have been split.
    double gain_above(Criterion criterion, const double* above) {
        switch (criterion) {
            case Criterion::ec2: return ec2_above(parts_, hypotheses_.all(), posterior_, above);
            case Criterion::us: return us_above(posterior_, above);
            case Criterion::rig: return rig_above(mixtures_, whole_, posterior_, above);
            case Criterion::gini:
            case Criterion::eced: return gain_by_label(criterion, 2, [above](int k, int y) { return k == 0 ? 1.0 - above[y] : above[y]; });
            case Criterion::ig:
            case Criterion::random: break;
        }
        return ig_above(posterior_, above);
    }

    // The most that an answer could gain.
    double most_gain(Criterion criterion) const {
        switch (criterion) {
            case Criterion::ec2: return hypotheses_.all().edges();
            case Criterion::gini: return 2.0 * label_edges(posterior_);
            case Criterion::eced: return label_edges(posterior_);
            default: return 1.0;  // bits, of a binary answer
        }
    }

    // The best threshold of a feature and its gain; with Exp3, the gain of the one that was drawn.
    void score_views(Criterion criterion, int f, double& gain) {
        const int m = shape().n_labels, n_cuts = static_cast<int>((*cuts_)[f].size());
        const bool exp3 = views_->settings().mode == Thresholds::exp3;
        const int first = exp3 ? theta_.chosen[f] : views_->first(f), last = exp3 ? first + 1 : first + n_cuts;
        if (criterion == Criterion::random) {  // the gain is the order; any threshold will do
            view_[f] = first + static_cast<int>(gain * 1e6) % (last - first);
            return;
        }
        gain = -INFINITY;
        for (int v = first; v < last; ++v) {
            const double here = gain_above(criterion, theta_.view.data() + static_cast<std::size_t>(v) * m);
            if (here > gain) gain = here, view_[f] = v;
        }
        const bool counted = std::any_of(rewards_.begin(), rewards_.end(), [&](const Reward& r) { return r.view == view_[f]; });
        if (!exp3 || counted) return;
        const double most = views_->settings().normalise ? most_gain(criterion) : 1.0;
        rewards_.push_back({view_[f], most > 0.0 ? gain / most / theta_.chance[f] : 0.0});
    }

    // Evaluates the stop rule that starts at `at` in prefix order and moves `at` behind it.
    bool stops(std::size_t& at) {
        const Stop rule = policy_.stop[at++];
        switch (rule.kind) {
            case Stop::Kind::region: survey(); return hypotheses_.n_regions() <= 1;
            case Stop::Kind::confidence:
                predict(posterior_);
                return *std::max_element(posterior_.begin(), posterior_.end()) >= rule.value;
            case Stop::Kind::budget: return std::none_of(open_.begin(), open_.end(), [&](int f) { return purse_.fits(f, rule.value); });
            case Stop::Kind::cost_benefit: return !worth_asking(rule.value);
            case Stop::Kind::any:
            case Stop::Kind::all: break;
        }
        bool any = false, all = true;
        for (int i = 0; i < rule.n_children; ++i) {
            const bool child = stops(at);
            any |= child;
            all &= child;
        }
        return rule.kind == Stop::Kind::any ? any : all;
    }

    // Whether some question pays under theta: what it saves, in loss, exceeds its price, alone or as the first of the best
    // plan over the most promising ones, each asked only where it pays. A greedy planner asks the criterion's best of those
    // that pay, else the plan's first is asked.
    bool worth_asking(double worth) {
        worth_ = worth;
        weighed_ = true;
        foreseen_ = -1;
        posterior(log_in_mind(), posterior_);
        const double at_stake = worth * (loss_now() + (problem_->loss.zero_one ? 1.0 : 0.0));
        const auto [cheapest, dearest] = std::minmax_element(candidates_.begin(), candidates_.end(), [](const Candidate& a, const Candidate& b) { return a.price < b.price; });
        has_one_price_ = cheapest->price == dearest->price;
        for (Candidate& c : candidates_) c.pays = c.looked_at = false;
        if (cheapest->price >= at_stake && at_stake > 0.0) return false;  // the very best that an answer could do does not pay
        if (policy_.greedy && some_answer_pays()) return true;
        if (policy_.lookahead == 0) return false;
        score_once();
        choose_promising();
        optimal_.solve(*problem_, in_play(), posterior_, promising_features_, purse_, worth);
        constexpr double slack = 1.0 - 1e-9;  // rounding alone is no reason to ask
        const double stop = slack * optimal_.stop_value();
        double best = stop;
        bool any = false;
        for (std::size_t i = 0; i < promising_.size(); ++i) {
            Candidate& c = candidates_[promising_[i]];
            const double cost = optimal_.ask_value(static_cast<int>(i));
            c.pays = cost < stop;
            any |= c.pays;
            if (cost < best && !policy_.greedy) best = slack * cost, foreseen_ = static_cast<int>(promising_[i]);
        }
        return any;
    }

    // Whether some answer pays alone, and which; at one price for all it does not matter which.
    bool some_answer_pays() {
        const double now = loss_now();
        bool any = false;
        for (Candidate& c : candidates_) {
            c.pays = worth_ * (now - loss_after(open_[c.at])) > c.price;
            any |= c.pays;
            if (any && has_one_price_) break;
        }
        for (Candidate& c : candidates_) c.pays |= any && has_one_price_;
        return any;
    }

    // As many candidates as can be looked ahead over: in turn the one of the highest gain per price, and the one whose gain
    // leaves most after its price, so that neither many cheap questions nor a dear decisive one go unseen.
    void choose_promising() {
        promising_.clear();
        promising_features_.clear();
        const std::size_t m = shape().n_labels;
        const double most_lost = worth_ * *std::max_element(problem_->loss.of.begin(), problem_->loss.of.end());
        std::size_t n_states = 1;
        while (promising_.size() < candidates_.size()) {
            const auto most = [&](auto merit) {
                double best = -INFINITY;
                std::size_t found = 0;
                for (std::size_t i = 0; i < candidates_.size(); ++i) {
                    const double here = candidates_[i].looked_at ? -INFINITY : merit(candidates_[i]);
                    if (here > best) best = here, found = i;
                }
                return found;
            };
            const std::size_t found = has_one_price_               ? most([&](const Candidate& c) { return gain_[c.at]; })
                                      : promising_.size() % 2 == 0 ? most([&](const Candidate& c) { return rate(c); })
                                                                   : most([&](const Candidate& c) { return most_lost * gain_[c.at] - c.price; });
            const int f = open_[candidates_[found].at];
            n_states *= static_cast<std::size_t>(shape().n_outcomes(f)) + 1;
            if ((n_states > policy_.lookahead || n_states * m > 4 * policy_.lookahead) && !promising_.empty()) return;
            candidates_[found].looked_at = true;
            promising_.push_back(found);
            promising_features_.push_back(f);
        }
    }

    // P(outcome | label) as it is in play: a feature with thresholds is its chosen one.
    const double* in_play() {
        if (views_->size() == 0) return in_mind().p.data();
        p_in_play_ = theta_.p;
        const int m = shape().n_labels;
        for (const int f : promising_features_) {
            if (!views_->has(f) || (*cuts_)[f].empty()) continue;
            const double* above = theta_.view.data() + static_cast<std::size_t>(view_[f]) * m;
            double* p = p_in_play_.data() + shape().cell(shape().row(f), 0);
            for (int y = 0; y < m; ++y) p[y] = 1.0 - above[y], p[m + y] = above[y];
        }
        return p_in_play_.data();
    }

    // Expected loss of the best answer now, up to the same constant as `loss_after`.
    double loss_now() const { return problem_->loss.best(posterior_.data()).second; }

    // Expected loss of the best answer once a feature is known.
    double loss_after(int feature) {
        const double* const now = posterior_.data();
        const int first = shape().row(feature), last = shape().row(feature + 1);
        return with_labels(shape().n_labels, [&](auto m) {
            const double* p = in_mind().p.data() + first * m;
            double sum = 0.0;
            if (problem_->loss.zero_one) {
                for (int row = first; row < last; ++row, p += m) {
                    double most = 0.0;
                    for (int y = 0; y < m; ++y) most = std::max(most, now[y] * p[y]);
                    sum -= most;
                }
                return sum;
            }
            joint_.resize(m);
            for (int row = first; row < last; ++row, p += m) {
                for (int y = 0; y < m; ++y) joint_[y] = now[y] * p[y];
                sum += problem_->loss.best(joint_.data()).second;
            }
            return sum;
        });
    }
};

}  // namespace ufodt
