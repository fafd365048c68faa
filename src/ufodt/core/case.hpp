// One case as it stands: the theta and the hypotheses it is planned under, what was told and paid, what is still open.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "belief.hpp"
#include "given.hpp"
#include "hypotheses.hpp"
#include "logarithms.hpp"
#include "policy.hpp"
#include "purse.hpp"

namespace ufodt {

class Case {
  public:
    Case(std::shared_ptr<const Problem> problem, Policy policy)
        : problem_(std::move(problem)), policy_(std::move(policy)) {
        if (policy_.needs_hypotheses()) hypotheses_.resize(shape(), policy_.n_hypotheses);
    }
    Case(const Case&) = delete;  // hypotheses point at this case's theta
    Case& operator=(const Case&) = delete;

    // Open case number `number` with some features on offer: take theta from the belief. The belief must outlive the
    // case, or `keep_mean` must follow.
    void begin(const Belief& belief, std::uint64_t seed, std::uint64_t number, const Offer& offer, CaseTerms terms,
               int n_draws) {
        seed_ = seed;
        number_ = number;
        offer_ = offer;
        offered_ = offer_.features;
        purse_.take(*problem_, std::move(terms));
        random_.reseed(seed, 2 * number);
        plans_twice_ = explores() && (n_draws > 1 || belief.views().size() > 0 || is_drawn(belief.n_labelled()));
        if (policy_.plans == Plans::mean) belief.mean(offered_, theta_, true);
        else if (explores() && !plans_twice_) belief.mean(offered_, theta_);
        else belief.draw(random_, offered_, theta_);
        const bool draws_more = policy_.plans != Plans::mean && !policy_.predict_theta && belief.views().size() == 0;
        other_.resize(draws_more ? n_draws - 1 : 0);
        turn_ = 0;
        for (Theta& theta : other_) belief.draw(random_, offered_, theta);
        if (policy_.needs_hypotheses()) hypotheses_.set_theta(theta_, offered_);
        mean_ = &belief.log_mean();
        cuts_ = &belief.cuts();
        views_ = &belief.views();
        overlap_ = belief.together().temper().level();
        own_pairs_.reset();
        pairs_ = belief.together().uses_pairs() && !policy_.predict_theta ? belief.together().pairs().get() : nullptr;
        if (plans_twice_) belief.mean(offered_, mean_theta_);
        reset();
    }

    // Copy what the case needs of the belief, so that later learning does not reach it.
    void keep_mean(const Belief& belief) {
        own_mean_ = *mean_;
        own_cuts_ = *cuts_;
        own_views_ = *views_;
        if (pairs_) own_pairs_ = belief.together().pairs();
        mean_ = &own_mean_;
        cuts_ = &own_cuts_;
        views_ = &own_views_;
    }

    // Back to the state right after `begin`: same theta, same random numbers, no evidence.
    void reset() {
        const int n = shape().n_features, m = shape().n_labels;
        random_.reseed(seed_, 2 * number_ + 1);
        offered_ = offer_.features;
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
        log_besides_.assign(m, 0.0);
        log_mean_ = mean_->label;
        answers_.clear();
        bonds_.clear();
        by_mean_ = false;
        drawn_ = surveyed_ = weighed_ = found_duties_ = false;
    }

    const Shape& shape() const { return problem_->shape; }
    const Problem& problem() const { return *problem_; }
    const Policy& policy() const { return policy_; }
    std::uint64_t seed() const { return seed_; }
    std::uint64_t number() const { return number_; }
    const Theta& theta() const { return theta_; }
    const Hypotheses& hypotheses() const { return hypotheses_; }
    Hypotheses& hypotheses() { return hypotheses_; }
    const Purse& purse() const { return purse_; }
    double budget() const { return purse_.budget(policy_.budget); }
    const Cuts& cuts() const { return *cuts_; }
    const Views& views() const { return *views_; }
    bool is_open(int feature) const { return is_open_[feature]; }
    bool is_settled(int feature) const { return is_settled_[feature]; }
    const std::vector<int>& open() const { return open_; }
    bool is_viewed(int feature) const { return ufodt::is_viewed(*views_, *cuts_, feature); }

    // Whether a case may ask in order to learn; most of those that do are planned under a draw before the mean.
    bool explores() const { return policy_.plans_twice(); }

