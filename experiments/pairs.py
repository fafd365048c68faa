"""What it gains to learn which outcomes come together, from a table of old cases and from a stream.

Run as `python experiments/pairs.py [splits]`. Hold-outs, from paid features, of the thirty data sets of
`bins_settings.py`, none of which serves a claim. A cost is questions and, at 100 questions each, mistakes; differences
are to naive Bayes. The last lines are data sets where pairs are in use after one split in ten or more.
"""

import sys
from functools import partial
from typing import Any

import numpy as np
from bins_settings import TEN
from mean_and_draw import FIFTEEN, FIVE, difference, other, ours, over_splits

from ufodt import UFODT, Prior, Problem

VARIANTS: dict[str, dict[str, Any]] = {
    "naive Bayes": {"prior": Prior(learns_pairs=False)},
    "pairs learned (default)": {},
}


FIGURES = ("accuracy", "questions", "cost", "log loss", "right", "asked", "spent", "paired")


def measure(how: str, settings: dict[str, Any], seed: int, problem: Problem, stream: Any, holdout: Any) -> list[float]:
    """Return the figures of one split: four of the hold-out, three of the stream (none of a table), if pairs serve."""
    learner = UFODT(problem, seed=seed, **settings)
    record = getattr(learner, how)(*stream)
    report, (X, y) = learner.evaluate(*holdout), holdout
    log_loss = -np.log(learner.probabilities(X)[np.arange(len(y)), y]).mean()
    right, asked = (0.0, 0.0) if record is None else ((record.predicted == stream[1]).mean(), record.n_asked.mean())
    costs = [100 * (1 - accuracy) + n for accuracy, n in ((report.accuracy, report.n_asked), (right, asked))]
    paired = learner.belief.is_paired
    return [report.accuracy, report.n_asked, costs[0], log_loss, right, asked, costs[1], paired]


def main(n_splits: int = 40) -> None:
    """Print a line for each way to learn and variant, and one for each data set where pairs are used."""
    names = (*FIVE, *FIFTEEN, *TEN)
    tables = [ours(name) if name in FIVE else other(name) for name in names]
    seeds = range(1100, 1100 + n_splits)
    for how in ("learn_many", "run"):
        found = []  # of each variant: data sets x splits, by figure
        for settings in VARIANTS.values():
            each = np.array([over_splits([table], seeds, partial(measure, how, settings)) for table in tables])
            found.append(dict(zip(FIGURES, np.moveaxis(each, 2, 0), strict=True)))
        base, paired = found
        for variant, figures in zip(VARIANTS, found, strict=True):
            mean = {name: values.mean() for name, values in figures.items()}
            held, spent = (difference(figures[x].mean(axis=0), base[x].mean(axis=0)) for x in ("cost", "spent"))
            learning = f"; while learning {mean['right']:.4f} @ {mean['asked']:.2f} ({spent})" if how == "run" else ""
            print(
                f"{how:12}{variant:26}hold-out {mean['accuracy']:.4f} @ {mean['questions']:.2f} ({held}), log loss "
                f"{mean['log loss']:.4f}{learning}; pairs used {mean['paired']:.2f}",
                flush=True,
            )
        for i, name in enumerate(names):
            if paired["paired"][i].mean() >= 0.1:
                before, after = (
                    f"{figures['accuracy'][i].mean():.3f} @ {figures['questions'][i].mean():.2f}" for figures in found
                )
                print(
                    f"{how:12}{name:14}pairs used {paired['paired'][i].mean():.2f}, hold-out {before} -> {after} "
                    f"({difference(paired['cost'][i], base['cost'][i])})"
                )


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:]))
