// How to choose what is asked: the settings of a plan.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "criteria.hpp"

namespace ufodt {

struct Stop {
    enum class Kind : std::uint8_t { region, confidence, budget, cost_benefit, any, all };
    Kind kind;
    double value;    // confidence level, budget, or the worth of one unit of loss
    int n_children;  // of any and all: they follow in prefix order
};

// Under a draw of theta, under the mean belief, or: ask what pays under the draw, then what still pays under the mean.
enum class Plans : std::uint8_t { draw, mean, both };

struct Policy {
    Criterion criterion = Criterion::ec2;
    std::vector<Stop> stop;
    double budget = INFINITY;  // no question may exceed it
    int n_hypotheses = 128;
    bool distinct = false;       // paper: distinct hypotheses weighted by P(h), else equal draws
    int redraw_below = 32;       // draw again given the evidence when fewer survive; 0: never
    bool predict_theta = false;  // paper: answer under the drawn theta, else under the mean belief
    Plans plans = Plans::draw;
    double spend_to_learn = 0.0;  // of the loss expected, by a case that would ask nothing
    std::size_t lookahead = 128;  // states that a stop by cost and benefit looks ahead over
    bool greedy = false;          // ask the criterion's best of what pays, not the first question of the best plan

    bool uses(Stop::Kind kind) const {
        return std::any_of(stop.begin(), stop.end(), [&](const Stop& s) { return s.kind == kind; });
    }
    bool needs_hypotheses() const { return reads(criterion) == Reads::hypotheses || uses(Stop::Kind::region); }

    // Whether nothing but cost and benefit, or a budget, ends the questions.
    bool stops_by_cost() const {
        return !uses(Stop::Kind::region) && !uses(Stop::Kind::confidence) && !uses(Stop::Kind::all);
    }

    // Hypotheses come from one theta, and the mean must be what answers. Only information gain was found to gain.
    bool plans_twice() const {
        return plans == Plans::both && criterion == Criterion::ig && !predict_theta && !needs_hypotheses() &&
               uses(Stop::Kind::cost_benefit);
    }
};

struct Question {
    int feature = -1;  // -1: stop asking
    double price = 0.0, gain = 0.0;
    bool is_to_learn = false;  // asked though none pays
};

}  // namespace ufodt
