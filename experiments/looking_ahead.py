"""How far to look ahead where nothing more is explored: the sweep behind `policy.settled`.

Run as `python experiments/looking_ahead.py [splits]`. Hold-outs, from paid features, of the data sets of
`exploring.py`, none of which serves a claim, also with prices from 1 to 100 and a mistake at 1,000. A cost is questions
and, at 100 questions each, mistakes; with prices a tenth of what is paid. Differences are to 128 states, twice that
where prices differ. The last lines are on that: streams and hold-outs with half and with twice as many states as there.
"""

import sys
from dataclasses import replace
from typing import Any

import numpy as np
from exploring import GROUPS, table
from mean_and_draw import difference

from ufodt import UFODT, Problem, policy

VARIANTS: dict[str, tuple[int, int]] = {  # labels for each state, and the most states
    "128 states": (1, 128),
    "labels / 16": (16, 4096),
    "labels / 4 (default)": (4, 4096),
    "labels": (1, 4096),
    "labels / 4, up to 1,024": (4, 1024),
    "4,096 states": (0, 4096),
}
AT_FIRST = {"128 states": 64, "256 (default)": 128, "512": 256}  # while learning too; prices that differ double them


def priced(name: str) -> tuple[Problem, Any, Any]:
    """Return a data set whose features have prices, the same for every split."""
    problem, X, y = table(name)
    prices = np.exp(np.random.default_rng(7).uniform(0.0, np.log(100.0), problem.n_features))
    features = [replace(f, price=p) for f, p in zip(problem.features, prices.tolist(), strict=True)]
    return Problem(features, problem.labels, loss=1000.0 * (1 - np.eye(problem.n_labels))), X, y


def measure(how: str, problem: Problem, X: Any, y: Any, seed: int) -> list[list[float]]:
    """Return for each variant accuracy, questions and cost on one hold-out, after the same stream or table."""
    stream, holdout = np.split(np.random.default_rng(seed).permutation(len(y)), [len(y) * 4 // 5])
    learner = UFODT(problem, seed=seed)
    getattr(learner, how)(X[stream], y[stream])
    found = []
    chosen = policy._LABELS_PER_STATE, policy._MOST_STATES
    for n_labels, most in VARIANTS.values():
        policy._LABELS_PER_STATE, policy._MOST_STATES = n_labels or 1e-9, most  # type: ignore[assignment]
        report = learner.evaluate(X[holdout], y[holdout])
        paid = report.cost / 10 if problem.has_currency else report.n_asked
        found.append([report.accuracy, report.n_asked, paid + 100 * (1 - report.accuracy)])
    policy._LABELS_PER_STATE, policy._MOST_STATES = chosen
    return found


def while_learning(problem: Problem, X: Any, y: Any, seed: int) -> list[list[float]]:
    """Return for so many states at first the cost of a case while learning, and on the hold-out."""
    stream, holdout = np.split(np.random.default_rng(seed).permutation(len(y)), [len(y) * 4 // 5])
    found, chosen = [], policy._PLANNERS["lookahead"]
    for n_states in AT_FIRST.values():
        policy._PLANNERS["lookahead"] = n_states
        learner = UFODT(problem, seed=seed)
        record, report = learner.run(X[stream], y[stream]), learner.evaluate(X[holdout], y[holdout])
        wrong = (record.predicted != y[stream]).mean()
        found.append([record.cost.mean() / 10 + 100 * wrong, report.cost / 10 + 100 * (1 - report.accuracy)])
    policy._PLANNERS["lookahead"] = chosen
    return found


def main(n_splits: int = 12) -> None:
    """Print one line per group of data sets, way to learn and variant; then what it is worth while learning."""
    seeds = range(1700, 1700 + n_splits)
    groups = {group: [table(name) for name in names] for group, names in GROUPS.items()}
    groups |= {f"{group}, priced": [priced(name) for name in GROUPS[group]] for group in ("long", "thirty")}
    for group, tables in groups.items():
        for how in ("run", "learn_many"):
            figures = np.array([[measure(how, *each, seed) for seed in seeds] for each in tables]).mean(axis=0)
            for i, variant in enumerate(VARIANTS):  # figures: splits x variants x three
                accuracy, asked, _ = figures[:, i].mean(axis=0)
                cost = difference(figures[:, i, 2], figures[:, 0, 2])
                print(f"{group:16}{how:12}{variant:26}{accuracy:.4f} @ {asked:.2f} ({cost})", flush=True)
    for group in ("long, priced", "thirty, priced"):
        figures = np.array([[while_learning(*each, seed) for seed in seeds] for each in groups[group]]).mean(axis=0)
        for i, variant in enumerate(AT_FIRST):
            learning, held = (difference(figures[:, i, j], figures[:, 0, j]) for j in (0, 1))
            print(f"{group:16}{variant:26}while learning {learning}, hold-out {held}", flush=True)


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:]))
