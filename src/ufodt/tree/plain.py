"""A tree as JSON can hold it, and the way back through the checks."""

import json
import math
from collections.abc import Mapping
from typing import Any

from ufodt import manifest
from ufodt.amount import whole
from ufodt.errors import InvalidValue, UfodtError
from ufodt.features import Continuous
from ufodt.problem import Problem
from ufodt.tree.frozen import Branch, Node, Tree

FORMAT = "ufodt tree"
VERSION = 1


def to_dict(tree: Tree) -> dict[str, Any]:
    """Return a flat list of nodes, the root first; a branch names the number of the node that it leads to."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "problem": manifest.describe_problem(tree.problem),
        "nodes": [
            {
                "feature": node.feature,
                "price": node.price,
                "label": node.label,
                "probabilities": list(node.probabilities),
                "share": node.share,
                "spent": node.spent,
                "remaining": node.remaining,
                "cut": node.cut,
                "branches": [_describe(branch) for branch in node.branches],
            }
            for node in tree.nodes
        ],
    }


def _describe(branch: Branch) -> dict[str, Any]:
    if branch.missing:
        return {"to": branch.to, "missing": True}
    if branch.values:
        return {"to": branch.to, "values": list(branch.values)}
    return {"to": branch.to, "above": branch.above, "upto": branch.upto}


def from_json(text: str | bytes) -> Tree:
    """Return the tree that a text describes."""
    try:
        described = json.loads(text)
    except (ValueError, TypeError, RecursionError) as error:
        raise InvalidValue(f"The text is no JSON ({error}); give what `to_json` wrote.") from None
    return from_dict(described)


def from_dict(described: Mapping[str, Any]) -> Tree:
    """Return the tree that a mapping describes, once everything in it fits together."""
    if not isinstance(described, Mapping) or described.get("format") != FORMAT:
        raise InvalidValue("This describes no tree of ours; give what `to_dict` or `to_json` wrote.")
    if described.get("version") != VERSION:
        raise InvalidValue(f"A tree of version {described.get('version')!r} came; this release reads {VERSION}.")
    try:
        problem = manifest.read_problem(described["problem"])
        nodes = tuple(_node(node, problem) for node in described["nodes"])
        _check(nodes, problem)
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, UfodtError) as error:
        raise InvalidValue(f"The description of the tree does not fit together ({error}).") from error
    return Tree(problem, nodes)


def _node(given: Mapping[str, Any], problem: Problem) -> Node:
    amounts = {name: float(given[name]) for name in ("price", "share", "spent", "remaining")}
    probabilities = tuple(float(p) for p in given["probabilities"])
    if len(probabilities) != problem.n_labels or not all(0 <= p <= 1 for p in probabilities):
        raise ValueError("a node needs one probability per label")
    if not all(0 <= amount < math.inf for amount in amounts.values()):
        raise ValueError("a node needs finite amounts that are not negative")
    return Node(
        feature=given["feature"],
        label=problem.labels[problem.label_index(given["label"])],
        probabilities=probabilities,
        cut=_is_true(given["cut"]),
        branches=tuple(_branch(branch) for branch in given["branches"]),
        **amounts,
    )


def _branch(given: Mapping[str, Any]) -> Branch:
    ends = {end: None if given.get(end) is None else float(given[end]) for end in ("above", "upto")}
    to = whole(given["to"], 0)
    if to is None:
        raise ValueError(f"a branch leads to {given['to']!r}, which is no number of a node")
    missing = _is_true(given.get("missing", False))
    return Branch(to, values=tuple(given.get("values", ())), missing=missing, **ends)


def _is_true(given: Any) -> bool:
    if not isinstance(given, bool):
        raise ValueError(f"{given!r} came; expected true or false")
    return given


def _check(nodes: tuple[Node, ...], problem: Problem) -> None:
    """Refuse what is no tree: it could be walked for ever, or ask what the problem does not have."""
    reached = {0}
    for at, node in enumerate(nodes):
        if at not in reached:
            raise ValueError(f"nothing leads to node {at}")
        if (node.feature is None) != (not node.branches):
            raise ValueError(f"node {at} has a question without branches, or branches without a question")
        if node.feature is None:
            continue
        feature = problem.features[problem.feature_index(node.feature)]
        for branch in node.branches:
            if not at < branch.to < len(nodes) or branch.to in reached:
                raise ValueError(f"node {at} leads to {branch.to}, where it cannot")
            reached.add(branch.to)
        told = [branch for branch in node.branches if not branch.missing]
        if len(node.branches) > len(told) + 1:
            raise ValueError(f"node {at} has several branches for a value that is missing")
        if isinstance(feature, Continuous):
            _check_ranges(at, told)
        else:
            found = sorted(feature.outcome(value) for branch in told for value in branch.values)
            if found != list(range(len(feature.values))) or not all(branch.values for branch in told):
                raise ValueError(f"node {at} does not name each value of {node.feature!r} once")
    if not nodes:
        raise ValueError("there are no nodes")


def _check_ranges(at: int, told: list[Branch]) -> None:
    """Refuse ranges that overlap, or leave some numbers out."""
    ranges = sorted(told, key=lambda branch: -math.inf if branch.above is None else branch.above)
    ends = [-math.inf if branch.above is None else branch.above for branch in ranges]
    others = [math.inf if branch.upto is None else branch.upto for branch in ranges]
    rise = all(above < upto for above, upto in zip(ends, others, strict=True))
    if any(branch.values for branch in told) or not told or not rise or [*ends, math.inf] != [-math.inf, *others]:
        raise ValueError(f"the ranges of node {at} do not follow one another over all numbers")
    if not all(map(math.isfinite, others[:-1])):
        raise ValueError(f"a range of node {at} has an end that is no number")
