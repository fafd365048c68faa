"""Where everything in a picture of a tree stands: boxes from left to right, in pixels; every painter reads this."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from ufodt.amount import amount, share
from ufodt.tree.frozen import Node, Tree

BOX_WIDTH, COLUMN, INSET = 134.0, 152.0, 7.0
MARGIN, LEGEND, LINE, GAP = 10.0, 20.0, 14.0, 6.0
BAR = 5.0  # height of the bar of label probabilities
SIZE, SMALL = 11.5, 10.0  # of letters
PALETTE = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c6d46", "#7f7f7f")
FADED = "#c8c8c8"  # labels beyond the palette


@dataclass(frozen=True, slots=True)
class Box:
    """One node: where it stands, its lines of text, and the bar of its label probabilities."""

    x: float
    y: float
    height: float
    came: str  # what led here
    head: str  # the question, or the answer
    side: str  # to its right: what it costs, or how likely it is
    tail: str
    full: str  # everything, for whoever points at it
    bar: tuple[tuple[float, float, str], ...]  # from, to (as parts of the width), colour
    colour: str  # of the answer; empty where something is asked


@dataclass(frozen=True, slots=True)
class Line:
    """From the right edge of a box to the left edge of a child; as wide as the share of cases that go there."""

    x0: float
    y0: float
    x1: float
    y1: float
    width: float
    dashed: bool  # what cannot be had


@dataclass(frozen=True, slots=True)
class Picture:
    """A drawn tree: its size, what is in it, and what the colours stand for."""

    width: float
    height: float
    boxes: tuple[Box, ...]
    lines: tuple[Line, ...]
    legend: tuple[tuple[float, float, str, str], ...]  # x, y, colour, label
    notes: tuple[str, ...]  # below the tree, LINE apart, the last one MARGIN above the end


def lay_out(tree: Tree) -> Picture:
    """Return the picture: leaves one under the other, every question in the middle of what it leads to."""
    colours = _colours(tree)
    depth, came = [0] * len(tree.nodes), [""] * len(tree.nodes)
    for at, node in enumerate(tree.nodes):
        for branch in node.branches:
            depth[branch.to], came[branch.to] = depth[at] + 1, tree.came_by(node, branch)
    width = 2 * MARGIN + COLUMN * max(depth) + BOX_WIDTH
    legend, top = _legend(tree, colours, max(width, 3 * COLUMN))
    heights = [(3 if text else 2) * LINE + BAR + 7 for text in came]
    middle = _middles(tree, heights, top)
    boxes = tuple(
        _box(tree, at, MARGIN + COLUMN * depth[at], middle[at], heights[at], came[at], colours)
        for at in range(len(tree.nodes))
    )
    lines = tuple(
        Line(
            boxes[at].x + BOX_WIDTH,
            middle[at],
            boxes[branch.to].x,
            middle[branch.to],
            1.0 + 9.0 * tree.nodes[branch.to].share,
            branch.missing,
        )
        for at, node in enumerate(tree.nodes)
        for branch in node.branches
    )
    notes = ["Beside a question: what it costs there. Below: share of cases, expected cost still to come."]
    if any(node.cut for node in tree.nodes):
        notes.append("… the tree goes on: more is asked, for what stands after + on average.")
    bottom = max(box.y + box.height for box in boxes) + MARGIN + LINE * len(notes) + MARGIN
    return Picture(max(width, 3 * COLUMN), bottom, boxes, lines, legend, tuple(notes))


def _middles(tree: Tree, heights: Sequence[float], top: float) -> list[float]:
    """The middle of every box: leaves take their room from top to bottom, a question the middle of its children."""
    middle, free = [0.0] * len(tree.nodes), top
    todo = [(0, False)]
    while todo:
        at, is_done = todo.pop()
        node = tree.nodes[at]
        if not node.branches:
            middle[at] = free + heights[at] / 2
            free += heights[at] + GAP
        elif is_done:
            middle[at] = (middle[node.branches[0].to] + middle[node.branches[-1].to]) / 2
        else:
            todo.append((at, True))
            todo += [(branch.to, False) for branch in reversed(node.branches)]
    return middle


def _box(tree: Tree, at: int, x: float, middle: float, height: float, came: str, colours: dict[int, str]) -> Box:
    node, labels = tree.nodes[at], tree.problem.labels
    answer = labels.index(node.label)
    if node.feature is None:
        head, side = str(node.label), share(node.probabilities[answer]) + (" …" if node.cut else "")
        ahead = f" + {_short(node.remaining)}" if node.cut and node.remaining else ""
        tail = f"{share(node.share)} · paid {_short(node.spent)}{ahead}"
    else:
        head, side = f"{node.feature}?", amount(node.price)
        tail = f"{share(node.share)} · {_short(node.remaining)} to come"
    ends = [0.0]
    for p in node.probabilities:
        ends.append(ends[-1] + p)
    bar = tuple((low, high, colours.get(i, FADED)) for i, (low, high) in enumerate(pairwise(ends)) if high > low)
    colour = colours.get(answer, FADED) if node.feature is None else ""
    room = BOX_WIDTH - 2 * INSET
    return Box(
        x=x,
        y=middle - height / 2,
        height=height,
        came=fit(came, room),
        head=fit(head, room - wide(side) - INSET),
        side=side,
        tail=fit(tail, room, SMALL),
        full=_full(node, labels, came),
        bar=bar,
        colour=colour,
    )


def _full(node: Node, labels: Sequence[object], came: str) -> str:
    lines = [came] if came else []
    if node.feature is None:
        lines.append(f"answer {node.label}" + (", where the tree ends; the learner would ask on" if node.cut else ""))
    else:
        lines.append(f"{node.feature}? for {amount(node.price)}")
    lines.append(f"{share(node.share)} of cases; paid so far {amount(node.spent)}, to come {amount(node.remaining)}")
    ranked = sorted(zip(labels, node.probabilities, strict=True), key=lambda pair: -pair[1])
    return "\n".join([*lines, *(f"{label}: {p:.1%}" for label, p in ranked[:12])])


def _colours(tree: Tree) -> dict[int, str]:
    """A colour for the labels, the likeliest first as far as the palette goes."""
    ranked = sorted(range(tree.problem.n_labels), key=lambda i: -tree.nodes[0].probabilities[i])
    chosen = sorted(ranked[: len(PALETTE)])
    return dict(zip(chosen, PALETTE, strict=False)) | {i: FADED for i in ranked[len(PALETTE) :]}


def _legend(
    tree: Tree, colours: dict[int, str], width: float
) -> tuple[tuple[tuple[float, float, str, str], ...], float]:
    """What each colour stands for, in as many rows as it takes, and where the tree may begin below."""
    shown = [(i, str(tree.problem.labels[i])) for i in sorted(colours) if colours[i] != FADED]
    if len(shown) < len(colours):
        shown.append((-1, "other labels"))
    entries, x, y = [], MARGIN, MARGIN
    for i, label in shown:
        text = fit(label, BOX_WIDTH)
        if x > MARGIN and x + 34 + wide(text) > width - MARGIN:
            x, y = MARGIN, y + LEGEND
        entries.append((x, y, colours.get(i, FADED), text))
        x += 34 + wide(text)
    return tuple(entries), y + LEGEND + GAP


def fit(text: str, room: float, size: float = SIZE) -> str:
    """Return a text as far as it fits into some pixels, the end replaced by an ellipsis."""
    if wide(text, size) <= room:
        return text
    while text and wide(text, size) + size > room:
        text = text[:-1]
    return text.rstrip() + "…"


def _short(value: float) -> str:
    """A price in a picture: what matters of it."""
    return amount(float(f"{value:.3g}"))


def wide(text: str, size: float = SIZE) -> float:
    """About how many pixels a text takes: narrow, wide and other letters, East Asian ones double."""
    return sum(size * _width(c) for c in text)


def _width(letter: str) -> float:
    """How wide a letter is, as a share of its size."""
    if ord(letter) > 0x2E7F:
        return 1.0
    if letter in "iljtfrI.,:;!|' ()[]·":
        return 0.34
    if letter in "mwMW@%—…":
        return 0.88
    return 0.62 if letter.isupper() else 0.56
