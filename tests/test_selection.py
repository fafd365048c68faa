"""Too many features: a few candidates per case, of which the useful ones come to be chosen."""

import math
from typing import Any

import numpy as np
import pytest

from ufodt import UFODT, Binary, Continuous, Problem, Selection, stop, thresholds
from ufodt.errors import InvalidPolicy

MANY = Problem([Binary(f"f{i}") for i in range(40)], labels=[0, 1])


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"size": -1}, "-1 candidates"),
        ({"size": 2.0}, "2.0 candidates"),
        ({"size": True}, "True candidates"),
        ({"size": "5"}, "'5' candidates"),
        ({"epsilon": -0.1}, "epsilon=-0.1"),
        ({"epsilon": 1.1}, "epsilon=1.1"),
        ({"epsilon": math.nan}, "epsilon=nan"),
        ({"epsilon": "some"}, "epsilon='some'"),
        ({"step": 0.0}, "step=0.0"),
        ({"step": math.inf}, "step=inf"),
        ({"radius": -1.0}, "radius=-1.0"),
        ({"radius": math.nan}, "radius=nan"),
    ],
)
def test_settings_that_make_no_sense_are_refused_by_name(fields: dict[str, Any], says: str) -> None:
    with pytest.raises(InvalidPolicy, match=says):
        Selection(**fields)


