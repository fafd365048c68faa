"""Which planner and criterion, how many bins, what a mistake is worth: the sweep behind the defaults.

Run as `python experiments/default_policy.py`. It uses data sets that no claim on accuracy is judged on, and
prints hold-out accuracy from paid features only at the number of questions per case, as means over splits.
"""

import sys

import numpy as np

from ufodt import UFODT, Policy, Prior, stop, thresholds
from ufodt.lab.datasets import load, to_problem

DATASETS = ("cleveland", "hepatitis", "bupa", "thyroid", "car")
SEEDS = range(100, 140)
VARIANTS = {
    "default": {},
    "greedy": {"policy": Policy(planner="greedy")},
    "ec2": {"criterion": "ec2"},
    "us": {"criterion": "us"},
    "rig": {"criterion": "rig"},
    "gini": {"criterion": "gini"},
    "eced": {"criterion": "eced"},
    "a mistake is worth 25 questions": {"stop": stop.cost_benefit(25)},
    "a mistake is worth 50 questions": {"stop": stop.cost_benefit(50)},
    "a mistake is worth 200 questions": {"stop": stop.cost_benefit(200)},
    "one region left": {"stop": stop.region()},
    "6 bins": {"thresholds": thresholds.bins(6)},
    "trust not learned": {"prior": Prior(learns_trust=False)},
}


def main(n_seeds: int = len(SEEDS)) -> None:
    """Print one line per variant, one column per data set."""
    print(f"{'':34}" + "".join(f"{name:>15}" for name in DATASETS))
    for variant, settings in VARIANTS.items():
        cells = []
        for name in DATASETS:
            data = load(name)
            problem = to_problem(data)
            found = []
            for seed in SEEDS[:n_seeds]:
                order = np.random.default_rng(seed).permutation(len(data.y))
                stream, holdout = np.split(order, [len(order) * 4 // 5])
                learner = UFODT(problem, seed=seed, **settings)  # type: ignore[arg-type]
                learner.run(data.X[stream], data.y[stream])
                report = learner.evaluate(data.X[holdout], data.y[holdout])
                found.append((report.accuracy, report.n_asked))
            accuracy, n_asked = np.mean(found, axis=0)
            cells.append(f"{accuracy:.3f} @ {n_asked:.2f}")
        print(f"{variant:34}" + "".join(f"{cell:>15}" for cell in cells), flush=True)


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:]))
