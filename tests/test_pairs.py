"""Features that hang together: what pairs of outcomes teach, and what questions and answers make of it."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ufodt
from ufodt import UFODT, Binary, Categorical, Continuous, Policy, Prior, Problem, core, drift, stream, thresholds
from ufodt.errors import InvalidProblem
from ufodt.growing import grow
from ufodt.lab.datasets import nb30, to_problem

from .cases import learned_of

ALONE = Prior(learns_pairs=False)


def exclusive(n: int, *, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Two bits and a bit of noise; the label is whether the first two differ, so that neither tells anything alone."""
    X = np.random.default_rng(seed).integers(2, size=(n, 3))
    return X, X[:, 0] ^ X[:, 1]


def problem(*, known: bool = True) -> Problem:
    """The first bit is asked in every case."""
    return Problem([Binary("a", mandatory=known), Binary("b"), Binary("noise")], labels=[0, 1])


def test_what_two_answers_tell_together_is_learned_and_asked_for() -> None:
    X, y = exclusive(600)
    naive, paired = UFODT(problem(), prior=ALONE, seed=1), UFODT(problem(), seed=1)
    for learner in (naive, paired):
        learner.learn_many(X, y)
    assert paired.belief.is_paired and not naive.belief.is_paired
    report = paired.evaluate(*exclusive(400, seed=2))
    assert report.accuracy == 1.0 and report.n_asked == 2.0 and report.calibration < 0.05
    assert naive.evaluate(*exclusive(400, seed=2)).accuracy < 0.65
    assert paired.open(known={"a": 1}, explore=False).ask().feature == "b"  # type: ignore[union-attr]


def test_a_stream_learns_what_its_answers_tell_together() -> None:
    rng = np.random.default_rng(3)
    x = rng.normal(size=(3000, 2))
    y = (x[:, 0] * x[:, 1] + 0.5 * x[:, 0] > 0).astype(int)  # a saddle: what the second one means depends on the first
    numbers = Problem([Continuous("first"), Continuous("second")], labels=[0, 1])
    found = {}
    for name, prior in (("naive", ALONE), ("paired", Prior())):
        learner = UFODT(numbers, prior=prior, seed=1)
        learner.run(x[:2000], y[:2000])
        found[name] = learner.evaluate(x[2000:], y[2000:]).accuracy
    assert learner.belief.is_paired and found["paired"] > found["naive"] + 0.04


def test_nothing_is_asked_again_in_other_words() -> None:
    rng = np.random.default_rng(2)
    y = rng.integers(2, size=4000)
    same = (rng.random(4000) < np.where(y, 0.8, 0.2)).astype(int)
    own = (rng.random(4000) < np.where(y, 0.9, 0.1)).astype(int)
    X = np.column_stack([same, same, same, own])
    features = [Binary(name) for name in ("told", "again", "once more", "own")]
    learner = UFODT(Problem(features, labels=[0, 1]), seed=1)
    learner.learn_many(X, y)
    assert learner.belief.is_paired
    told = learner.open(known={"told": 1}, explore=False)
    assert told.ask().feature == "own"  # type: ignore[union-attr]
    twice = learner.open(known={"told": 1, "again": 1, "once more": 1}, explore=False)
    assert twice.predict().probabilities[1] == pytest.approx(told.predict().probabilities[1], abs=0.01)
    assert told.predict().probabilities[1] == pytest.approx(0.8, abs=0.04)


def test_features_that_do_not_hang_together_are_left_to_naive_bayes() -> None:
    data = nb30(2000, seed=3)
    found = []
    for prior in (ALONE, Prior()):
        learner = UFODT(to_problem(data), prior=prior, seed=1)
        learner.learn_many(data.X, data.y)
        assert not learner.belief.is_paired
        found.append(learner.evaluate(data.X).record)
    np.testing.assert_array_equal(found[0].predicted, found[1].predicted)
    np.testing.assert_array_equal(found[0].probability, found[1].probability)


