"""The exact optimum for known parameters, and what any policy pays beside it: yardstick and test oracle.

>>> from ufodt import Binary, Problem
>>> from ufodt.policy import Policy
>>> problem = Problem([Binary("fever"), Binary("cough")], labels=["healthy", "ill"], loss=[[0, 20], [20, 0]])
>>> world = World(problem, theta=[[0.9, 0.2], [0.1, 0.8], [0.5, 0.5], [0.5, 0.5]], label=[0.5, 0.5])
>>> best = optimum(world)
>>> best.cost, best.n_asked, round(best.accuracy, 6)  # fever is worth its price, cough tells nothing
(4.0, 1.0, 0.85)
>>> follow(world, Policy()).cost
4.0
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ufodt import certificate, core
from ufodt import policy as policies
from ufodt.certificate import Expected
from ufodt.compiled import compile_problem
from ufodt.errors import InvalidPolicy, InvalidValue
from ufodt.features import Continuous
from ufodt.lab.datasets import led, to_problem
from ufodt.lab.datasets.generated import DIGITS
from ufodt.policy import Policy
from ufodt.problem import Problem
from ufodt.thresholds import Thresholds

ALL_THERE_IS = 1e6  # worth of a mistake, in questions: every question that may help is asked
_CERTAIN = 1e9  # cases behind a belief that knows its theta
_NEVER = 1e-6  # of them with an outcome that cannot come


@dataclass(frozen=True)
class World:
    """A problem whose parameters are known.

    Parameters
    ----------
    theta
        P(outcome | label), one row per outcome of each feature in turn and one column per label; 0 and 1 where an
        answer is certain.
    label
        P(label).
    """

    problem: Problem
    theta: Any
    label: Any
    thresholds: Thresholds = Thresholds()

    def __post_init__(self) -> None:
        vague = [f.name for f in self.problem.features if isinstance(f, Continuous) and not f.cuts]
        if vague:
            raise InvalidValue(f"{vague[0]} came without cut points; in a known world they must be given.")
        n_rows = self.compiled.n_rows
        for name, shape in (("theta", (n_rows, self.problem.n_labels)), ("label", (self.problem.n_labels,))):
            try:
                array = np.array(getattr(self, name), dtype=np.float64, order="C")
            except (TypeError, ValueError):
                raise InvalidValue(f"{name} came as {getattr(self, name)!r}; expected probabilities.") from None
            if array.shape != shape:
                raise InvalidValue(f"{name} of shape {array.shape} came; expected {shape}.")
            if not (array >= 0).all() or (name == "label" and not array.all()):
                least = "above 0" if name == "label" else "of 0 or more"
                raise InvalidValue(f"{name} holds {array.min():g}; expected probabilities {least}.")
            object.__setattr__(self, name, array)
        first_rows = np.cumsum([0, *self.compiled.n_outcomes[:-1]])
        sums = [self.label.sum(), *np.add.reduceat(self.theta, first_rows).ravel()]
        if not np.allclose(sums, 1.0, atol=1e-6):
            raise InvalidValue("The probabilities must sum to 1 for each feature under each label, and for the labels.")

    @cached_property
    def compiled(self) -> core.Problem:
        """The problem as the core reads it."""
        return compile_problem(self.problem, self.thresholds)

    @cached_property
    def belief(self) -> core.Belief:
        """A belief that is certain of theta: its draws and its mean are theta."""
        counts = np.maximum(self.theta * _CERTAIN, _NEVER)
        return core.Belief(self.compiled, counts, self.label * _CERTAIN, False)


def led_world(noise: float = 0.1) -> World:
    """Return the LED display with its true parameters: ten digits, seven segments that lie now and then.

    >>> best = optimum(led_world(), worth=ALL_THERE_IS)
    >>> round(best.accuracy, 3), round(best.n_asked, 2)
    (0.74, 4.19)
    """
    lit = np.where(DIGITS.T == 1, 1 - noise, noise)
    theta = np.stack([1 - lit, lit], axis=1).reshape(-1, len(DIGITS))
    return World(to_problem(led(1, seed=0)), theta, np.full(len(DIGITS), 1 / len(DIGITS)))


def optimum(world: World, *, worth: float | None = None) -> Expected:
    """Return what the best of all policies pays in this world, with its tree.

    `worth` is what one unit of loss is worth in the currency of the prices; by default that of the default policy.
    """
    worth = policies.worth(Policy(), world.problem) if worth is None else worth
    return certificate.optimum(world.compiled, world.theta, world.label, worth=worth)


def follow(world: World, policy: Policy, *, worth: float | None = None, seed: int = 0) -> Expected:
    """Return what a policy pays in this world when it plans with true parameters: exact, nothing is simulated.

    A policy that draws hypotheses is one tree per `seed`.
    """
    if not isinstance(policy, Policy):
        raise InvalidPolicy(f"{policy!r} came to be followed; expected a Policy(...).")
    worth = policies.worth(policy, world.problem) if worth is None else worth
    planned = policies.settled(policy, world.problem, world.compiled, world.belief)
    tree = core.Tree(world.compiled, planned, world.belief, seed=seed, number=0)
    return certificate.of_tree(tree, world.theta, world.label, worth=worth)
