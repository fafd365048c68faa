"""A frozen tree: what is asked at every node and what it costs there, who gets there, and what is answered."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ufodt import frames
from ufodt.features import Continuous, Value
from ufodt.problem import Label, Problem
from ufodt.words import in_words, interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, slots=True)
class Branch:
    """Where some answers to a question lead: named values, numbers `above < value <= upto`, or none to be had."""

    to: int  # number of the node
    values: tuple[Value, ...] = ()
    above: float | None = None
    upto: float | None = None
    missing: bool = False

    def __str__(self) -> str:
        if self.missing:
            return "cannot be had"
        if self.values:
            return " or ".join(str(value) for value in self.values)
        return "any value" if self.above is None and self.upto is None else interval(self.above, self.upto)


@dataclass(frozen=True, slots=True)
class Node:
    """One place in the tree. Where nothing is asked, it is a leaf and `label` is the answer."""

    feature: str | None  # the question
    price: float  # of the question here, with what its values are expected to add; 0 at a leaf
    label: Label  # of least expected loss here
    probabilities: tuple[float, ...]  # in the order of the labels
    share: float  # of the cases that get here, as far as nothing is missing that the path does not say
    spent: float  # on the way here
    remaining: float  # expected to be spent from here on
    branches: tuple[Branch, ...] = ()
    cut: bool = False  # a leaf only because the tree ends here: the learner would ask on


class Decisions(NamedTuple):
    """What a tree answers to a table of cases: one entry per case."""

    labels: NDArray[Any]
    cost: NDArray[np.float64]
    probability: NDArray[np.float64]  # given to the answer
    node: NDArray[np.int64]  # where the case ended


@dataclass(frozen=True)
class Tree:
    """A policy under one belief, unrolled: made by `learner.tree()`, it learns nothing any more.

    A value that is missing takes the branch *cannot be had*, where there is one; elsewhere the case is answered where
    it stands. A tree that is `complete` answers every case as `learner.evaluate` does, as long as its missing values
    have branches.

    Examples
    --------
    >>> from ufodt import UFODT, Binary
    >>> learner = UFODT(Problem([Binary("fever"), Binary("cough")], labels=["healthy", "ill"]))
    >>> learner.learn_many([[1, 0], [1, 1], [0, 1], [0, 0]] * 20, ["ill", "ill", "healthy", "healthy"] * 20)
    >>> tree = learner.tree()
    >>> print(tree.to_text())
    fever?  price 1 · 100% of cases · healthy 50%, ill 50% · 1 to come
    ├─ no → healthy 98%  50% of cases · paid 1
    └─ yes → ill 98%  50% of cases · paid 1
    >>> tree.predict([[1, None]]).labels.tolist()
    ['ill']
    """

    problem: Problem
    nodes: tuple[Node, ...]

    @property
    def n_leaves(self) -> int:
        return sum(not node.branches for node in self.nodes)

    @property
    def depth(self) -> int:
        """The most questions on a path, those without an answer included."""
        deep = [0] * len(self.nodes)
        for at, node in enumerate(self.nodes):
            for branch in node.branches:
                deep[branch.to] = deep[at] + 1
        return max(deep)

    @property
    def complete(self) -> bool:
        """Whether no node was cut off: no leaf would ask on."""
        return not any(node.cut for node in self.nodes)

    def predict(self, X: Any) -> Decisions:
        """Return the answer to every case, what it cost and where it ended.

        Parameters
        ----------
        X
            Raw values, shape `(n_cases, n_features)`, or a frame; NaN or None: cannot be had. Only the cells on a
            case's path matter to it.
        """
        outcomes, values = self.problem.outcomes(frames.by_name(X, self.problem.features))
        numbers = [j for j, feature in enumerate(self.problem.features) if isinstance(feature, Continuous)]
        ended = np.zeros(len(outcomes), dtype=np.int64)
        todo = [(0, np.arange(len(outcomes)))]
        while todo:
            at, rows = todo.pop()
            node = self.nodes[at]
            stays = np.ones(len(rows), dtype=bool)
            if node.feature is not None and node.branches and len(rows):
                j = self.problem.feature_index(node.feature)
                feature, here = self.problem.features[j], outcomes[rows, j]
                for branch in node.branches:
                    if branch.missing:
                        goes = here < 0
                    elif isinstance(feature, Continuous):
                        column = values[rows, numbers.index(j)]
                        goes = here >= 0
                        if branch.above is not None:
                            goes &= column > branch.above
                        if branch.upto is not None:
                            goes &= column <= branch.upto
                    else:
                        goes = np.isin(here, [feature.outcome(value) for value in branch.values])
                    todo.append((branch.to, rows[goes]))
                    stays &= ~goes
            ended[rows[stays]] = at
        answers = np.array([self.problem.label_index(node.label) for node in self.nodes], dtype=np.int32)
        given = np.array([node.probabilities[a] for node, a in zip(self.nodes, answers.tolist(), strict=True)])
        spent = np.array([node.spent for node in self.nodes])
        return Decisions(self.problem.labels_at(answers[ended]), spent[ended], given[ended], ended)

    def came_by(self, node: Node, branch: Branch) -> str:
        """Return what a branch stands for in words; 0 and 1 of a binary feature are no and yes."""
        if node.feature is None or not branch.values:
            return str(branch)
        feature = self.problem.features[self.problem.feature_index(node.feature)]
        return " or ".join(in_words(feature, value) for value in branch.values)

    def prune(
        self, *, max_depth: int | None = None, min_share: float = 0.0, missing: bool = True, merge: bool = False
    ) -> "Tree":
        """Return a smaller tree, for reading or as a simpler policy; a node cut off answers where it stands.

        Parameters
        ----------
        max_depth
            Questions on a path at most, apart from those whose value cannot be had.
        min_share
            A node that a smaller share of cases reaches asks nothing.
        missing
            Whether to keep the branches of values that cannot be had.
        merge
            Make one leaf of answers to one question that lead to the same label for the same price; its
            probabilities are their mean. Labels and costs stay as they are.
        """
        from ufodt.tree.prune import prune

        return prune(self, max_depth=max_depth, min_share=min_share, missing=missing, merge=merge)

    def to_text(self, *, max_depth: int | None = 5, min_share: float = 0.01, missing: bool = False) -> str:
        """Return the tree as lines of text: question, price here, share of cases, labels, what is still to come."""
        from ufodt.tree.text import to_text

        return to_text(self._readable(max_depth, min_share, missing))

    def to_dot(self, *, max_depth: int | None = 5, min_share: float = 0.01, missing: bool = False) -> str:
        """Return the tree in the language of Graphviz."""
        from ufodt.tree.text import to_dot

        return to_dot(self._readable(max_depth, min_share, missing))

    def to_svg(self, *, max_depth: int | None = 5, min_share: float = 0.02, missing: bool = False) -> str:
        """Return a picture of the tree, an SVG that fits the width of a page; nothing else is needed to draw it."""
        from ufodt.tree.picture import to_svg

        return to_svg(self._readable(max_depth, min_share, missing))

    def plot(
        self,
        ax: "Axes | None" = None,
        *,
        max_depth: int | None = 5,
        min_share: float = 0.02,
        missing: bool = False,
    ) -> "Axes":
        """Draw the same picture with matplotlib, into `ax` or a figure of its own, and return the axes."""
        from ufodt.tree.plot import plot

        return plot(self._readable(max_depth, min_share, missing), ax)

    def to_sql(self, table: str) -> str:
        """Return one SELECT that adds `ufodt_label` and `ufodt_price` to every row of a table.

        Standard SQL as SQLite, PostgreSQL and DuckDB read it; `table` is quoted as one name. NULL is missing; a value
        that the problem does not know gives NULL.
        """
        from ufodt.tree.sql import to_sql

        return to_sql(self, table)

    def to_python(self) -> str:
        """Return a Python module whose `decide(case)` gives label and price; it needs the standard library only."""
        from ufodt.tree.python import to_python

        return to_python(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the tree as values that JSON can hold; `from_dict` reads them."""
        from ufodt.tree.plain import to_dict

        return to_dict(self)

    def to_json(self) -> str:
        """Return the tree as JSON text."""
        return json.dumps(self.to_dict(), ensure_ascii=False)

    @staticmethod
    def from_dict(described: Mapping[str, Any]) -> "Tree":
        """Return the tree that `to_dict` described."""
        from ufodt.tree.plain import from_dict

        return from_dict(described)

    @staticmethod
    def from_json(text: str | bytes) -> "Tree":
        """Return the tree that `to_json` wrote."""
        from ufodt.tree.plain import from_json

        return from_json(text)

    def __repr__(self) -> str:
        return f"<Tree: {len(self.nodes)} nodes, {self.n_leaves} leaves, depth {self.depth}>"

    def _readable(self, max_depth: int | None, min_share: float, missing: bool) -> "Tree":
        from ufodt.tree.prune import readable

        return readable(self, max_depth=max_depth, min_share=min_share, missing=missing)
