"""By what to select features, how often to explore and how far to step: the sweep behind the defaults of `Selection`.

Run as `python experiments/selection_settings.py [streams]`: streams of 2,000 cases with 1,000 coins, ten of which lean
with the label, of other seeds than those that `ufodt bench selection` is judged on. It prints accuracy from paid
features on the hold-out and while learning, questions chosen by information gain, and the paired differences to a
learner that is offered all features.
"""

import sys

import numpy as np

from ufodt import Selection
from ufodt.lab import wide
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


def main(n_streams: int = len(SEEDS)) -> None:
    """Print one line per variant."""
    base = None
    for variant, selection in VARIANTS.items():
        runs = [wide.run(selection, seed) for seed in SEEDS[:n_streams]]
        found = np.array([(run.accuracy, run.learning) for run in runs])
        base = found if base is None else base
        held, learning = (f"{spread(x)} (difference {spread(x - b)})" for x, b in zip(found.T, base.T, strict=True))
        print(f"{variant:42}hold-out {held}, learning {learning}", flush=True)


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:]))
