"""How far several answers together are trusted: what labels and old cases teach, and what answers make of it."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ufodt import UFODT, Binary, Categorical, Continuous, Policy, Prior, Problem, drift, stop, thresholds
from ufodt.lab import all_features
from ufodt.thresholds import Thresholds

from .cases import learned_of

ALONE = Prior(learns_pairs=False)  # what pairs add to it is in test_pairs.py
OVERLAPS = (0.0, 0.25, 0.5, 0.75, 1.0)
PROBLEM = Problem(
    [Binary("b"), Categorical("c", ["u", "v", "w"]), Continuous("x"), Continuous("at", cuts=[0.5])],
    labels=["no", "yes"],
)


def table(n: int, *, seed: int = 1) -> tuple[np.ndarray, list[str | None]]:
    """Rows of PROBLEM, some with cells that are not known, some with labels that never come."""
    rng = np.random.default_rng(seed)
    ill = rng.integers(2, size=n)
    news = rng.normal(ill, 0.8)  # all features tell of it, so what they say together is not to be trusted in full
    columns = [news > 0.4, np.digitize(news, [0.0, 1.0]), news + rng.normal(0, 0.2, n), news + rng.normal(0, 0.2, n)]
    X = np.column_stack(columns).astype(object)
    X[:, 1] = np.array(["u", "v", "w"])[columns[1]]
    X[rng.random(X.shape) < 0.05] = None
    return X, [None if i % 9 == 0 else PROBLEM.labels[label] for i, label in enumerate(ill)]


def log_chances(learner: UFODT, asked: np.ndarray, row: np.ndarray, label: int) -> tuple[np.ndarray, np.ndarray]:
    """Log of P(label) and, a row for each answer, of P(answer | label), had the case not been learned."""
    belief = learner.belief
    counts, label_counts = belief.counts, belief.label_counts
    first_rows = np.cumsum([0, *learner._compiled.n_outcomes])
    rows, told = [], []
    for f in asked:
        feature = learner.problem.features[f]
        number = isinstance(feature, Continuous)
        outcome = int(np.searchsorted(belief.cuts[f], row[f]) if number else feature.values.index(row[f]))
        if belief.first_view(f) < 0:
            rows.append(int(first_rows[f]) + outcome)
            counts[rows[-1], label] -= 1
        else:  # one threshold, two labels, and one case before the first
            alpha = 1.0 + belief.views()[0].reshape(-1, 2, 2)[belief.first_view(f)]
            alpha[outcome, label] -= 1
            told.append(np.log(alpha[outcome] / alpha.sum(axis=0)))
    label_counts[label] -= belief.learns_labels
    belief.set_counts(counts, label_counts)
    mean, label_mean = belief.mean()
    return np.log(label_mean), np.array([*told, *np.log(mean[rows])])


def n_answers(told: np.ndarray) -> float:
    """How many answers these are, each by what it tells."""
    tells = np.ptp(told, axis=1)
    return float(tells.sum() ** 2 / (tells**2).sum())


def sums_by_hand(learner: UFODT, X: np.ndarray, y: list[str | None]) -> np.ndarray:
    """How likely all labels were under each overlap, each case by what the tree asks in it."""
    record = learner.evaluate(X).record
    sums = np.zeros(len(OVERLAPS))
    for row, label, asked in zip(X, y, np.split(record.asked, record.n_asked.cumsum()[:-1]), strict=True):
        if label is None or len(asked) < 2:
            continue
        at = PROBLEM.labels.index(label)
        prior, told = log_chances(learner, asked, row, at)
        for i, overlap in enumerate(OVERLAPS):
            p = prior + n_answers(told) ** -overlap * told.sum(axis=0)
            sums[i] += p[at] - np.logaddexp.reduce(p)
    return sums


@pytest.mark.parametrize("labels", [True, False], ids=["labels learned", "labels uniform"])
@pytest.mark.parametrize("cutting", [thresholds.bins(), thresholds.bins(4, spread=0.0)], ids=["shared", "apart"])
def test_a_table_teaches_trust_by_leaving_each_case_out(cutting: Thresholds, labels: bool) -> None:
    X, y = table(240)
    learner = UFODT(PROBLEM, thresholds=cutting, prior=replace(ALONE, learns_labels=labels), seed=1)
    learner.learn_many(X, y)
    found = learner.belief.temper
    assert learner.evaluate(X).n_asked > 1.5 and learner.belief.overlap > 0
    learner._belief.set_temper(np.zeros(5))
    np.testing.assert_allclose(found, sums_by_hand(learner, X, y), rtol=1e-5)


def test_thresholds_are_left_out_too() -> None:
    problem = Problem([Continuous(name, cuts=[0.5]) for name in "xyz"], labels=PROBLEM.labels)
    rng = np.random.default_rng(2)
    ill = rng.integers(2, size=200)
    X = rng.normal(ill[:, None], [0.7, 0.8, 0.9])
    y: list[str | None] = [PROBLEM.labels[label] for label in ill]
    learner = UFODT(problem, thresholds=thresholds.exhaustive(3), seed=1)
    learner.learn_many(X, y)
    assert learner.evaluate(X).n_asked > 1.5
    np.testing.assert_allclose(learner.belief.temper, sums_by_hand(learner, X, y), rtol=1e-5)


def test_nothing_else_is_changed_by_it() -> None:
    X, y = table(100)
    for settings in ({}, {"drift": drift.auto()}, {"thresholds": thresholds.exp3(5)}):
        trusting, judging = (
            UFODT(PROBLEM, prior=replace(ALONE, learns_trust=t), seed=1, **settings) for t in (False, True)
        )
        for learner in (trusting, judging):
            learner.learn_many(X, y)
        assert not trusting.belief.temper.any() and judging.belief.temper.any()
        assert learned_of(trusting, trust=False) == learned_of(judging, trust=False)


def test_probabilities_after_a_table_are_as_sure_as_answers_are_right() -> None:
    rng = np.random.default_rng(3)
    ill = rng.integers(2, size=4000)
    X = (rng.normal(ill, 1.5)[:, None] + rng.normal(0, 0.5, (4000, 3)) > 0.5).astype(int)  # three times the same news
    problem = Problem([Binary(f"x{i}", mandatory=True) for i in range(3)], labels=[0, 1])
    errors = {}
    for trust in (False, True):
        learner = UFODT(problem, prior=replace(ALONE, learns_trust=trust), seed=1)
        learner.learn_many(X[:2000], ill[:2000])
        errors[trust] = learner.evaluate(X[2000:], ill[2000:]).calibration
    assert errors[True] < 0.03 < 0.1 < errors[False]


def test_a_case_of_which_less_than_one_was_counted_leaves_nothing_behind() -> None:
    X, y = table(60)
    problem = Problem([Binary("b", mandatory=True), Binary("c", mandatory=True)], labels=PROBLEM.labels)
    X = np.column_stack([X[:, 0], X[:, 0]])
    judging, trusting = (UFODT(problem, prior=replace(ALONE, count=0.5, learns_trust=t), seed=1) for t in (True, False))
    for learner in (judging, trusting):
        learner.learn_many(X, y, weights=np.full(60, 1e-3))
    assert np.isfinite(judging.belief.temper).all() and judging.belief.temper.all()
    assert learned_of(judging, trust=False) == learned_of(trusting, trust=False)


def copies(n: int = 600, *, n_noise: int = 0, share: float = 0.4, **settings: Any) -> UFODT:
    """A learner that was told the same in its first three features, beside others that tell nothing."""
    rng = np.random.default_rng(5)
    ill = (rng.random(n) < share).astype(int)
    same = rng.random(n) < np.where(ill, 0.8, 0.2)
    X = np.column_stack([same, same, same, *(rng.random(n) < 0.5 for _ in range(n_noise))]).astype(int)
    features = [Binary(name, mandatory=True) for name in "abc"] + [Binary(f"noise{i}") for i in range(n_noise)]
    learner = UFODT(Problem(features, labels=["no", "yes"]), prior=ALONE, seed=1, **settings)
    learner.learn_many(X, [["no", "yes"][label] for label in ill])
    assert learner.belief.overlap == 1
    return learner


def test_copies_count_as_one_and_what_tells_nothing_as_none() -> None:
    learner = copies(n_noise=12)
    one = learner.open(known={"a": 1}, explore=False).predict().probabilities["yes"]
    known: dict[str, int] = {"a": 1, "b": 1, "c": 1}
    three = learner.open(known=known, explore=False).predict().probabilities["yes"]
    beside = learner.open(known={**known, **{f"noise{i}": 1 for i in range(12)}}, explore=False).predict()
    assert three == pytest.approx(one, abs=0.01) and beside.probabilities["yes"] == pytest.approx(one, abs=0.08)
    assert one > 0.6


@pytest.mark.parametrize("share", [0.12, 0.3])
def test_all_features_are_trusted_as_in_a_case_that_knows_them_all(share: float) -> None:
    learner, rng = copies(n_noise=12, share=share), np.random.default_rng(6)
    X = np.column_stack([np.repeat(rng.integers(2, size=(40, 1)), 3, axis=1), rng.integers(2, size=(40, 12))])
    names = [feature.name for feature in learner.problem.features]
    known = (dict(zip(names, row, strict=True)) for row in X.tolist())
    expected = [learner.open(known=values, explore=False).predict().label for values in known]
    found = all_features.answer(learner, X.astype(float), rng=rng)
    assert learner.problem.labels_at(found).tolist() == expected  # type: ignore[arg-type]


def test_who_answers_under_theta_is_taught_no_trust_by_a_table() -> None:
    learner = UFODT(PROBLEM, policy=Policy(plan="draw", predict="theta"), seed=1)
    learner.learn_many(*table(100))
    assert not learner.belief.temper.any()


def test_bits_are_trusted_as_the_answer_is_in_any_order() -> None:
    learner = copies()
    p, label = learner.belief.mean()
    by_hand = np.log2(p.reshape(3, 2, 2)[:, 1, 1] / p.reshape(3, 2, 2)[:, 1, 0]) / 3
    for order in ("abc", "cab", "bca"):
        session = learner.open(explore=False)
        for name in order:
            session.tell(name, 1)
        support = next(s for s in session.predict().why() if s.label == "yes")
        assert [support.values[name] for name in "abc"] == pytest.approx(by_hand.tolist(), rel=1e-6)
        assert support.prior == pytest.approx(np.log2(label[1] / label[0]))
        assert support.prior + sum(support.values.values()) == pytest.approx(support.total)


def test_every_quarter_of_overlap_has_its_price() -> None:
    belief = copies().belief
    for sums, overlap in (
        ([0, 2.9, 5.9, 8.9, 11.9], 0.0),
        ([0, 4.0, 6.5, 0, 0], 0.25),
        ([0, 4.0, 7.1, 0, 0], 0.5),
        ([0, 0, 0, 0, 12.1], 1.0),
    ):
        belief.set_temper(np.array(sums, dtype=float))
        assert belief.overlap == overlap


def test_a_merged_learner_trusts_as_both_have_learned_to() -> None:
    both, other = UFODT(copies().problem, prior=ALONE, seed=1), copies()
    assert both.belief.overlap == 0
    both.merge(other)
    assert both.belief.overlap == 1


def test_a_value_that_tells_nothing_yet_is_no_answer() -> None:
    learner = UFODT(Problem([Binary("b"), Continuous("x")], labels=[0, 1]), seed=1)
    for i in range(6):  # a number is cut from eight values on
        learner.learn({"values": {"b": i % 2, "x": float(i)}}, i % 2)
    assert not learner.belief.temper.any()
    learner.learn_many([[1, 3.0]] * 4, [1] * 4)
    learner.learn({"values": {"b": 1, "x": 2.5}}, 1)
    assert learner.belief.temper.any()


def test_what_is_kept_in_reserve_is_taught_too() -> None:
    learner = copies(drift=drift.auto())
    for i in range(240):  # what is usual, then labels that surprise
        if learner._drift.reserve is None:
            learner.learn({"values": {"a": 1, "b": 1, "c": 1}}, "yes" if i < 200 else "no")
    before = learner._drift.reserve.temper
    learner.learn_many([[1, 1, 1], [0, 0, 0]] * 10, ["yes", "no"] * 10)
    assert (learner._drift.reserve.temper < before).all()


def test_surprise_is_by_what_the_answer_is_trusted_with() -> None:
    learner = copies(drift=drift.auto())
    p = learner.open(known={"a": 1, "b": 1, "c": 1}, explore=False).predict().probabilities
    doubted = 0.9 * np.array([p["no"], p["yes"]]) + 0.05
    learner.learn({"values": {"a": 1, "b": 1, "c": 1}}, "yes")
    n, mean, *_ = learner._drift.state()
    assert n == 1 and mean == pytest.approx(-np.log(doubted[1]) + (doubted * np.log(doubted)).sum(), rel=1e-5)


def test_of_many_labels_the_same_ones_are_judged_in_a_stream_and_in_sessions() -> None:
    """Also where something is forgotten, so that what was seen draws them: of a number its value, however it came."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 900)
    X = rng.normal(y[:, None], size=(900, 2))
    problem = Problem([Continuous("a"), Continuous("b")], labels=[0, 1])
    in_stream, in_sessions = (
        UFODT(problem, drift=drift.discount(0.001), seed=3, stop=stop.confidence(1.0)) for _ in range(2)
    )
    in_stream.run(X, y)
    for values, label in zip(X.tolist(), y.tolist(), strict=True):
        session = in_sessions.open()
        while (question := session.ask()) is not None:
            session.tell(question.feature, values["ab".index(question.feature)])
        in_sessions.learn(session.evidence, label)
    np.testing.assert_array_equal(in_stream.belief.temper, in_sessions.belief.temper)
