"""The border of the core: what does not fit is refused with an exception, and nothing behind it moves."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ufodt import core

from .small import Small, policy, small


@pytest.fixture
def case() -> Small:
    """Two features of 2 and 3 outcomes, two labels; one case learned."""
    case = small([2, 3])
    case.belief.update([(0, 1), (1, 2)], 1)
    return case


def make(**changes: Any) -> core.Problem:
    fields: dict[str, Any] = {
        "n_outcomes": [2, 3],
        "n_labels": 2,
        "price": [1.0, 1.0],
        "later_price": [1.0, 1.0],
        "group": [-1, 0],
        "loss": np.eye(2),
    }
    return core.Problem(**{**fields, **changes})


@pytest.mark.parametrize(
    "changes",
    [
        {"n_outcomes": [2, 1]},
        {"n_outcomes": [2, core.MAX_OUTCOMES + 1]},
        {"n_outcomes": [2, -3]},
        {"n_outcomes": [2]},
        {"n_outcomes": [2, 3, 3]},
        {"n_labels": 0},
        {"n_labels": -1},
        {"n_labels": core.MAX_LABELS + 1, "loss": np.zeros((core.MAX_LABELS + 1,) * 2)},
        {"n_labels": 3},
        {"price": [1.0]},
        {"price": [1.0, -0.5]},
        {"price": [1.0, math.nan]},
        {"price": [1.0, math.inf]},
        {"later_price": [1.0, -math.inf]},
        {"later_price": [-1.0, 1.0]},
        {"group": [0]},
        {"group": [-2, 0]},
        {"group": [0, 2]},
        {"loss": np.eye(3)},
        {"loss": np.array([[0.0, math.nan], [1.0, 0.0]])},
        {"loss": np.array([[0.0, math.inf], [1.0, 0.0]])},
        {"mandatory": [1]},
        {"mandatory": [0, 1, 0]},
        {"computed_from": [[1], [], [0]]},
        {"continuous": [1]},
        {"needs": [[1]]},
        {"needs": [[1], [0]]},
        {"needs": [[0], []]},
        {"continuous": [0, 1], "cuts": [[], [1.0, 1.0]]},
        {"continuous": [0, 1], "cuts": [[], [2.0, 1.0]]},
        {"surcharge": [0.0, 0.0, 0.0, 0.0, math.nan]},
    ],
    ids=str,
)
def test_a_problem_out_of_range_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        make(**changes)


@pytest.mark.parametrize(
    "changes",
    [{"n_outcomes": "ab"}, {"n_labels": 2.5}, {"price": None}, {"loss": "loss"}, {"group": [None, 0]}],
    ids=str,
)
def test_a_problem_of_wrong_types_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(TypeError):
        make(**changes)


def test_more_cells_than_can_be_counted_are_refused() -> None:
    n = 10_000
    with pytest.raises(ValueError, match="too many"):
        make(
            n_outcomes=[core.MAX_OUTCOMES] * n,
            n_labels=core.MAX_LABELS,
            price=[1.0] * n,
            later_price=[1.0] * n,
            group=[-1] * n,
            loss=np.zeros((core.MAX_LABELS,) * 2),
        )


def test_the_limits_themselves_are_allowed() -> None:
    problem = make(n_outcomes=[core.MAX_OUTCOMES, 2], n_labels=core.MAX_LABELS, loss=np.zeros((core.MAX_LABELS,) * 2))
    belief = core.Belief(problem, np.ones((problem.n_rows, core.MAX_LABELS)), np.ones(core.MAX_LABELS), True)
    plan = core.Plan(problem, policy(), belief, seed=0, number=0)
    plan.observe(0, core.MAX_OUTCOMES - 1)
    assert sum(plan.predict()[1]) == pytest.approx(1.0)


@pytest.mark.parametrize(
    "changes",
    [
        {"criterion": "best"},
        {"stop": [("soon", 0.0, 0)]},
        {"stop": [("any", 0.0, 2), ("region", 0.0, 0)]},
        {"stop": [("any", 0.0, 1), ("region", 0.0, 0), ("region", 0.0, 0)]},
        {"stop": [("region", 0.0, 0), ("region", 0.0, 0)]},
        {"stop": [("all", 0.0, -1)]},
        {"stop": [("any", 0.0, 2**31 - 1)]},
        {"stop": [("any", 0.0, 6), ("region", 0.0, -5)]},
        {"budget": -1.0},
        {"budget": math.nan},
        {"n_hypotheses": 0},
        {"n_hypotheses": 1_000_001},
        {"redraw_below": -1},
    ],
    ids=str,
)
def test_a_policy_out_of_range_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        policy(**changes)


@pytest.mark.parametrize(
    "changes", [{"n_hypotheses": 2.5}, {"n_hypotheses": 2**40}, {"stop": [("region",)]}, {"distinct": "no"}]
)
def test_a_policy_of_wrong_types_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(TypeError):
        policy(**changes)


@pytest.mark.parametrize(
    ("prior", "label_prior"),
    [
        (np.ones((4, 2)), np.ones(2)),
        (np.ones((5, 3)), np.ones(2)),
        (np.ones((5, 2)), np.ones(3)),
        (np.zeros((5, 2)), np.ones(2)),
        (np.full((5, 2), -1.0), np.ones(2)),
        (np.full((5, 2), math.nan), np.ones(2)),
        (np.ones((5, 2)), np.array([1.0, math.inf])),
        (np.ones((5, 2)), np.array([1.0, 0.0])),
        (np.ones((2, 5)), np.ones(2)),
        (np.ones(10), np.ones(2)),
    ],
)
def test_a_prior_that_does_not_fit_is_refused(case: Small, prior: np.ndarray, label_prior: np.ndarray) -> None:
    with pytest.raises((ValueError, TypeError)):
        core.Belief(case.problem, prior, label_prior, True)


INT16, INT32 = np.int16, np.int32
TABLE, LABELS = np.array([[0, 1]], dtype=INT16), np.array([0], dtype=INT32)


def refused(case: Small, door: Callable[[], Any]) -> None:
    before = case.belief.counts
    with pytest.raises((ValueError, IndexError, TypeError)):
        door()
    np.testing.assert_array_equal(case.belief.counts, before)


def run(case: Small, outcomes: Any, labels: Any) -> Any:
    return core.run(case.problem, policy(), case.belief, seed=0, number=0, outcomes=outcomes, labels=labels)


@pytest.mark.parametrize(
    "outcomes",
    [
        np.array([[0, 3]], dtype=INT16),
        np.array([[0, -2]], dtype=INT16),
        np.array([[0, 1, 1]], dtype=INT16),
        np.array([[0]], dtype=INT16),
        np.array([0, 1], dtype=INT16),
        [[0, 1]],
        None,
        np.array([["a", "b"]]),
        np.array([[None, 1]], dtype=object),
        TABLE.astype(complex),
        np.array([[0.7, 1.7]]),
        np.array([[65536, 65537]]),
    ],
    ids=repr,
)
def test_outcomes_that_do_not_fit_are_refused(case: Small, outcomes: Any) -> None:
    tree = core.Tree(case.problem, policy(), case.belief, seed=0, number=0)
    refused(case, lambda: case.belief.update_many(case.problem, outcomes, LABELS))
    refused(case, lambda: run(case, outcomes, LABELS))
    refused(case, lambda: tree.evaluate(outcomes))
    refused(case, lambda: tree.posteriors(outcomes))


@pytest.mark.parametrize(
    "labels",
    [
        np.array([2], dtype=INT32),
        np.array([-2], dtype=INT32),
        np.array([0, 1], dtype=INT32),
        np.array([[0]], dtype=INT32),
        np.empty(0, dtype=INT32),
        [0],
        None,
        np.array([0.7]),
        np.array([2**32]),
    ],
    ids=repr,
)
def test_labels_that_do_not_fit_are_refused(case: Small, labels: Any) -> None:
    refused(case, lambda: case.belief.update_many(case.problem, TABLE, labels))
    refused(case, lambda: run(case, TABLE, labels))


@pytest.mark.parametrize(
    "layout", [np.asfortranarray, lambda table: np.repeat(table, 2, axis=0)[::2]], ids=["columns", "gaps"]
)
def test_a_table_laid_out_otherwise_is_read_right_or_refused(case: Small, layout: Callable[..., np.ndarray]) -> None:
    table, labels = np.array([[0, 2], [1, 1], [1, 0]], dtype=INT16), np.array([0, 1, 1], dtype=INT32)
    before, right = case.belief.counts, case.belief.copy()
    right.update_many(case.problem, table, labels)
    try:
        case.belief.update_many(case.problem, layout(table), labels)
    except TypeError:
        np.testing.assert_array_equal(case.belief.counts, before)
    else:
        np.testing.assert_array_equal(case.belief.counts, right.counts)


@pytest.mark.parametrize("evidence", [[(2, 0)], [(-1, 0)], [(0, 2)], [(1, -1)], [(0, 0), (1, 3)]], ids=str)
def test_evidence_that_does_not_fit_is_refused_whole(case: Small, evidence: list[tuple[int, int]]) -> None:
    before = case.belief.counts
    with pytest.raises(IndexError):
        case.belief.update(evidence, 0)
    np.testing.assert_array_equal(case.belief.counts, before)


@pytest.mark.parametrize("label", [-1, 2, 2**31 - 1])
def test_a_label_that_does_not_exist_is_refused(case: Small, label: int) -> None:
    with pytest.raises(IndexError):
        case.belief.update([(0, 0)], label)


@pytest.mark.parametrize(
    ("counts", "label_counts"),
    [
        (np.zeros((5, 3)), np.zeros(2)),
        (np.zeros((5, 2)), np.zeros(3)),
        (np.zeros((0, 2)), np.zeros(2)),
        (np.zeros((2, 5)), np.zeros(2)),
    ],
)
def test_counts_of_another_shape_are_refused(case: Small, counts: np.ndarray, label_counts: np.ndarray) -> None:
    before = case.belief.counts
    with pytest.raises((ValueError, TypeError)):
        case.belief.set_counts(counts, label_counts)
    np.testing.assert_array_equal(case.belief.counts, before)


@pytest.mark.parametrize("gamma", [-0.1, 1.1, math.nan])
def test_a_discount_outside_zero_to_one_is_refused(case: Small, gamma: float) -> None:
    before = case.belief.counts
    with pytest.raises(ValueError):
        case.belief.discount(gamma)
    np.testing.assert_array_equal(case.belief.counts, before)


@pytest.mark.parametrize("feature", [-1, 2, 2**31 - 1])
def test_a_feature_that_does_not_exist_is_refused_everywhere(case: Small, feature: int) -> None:
    plan = case.plan()
    for call in (plan.price, plan.skip, plan.outlook, lambda f: plan.observe(f, 0)):
        with pytest.raises(IndexError):
            call(feature)


@pytest.mark.parametrize("outcome", [-1, 3, 2**31 - 1])
def test_an_outcome_that_does_not_exist_is_refused(case: Small, outcome: int) -> None:
    plan = case.plan()
    question = plan.next()
    with pytest.raises(IndexError):
        plan.observe(1, outcome)
    assert plan.next() == question and plan.spent == 0.0


def test_a_settled_feature_is_refused(case: Small) -> None:
    plan = case.plan()
    plan.observe(0, 1)
    for call in (lambda: plan.observe(0, 1), lambda: plan.observe(0, 0), lambda: plan.skip(0)):
        with pytest.raises(ValueError, match="told or skipped before"):
            call()
    assert plan.spent == 1.0


def test_a_belief_of_another_problem_is_refused(case: Small) -> None:
    other = small([3, 2]).problem
    with pytest.raises(ValueError, match="does not fit"):
        core.Plan(other, policy(), case.belief, seed=0, number=0)
    with pytest.raises(ValueError, match="does not fit"):
        core.Tree(other, policy(), case.belief, seed=0, number=0)
    with pytest.raises(ValueError, match="does not fit"):
        core.run(other, policy(), case.belief, seed=0, number=0, outcomes=TABLE, labels=LABELS)


def test_a_selection_or_reserve_of_another_problem_is_refused(case: Small) -> None:
    other = small([2, 3, 2])
    selection = core.Selection(other.problem, size=1)
    evidence = [(1, 2, 0.0, -1)]
    refused(case, lambda: core.learn(case.belief, core.Drift(), selection, evidence, 0))
    refused(case, lambda: core.Plan(case.problem, policy(), case.belief, seed=0, number=0, selection=selection))
    refused(case, lambda: core.Tree(case.problem, policy(), case.belief, seed=0, number=0, selection=selection))
    refused(case, lambda: selection.update_many(case.belief, case.problem, TABLE, LABELS))
    given = {"outcomes": TABLE, "labels": LABELS, "selection": selection}
    refused(case, lambda: core.run(case.problem, policy(), case.belief, seed=0, number=0, **given))
    with pytest.raises(ValueError, match="reserve"):
        core.Drift().restore(case.belief, (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0, 0, []), other.belief)


@pytest.mark.parametrize("price", [[1.0], [1.0, math.nan], [1.0, -1.0], [1.0, math.inf]], ids=str)
def test_prices_of_a_case_that_make_no_sense_are_refused(case: Small, price: list[float]) -> None:
    refused(case, lambda: core.Plan(case.problem, policy(), case.belief, seed=0, number=0, price=price))
    refused(case, lambda: core.Optimal(case.problem, case.belief.mean()[0], np.array([0.5, 0.5]), price=price))
    given = {"outcomes": TABLE, "labels": LABELS, "prices": np.array([price])}
    refused(case, lambda: core.run(case.problem, policy(), case.belief, seed=0, number=0, **given))


@pytest.mark.parametrize(
    "given",
    [
        {"marks": np.zeros((2, 2), dtype=np.uint8)},
        {"marks": np.full(TABLE.shape, 4, dtype=np.uint8)},
        {"marks": np.ones(TABLE.shape, dtype=np.uint8), "outcomes": np.full_like(TABLE, -1)},
        {"budgets": np.full(len(TABLE), -1.0)},
        {"budgets": np.full(len(TABLE), math.nan)},
        {"budgets": np.ones(len(TABLE) + 1)},
    ],
    ids=str,
)
def test_terms_of_a_table_that_make_no_sense_are_refused(case: Small, given: dict[str, Any]) -> None:
    given = {"outcomes": TABLE, "labels": LABELS, **given}
    refused(case, lambda: core.run(case.problem, policy(), case.belief, seed=0, number=0, **given))


def number(thresholds: str = "bins", n_thresholds: int = 0) -> core.Belief:
    """What is believed of one number, in four bins or behind thresholds, after twenty cases."""
    problem = core.Problem([4 if thresholds == "bins" else 2], 2, [1.0], [1.0], [-1], 1 - np.eye(2), continuous=[1])
    belief = core.Belief(
        problem,
        np.ones((problem.n_rows, 2)),
        np.ones(2),
        True,
        thresholds=thresholds,
        n_thresholds=n_thresholds,
    )
    selection = core.Selection(problem)
    for i in range(20):
        core.learn(belief, core.Drift(), selection, [(0, 0, float(i), -1)], i % 2)
    return belief


@pytest.mark.parametrize(
    "change",
    [
        {"cuts": [1.0, 2.0, 3.0, 4.0]},
        {"cuts": [float(i) for i in range(300_000)]},
        {"cuts": [2.0, 1.0]},
        {"cuts": [1.0, 1.0]},
        {"cuts": [math.nan]},
        {"values": np.array([2.0, 1.0])},
        {"values": np.array([1.0, math.inf])},
        {"values": np.array([1.0])},
        {"counts": np.array([1.0, 0.0, -1.0, 0.0])},
        {"counts": np.array([1.0, 0.0, math.nan, 0.0])},
        {"n_seen": -1},
    ],
    ids=lambda change: str(change)[:60],
)
def test_a_sketch_that_does_not_fit_is_refused(change: dict[str, Any]) -> None:
    belief = number()
    good: dict[str, Any] = {"cuts": [1.5], "values": np.array([1.0, 2.0]), "counts": np.ones(4), "n_seen": 2}
    before = belief.cuts, belief.mean()[0].tolist()
    with pytest.raises(ValueError, match="sketch"):
        belief.restore_sketch(0, **{**good, **change})
    assert (belief.cuts, belief.mean()[0].tolist()) == before
    belief.restore_sketch(0, **good)
    assert belief.cuts == [[1.5]]
    np.testing.assert_allclose(belief.mean()[0][2:], 0.0, atol=1e-9)  # one cut point makes two bins


@pytest.mark.parametrize(("which", "bad"), [(0, -1.0), (0, math.nan), (1, -1.0), (1, math.inf), (2, math.nan)])
def test_thresholds_that_do_not_fit_are_refused(which: int, bad: float) -> None:
    belief = number("exp3", 3)
    learned = [array.ravel() for array in belief.views()]
    learned[which][0] = bad
    with pytest.raises(ValueError, match="thresholds"):
        belief.restore_views(*learned)


def test_beliefs_with_other_thresholds_do_not_merge() -> None:
    for other in (number("exp3", 4), number("exhaustive", 2)):
        with pytest.raises(ValueError, match="merge"):
            number("exp3", 3).merge(other)
    with pytest.raises(ValueError, match="negative"):
        number("exp3", -1)
    for feature in (-1, 1, 100_000):
        with pytest.raises(IndexError):
            number("exp3", 3).first_view(feature)


@pytest.mark.parametrize("seed", [-1, 2**64, 1.5, "7", None])
def test_a_seed_is_a_whole_number_of_64_bits(case: Small, seed: Any) -> None:
    with pytest.raises(TypeError):
        case.belief.draw(seed=seed)
    with pytest.raises(TypeError):
        core.Plan(case.problem, policy(), case.belief, seed=seed, number=0)


def test_objects_live_as_long_as_they_are_needed() -> None:
    """A plan and a tree keep the problem and the belief they were made from."""
    plan = small([2, 3, 4], 3).plan(seed=1)
    case = small([2, 3, 4], 3)
    tree = core.Tree(case.problem, policy(), case.belief, seed=1, number=0)
    del case
    table = np.array([[1, 2, 3], [0, -1, 0]] * 50, dtype=INT16)
    assert len(tree.evaluate(table)[0]) == 100
    counts = small([2, 2]).belief.counts
    np.testing.assert_array_equal(counts, np.zeros((4, 2)))
    plan.observe(2, 3)
    assert len(plan.predict()[1]) == 3


@pytest.mark.parametrize("shape", [0.0, -0.5, math.nan, math.inf])
def test_a_gamma_needs_a_positive_shape(shape: float) -> None:
    with pytest.raises(ValueError):
        core.draw_gamma(shape, 1, seed=0)


@pytest.mark.parametrize(
    "stop",
    [[("region", 0.0, 1), ("region", 0.0, 0)], [("any", 0.0, 0)], [("all", 0.0, 0)], [("confidence", math.nan, 0)]],
    ids=str,
)
def test_a_stop_rule_has_children_if_it_combines_and_a_number_if_it_compares(stop: Any) -> None:
    with pytest.raises(ValueError):
        policy(stop=stop)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_value_in_a_table_that_is_not_finite_is_refused(value: float) -> None:
    """But not where the cell says that there is none."""
    problem = core.Problem([3, 2], 2, [1.0] * 2, [1.0] * 2, [-1] * 2, 1 - np.eye(2), continuous=[1, 0])
    belief = core.Belief(problem, np.ones((problem.n_rows, 2)), np.ones(2), True)
    labels = np.zeros(2, dtype=np.int32)
    values = np.array([[0.5], [value]])
    with pytest.raises(ValueError, match="a value is not finite"):
        belief.update_many(problem, np.zeros((2, 2), dtype=np.int16), labels, values)
    belief.update_many(problem, np.array([[0, 1], [-1, 1]], dtype=np.int16), labels, values)
