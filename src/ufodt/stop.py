"""When to stop asking: small values that combine with `|` (any of them) and `&` (all of them).

>>> rule = region() | budget(3.0)
>>> rule.kind, [child.kind for child in rule.children]
('any', ['region', 'budget'])
"""

import math
from dataclasses import dataclass
from typing import Any

from ufodt.amount import MOST, number
from ufodt.errors import InvalidPolicy

default_worth = 100.0


@dataclass(frozen=True, slots=True)
class Stop:
    """A stop rule: a leaf with a value, or `any`/`all` of other rules; checked when made."""

    kind: str
    value: float | None = None
    children: tuple["Stop", ...] = ()

    def __post_init__(self) -> None:
        if self.kind in ("any", "all"):
            object.__setattr__(self, "children", _checked_rules(self.kind, self.children))
        elif self.children:
            raise InvalidPolicy(f"{self.kind} came with rules inside {self.children!r}; only any and all hold others.")
        if self.kind in ("any", "all", "region") or (self.kind == "cost_benefit" and self.value is None):
            if self.value is not None:
                raise InvalidPolicy(f"{self.kind} came with a value {self.value!r}; it takes none.")
            return
        value = number(self.value)
        if self.kind == "confidence":
            fine, expected = 0 < value <= 1, "a probability above 0, at most 1"
        elif self.kind == "budget":
            fine, expected = 0 <= value < math.inf, "a finite amount, zero or more"
        elif self.kind == "cost_benefit":
            fine, expected = 0 < value <= MOST, f"an amount above zero, at most {MOST:g}"
        else:
            raise InvalidPolicy(f"There is no stop rule {self.kind!r}; make one with ufodt.stop, such as region().")
        if not fine:
            what = "worth" if self.kind == "cost_benefit" else self.kind
            raise InvalidPolicy(f"A {what} of {self.value!r} came; expected {expected}.")
        object.__setattr__(self, "value", value)

    def __or__(self, other: "Stop") -> "Stop":
        return any_of(self, other)

    def __and__(self, other: "Stop") -> "Stop":
        return all_of(self, other)


def region() -> Stop:
    """Stop when all surviving hypotheses call for the same label (the paper's rule)."""
    return Stop("region")


def confidence(level: float) -> Stop:
    """Stop when the likeliest label has at least this probability."""
    return Stop("confidence", level)


def budget(limit: float) -> Stop:
    """Stop when nothing left fits the budget of the case; no question beyond it is asked.

    Inside `all_of`, where another rule must agree, the budget is a wish and may be passed.
    """
    return Stop("budget", limit)


def cost_benefit(worth: float | None = None) -> Stop:
    """Stop when no question pays: none saves more expected loss than it costs.

    `worth` is what one unit of loss is worth in the currency of the prices: 1 when the problem's loss is in
    that currency, and `default_worth` mean prices for one mistake when no loss was given.

    What a question saves is reckoned by the exact best plan over the few most promising questions, each asked only
    where it pays (see `Policy.planner`): under the theta drawn for the case, and then under the mean belief (see
    `Policy.plan`). So whenever it asks, some plan does pay under one of the two; or else nothing pays, and one
    question may be asked to learn (see `Policy.spend_to_learn`). It may stop too early where only
    many questions together pay, and it promises nothing where the belief is wrong: theta is a draw, so early on,
    when little is known, it asks in order to learn.
    """
    return Stop("cost_benefit", worth)


def any_of(*rules: Stop) -> Stop:
    """Stop when at least one of the rules says so; of several `cost_benefit` side by side the lowest worth decides."""
    return Stop("any", children=rules)


def all_of(*rules: Stop) -> Stop:
    """Stop only when all of the rules say so; of several `cost_benefit` side by side the highest worth decides."""
    return Stop("all", children=rules)


def _checked_rules(kind: str, rules: Any) -> tuple[Stop, ...]:
    if not rules or not isinstance(rules, tuple | list) or not all(isinstance(rule, Stop) for rule in rules):
        raise InvalidPolicy(f"{kind}_of came with {rules!r}; expected one or more stop rules.")
    return tuple(rules)