    // Questions are decided under the theta in mind: the one drawn or, where both serve, the mean in the end; where
    // outcomes come in pairs, as it is given the answers. Hypotheses are drawn from it as it is without them.
    bool plans_twice() const { return plans_twice_; }
    void think_by_mean(bool by_mean) {
        weighed_ &= by_mean == by_mean_;
        by_mean_ = by_mean;
    }
    bool thinks_by_mean() const { return by_mean_; }
    const Theta& in_mind() const {
        if (!bonds_.rows().empty()) return by_mean_ ? given_mean_.theta() : given_theta_.theta();
        return by_mean_ ? mean_theta_ : theta_;
    }

    // P(label | evidence) under the theta in mind, as it was worked out last.
    const std::vector<double>& posterior() const { return posterior_; }
    void weigh_labels() {
        if (!weighed_) normalise(bonded(log_in_mind()), posterior_);
        weighed_ = true;
    }
    double confidence() {  // of the answer of now, by what it is predicted under
        predict(answer_);
        return *std::max_element(answer_.begin(), answer_.end());
    }

    // P(label | evidence) in `p`; returns the label of least expected loss.
    int predict(std::vector<double>& p) const {
        if (policy_.predict_theta) normalise(log_theta_, p);
        else normalise_trusted(bonded(log_mean_), answers_.n(), p);
        return problem_->loss.best(p.data()).first;
    }

    // The exponent of the likelihood in that answer.
    double trust() const { return policy_.predict_theta ? 1.0 : Temper::exponent(overlap_, answers_.n()); }

    // What asking the feature costs now, with what its outcome is expected to add.
    double price(int feature) const {
        double sum = purse_.price(feature);
        if (problem_->surcharge.empty() || purse_.is_computed(feature)) return sum;
        std::vector<double> p;
        normalise(bonded(log_in_mind()), p);
        for (int row = shape().row(feature); row < shape().row(feature + 1); ++row) {
            for (int y = 0; y < shape().n_labels; ++y)
                sum += p[y] * in_mind().p[shape().cell(row, y)] * problem_->surcharge[row];
        }
        return sum;
    }

    // Whether the feature has to be asked, whatever the stop rule says.
    bool is_duty(int feature) const {
        if (problem_->mandatory.empty()) return false;
        if (!found_duties_) purse_.find_duties(budget(), [&](int f) { return is_open_[f]; }, is_duty_);
        found_duties_ = true;
        return is_duty_[feature];
    }

