"""A problem with a bit of everything, streams for it, and the learners that must all keep the same laws."""

import hashlib
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from ufodt import (
    UFODT,
    Binary,
    Categorical,
    Continuous,
    Criterion,
    Policy,
    Prior,
    Problem,
    Selection,
    drift,
    stop,
    thresholds,
)
from ufodt.belief import to_arrays
from ufodt.drift import Drift
from ufodt.session import Question, Session

PROBLEM = Problem(
    features=[
        Binary("fever", price=1.0),
        Binary("cough", price=0.5),
        Categorical("rhythm", ["sinus", "flutter", "other"], price=3.0, group="lab", later_price=1.0),
        Categorical("glucose", [0, 1, 2, 3], price=4.0, group="lab", later_price=2.5),
        Binary("scan", price=6.0, group="hospital", later_price=5.0),
        Binary("stay", price=0.25),
    ],
    labels=["healthy", "flu", "worse"],
    loss=[[0, 5, 20], [10, 0, 15], [90, 60, 0]],
)
NUMBERS = Problem(  # the same, but half of the features are numbers
    features=[
        *PROBLEM.features[:3],
        Continuous("glucose", price=4.0, group="lab", later_price=2.5),
        Continuous("scan", cuts=(-0.5, 0.0, 1.0), price=6.0, group="hospital", later_price=5.0),
        Continuous("stay", price=0.25),
    ],
    labels=PROBLEM.labels,
    loss=PROBLEM.loss,
)
NAMES = [feature.name for feature in PROBLEM.features]


def policies() -> dict[str, Policy]:
    """Every criterion, with stop rules, drawing and prediction of several kinds."""
    ours = {
        criterion.value: Policy(
            criterion=criterion,
            stop=stop.cost_benefit(worth=1.0) | stop.budget(9.0),
            n_hypotheses=48,
            redraw_below=12,
        )
        for criterion in Criterion
    }
    return {
        **ours,
        "sure": Policy(criterion="ig", stop=stop.confidence(0.9), plan="mean"),
        "careful": Policy(criterion="ec2", stop=stop.region() & stop.confidence(0.7), n_hypotheses=30, redraw_below=30),
    }


NUMBER_SETTINGS: dict[str, dict[str, Any]] = {
    "bins-ig": {},
    "bins-ec2": {"thresholds": thresholds.bins(6)},
    "exhaustive-ig": {"thresholds": thresholds.exhaustive(5)},
    "exhaustive-ec2": {"thresholds": thresholds.exhaustive(5)},
    "exp3-ig": {"thresholds": thresholds.exp3(5)},
    "exp3-ec2": {"thresholds": thresholds.exp3(5)},
    "exp3-us": {"thresholds": thresholds.exp3(5, eta=0.5)},
    "exhaustive-rig": {"thresholds": thresholds.exhaustive(4)},
    "exp3-gini": {"thresholds": thresholds.exp3(4)},
    "exp3-eced": {"thresholds": thresholds.exp3(3), "drift": drift.discount(0.05)},
    "discount-ig": {"drift": drift.discount(0.05)},
    "auto-ec2": {"drift": drift.auto()},
    "both-us": {"drift": drift.Drift(gamma=0.02, automatic=True, threshold=0.5), "thresholds": thresholds.exp3(3)},
    "few-ig": {"selection": Selection(3)},
    "paired-ig": {},
    "paired-ec2": {"drift": drift.discount(0.02)},
    "few-ec2": {"selection": Selection.paper(4, epsilon=0.5), "thresholds": thresholds.exhaustive(3)},
    "few-gini": {
        "selection": Selection(4, epsilon=0.5),
        "thresholds": thresholds.exp3(3),
        "drift": drift.discount(0.1),
    },
}
PAPER_SETTINGS: dict[str, dict[str, Any]] = {
    "printed-ec2": {"thresholds": thresholds.paper("exhaustive", 5)},
    "printed-ig": {"thresholds": thresholds.paper("exp3", 5), "drift": drift.discount(0.1)},
}


def make(name: str, *, problem: Problem | None = None, seed: int = 7) -> UFODT:
    """One of the learners of `LEARNERS`, fresh."""
    preset, _, kind = name.partition("-")
    settings = PAPER_SETTINGS.get(name) or NUMBER_SETTINGS.get(name) or {}
    if preset in ("paper", "printed"):
        return UFODT.paper(problem or problem_of(name), criterion=kind, n_hypotheses=40, seed=seed, **settings)
    learner = UFODT(problem or problem_of(name), policy=policies()[kind], prior=Prior(count=0.7), seed=seed, **settings)
    if preset == "paired":  # as if labels had been much likelier with pairs, which those of `draw_stream` are not
        learner._belief.set_temper(np.array([0.0] * 5 + [1e4] + [0.0] * 4))
    return learner


