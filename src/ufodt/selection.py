"""Too many features: a few candidates per case, by what they promise to tell or by online feature selection (OFS)."""

from dataclasses import dataclass
from typing import Literal

from ufodt.amount import MOST, number, whole
from ufodt.errors import InvalidPolicy

Merit = Literal["information", "weights"]


@dataclass(frozen=True, slots=True)
class Selection:
    """How many features are candidates in a case, and how they are found.

    By `"information"` half of the candidates are the features that tell most about the label for the root of their
    price, as far as what was seen makes sure. The other half are drawn, each by what it may tell at most: one that was
    hardly ever asked may tell much, one that was asked often and in vain does not. What a prior or old cases say
    counts. Labels weigh the same; prices are those of the problem, for a feature alone, and at least a tenth of the
    mean price. Where nothing more is explored, as in `evaluate` and `tree`, all candidates are of the first kind.

    By `"weights"` it is as the paper has it, online feature selection (OFS): an online perceptron for each label
    against the rest is fed the features that were bought, each divided by the chance that a feature of large weight is
    a candidate; the candidates are those of the largest weight.

    With probability `epsilon` the candidates are any features, but not where nothing more is explored.

    Parameters
    ----------
    size
        Candidates per case, B in the paper; 0 offers all features.
    by
        What they are found by. This and the numbers below were chosen on streams of other seeds than
        `ufodt bench selection` has (`experiments/selection_settings.py`); the paper names none of the numbers.
    epsilon
        Share of cases with random candidates.
    step, radius
        By weights: learning rate; bound on the norm of the weights.

    Examples
    --------
    >>> Selection(50)
    Selection(size=50, by='information', epsilon=0.05, step=0.05, radius=10.0)
    >>> Selection.paper(50)
    Selection(size=50, by='weights', epsilon=0.3, step=0.05, radius=10.0)
    """

    size: int = 0
    by: Merit = "information"
    epsilon: float = 0.05
    step: float = 0.05
    radius: float = 10.0

    @classmethod
    def paper(cls, size: int, *, epsilon: float = 0.3, step: float = 0.05, radius: float = 10.0) -> "Selection":
        """Return the online feature selection of the paper."""
        return cls(size, "weights", epsilon, step, radius)

    def __post_init__(self) -> None:
        size = whole(self.size, 0, 10**9)
        if size is None:
            raise InvalidPolicy(
                f"{self.size!r} candidates came; expected a whole number up to 1,000,000,000, 0 for all features."
            )
        if self.by not in ("information", "weights"):
            raise InvalidPolicy(f"Candidates by {self.by!r} came; expected 'information' or 'weights'.")
        epsilon, step, radius = (number(x) for x in (self.epsilon, self.step, self.radius))
        if not 0 <= epsilon <= 1 or not 0 < step <= MOST or not 0 < radius <= MOST:
            raise InvalidPolicy(
                f"epsilon={self.epsilon!r}, step={self.step!r}, radius={self.radius!r} came; "
                f"expected a share from 0 to 1 and two numbers above 0, at most {MOST:g}."
            )
        for name, value in (("size", size), ("epsilon", epsilon), ("step", step), ("radius", radius)):
            object.__setattr__(self, name, value)
