"""A world that moves: how fast to forget.

>>> discount(0.05).gamma, auto().automatic
(0.05, True)
"""

import math
from dataclasses import dataclass

from ufodt.amount import number, plain
from ufodt.errors import InvalidPolicy


@dataclass(frozen=True, slots=True, kw_only=True)
class Drift:
    """How what was learned fades.

    Parameters
    ----------
    gamma
        Share of all counts forgotten before each learned case (paper, algorithm 5): they move towards the prior.
    automatic
        Start anew when labels begin to surprise. On alarm a newcomer that knows only the latest cases takes over,
        with the old belief in reserve: if that goes on to explain the labels better, the alarm was false, it
        returns, and the test becomes slower to trust. See `core/drift.hpp`.
    threshold
        Nats of surprise, beyond what was to be expected, that raise the first alarm.
    """

    gamma: float = 0.0
    automatic: bool = False
    threshold: float = 2.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "automatic", plain(self.automatic))
        if not isinstance(self.automatic, bool):
            raise InvalidPolicy(f"automatic={self.automatic!r} came; expected True or False.")
        if not 0 <= number(self.gamma) < 1:
            raise InvalidPolicy(f"gamma={self.gamma!r} came; expected a share, 0 or more and below 1.")
        if not 0 < number(self.threshold) < math.inf:
            raise InvalidPolicy(f"threshold={self.threshold!r} came; expected nats above 0.")
        object.__setattr__(self, "gamma", number(self.gamma))
        object.__setattr__(self, "threshold", number(self.threshold))


def discount(gamma: float) -> Drift:
    """Return the paper's rule: forget a share `gamma` before each learned case."""
    return Drift(gamma=gamma)


def auto() -> Drift:
    """Return the rule that starts anew only when the world has moved."""
    return Drift(automatic=True)
