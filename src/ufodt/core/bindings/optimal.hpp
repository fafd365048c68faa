// Optimal: the best policy for a known theta, and the bound on what it pays where it cannot be found.
#pragma once

#include <functional>

#include "../border.hpp"

namespace ufodt {
namespace {

using namespace nb::literals;

// The exact optimum of a whole case, with all that it refers to.
struct SolvedCase {
    std::shared_ptr<const Problem> problem;
    std::vector<double> theta, label;
    double worth;
    std::vector<int> open, paid, known;  // what may still be asked; what was paid for, and what was known for nothing
    std::vector<double> price;           // of this case, if not empty
    double budget;
    Optimal optimal = {};
    Expected expected = {};
    std::vector<Visit> tree = {};

    void solve() {
        Purse purse;
        purse.take(*problem, {price, INFINITY});
        purse.reset();
        for (const int f : paid) purse.buy(f);
        for (const int f : known) purse.know(f);
        optimal.solve(*problem, theta.data(), label, open, purse, worth, budget);
        expected = optimal.unroll(tree);
    }
};

void bind_optimal(nb::module_& m) {
    nb::class_<SolvedCase>(m, "Optimal")
        .def(
            "__init__",
            [](SolvedCase* self, const std::shared_ptr<Problem>& problem, const Table& theta, const Numbers& label,
               double worth, std::optional<std::vector<int>> open, std::vector<int> paid, std::vector<int> known,
               std::vector<double> price, double budget) {
                check_theta(problem->shape, theta, label);
                check_worth(worth);
                check_prices(*problem, price);
                std::vector<int> features = open ? std::move(*open) : all_features(problem->shape);
                for (const std::vector<int>* list : {&features, &paid, &known}) {
                    for (const int f : *list) check_feature(problem->shape, f);
                }
                if (std::adjacent_find(features.begin(), features.end(), std::greater_equal<int>()) != features.end())
                    throw std::invalid_argument("open features must rise");
                SolvedCase made{.problem = problem,
                                .theta = to_cells(problem->shape, theta),
                                .label = to_vector(label),
                                .worth = worth,
                                .open = std::move(features),
                                .paid = std::move(paid),
                                .known = std::move(known),
                                .price = std::move(price),
                                .budget = budget};
                {
                    nb::gil_scoped_release free;
                    made.solve();
                }
                new (self) SolvedCase(std::move(made));
            },
            "problem"_a, "theta"_a.noconvert(), "label"_a.noconvert(), nb::kw_only(), "worth"_a = 1.0,
            "open"_a = nb::none(), "paid"_a = std::vector<int>(), "known"_a = std::vector<int>(),
            "price"_a = std::vector<double>(), "budget"_a = INFINITY)
        .def_prop_ro("expected", [](const SolvedCase& o) { return to_tuple(o.expected); })
        .def_prop_ro("tree", [](const SolvedCase& o) { return to_table(o.tree); })
        .def(
            "question",
            [](const SolvedCase& o, const std::vector<std::pair<int, int>>& evidence) {
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
           int n_cases, std::uint64_t seed, bool keeps_duties) {
            check_theta(problem->shape, theta, label);
            check_worth(worth);
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
            Problem relaxed = *problem;
            if (!keeps_duties) relaxed.mandatory.clear();
            return Relaxation(relaxed, theta.data(), labels, worth, n_cases, random).bound(depth);
        },
        "problem"_a, "theta"_a.noconvert(), "label"_a.noconvert(), nb::kw_only(), "worth"_a, "depth"_a, "n_cases"_a,
        "seed"_a, "keeps_duties"_a = true);
}

}  // namespace
}  // namespace ufodt
