"""A world that moves: settings checked, forgetting exact, and a new concept learned after a change."""

import math
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ufodt import UFODT, Binary, Categorical, Continuous, Problem, drift, load, stop, thresholds
from ufodt.drift import Drift
from ufodt.errors import InvalidPolicy, InvalidProblem, InvalidValue
from ufodt.prior import Expert, Prior

TWO = Problem([Binary("a"), Binary("b")], labels=["x", "y"])


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"gamma": -0.1}, "gamma=-0.1"),
        ({"gamma": 1.0}, "gamma=1.0"),
        ({"gamma": math.nan}, "gamma=nan"),
        ({"gamma": "some"}, "gamma='some'"),
        ({"gamma": None}, "gamma=None"),
        ({"threshold": 0.0}, "threshold=0.0"),
        ({"threshold": math.inf}, "threshold=inf"),
        ({"threshold": "2"}, "threshold='2'"),
        ({"automatic": "yes"}, "automatic='yes'"),
        ({"gamma": 0.1, "prior": 5}, "prior=5 came; expected a Prior"),
        ({"prior": Prior()}, "nothing is forgotten"),
    ],
)
def test_settings_that_make_no_sense_are_refused_by_name(fields: dict[str, Any], says: str) -> None:
    with pytest.raises(InvalidPolicy, match=says):
        Drift(**fields)


def test_numbers_of_numpy_become_plain() -> None:
    rule = drift.discount(np.float32(0.25))  # type: ignore[arg-type]
    assert type(rule.gamma) is float and rule == drift.discount(0.25)


def test_a_case_is_added_to_what_is_left() -> None:
    """The discounted counts, not those before, as printed."""
    learner = UFODT(TWO, drift=drift.discount(0.25))
    for _ in range(3):
        learner.learn({"values": {"a": 1}}, "x")  # type: ignore[typeddict-item]
    assert learner.belief.counts[1, 0] == pytest.approx(1 + 0.75 + 0.75**2)
    assert learner.belief.label_counts[0] == pytest.approx(1 + 0.75 + 0.75**2)
    learner.learn({"values": {"b": 0}}, "y")  # type: ignore[typeddict-item]
    assert learner.belief.counts[1, 0] == pytest.approx(0.75 + 0.75**2 + 0.75**3)


def test_no_drift_forgets_nothing() -> None:
    learner = UFODT(TWO)
    for _ in range(5):
        learner.learn({"values": {"a": 1}}, "x")  # type: ignore[typeddict-item]
    assert learner.belief.counts[1, 0] == 5.0