def stream(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Forty bits, of which the eighth is the label nine times in ten."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (n, 40))
    return X, X[:, 7] ^ (rng.random(n) < 0.1)


def test_only_candidates_are_asked() -> None:
    learner = UFODT(MANY, selection=Selection(3, epsilon=1.0), stop=stop.confidence(1.0), seed=1)
    record = learner.run(*stream(100, 1))
    assert record.n_asked.max() == 3
    assert len(set(record.asked.tolist())) == 40, "by chance, every feature is a candidate some time"


@pytest.mark.parametrize("size", [0, 40, 1000])
def test_a_selection_of_all_makes_no_difference(size: int) -> None:
    plain, selecting = UFODT(MANY, seed=1), UFODT(MANY, selection=Selection(size), seed=1)
    first, second = plain.run(*stream(50, 2)), selecting.run(*stream(50, 2))
    np.testing.assert_array_equal(first.asked, second.asked)


def test_the_feature_that_matters_becomes_a_candidate() -> None:
    learner = UFODT(MANY, selection=Selection(4, epsilon=0.2), stop=stop.confidence(1.0), seed=2)
    learner.run(*stream(800, 3))
    assert np.abs(learner._selection.weights).argmax() == 7
    report = learner.evaluate(*stream(300, 4))
    assert report.accuracy > 0.85 and report.n_asked <= 4


@pytest.mark.parametrize("seed", range(5))
def test_what_explores_no_more_has_the_best_candidates(seed: int) -> None:
    learner = UFODT(MANY, selection=Selection(2, epsilon=1.0), stop=stop.confidence(1.0), seed=seed)
    learner._selection.set_weights(np.where(np.isin(np.arange(40), [7, 30]), 1.0, 0.0))
    best = {MANY.features[7].name, MANY.features[30].name}
    assert {reason.feature for reason in learner.open(explore=False).why()} == best
    assert set(learner.evaluate(*stream(20, 4)).record.asked.tolist()) <= {7, 30}


def test_what_is_told_beside_the_candidates_is_paid_for_and_learned() -> None:
    learner = UFODT(MANY, selection=Selection(2), stop=stop.confidence(1.0), seed=2)
    session = learner.open("c")
    offered = {reason.feature for reason in session.why()}
    assert len(offered) == 2
    beside = next(f.name for f in MANY.features if f.name not in offered)
    session.tell(beside, 1)
    assert session.cost == session.predict().cost == 1.0
    assert session.evidence["prices"] == {beside: 1.0}
    learner.learn(session.evidence, 1)
    index = MANY.feature_index(beside)
    assert learner.belief.counts[2 * index + 1].tolist() == [0.0, 1.0]
    assert session.undo() == beside and session.cost == 0.0


def test_what_is_mandatory_is_always_a_candidate() -> None:
    problem = Problem([Binary(f"f{i}", mandatory=i == 3) for i in range(10)], labels=[0, 1])
    record = UFODT(problem, selection=Selection(2), seed=1).run(np.ones((50, 10)), [0, 1] * 25)
    assert (record.asked == 3).sum() == 50


def test_what_is_known_counts_as_known_though_it_is_no_candidate() -> None:
    problem = Problem([Binary("scan"), *(Binary(f"f{i}", needs=["scan"]) for i in range(9))], labels=[0, 1])
    learner = UFODT(problem, selection=Selection(2), stop=stop.confidence(1.0), seed=1)
    assert all(learner.open(known={"scan": 1}).ask() is not None for _ in range(20))


def test_history_teaches_the_weights_as_printed_with_every_cell_sure() -> None:
    """w += step y x where y w x <= 1, then |w| <= radius; x is -1 or 1, and 0 where a cell is missing."""
    rng = np.random.default_rng(5)
    X = rng.integers(0, 2, (30, 40)).astype(float)
    X[rng.random(X.shape) < 0.2] = math.nan
    y = rng.integers(0, 2, 30)
    learner = UFODT(MANY, selection=Selection(4, step=0.3, radius=2.0))
    learner.learn_many(X, y)
    w = np.zeros(40)
    for x, sign in zip(np.nan_to_num(2 * X - 1), 2 * y - 1, strict=True):
        if sign * (w @ x) <= 1:
            w += 0.3 * sign * x
            w *= min(1.0, 2.0 / np.linalg.norm(w))
    np.testing.assert_allclose(learner._selection.weights, w, rtol=1e-9, atol=1e-12)


def test_history_finds_the_candidates_before_the_first_case() -> None:
    learner = UFODT(MANY, selection=Selection(3, epsilon=0.0), stop=stop.confidence(1.0), seed=1)
    learner.learn_many(*stream(400, 6))
    assert "f7" in {reason.feature for reason in learner.open().why()}
    assert learner.evaluate(*stream(300, 7)).accuracy > 0.85


def test_a_table_with_weights_is_fitted_as_a_whole() -> None:
    """Along the mean of y x over the cases that are not sure yet, again and again."""
    X, y = stream(50, 8)
    weights = np.arange(50) % 3
    learner = UFODT(MANY, selection=Selection(4, step=0.37, radius=1.0))
    learner.learn_many(X, y, weights=weights)
    w, x, sign = np.zeros(40), 2.0 * X - 1, 2.0 * y - 1
    for _ in range(20):
        asks = weights * (sign * (x @ w) <= 1)
        w += 0.37 * (asks * sign) @ x / weights.sum()
        w *= min(1.0, 1.0 / np.linalg.norm(w))
    np.testing.assert_allclose(learner._selection.weights, w, rtol=1e-9, atol=1e-12)
    assert np.abs(w).argmax() == 7


def test_history_of_numbers_teaches_by_their_place_between_the_cuts() -> None:
    rng = np.random.default_rng(9)
    X = rng.normal(size=(300, 12))
    y = (X[:, 4] > 0).astype(int)
    problem = Problem([Continuous(f"v{i}") for i in range(12)], labels=[0, 1])
    for cutting in (thresholds.bins(), thresholds.exp3(5)):
        learner = UFODT(problem, thresholds=cutting, selection=Selection(3), seed=1)
        learner.learn_many(X, y)
        assert np.abs(learner._selection.weights).argmax() == 4


def test_history_leaves_the_sums_of_exp3_alone() -> None:
    X = np.random.default_rng(3).normal(size=(100, 2))
    problem = Problem([Continuous("a"), Continuous("b")], labels=[0, 1])
    learner = UFODT(problem, thresholds=thresholds.exp3(5), seed=1)
    learner.learn_many(X, (X[:, 0] > 0).astype(int))
    counts, _, sums = learner.belief.views()
    assert counts.any() and not sums.any()


def test_candidates_are_the_largest_weights_and_ties_fall_evenly() -> None:
    """Weights 5, 4, 3 and many of 1, the rest 0: the three are in, the fourth is any of those that tie."""
    weights = np.zeros(40)
    weights[[3, 20, 33]] = [5.0, -4.0, 3.0]
    weights[10:18] = [1.0, -1.0] * 4
    learner = UFODT(MANY, selection=Selection(4, epsilon=0.0, radius=100.0), seed=1)
    learner._selection.set_weights(weights)
    offered = [{int(r.feature[1:]) for r in learner.open().why()} for _ in range(400)]
    assert all({3, 20, 33} < one and len(one) == 4 for one in offered)
    fourth = np.bincount([(one - {3, 20, 33}).pop() for one in offered], minlength=40)
    assert fourth[10:18].sum() == 400 and fourth[10:18].min() > 25


def test_random_candidates_are_all_as_likely() -> None:
    learner = UFODT(MANY, selection=Selection(10, epsilon=1.0), seed=2)
    times = np.zeros(40)
    for _ in range(800):
        times[[int(r.feature[1:]) for r in learner.open().why()]] += 1
    assert times.sum() == 8000 and abs(times - 200).max() < 5 * np.sqrt(800 * 0.25 * 0.75)


def test_candidates_follow_weights_that_rise_and_fall() -> None:
    """However the weights moved before, the candidates are those of a learner that starts with these weights."""
    X, y = stream(300, 10)
    moved = UFODT(MANY, selection=Selection(5, epsilon=0.0, step=1.0, radius=1.5), stop=stop.confidence(1.0), seed=3)
    moved.run(X, y)
    fresh = UFODT(MANY, selection=moved.selection, stop=stop.confidence(1.0), seed=3)
    fresh._selection.set_weights(moved._selection.weights)
    largest = set(np.argsort(-np.abs(moved._selection.weights))[:5].tolist())
    fresh._n_opened = moved._n_opened
    for learner in (moved, fresh):
        assert {int(r.feature[1:]) for r in learner.open().why()} == largest


def test_a_hold_out_with_prices_of_its_own_has_the_best_candidates() -> None:
    rng = np.random.default_rng(5)
    y = rng.integers(2, size=600)
    X = rng.integers(2, size=(600, 30))
    X[:, 17] = y
    learner = UFODT(Problem([Binary(f"x{i}") for i in range(30)], labels=[0, 1]), selection=Selection(2), seed=1)
    learner.run(X[:500], y[:500])
    prices = np.ones((100, 30))
    prices[:, :5] = 0.0  # free, but never among the candidates
    report = learner.evaluate(X[500:], y[500:], prices=prices)
    assert report.accuracy == 1.0 and set(report.record.asked.tolist()) == {17}


@pytest.mark.parametrize("takes_turns", [False, True])
@pytest.mark.parametrize("criterion", ["ig", "ec2"])
def test_what_is_had_of_no_candidate_counts_in_the_plan_too(criterion: str, takes_turns: bool) -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 2000)
    noise = rng.integers(0, 2, (2000, 6))
    X = np.column_stack([y ^ (rng.random(2000) < 0.1), y ^ (rng.random(2000) < 0.001), noise])
    problem = Problem([Binary(f"x{j}") for j in range(8)], labels=[0, 1], loss=[[0, 50], [50, 0]])
    learner = UFODT(problem, criterion=criterion, selection=Selection(2), seed=1)
    learner.learn_many(X, y)
    learner._selection.set_weights(np.array([1.0, 0, 0, 0, 0, 0, 0, 0.9]))  # so that x1, which all but tells, is none
    if takes_turns:  # as after an alarm
        learner._drift.restore(learner.belief, (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1, 0, []), learner.belief)
    for explore in (False, True):
        session = learner.open(explore=explore)
        assert session.ask() is not None
        before = max(reason.gain for reason in session.why())
        session.tell("x1", 1)
        assert session.ask() is None  # what is left is worth a tenth
        assert max(reason.gain for reason in session.why()) < before / 10
        assert learner.open(known={"x1": 1}, explore=explore).ask() is None
