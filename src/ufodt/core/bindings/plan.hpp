// Plan: one case, question by question.
#pragma once

#include "../border.hpp"

namespace ufodt {
namespace {

using namespace nb::literals;

std::optional<std::tuple<int, double, double>> to_question(const Question& q) {
    if (q.feature < 0) return std::nullopt;
    return std::tuple{q.feature, q.price, q.gain};
}

void check_open(const Plan& plan, int feature) {
    if (plan.is_settled(feature)) throw std::invalid_argument("the feature was told or skipped before");
}

void bind_plan(nb::module_& m) {
    const auto check = [](const Problem& problem, const Belief& belief, const std::vector<double>& price) {
        check_fits(problem, belief);
        check_prices(problem, price);
    };
    const auto begin = [check](Plan& plan, const Belief& belief, std::uint64_t seed, std::uint64_t number,
                               const Selection* selection, const Drift* drift, std::vector<double> price, double budget,
                               bool explore) {  // a case, in the memory of the last
        check(plan.problem(), belief, price);
        plan.begin(belief, seed, number, offered(plan.problem(), belief, selection, explore, seed, number),
                   {std::move(price), budget}, drift ? drift->n_draws() : 1);
        plan.keep_mean(belief);
    };
    const auto of_feature = [](auto method) {
        return [method](Plan& plan, int feature) {
            check_feature(plan.shape(), feature);
            return (plan.*method)(feature);
        };
    };
    nb::class_<Plan>(m, "Plan")
        .def(
            "__init__",
            [check, begin](Plan* self, const std::shared_ptr<Problem>& problem, const Policy& policy,
                           const Belief& belief, std::uint64_t seed, std::uint64_t number, const Selection* selection,
                           const Drift* drift, std::vector<double> price, double budget, bool explore) {
                check(*problem, belief, price);  // before there is a plan to destroy
                begin(*new (self) Plan(problem, policy), belief, seed, number, selection, drift, std::move(price),
                      budget, explore);
            },
            "problem"_a, "policy"_a, "belief"_a, nb::kw_only(), "seed"_a, "number"_a, "selection"_a = nb::none(),
            "drift"_a = nb::none(), "price"_a = std::vector<double>(), "budget"_a = INFINITY, "explore"_a = true)
        .def("begin", begin, "belief"_a, nb::kw_only(), "seed"_a, "number"_a, "selection"_a = nb::none(),
             "drift"_a = nb::none(), "price"_a = std::vector<double>(), "budget"_a = INFINITY, "explore"_a = true)
        .def("reset", &Plan::reset)
        .def("next", [](Plan& plan) { return to_question(plan.next()); })
        .def(
            "observe",
            [](Plan& plan, int feature, int outcome, bool paid) {
                if (outcome != -1 || !plan.problem().continuous.at(feature))
                    check_outcome(plan.shape(), feature, outcome);
                check_open(plan, feature);
                std::vector<double> before;
                plan.predict(before);
                before.push_back(plan.trust());
                plan.observe(feature, outcome, paid);
                return nb::bytes(before.data(), before.size() * sizeof(double));  // for explanations
            },
            "feature"_a, "outcome"_a, "paid"_a = true)
        .def(
            "skip",
            [](Plan& plan, int feature, bool charged) {
                check_feature(plan.shape(), feature);
                check_open(plan, feature);
                plan.skip(feature, charged);
            },
            "feature"_a, "charged"_a = false)
        .def("is_duty", of_feature(&Plan::is_duty), "feature"_a)
        .def(
            "outcome",
            [](Plan& plan, int feature, double value) {
                check_feature(plan.shape(), feature);
                return plan.outcome(feature, value);
            },
            "feature"_a, "value"_a)
        .def("threshold", of_feature(&Plan::view_number), "feature"_a)
        .def("cuts", of_feature(&Plan::cuts), "feature"_a)
        .def("rewards",
             [](const Plan& plan) {
                 std::vector<std::pair<int, double>> all;
                 for (const Reward& reward : plan.rewards()) all.emplace_back(reward.view, reward.amount);
                 return all;
             })
        .def("price", of_feature(&Plan::price), "feature"_a)
        .def(
            "charge",
            [](const Plan& plan, int feature, int outcome) {
                if (outcome == -1) check_feature(plan.shape(), feature);
                else check_outcome(plan.shape(), feature, outcome);
                return plan.charge(feature, outcome);
            },
            "feature"_a, "outcome"_a)
        .def("most", of_feature(&Plan::most), "feature"_a)
        .def("fits", of_feature(&Plan::fits), "feature"_a)
        .def_prop_ro("left", &Plan::left)
        .def_prop_ro("spent", &Plan::spent)
        .def_prop_ro("trust", &Plan::trust)
        .def_prop_ro("asks_to_learn", [](Plan& plan) { return plan.next().is_to_learn; })
        .def("predict",
             [](const Plan& plan) {
                 std::vector<double> p;
                 const int answer = plan.predict(p);
                 return std::make_tuple(answer, std::move(p));
             })
        .def("gains",
             [](Plan& plan) {
                 std::vector<double> gain;
                 plan.gains(gain);
                 std::vector<std::tuple<int, double, double>> all;
                 for (std::size_t i = 0; i < gain.size(); ++i) {
                     const int f = plan.open_features()[i];
                     all.emplace_back(f, plan.price(f), gain[i]);
                 }
                 return all;
             })
        .def("paying", &Plan::paying)
        .def(
            "outlook",
            [](Plan& plan, int feature) {
                check_feature(plan.shape(), feature);
                std::vector<double> rows;
                plan.outlook(feature, rows);
                return to_numpy(std::move(rows), {static_cast<std::size_t>(plan.shape().n_outcomes(feature)),
                                                  static_cast<std::size_t>(plan.shape().n_labels) + 1});
            },
            "feature"_a)
        .def(
            "answer",
            [](const Plan& plan, const std::vector<double>& p) {
                if (p.size() != static_cast<std::size_t>(plan.shape().n_labels))
                    throw std::invalid_argument("expected one probability for each label");
                return plan.problem().loss.best(p.data()).first;
            },
            "p"_a)
        .def("theta",
             [](const Plan& plan) {
                 return std::make_tuple(table(plan.shape(), plan.theta().p),
                                        to_numpy(std::vector<double>(plan.theta().label)));
             })
        .def("hypotheses", [](Plan& plan) {
            plan.prepare();
            const Hypotheses& all = plan.hypotheses();
            const int n_features = plan.shape().n_features;
            std::vector<std::int32_t> outcomes, regions;
            std::vector<double> weights;
            for (int lane = 0; lane < all.n(); ++lane) {
                if (!all.is_alive(lane)) continue;
                for (int f = 0; f < n_features; ++f) outcomes.push_back(plan.is_open(f) ? all.outcome_of(lane, f) : -1);
                regions.push_back(all.region_of(lane));
                weights.push_back(all.weight_of(lane));
            }
            const std::size_t n = regions.size();
            return std::make_tuple(to_numpy(std::move(outcomes), {n, static_cast<std::size_t>(n_features)}),
                                   to_numpy(std::move(regions)), to_numpy(std::move(weights)));
        });
}

}  // namespace
}  // namespace ufodt
