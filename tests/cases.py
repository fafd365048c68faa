"""A problem with a bit of everything, streams for it, and the learners that must all keep the same laws."""

import hashlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from ufodt import UFODT, Binary, Categorical, Policy, Prior, Problem, stop
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
NAMES = [feature.name for feature in PROBLEM.features]


def policies() -> dict[str, Policy]:
    """Every criterion, with stop rules, drawing and prediction of several kinds."""
    ours = {
        criterion: Policy(
            criterion=criterion,
            stop=stop.cost_benefit(worth=1.0) | stop.budget(9.0),
            n_hypotheses=48,
            redraw_below=12,
        )
        for criterion in ("ec2", "ig", "us", "random")
    }
    return {
        **ours,
        "sure": Policy(criterion="ig", stop=stop.confidence(0.9), plan="mean"),
        "careful": Policy(criterion="ec2", stop=stop.region() & stop.confidence(0.7), n_hypotheses=30, redraw_below=30),
    }


def make(name: str, *, problem: Problem = PROBLEM, seed: int = 7) -> UFODT:
    """One of the learners of `LEARNERS`, fresh."""
    preset, _, kind = name.partition("-")
    if preset == "paper":
        return UFODT.paper(problem, criterion=kind, n_hypotheses=40, seed=seed)
    return UFODT(problem, policy=policies()[kind], prior=Prior(count=0.7), seed=seed)


LEARNERS = [f"ours-{kind}" for kind in policies()] + [f"paper-{kind}" for kind in ("ec2", "ig", "us", "random")]


def draw_stream(seed: int, n: int, *, missing: float = 0.0) -> tuple[np.ndarray, list[Any]]:
    """Raw values, shape `(n, n_features)`, that depend on their labels; some cells None."""
    rng = np.random.default_rng(seed)
    tables = [rng.dirichlet(np.ones(len(f.values)), PROBLEM.n_labels) for f in PROBLEM.features]
    y = rng.integers(0, PROBLEM.n_labels, n)
    X = np.empty((n, PROBLEM.n_features), dtype=object)
    for j, feature in enumerate(PROBLEM.features):
        X[:, j] = [feature.values[rng.choice(len(feature.values), p=tables[j][label])] for label in y]
    X[rng.random(X.shape) < missing] = None
    return X, [PROBLEM.labels[label] for label in y]


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


def state(learner: UFODT) -> tuple[bytes, bytes, int]:
    """Everything about a learner that moves."""
    belief = learner.belief
    return belief.counts.tobytes(), belief.label_counts.tobytes(), learner.n_opened


def digest(learner: UFODT, n: int = 40) -> str:
    """A fingerprint of what the learner does next: a run, some sessions and a hold-out."""
    X, y = draw_stream(99, n, missing=0.1)
    record = learner.run(X, y)
    told = repr(go_through(learner, X[:10], y[:10]))
    held_out = learner.evaluate(X).record
    hashed = hashlib.sha256(told.encode())
    for r in (record, held_out):
        hashed.update(repr(r.predicted.tolist()).encode())
        for array in (r.probability, r.cost, r.n_asked, r.asked):
            hashed.update(array.tobytes())
    for part in state(learner)[:2]:
        hashed.update(part)
    return hashed.hexdigest()
