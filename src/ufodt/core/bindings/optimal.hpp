// Optimal: the best policy for a known theta, and the bound on what it pays where it cannot be found.
#pragma once

#include "../border.hpp"

namespace ufodt {
namespace {

using namespace nb::literals;

void bind_optimal(nb::module_& m) {
    nb::class_<Optimum>(m, "Optimal")
        .def(
            "__init__",
            [](Optimum* self, const std::shared_ptr<Problem>& problem, const Table& theta, const Numbers& label,
               double worth, std::optional<std::vector<int>> open, std::vector<int> paid, std::vector<int> known,
               std::vector<double> price, double budget) {
                check_theta(problem->shape, theta, label);
                if (!(worth > 0.0 && std::isfinite(worth)))
                    throw std::invalid_argument("the worth must be finite and above zero");
                if (!price.empty() && static_cast<int>(price.size()) != problem->shape.n_features)
                    throw std::invalid_argument("one price per feature is expected");
                std::vector<int> features = open ? std::move(*open) : all_features(problem->shape);
                for (const std::vector<int>* list : {&features, &paid, &known}) {
                    for (const int f : *list) check_feature(problem->shape, f);
                }
                if (std::adjacent_find(features.begin(), features.end(), std::greater_equal<int>()) != features.end())
                    throw std::invalid_argument("open features must rise");
                Optimum made{problem,
                             to_cells(problem->shape, theta),
                             to_vector(label),
                             worth,
                             std::move(features),
                             std::move(paid),
                             std::move(known),
                             std::move(price),
                             budget};
                {
                    nb::gil_scoped_release free;
                    made.solve();
                }
                new (self) Optimum(std::move(made));
            },
            "problem"_a, "theta"_a.noconvert(), "label"_a.noconvert(), nb::kw_only(), "worth"_a = 1.0,
            "open"_a = nb::none(), "paid"_a = std::vector<int>(), "known"_a = std::vector<int>(),
            "price"_a = std::vector<double>(), "budget"_a = INFINITY)
        .def_prop_ro("expected", [](const Optimum& o) { return to_tuple(o.expected); })
        .def_prop_ro("tree", [](const Optimum& o) { return to_table(o.tree); })
        .def(
            "question",
            [](const Optimum& o, const std::vector<std::pair<int, int>>& evidence) {
                std::vector<std::uint8_t> seen(o.problem->shape.n_features, 0);
                for (const auto& [feature, outcome] : evidence) {
                    check_outcome(o.problem->shape, feature, outcome);
                    if (!std::binary_search(o.open.begin(), o.open.end(), feature))
                        throw std::invalid_argument("the feature is not open");
                    if (seen[feature]++) throw std::invalid_argument("a feature came twice");
                }
                const int feature = o.optimal.question(evidence);
                return feature < 0 ? std::nullopt : std::optional<int>(feature);
            },
            "evidence"_a);
}

void bind_bound(nb::module_& m) {
    m.def(
        "relaxed_bound",
        [](const std::shared_ptr<Problem>& problem, const Table& theta, const Numbers& label, double worth, int depth,
           int n_cases, std::uint64_t seed) {
            check_theta(problem->shape, theta, label);
            if (!(worth > 0.0 && std::isfinite(worth)))
                throw std::invalid_argument("the worth must be finite and above zero");
            if (depth < 0 || depth > Relaxation::max_depth || n_cases < 1 || problem->shape.n_rows >= 1 << 16)
                throw std::invalid_argument("the depth must be 0 to 4, and at least one case be drawn");
            const auto is_positive = [](double x) { return x > 0.0; };
            if (!std::all_of(theta.data(), theta.data() + theta.size(), is_positive) ||
                !std::all_of(label.data(), label.data() + label.size(), is_positive)) {
                throw std::invalid_argument("theta must be above zero everywhere");
            }
            const std::vector<double> labels = to_vector(label);
            nb::gil_scoped_release free;
            Random random(seed, 0);
            return Relaxation(*problem, theta.data(), labels, worth, n_cases, random).bound(depth);
        },
        "problem"_a, "theta"_a.noconvert(), "label"_a.noconvert(), nb::kw_only(), "worth"_a, "depth"_a, "n_cases"_a,
        "seed"_a);
}

}  // namespace
}  // namespace ufodt
