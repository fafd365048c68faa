"""A world that moves: how fast to forget.

>>> discount(0.05).gamma, auto().automatic
(0.05, True)
"""

from dataclasses import dataclass

from ufodt.errors import InvalidPolicy


@dataclass(frozen=True, slots=True, kw_only=True)
class Drift:
    """How what was learned fades.

    Parameters
    ----------
    gamma
        Share of all counts forgotten before each learned case (paper, algorithm 5): they move towards the prior.
    automatic
        Watch the surprise of each label, -log P(label) less the entropy of the prediction, by a Page-Hinkley
        test, and forget the share `forget` when it exceeds its mean by `threshold` nats in all, `slack` a case.
    """

    gamma: float = 0.0
    automatic: bool = False
    slack: float = 0.1
    threshold: float = 6.0
    forget: float = 0.9

    def __post_init__(self) -> None:
        if not 0 <= self.gamma < 1 or not 0 <= self.forget <= 1:
            raise InvalidPolicy(f"gamma={self.gamma!r}, forget={self.forget!r} came; expected shares from 0 to 1.")
        if not 0 <= self.slack < float("inf") or not 0 < self.threshold < float("inf"):
            raise InvalidPolicy(f"slack={self.slack!r}, threshold={self.threshold!r} came; expected positive nats.")


def discount(gamma: float) -> Drift:
    """Return the paper's rule: forget a share `gamma` before each learned case."""
    return Drift(gamma=gamma)


def auto() -> Drift:
    """Return the rule that forgets only when labels begin to surprise."""
    return Drift(automatic=True)
