// One case: draw theta and hypotheses, then ask, observe, stop and answer.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "criteria.hpp"
#include "hypotheses.hpp"

namespace ufodt {

// What may be asked and what it costs; indices only, names live above.
struct Problem {
    Shape shape;
    std::vector<double> price, later_price;  // later_price: once another feature of the group has been paid for
    std::vector<int> group;                  // -1: none
    int n_groups = 0;
    Loss loss;
};

struct Stop {
    enum class Kind : std::uint8_t { region, confidence, budget, cost_benefit, any, all };
    Kind kind;
    double value;    // confidence level, budget, or the worth of one unit of loss
    int n_children;  // of any and all: they follow in prefix order
};

struct Policy {
    Criterion criterion = Criterion::ec2;
    std::vector<Stop> stop;
    double budget = INFINITY;  // no question may exceed it
    int n_hypotheses = 128;
    bool distinct = false;        // paper: distinct hypotheses weighted by P(h), else equal draws
    int redraw_below = 32;        // draw again given the evidence when fewer survive; 0: never
    bool predict_theta = false;   // paper: answer under the drawn theta, else under the mean belief
    bool plan_mean = false;       // plan under the mean belief instead of a draw

    bool uses(Stop::Kind kind) const {
        return std::any_of(stop.begin(), stop.end(), [&](const Stop& s) { return s.kind == kind; });
    }
    bool needs_hypotheses() const {
        return criterion == Criterion::ec2 || criterion == Criterion::us || uses(Stop::Kind::region) || uses(Stop::Kind::cost_benefit);
    }
};

struct Question {
    int feature = -1;  // -1: stop asking
    double price = 0.0, gain = 0.0;
};

class Plan {
  public:
    Plan(std::shared_ptr<const Problem> problem, Policy policy) : problem_(std::move(problem)), policy_(std::move(policy)) {
        if (policy_.needs_hypotheses()) hypotheses_.resize(shape(), policy_.n_hypotheses);
    }
    Plan(const Plan&) = delete;  // hypotheses point at this plan's theta
    Plan& operator=(const Plan&) = delete;

    // Open case number `number`: take theta from the belief. The belief must outlive the plan, or `keep_mean` must follow.
    void begin(const Belief& belief, std::uint64_t seed, std::uint64_t number) {
        seed_ = seed;
        number_ = number;
        random_.reseed(seed, 2 * number);
        if (policy_.plan_mean) belief.mean(theta_);
        else belief.draw(random_, theta_);
        if (policy_.needs_hypotheses()) hypotheses_.set_theta(theta_);
        mean_ = &belief.log_mean();
        reset();
    }

    // Copy the mean belief, so that later learning does not reach this case.
    void keep_mean() {
        own_mean_ = *mean_;
        mean_ = &own_mean_;
    }

    // Back to the state right after `begin`: same theta, same random numbers, no evidence.
    void reset() {
        const int n = shape().n_features, m = shape().n_labels;
        random_.reseed(seed_, 2 * number_ + 1);
        open_.resize(n);
        for (int f = 0; f < n; ++f) open_[f] = f;
        is_open_.assign(n, 1);
        group_paid_.assign(problem_->n_groups, 0);
        spent_ = 0.0;
        log_theta_.resize(m);
        for (int y = 0; y < m; ++y) log_theta_[y] = std::log(theta_.label[y]);
        log_mean_ = mean_->label;
        drawn_ = false;
        decided_ = false;
    }

    const Shape& shape() const { return problem_->shape; }
    const Problem& problem() const { return *problem_; }
    const Policy& policy() const { return policy_; }
    const Theta& theta() const { return theta_; }
    const Hypotheses& hypotheses() const { return hypotheses_; }
    double spent() const { return spent_; }
    bool is_open(int feature) const { return is_open_[feature]; }
    std::span<const int> open_features() const { return open_; }

    // What asking the feature costs now.
    double price(int feature) const {
        const int group = problem_->group[feature];
        return group >= 0 && group_paid_[group] ? problem_->later_price[feature] : problem_->price[feature];
    }

    // The next question, or one with feature -1; asking again changes nothing.
    const Question& next() {
        if (!decided_) {
            prepare();
            question_ = decide();
            decided_ = true;
        }
        return question_;
    }

    // Draw hypotheses if there are none yet or too few survive. Settling a feature does it as well as asking,
    // so that whether a question was asked before it was answered makes no difference to the random numbers.
    void prepare() {
        if (!policy_.needs_hypotheses() || open_.empty()) return;
        const bool few = hypotheses_.n_alive() < std::min(policy_.redraw_below, policy_.n_hypotheses);
        if (drawn_ && !few) return;
        posterior(log_theta_, posterior_);
        if (policy_.distinct) {
            hypotheses_.draw_distinct(random_, posterior_, open_, problem_->loss, max_draws_per_hypothesis * policy_.n_hypotheses);
        } else {
            hypotheses_.draw(random_, posterior_, open_, problem_->loss);
        }
        drawn_ = true;
    }

    // Gain of every open feature, in the order of `open_features`.
    void gains(std::vector<double>& gain) {
        prepare();
        if (policy_.needs_hypotheses()) hypotheses_.count_regions();
        score(policy_.criterion, gain);
    }

    // Note an outcome; one that was known from the start is not paid for.
    void observe(int feature, int outcome, bool paid) {
        if (paid) {
            prepare();
            spent_ += price(feature);
            if (problem_->group[feature] >= 0) group_paid_[problem_->group[feature]] = 1;
        }
        const int m = shape().n_labels, cell = shape().cell(shape().row(feature) + outcome, 0);
        for (int y = 0; y < m; ++y) {
            log_theta_[y] += static_cast<double>(theta_.log_p[cell + y]);
            log_mean_[y] += mean_->outcome[cell + y] - mean_->total[feature * m + y];
        }
        if (drawn_) hypotheses_.observe(feature, outcome);
        close(feature);
    }

