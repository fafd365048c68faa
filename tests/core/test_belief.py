"""Counts add, merge and fade exactly; the mean and the prediction are the closed forms."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ufodt import core

from . import oracle
from .small import draw_small, small

N_OUTCOMES, N_LABELS = [2, 3, 4], 3
CELL = st.tuples(*(st.integers(-1, k - 1) for k in N_OUTCOMES))  # -1: not known
CASES = st.lists(st.tuples(CELL, st.integers(-1, N_LABELS - 1)), max_size=30)


PROBLEM = small(N_OUTCOMES, N_LABELS).problem


def fresh(*, learns_labels: bool = True) -> core.Belief:
    prior = np.arange(1.0, 28.0).reshape(9, 3) / 7
    return small(
        N_OUTCOMES, N_LABELS, prior=prior, label_prior=np.array([1.0, 0.5, 2.0]), learns_labels=learns_labels
    ).belief


def learn(belief: core.Belief, cases: list[tuple[tuple[int, ...], int]]) -> core.Belief:
    for row, label in cases:
        if label >= 0:
            belief.update([(f, k) for f, k in enumerate(row) if k >= 0], label)
    return belief


def assert_same(a: core.Belief, b: core.Belief) -> None:
    """All that can be seen of two beliefs is the same, to the bit."""
    for one, other in [
        (a.counts, b.counts),
        (a.label_counts, b.label_counts),
        (a.prior, b.prior),
        (a.label_prior, b.label_prior),
        (a.draw(seed=3), b.draw(seed=3)),
        *zip(a.mean(), b.mean(), strict=True),
    ]:
        np.testing.assert_array_equal(one, other)


@given(CASES, st.booleans())
def test_update_many_equals_update_one_by_one(cases: list, learns_labels: bool) -> None:
    one_by_one = learn(fresh(learns_labels=learns_labels), cases)
    in_bulk = fresh(learns_labels=learns_labels)
    rows = np.array([row for row, _ in cases], dtype=np.int16).reshape(-1, 3)
    in_bulk.update_many(PROBLEM, rows, np.array([label for _, label in cases], dtype=np.int32))
    assert_same(one_by_one, in_bulk)


@given(CASES)
def test_counts_are_what_was_seen(cases: list) -> None:
    belief = learn(fresh(), cases)
    counts, label_counts = np.zeros((9, 3)), np.zeros(3)
    for row, label in cases:
        if label >= 0:
            label_counts[label] += 1
            for f, k in enumerate(row):
                if k >= 0:
                    counts[sum(N_OUTCOMES[:f]) + k, label] += 1
    np.testing.assert_array_equal(belief.counts, counts)
    np.testing.assert_array_equal(belief.label_counts, label_counts)
    np.testing.assert_array_equal(belief.prior, fresh().prior)


@given(CASES, CASES)
def test_merging_two_halves_equals_the_whole(first: list, second: list) -> None:
    merged = learn(fresh(), first)
    merged.merge(learn(fresh(), second))
    assert_same(merged, learn(fresh(), first + second))


@pytest.mark.parametrize("other", ["prior", "label_prior", "learns_labels", "shape"])
def test_beliefs_from_different_priors_do_not_merge(other: str) -> None:
    belief = small([2, 2], prior=1.0).belief
    others = {
        "prior": small([2, 2], prior=2.0),
        "label_prior": small([2, 2], label_prior=2.0),
        "learns_labels": small([2, 2], learns_labels=False),
        "shape": small([4]),
    }
    others[other].belief.update([(0, 1)], 0)
    with pytest.raises(ValueError, match="same prior"):
        belief.merge(others[other].belief)
    assert not belief.counts.any() and not belief.label_counts.any()


@given(CASES, st.floats(0, 1))
def test_a_discount_scales_what_was_learned_and_leaves_the_prior(cases: list, gamma: float) -> None:
    belief = learn(fresh(), cases)
    counts, label_counts = belief.counts, belief.label_counts
    belief.discount(gamma)
    np.testing.assert_array_equal(belief.counts, counts * (1 - gamma))
    np.testing.assert_array_equal(belief.label_counts, label_counts * (1 - gamma))
    np.testing.assert_array_equal(belief.prior, fresh().prior)
    if gamma == 1:
        assert_same(belief, fresh())


@given(CASES)
def test_the_mean_is_counts_over_their_sum(cases: list) -> None:
    belief = learn(fresh(), cases)
    p, labels = belief.mean()
    alpha = belief.prior + belief.counts
    for rows in (slice(0, 2), slice(2, 5), slice(5, 9)):
        np.testing.assert_allclose(p[rows], alpha[rows] / alpha[rows].sum(axis=0), rtol=1e-14)
    shares = belief.label_prior + belief.label_counts
    np.testing.assert_allclose(labels, shares / shares.sum(), rtol=1e-14)


@given(CASES)
def test_counts_set_from_another_belief_restore_it(cases: list) -> None:
    belief, restored = learn(fresh(), cases), fresh()
    restored.set_counts(belief.counts, belief.label_counts)
    assert_same(belief, restored)


@pytest.mark.parametrize("bad", [-1.0, math.nan, math.inf])
@pytest.mark.parametrize("where", ["counts", "label_counts"])
def test_counts_that_are_not_finite_or_negative_are_refused(bad: float, where: str) -> None:
    belief = learn(fresh(), [((1, 2, 3), 0)])
    counts, label_counts = belief.counts, belief.label_counts
    (counts if where == "counts" else label_counts)[-1] = bad
    before = belief.copy()
    with pytest.raises(ValueError, match="from 0 to 1e150"):
        belief.set_counts(counts, label_counts)
    assert_same(belief, before)


def test_a_copy_learns_apart_from_its_original() -> None:
    belief = learn(fresh(), [((1, 1, 1), 0)])
    copy, twin = belief.copy(), learn(fresh(), [((1, 1, 1), 0)])
    copy.update([(0, 0)], 1)
    assert_same(belief, twin)
    assert copy.counts.sum() == belief.counts.sum() + 1


def test_arrays_read_from_a_belief_are_copies() -> None:
    belief = fresh()
    belief.counts[:] = 7
    belief.prior[:] = 7
    belief.mean()[0][:] = 7
    assert_same(belief, fresh())


@pytest.mark.parametrize("predict_theta", [False, True], ids=["mean", "theta"])
def test_a_prediction_is_naive_bayes_by_brute_force(predict_theta: bool) -> None:
    rng = np.random.default_rng(7)
    for i in range(400):
        case = draw_small(rng, loss=bool(rng.random() < 0.5))
        for _ in range(int(rng.integers(0, 20))):
            row = [(f, int(rng.integers(k))) for f, k in enumerate(case.n_outcomes) if rng.random() < 0.6]
            case.belief.update(row, int(rng.integers(case.n_labels)))
        plan = case.plan(seed=i, predict_theta=predict_theta)
        theta, labels = plan.theta() if predict_theta else case.belief.mean()
        evidence: dict[int, int] = {}
        for feature in rng.permutation(case.n_features).tolist():
            answer, p = plan.predict()
            expected = oracle.posterior(case, theta, labels, evidence)
            # theta's logarithms are kept in single precision, the mean's in double
            np.testing.assert_allclose(p, expected, rtol=1e-5 if predict_theta else 1e-12)
            losses = oracle.expected_loss(case, np.array(p))
            assert losses[answer] <= losses.min() * (1 + 1e-12)
            evidence[feature] = int(rng.integers(case.n_outcomes[feature]))
            plan.observe(feature, evidence[feature], paid=bool(rng.random() < 0.5))


def test_the_outlook_is_the_prediction_after_each_outcome() -> None:
    rng = np.random.default_rng(8)
    for i in range(100):
        case = draw_small(rng)
        predict_theta = bool(rng.random() < 0.5)
        plan = case.plan(seed=i, predict_theta=predict_theta)
        theta, labels = plan.theta() if predict_theta else case.belief.mean()
        seen = {0: 0} if case.n_features > 1 else {}
        for feature, outcome in seen.items():
            plan.observe(feature, outcome)
        feature = case.n_features - 1
        now = oracle.posterior(case, theta, labels, seen)
        rows = plan.outlook(feature)
        np.testing.assert_allclose(rows[:, 0], theta[case.rows(feature)] @ now, rtol=1e-5)
        for outcome, row in enumerate(rows):
            after = oracle.posterior(case, theta, labels, {**seen, feature: outcome})
            np.testing.assert_allclose(row[1:], after, rtol=1e-5)
