"""What it gains to learn how far several answers together are trusted, from a table of old cases and from a stream.

Run as `python experiments/trust.py [splits]`. Hold-outs, from paid features, of the thirty data sets of
`bins_settings.py`, none of which serves a claim. Differences are to answers that are trusted in full. What pairs of
outcomes add to it is measured by `pairs.py`.
"""

import sys
from typing import Any

import numpy as np
from bins_settings import TEN
from mean_and_draw import FIFTEEN, FIVE, difference, other, ours, over_splits

from ufodt import UFODT, Prior, Problem

VARIANTS: dict[str, dict[str, Any]] = {
    "trusted in full": {"prior": Prior(learns_trust=False)},
    "trust learned": {"prior": Prior(learns_pairs=False)},
}


def on_holdouts(tables: list[tuple[Problem, Any, Any]], how: str, settings: dict[str, Any], seeds: range) -> Any:
    """Return of every split: accuracy, calibration error and log loss; means over the tables."""

    def measure(seed: int, problem: Problem, stream: Any, holdout: Any) -> Any:
        learner = UFODT(problem, seed=seed, **settings)
        getattr(learner, how)(*stream)
        report, (X, y) = learner.evaluate(*holdout), holdout
        p = learner.probabilities(X)[np.arange(len(y)), y]
        return report.accuracy, report.calibration, -np.log(p).mean()

    return over_splits(tables, seeds, measure)


def main(n_splits: int = 60) -> None:
    """Print one line per way to learn and variant."""
    tables = [ours(name) for name in FIVE] + [other(name) for name in (*FIFTEEN, *TEN)]
    for how in ("learn_many", "run"):
        base = None
        for variant, settings in VARIANTS.items():
            found = on_holdouts(tables, how, settings, range(1000, 1000 + n_splits))
            base = found if base is None else base
            figures = (
                f"{name} {found[:, i].mean():.4f} ({difference(found[:, i], base[:, i])})"
                for i, name in enumerate(("accuracy", "calibration error", "log loss"))
            )
            print(f"{how:12}{variant:26}{', '.join(figures)}", flush=True)


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:]))
