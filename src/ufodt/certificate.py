"""How far from the optimum: what a policy is expected to pay, and the least that any policy could.

Everything here holds for one known theta: P(outcome | label) of every feature, one row per outcome and one column per
label, and P(label). For a learner that theta is its mean belief.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ufodt import core
from ufodt.errors import TooLarge

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Node:
    """A node of a policy's tree: its parent and the outcome that leads here, then what is asked or answered."""

    parent: int  # -1 at the root
    branch: int
    feature: int  # -1 where asking stops
    answer: int  # label of least expected loss here
    probability: float  # that a case comes here


@dataclass(frozen=True, slots=True)
class Expected:
    """What a policy is expected to pay per case."""

    cost: float  # price and loss together, in the currency of the prices
    price: float
    loss: float  # in its own unit
    accuracy: float
    n_asked: float
    tree: tuple[Node, ...] = ()  # parents before children


def optimum(problem: core.Problem, theta: FloatArray, label: FloatArray, *, worth: float) -> Expected:
    """Return what the best of all policies is expected to pay, and its tree.

    Found by dynamic programming over all partial assignments of outcomes, of which there are the product of
    (number of outcomes + 1) over the features: 13 binary features take a second, and about 15 are the limit.

    Raises
    ------
    TooLarge
        When there are more than `core.Optimal.max_states` partial assignments.
    """
    check_size(problem)
    found = core.Optimal(problem, theta, label, worth=worth)
    return _expected(found.expected, found.tree, worth)


def of_tree(tree: core.Tree, belief: core.Belief, theta: FloatArray, label: FloatArray, *, worth: float) -> Expected:
    """Return what following a planned tree is expected to pay: exact, each node reached is planned once.

    Raises
    ------
    TooLarge
        When the tree grows beyond two million nodes.
    """
    try:
        expected, nodes = tree.expected(belief, theta, label)
    except ValueError as error:
        if "too many nodes" not in str(error):
            raise
        raise TooLarge(
            "The policy's tree has more than 2,000,000 nodes; stop earlier, or measure on drawn cases."
        ) from None
    return _expected(expected, nodes, worth)


def n_states(problem: core.Problem) -> int:
    """Return how many partial assignments of outcomes a problem has."""
    return math.prod(n + 1 for n in problem.n_outcomes)


def check_size(problem: core.Problem) -> None:
    """Raise TooLarge if the exact optimum is out of reach."""
    if n_states(problem) > core.Optimal.max_states:
        raise TooLarge(
            f"{problem.n_features} features have {n_states(problem):.3g} partial assignments of outcomes; the exact "
            f"optimum takes at most {core.Optimal.max_states:,}. Leave out features, or use fewer bins."
        )


def _expected(found: tuple[float, ...], nodes: tuple[NDArray[np.int32], FloatArray], worth: float) -> Expected:
    price, loss, accuracy, n_asked = found
    rows, probability = nodes
    tree = tuple(
        Node(parent, branch, feature, answer, p)
        for (parent, branch, feature, answer), p in zip(rows.tolist(), probability.tolist(), strict=True)
    )
    return Expected(price + worth * loss, price, loss, accuracy, n_asked, tree)
