"""How to plan a case: criterion, stop rule, hypotheses and prediction, as one frozen value."""

import math
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Literal

from ufodt import core, stop
from ufodt.amount import MOST, number, plain, whole
from ufodt.compiled import n_states, work
from ufodt.errors import InvalidPolicy
from ufodt.problem import Problem
from ufodt.stop import Stop


class Criterion(StrEnum):
    """What makes a question worth asking; each gain is divided by the current price."""

    EC2 = "ec2"  # expected weight of the edges cut between regions
    IG = "ig"  # expected drop of the entropy of the label
    US = "us"  # expected drop of the entropy over hypotheses
    RANDOM = "random"
    RIG = "rig"  # expected drop of the entropy of the region, over the surviving hypotheses
    GINI = "gini"  # expected drop of the Gini impurity of the label
    ECED = "eced"  # expected weight taken off the edges between labels by likelihood ratios


_PLANNERS = {"lookahead": 128, "greedy": 128, "optimal": core.MAX_STATES}  # states looked ahead over
# What is planned exactly where nothing more is explored: ten binary features, or five of eight bins, and a few labels.
_SMALL_STATES, _SMALL_WORK = 1 << 17, 1 << 22  # a few milliseconds
# A larger problem is looked ahead into there as far as what was learned carries: a state for every few labels.
_LABELS_PER_STATE, _MOST_STATES = 4, 4096


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
        Plan under a `draw` of theta, under its `mean`, which on a flat prior never asks, or under `both`: as long as a
        question pays under the draw it is asked, to learn; then what still pays under the mean, by which the answer is
        given. From 2,048 labels on ever fewer cases are planned under a draw, a share that falls with the root (all are
        where labels are not learned). `both` takes information gain, a stop that weighs cost and benefit and does not
        look at regions, and answers under the mean; anything else plans under the draw alone.
    spend_to_learn
        What a case under `both` that would ask nothing spends to learn, on average, as a share of the loss that it
        expects: where labels are rare, no question may seem to pay at first, though some do. Of what could pay and is
        little known, it asks what may tell most about the label; little known is a feature with fewer than 32 values
        under some label that has come, or a number that is not yet cut by what it tells. A stop by confidence is
        obeyed, and thresholds in place of bins explore by draws alone.
    predict
        Answer under the `mean` belief, or under the planning `theta` (the paper).
    planner
        What a stop by cost and benefit asks, as long as some plan pays: `lookahead` the first question of the best plan
        over the few that the criterion finds most promising, `optimal` of the best plan of all (of as many as 2^24
        states allow, 15 of two outcomes), `greedy` the criterion's own best of those that pay. By default `lookahead`
        with information gain, and `greedy` with the other criteria, whose choice is their point. Other stop rules leave
        it to the criterion.
        Where nothing more is explored (`evaluate`, `tree`, `open(explore=False)`) `lookahead` sees all of a small
        problem, and `lookahead` and `greedy` the further into a larger one the more labels have come, unless `plan` is
        `mean` anyway. Plans keep within a budget, and take thresholds as they are chosen now.
    """

    criterion: Criterion = Criterion.IG
    stop: Stop = stop.cost_benefit()
    n_hypotheses: int = 128
    distinct: bool = False
    redraw_below: int = 32
    plan: Literal["both", "draw", "mean"] = "both"
    spend_to_learn: float = 1 / 16
    predict: Literal["mean", "theta"] = "mean"
    planner: Literal["lookahead", "greedy", "optimal"] | None = None

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
            count = whole(getattr(self, name), least, 1_000_000)
            if count is None:
                came = getattr(self, name)
                raise InvalidPolicy(f"{name} must be a whole number from {least} to 1,000,000; {came!r} came.")
            object.__setattr__(self, name, count)
        object.__setattr__(self, "distinct", plain(self.distinct))
        if not isinstance(self.distinct, bool):
            raise InvalidPolicy(f"distinct={self.distinct!r} came; expected True or False.")
        share = number(self.spend_to_learn)
        if not 0.0 <= share <= 1.0:
            raise InvalidPolicy(f"spend_to_learn={self.spend_to_learn!r} came; expected a share from 0 to 1.")
        object.__setattr__(self, "spend_to_learn", share)
        if self.plan not in ("both", "draw", "mean") or self.predict not in ("mean", "theta"):
            raise InvalidPolicy(
                f"plan={self.plan!r}, predict={self.predict!r} came; "
                "expected plan 'both', 'draw' or 'mean', predict 'mean' or 'theta'."
            )
        if self.planner is None:
            object.__setattr__(self, "planner", "lookahead" if self.criterion == Criterion.IG else "greedy")
        if self.planner not in list(_PLANNERS):
            raise InvalidPolicy(f"planner={self.planner!r} came; choose from {list(_PLANNERS)}.")


def paper(*, criterion: str = "ec2", n_hypotheses: int) -> Policy:
    """Return the algorithm as printed: distinct weighted hypotheses, region stop, everything under one theta."""
    return Policy(
        criterion=criterion,  # type: ignore[arg-type]
        stop=stop.region(),
        n_hypotheses=n_hypotheses,
        distinct=True,
        redraw_below=0,
        plan="draw",
        predict="theta",
    )


def to_core(policy: Policy, problem: Problem, *, at_least: int = 0) -> core.Policy:
    """Return the policy as the core reads it, which looks ahead over so many states `at_least`.

    Amounts left open are filled in from the problem.
    """
    return core.Policy(
        criterion=policy.criterion.value,
        stop=_prefix(_weighed(policy.stop, _default_worth(problem))),
        budget=hard_budget(policy.stop),
        n_hypotheses=policy.n_hypotheses,
        distinct=policy.distinct,
        redraw_below=policy.redraw_below,
        predict_theta=policy.predict == "theta",
        plan=policy.plan,
        lookahead=max(_PLANNERS[policy.planner or "lookahead"], at_least),
        greedy=policy.planner == "greedy",
        spend_to_learn=policy.spend_to_learn,
    )


def settled(policy: Policy, problem: Problem, compiled: core.Problem, belief: core.Belief) -> core.Policy:
    """Return the policy that explores no more, as the core reads it: under the mean belief, exact on small problems.

    On larger ones a plan of many questions promises more than few cases have taught, so it looks ahead over no more
    states than the belief has labels for. What plans under the mean anyway stays as it is, and so does the paper,
    which plans and answers under one draw.
    """
    if policy.predict == "theta" or policy.plan == "mean":
        return to_core(policy, problem)
    is_small = n_states(compiled) <= _SMALL_STATES and work(compiled) <= _SMALL_WORK
    exact = policy.planner == "lookahead" and is_small
    carried = min(int(belief.label_counts.sum() / _LABELS_PER_STATE), _MOST_STATES)
    planner = "optimal" if exact else policy.planner
    return to_core(replace(policy, plan="mean", planner=planner), problem, at_least=carried)


def worth(policy: Policy, problem: Problem) -> float:
    """Return what one unit of loss is worth in the currency of the prices, as the policy's stop rule has it."""
    default = _default_worth(problem)
    return _worth_in(_weighed(policy.stop, default)) or default


