// Tree: the policy under one theta, unrolled.
#pragma once

#include "../border.hpp"

namespace ufodt {
namespace {

using namespace nb::literals;

void bind_tree(nb::module_& m) {
    nb::class_<Tree>(m, "Tree")
        .def(
            "__init__",
            [](Tree* self, const std::shared_ptr<Problem>& problem, const Policy& policy, const Belief& belief,
               std::uint64_t seed, std::uint64_t number, const Selection* selection) {
                check_fits(*problem, belief);
                new (self) Tree(problem, policy, belief, offered(*problem, belief, selection, false, seed, number),
                                seed, number);
            },
            "problem"_a, "policy"_a, "belief"_a, nb::kw_only(), "seed"_a, "number"_a, "selection"_a = nb::none())
        .def_prop_ro("n_nodes", [](const Tree& tree) { return tree.nodes().size(); })
        .def_prop_ro("cuts", [](const Tree& tree) { return tree.cuts(); })
        .def_prop_ro("has_thresholds", [](const Tree& tree) { return tree.has_views(); })
        .def(
            "unroll",
            [](Tree& tree, int max_depth, int max_missing, double min_share, std::size_t max_nodes,
               std::size_t n_steps) {
                if (tree.nodes().size() != std::max<std::size_t>(tree.reached().size(), 1))
                    throw std::invalid_argument("the tree was walked down before");
                nb::gil_scoped_release free;
                return tree.unroll({max_depth, max_missing, min_share, max_nodes}, n_steps);
            },
            nb::kw_only(), "max_depth"_a, "max_missing"_a, "min_share"_a, "max_nodes"_a, "n_steps"_a)
        .def("unrolled",
             [](const Tree& tree) {
                 const std::size_t n = tree.reached().size();
                 std::vector<std::int32_t> whole;  // parent, branch, feature (-1: none), answer, whether it is asked
                 std::vector<double> real;         // price, spent, threshold, share
                 for (std::size_t i = 0; i < n; ++i) {
                     const Tree::Node& node = tree.nodes()[i];
                     const Tree::Reached& reached = tree.reached()[i];
                     whole.insert(whole.end(), {node.parent, node.branch, node.feature, node.answer, reached.is_asked});
                     real.insert(real.end(), {node.price, node.spent, node.threshold, reached.share});
                 }
                 const std::size_t m = tree.shape().n_labels;
                 return std::make_tuple(
                     to_numpy(std::move(whole), {n, 5}), to_numpy(std::move(real), {n, 4}),
                     to_numpy(std::vector<double>(tree.posterior(0), tree.posterior(0) + n * m), {n, m}));
             })
        .def(
            "evaluate",
            [](Tree& tree, const Outcomes& outcomes, const std::optional<Table>& values) {
                std::vector<int> column;
                const Cases cases = make_cases(tree.problem(), outcomes, values, column);
                Record record;
                {
                    nb::gil_scoped_release free;
                    evaluate(tree, cases, record);
                }
                return to_tuple(std::move(record));
            },
            "outcomes"_a.noconvert(), "values"_a.noconvert() = nb::none())
        .def(
            "posteriors",
            [](Tree& tree, const Outcomes& outcomes, const std::optional<Table>& values) {
                std::vector<int> column;
                const Cases cases = make_cases(tree.problem(), outcomes, values, column);
                std::vector<double> all;
                {
                    nb::gil_scoped_release free;
                    posteriors(tree, cases, all);
                }
                return to_numpy(std::move(all), {outcomes.shape(0), static_cast<std::size_t>(tree.shape().n_labels)});
            },
            "outcomes"_a.noconvert(), "values"_a.noconvert() = nb::none())
        .def(
            "expected",
            [](Tree& tree, const Table& theta, const Numbers& label) {
                check_theta(tree.shape(), theta, label);
                const std::vector<double> labels = to_vector(label);
                std::vector<Visit> visits;
                Expected expected;
                {
                    nb::gil_scoped_release free;
                    expected = Judge(tree, theta.data(), labels).judge(visits);
                }
                return std::make_tuple(to_tuple(expected), to_table(visits));
            },
            "theta"_a.noconvert(), "label"_a.noconvert());
}

}  // namespace
}  // namespace ufodt
