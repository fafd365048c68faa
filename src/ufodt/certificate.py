"""How far from the optimum: what a policy is expected to pay, and the least that any policy could.

Everything here holds for one known theta: P(outcome | label) of every feature, one row per outcome and one column per
label, and P(label). For a learner that theta is its mean belief of single features, so a certificate says how well the
learner acts on what it believes of them, not whether that is true, nor what it knows of pairs beyond it.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ufodt import core
from ufodt.amount import whole
from ufodt.compiled import n_states, work
from ufodt.errors import InvalidValue, TooLarge

FloatArray = NDArray[np.float64]
_N_CASES = 4000  # drawn to measure a policy
_MAX_ROWS = (1 << 16) - 1  # as the core numbers them
_ROUNDING = 1e-12  # of what a mistake or a case costs: the optimum is known to no more
_MAX_WORK = 1 << 31  # a few seconds
_N_POOLS = 4  # independent estimates of a bound
_EFFORT = 1e8  # steps for each: about a second


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


def optimum(
    problem: core.Problem, theta: FloatArray, label: FloatArray, *, worth: float, budget: float = math.inf
) -> Expected:
    """Return what the best of all policies is expected to pay, and its tree; with a budget, of those that keep to it.

    Where a budget meets groups, surcharges or computed features, what was spent depends on more than which features are
    known; it is taken to be what they cost at least, and the figure is then a lower bound.

    Found by dynamic programming over all partial assignments of outcomes, of which there are the product of
    (number of outcomes + 1) over the features: 13 binary features take well under a second, and about 15 are the limit.

    Raises
    ------
    TooLarge
        When there are more than `core.MAX_STATES` partial assignments.
    """
    check_size(problem)
    found = core.Optimal(problem, theta, label, worth=worth, budget=budget)
    return _expected(found.expected, found.tree, worth)


def of_tree(tree: core.Tree, theta: FloatArray, label: FloatArray, *, worth: float) -> Expected:
    """Return what following a planned tree is expected to pay: exact, each node reached is planned once.

    Raises
    ------
    TooLarge
        When the tree grows beyond two million nodes.
    """
    try:
        expected, nodes = tree.expected(theta, label)
    except ValueError as error:
        if "too many nodes" not in str(error):
            raise
        raise TooLarge(
            "The policy's tree has more than 2,000,000 nodes; stop earlier, or measure on drawn cases."
        ) from None
    return _expected(expected, nodes, worth)


@dataclass(frozen=True, slots=True)
class Gap:
    """What a policy pays per case, and the least that any policy could pay, under the mean belief.

    Where `exact`, `least` is what the optimal policy pays; otherwise it is a lower bound on that. An `error` other than
    0 is the standard error of their ratio, and both are then means over drawn cases.

    Both are by the mean belief of single features, as if answers were independent given the label and trusted in full.
    Where the learner goes by pairs or trusts several answers less (`belief.is_paired`, `belief.overlap`), it plans for
    another world than this one, so the ratio is too high; what a case really costs is what `evaluate` measures.
    """

    cost: float
    least: float
    exact: bool
    error: float = 0.0

    @property
    def ratio(self) -> float:
        """What is paid, as a multiple of the least: 1 is optimal."""
        if self.least > 0:
            return self.cost / self.least
        return 1.0 if self.cost <= 0 else math.inf


@dataclass(frozen=True, slots=True)
class Follower:
    """A policy that is ready to be followed: the problem, the belief it plans with, and its tree under the mean."""

    problem: core.Problem
    belief: core.Belief
    tree: core.Tree
    worth: float  # of one unit of loss, in the currency of the prices
    losses: FloatArray
    budget: float
    is_orderless: bool  # what is bought when makes no difference to prices, nor to which duties fit a budget


def gap(who: Follower, *, seed: int, depth: int | None = None) -> Gap:
    """Return what following the policy costs beside the optimum, or beside a bound where that is out of reach."""
    if depth is not None and whole(depth, 0, 4) is None:
        raise InvalidValue(f"A depth of {depth!r} came; expected a number of questions from 0 to 4.")
    theta, label = who.belief.mean()
    if n_states(who.problem) <= core.MAX_STATES and work(who.problem) <= _MAX_WORK:
        try:
            cost = of_tree(who.tree, theta, label, worth=who.worth).cost
            best = optimum(who.problem, theta, label, worth=who.worth, budget=who.budget)
            rounding = _ROUNDING * max(who.worth * float(who.losses.max()), cost)
            least = cost if cost < best.cost <= cost + rounding else best.cost
            return Gap(cost, least, exact=who.is_orderless or math.isinf(who.budget))
        except TooLarge:
            pass  # the policy asks on and on; drawn cases will do
    cost, cost_error = _drawn_cost(who, theta, label, seed)
    least, least_error = relaxed_bound(
        who.problem, theta, label, worth=who.worth, depth=depth, seed=seed, keeps_duties=math.isinf(who.budget)
    )
    error = math.hypot(cost_error / least, cost * least_error / least**2) if least > 0 else 0.0
    return Gap(cost, least, exact=False, error=error)


def relaxed_bound(
    problem: core.Problem,
    theta: FloatArray,
    label: FloatArray,
    *,
    worth: float,
    depth: int | None = None,
    seed: int,
    keeps_duties: bool = True,
) -> tuple[float, float]:
    """Return a lower bound on what any policy is expected to pay, and its standard error.

    Without `keeps_duties` nothing is mandatory, as where a budget may not hold what is.

    An information relaxation: whoever has paid for `depth` questions sees the outcomes of all other features for the
    price of one more. Such a clairvoyant can imitate everyone who has to pay for each, so he pays no more than the
    optimum. The bound rises with `depth`, by default as deep as a few seconds allow; averages over drawn cases
    err to the low side, since the clairvoyant's choices fit the cases drawn.

    References
    ----------
    Brown, Smith and Sun (2010), Information relaxations and duality in stochastic dynamic programs.
    """
    if len(theta) > _MAX_ROWS:
        raise TooLarge(f"{len(theta):,} outcomes of all features together; a bound takes up to {_MAX_ROWS:,}.")
    n_labels = len(label)
    n_cases = max(16, 512 // n_labels)
    if depth is None:
        rows, effort = len(theta), n_cases * n_labels * n_labels
        deep = [d for d in range(1, 5) if rows**d / math.factorial(d) * effort <= _EFFORT]
        depth = max(deep, default=1)
    found = np.array(
        [
            core.relaxed_bound(
                problem,
                theta,
                label,
                worth=worth,
                depth=depth,
                n_cases=n_cases,
                seed=(seed + k) % 2**63,
                keeps_duties=keeps_duties,
            )
            for k in range(_N_POOLS)
        ]
    )
    return float(found.mean()), float(found.std(ddof=1) / math.sqrt(_N_POOLS))


def _drawn_cost(who: Follower, theta: FloatArray, label: FloatArray, seed: int) -> tuple[float, float]:
    """What the policy pays on cases drawn from theta, and the standard error of that."""
    rng = np.random.default_rng(seed)
    y = rng.choice(len(label), size=_N_CASES, p=label)
    outcomes = np.empty((_N_CASES, who.problem.n_features), dtype=np.int16)
    values, row = [], 0
    for j, n in enumerate(who.problem.n_outcomes):
        rising = theta[row : row + n, y].cumsum(axis=0)
        outcomes[:, j] = np.minimum((rng.random(_N_CASES) >= rising).sum(axis=0), n - 1)
        row += n
        if who.problem.continuous[j]:
            cuts = np.array(who.tree.cuts[j])  # a value of bin k: its upper end, or beyond the last cut
            ends = np.append(cuts, np.nextafter(cuts[-1], np.inf)) if len(cuts) else np.zeros(n)
            values.append(ends[np.minimum(outcomes[:, j], len(ends) - 1)])
    table = np.ascontiguousarray(np.array(values).T) if values else None
    predicted, _, price, _, _ = who.tree.evaluate(outcomes, table)
    costs = price + who.worth * who.losses[y, predicted]
    return float(costs.mean()), float(costs.std(ddof=1) / math.sqrt(_N_CASES))


def check_size(problem: core.Problem) -> None:
    """Raise TooLarge if the exact optimum is out of reach."""
    if n_states(problem) > core.MAX_STATES:
        raise TooLarge(
            f"{problem.n_features} features have {n_states(problem):.3g} partial assignments of outcomes; the exact "
            f"optimum takes at most {core.MAX_STATES:,}. Leave out features, or use fewer bins."
        )


def _expected(found: tuple[float, ...], nodes: tuple[NDArray[np.int32], FloatArray], worth: float) -> Expected:
    price, loss, accuracy, n_asked = found
    rows, probability = nodes
    tree = tuple(
        Node(parent, branch, feature, answer, p)
        for (parent, branch, feature, answer), p in zip(rows.tolist(), probability.tolist(), strict=True)
    )
    return Expected(price + worth * loss, price, loss, accuracy, n_asked, tree)
