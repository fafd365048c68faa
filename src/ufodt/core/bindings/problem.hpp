// Problem and Policy: what may be asked at what price, and how to choose.
#pragma once

#include <functional>
#include <iterator>

#include "../border.hpp"

namespace ufodt {
namespace {

using namespace nb::literals;

// All features, each after what it needs: each round settles those that need nothing unsettled.
std::vector<int> in_order(const std::vector<std::vector<int>>& needs) {
    std::vector<int> order;
    std::vector<std::uint8_t> settled(needs.size(), 0);
    for (bool moved = true; moved;) {
        moved = false;
        for (std::size_t f = 0; f < needs.size(); ++f) {
            const auto is_settled = [&](int other) { return settled[other]; };
            if (settled[f] || !std::all_of(needs[f].begin(), needs[f].end(), is_settled)) continue;
            settled[f] = 1;
            order.push_back(static_cast<int>(f));
            moved = true;
        }
    }
    if (order.size() < needs.size()) throw std::invalid_argument("a feature needs itself in the end");
    return order;
}

// How many questions a feature takes: all that it needs in turn, and itself.
std::size_t count_steps(int feature, const std::vector<std::vector<int>>& needs) {
    std::vector<std::uint8_t> is_counted(needs.size(), 0);
    std::vector<int> steps = {feature};
    is_counted[feature] = 1;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        for (const int f : needs[steps[i]]) {
            if (!std::exchange(is_counted[f], 1)) steps.push_back(f);
        }
    }
    return steps.size();
}

std::shared_ptr<Problem> make_problem(const std::vector<int>& n_outcomes, int n_labels, std::vector<double> price,
                                      std::vector<double> later_price, std::vector<int> group, const Numbers& loss,
                                      std::vector<double> surcharge, std::vector<std::uint8_t> mandatory,
                                      std::vector<std::vector<int>> needs, std::vector<std::vector<int>> computed_from,
                                      std::vector<std::uint8_t> continuous, Cuts cuts) {
    auto problem = std::make_shared<Problem>();
    problem->shape = Shape(n_outcomes, n_labels);
    const std::size_t n = n_outcomes.size();
    if (price.size() != n || later_price.size() != n || group.size() != n)
        throw std::invalid_argument("one price and group per feature is expected");
    for (const std::size_t given :
         {mandatory.size(), needs.size(), computed_from.size(), continuous.size(), cuts.size()}) {
        if (given != 0 && given != n) throw std::invalid_argument("one entry per feature is expected, or none");
    }
    mandatory.resize(n), needs.resize(n), computed_from.resize(n), continuous.resize(n), cuts.resize(n);
    if (!surcharge.empty() && static_cast<int>(surcharge.size()) != problem->shape.n_rows)
        throw std::invalid_argument("one surcharge per outcome is expected");
    for (std::size_t f = 0; f < n; ++f) {
        if (!is_amount(price[f]) || !(is_amount(later_price[f]) || later_price[f] == INFINITY))
            throw std::invalid_argument("prices must be finite and not negative");
        if (group[f] < -1 || group[f] >= static_cast<int>(n)) throw std::invalid_argument("no such group");
        problem->n_groups = std::max(problem->n_groups, group[f] + 1);
        for (const int other : needs[f]) check_feature(problem->shape, other);
        for (const int other : computed_from[f]) check_feature(problem->shape, other);
        if (std::adjacent_find(cuts[f].begin(), cuts[f].end(), std::greater_equal<>()) != cuts[f].end())
            throw std::invalid_argument("cut points must rise");
        const bool fits =
            cuts[f].empty() || n_outcomes[f] == 2 || n_outcomes[f] == static_cast<int>(cuts[f].size()) + 1;
        if (!fits) throw std::invalid_argument("one more outcome than cut points is expected");
    }
    const std::vector<int> order = in_order(needs);
    if (!std::all_of(surcharge.begin(), surcharge.end(), is_amount))
        throw std::invalid_argument("surcharges must be finite and not negative");
    if (loss.size() != static_cast<std::size_t>(n_labels) * n_labels)
        throw std::invalid_argument("the loss must be square in the labels");
    problem->price = std::move(price);
    problem->later_price = std::move(later_price);
    problem->surcharge = std::move(surcharge);
    problem->group = std::move(group);
    std::copy_if(order.rbegin(), order.rend(), std::back_inserter(problem->mandatory),
                 [&](int f) { return mandatory[f]; });
    for (const int f : problem->mandatory) problem->n_steps.push_back(count_steps(f, needs));
    problem->needs = std::move(needs);
    problem->computed_from = std::move(computed_from);
    problem->continuous = std::move(continuous);
    problem->cuts = std::move(cuts);
    problem->loss.set(n_labels, to_vector(loss));
    if (!are_finite(problem->loss.of)) throw std::invalid_argument("the loss must be finite");
    return problem;
}

void bind_problem(nb::module_& m) {
    nb::class_<Problem>(m, "Problem")
        .def(nb::new_(&make_problem), "n_outcomes"_a, "n_labels"_a, "price"_a, "later_price"_a, "group"_a, "loss"_a,
             nb::kw_only(), "surcharge"_a = std::vector<double>(), "mandatory"_a = std::vector<std::uint8_t>(),
             "needs"_a = std::vector<std::vector<int>>(), "computed_from"_a = std::vector<std::vector<int>>(),
             "continuous"_a = std::vector<std::uint8_t>(), "cuts"_a = Cuts())
        .def_prop_ro("n_outcomes",
                     [](const Problem& p) {
                         std::vector<int> n;
                         for (int f = 0; f < p.shape.n_features; ++f) n.push_back(p.shape.n_outcomes(f));
                         return n;
                     })
        .def_prop_ro("n_features", [](const Problem& p) { return p.shape.n_features; })
        .def_prop_ro("n_labels", [](const Problem& p) { return p.shape.n_labels; })
        .def_prop_ro("has_one_loss", [](const Problem& p) { return p.loss.is_uniform; })
        .def_prop_ro("n_rows", [](const Problem& p) { return p.shape.n_rows; })
        .def_prop_ro("continuous", [](const Problem& p) { return p.continuous; });
}

std::vector<Stop> make_stop(const std::vector<std::tuple<std::string, double, int>>& rules) {
    std::vector<Stop> stop;
    for (const auto& [name, value, n_children] : rules) {
        Stop::Kind kind;
        if (name == "region") kind = Stop::Kind::region;
        else if (name == "confidence") kind = Stop::Kind::confidence;
        else if (name == "budget") kind = Stop::Kind::budget;
        else if (name == "cost_benefit") kind = Stop::Kind::cost_benefit;
        else if (name == "any") kind = Stop::Kind::any;
        else if (name == "all") kind = Stop::Kind::all;
        else throw std::invalid_argument("no such stop rule: " + name);
        const bool combines = kind == Stop::Kind::any || kind == Stop::Kind::all;
        bool fine = combines ? n_children > 0 : n_children == 0;
        if (kind == Stop::Kind::confidence) fine &= value > 0.0 && value <= 1.0;
        if (kind == Stop::Kind::budget) fine &= value >= 0.0;
        if (kind == Stop::Kind::cost_benefit) fine &= value > 0.0 && std::isfinite(value);
        if (!fine) throw std::invalid_argument("the stop rule is not well formed: " + name);
        stop.push_back({kind, value, n_children});
    }
    std::size_t wanted = stop.empty() ? 0 : 1;  // rules still to come in prefix order
    for (const Stop& rule : stop) {
        if (wanted == 0) throw std::invalid_argument("the stop rule is not well formed");
        wanted += static_cast<std::size_t>(rule.n_children) - 1;
    }
    if (wanted != 0) throw std::invalid_argument("the stop rule is not well formed");
    return stop;
}

Plans make_plans(const std::string& name) {
    if (name == "draw") return Plans::draw;
    if (name == "mean") return Plans::mean;
    if (name == "both") return Plans::both;
    throw std::invalid_argument("nothing to plan under is called " + name);
}

void bind_policy(nb::module_& m) {
    nb::class_<Policy>(m, "Policy")
        .def(
            "__init__",
            [](Policy* self, const std::string& criterion,
               const std::vector<std::tuple<std::string, double, int>>& stop, double budget, int n_hypotheses,
               bool distinct, int redraw_below, bool predict_theta, const std::string& plan, std::size_t lookahead,
               bool greedy, double spend_to_learn) {
                if (n_hypotheses < 1 || n_hypotheses > 1'000'000)
                    throw std::invalid_argument("n_hypotheses must be 1 to 1,000,000");
                if (redraw_below < 0) throw std::invalid_argument("redraw_below must not be negative");
                if (!(spend_to_learn >= 0.0 && spend_to_learn <= 1.0))
                    throw std::invalid_argument("spend_to_learn must be a share from 0 to 1");
                if (!(budget >= 0.0)) throw std::invalid_argument("the budget must not be negative");
                new (self) Policy{.criterion = make_criterion(criterion),
                                  .stop = make_stop(stop),
                                  .budget = budget,
                                  .n_hypotheses = n_hypotheses,
                                  .distinct = distinct,
                                  .redraw_below = redraw_below,
                                  .predict_theta = predict_theta,
                                  .plans = make_plans(plan),
                                  .spend_to_learn = spend_to_learn,
                                  .lookahead = lookahead,
                                  .greedy = greedy};
            },
            nb::kw_only(), "criterion"_a, "stop"_a, "budget"_a, "n_hypotheses"_a, "distinct"_a, "redraw_below"_a,
            "predict_theta"_a, "plan"_a, "lookahead"_a = Policy().lookahead, "greedy"_a = false,
            "spend_to_learn"_a = 0.0);
}

}  // namespace
}  // namespace ufodt