def turning(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """The label is the first bit, then its opposite."""
    X = np.random.default_rng(seed).integers(0, 2, (2 * n, 2))
    truth = np.where(np.arange(2 * n) < n, X[:, 0], 1 - X[:, 0])
    return X, np.array(["x", "y"])[truth]


@pytest.mark.parametrize("rule", [drift.discount(0.05), drift.auto()], ids=repr)
def test_a_learner_that_forgets_follows_a_world_that_turns(rule: Drift) -> None:
    right = {}
    for name, how in (("forgets", rule), ("keeps", None)):
        shares = []
        for seed in range(5):
            X, y = turning(150, seed)
            learner = UFODT(TWO, drift=how, stop=stop.confidence(0.9), seed=seed)
            shares.append((learner.run(X, y).predicted == y)[200:].mean())
        right[name] = np.mean(shares)
    assert right["forgets"] > 0.9 > right["keeps"]


def test_a_world_that_stands_still_raises_no_alarm_for_long() -> None:
    """False alarms are taken back: what was learned is not lost to them."""
    counts = []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        X = rng.integers(0, 2, (400, 2))
        y = np.array(["x", "y"])[X[:, 0] ^ (rng.random(400) < 0.1)]
        learner = UFODT(TWO, drift=drift.auto(), stop=stop.confidence(0.9), seed=seed)
        learner.run(X, y)
        counts.append(learner.belief.label_counts.sum())
    assert np.median(counts) == 400


def test_history_is_not_forgotten_by_its_own_rows() -> None:
    learner = UFODT(TWO, drift=drift.discount(0.5))
    learner.learn_many([[1, 1]] * 4, ["x"] * 4)
    assert learner.belief.counts[1, 0] == 4.0


# --- towards an injected prior ---------------------------------------------------------------------------

EXPERT = Prior(
    count=3.0, experts=[Expert("a", "x", 0.9, strength=10)], labels={"x": 0.25, "y": 0.75}, label_strength=8.0
)


def told(learner: UFODT, cases: list[tuple[dict[str, Any], str]]) -> UFODT:
    for values, label in cases:
        learner.learn({"values": values}, label)  # type: ignore[typeddict-item]
    return learner


def test_counts_move_towards_the_injected_prior_as_printed() -> None:
    """alpha <- (1 - gamma) alpha + gamma alpha_bar, then the case is added to that."""
    cases: list[tuple[dict[str, Any], str]] = [
        ({"a": 1, "b": 0}, "x"),
        ({"a": 0}, "y"),
        ({"b": 1}, "x"),
        ({"a": 1}, "x"),
    ]
    gamma, learner = 0.3, UFODT(TWO, drift=drift.discount(0.3, prior=EXPERT))
    alpha, labels = np.ones((4, 2)), np.ones(2)
    bar, label_bar = np.full((4, 2), 3.0), np.array([2.0, 6.0])
    bar[:2, 0] = [1.0, 9.0]
    for values, label in cases:
        told(learner, [(values, label)])
        alpha, labels = (1 - gamma) * alpha + gamma * bar, (1 - gamma) * labels + gamma * label_bar
        for name, outcome in values.items():
            alpha[2 * "ab".index(name) + outcome, "xy".index(label)] += 1
        labels["xy".index(label)] += 1
        belief = learner.belief
        np.testing.assert_allclose(belief.prior + belief.counts, alpha, rtol=1e-12)
        np.testing.assert_allclose(belief.label_prior + belief.label_counts, labels, rtol=1e-12)
        p, p_label = belief.mean()
        np.testing.assert_allclose(p[:2] / p[:2].sum(axis=0), alpha[:2] / alpha[:2].sum(axis=0), rtol=1e-12)
        np.testing.assert_allclose(p_label, labels / labels.sum(), rtol=1e-12)


def test_the_own_prior_injected_is_plain_forgetting() -> None:
    X, y = turning(60, 3)
    prior = Prior(count=2.0)
    plain, injected = (
        UFODT(TWO, prior=prior, drift=rule, seed=5) for rule in (drift.discount(0.1), drift.discount(0.1, prior=prior))
    )
    np.testing.assert_array_equal(plain.run(X, y).asked, injected.run(X, y).asked)
    np.testing.assert_allclose(plain.belief.counts, injected.belief.counts)


def test_labels_that_are_not_learned_do_not_drift() -> None:
    learner = UFODT(TWO, prior=Prior(learns_labels=False), drift=drift.discount(0.5, prior=EXPERT))
    told(learner, [({"a": 1}, "x")] * 3)
    assert learner.belief.label_prior.tolist() == [1.0, 1.0]


def test_thresholds_drift_towards_the_count_of_the_prior() -> None:
    """A threshold of which nothing is known any more says what the injected prior says: nothing, ever more firmly."""
    problem = Problem([Continuous("v", cuts=[0.0, 1.0])], labels=["x", "y"])
    means = []
    for count in (1.0, 50.0):
        learner = UFODT(
            problem, thresholds=thresholds.exhaustive(2), drift=drift.discount(0.5, prior=Prior(count=count))
        )
        told(learner, [({"v": 2.0}, "x"), ({"v": -1.0}, "y")] * 10)
        means.append(learner.open(known={"v": 2.0}).predict().probabilities["x"])
    assert means[0] > 0.55 and abs(means[1] - 0.5) < 0.03


def test_an_alarm_starts_from_the_injected_prior() -> None:
    wrong = Prior(experts=[Expert("a", "x", 0.05, strength=40), Expert("a", "y", 0.95, strength=40)])
    learner = UFODT(TWO, drift=drift.auto(prior=wrong), stop=stop.confidence(0.9), seed=1)
    X, y = turning(100, 1)
    learner.run(X[:100], y[:100])
    before = learner.belief.prior
    learner.run(X[100:], y[100:])
    assert learner._drift.n_alarms >= 1
    assert before.tolist() == np.ones((4, 2)).tolist()
    assert learner.belief.prior[1].tolist() == pytest.approx([2.0, 38.0])


@pytest.mark.parametrize("rule", [drift.discount(0.1, prior=EXPERT), drift.auto(prior=EXPERT)], ids=["gamma", "auto"])
def test_a_learner_that_drifts_to_a_prior_goes_on_as_if_never_stopped(rule: Drift, tmp_path: Path) -> None:
    X, y = turning(60, 2)
    through, stopped = (UFODT(TWO, drift=rule, seed=9) for _ in range(2))
    expected = through.run(X, y)
    stopped.run(X[:73], y[:73])
    stopped.save(tmp_path / "model.npz")
    for again in (load(tmp_path / "model.npz"), pickle.loads(pickle.dumps(stopped))):
        assert again.drift == rule
        np.testing.assert_array_equal(again.run(X[73:], y[73:]).probability, expected.probability[73:])
        np.testing.assert_array_equal(again.belief.prior, through.belief.prior)


def test_sessions_and_streams_drift_alike() -> None:
    X, y = turning(40, 4)
    stream, sessions = (UFODT(TWO, drift=drift.discount(0.1, prior=EXPERT), seed=3) for _ in range(2))
    record = stream.run(X, y)
    predicted = []
    for row, label in zip(X, y, strict=True):
        session = sessions.open()
        while (question := session.ask()) is not None:
            session.tell(question.feature, int(row["ab".index(question.feature)]))
        predicted.append(session.predict().label)
        sessions.learn(session.evidence, label)
    assert predicted == record.predicted.tolist()
    np.testing.assert_array_equal(stream.belief.prior, sessions.belief.prior)


def test_merged_learners_have_forgotten_the_first_prior_by_the_cases_of_both() -> None:
    rule = drift.discount(0.2, prior=Prior(count=4.0))
    first, second = UFODT(TWO, drift=rule), UFODT(TWO, drift=rule)
    told(first, [({"a": 1}, "x")] * 2)
    told(second, [({"a": 1}, "x")] * 3)
    counts = first.belief.counts + second.belief.counts
    first.merge(second)
    np.testing.assert_array_equal(first.belief.counts, counts)
    np.testing.assert_allclose(first.belief.prior, 4 - 3 * 0.8**5)


def test_learners_that_drift_to_other_priors_do_not_merge() -> None:
    first, second = UFODT(TWO, drift=drift.discount(0.2, prior=EXPERT)), UFODT(TWO, drift=drift.discount(0.2))
    with pytest.raises(InvalidValue, match="differ in drift.prior"):
        first.merge(second)


def test_an_injected_prior_is_checked_against_the_problem() -> None:
    with pytest.raises(InvalidProblem, match="probabilities came for"):
        UFODT(
            Problem([Categorical("c", ["p", "q"])], labels=["x", "y"]),
            drift=drift.discount(0.1, prior=Prior(experts=[Expert("c", "x", {"p": 1.0}, strength=3)])),
        )


# --- asking more after an alarm --------------------------------------------------------------------------


def alarmed() -> UFODT:
    """A learner of five bits whose world has just turned."""
    problem = Problem([Binary(f"f{i}") for i in range(5)], labels=["x", "y"])
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (400, 5))
    learner = UFODT(problem, drift=drift.auto(), seed=4)
    learner.run(X[:200], np.array(["x", "y"])[X[:200, 0]])
    for row in X[200:]:
        learner.run([row], [["y", "x"][row[1]]])
        if learner._drift.reserve is not None:
            return learner
    raise AssertionError("no alarm was raised")


