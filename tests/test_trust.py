"""What a table of old cases teaches about trust: each case is answered as if it had not been learned."""

import numpy as np
import pytest

from ufodt import UFODT, Binary, Categorical, Continuous, Prior, Problem, drift, thresholds
from ufodt.thresholds import Thresholds

from .cases import learned_of

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


def log_chances(learner: UFODT, asked: np.ndarray, row: np.ndarray, label: int) -> np.ndarray:
    """Log of P(label) and of P(answers | label), per label, had the case not been learned."""
    belief = learner.belief
    counts, label_counts = belief.counts, belief.label_counts
    first_rows = np.cumsum([0, *learner._compiled.n_outcomes])
    rows, told = [], np.zeros(2)
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
            told += np.log(alpha[outcome] / alpha.sum(axis=0))
    label_counts[label] -= belief.learns_labels
    belief.set_counts(counts, label_counts)
    mean, label_mean = belief.mean()
    return np.stack([np.log(label_mean), told + np.log(mean[rows]).sum(axis=0)])


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
            p = prior + len(asked) ** -overlap * told
            sums[i] += p[at] - np.logaddexp.reduce(p)
    return sums


@pytest.mark.parametrize("labels", [True, False], ids=["labels learned", "labels uniform"])
@pytest.mark.parametrize("cutting", [thresholds.bins(), thresholds.bins(4, spread=0.0)], ids=["shared", "apart"])
def test_a_table_teaches_trust_by_leaving_each_case_out(cutting: Thresholds, labels: bool) -> None:
    X, y = table(240)
    learner = UFODT(PROBLEM, thresholds=cutting, prior=Prior(learns_labels=labels), seed=1)
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
        trusting, judging = (UFODT(PROBLEM, prior=Prior(learns_trust=t), seed=1, **settings) for t in (False, True))
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
        learner = UFODT(problem, prior=Prior(learns_trust=trust), seed=1)
        learner.learn_many(X[:2000], ill[:2000])
        errors[trust] = learner.evaluate(X[2000:], ill[2000:]).calibration
    assert errors[True] < 0.03 < 0.1 < errors[False]


def test_a_case_of_which_less_than_one_was_counted_leaves_nothing_behind() -> None:
    X, y = table(60)
    learner = UFODT(PROBLEM, seed=1)
    learner.learn_many(X, y, weights=np.full(60, 1e-3))
    assert np.isfinite(learner.belief.temper).all() and (learner.belief.counts >= 0).all()
