"""Small problems as the core reads them: indices and numbers, every argument with a value."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ufodt import Criterion, core

CRITERIA = [criterion.value for criterion in Criterion]


@dataclass(frozen=True)
class Small:
    """A problem with all its numbers at hand, and a belief about it."""

    n_outcomes: list[int]
    n_labels: int
    price: list[float]
    later_price: list[float]
    group: list[int]
    loss: np.ndarray
    problem: core.Problem
    belief: core.Belief

    @property
    def n_features(self) -> int:
        return len(self.n_outcomes)

    def rows(self, feature: int) -> slice:
        """The rows of a feature in tables of shape `(n_rows, n_labels)`."""
        first = sum(self.n_outcomes[:feature])
        return slice(first, first + self.n_outcomes[feature])

    def plan(self, *, seed: int = 0, number: int = 0, **changes: Any) -> core.Plan:
        return core.Plan(self.problem, policy(**changes), self.belief, seed=seed, number=number)


def small(
    n_outcomes: Sequence[int],
    n_labels: int = 2,
    *,
    price: Sequence[float] | None = None,
    later_price: Sequence[float] | None = None,
    group: Sequence[int] | None = None,
    loss: np.ndarray | None = None,
    prior: np.ndarray | float = 1.0,
    label_prior: np.ndarray | float = 1.0,
    learns_labels: bool = True,
) -> Small:
    price = [1.0] * len(n_outcomes) if price is None else list(price)
    later_price = list(price) if later_price is None else list(later_price)
    group = [-1] * len(n_outcomes) if group is None else list(group)
    loss = 1.0 - np.eye(n_labels) if loss is None else loss
    problem = core.Problem(list(n_outcomes), n_labels, price, later_price, group, loss)
    belief = core.Belief(
        problem,
        np.broadcast_to(prior, (sum(n_outcomes), n_labels)).astype(np.float64),
        np.broadcast_to(label_prior, n_labels).astype(np.float64),
        learns_labels,
    )
    return Small(list(n_outcomes), n_labels, price, later_price, group, loss, problem, belief)


def draw_small(
    rng: np.random.Generator,
    *,
    max_features: int = 5,
    max_outcomes: int = 4,
    max_labels: int = 6,
    priced: bool = False,
    loss: bool = False,
) -> Small:
    """A random small problem: half of them binary, half of the priced ones with groups, from flat to sure counts."""
    n_features, n_labels = int(rng.integers(1, max_features + 1)), int(rng.integers(2, max_labels + 1))
    n_outcomes = rng.integers(2, 3 if rng.random() < 0.5 else max_outcomes + 1, n_features).tolist()
    return small(
        n_outcomes,
        n_labels,
        price=rng.choice([0.5, 1.0, 2.0, 7.3], n_features).tolist() if priced else None,
        later_price=rng.choice([0.25, 0.5, 1.5], n_features).tolist() if priced else None,
        group=rng.integers(-1, min(2, n_features), n_features).tolist() if priced and rng.random() < 0.5 else None,
        loss=rng.uniform(0.0, 5.0, (n_labels, n_labels)) * (1.0 - np.eye(n_labels)) if loss else None,
        prior=rng.gamma(1.0, rng.choice([1.0, 10.0]), (sum(n_outcomes), n_labels)) + 0.2,
        label_prior=rng.gamma(2.0, 1.0, n_labels) + 0.2,
        learns_labels=bool(rng.random() < 0.7),
    )


def policy(**changes: Any) -> core.Policy:
    settings: dict[str, Any] = {
        "criterion": "ec2",
        "stop": [("region", math.nan, 0)],
        "budget": math.inf,
        "n_hypotheses": 64,
        "distinct": False,
        "redraw_below": 16,
        "predict_theta": False,
        "plan": "draw",
    }
    return core.Policy(**{**settings, **changes})


def open_features(case: Small, evidence: dict[int, int]) -> list[int]:
    return [f for f in range(case.n_features) if f not in evidence]


def walk(rng: np.random.Generator, case: Small, plan: core.Plan) -> Iterator[dict[int, int]]:
    """Yield the evidence before each question, until the plan stops; answers are drawn at random."""
    evidence: dict[int, int] = {}
    while True:
        yield evidence
        question = plan.next()
        if question is None:
            return
        feature = question[0]
        evidence[feature] = int(rng.integers(case.n_outcomes[feature]))
        plan.observe(feature, evidence[feature])
