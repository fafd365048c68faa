"""A world that moves: how fast to forget.

>>> discount(0.05).gamma, auto().automatic
(0.05, True)
"""

import math
from dataclasses import dataclass

from ufodt import core
from ufodt.amount import number, plain
from ufodt.errors import InvalidPolicy
from ufodt.prior import Prior


@dataclass(frozen=True, slots=True, kw_only=True)
class Drift:
    """How what was learned fades.

    Parameters
    ----------
    gamma
        Share of all counts forgotten before each learned case, as the paper handles drift: they move towards the prior.
    automatic
        Start anew when labels begin to surprise. On alarm a newcomer that knows only the latest cases takes over,
        with the old belief in reserve. Unless the newcomer proves better on a trial of sixty cases, the alarm was
        false: the reserve returns, and the test becomes slower to trust. See `core/drift.hpp`.
    threshold
        Nats of surprise, beyond what was to be expected, that raise the first alarm.
    prior
        What forgetting leads to, the paper's injected prior, where that is not the prior of the learner: before
        each learned case counts and prior together move a share `gamma` towards it, and a newcomer after an alarm
        starts from it. Its count, experts and labels are read; whether labels, trust, pairs and values are
        learned is said by the learner's own.
    """

    gamma: float = 0.0
    automatic: bool = False
    threshold: float = 2.0
    prior: Prior | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "automatic", plain(self.automatic))
        if not isinstance(self.automatic, bool):
            raise InvalidPolicy(f"automatic={self.automatic!r} came; expected True or False.")
        if not 0 <= number(self.gamma) < 1:
            raise InvalidPolicy(f"gamma={self.gamma!r} came; expected a share, 0 or more and below 1.")
        if not 0 < number(self.threshold) < math.inf:
            raise InvalidPolicy(f"threshold={self.threshold!r} came; expected nats above 0.")
        if not isinstance(self.prior, Prior | None):
            raise InvalidPolicy(f"prior={self.prior!r} came; expected a Prior(...), or None for that of the learner.")
        if self.prior is not None and self.gamma == 0 and not self.automatic:
            raise InvalidPolicy("A prior to forget towards came, but nothing is forgotten; set gamma or automatic.")
        object.__setattr__(self, "gamma", number(self.gamma))
        object.__setattr__(self, "threshold", number(self.threshold))

    def to_core(self) -> core.Drift:
        """Return the settings as the core takes them; the prior is the belief's to know."""
        return core.Drift(gamma=self.gamma, automatic=self.automatic, threshold=self.threshold)


def discount(gamma: float, *, prior: Prior | None = None) -> Drift:
    """Return the paper's rule: forget a share `gamma` before each learned case, towards the prior.

    >>> from ufodt import UFODT, Binary, Problem
    >>> learner = UFODT(Problem([Binary("a")], labels=[0, 1]), drift=discount(0.5, prior=Prior(count=5)))
    >>> learner.learn({"values": {"a": 1}}, 0)
    >>> (learner.belief.prior + learner.belief.counts).tolist()  # halfway from 1 to 5, then one case
    [[3.0, 3.0], [4.0, 3.0]]
    """
    return Drift(gamma=gamma, prior=prior)


def auto(*, prior: Prior | None = None) -> Drift:
    """Return the rule that starts anew only when the world has moved, then from the prior."""
    return Drift(automatic=True, prior=prior)
