// Problem and Policy: what may be asked at what price, and how to choose.
#pragma once

#include "../border.hpp"

namespace ufodt {
namespace {

using namespace nb::literals;

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
        .def_prop_ro("n_rows", [](const Problem& p) { return p.shape.n_rows; })
        .def_prop_ro("continuous", [](const Problem& p) { return p.continuous; });
}

void bind_policy(nb::module_& m) {
    nb::class_<Policy>(m, "Policy")
        .def(
            "__init__",
            [](Policy* self, const std::string& criterion,
               const std::vector<std::tuple<std::string, double, int>>& stop, double budget, int n_hypotheses,
               bool distinct, int redraw_below, bool predict_theta, const std::string& plan, std::size_t lookahead,
               bool greedy) {
                if (n_hypotheses < 1 || n_hypotheses > 1'000'000)
                    throw std::invalid_argument("n_hypotheses must be 1 to 1,000,000");
                if (redraw_below < 0) throw std::invalid_argument("redraw_below must not be negative");
                if (!(budget >= 0.0)) throw std::invalid_argument("the budget must not be negative");
                new (self) Policy{make_criterion(criterion),
                                  make_stop(stop),
                                  budget,
                                  n_hypotheses,
                                  distinct,
                                  redraw_below,
                                  predict_theta,
                                  make_plans(plan),
                                  lookahead,
                                  greedy};
            },
            nb::kw_only(), "criterion"_a, "stop"_a, "budget"_a, "n_hypotheses"_a, "distinct"_a, "redraw_below"_a,
            "predict_theta"_a, "plan"_a, "lookahead"_a = Policy().lookahead, "greedy"_a = false);
}

}  // namespace
}  // namespace ufodt
