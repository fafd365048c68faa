"""What each criterion pays where nothing has to be learned: random worlds whose parameters are known.

Run as `python experiments/criteria_in_worlds.py`. It prints what a case costs over the exact optimum's, mean over
worlds and in brackets the worst world, at the number of questions per case; a policy that draws hypotheses is the mean
of three draws. The worlds are of a seed that serves no verdict.
"""

import sys

import numpy as np

from ufodt import Criterion, Policy
from ufodt.lab import worlds
from ufodt.lab.optimal import follow, optimum

SEED = 4
N_DRAWS = 3
VARIANTS = {
    **{f"{c}, greedy": Policy(criterion=c, planner="greedy") for c in Criterion},
    **{f"{c}, looks ahead": Policy(criterion=c, planner="lookahead", plan="mean") for c in Criterion},
}  # under the mean and no more, so that worlds as small as these are looked ahead over and not planned exactly


def main(n_worlds: int = worlds.N_WORLDS) -> None:
    """Print one line per policy, one column per kind of prices and number of labels."""
    kinds = [(prices, n_labels) for prices in worlds.PRICES for n_labels in worlds.LABELS]
    columns = []
    for prices, n_labels in kinds:
        found = []
        for i, world in enumerate(worlds.worlds(prices, n_labels, seed=SEED, n=n_worlds)):
            least = optimum(world).cost
            for policy in VARIANTS.values():
                paid = [follow(world, policy, seed=N_DRAWS * i + j) for j in range(N_DRAWS)]
                found.append((np.mean([p.cost for p in paid]) / least, np.mean([p.n_asked for p in paid])))
        columns.append(np.reshape(found, (n_worlds, len(VARIANTS), 2)))
    print(f"{'':28}" + "".join(f"{f'{prices}, {n_labels} labels':>22}" for prices, n_labels in kinds))
    for v, variant in enumerate(VARIANTS):
        cells = [f"{c[:, v, 0].mean():.3f} ({c[:, v, 0].max():.2f}) @ {c[:, v, 1].mean():.2f}" for c in columns]
        print(f"{variant:28}" + "".join(f"{cell:>22}" for cell in cells), flush=True)


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:]))
