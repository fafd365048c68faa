"""When to stop asking: small values that combine with `|` (any of them) and `&` (all of them).

>>> rule = region() | budget(3.0)
>>> rule.kind, [child.kind for child in rule.children]
('any', ['region', 'budget'])
"""

import math
from dataclasses import dataclass

from ufodt.errors import InvalidPolicy


@dataclass(frozen=True, slots=True)
class Stop:
    """A stop rule: a leaf with a value, or `any`/`all` of other rules."""

    kind: str
    value: float | None = None
    children: tuple["Stop", ...] = ()

    def __or__(self, other: "Stop") -> "Stop":
        return any_of(self, other)

    def __and__(self, other: "Stop") -> "Stop":
        return all_of(self, other)


def region() -> Stop:
    """Stop when all surviving hypotheses call for the same label (the paper's rule)."""
    return Stop("region")


def confidence(level: float) -> Stop:
    """Stop when the likeliest label has at least this probability."""
    if not 0 < level <= 1:
        raise InvalidPolicy(f"A confidence of {level!r} came; expected a probability above 0, at most 1.")
    return Stop("confidence", float(level))


def budget(limit: float) -> Stop:
    """Stop when nothing left fits the budget of the case; no question beyond it is asked.

    Inside `all_of`, where another rule must agree, the budget is a wish and may be passed.
    """
    if not (limit >= 0 and math.isfinite(limit)):
        raise InvalidPolicy(f"A budget of {limit!r} came; expected a finite amount, zero or more.")
    return Stop("budget", float(limit))


def cost_benefit(worth: float | None = None) -> Stop:
    """Stop when no question pays: none saves more expected loss than it costs.

    `worth` is what one unit of loss is worth in the currency of the prices: 1 when the problem's loss is in
    that currency, and `default_worth` mean prices for one mistake when no loss was given.

    Two estimates of what a question saves count, both under the theta drawn for the case: what its answer alone
    saves, and 0.7 of its share in what all remaining questions together would save. The first never errs
    under that theta, the second looks further ahead and may err either way, so the rule guarantees nothing about
    the optimum; and theta is a draw, so early on, when little is known, it asks in order to learn.
    """
    if worth is not None and not (worth > 0 and math.isfinite(worth)):
        raise InvalidPolicy(f"A worth of {worth!r} came; expected a finite amount above zero.")
    return Stop("cost_benefit", None if worth is None else float(worth))


default_worth = 50.0


def any_of(*rules: Stop) -> Stop:
    """Stop when at least one of the rules says so."""
    return _combine("any", rules)


def all_of(*rules: Stop) -> Stop:
    """Stop only when all of the rules say so."""
    return _combine("all", rules)


def _combine(kind: str, rules: tuple[Stop, ...]) -> Stop:
    if not rules or not all(isinstance(rule, Stop) for rule in rules):
        raise InvalidPolicy(f"{kind}_of came with {rules!r}; expected one or more stop rules.")
    return Stop(kind, children=rules)
