"""What hindsight alone is worth: the best subset of a hold-out beside the best of all policies, in a known world.

The world is made after a data set: the shares of the values of each feature under each label, independent of each
other, numbers cut between equal shares of their values. All its parameters are known, so nothing is left to learn and
the exact optimum is the least that any policy can expect to pay. A subset that is picked on the cases it is judged on
may cost less than that: whatever it costs less, no policy could have saved.
"""

from dataclasses import dataclass, replace

import numpy as np

from ufodt import UFODT, Continuous, Problem, core
from ufodt.compiled import n_states
from ufodt.features import Feature
from ufodt.lab.datasets import Dataset
from ufodt.lab.datasets.dataset import FloatArray
from ufodt.lab.optimal import World, optimum
from ufodt.lab.subsets import Subsets

MAX_BINS = 4


@dataclass(frozen=True, slots=True)
class Hindsight:
    """What a case costs in a known world: by the optimum, and by subsets picked for all cases and for each hold-out."""

    optimum: float
    one_for_all: FloatArray  # the subset that is cheapest over all hold-outs, shape `(n_holdouts,)`
    best: FloatArray  # the cheapest of each hold-out


def in_world(world: World, subsets: Subsets, *, n_rows: int, n_holdouts: int, seed: int) -> Hindsight:
    """Return what a case costs by the optimum, exact, and what fixed subsets cost on hold-outs drawn from the world.

    Whoever has a subset knows the parameters too, and answers by them.
    """
    rng = np.random.default_rng(seed)
    costs = np.array([_holdout(world, subsets, n_rows, rng).mean(axis=1) for _ in range(n_holdouts)])
    return Hindsight(optimum(world).cost, costs[:, costs.mean(axis=0).argmin()], costs.min(axis=1))


def alike(data: Dataset, problem: Problem) -> World:
    """Return a world that a data set could have come from, with as many bins for a number as can be planned exactly.

    Every number must vary.
    """
    for n_bins in range(MAX_BINS, 1, -1):
        cut = replace(problem, features=[_cut(f, data.X[:, j], n_bins) for j, f in enumerate(problem.features)])
        world = _fitted(cut, data)
        if n_states(world.compiled) <= core.MAX_STATES:
            break
    return world


def _cut(feature: Feature, values: FloatArray, n_bins: int) -> Feature:
    """A number with cut points between equal shares of its values; anything else as it is."""
    if not isinstance(feature, Continuous):
        return feature
    shares = np.nanquantile(values, np.arange(1, n_bins) / n_bins, method="lower")
    return replace(feature, cuts=tuple(np.unique(shares[shares < np.nanmax(values)]).tolist()))


def _fitted(problem: Problem, data: Dataset) -> World:
    learner = UFODT(problem)
    learner.learn_many(data.X, data.y)
    theta, label = learner.belief.mean()
    return World(problem, theta.reshape(-1, problem.n_labels), label)


def _holdout(world: World, subsets: Subsets, n_rows: int, rng: np.random.Generator) -> FloatArray:
    """What each of some cases drawn from the world costs with each fixed subset."""
    n_labels = world.problem.n_labels
    y = rng.choice(n_labels, size=n_rows, p=world.label / world.label.sum())
    evidence, row = np.zeros((world.problem.n_features, n_rows, n_labels)), 0
    for j, n_outcomes in enumerate(world.compiled.n_outcomes):
        p = world.theta[row : row + n_outcomes]
        outcomes = (rng.random(n_rows) >= np.cumsum(p, axis=0)[:-1, y]).sum(axis=0)
        evidence[j] = np.log(p[outcomes])
        row += n_outcomes
    return subsets.costs(world.problem, evidence, np.log(world.label), y)
