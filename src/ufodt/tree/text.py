"""A tree in words: lines for the terminal, and the language of Graphviz."""

from collections.abc import Sequence

from ufodt.amount import amount, share
from ufodt.problem import Label
from ufodt.tree.frozen import Node, Tree

_SHOWN = 3  # labels named in a line, the likeliest first


def to_text(tree: Tree) -> str:
    """Return one line per node, children under their parent."""
    lines = []
    todo = [(0, "", "", "")]  # node, what stands before it, what stands before its children, how it was reached
    while todo:
        at, before, below, reached = todo.pop()
        node = tree.nodes[at]
        lines.append(f"{before}{reached}{_line(node, tree.problem.labels, reached)}")
        children = []
        for i, branch in enumerate(node.branches):
            last = i == len(node.branches) - 1
            children.append(
                (
                    branch.to,
                    below + ("└─ " if last else "├─ "),
                    below + ("   " if last else "│  "),
                    tree.came_by(node, branch),
                )
            )
        todo += reversed(children)
    return "\n".join(printable(line) for line in lines)


def _line(node: Node, labels: Sequence[Label], reached: str) -> str:
    cases = f"{share(node.share)} of cases"
    if node.feature is None:
        asked_on = f" · {asks_on(node)}" if node.cut else ""
        p = node.probabilities[labels.index(node.label)]
        return f"{' ' if reached else ''}→ {node.label} {share(p)}  {cases} · paid {amount(node.spent)}{asked_on}"
    return (
        f"{': ' if reached else ''}{node.feature}?  price {amount(node.price)} · {cases} · "
        f"{likeliest(node.probabilities, labels)} · {amount(node.remaining)} to come"
    )


def asks_on(node: Node) -> str:
    """Return what is to be said of a leaf where the tree ends but the policy does not."""
    return f"asks on for {amount(node.remaining)} more" if node.remaining else "would ask on"


def likeliest(probabilities: Sequence[float], labels: Sequence[Label], n_shown: int = _SHOWN) -> str:
    """Return the likeliest labels with their probabilities.

    >>> likeliest((0.2, 0.7, 0.1), ("a", "b", "c"), n_shown=2)
    'b 70%, a 20%, …'
    """
    ranked = sorted(zip(labels, probabilities, strict=True), key=lambda pair: -pair[1])
    more = ", …" if len(ranked) > n_shown else ""
    return ", ".join(f"{label} {share(p)}" for label, p in ranked[:n_shown]) + more


def to_dot(tree: Tree) -> str:
    """Return a digraph for Graphviz, left to right, lines as wide as the share of cases that takes them."""
    labels = tree.problem.labels
    lines = [
        "digraph ufodt {",
        "  rankdir=LR;",
        '  node [shape=box, style=rounded, fontname="Helvetica", fontsize=11];',
        '  edge [fontname="Helvetica", fontsize=10];',
    ]
    for at, node in enumerate(tree.nodes):
        if node.feature is None:
            head = f"{node.label} {share(node.probabilities[labels.index(node.label)])}{' …' if node.cut else ''}"
            tail = f"paid {amount(node.spent)}" + (f", {asks_on(node)}" if node.cut else "")
        else:
            head = f"{node.feature}?  {amount(node.price)}"
            tail = f"{amount(node.remaining)} to come"
        words = likeliest(node.probabilities, labels)
        text = "\\n".join(_quoted(line) for line in (head, words, f"{share(node.share)} of cases, {tail}"))
        lines.append(f'  n{at} [label="{text}"{", style=filled, fillcolor=gray95" if node.feature is None else ""}];')
        for branch in node.branches:
            width = 0.5 + 5 * tree.nodes[branch.to].share
            lines.append(
                f'  n{at} -> n{branch.to} [label="{_quoted(tree.came_by(node, branch))}", penwidth={width:.2f}];'
            )
    return "\n".join([*lines, "}"]) + "\n"


def _quoted(text: str) -> str:
    return printable(text).replace("\\", "\\\\").replace('"', '\\"')


def printable(text: str) -> str:
    """Return names as they are, but on one line and without what a terminal or a file would take as a command."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)
