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
            [](Selection* self, const std::shared_ptr<Problem>& problem, int size, const std::string& by,
               double epsilon, double step, double radius) {
                if (by != "information" && by != "weights") throw std::invalid_argument("no such merit: " + by);
                new (self) Selection(SelectionSettings{size, epsilon, by == "weights", step, radius}, *problem);
            },
            "problem"_a, nb::kw_only(), "size"_a = 0, "by"_a = "information", "epsilon"_a = 0.05, "step"_a = 0.05,
            "radius"_a = 10.0, nb::keep_alive<1, 2>())
        .def_prop_ro("on", &Selection::on)
        .def_prop_ro(
            "weights",
            [](const Selection& s) {
                return to_numpy(s.perceptrons() ? s.perceptrons()->weights() : std::vector<double>());
            },
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
                if (!s.perceptrons()) return;
                if (weights) s.perceptrons()->update_table(belief, cases, labels.data(), weights->data());
                else s.perceptrons()->update_many(belief, cases, labels.data());
            },
            "belief"_a, "problem"_a, "outcomes"_a.noconvert(), "labels"_a.noconvert(),
            "values"_a.noconvert() = nb::none(), "weights"_a.noconvert() = nb::none())
        .def(
            "merge",
            [](Selection& s, const Selection& other) {
                if (!s.perceptrons() || !other.perceptrons()) throw std::invalid_argument("the weights do not fit");
                s.perceptrons()->merge(*other.perceptrons());
            },
            "other"_a)
        .def(
            "set_weights",
            [](Selection& s, const Numbers& weights) {
                if (s.perceptrons()) s.perceptrons()->set_weights(to_vector(weights));
                else if (weights.size() > 0) throw std::invalid_argument("the weights do not fit");
            },
            "weights"_a);
}

}  // namespace
}  // namespace ufodt