def test_to_be_asked_only_after_another_is_no_bond() -> None:
    """The second is asked where the first says yes: all who were asked both say yes to it, whatever the second says."""
    rng = np.random.default_rng(1)
    y = rng.integers(2, size=2000)
    first, second = (rng.random((2, 2000)) < np.where(y, 0.8, 0.3)).astype(int)
    learner = UFODT(Problem([Binary("first"), Binary("second")], labels=[0, 1]), seed=1)
    for i in range(2000):
        learner.learn({"values": {"first": first[i]} | ({"second": second[i]} if first[i] else {})}, y[i])
    assert not learner.belief.is_paired
    found = [UFODT.__new__(UFODT), UFODT.__new__(UFODT)]
    for each, uses in zip(found, (False, True), strict=True):
        each.__setstate__(learner.__getstate__())
        each._belief = each.belief.using_pairs(uses)
    for said in ({"first": 1, "second": 0}, {"first": 1, "second": 1}):
        naive, paired = (each.open(known=said, explore=False).predict().probabilities[1] for each in found)
        assert paired == pytest.approx(naive, abs=0.01)


def test_a_stream_finds_out_that_features_are_copies() -> None:
    """Labels hardly tell, since a plan that takes copies for news asks them where they agree; the answers do."""
    asked: dict[str, list[float]] = {"naive": [], "paired": []}
    for seed in range(5):
        rng = np.random.default_rng(seed)
        y = rng.integers(2, size=3000)
        X = (rng.random(3000) < np.where(y, 0.75, 0.25)).astype(int)[:, None].repeat(4, axis=1)
        for name, prior in (("naive", ALONE), ("paired", Prior())):
            learner = UFODT(Problem([Binary(f"b{i}") for i in range(4)], labels=[0, 1]), prior=prior, seed=1)
            learner.run(X[:2000], y[:2000])
            asked[name].append(learner.evaluate(X[2000:]).n_asked)
        assert learner.belief.is_paired
    assert np.mean(asked["paired"]) < np.mean(asked["naive"]) - 0.4 and min(asked["paired"]) == 1.0


def test_bits_of_the_evidence_add_up_to_the_answer() -> None:
    learner = UFODT(problem(), seed=1)
    learner.learn_many(*exclusive(600))
    for order in ("ab", "ba"):
        session = learner.open(explore=False)
        for name in order:
            session.tell(name, 1)
        first, second = order
        answer = session.predict()
        assert answer.label == 0
        support = next(s for s in answer.why() if s.label == 0)
        assert support.prior + sum(support.values.values()) == pytest.approx(support.total)
        assert abs(support.values[first]) < 0.2 < 3 < support.values[second]  # only the second one tells


@pytest.mark.parametrize("weight", [1.0, 0.3])
def test_a_case_is_judged_as_if_it_had_not_been_learned(weight: float) -> None:
    """The sums of a table are those of learners that never saw the case in question."""
    X, y = exclusive(40)
    weights = np.full(40, weight)
    learner = UFODT(problem(), seed=1)
    learner.learn_many(X, y, weights=weights)
    learner._belief = learner.belief.using_pairs(True)
    learner._belief.set_temper(np.zeros(10))
    record = learner.evaluate(X).record
    outcomes, values, labels = stream.cases(learner.problem, X, y)
    core.learn_trust(learner._belief, learner._tree(), outcomes, labels, values, weights)
    by_hand = np.zeros(10)
    for i, asked in enumerate(np.split(record.asked, record.n_asked.cumsum()[:-1])):
        if len(asked) < 2:
            continue
        rest = UFODT(problem(), seed=1)
        keep = np.arange(len(y)) != i
        rest.learn_many(X[keep], y[keep], weights=weights[keep])
        rest._belief.set_temper(np.zeros(10))
        rest._belief.update([(int(f), int(X[i, f])) for f in asked], int(y[i]))
        by_hand += weight * rest.belief.temper
    assert record.n_asked.min() == 2
    np.testing.assert_allclose(learner.belief.temper, by_hand, rtol=1e-5)


def test_weights_are_so_many_rows() -> None:
    X, y = exclusive(120)
    weights = np.arange(120) % 3
    weighted, repeated = UFODT(problem(), seed=1), UFODT(problem(), seed=1)
    weighted.learn_many(X[::-1], y[::-1], weights=weights[::-1])
    repeated.learn_many(X.repeat(weights, axis=0), y.repeat(weights), weights=np.ones(weights.sum()))
    assert learned_of(weighted) == learned_of(repeated) and weighted.belief.is_paired


