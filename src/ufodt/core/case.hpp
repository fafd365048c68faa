// One case as it stands: the theta and the hypotheses it is planned under, what was told and paid, what is still open.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "agenda.hpp"
#include "belief.hpp"
#include "given.hpp"
#include "hypotheses.hpp"
#include "logarithms.hpp"
#include "policy.hpp"

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
        agenda_.begin(*problem_, offer, std::move(terms), policy_.budget);
        const std::vector<int>& offered = offer.features;
        random_.reseed(seed, 2 * number);
        plans_twice_ = explores() && (n_draws > 1 || belief.views().size() > 0 || is_drawn(belief.n_labelled()));
        if (policy_.plans == Plans::mean) belief.mean(offered, theta_, true);
        else if (explores() && !plans_twice_) belief.mean(offered, theta_);
        else belief.draw(random_, offered, theta_);
        const bool draws_more = policy_.plans != Plans::mean && !policy_.predict_theta && belief.views().size() == 0;
        other_.resize(draws_more ? n_draws - 1 : 0);
        turn_ = 0;
        for (Theta& theta : other_) belief.draw(random_, offered, theta);
        if (policy_.needs_hypotheses()) hypotheses_.set_theta(theta_, offered);
        mean_ = &belief.log_mean();
        cuts_ = &belief.cuts();
        views_ = &belief.views();
        overlap_ = belief.together().temper().level();
        own_pairs_.reset();
        pairs_ = belief.together().uses_pairs() && !policy_.predict_theta ? belief.together().pairs().get() : nullptr;
        if (plans_twice_) belief.mean(offered, mean_theta_);
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
        const int m = shape().n_labels;
        random_.reseed(seed_, 2 * number_ + 1);
        agenda_.reset();
        if (turn_ > 0) {
            while (turn_ > 0) std::swap(theta_, other_[--turn_]);
            if (policy_.needs_hypotheses()) hypotheses_.set_theta(theta_, agenda_.offered());
        }
        told_.clear();
        log_theta_.resize(m);
        for (int y = 0; y < m; ++y) log_theta_[y] = std::log(theta_.label[y]);
        log_besides_.assign(m, 0.0);
        log_mean_ = mean_->label;
        answers_.clear();
        bonds_.clear();
        by_mean_ = false;
        drawn_ = surveyed_ = weighed_ = false;
    }

    const Shape& shape() const { return problem_->shape; }
    const Problem& problem() const { return *problem_; }
    const Policy& policy() const { return policy_; }
    std::uint64_t seed() const { return seed_; }
    std::uint64_t number() const { return number_; }
    const Theta& theta() const { return theta_; }
    const Hypotheses& hypotheses() const { return hypotheses_; }
    Hypotheses& hypotheses() { return hypotheses_; }
    const Purse& purse() const { return agenda_.purse(); }
    double budget() const { return agenda_.budget(); }
    const Cuts& cuts() const { return *cuts_; }
    const Views& views() const { return *views_; }
    bool is_open(int feature) const { return agenda_.is_open(feature); }
    bool is_settled(int feature) const { return agenda_.is_settled(feature); }
    bool is_duty(int feature) const { return agenda_.is_duty(feature); }
    const std::vector<int>& open() const { return agenda_.open(); }
    int lost_with(int feature) const { return agenda_.lost_with(feature); }
    bool is_candidate(int feature) const { return agenda_.is_candidate(feature); }
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
        return purse().price(feature) + (purse().is_computed(feature) ? 0.0 : expected_surcharge(feature));
    }

    // The cheapest list to buy that ends with a feature, and its price; see `Agenda`.
    double bundle(int feature, std::vector<int>& together) const {
        return agenda_.bundle(feature, together, [this](int f) { return expected_surcharge(f); });
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
        if (!policy_.needs_hypotheses() || open().empty()) return;
        const bool few = hypotheses_.n_alive() < std::min(policy_.redraw_below, hypotheses_.n_drawn());
        if (drawn_ && !few) return;
        weigh_labels();
        if (policy_.distinct) {
            hypotheses_.draw_distinct(random_, posterior_, open(), problem_->loss);
        } else {
            hypotheses_.draw(random_, posterior_, open(), problem_->loss);
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
        if (policy_.needs_hypotheses()) hypotheses_.set_theta(theta_, agenda_.offered());
        drawn_ = surveyed_ = weighed_ = false;
        if (!bonds_.rows().empty()) given_theta_.tell(*pairs_, shape(), bonds_.rows(), 0, open(), theta_);
    }

    void pay(int feature, int outcome) { agenda_.pay(feature, outcome); }

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
        agenda_.tell(feature);
        surveyed_ = weighed_ = false;
        if (outcome < 0 || !pairs_) return;
        const std::size_t last = bonds_.rows().size() - 1;
        given_theta_.tell(*pairs_, shape(), bonds_.rows(), last, open(), theta_);
        if (plans_twice_) given_mean_.tell(*pairs_, shape(), bonds_.rows(), last, open(), mean_theta_);
    }

    // Open the best of the others in place of a feature that need not be asked; returns what was opened. It is planned
    // by the mean belief.
    std::vector<int> open_another() {
        std::vector<int> opened = agenda_.open_another();
        if (opened.empty()) return opened;
        for (const int f : opened) {
            take_mean(f, theta_);
            for (Theta& theta : other_) take_mean(f, theta);
            if (plans_twice_) take_mean(f, mean_theta_);
        }
        if (!bonds_.rows().empty()) {
            given_theta_.tell(*pairs_, shape(), bonds_.rows(), 0, open(), theta_);
            if (plans_twice_) given_mean_.tell(*pairs_, shape(), bonds_.rows(), 0, open(), mean_theta_);
        }
        if (policy_.needs_hypotheses()) hypotheses_.set_theta(theta_, agenda_.offered());
        drawn_ = surveyed_ = false;
        return opened;
    }

    // The feature is never asked again in this case and tells nothing.
    void skip(int feature) {
        agenda_.close(feature);
        surveyed_ = weighed_ = false;
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
    Agenda agenda_;                           // what may still be asked
    int overlap_ = 0;                         // the level of `Temper`
    Answers answers_;                         // told so far
    const Pairs* pairs_ = nullptr;            // where outcomes come in pairs
    std::shared_ptr<const Pairs> own_pairs_;  // the same, kept
    Bonds bonds_;                             // what pairs add to the likelihood of what was told
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

    // The same by the theta drawn, which knows one threshold alone where Exp3 chose it.
    double told_by_theta(int feature, int outcome, int view, int y) const {
        if (view < 0) return static_cast<double>(theta_.log_p[shape().cell(shape().row(feature) + outcome, y)]);
        if (theta_.chosen[feature] >= 0 && theta_.chosen[feature] != view)
            return told_by_mean(feature, outcome, view, y);
        const double above = theta_.view[static_cast<std::size_t>(view) * shape().n_labels + y];
        return std::log(std::max(outcome ? above : 1.0 - above, 1e-300));
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

    // What the outcome of a feature is expected to add to its price.
    double expected_surcharge(int feature) const {
        if (problem_->surcharge.empty()) return 0.0;
        std::vector<double> p;
        normalise(bonded(log_in_mind()), p);
        double sum = 0.0;
        for (int row = shape().row(feature); row < shape().row(feature + 1); ++row) {
            for (int y = 0; y < shape().n_labels; ++y)
                sum += p[y] * in_mind().p[shape().cell(row, y)] * problem_->surcharge[row];
        }
        return sum;
    }

    const std::vector<double>& log_in_mind() const { return by_mean_ ? log_mean_ : log_theta_; }

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
