// Drift: a world that moves.
#pragma once

#include <deque>

#include "../border.hpp"

namespace ufodt {
namespace {

using namespace nb::literals;

void bind_drift(nb::module_& m) {
    nb::class_<Drift>(m, "Drift")
        .def(
            "__init__",
            [](Drift* self, double gamma, bool automatic, double threshold) {
                new (self) Drift(DriftSettings{.gamma = gamma, .automatic = automatic, .threshold = threshold});
            },
            nb::kw_only(), "gamma"_a = 0.0, "automatic"_a = false, "threshold"_a = 2.0)
        .def_prop_ro("n_alarms", [](const Drift& d) { return d.state().n_alarms; })
        .def_prop_ro("reserve", [](const Drift& d) { return d.reserve(); })
        .def("state",
             [](const Drift& d) {
                 const Drift::State& s = d.state();
                 std::vector<std::pair<std::vector<PySeen>, int>> recent;
                 for (const auto& [evidence, label] : s.recent) {
                     recent.emplace_back(std::vector<PySeen>(), label);
                     for (const Seen& seen : evidence)
                         recent.back().first.emplace_back(seen.feature, seen.outcome, seen.value, seen.view);
                 }
                 return std::make_tuple(s.n, s.mean, s.excess, s.patience, s.lead, s.debt, s.n_alarms, s.age,
                                        std::move(recent));
             })
        .def(
            "restore",
            [](Drift& d, const Belief& belief,
               const std::tuple<double, double, double, double, double, double, std::int64_t, std::int64_t,
                                std::vector<std::pair<std::vector<PySeen>, int>>>& given,
               const Belief* reserve) {
                const auto& [n, mean, excess, patience, lead, debt, n_alarms, age, cases] = given;
                if (reserve && !(reserve->shape() == belief.shape()))
                    throw std::invalid_argument("the reserve does not fit the belief");
                for (const double x : {n, mean, excess, patience, lead, debt}) {
                    if (!std::isfinite(x)) throw std::invalid_argument("what drift has watched must be finite");
                }
                if (n_alarms < 0 || age < 0) throw std::invalid_argument("alarms and cases are not counted below zero");
                std::deque<Drift::Labelled> recent;
                for (const auto& [evidence, label] : cases) {
                    check_label(belief.shape(), label);
                    recent.emplace_back(make_evidence(belief, evidence), label);
                }
                d.restore({n, mean, excess, patience, lead, debt, n_alarms, age, std::move(recent)},
                          reserve ? std::optional<Belief>(*reserve) : std::nullopt);
            },
            "belief"_a, "state"_a, "reserve"_a.none());
}

}  // namespace
}  // namespace ufodt
