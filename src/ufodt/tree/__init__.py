"""The policy unrolled for reading: a frozen tree to print, draw, walk down, and run elsewhere without ufodt."""

from ufodt.tree.frozen import Branch, Decisions, Node, Tree
from ufodt.tree.unroll import unroll

__all__ = ["Branch", "Decisions", "Node", "Tree", "unroll"]
