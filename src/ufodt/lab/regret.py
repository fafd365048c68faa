"""Regret in known worlds: what a learner loses, case after case, by not knowing theta.

At case t the learner follows one tree, that of the theta it drew. What that tree is expected to pay and to get right
in the true world is computed exactly, and so is the best that any policy could (`ufodt.lab.optimal`): nothing is
simulated but the stream the learner learns from. Two regrets are kept: the paper's, in utility alone against the most
that can be got right, and ours, in price and loss together against the least that has to be paid.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ufodt import UFODT, Binary, Problem, certificate, core
from ufodt import policy as policies
from ufodt.errors import InvalidPolicy
from ufodt.lab.contestants import Ours
from ufodt.lab.datasets import Dataset, led, take
from ufodt.lab.datasets.dataset import FloatArray, assemble, binary
from ufodt.lab.methods import build
from ufodt.lab.optimal import ALL_THERE_IS, World, led_world, optimum

WORLDS = ("world-led", "world-random")
N_FEATURES, N_LABELS = 6, 3  # of a random world
N_LOOKS = 60  # at even ratios of the stream
FIT_FROM = 100  # cases, for the exponent


def world_of(name: str, seed: int, n_cases: int) -> tuple[World, Dataset]:
    """Return a world and a stream from it: the LED display, or one drawn from the learner's own flat prior.

    >>> world, stream = world_of("world-random", 3, 10)
    >>> world.theta.shape, stream.X.shape
    ((12, 3), (10, 6))
    """
    if name == "world-led":
        return led_world(), led(n_cases, seed=seed)
    if name != "world-random":
        raise InvalidPolicy(f"no world is called {name!r}; expected one of {', '.join(WORLDS)}.")
    rng = np.random.default_rng(seed)
    p = rng.uniform(0.01, 0.99, size=(N_FEATURES, N_LABELS))
    y = rng.integers(N_LABELS, size=n_cases)
    X = (rng.random((n_cases, N_FEATURES)) < p[:, y].T).astype(np.float64)
    names = [f"x{j}" for j in range(N_FEATURES)]
    stream = assemble(
        name, binary(*names), X, y, [str(label) for label in range(N_LABELS)],
        source=f"naive Bayes source with uniform theta, seed {seed}", licence="none needed",
    )  # fmt: skip
    theta = np.stack([1 - p, p], axis=1).reshape(-1, N_LABELS)
    problem = Problem([Binary(feature) for feature in names], labels=range(N_LABELS))
    return World(problem, theta, np.full(N_LABELS, 1 / N_LABELS)), stream


def follow(
    name: str, method: str, settings: Mapping[str, Any], *, seed: int, n_cases: int
) -> tuple[dict[str, npt.NDArray[Any]], dict[str, Any]]:
    """Return the record of a learner's way through a world, one entry per look, and a summary with its exponents."""
    world, stream = world_of(name, seed, n_cases)
    every = 2**world.problem.n_features
    contestant = build(method, stream, problem=world.problem, settings={"n_hypotheses": every, **settings}, seed=seed)
    if not isinstance(contestant, Ours):
        raise InvalidPolicy(f"{method!r} came; regret is known for learners of this package only.")
    learner = contestant.learner
    worth = policies.worth(learner.policy, world.problem)
    best, most = optimum(world, worth=worth), optimum(world, worth=ALL_THERE_IS)
    at = looks(n_cases)
    found: dict[str, list[float]] = {"utility": [], "cost": [], "questions": []}
    done = 0
    for case in at:
        rows = take(stream, np.arange(done, case - 1))
        learner.run(rows.X, rows.y)
        done = case - 1
        here = expected(learner, world, worth)
        found["utility"].append(most.accuracy - here.accuracy)
        found["cost"].append(here.cost - best.cost)
        found["questions"].append(here.n_asked)
    record = {"case": np.array(at), **{key: np.array(values) for key, values in found.items()}}
    curves = {key: cumulative(record["case"], record[key]) for key in ("utility", "cost")}
    summary = {
        "n_cases": n_cases,
        "at": list(at),
        "regret": {key: curve.tolist() for key, curve in curves.items()},
        "exponent": {key: exponent(record["case"], curve) for key, curve in curves.items()},
        "optimum": {"cost": best.cost, "accuracy": best.accuracy, "most_accuracy": most.accuracy},
    }
    return record, summary


def expected(learner: UFODT, world: World, worth: float) -> certificate.Expected:
    """Return what the learner's next case is expected to pay and get right: exact, under the true theta."""
    belief = learner.belief
    tree = core.Tree(
        world.compiled,
        policies.to_core(learner.policy, world.problem),
        belief,
        seed=learner.seed,
        number=learner.n_opened,
    )
    return certificate.of_tree(tree, world.theta, world.label, worth=worth)


def looks(n_cases: int) -> list[int]:
    """Return the cases looked at: dense at first, then at even ratios.

    >>> looks(1000)[:4], looks(1000)[-1], len(looks(1000)) <= N_LOOKS
    ([1, 2, 3, 4], 1000, True)
    """
    return sorted({round(case) for case in np.geomspace(1, n_cases, N_LOOKS)})


def cumulative(at: npt.NDArray[Any], regret: FloatArray) -> FloatArray:
    """Return the regret of all cases up to each look, straight lines drawn between looks.

    >>> cumulative(np.array([1, 2, 4]), np.array([1.0, 1.0, 0.0])).tolist()
    [1.0, 2.0, 2.5]
    """
    every = np.interp(np.arange(1, at[-1] + 1), at, regret)
    return np.asarray(every.cumsum()[at - 1], dtype=np.float64)


def exponent(at: npt.NDArray[Any], curve: FloatArray) -> float | None:
    """Return b of the best fit a T^b from `FIT_FROM` cases on: 1 is no learning, 0.5 the shape of the bounds.

    >>> cases = np.array([100, 400, 1600])
    >>> exponent(cases, 3.0 * cases**0.5)
    0.5
    """
    chosen = (at >= FIT_FROM) & (curve > 0)
    if chosen.sum() < 3:
        return None
    return round(float(np.polyfit(np.log(at[chosen]), np.log(curve[chosen]), 1)[0]), 10)