def test_a_loaded_learner_goes_on_with_its_pairs(tmp_path: Path) -> None:
    X, y = exclusive(300)
    learner = UFODT(problem(), drift=drift.discount(0.01), seed=1)
    learner.run(X[:200], y[:200])
    learner.save(tmp_path / "model.ufodt")
    loaded = ufodt.load(tmp_path / "model.ufodt")
    for each in (learner, loaded):
        each.run(X[200:], y[200:])
    assert learned_of(loaded) == learned_of(learner) and loaded.belief.is_paired


def test_merged_learners_know_the_pairs_of_both() -> None:
    X, y = exclusive(400)
    whole, one, other = (UFODT(problem(), seed=1) for _ in range(3))
    whole.learn_many(X, y)
    one.learn_many(X[:200], y[:200])
    other.learn_many(X[200:], y[200:])
    one.merge(other)
    np.testing.assert_array_equal(one.belief.pairs, whole.belief.pairs)
    assert one.evaluate(*exclusive(100, seed=3)).accuracy == 1.0


def test_a_world_that_moved_is_learned_anew() -> None:
    X, y = exclusive(800)
    learner = UFODT(problem(), drift=drift.auto(), seed=1)
    learner.run(X[:400], y[:400])
    record = learner.run(X[400:], 1 - y[400:])
    assert (record.predicted[200:] == 1 - y[600:]).mean() > 0.95


@pytest.mark.parametrize("cutting", [thresholds.exhaustive(4), thresholds.exp3(4)])
def test_thresholds_in_place_of_bins_have_no_pairs(cutting: Any) -> None:
    numbers = Problem([Continuous("x"), Continuous("y")], labels=[0, 1])
    learner = UFODT(numbers, thresholds=cutting, seed=1)
    rng = np.random.default_rng(1)
    learner.learn_many(rng.normal(size=(50, 2)), rng.integers(2, size=50))
    assert learner.belief.n_pairs == 0 and not learner.belief.is_paired


def test_who_answers_under_theta_uses_no_pairs() -> None:
    learner = UFODT(problem(), policy=Policy(plan="draw", predict="theta"), seed=1)
    learner.run(*exclusive(600))
    assert learner.evaluate(*exclusive(200, seed=2)).accuracy < 0.7


def test_pairs_are_carried_over_when_a_problem_grows() -> None:
    X, y = exclusive(300)
    learner = UFODT(problem(known=False), seed=1)
    learner.learn_many(X, y)
    larger = Problem(
        [Binary("a"), Categorical("b", ["(any other)", 0, 1, "red"]), Continuous("noise"), Binary("new")],
        labels=[0, 1, 2],
    )
    grown = grow(learner, larger)
    rows = np.array([0, 1, 3, 4, 6, 7])  # of the old outcomes; the noise is cut in two by its values
    a, b = (rows[of] for of in np.triu_indices(6, 1))
    n_rows = grown._compiled.n_rows
    found = np.zeros((n_rows, n_rows, 3))
    found[np.triu_indices(n_rows, 1)] = grown.belief.pairs.reshape(-1, 3)
    np.testing.assert_array_equal(found[a, b, :2], learner.belief.pairs.reshape(-1, 2))
    assert found.sum() == learner.belief.pairs.sum()
    assert grown.belief.is_paired
    assert grown.open(known={"a": 1, "b": 1}, explore=False).predict().label == 0


@pytest.mark.parametrize("n_values", [6, 12])
def test_a_yes_or_no_that_becomes_a_number_has_pairs_once_it_is_cut(n_values: int) -> None:
    learner = UFODT(Problem([Binary("a"), Binary("b")], labels=[0, 1]), seed=1)
    for i in range(n_values):
        learner.learn({"values": {"a": i % 2, "b": i % 2}}, i % 2)
    grown = grow(learner, Problem([Binary("a"), Continuous("b")], labels=[0, 1]))
    is_cut = bool(grown.belief.cuts[1])
    assert is_cut == (n_values >= 8) and grown.belief.pairs.sum() == n_values * is_cut
    for i in range(30):
        grown.learn({"values": {"b": float(i % 2) + 10 * (i % 3)}}, i % 2)
    assert grown.belief.pairs.sum() == pytest.approx(n_values * is_cut)


