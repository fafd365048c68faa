"""From the tree in the core, which plans a node when somebody comes by, to a frozen one."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from ufodt import core
from ufodt.amount import whole
from ufodt.errors import InvalidValue
from ufodt.features import Continuous, Feature
from ufodt.problem import Problem
from ufodt.tree.frozen import Branch, Node, Tree
from ufodt.tree.prune import check_limits, with_remaining

_STEPS = 500  # nodes planned between two looks at Ctrl-C
_NO_LIMIT = 2**31 - 1


def unroll(
    planned: core.Tree,
    problem: Problem,
    n_outcomes: Sequence[int],
    *,
    max_depth: int | None,
    min_share: float,
    max_missing: int | None,
    max_nodes: int,
) -> Tree:
    """Return the tree planned in the core, likeliest nodes first as far as the limits go."""
    check_limits(max_depth, min_share)
    limits = {
        "max_depth": _NO_LIMIT if max_depth is None else min(max_depth, _NO_LIMIT),
        "max_missing": _limit(max_missing, "max_missing", least=0),
        "min_share": float(min_share),
        "max_nodes": _limit(max_nodes, "max_nodes", least=1),
    }
    while planned.unroll(**limits, n_steps=_STEPS):  # type: ignore[arg-type]
        pass
    named, real, probabilities = planned.unrolled()
    children: dict[int, list[int]] = {}
    for at, parent in enumerate(named[:, 0].tolist()):
        children.setdefault(parent, []).append(at)
    nodes, all_cuts = [], planned.cuts
    rows = zip(named.tolist(), real.tolist(), probabilities.tolist(), strict=True)
    for at, ((_, _, feature, answer, is_asked), (price, spent, threshold, share), p) in enumerate(rows):
        branches: tuple[Branch, ...] = ()
        if is_asked:
            cuts = [threshold] if planned.has_thresholds and all_cuts[feature] else all_cuts[feature]
            came = [(to, int(named[to, 1])) for to in children[at]]
            branches = _branches(problem.features[feature], n_outcomes[feature], cuts, came)
        nodes.append(
            Node(
                feature=problem.features[feature].name if is_asked else None,
                price=price if is_asked else 0.0,
                label=problem.labels[answer],
                probabilities=tuple(p),
                share=share,
                spent=spent,
                remaining=0.0,
                branches=branches,
                cut=feature >= 0 and not is_asked,
            )
        )
    return Tree(problem, with_remaining(nodes))


def _branches(feature: Feature, n_outcomes: int, cuts: list[float], came: list[tuple[int, int]]) -> tuple[Branch, ...]:
    """What led from a question to each of its children, told as values; `came` gives their outcomes."""
    ends = list(pairwise([None, *cuts, None]))
    branches = []
    for to, outcome in came:
        if outcome == n_outcomes:
            branches.append(Branch(to, missing=True))
        elif outcome > n_outcomes:
            branches.append(Branch(to))
        elif isinstance(feature, Continuous):
            branches.append(Branch(to, above=ends[outcome][0], upto=ends[outcome][1]))
        else:
            branches.append(Branch(to, values=(feature.values[outcome],)))
    return tuple(branches)


def _limit(given: Any, name: str, *, least: int) -> int:
    if given is None:
        return _NO_LIMIT
    limit = whole(given, least)
    if limit is None:
        raise InvalidValue(f"{name}={given!r} came; expected a whole number from {least} on.")
    return min(limit, _NO_LIMIT)
