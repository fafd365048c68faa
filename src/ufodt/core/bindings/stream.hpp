// Learning one labelled case, and whole streams.
#pragma once

#include "../border.hpp"

namespace ufodt {
namespace {

using namespace nb::literals;

using Marks = nb::ndarray<const std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

void check_marks(const Marks& marks, const Cases& cases) {
    if (marks.shape(0) != cases.size() || marks.shape(1) != static_cast<std::size_t>(cases.n_features))
        throw std::invalid_argument("one mark per case and feature is expected");
    for (std::size_t cell = 0; cell < marks.size(); ++cell) {
        const std::uint8_t mark = marks.data()[cell];
        if (mark > static_cast<std::uint8_t>(Mark::charged)) throw std::invalid_argument("there is no such mark");
        if (mark == static_cast<std::uint8_t>(Mark::known) && cases.outcomes[cell] < 0)
            throw std::invalid_argument("what is known needs a value");
    }
}

void bind_stream(nb::module_& m) {
    m.def(
        "learn",
        [](Belief& belief, Drift& drift, Selection& selection, const std::vector<PySeen>& given, int label,
           const std::vector<std::pair<int, double>>& rewards) {
            const std::vector<Seen> evidence = make_evidence(belief, given);
            check_label(belief.shape(), label);
            check_fits(belief.shape(), selection);
            std::vector<Reward> all;
            for (const auto& [view, amount] : rewards) {
                if (view < 0 || view >= belief.views().size() || !std::isfinite(amount))
                    throw std::out_of_range("no such threshold");
                all.push_back({view, amount});
            }
            learn({belief, drift, selection}, evidence, all, label);
        },
        "belief"_a, "drift"_a, "selection"_a, "evidence"_a, "label"_a,
        "rewards"_a = std::vector<std::pair<int, double>>());

    m.def(
        "learn_trust",
        [](Belief& belief, Tree& tree, const Outcomes& outcomes, const Labels& labels,
           const std::optional<Table>& values, const std::optional<Numbers>& weights, double share) {
            check_fits(tree.problem(), belief);
            std::vector<int> column;
            const Cases cases = make_cases(tree.problem(), outcomes, values, column);
            check_labels(belief.shape(), labels, outcomes.shape(0));
            if (weights && weights->size() != outcomes.shape(0)) throw std::invalid_argument("one weight per case");
            nb::gil_scoped_release free;
            learn_trust(belief, tree, cases, labels.data(), weights ? weights->data() : nullptr, share);
        },
        "belief"_a, "tree"_a, "outcomes"_a.noconvert(), "labels"_a.noconvert(), "values"_a.noconvert() = nb::none(),
        "weights"_a.noconvert() = nb::none(), nb::kw_only(), "share"_a = 1.0);

    m.def(
        "run",
        [](const std::shared_ptr<Problem>& problem, const Policy& policy, Belief& belief, std::uint64_t seed,
           std::uint64_t number, const Outcomes& outcomes, const Labels& labels, const std::optional<Table>& values,
           Drift* drift, Selection* selection, const std::optional<Table>& prices,
           const std::optional<Numbers>& budgets, const std::optional<Marks>& marks, bool explore) {
            check_fits(*problem, belief);
            if (selection) check_fits(problem->shape, *selection);
            std::vector<int> column;
            const Cases cases = make_cases(*problem, outcomes, values, column);
            check_labels(problem->shape, labels, outcomes.shape(0));
            if (prices && (prices->shape(0) != outcomes.shape(0) || prices->shape(1) != outcomes.shape(1))) {
                throw std::invalid_argument("one price per case and feature is expected");
            }
            if (prices && !std::all_of(prices->data(), prices->data() + prices->size(), is_amount))
                throw std::invalid_argument("prices must be finite and not negative");
            if (budgets &&
                (budgets->size() != outcomes.shape(0) ||
                 !std::all_of(budgets->data(), budgets->data() + budgets->size(), [](double x) { return x >= 0.0; })))
                throw std::invalid_argument("a budget of zero or more per case is expected");
            if (marks) check_marks(*marks, cases);
            const Terms terms{prices ? prices->data() : nullptr, budgets ? budgets->data() : nullptr,
                              marks ? marks->data() : nullptr};
            Drift still;
            Selection everything({}, *problem);
            Record record;
            {
                nb::gil_scoped_release free;
                Plan plan(problem, policy);
                run(plan, {belief, drift ? *drift : still, selection ? *selection : everything}, seed, number, cases,
                    labels.data(), terms, record, explore);
            }
            return to_tuple(std::move(record));
        },
        "problem"_a, "policy"_a, "belief"_a, nb::kw_only(), "seed"_a, "number"_a, "outcomes"_a.noconvert(),
        "labels"_a.noconvert(), "values"_a.noconvert() = nb::none(), "drift"_a = nb::none(), "selection"_a = nb::none(),
        "prices"_a.noconvert() = nb::none(), "budgets"_a.noconvert() = nb::none(), "marks"_a.noconvert() = nb::none(),
        "explore"_a = true);
}

}  // namespace
}  // namespace ufodt