def _default_worth(problem: Problem) -> float:
    if problem.has_currency:
        return 1.0
    return min(stop.default_worth * (float(problem.prices.mean()) or 1.0), MOST)


def _worth_in(rule: Stop) -> float | None:
    """The first amount that a rule weighs the loss by, if it weighs it."""
    if rule.kind == "cost_benefit":
        return rule.value
    return next((found for child in rule.children if (found := _worth_in(child)) is not None), None)


def _weighed(rule: Stop, default: float) -> Stop:
    """The rule with every worth filled in, and of several beside each other the one that decides.

    What pays at one worth pays at all above: so among `all` the highest decides, among `any` the lowest.
    """
    if rule.kind == "cost_benefit":
        return rule if rule.value is not None else stop.cost_benefit(default)
    if not rule.children:
        return rule
    children: list[Stop] = []
    for child in rule.children:
        weighed = _weighed(child, default)
        children += weighed.children if weighed.kind == rule.kind else [weighed]
    worths = [child.value for child in children if child.kind == "cost_benefit" and child.value is not None]
    if len(worths) > 1:
        decides = max(worths) if rule.kind == "all" else min(worths)
        children = [stop.cost_benefit(decides), *(child for child in children if child.kind != "cost_benefit")]
    return children[0] if len(children) == 1 else Stop(rule.kind, children=tuple(children))


def _prefix(rule: Stop) -> list[tuple[str, float, int]]:
    value = math.nan if rule.value is None else rule.value
    return [(rule.kind, value, len(rule.children)), *(leaf for child in rule.children for leaf in _prefix(child))]


def hard_budget(rule: Stop) -> float:
    """Return the least budget that stops on its own, whatever other rules say."""
    if rule.kind == "budget" and rule.value is not None:
        return rule.value
    if rule.kind == "any":
        return min(hard_budget(child) for child in rule.children)
    return math.inf