def problem_of(name: str) -> Problem:
    return NUMBERS if name in {*NUMBER_SETTINGS, *PAPER_SETTINGS} else PROBLEM


COUNTING = [f"ours-{kind}" for kind in policies()] + [f"paper-{kind.value}" for kind in Criterion]
LEARNERS = [*COUNTING, *NUMBER_SETTINGS, *PAPER_SETTINGS]  # those that only count keep laws of order and addition too

every_learner = pytest.mark.parametrize("name", LEARNERS)
every_learner_that_counts = pytest.mark.parametrize("name", COUNTING)  # cut points depend on what came first
every_learner_that_forgets_nothing = pytest.mark.parametrize("name", [n for n in LEARNERS if make(n).drift == Drift()])


def draw_stream(seed: int, n: int, *, missing: float = 0.0, problem: Problem = PROBLEM) -> tuple[np.ndarray, list[Any]]:
    """Raw values, shape `(n, n_features)`, that depend on their labels; some cells None."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, problem.n_labels, n)
    X = np.empty((n, problem.n_features), dtype=object)
    for j, feature in enumerate(problem.features):
        if isinstance(feature, Continuous):
            X[:, j] = (rng.normal(size=n) + rng.normal(size=problem.n_labels)[y]).round(2)
        else:
            p = rng.dirichlet(np.ones(len(feature.values)), problem.n_labels)
            X[:, j] = [feature.values[rng.choice(len(feature.values), p=p[label])] for label in y]
    X[rng.random(X.shape) < missing] = None
    return X, [problem.labels[label] for label in y]


def stream_of(name: str, seed: int, n: int, *, missing: float = 0.0) -> tuple[np.ndarray, list[Any]]:
    """A stream that fits one of the learners."""
    return draw_stream(seed, n, missing=missing, problem=problem_of(name))


def learned(name: str, *, n: int = 30, seed: int = 7) -> UFODT:
    """A learner some way into its stream."""
    learner = make(name, seed=seed)
    learner.run(*stream_of(name, 1, n))
    return learner


def another(feature: Any, value: Any) -> Any:
    """A value of the feature that is not the one given."""
    return value + 1.0 if isinstance(feature, Continuous) else feature.values[feature.outcome(value) - 1]


def row_of(values: np.ndarray) -> dict[str, Any]:
    return dict(zip(NAMES, values, strict=True))


def walk(session: Session, row: Mapping[str, Any]) -> list[Question]:
    """Answer all questions of a session from a row; None could not be had."""
    asked = []
    while (question := session.ask()) is not None:
        if row[question.feature] is None:
            session.skip(question.feature)
        else:
            session.tell(question.feature, row[question.feature])
            asked.append(question)
    return asked


def go_through(learner: UFODT, X: np.ndarray, y: list[Any]) -> list[Any]:
    """The ask/tell loop over a stream: questions and answer of every case."""
    seen = []
    for values, label in zip(X, y, strict=True):
        session = learner.open()
        asked = walk(session, row_of(values))
        seen.append((asked, session.predict()))
        if label is not None:
            learner.learn(session.evidence, label)
    return seen


def learned_of(learner: UFODT, *, trust: bool = True, pairs: bool = True) -> tuple[bytes, ...]:
    """Everything that a learner has learned, bit for bit; on request but for trust, or for pairs."""
    reserve = learner._drift.reserve
    beliefs = [learner.belief] if reserve is None else [learner.belief, reserve]
    tables = [item for belief in beliefs for item in to_arrays(belief).items()]
    wanted = {"temper": trust, "pairs": pairs}
    arrays = [array.tobytes() for name, array in tables if wanted.get(name, True)]
    *watched, recent = learner._drift.state()
    cases = [  # of a number, the value counts; its outcome moves with the cut points
        ([(f, 0 if isinstance(learner.problem.features[f], Continuous) else k, *rest) for f, k, *rest in seen], label)
        for seen, label in recent
    ]
    return (*arrays, learner._selection.weights.tobytes(), repr((watched, cases)).encode())


def state(learner: UFODT) -> tuple[Any, ...]:
    """Everything about a learner that moves."""
    return *learned_of(learner), learner.n_opened


def digest(learner: UFODT, n: int = 40) -> str:
    """A fingerprint of what the learner does next: a run, some sessions and a hold-out."""
    X, y = draw_stream(99, n, missing=0.1, problem=learner.problem)
    record = learner.run(X, y)
    told = repr(go_through(learner, X[:10], y[:10]))
    held_out = learner.evaluate(X).record
    hashed = hashlib.sha256(told.encode())
    for r in (record, held_out):
        hashed.update(repr(r.predicted.tolist()).encode())
        for array in (r.probability, r.cost, r.n_asked, r.asked):
            hashed.update(array.tobytes())
    for part in learned_of(learner):
        hashed.update(part)
    return hashed.hexdigest()
