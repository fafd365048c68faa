"""Fixed subsets of the features: what they cost, and which few are worth having.

The choice is made by naive Bayes that has read *all* features of a stream for nothing, which no method that pays
could afford; a fixed subset is therefore an opponent with a head start.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ufodt import UFODT, Problem
from ufodt.lab.all_features import log_likelihoods
from ufodt.lab.datasets import Dataset, take
from ufodt.lab.datasets.dataset import FloatArray

N_FOLDS = 5
MAX_TIED = 12  # features whose prices depend on others: all orders to buy them in are weighed up to here
MAX_ROWS = 2_000  # of a stream, for choosing


@dataclass(frozen=True, slots=True)
class Subsets:
    """All subsets of the features: which features are in, shape `(n_subsets, n_features)`, and what each costs."""

    members: npt.NDArray[np.bool_]
    prices: FloatArray


def all_subsets(problem: Problem) -> Subsets:
    """Return all subsets, the empty one first and the whole last, each at its price in the cheapest order.

    >>> from ufodt import Binary
    >>> blood = {"group": "blood", "price": 7.0, "later_price": 5.0}
    >>> all_subsets(Problem([Binary("a", **blood), Binary("b", **blood)], labels=[0, 1])).prices.tolist()
    [0.0, 7.0, 7.0, 12.0]
    """
    n = problem.n_features
    members = (np.arange(2**n)[:, None] >> np.arange(n)) & 1 == 1
    return Subsets(members, prices_of(problem, members))


def prices_of(problem: Problem, members: npt.NDArray[np.bool_]) -> FloatArray:
    """Return what each subset costs, shape `(n_subsets,)`, duties and needs with it, in the cheapest order.

    Where more than `MAX_TIED` features have prices that depend on others, it is an order that may not be the cheapest:
    what follows from the rest comes first, then what costs least more now than after another of its group.
    """
    bought = with_needs(problem, members)
    counter = Counter(problem)
    tied = np.isin(np.arange(problem.n_features), counter.tied)
    prices = np.asarray(bought[:, ~tied] @ problem.prices[~tied], dtype=np.float64)
    if len(counter.tied) <= MAX_TIED:
        numbers = bought[:, tied] @ (1 << np.arange(len(counter.tied)))
        return np.asarray(prices + counter.all_in_the_cheapest_order()[numbers], dtype=np.float64)
    rows, which = np.unique(bought[:, tied], axis=0, return_inverse=True)
    sums = [counter.in_turn([counter.tied[i] for i in np.flatnonzero(row)]) for row in rows]
    return np.asarray(prices + np.array(sums)[which.reshape(-1)], dtype=np.float64)


class Counter:
    """Where features are paid for: what one costs once others are known."""

    def __init__(self, problem: Problem) -> None:
        features = problem.features
        index = problem.feature_index
        self._first: list[float] = problem.prices.tolist()
        self._later: list[float] = [
            price if f.later_price is None else min(problem.amount(f.later_price, f.name), price)
            for f, price in zip(features, self._first, strict=True)
        ]
        self._groups = [f.group for f in features]
        self._inputs = [frozenset(index(name) for name in f.computed_from) for f in features]
        self._needs = [frozenset(index(name) for name in f.needs) for f in features]
        own = {j for j, f in enumerate(features) if f.group or f.computed_from or f.needs}
        self.tied = sorted(own.union(*(self._inputs[j] | self._needs[j] for j in own)))

    def price(self, feature: int, known: set[int]) -> float:
        """Return what a feature costs now; infinite where something else must be known first."""
        if not self._needs[feature] <= known:
            return math.inf
        if self._inputs[feature] and self._inputs[feature] <= known:
            return 0.0
        group = self._groups[feature]
        shared = group is not None and any(self._groups[other] == group for other in known)
        return self._later[feature] if shared else self._first[feature]

    def in_turn(self, features: Sequence[int]) -> float:
        """Return what some features cost together, each bought when it costs least more than as a later one."""
        known: set[int] = set()
        paid = 0.0
        while left := [f for f in features if f not in known]:
            prices = {f: self.price(f, known) for f in left}
            best = min(left, key=lambda f: (prices[f] - min(self._later[f], prices[f]), prices[f]))
            paid += prices[best]
            known.add(best)
        return paid

    def all_in_the_cheapest_order(self) -> FloatArray:
        """Return what every set of the tied features costs, by its number in binary; infinite where none can be had."""
        n = len(self.tied)
        least = np.full(1 << n, np.inf)
        least[0] = 0.0
        for number in range(1 << n):
            known = {self.tied[i] for i in range(n) if number >> i & 1}
            for i, feature in enumerate(self.tied):
                if feature not in known:
                    then = number | 1 << i
                    least[then] = min(least[then], least[number] + self.price(feature, known))
        return least


def with_needs(problem: Problem, members: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Return the subsets with all that is asked in any case and all that their features need."""
    bought = members | [f.mandatory for f in problem.features]
    for j, feature in enumerate(problem.features):
        if feature.needs:
            bought[:, [problem.feature_index(name) for name in problem.needed(feature.name)]] |= bought[:, [j]]
    return bought


