"""Continuous features: how many cut points there are, and how they are put to use.

Cut points come from a sketch of the values that were paid for, never from others; they move when as many values came
as are remembered, up to a power of two (where nothing is forgotten that is after 8, 16, 32, … values), and what was
learned is counted again between them. At first they share the values out evenly; from 16 values for each bin on, those
move that keep more information on the label elsewhere, by more than chance would. Neighbouring bins share a little of
what they count, the less the more was seen. A `Continuous` feature may bring cut points of its own, which stay.
"""

import math
from dataclasses import dataclass
from typing import Literal

from ufodt.amount import number, plain, whole
from ufodt.errors import InvalidPolicy


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """How continuous features become outcomes.

    Parameters
    ----------
    kind
        `bins`: a value falls into one of several bins. `exhaustive`: each cut point is a binary view of the
        feature, and the best is searched for at every step (the paper). `exp3`: the view in play is drawn for
        each case and learned (the paper's "Threshold Selection"). Under the mean belief it is the one that tells most
        by the values seen; where nothing more is explored, as in `evaluate`, the one that tells most at every step.
        Where only the one in use learns, both are the one learned to be best.
    n
        Number of cut points.
    teach_all
        A paid value teaches every threshold of its feature; the paper teaches only the one in use.
    average
        Hypotheses are drawn from the mean over views, weighted by use (the paper), even when one is in play.
    normalise
        Exp3 learns from gains as a share of what could be gained, and one time in twenty draws any threshold, lest it
        settle on a poor one for good; the paper takes gains raw and draws by their sums alone.
    eta
        Learning rate of Exp3.
    spread
        What two neighbouring bins give each other of what they counted, as a share of the smaller one, from 0 to 0.4;
        the more values were seen, the less. Bins between cut points that a feature brings count for themselves.
    """

    kind: Literal["bins", "exhaustive", "exp3"] = "bins"
    n: int = 7
    teach_all: bool = True
    average: bool = False
    normalise: bool = True
    eta: float = 0.01
    spread: float = 0.2

    def __post_init__(self) -> None:
        if self.kind not in ("bins", "exhaustive", "exp3"):
            raise InvalidPolicy(f"There is no kind of thresholds {self.kind!r}; choose bins, exhaustive or exp3.")
        n = whole(self.n, 1, 63)
        if n is None:
            raise InvalidPolicy(f"{self.n!r} cut points came; expected a whole number from 1 to 63.")
        object.__setattr__(self, "n", n)
        for name in ("teach_all", "average", "normalise"):
            object.__setattr__(self, name, plain(getattr(self, name)))
            if not isinstance(getattr(self, name), bool):
                raise InvalidPolicy(f"{name}={getattr(self, name)!r} came; expected True or False.")
        if not 0 < number(self.eta) < math.inf:
            raise InvalidPolicy(f"A learning rate of {self.eta!r} came; expected a finite number above 0.")
        object.__setattr__(self, "eta", number(self.eta))
        if not 0 <= number(self.spread) <= 0.4:
            raise InvalidPolicy(f"A spread of {self.spread!r} came; expected a number from 0 to 0.4.")
        object.__setattr__(self, "spread", number(self.spread))


def bins(n: int = 8, *, spread: float = 0.2) -> Thresholds:
    """Return the default: a value falls into one of n bins, and counts a little in those beside it."""
    if whole(n, 2, 64) is None:
        raise InvalidPolicy(f"{n!r} bins came; expected a whole number from 2 to 64.")
    return Thresholds(kind="bins", n=n - 1, spread=spread)


def exhaustive(n: int = 9) -> Thresholds:
    """Return n binary views per feature, the best of which is searched for at every step."""
    return Thresholds(kind="exhaustive", n=n)


def exp3(n: int = 9, *, eta: float = 0.05) -> Thresholds:
    """Return n binary views per feature, one of them in play in each case, learned by Exp3."""
    return Thresholds(kind="exp3", n=n, eta=eta)


def paper(kind: Literal["exhaustive", "exp3"] = "exhaustive", n: int = 9) -> Thresholds:
    """Return the thresholds as printed: only the one in use learns, hypotheses from the mean, raw gains."""
    return Thresholds(kind=kind, n=n, teach_all=False, average=True, normalise=False, eta=0.01)
