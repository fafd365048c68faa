"""The paper's definitions by brute force: every pair, every outcome, every hypothesis."""

import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from ufodt import core

from .small import Small


def entropy(p: np.ndarray) -> float:
    """In bits; p need not be normalised."""
    p = p[p > 0] / p.sum()
    return float(-(p * np.log2(p)).sum())


def posterior(case: Small, theta: np.ndarray, labels: np.ndarray, evidence: Mapping[int, int]) -> np.ndarray:
    """P(label | evidence) by the naive Bayes product."""
    p = labels.copy()
    for feature, outcome in evidence.items():
        p *= theta[case.rows(feature)][outcome]
    return p / p.sum()


def edges(regions: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Weight of the edge between any two hypotheses, each pair once: the graph of EC2."""
    graph = np.outer(weights, weights) * (regions[:, None] != regions[None, :])
    return np.triu(graph, 1)


def ec2(column: np.ndarray, regions: np.ndarray, weights: np.ndarray) -> float:
    """Expected weight of the edges cut by a question: those with an end that the answer rules out."""
    graph, gain = edges(regions, weights), 0.0
    for outcome in np.unique(column):
        gone = column != outcome
        cut = graph[gone[:, None] | gone[None, :]].sum()
        gain += weights[~gone].sum() / weights.sum() * cut
    return float(gain)


def us(column: np.ndarray, weights: np.ndarray) -> float:
    """Expected drop of the entropy over hypotheses."""
    left = 0.0
    for outcome in np.unique(column):
        here = weights[column == outcome]
        left += here.sum() / weights.sum() * entropy(here)
    return entropy(weights) - left


def rig(column: np.ndarray, regions: np.ndarray, weights: np.ndarray) -> float:
    """Expected drop of the entropy of the region."""
    mass = np.array([[weights[(column == k) & (regions == r)].sum() for r in set(regions)] for k in set(column)])
    return entropy(mass.sum(axis=0)) - sum(row.sum() / mass.sum() * entropy(row) for row in mass)


def gini(case: Small, theta: np.ndarray, p: np.ndarray, feature: int) -> float:
    """Expected drop of the chance that two labels drawn from p differ."""

    def impurity(p: np.ndarray) -> float:
        return 1.0 - float(((p / p.sum()) ** 2).sum())

    joint = theta[case.rows(feature)] * p
    return impurity(p) - sum(row.sum() * impurity(row) for row in joint)


def eced(case: Small, theta: np.ndarray, p: np.ndarray, feature: int) -> float:
    """What every outcome takes off every edge, less what it would take off if all ratios were the largest one."""
    chance, gain = theta[case.rows(feature)], 0.0
    for row in chance:
        ratio = row / chance.max(axis=0)
        for y, other in itertools.combinations(range(len(p)), 2):
            taken, offset = 1 - ratio[y] * ratio[other], 1 - ratio.max() ** 2
            gain += float(row @ p) * p[y] * p[other] * (taken - offset)
    return gain


def ig(case: Small, theta: np.ndarray, p: np.ndarray, feature: int) -> float:
    """Expected drop of the entropy of the label, whose distribution is p now."""
    joint = theta[case.rows(feature)] * p
    return entropy(p) - sum(row.sum() * entropy(row) for row in joint)


def expected_loss(case: Small, p: np.ndarray) -> np.ndarray:
    """Of every answer, shape `(n_labels,)`."""
    return p @ case.loss


def all_vectors(case: Small) -> np.ndarray:
    """Every hypothesis there is, shape `(n_hypotheses, n_features)`."""
    return np.array(list(itertools.product(*(range(k) for k in case.n_outcomes))))


def of_hypotheses(
    case: Small, plan: core.Plan, vectors: np.ndarray, evidence: Mapping[int, int]
) -> Iterator[tuple[float, np.ndarray]]:
    """P(h, evidence) and P(label | h, evidence) of every vector; -1 stands for a feature that is not open."""
    theta, labels = plan.theta()
    for vector in vectors:
        joint = labels.copy()
        for feature, outcome in [*evidence.items(), *((f, k) for f, k in enumerate(vector) if k >= 0)]:
            joint *= theta[case.rows(feature)][outcome]
        yield float(joint.sum()), joint / joint.sum()


@dataclass(frozen=True)
class Recursion:
    """What the best policy pays, price and worth of the loss, times P(evidence): over all policies, one by one."""

    case: Small
    theta: np.ndarray
    worth: float

    def least(self, joint: np.ndarray, left: list[int], paid: set[int], budget: float = math.inf) -> float:
        """Of the best policy over the features in `left`; `paid` are the groups that were opened."""
        stop = self.worth * expected_loss(self.case, joint).min()
        return min([stop, *(self.asking(f, joint, left, paid, budget) for f in left)])

    def asking(
        self, feature: int, joint: np.ndarray, left: list[int], paid: set[int], budget: float = math.inf
    ) -> float:
        """Of the best policy that asks this first; infinite where the budget does not allow it."""
        group, price = self.case.group[feature], self.case.price[feature]
        if group in paid:
            price = min(price, self.case.later_price[feature])
        if price > budget * (1 + 1e-12):
            return math.inf
        others = [f for f in left if f != feature]
        after = paid | ({group} if group >= 0 else set())
        rows = self.theta[self.case.rows(feature)]
        return price * joint.sum() + sum(self.least(joint * row, others, after, budget - price) for row in rows)