    // The feature cannot be had: it is never asked again in this case and tells nothing.
    void skip(int feature) {
        prepare();
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
        table.assign(static_cast<std::size_t>(n_outcomes) * (m + 1), 0.0);
        for (int k = 0; k < n_outcomes; ++k) {
            double* row = table.data() + static_cast<std::size_t>(k) * (m + 1);
            const int cell = shape().cell(shape().row(feature) + k, 0);
            for (int y = 0; y < m; ++y) {
                const double p = policy_.predict_theta ? theta_.p[cell + y] : std::exp(mean_->outcome[cell + y] - mean_->total[feature * m + y]);
                row[y + 1] = now[y] * p;
                row[0] += row[y + 1];
            }
            for (int y = 0; y < m && row[0] > 0.0; ++y) row[y + 1] /= row[0];
        }
    }

  private:
    static constexpr std::int64_t max_draws_per_hypothesis = 64;

    std::shared_ptr<const Problem> problem_;
    Policy policy_;
    std::uint64_t seed_ = 0, number_ = 0;
    Random random_{0, 0};
    Theta theta_;
    Hypotheses hypotheses_;
    const LogMean* mean_ = nullptr;
    LogMean own_mean_;
    std::vector<int> open_;             // features that may still be asked, in index order
    std::vector<std::uint8_t> is_open_, group_paid_;
    std::vector<double> log_theta_, log_mean_;  // log P(label, evidence) under theta and under the mean belief
    double spent_ = 0.0;
    bool drawn_ = false, decided_ = false;
    Question question_;
    std::vector<double> gain_, mass_, posterior_;

    void close(int feature) {
        is_open_[feature] = 0;
        open_.erase(std::lower_bound(open_.begin(), open_.end(), feature));
        decided_ = false;
    }

    static void posterior(const std::vector<double>& log_p, std::vector<double>& p) {
        const double top = *std::max_element(log_p.begin(), log_p.end());
        double sum = 0.0;
        p.resize(log_p.size());
        for (std::size_t y = 0; y < p.size(); ++y) sum += p[y] = std::exp(log_p[y] - top);
        for (double& x : p) x /= sum;
    }

    bool affordable(int feature) const { return spent_ + price(feature) <= policy_.budget * (1.0 + 1e-12); }

    Question decide() {
        const bool any = std::any_of(open_.begin(), open_.end(), [&](int f) { return affordable(f); });
        if (!any) return {};
        if (policy_.needs_hypotheses()) hypotheses_.count_regions();
        std::size_t at = 0;
        if (!policy_.stop.empty() && stops(at)) return {};
        score(policy_.criterion, gain_);
        const bool informed = std::any_of(gain_.begin(), gain_.end(), [](double g) { return g > 0.0; });
        if (!informed && policy_.criterion != Criterion::ig) score(Criterion::ig, gain_);  // survivors agree, the rule does not stop
        Question best;
        double best_rate = -INFINITY;
        for (std::size_t i = 0; i < open_.size(); ++i) {
            const int f = open_[i];
            if (!affordable(f)) continue;
            const double p = price(f), rate = gain_[i] / std::max(p, 1e-300);
            if (rate > best_rate || (rate == best_rate && p < best.price)) {
                best = {f, p, gain_[i]};
                best_rate = rate;
            }
        }
        return best;
    }

    void score(Criterion criterion, std::vector<double>& gain) {
        gain.resize(open_.size());
        if (criterion == Criterion::ig) posterior(log_theta_, posterior_);
        if (criterion == Criterion::random) {  // from a stream of its own, so that asking changes nothing
            Random order(seed_ + open_.size(), ~number_);
            for (double& g : gain) g = order.uniform();
            return;
        }
        if (criterion == Criterion::ig) {
            for (std::size_t i = 0; i < open_.size(); ++i) gain[i] = ig(shape(), theta_, posterior_, open_[i]);
            return;
        }
        const std::vector<double>& totals = hypotheses_.totals();
        const int n_regions = static_cast<int>(totals.size());
        const double total = sum_of(totals.data(), n_regions), edges = edge_weight(totals.data(), n_regions, total);
        for (std::size_t i = 0; i < open_.size(); ++i) {
            const int n_outcomes = shape().n_outcomes(open_[i]);
            hypotheses_.masses(open_[i], mass_);
            gain[i] = criterion == Criterion::us ? us(mass_, n_outcomes, n_regions, total) : ec2(mass_, n_outcomes, n_regions, total, edges);
        }
    }

    // Evaluates the stop rule that starts at `at` in prefix order and moves `at` behind it.
    bool stops(std::size_t& at) {
        const Stop rule = policy_.stop[at++];
        switch (rule.kind) {
            case Stop::Kind::region: return hypotheses_.totals().size() <= 1;
            case Stop::Kind::confidence:
                predict(posterior_);
                return *std::max_element(posterior_.begin(), posterior_.end()) >= rule.value;
            case Stop::Kind::budget:
                return std::none_of(open_.begin(), open_.end(), [&](int f) { return spent_ + price(f) <= rule.value * (1.0 + 1e-12); });
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

    // Whether all remaining questions together could save more loss than the cheapest of them costs.
    bool worth_asking(double worth) {
        double cheapest = INFINITY;
        for (const int f : open_) {
            if (affordable(f)) cheapest = std::min(cheapest, price(f));
        }
        posterior(log_theta_, posterior_);
        const int answer = problem_->loss.best(posterior_.data()).first;
        return hypotheses_.regret_exceeds(cheapest / worth, answer, problem_->loss);
    }
};

}  // namespace ufodt
