"""Too many features: a few candidates per case, by online feature selection (OFS)."""

import math
from dataclasses import dataclass

from ufodt.amount import number, whole
from ufodt.errors import InvalidPolicy


@dataclass(frozen=True, slots=True)
class Selection:
    """How many features are candidates in a case, and how they are found.

    An online perceptron for each label against the rest is fed the features that were bought, each divided by the
    chance that a feature of large weight is a candidate; the `size` features of largest weight are the candidates, or
    with probability `epsilon` any. Where nothing more is explored, as in `evaluate` and `tree`, they are always those
    of largest weight.

    Parameters
    ----------
    size
        Candidates per case, B in the paper; 0 offers all features.
    epsilon, step, radius
        Share of cases with random candidates; learning rate; bound on the norm of the weights. The paper names none of
        them; the first two were among the best by information gain on streams of other seeds than
        `ufodt bench selection` has (`experiments/selection_settings.py`).
    """

    size: int = 0
    epsilon: float = 0.3
    step: float = 0.05
    radius: float = 10.0

    def __post_init__(self) -> None:
        size = whole(self.size, 0)
        if size is None:
            raise InvalidPolicy(f"{self.size!r} candidates came; expected a whole number, 0 for all features.")
        epsilon, step, radius = (number(x) for x in (self.epsilon, self.step, self.radius))
        if not 0 <= epsilon <= 1 or not 0 < step < math.inf or not 0 < radius < math.inf:
            raise InvalidPolicy(
                f"epsilon={self.epsilon!r}, step={self.step!r}, radius={self.radius!r} came; "
                "expected a share from 0 to 1 and two finite numbers above 0."
            )
        for name, value in (("size", size), ("epsilon", epsilon), ("step", step), ("radius", radius)):
            object.__setattr__(self, name, value)
