"""Smaller trees of a tree, and what is spent from each node on."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ufodt.amount import number, whole
from ufodt.errors import InvalidValue

if TYPE_CHECKING:
    from ufodt.tree.frozen import Branch, Node, Tree


def prune(tree: "Tree", *, max_depth: int | None, min_share: float, missing: bool, merge: bool) -> "Tree":
    """Return the tree within the limits as a policy of its own; see `Tree.prune`."""
    nodes = _within(tree, max_depth, min_share, missing)
    return replace(tree, nodes=with_remaining(_merge(nodes) if merge else nodes))


def readable(tree: "Tree", *, max_depth: int | None, min_share: float, missing: bool) -> "Tree":
    """Return what a page shows of a tree: the same policy with its own figures, details left out.

    Leaves that say the same are one, and a question whose answers only differ beyond the limits is not shown.
    """
    nodes = _merge(_within(tree, max_depth, min_share, missing))
    for at in range(len(nodes) - 1, -1, -1):
        told = [nodes[branch.to] for branch in nodes[at].branches if not branch.missing]
        if len(told) == 1 and told[0].cut and told[0].label == nodes[at].label:
            nodes[at] = _closed(nodes[at])
    return replace(tree, nodes=_within(replace(tree, nodes=tuple(nodes)), None, 0.0, True))


def _within(tree: "Tree", max_depth: int | None, min_share: float, missing: bool) -> tuple["Node", ...]:
    """The nodes that the limits leave, numbered anew with parents first; those cut off ask nothing."""
    check_limits(max_depth, min_share)
    nodes: list[Node] = []
    todo = [(0, 0, -1, -1)]  # node, questions above it, and the branch of the new tree that leads here
    while todo:
        at, depth, parent, slot = todo.pop()
        node = tree.nodes[at]
        if parent >= 0:
            branches = list(nodes[parent].branches)
            branches[slot] = replace(branches[slot], to=len(nodes))
            nodes[parent] = replace(nodes[parent], branches=tuple(branches))
        asks = bool(node.branches) and (max_depth is None or depth < max_depth) and node.share >= min_share
        if asks:
            kept = tuple(branch for branch in node.branches if missing or not branch.missing)
            children = [(branch.to, depth + (not branch.missing), len(nodes), i) for i, branch in enumerate(kept)]
            todo += reversed(children)
            nodes.append(replace(node, branches=kept))
        else:
            nodes.append(_closed(node) if node.branches else node)
    return tuple(nodes)


def _closed(node: "Node") -> "Node":
    return replace(node, feature=None, price=0.0, branches=(), cut=True)


def check_limits(max_depth: int | None, min_share: float) -> None:
    if max_depth is not None and whole(max_depth, 0) is None:
        raise InvalidValue(f"max_depth={max_depth!r} came; expected a whole number, zero or more, or None.")
    if not 0 <= number(min_share) <= 1:
        raise InvalidValue(f"min_share={min_share!r} came; expected a share from 0 to 1.")


def with_remaining(nodes: Sequence["Node"]) -> tuple["Node", ...]:
    """Return the nodes, parents before children, with what is expected to be spent from each on."""
    remaining = [0.0] * len(nodes)
    for at in range(len(nodes) - 1, -1, -1):
        node = nodes[at]
        told = [branch.to for branch in node.branches if not branch.missing]
        total = sum(nodes[to].share for to in told)
        if total > 0:
            ahead = (nodes[to].share * (nodes[to].spent - node.spent + remaining[to]) for to in told)
            remaining[at] = sum(ahead) / total
    return tuple(replace(node, remaining=left) for node, left in zip(nodes, remaining, strict=True))


def _merge(nodes: Sequence["Node"]) -> list["Node"]:
    """Make one leaf of neighbouring leaves that answer the same for the same price, and number the nodes anew."""
    nodes, gone = list(nodes), set[int]()
    for at, node in enumerate(nodes):
        kept: list[Branch] = []
        for branch in node.branches:
            partner = next((i for i, other in enumerate(kept) if _alike(nodes, other, branch)), None)
            if partner is None:
                kept.append(branch)
                continue
            first = kept[partner]
            nodes[first.to] = _both(nodes[first.to], nodes[branch.to])
            kept[partner] = replace(first, values=first.values + branch.values, upto=branch.upto)
            gone.add(branch.to)
        nodes[at] = replace(node, branches=tuple(kept))
    numbers, n_kept = {}, 0
    for at in range(len(nodes)):
        if at not in gone:
            numbers[at], n_kept = n_kept, n_kept + 1
    return [
        replace(node, branches=tuple(replace(branch, to=numbers[branch.to]) for branch in node.branches))
        for at, node in enumerate(nodes)
        if at not in gone
    ]


def _alike(nodes: Sequence["Node"], one: "Branch", other: "Branch") -> bool:
    a, b = nodes[one.to], nodes[other.to]
    if one.missing or other.missing or a.branches or b.branches or (a.label, a.spent) != (b.label, b.spent):
        return False
    return bool(one.values) or (one.upto is not None and one.upto == other.above)


def _both(one: "Node", other: "Node") -> "Node":
    share = one.share + other.share
    weight = one.share / share if share > 0 else 0.5
    mean = tuple(weight * a + (1 - weight) * b for a, b in zip(one.probabilities, other.probabilities, strict=True))
    ahead = weight * one.remaining + (1 - weight) * other.remaining
    return replace(one, share=share, probabilities=mean, remaining=ahead, cut=one.cut or other.cut)