def test_after_an_alarm_more_is_asked_for_a_while() -> None:
    learner, calm = alarmed(), UFODT(alarmed().problem, seed=4)
    asked = [n for one in (learner, calm) for n in [one.run([[0, 1, 0, 1, 0]] * 10, [None] * 10).n_asked.mean()]]
    assert asked[0] > asked[1] + 0.5


def test_after_an_alarm_asking_first_makes_no_difference() -> None:
    """Telling what would have been asked is the same as asking and telling, also where several draws take turns."""

    def session_of(asks: bool) -> tuple[list[str], dict[str, float], Any]:
        session = alarmed().open()
        order = [] if asks else session_of(True)[0]
        while asks and (question := session.ask()) is not None:
            order.append(question.feature)
            session.tell(question.feature, 1)
        for feature in () if asks else order:
            session.tell(feature, 1)
        return order, dict(session.predict().probabilities), session.ask()

    assert session_of(True) == session_of(False)


def test_after_an_alarm_what_is_undone_is_asked_again() -> None:
    session = alarmed().open()
    asked = []
    while (question := session.ask()) is not None:
        asked.append(question)
        session.tell(question.feature, 0)
    assert len(asked) >= 2
    for question in reversed(asked):
        session.undo()
        assert session.ask() == question


def test_after_an_alarm_a_stream_and_sessions_ask_the_same() -> None:
    one, other = alarmed(), alarmed()
    rows = np.random.default_rng(1).integers(0, 2, (15, 5))
    record = one.run(rows, ["x"] * 15)
    asked = []
    for row in rows.tolist():
        session = other.open()
        while (question := session.ask()) is not None:
            session.tell(question.feature, row[int(question.feature[1])])
            asked.append(int(question.feature[1]))
        other.learn(session.evidence, "x")
    assert asked == record.asked.tolist()


