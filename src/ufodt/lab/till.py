"""What sets of features cost together: duties and needs come with them, each at its price after the others."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ufodt import Continuous, Problem
from ufodt.lab.datasets.dataset import FloatArray

MAX_TIED = 12  # features that hang together: up to here all orders to buy them in are weighed


def whole_price(problem: Problem, surcharges: FloatArray | None = None) -> float:
    """Return what all features of a case cost together."""
    return float(prices_of(problem, np.ones((1, problem.n_features), dtype=bool), surcharges)[0])


def prices_of(problem: Problem, members: npt.NDArray[np.bool_], surcharges: FloatArray | None = None) -> FloatArray:
    """Return what each subset costs, shape `(n_subsets,)`, duties and needs with it, in the cheapest order.

    `surcharges` are expected on top of the price of a feature, where it is bought and does not follow from others.

    Where the prices of more than `MAX_TIED` features depend on one another, it is an order that may not be the best:
    what will follow from the rest comes last, and first of a group what costs least more than as a later one.
    """
    bought = with_needs(problem, members)
    added = np.zeros(problem.n_features) if surcharges is None else surcharges
    till = Till(problem, added)
    tied = [j for knot in till.knots for j in knot]
    free = np.setdiff1d(np.arange(problem.n_features), tied)
    prices = np.asarray(bought[:, free] @ (problem.prices + added)[free], dtype=np.float64)
    for knot in till.knots:
        rows, which = np.unique(bought[:, knot], axis=0, return_inverse=True)
        least = till.in_the_cheapest_order(knot) if len(knot) <= MAX_TIED else None
        sums = [
            till.in_turn([j for j, is_in in zip(knot, row, strict=True) if is_in])
            if least is None
            else least[row @ (1 << np.arange(len(knot)))]
            for row in rows
        ]
        prices += np.array(sums)[which.reshape(-1)]
    return prices


class Till:
    """Where features are paid for: what one costs once others are known."""

    def __init__(self, problem: Problem, surcharges: FloatArray) -> None:
        features, index = problem.features, problem.feature_index
        self._first: list[float] = (problem.prices + surcharges).tolist()
        self._later: list[float] = [
            price if f.later_price is None else min(problem.amount(f.later_price, f.name) + added, price)
            for f, price, added in zip(features, self._first, surcharges, strict=True)
        ]
        self._groups = [f.group for f in features]
        self._inputs = [frozenset(index(name) for name in f.computed_from) for f in features]
        self._needs = [frozenset(index(name) for name in f.needs) for f in features]
        self.knots = self._knots()

    def _knots(self) -> list[list[int]]:
        """Return the features whose prices depend on others, with these: one list for each that hang together."""
        knots: list[set[int]] = []
        in_group: dict[str, set[int]] = {}
        for j, group in enumerate(self._groups):
            tied = {j} | self._inputs[j] | self._needs[j]
            if group is not None:
                in_group.setdefault(group, set()).add(j)
                tied |= in_group[group]
            if len(tied) > 1 or group is not None:
                joined = [knot for knot in knots if knot & tied]
                knots = [knot for knot in knots if not knot & tied] + [tied.union(*joined)]
        return [sorted(knot) for knot in knots]

    def _price(self, feature: int, known: set[int], paid: set[str | None]) -> float:
        """Return what a feature costs once others are known and groups paid for; infinite where others come first."""
        if not self._needs[feature] <= known:
            return math.inf
        if self._inputs[feature] and self._inputs[feature] <= known:
            return 0.0
        return self._later[feature] if self._groups[feature] in paid else self._first[feature]

    def in_turn(self, features: Sequence[int]) -> float:
        """Return what some features cost together, bought one after the other as seems cheapest."""
        known: set[int] = set()
        paid: set[str | None] = set()
        left, total = set(features), 0.0
        while left:
            ranked = []
            for f in left:
                price = self._price(f, known, paid)
                waits = price == math.inf or (price > 0 and bool(self._inputs[f]) and self._inputs[f] <= known | left)
                ranked.append((waits, price - min(self._later[f], price), price, f))
            *_, price, best = min(ranked)
            total += price
            known.add(best)
            paid |= {self._groups[best]} - {None}
            left.remove(best)
        return total

    def in_the_cheapest_order(self, knot: Sequence[int]) -> FloatArray:
        """Return what every subset of a knot costs, by its number in binary; infinite where it cannot be had."""
        n = len(knot)
        least = np.full(1 << n, np.inf)
        least[0] = 0.0
        for number in range(1 << n):
            known = {knot[i] for i in range(n) if number >> i & 1}
            paid = {self._groups[j] for j in known} - {None}
            for i, feature in enumerate(knot):
                if feature not in known:
                    then = number | 1 << i
                    least[then] = min(least[then], least[number] + self._price(feature, known, paid))
        return least


def with_needs(problem: Problem, members: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Return the subsets with all that is asked in any case and all that their features need."""
    bought = members | [f.mandatory for f in problem.features]
    for j, feature in enumerate(problem.features):
        if feature.needs:
            bought[:, [problem.feature_index(name) for name in problem.needed(feature.name)]] |= bought[:, [j]]
    return bought


def mean_surcharges(problem: Problem, X: Any) -> FloatArray:
    """Return what its values add to the price of each feature, averaged over the cases of a table.

    >>> from ufodt import Binary
    >>> mean_surcharges(Problem([Binary("scan", surcharge={1: 20.0}), Binary("age")], labels=[0, 1]), [[1, 0], [0, 1]])
    array([10.,  0.])
    """
    added = np.zeros(problem.n_features)
    if not any(feature.surcharge for feature in problem.features):
        return added
    outcomes, _ = problem.outcomes(X)
    for j, feature in enumerate(problem.features):
        if feature.surcharge and not isinstance(feature, Continuous):
            amounts = [problem.amount(feature.surcharge.get(value, 0.0), feature.name) for value in feature.values]
            added[j] = np.array([*amounts, 0.0])[outcomes[:, j]].mean()  # the last is for what could not be had, -1
    return added
