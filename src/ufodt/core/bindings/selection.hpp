// Selection: which features are on offer.
#pragma once

#include "../border.hpp"

namespace ufodt {
namespace {

using namespace nb::literals;

void bind_selection(nb::module_& m) {
    nb::class_<Selection>(m, "Selection")
        .def(
            "__init__",
            [](Selection* self, const std::shared_ptr<Problem>& problem, int size, double epsilon, double step,
               double radius) { new (self) Selection(SelectionSettings{size, epsilon, step, radius}, problem->shape); },
            "problem"_a, nb::kw_only(), "size"_a = 0, "epsilon"_a = 0.3, "step"_a = 0.05, "radius"_a = 10.0,
            nb::keep_alive<1, 2>())
        .def_prop_ro("on", &Selection::on)
        .def_prop_ro(
            "weights", [](const Selection& s) { return to_numpy(std::vector<double>(s.weights())); },
            nb::rv_policy::move)
        .def(
            "update_many",
            [](Selection& s, const Belief& belief, const std::shared_ptr<Problem>& problem, const Outcomes& outcomes,
               const Labels& labels, const std::optional<Table>& values, const std::optional<Numbers>& weights) {
                std::vector<int> column;
                const Cases cases = make_cases(*problem, outcomes, values, column);
                if (weights && weights->size() != outcomes.shape(0))
                    throw std::invalid_argument("one weight per case is expected");
                check_fits(*problem, belief);
                check_fits(problem->shape, s);
                check_labels(belief.shape(), labels, outcomes.shape(0));
                nb::gil_scoped_release free;
                if (!s.on()) return;
                if (weights) s.update_table(belief, cases, labels.data(), weights->data());
                else s.update_many(belief, cases, labels.data());
            },
            "belief"_a, "problem"_a, "outcomes"_a.noconvert(), "labels"_a.noconvert(),
            "values"_a.noconvert() = nb::none(), "weights"_a.noconvert() = nb::none())
        .def("merge", &Selection::merge, "other"_a)
        .def(
            "set_weights", [](Selection& s, const Numbers& weights) { s.set_weights(to_vector(weights)); },
            "weights"_a);
}

}  // namespace
}  // namespace ufodt