def test_what_is_learned_while_an_alarm_is_on_trial_stays_when_it_is_taken_back() -> None:
    rng = np.random.default_rng(0)
    problem = Problem([Binary("a"), Binary("b")], labels=[0, 1])
    learner = UFODT(problem, drift=drift.auto(), seed=3)
    y = rng.integers(0, 2, 400)
    X = np.stack([y, y], axis=1) ^ (rng.random((400, 2)) < 0.1)
    learner.run(X, y)
    while learner._drift.reserve is None:  # a few cases that surprise, not enough for a new world
        learner.run([[1, 1]], [0])
    old, more, other = rng.integers(0, 2, (500, 2)), rng.integers(0, 2, 500), UFODT(problem, drift=drift.auto())
    other.learn_many(old[:50], more[:50])
    before = [belief.label_counts.sum() for belief in (learner._belief, learner._drift.reserve)]
    learner.learn_many(old, more)
    learner.merge(other)
    after = [belief.label_counts.sum() for belief in (learner._belief, learner._drift.reserve)]
    assert after == pytest.approx([n + 550 for n in before])
    learner.discount(0.5)
    halved = [belief.label_counts.sum() for belief in (learner._belief, learner._drift.reserve)]
    assert halved == pytest.approx([n / 2 for n in after])


def test_few_values_merged_after_an_alarm_are_counted_between_the_cut_points_that_stayed() -> None:
    rng = np.random.default_rng(1)
    problem = Problem([Continuous("x", price=0.01)], labels=[0, 1])
    learner, other = (UFODT(problem, drift=drift.auto(), seed=seed) for seed in (1, 9))
    x = rng.normal(size=300)
    learner.run(x[:, None], x > 0)
    while learner._drift.reserve is None:
        surprise = rng.normal(size=1)
        learner.run(surprise[:, None], surprise <= 0)
    other.learn_many([[0.5], [0.6], [-0.3]], [0, 0, 1])
    learner.merge(other)
    _, counts, n_seen = learner.belief.sketch(0)
    assert n_seen < 8 and learner.belief.cuts[0]
    np.testing.assert_array_equal(learner.belief.counts.sum(axis=0), counts.reshape(-1, 2).sum(axis=0))


def test_what_is_in_reserve_forgets_too() -> None:
    learner = UFODT(TWO, drift=Drift(gamma=0.05, automatic=True, threshold=0.3), seed=1)
    rng, alarms = np.random.default_rng(3), 0
    for _ in range(2000):
        y = int(rng.integers(2))
        learner.learn({"values": {"a": int(y ^ (rng.random() < 0.2))}}, TWO.labels[y])
        for belief in learner._state.beliefs().values():
            assert belief.label_counts.sum() <= 20 + 1e-9  # 1 / gamma cases are remembered
        alarms += learner._drift.reserve is not None
    assert alarms > 100


def test_merging_after_an_alarm_brings_what_is_in_reserve_to_the_reserve() -> None:
    def alarmed(seed: int) -> UFODT:
        learner, rng = UFODT(TWO, drift=drift.auto(), seed=seed), np.random.default_rng(seed)
        y = rng.integers(2, size=400)
        told = np.where(np.arange(400) < 300, y, 1 - y)
        for label, value in zip(y.tolist(), told.tolist(), strict=True):
            learner.learn({"values": {"a": value}}, TWO.labels[label])
            if learner._drift.reserve is not None:
                return learner
        raise AssertionError("no alarm")

    def counts(learner: UFODT) -> list[float]:
        return [float(belief.label_counts.sum()) for belief in learner._state.beliefs().values()]

    one, other, calm = alarmed(1), alarmed(2), UFODT(TWO, drift=drift.auto())
    now, kept = counts(one)
    calm.merge(one)
    assert counts(calm) == [now]
    expected = [now + counts(other)[0], kept + counts(other)[1]]
    one.merge(other)
    assert counts(one) == expected


@pytest.mark.parametrize("gamma", [0.0002, 0.0004])
def test_what_comes_together_is_not_forgotten_where_much_is_remembered(gamma: float) -> None:
    """The labels remembered come to rest at 1 / gamma; of so many not all are judged, but some must be for ever."""
    rng = np.random.default_rng(1)
    y, a = rng.integers(2, size=(2, 60_000))
    X = np.column_stack([a, a ^ y ^ (rng.random(60_000) < 0.1)])
    problem = Problem([Binary("a", mandatory=True), Binary("b", mandatory=True)], labels=[0, 1])
    learner = UFODT(problem, drift=drift.discount(gamma), seed=1)
    record = learner.run(X, y)
    assert learner.belief.is_paired
    assert (record.predicted == y)[-5000:].mean() > 0.88
