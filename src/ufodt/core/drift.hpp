// A world that moves: forget a little with every case (the paper's "Handling Concept Drift"), or start anew when labels
// begin to surprise, as a change detector has it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "belief.hpp"

namespace ufodt {

struct DriftSettings {
    double gamma = 0.0;      // forgotten before every case that is learned
    bool automatic = false;  // watch for the world to move
    double threshold = 2.0;  // nats of surprise beyond what was to be expected that raise the alarm, at first
};

// Change detection that can be wrong cheaply. A Page-Hinkley test watches the surprise of each label, -log P(label),
// less its expectation, the entropy of the prediction. On alarm a newcomer that knows only the cases since the excess
// began takes over, and the old belief stays in reserve, learning on. Unless the newcomer proves better on trial the
// alarm was false: the reserve returns, and the test becomes slower to trust. While the newcomer knows little, a case
// is planned under several draws of theta, each asking until it would stop, so that the new world is learned fast.
class Drift {
  public:
    using Labelled = std::pair<std::vector<Seen>, int>;
    struct State {
        double n = 0.0, mean = 0.0, excess = 0.0;  // cases, mean surprise, and its excess
        double patience = 1.0;                     // times the threshold; grows with every false alarm
        double lead = 0.0, debt = 0.0;  // nats by which the reserve explains the labels better: of late, and in all
        std::int64_t n_alarms = 0, age = 0;  // alarms not taken back; cases since the last
        std::deque<Labelled> recent = {};    // the cases since the excess began
    };

    explicit Drift(const DriftSettings& settings = {}) : settings_(settings) {}

    const State& state() const { return state_; }
    const std::optional<Belief>& reserve() const { return reserve_; }
    void restore(State state, std::optional<Belief> reserve) {
        state_ = std::move(state), reserve_ = std::move(reserve);
    }

    // Under how many draws of theta a case is planned.
    int n_draws() const { return reserve_ && state_.age < young ? many_draws : 1; }

    // Learn a case, and forget what should be forgotten before.
    void learn(Belief& belief, const std::vector<Seen>& evidence, const std::vector<Reward>& rewards, int label) {
        if (settings_.gamma > 0.0) {
            belief.discount(settings_.gamma);
            if (reserve_) reserve_->discount(settings_.gamma);
        }
        if (settings_.automatic) {
            if (reserve_) review(belief, evidence, label);
            watch(belief, evidence, label);
            if (reserve_) reserve_->update(evidence, label, rewards);
        }
        belief.update(evidence, label, rewards);
    }

  private:
    static constexpr std::size_t max_recent = 64;
    static constexpr std::int64_t trial = 60;  // cases that the reserve is kept
    static constexpr std::int64_t young = 17;  // cases in which a newcomer asks more than it needs for the answer
    static constexpr int many_draws = 16;      // of theta, in these cases
    static constexpr double slack = 0.1;       // nats by which surprise may exceed its mean
    static constexpr double doubt = 0.1;       // share of every prediction that is taken to be chance
    static constexpr double enough = 3.0;      // nats of lead with which the reserve returns
    static constexpr double caution = 1.5;     // factor on the patience after a false alarm

    DriftSettings settings_;
    State state_;
    std::optional<Belief> reserve_;

    static double surprise(const Belief& belief, const std::vector<Seen>& evidence, int label,
                           double* entropy = nullptr) {
        std::vector<double> p;
        belief.posterior(evidence, p);
        double sum = 0.0;
        for (double& q : p) {
            q = (1.0 - doubt) * q + doubt / static_cast<double>(p.size());
            sum -= q * std::log(q);
        }
        if (entropy) *entropy = sum;
        return -std::log(p[label]);
    }

    void review(Belief& belief, const std::vector<Seen>& evidence, int label) {
        const double better = surprise(belief, evidence, label) - surprise(*reserve_, evidence, label);
        state_.lead = std::max(0.0, state_.lead + better);
        state_.debt += better;
        const bool over = ++state_.age >= trial;
        if (state_.lead > enough || (over && state_.debt > -enough)) {
            belief = std::move(*reserve_);
            reserve_.reset();
            state_.patience *= caution;
            --state_.n_alarms;
        } else if (over) {
            reserve_.reset();
        }
    }

    void watch(Belief& belief, const std::vector<Seen>& evidence, int label) {
        double entropy = 0.0;
        const double excess = surprise(belief, evidence, label, &entropy) - entropy;
        state_.n += 1.0;
        state_.mean += (excess - state_.mean) / state_.n;
        state_.excess = std::max(0.0, state_.excess + excess - std::max(state_.mean, 0.0) - slack);
        if (state_.excess == 0.0) state_.recent.clear();
        if (state_.excess > settings_.threshold * state_.patience) {
            reserve_ = belief;
            belief.clear();
            for (const Labelled& c : state_.recent) belief.update(c.first, c.second);
            state_ = {.patience = state_.patience, .n_alarms = state_.n_alarms + 1};
        }
        state_.recent.emplace_back(evidence, label);
        if (state_.recent.size() > max_recent) state_.recent.pop_front();
    }
};

}  // namespace ufodt