def test_a_number_that_wanders_loses_no_pairs() -> None:
    rng = np.random.default_rng(3)
    y = rng.integers(2, size=3000)
    X = np.column_stack([rng.normal(size=3000) + y, np.cumsum(rng.normal(size=3000))])
    numbers = Problem([Continuous("still", mandatory=True), Continuous("moving", mandatory=True)], labels=[0, 1])
    learner = UFODT(numbers, thresholds=thresholds.bins(40), seed=1)
    learner.run(X, y)
    assert learner.belief.pairs.sum() == pytest.approx(3000 - 7)  # a number is cut from eight values on


def test_a_learner_that_has_just_begun_anew_merges_into_one_without_cut_points() -> None:
    rng = np.random.default_rng(4)
    numbers = Problem([Binary("b", mandatory=True), Continuous("x", mandatory=True)], labels=[0, 1])
    one, other = UFODT(numbers, seed=1), UFODT(numbers, seed=1)
    y = rng.integers(2, size=300)
    other.run(np.column_stack([y, rng.normal(size=300)]), y)
    other._belief.discount(1.0)
    other.learn({"values": {"b": 1, "x": 3.0}}, 1)
    cleared = other._belief
    cuts = cleared.cuts[1]
    cleared.restore_sketch(1, cuts, *(part.ravel() for part in cleared.sketch(1)[:2]), 1)
    one.merge(other)
    assert cuts and not one.belief.cuts[1] and not one.belief.pairs.any()


def test_a_model_from_before_pairs_goes_on_without_and_merges_as_before() -> None:
    X, y = exclusive(60)
    learner = UFODT(problem(), prior=ALONE, drift=drift.discount(0.1, prior=Prior(count=2.0)), seed=1)
    learner.learn_many(X, y)
    described, arrays = learner.__getstate__()
    del described["prior"]["learns_pairs"], described["drift"]["prior"]["learns_pairs"]
    old = UFODT.__new__(UFODT)
    old.__setstate__((described, arrays))
    assert learned_of(old) == learned_of(learner) and not old.prior.learns_pairs
    old.merge(learner)


def test_an_open_case_does_not_hear_of_pairs_learned_since() -> None:
    X, y = exclusive(300)
    learner = UFODT(problem(), seed=1)
    learner.learn_many(X, y)
    session = learner.open(known={"a": 1, "b": 0}, explore=False)
    before = session.predict().probabilities
    learner.learn_many(X, 1 - y)
    assert session.predict().probabilities == before
    assert learner.open(known={"a": 1, "b": 0}, explore=False).predict().probabilities != before


def test_learning_pairs_is_a_yes_or_no() -> None:
    with pytest.raises(InvalidProblem, match="learns_pairs='often' came; expected True or False"):
        Prior(learns_pairs="often")  # type: ignore[arg-type]


def test_answers_that_tell_nothing_do_not_hide_what_two_tell_together() -> None:
    rng = np.random.default_rng(1)
    X = rng.integers(2, size=(4000, 22))
    y = X[:, 0] ^ X[:, 1] ^ (rng.random(4000) < 0.1)
    noise = [f"n{i}" for i in range(20)]
    learner = UFODT(Problem([Binary("a", mandatory=True), *map(Binary, ["b", *noise])], labels=[0, 1]), seed=1)
    learner.learn_many(X, y)
    assert learner.belief.is_paired
    for n, at_least in ((0, 0.88), (3, 0.85), (8, 0.82), (20, 0.75)):
        known = {"a": 1, **dict.fromkeys(noise[:n], 0)}
        assert learner.open(known=known, explore=False).ask().feature == "b"  # type: ignore[union-attr]
        assert learner.open(known={**known, "b": 0}, explore=False).predict().probabilities[1] > at_least
