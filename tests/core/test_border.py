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
        {"later_price": [1.0, math.inf]},
        {"later_price": [-1.0, 1.0]},
        {"group": [0]},
        {"group": [-2, 0]},
        {"group": [0, 2]},
        {"loss": np.eye(3)},
        {"loss": np.array([[0.0, math.nan], [1.0, 0.0]])},
        {"loss": np.array([[0.0, math.inf], [1.0, 0.0]])},
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
