"""What it costs and saves to plan only one case in four under a draw once much is known: `Policy.always_draws`.

Run as `python experiments/seldom_draws.py [splits]`. Seven long data sets and random worlds, none of which serves a
claim. A cost is questions and, at 100 questions each, mistakes, in worlds over the exact optimum's; differences are to
a draw in every case. Time is CPU time per case of the stream, as a ratio in one run.
"""

import sys
import time
from typing import Any

import numpy as np
from mean_and_draw import difference, on_worlds, other, ours, over_splits

from ufodt import UFODT, Policy, Problem

OURS, OTHERS = ("thyroid",), ("page-blocks0", "page-blocks", "splice", "nursery", "kr-vs-k", "fars")
VARIANTS: dict[str, dict[str, Any]] = {"always": {"policy": Policy(always_draws=True)}, "seldom (default)": {}}
MAX_ROWS = 20_000
N_WORLDS = {4_000: 25, 16_000: 8}  # of each kind, by the length of their streams


def measure(settings: dict[str, Any], seed: int, problem: Problem, stream: Any, holdout: Any) -> list[float]:
    """Return of one split accuracy, questions and cost on the hold-out and while learning, and seconds per case."""
    learner = UFODT(problem, seed=seed, **settings)
    began = time.process_time()
    record = learner.run(*stream)
    seconds = (time.process_time() - began) / len(stream[1])
    report = learner.evaluate(*holdout)
    right, asked = (record.predicted == stream[1]).mean(), record.n_asked.mean()
    return [
        *(report.accuracy, report.n_asked, 100 * (1 - report.accuracy) + report.n_asked),
        *(right, asked, 100 * (1 - right) + asked, seconds),
    ]


def on_data(name: str, seeds: range) -> None:
    """Print what a data set says of each variant."""
    problem, X, y = ours(name) if name in OURS else other(name)
    rows = np.random.default_rng(0).permutation(len(y))[:MAX_ROWS]
    table = (problem, X[rows], y[rows])
    found = {
        variant: over_splits([table], seeds, lambda *split, settings=settings: measure(settings, *split))
        for variant, settings in VARIANTS.items()
    }
    base = found["always"]
    for variant, figures in found.items():
        mean = figures.mean(axis=0)
        print(
            f"{name:13}{variant:17}hold-out {mean[0]:.4f} @ {mean[1]:.2f} ({difference(figures[:, 2], base[:, 2])}); "
            f"while learning {mean[3]:.4f} @ {mean[4]:.2f} ({difference(figures[:, 5], base[:, 5])}); "
            f"time x {figures[:, 6].min() / base[:, 6].min():.2f}",
            flush=True,
        )


def main(n_splits: int = 20) -> None:
    """Print a line for each data set and variant, then for each length of stream in worlds and variant."""
    for name in (*OURS, *OTHERS):
        on_data(name, range(1300, 1300 + n_splits))
    for n_cases, n_worlds in N_WORLDS.items():
        found = {
            variant: np.array(list(on_worlds(n_cases, settings, n_worlds))) for variant, settings in VARIANTS.items()
        }
        for variant, figures in found.items():
            learning, tree = (difference(figures[:, i], found["always"][:, i]) for i in (0, 1))
            print(
                f"{n_cases:,} cases   {variant:17}while learning {figures[:, 0].mean():.4f} ({learning}), "
                f"the tree learned {figures[:, 1].mean():.4f} ({tree})",
                flush=True,
            )


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:]))
