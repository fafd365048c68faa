"""By what to select features, how often to explore and how far to step: the sweep behind the defaults of `Selection`.

Run as `python experiments/selection_settings.py [streams]`: streams of 2,000 cases with 1,000 coins, ten of which lean
with the label, of other seeds than those that `ufodt bench selection` is judged on. It prints accuracy from paid
features on the hold-out and while learning, questions chosen by information gain, and the paired differences to a
learner that is offered all features. Then the same of a few variants with three labels. Then, with two labels, thirty
coins that lean and prices from 1 to 30, the total cost of a case on the hold-out and while learning, a mistake costing
100 or 1,000.
"""

import sys

import numpy as np

from ufodt import UFODT, Binary, Problem, Selection
from ufodt.lab import datasets, wide
from ufodt.lab.verdict import spread

SIZES = (30, 50)
SEEDS = range(100, 160)
VARIANTS = (
    {"all features": Selection()}
    | {
        f"{size} by information, epsilon {epsilon}": Selection(size, epsilon=epsilon)
        for size in SIZES
        for epsilon in (0.0, 0.05, 0.1, 0.2)
    }
    | {
        f"{size} by weights, epsilon {epsilon}, step {step}": Selection.paper(size, epsilon=epsilon, step=step)
        for size in SIZES
        for epsilon in (0.1, 0.3, 0.5)
        for step in (0.02, 0.05, 0.1)
    }
)
THREE_LABELS = {"all features": Selection()} | {f"{n} by information": Selection(n) for n in (50, 100, 200)}
THREE_LABELS |= {f"{n} by weights": Selection.paper(n) for n in (50, 100)}
PRICED = {"all features": Selection(), "50 by information": Selection(50), "50 by weights": Selection.paper(50)}


def main(n_streams: int = len(SEEDS)) -> None:
    """Print one line per variant."""
    for n_labels, variants in ((2, VARIANTS), (3, THREE_LABELS)):
        base = None
        for variant, selection in variants.items():
            runs = [wide.run(selection, seed, n_labels=n_labels) for seed in SEEDS[:n_streams]]
            found = np.array([(run.accuracy, run.learning) for run in runs])
            base = found if base is None else base
            held, learning = (f"{spread(x)} (difference {spread(x - b)})" for x, b in zip(found.T, base.T, strict=True))
            print(f"{n_labels} labels, {variant:42}hold-out {held}, learning {learning}", flush=True)
    for loss in (100.0, 1_000.0):
        for variant, selection in PRICED.items():
            held, learning = map(
                spread, zip(*(priced(selection, seed, loss) for seed in SEEDS[:n_streams]), strict=True)
            )
            print(f"a mistake costs {loss:,.0f}, {variant:20}hold-out {held}, learning {learning}", flush=True)


def priced(selection: Selection, seed: int, loss: float) -> tuple[float, float]:
    """Return what a case costs in all, on the hold-out and on the stream, where prices differ."""
    data = datasets.wide(2 * wide.N_CASES, seed=seed, n_informative=30)
    prices = np.exp(np.random.default_rng(seed).uniform(0.0, np.log(30.0), data.X.shape[1]))
    features = [Binary(name, price=float(price)) for name, price in zip(data.feature_names, prices, strict=True)]
    learner = UFODT(Problem(features, [0, 1], loss=[[0, loss], [loss, 0]]), selection=selection, seed=seed)
    X, y, n = data.X, data.y, wide.N_CASES
    record, report = learner.run(X[:n], y[:n]), learner.evaluate(X[n:], y[n:])
    mistakes = float((record.predicted != y[:n]).mean())
    return report.cost + loss * (1.0 - report.accuracy), float(record.cost.mean()) + loss * mistakes


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:]))
