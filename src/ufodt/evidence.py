"""What a case paid for and saw: a plain value on its way from a session to the belief."""

from typing import Any, NotRequired, TypedDict

from ufodt import core
from ufodt.amount import MOST, whole
from ufodt.errors import InvalidValue
from ufodt.features import Continuous, Value
from ufodt.problem import Problem
from ufodt.thresholds import Thresholds


class Evidence(TypedDict):
    """What a session paid for and saw; a plain value that can go through JSON and be learned from later."""

    case: str | int | None
    values: dict[str, Value]  # in the order in which they were told
    prices: dict[str, float]  # what was paid; a value known from the start has no price
    skipped: list[str]
    thresholds: NotRequired[dict[str, int]]  # of features with thresholds: the number of the one in use
    rewards: NotRequired[list[list[float]]]  # what Exp3 learns: the number of a threshold among all, and its gain


def to_core(
    evidence: Evidence, problem: Problem, thresholds: Thresholds, belief: core.Belief
) -> tuple[list["core.Seen"], list[tuple[int, float]]]:
    """Return what was seen as the core numbers it, and what Exp3 learns."""
    try:
        values, in_use = evidence["values"].items(), dict(evidence.get("thresholds", {}))
        rewards = [(int(view), float(amount)) for view, amount in evidence.get("rewards", ())]
    except (TypeError, ValueError, KeyError, AttributeError, OverflowError):
        raise InvalidValue(f"{evidence!r} is no evidence; give `session.evidence`.") from None
    if any(not abs(amount) <= MOST for _, amount in rewards):
        raise InvalidValue(f"Rewards of {rewards} came; expected finite numbers, as in `session.evidence`.")
    seen: list[core.Seen] = []
    for name, value in values:
        index = problem.feature_index(name)
        feature = problem.features[index]
        if isinstance(feature, Continuous):
            number = feature.number(value)
            threshold = _checked(in_use.get(name, -1), feature, thresholds)
            seen.append((index, 0, number, -1 if threshold < 0 else belief.first_view(index) + threshold))
        else:
            seen.append((index, feature.outcome(value), 0.0, -1))
    return seen, rewards


def _checked(threshold: Any, feature: Continuous, thresholds: Thresholds) -> int:
    """The threshold in use, by its number among those of its feature; -1 where there is none."""
    if thresholds.kind == "bins" or threshold == -1:
        return -1
    n = len(feature.cuts) or thresholds.n
    number = whole(threshold, 0, n - 1)
    if number is None:
        raise InvalidValue(f"{feature.name}: threshold {threshold!r} came; expected a number from 0 to {n - 1}.")
    return number
