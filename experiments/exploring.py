"""What it gains where labels are rare to spend something to learn, `Policy.spend_to_learn`, and costs elsewhere.

Run as `python experiments/exploring.py [splits]`. Seven data sets of 3,000 rows and more (20,000 of the longest),
fifteen with a label as rare as one in seven to one in a hundred, the thirty of `bins_settings.py`, and random worlds;
none serves a claim. A cost is questions and, at 100 questions each, mistakes, in worlds over the exact optimum's;
differences are to nothing spent to learn.
"""

import sys
from functools import partial
from typing import Any

import numpy as np
from bins_settings import TEN
from mean_and_draw import FIFTEEN, FIVE, difference, on_worlds, other, ours, over_splits
from pairs import FIGURES, measure

from ufodt import Policy, Problem

GROUPS = {
    "long": "thyroid page-blocks page-blocks0 splice nursery kr-vs-k fars".split(),
    "rare": (
        "yeast3 yeast4 yeast5 ecoli3 ecoli4 abalone19 shuttle-c0-vs-c4 vowel0 winequality-red-4 car-good car-vgood "
        "glass2 glass4 poker-8-9_vs_5 segment0"
    ).split(),
    "thirty": [*FIVE, *FIFTEEN, *TEN],
}
VARIANTS: dict[str, dict[str, Any]] = {
    "nothing": {"policy": Policy(spend_to_learn=0.0)},
    "1/16 (default)": {},
    "1/8": {"policy": Policy(spend_to_learn=1 / 8)},
}
MAX_ROWS = 20_000
N_WORLDS = {400: 25, 4_000: 25}  # of each kind, by the length of their streams, for twenty splits


def table(name: str) -> tuple[Problem, Any, Any]:
    """Return problem, values and labels of a data set, not too many rows of it."""
    problem, X, y = ours(name) if name in FIVE else other(name)
    rows = np.random.default_rng(0).permutation(len(y))[:MAX_ROWS]
    return problem, X[rows], y[rows]


def line(name: str, variant: str, found: Any, base: Any) -> str:
    """Return a line for figures by split."""
    mean, held, spent = dict(zip(FIGURES, found.mean(axis=0), strict=True)), *map(FIGURES.index, ("cost", "spent"))
    return (
        f"{name:18}{variant:16}hold-out {mean['accuracy']:.4f} @ {mean['questions']:.2f} "
        f"({difference(found[:, held], base[:, held])}); while learning {mean['right']:.4f} @ {mean['asked']:.2f} "
        f"({difference(found[:, spent], base[:, spent])})"
    )


def main(n_splits: int = 20) -> None:
    """Print a line for each group and variant, each data set of the first two, and each length of streams in worlds."""
    seeds = range(1300, 1300 + n_splits)
    for group, names in GROUPS.items():
        tables = [table(name) for name in names]
        found = {
            variant: np.array([over_splits([each], seeds, partial(measure, "run", settings)) for each in tables])
            for variant, settings in VARIANTS.items()
        }  # data sets x splits x figures
        base = found["nothing"]
        for variant, figures in found.items():
            print(line(group, variant, figures.mean(axis=0), base.mean(axis=0)), flush=True)
        for i, name in enumerate(names if group != "thirty" else ()):
            for variant in ("nothing", "1/16 (default)"):
                print(line(name, variant, found[variant][i], base[i]))
    for n_cases, n_worlds in N_WORLDS.items():
        n = max(1, n_worlds * n_splits // 20)
        in_worlds = {variant: np.array(list(on_worlds(n_cases, s, n))) for variant, s in VARIANTS.items()}
        for variant, figures in in_worlds.items():
            learning, tree = (difference(figures[:, i], in_worlds["nothing"][:, i]) for i in (0, 1))
            print(
                f"{n_cases:6,} cases      {variant:16}while learning {figures[:, 0].mean():.4f} ({learning}), "
                f"the tree learned {figures[:, 1].mean():.4f} ({tree})",
                flush=True,
            )


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:]))