def whole_price(problem: Problem) -> float:
    """Return what all features of a case cost together."""
    return float(prices_of(problem, np.ones((1, problem.n_features), dtype=bool))[0])


def folds(stream: Dataset, *, seed: int, n: int = N_FOLDS) -> list[tuple[Dataset, Dataset]]:
    """Return n pairs of a part to learn from and a part to be asked about."""
    rows = np.random.default_rng(seed).permutation(len(stream.y))
    return [(take(stream, np.setdiff1d(rows, fold)), take(stream, fold)) for fold in np.array_split(rows, n)]


def ranked(problem: Problem, stream: Dataset, *, seed: int = 0, n_best: int | None = None) -> list[int]:
    """Return feature indices in the order in which each adds most to those before it.

    What counts is the cross-validated loss of naive Bayes on the first rows of the stream, and between equals the
    probability that it gives to the truth.
    """
    part = take(stream, np.arange(min(len(stream.y), MAX_ROWS)))
    parts = [_evidence(problem, *pair) for pair in folds(part, seed=seed)]
    log_p = [prior for _, prior, _ in parts]
    chosen: list[int] = []
    while len(chosen) < (problem.n_features if n_best is None else min(n_best, problem.n_features)):
        left = [j for j in range(problem.n_features) if j not in chosen]
        worth = [
            _worth(problem, [(p + evidence[j], y) for p, (evidence, _, y) in zip(log_p, parts, strict=True)])
            for j in left
        ]
        best = left[max(range(len(left)), key=lambda i: worth[i])]
        chosen.append(best)
        log_p = [p + evidence[best] for p, (evidence, _, _) in zip(log_p, parts, strict=True)]
    return chosen


def _evidence(
    problem: Problem, learned: Dataset, asked: Dataset
) -> tuple[FloatArray, FloatArray, npt.NDArray[np.int64]]:
    learner = UFODT(problem)
    learner.learn_many(learned.X, learned.y)
    prior = np.tile(np.log(learner.belief.mean()[1]), (len(asked.y), 1))
    return log_likelihoods(learner, asked.X), prior, asked.y


def _worth(problem: Problem, parts: Sequence[tuple[FloatArray, npt.NDArray[np.int64]]]) -> tuple[float, float]:
    """Less loss is better, then more log probability of the truth."""
    losses, log_truth = [], []
    for log_p, y in parts:
        shifted = log_p - log_p.max(axis=1, keepdims=True)
        p = np.exp(shifted) / np.exp(shifted).sum(axis=1, keepdims=True)
        losses.append(problem.losses[y, (p @ problem.losses).argmin(axis=1)].mean())
        log_truth.append(np.log(p[np.arange(len(y)), y] + 1e-300).mean())
    return -float(np.mean(losses)), float(np.mean(log_truth))
