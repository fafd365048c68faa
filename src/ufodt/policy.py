"""How to plan a case: criterion, stop rule, hypotheses and prediction, as one frozen value."""

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from ufodt import core, stop
from ufodt.errors import InvalidPolicy
from ufodt.problem import Problem
from ufodt.stop import Stop


class Criterion(StrEnum):
    """What makes a question worth asking; each gain is divided by the current price."""

    EC2 = "ec2"  # expected weight of the edges cut between regions
    IG = "ig"  # expected drop of the entropy of the label
    US = "us"  # expected drop of the entropy over hypotheses
    RANDOM = "random"


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """Everything that decides the next question, the stop and the answer.

    Parameters
    ----------
    criterion
        What a question is worth.
    stop
        When to stop; see `ufodt.stop`.
    n_hypotheses
        How many hypotheses are drawn, N in the paper.
    distinct
        Draw distinct hypotheses and weigh each by its probability (the paper), or N draws of equal weight.
    redraw_below
        Draw again, given the evidence, when fewer hypotheses survive; 0 never does (the paper).
    plan
        Plan under a `draw` of theta, or under its `mean`, which on a flat prior never asks.
    predict
        Answer under the `mean` belief, or under the planning `theta` (the paper).
    """

    criterion: Criterion = Criterion.EC2
    stop: Stop = stop.cost_benefit()
    n_hypotheses: int = 128
    distinct: bool = False
    redraw_below: int = 32
    plan: Literal["draw", "mean"] = "draw"
    predict: Literal["mean", "theta"] = "mean"

    def __post_init__(self) -> None:
        try:
            object.__setattr__(self, "criterion", Criterion(self.criterion))
        except ValueError:
            raise InvalidPolicy(
                f"There is no criterion {self.criterion!r}; choose from {[c.value for c in Criterion]}."
            ) from None
        if not isinstance(self.stop, Stop):
            raise InvalidPolicy(f"{self.stop!r} is no stop rule; make one with ufodt.stop, such as region().")
        for name, least in (("n_hypotheses", 1), ("redraw_below", 0)):
            count = getattr(self, name)
            if isinstance(count, bool) or not isinstance(count, int) or not least <= count <= 1_000_000:
                raise InvalidPolicy(f"{name} must be a whole number from {least} to 1,000,000; {count!r} came.")
        if self.plan not in ("draw", "mean") or self.predict not in ("mean", "theta"):
            raise InvalidPolicy(
                f"plan={self.plan!r}, predict={self.predict!r} came; "
                "expected plan 'draw' or 'mean', predict 'mean' or 'theta'."
            )


def paper(*, criterion: str = "ec2", n_hypotheses: int) -> Policy:
    """Return the algorithm as printed: distinct weighted hypotheses, region stop, everything under one theta."""
    return Policy(
        criterion=Criterion(criterion) if criterion in set(Criterion) else criterion,  # type: ignore[arg-type]
        stop=stop.region(),
        n_hypotheses=n_hypotheses,
        distinct=True,
        redraw_below=0,
        predict="theta",
    )


def to_core(policy: Policy, problem: Problem, *, plan: Literal["draw", "mean"] | None = None) -> core.Policy:
    """Return the policy as the core reads it; amounts left open are filled in from the problem."""
    return core.Policy(
        criterion=policy.criterion.value,
        stop=_prefix(policy.stop, _default_worth(problem)),
        budget=_hard_budget(policy.stop),
        n_hypotheses=policy.n_hypotheses,
        distinct=policy.distinct,
        redraw_below=policy.redraw_below,
        predict_theta=policy.predict == "theta",
        plan_mean=(plan or policy.plan) == "mean",
    )


def problem_to_core(problem: Problem) -> core.Problem:
    """Return the problem as the core reads it: indices and numbers, no names."""
    groups = {name: i for i, name in enumerate(sorted({f.group for f in problem.features if f.group is not None}))}
    return core.Problem(
        n_outcomes=[len(f.values) for f in problem.features],
        n_labels=problem.n_labels,
        price=[float(f.price) for f in problem.features],
        later_price=[float(f.price if f.later_price is None else f.later_price) for f in problem.features],
        group=[-1 if f.group is None else groups[f.group] for f in problem.features],
        loss=problem.losses,
    )


def _default_worth(problem: Problem) -> float:
    if problem.has_currency:
        return 1.0
    mean_price = sum(f.price for f in problem.features) / problem.n_features
    return stop.default_worth * (mean_price or 1.0)


def _prefix(rule: Stop, worth: float) -> list[tuple[str, float, int]]:
    value = rule.value
    if value is None:
        value = worth if rule.kind == "cost_benefit" else math.nan
    return [
        (rule.kind, value, len(rule.children)),
        *(leaf for child in rule.children for leaf in _prefix(child, worth)),
    ]


def _hard_budget(rule: Stop) -> float:
    """The least budget that stops on its own, whatever other rules say."""
    if rule.kind == "budget" and rule.value is not None:
        return rule.value
    if rule.kind == "any":
        return min(_hard_budget(child) for child in rule.children)
    return math.inf
