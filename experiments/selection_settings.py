"""How often to explore and how far to step in feature selection: the sweep behind the defaults of `Selection`.

Run as `python experiments/selection_settings.py [streams]`: streams of 2,000 cases with 1,000 coins, ten of which lean
with the label, of other seeds than those that `ufodt bench selection` is judged on. It prints accuracy from paid
features on the hold-out and while learning, by information gain and with 100 candidates, and the paired differences to
the defaults.
"""

import sys

import numpy as np

from ufodt import Selection
from ufodt.lab import wide
from ufodt.lab.verdict import spread

N_CANDIDATES = 100
SEEDS = range(100, 160)
VARIANTS = {"defaults": Selection(N_CANDIDATES)} | {
    f"epsilon {epsilon}, step {step}": Selection(N_CANDIDATES, epsilon=epsilon, step=step)
    for epsilon in (0.1, 0.3, 0.5, 0.7)
    for step in (0.02, 0.05, 0.1)
}


def main(n_streams: int = len(SEEDS)) -> None:
    """Print one line per variant."""
    base = None
    for variant, selection in VARIANTS.items():
        runs = [wide.run(selection, seed) for seed in SEEDS[:n_streams]]
        found = np.array([(run.accuracy, run.learning) for run in runs])
        base = found if base is None else base
        held, learning = (f"{spread(x)} (difference {spread(x - b)})" for x, b in zip(found.T, base.T, strict=True))
        print(f"{variant:26}hold-out {held}, learning {learning}", flush=True)


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:]))
