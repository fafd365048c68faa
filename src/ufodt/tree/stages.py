"""Cutting a deep tree into pieces that other languages can nest."""

from ufodt.tree.frozen import Tree


def stages(tree: Tree, depth: int) -> list[list[int]]:
    """Return the nodes that begin a piece, by stages: the root, then the questions `depth` further down, and so on.

    A piece goes down to where those of the next stage begin.
    """
    starts, found = [0], []
    while starts:
        found.append(starts)
        level = starts
        for _ in range(depth):
            level = [branch.to for at in level for branch in tree.nodes[at].branches]
        starts = [at for at in level if tree.nodes[at].branches]
    return found