    // The cheapest list to buy that ends with a feature, in order, in `together`: what it needs and itself; or with its
    // inputs first, or another of its group, where that is cheaper or fits the budget when the other does not. Returns
    // the price of the list; infinite where none is sure to fit the budget.
    double bundle(int feature, std::vector<int>& together) const {
        together.clear();
        purse_.missing(problem_->needs[feature], together);
        together.push_back(feature);
        double least = price_together(together);
        const auto try_with = [&](const std::vector<int>& others) {
            other_bundle_.clear();
            purse_.missing(problem_->needs[feature], other_bundle_);
            purse_.missing(others, other_bundle_);
            other_bundle_.push_back(feature);
            const double price = price_together(other_bundle_);
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

    // What each outcome of a feature would lead to, by what the answer is given under: rows of P(outcome), then
    // P(label | outcome). `view` is the threshold in play, -1 where there is none.
    void outlook(int feature, int view, std::vector<double>& table) const {
        const int m = shape().n_labels, n_outcomes = shape().n_outcomes(feature);
        const bool by_theta = policy_.predict_theta;
        std::vector<double> now, told(m), then(m), p, chance(static_cast<std::size_t>(n_outcomes) * m);
        const auto log_chance = [&](int k, int y) {
            return by_theta ? told_by_theta(feature, k, view, y) : told_by_mean(feature, k, view, y);
        };
        for (int k = 0; k < n_outcomes; ++k) {
            for (int y = 0; y < m; ++y) chance[k * m + y] = std::exp(log_chance(k, y));
        }
        if (!bonds_.rows().empty()) Given::expect(*pairs_, bonds_.rows(), feature, chance);
        predict(now);
        table.assign(static_cast<std::size_t>(n_outcomes) * (m + 1), 0.0);
        for (int k = 0; k < n_outcomes; ++k) {
            double* row = table.data() + static_cast<std::size_t>(k) * (m + 1);
            for (int y = 0; y < m; ++y) {
                told[y] = log_chance(k, y);
                row[0] += now[y] * chance[k * m + y];
                then[y] = (by_theta ? log_theta_ : log_mean_)[y] + told[y];
            }
            Answers answers = answers_;
            answers.add(told);
            if (pairs_) {
                Bonds bonds = bonds_;
                bonds.add(*pairs_, shape().row(feature) + k, told);
                for (int y = 0; y < m; ++y) then[y] += bonds[y];
            }
            if (by_theta) normalise(then, p);
            else normalise_trusted(then, answers.n(), p);
            std::copy(p.begin(), p.end(), row + 1);
        }
    }

    // Draw hypotheses if there are none yet or too few survive.
    void imagine() {
        if (!policy_.needs_hypotheses() || open_.empty()) return;
        const bool few = hypotheses_.n_alive() < std::min(policy_.redraw_below, hypotheses_.n_drawn());
        if (drawn_ && !few) return;
        weigh_labels();
        if (policy_.distinct) {
            hypotheses_.draw_distinct(random_, posterior_, open_, problem_->loss);
        } else {
            hypotheses_.draw(random_, posterior_, open_, problem_->loss);
        }
        drawn_ = true;
    }

    // Have the hypotheses drawn and counted by region, if any are needed.
    void survey() {
        if (surveyed_ || !policy_.needs_hypotheses()) return;
        surveyed_ = true;
        imagine();
        hypotheses_.count_regions();
    }

    // With several draws of theta the case is planned under one after the other, each asking until it would stop: a
    // belief that knows little then learns more from a case.
    bool takes_turns() const { return !other_.empty(); }
    bool has_another_turn() const { return turn_ < other_.size(); }

    // Go on under the next theta, given what was told so far.
    void take_turn() {
        std::swap(theta_, other_[turn_++]);
        const int m = shape().n_labels;
        for (int y = 0; y < m; ++y) {
            log_theta_[y] = std::log(theta_.label[y]) + log_besides_[y];
            for (const int cell : told_) log_theta_[y] += static_cast<double>(theta_.log_p[cell + y]);
        }
        if (policy_.needs_hypotheses()) hypotheses_.set_theta(theta_, offered_);
        drawn_ = surveyed_ = weighed_ = false;
        if (!bonds_.rows().empty()) given_theta_.tell(*pairs_, shape(), bonds_.rows(), 0, open_, theta_);
    }

    void pay(int feature, int outcome) {
        purse_.pay(feature, outcome);
        found_duties_ = false;
    }

    // Note an outcome, seen through a threshold if `view` is not -1. Outcome -1: had, but it tells nothing yet. Theta
    // was not drawn of a feature that was not on offer: that is told by the mean belief.
    void observe(int feature, int outcome, int view, bool offered) {
        if (outcome >= 0) {
            log_told_.resize(shape().n_labels);
            for (int y = 0; y < shape().n_labels; ++y) {
                const double told = log_told_[y] = told_by_mean(feature, outcome, view, y);
                log_theta_[y] += offered ? told_by_theta(feature, outcome, view, y) : told;
                if (!offered) log_besides_[y] += told;
                log_mean_[y] += told;
            }
            answers_.add(log_told_);
            if (drawn_ && offered) hypotheses_.observe(feature, outcome);
            if (!offered && policy_.redraw_below > 0) drawn_ = false;  // survivors were drawn without it
            if (!other_.empty() && offered) told_.push_back(shape().cell(shape().row(feature) + outcome, 0));
            if (pairs_) bonds_.add(*pairs_, shape().row(feature) + outcome, log_told_);
        }
        purse_.know(feature);
        close(feature);
        if (outcome < 0 || !pairs_) return;
        const std::size_t last = bonds_.rows().size() - 1;
        given_theta_.tell(*pairs_, shape(), bonds_.rows(), last, open_, theta_);
        if (plans_twice_) given_mean_.tell(*pairs_, shape(), bonds_.rows(), last, open_, mean_theta_);
    }

    // How many features on offer cannot be had any more without this one: those that need it, or at least itself.
    int lost_with(int feature) const {
        if (offer_.merit.empty()) return 1;
        const auto is_lost = [&](int f) {
            if (f == feature || problem_->needs[f].empty()) return false;
            const std::vector<int> needed = still_needed(f);
            return can_be_had(needed) && std::count(needed.begin(), needed.end(), feature) > 0;
        };
        return std::max(1, static_cast<int>(std::count_if(open_.begin(), open_.end(), is_lost)));
    }

    // Open the best of the others that can be had, after what it needs, in place of a feature that need not be asked;
    // returns what was opened. It is planned by the mean belief.
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
        if (opened.empty()) return opened;
        for (const int f : opened) {
            is_open_[f] = 1;
            open_.insert(std::lower_bound(open_.begin(), open_.end(), f), f);
            if (std::find(offered_.begin(), offered_.end(), f) == offered_.end()) offered_.push_back(f);
            take_mean(f, theta_);
            for (Theta& theta : other_) take_mean(f, theta);
            if (plans_twice_) take_mean(f, mean_theta_);
        }
        if (!bonds_.rows().empty()) {
            given_theta_.tell(*pairs_, shape(), bonds_.rows(), 0, open_, theta_);
            if (plans_twice_) given_mean_.tell(*pairs_, shape(), bonds_.rows(), 0, open_, mean_theta_);
        }
        if (policy_.needs_hypotheses()) hypotheses_.set_theta(theta_, offered_);
        drawn_ = surveyed_ = found_duties_ = false;
        return opened;
    }

    // The feature is never asked again in this case and tells nothing.
    void skip(int feature) {
        close(feature);
        if (policy_.redraw_below > 0) drawn_ = false;  // survivors still imagine its outcome
    }

  private:
    std::shared_ptr<const Problem> problem_;
    Policy policy_;
    std::uint64_t seed_ = 0, number_ = 0;
    Random random_{0, 0};
    Theta theta_, mean_theta_;  // drawn for the case, or the mean; the mean, where both are planned under
    std::vector<Theta> other_;  // more draws, to take turns with
    std::size_t turn_ = 0;
    std::vector<int> told_;     // first cells of the outcomes told, where there are more draws
    bool plans_twice_ = false;  // ask what pays under a draw, then what still pays under the mean belief
    bool by_mean_ = false;      // the question of now is decided under the mean belief
    Hypotheses hypotheses_;
    bool drawn_ = false, surveyed_ = false;
    const LogMean* mean_ = nullptr;
    const Cuts* cuts_ = nullptr;
    const Views* views_ = nullptr;
    LogMean own_mean_;
    Cuts own_cuts_;
    Views own_views_;
    Purse purse_;
    mutable Purse then_;  // what was paid, once the first of a bundle are bought
    mutable std::vector<int> other_bundle_;
    mutable std::vector<std::uint8_t> is_duty_;  // per feature, if found for the case as it stands
    mutable bool found_duties_ = false;
    Offer offer_;                                     // at first
    std::vector<int> offered_;                        // then too, those that stand in last
    std::vector<int> open_;                           // that may still be asked, in index order
    std::vector<std::uint8_t> is_open_, is_settled_;  // on offer and not settled; told or skipped
    int overlap_ = 0;                                 // the level of `Temper`
    Answers answers_;                                 // told so far
    const Pairs* pairs_ = nullptr;                    // where outcomes come in pairs
    std::shared_ptr<const Pairs> own_pairs_;          // the same, kept
    Bonds bonds_;                                     // what pairs add to the likelihood of what was told
    mutable std::vector<double> bonded_;
    Given given_theta_, given_mean_;            // theta, and the mean where both are planned under, given what was told
    std::vector<double> log_told_;              // scratch: the log likelihoods of one
    std::vector<double> log_theta_, log_mean_;  // log P(label, evidence) under theta and under the mean belief
    std::vector<double> log_besides_;           // what features that were not on offer add to all of these
    std::vector<double> posterior_, answer_;    // P(label | evidence) under the theta in mind, and as the answer has it
    bool weighed_ = false;                      // the former is that of now

    // Whether a case that explores is planned under a draw: all are at first, then ever fewer, since draws ask more
    // than what is known by then calls for.
    bool is_drawn(double n_labelled) const {
        const double u = uniform_of(seed_ ^ 0x9e3779b97f4a7c15, number_);  // not the one that says who spends to learn
        return u * u * n_labelled < all_drawn;
    }
    static constexpr double all_drawn = 2048.0;  // labels; from there on the share falls with their root

    // log P(label, evidence) with what pairs add to it.
    const std::vector<double>& bonded(const std::vector<double>& log_p) const {
        if (bonds_.rows().size() < 2) return log_p;
        bonded_.resize(log_p.size());
        for (std::size_t y = 0; y < log_p.size(); ++y) bonded_[y] = log_p[y] + bonds_[y];
        return bonded_;
    }

    // log P(outcome | label) by the mean belief, through a threshold if `view` is not -1.
    double told_by_mean(int feature, int outcome, int view, int y) const {
        if (view >= 0) return views_->log_mean(view, outcome, y);
        return mean_->outcome[shape().cell(shape().row(feature) + outcome, y)] -
               mean_->total[feature * shape().n_labels + y];
    }

    // Let a theta know a feature that it was not drawn of.
    void take_mean(int feature, Theta& theta) const {
        const int m = shape().n_labels;
        for (int k = 0; k < shape().n_outcomes(feature); ++k) {
            for (int y = 0; y < m; ++y)
                theta.p[shape().cell(shape().row(feature) + k, y)] = std::exp(told_by_mean(feature, k, -1, y));
        }
        if (is_viewed(feature)) take_mean_of_views(*views_, *cuts_, shape(), feature, theta);
        for (int cell = shape().cell(shape().row(feature), 0); cell < shape().cell(shape().row(feature + 1), 0); ++cell)
            theta.log_p[cell] = quick_log(static_cast<float>(theta.p[cell]));
    }

    // The same by the theta drawn, which knows one threshold alone where Exp3 chose it.
    double told_by_theta(int feature, int outcome, int view, int y) const {
        if (view < 0) return static_cast<double>(theta_.log_p[shape().cell(shape().row(feature) + outcome, y)]);
        if (theta_.chosen[feature] >= 0 && theta_.chosen[feature] != view)
            return told_by_mean(feature, outcome, view, y);
        const double above = theta_.view[static_cast<std::size_t>(view) * shape().n_labels + y];
        return std::log(std::max(outcome ? above : 1.0 - above, 1e-300));
    }

    // What some features cost one after the other; infinite as for a bundle.
    double price_together(const std::vector<int>& features) const {
        if (features.size() == 1 && !purse_.fits(features[0], budget())) return INFINITY;
        then_ = purse_;
        double sum = 0.0, most = 0.0;
        for (const int f : features) {
            if (!is_open_[f]) return INFINITY;
            const double added = then_.is_computed(f) ? 0.0 : price(f) - purse_.price(f);  // expected of its outcome
            sum += then_.price(f) + added;
            most += then_.most(f);
            then_.buy(f);
        }
        return Purse::is_within(purse_.spent() + most, budget()) ? sum : INFINITY;
    }

    const std::vector<double>& log_in_mind() const { return by_mean_ ? log_mean_ : log_theta_; }

    // A feature that is not known and all that it still needs, in the order in which they may be asked.
    std::vector<int> still_needed(int feature) const {
        std::vector<int> needed;
        purse_.missing({feature}, needed);
        return needed;
    }
    bool can_be_had(const std::vector<int>& needed) const {
        return std::none_of(needed.begin(), needed.end(), [&](int f) { return is_settled_[f]; });
    }

    void close(int feature) {
        if (is_open_[feature]) open_.erase(std::lower_bound(open_.begin(), open_.end(), feature));
        is_open_[feature] = 0;
        is_settled_[feature] = 1;
        surveyed_ = weighed_ = found_duties_ = false;
    }

    // P(label | evidence) by the mean belief, with so many answers trusted as far as they are together.
    void normalise_trusted(const std::vector<double>& log_p, double n_answers, std::vector<double>& p) const {
        const double exponent = Temper::exponent(overlap_, n_answers);
        if (exponent == 1.0) return normalise(log_p, p);
        p.resize(log_p.size());
        for (std::size_t y = 0; y < p.size(); ++y) p[y] = mean_->label[y] + exponent * (log_p[y] - mean_->label[y]);
        normalise(p, p);
    }
};

}  // namespace ufodt
