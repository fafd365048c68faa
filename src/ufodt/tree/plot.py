"""The picture of a tree painted with matplotlib."""

from typing import TYPE_CHECKING

from ufodt.errors import MissingPackage
from ufodt.tree.frozen import Tree
from ufodt.tree.layout import BAR, BOX_WIDTH, INSET, LINE, MARGIN, SIZE, SMALL, Box, Picture, lay_out
from ufodt.tree.text import printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_PIXELS = 100  # per inch of a figure of its own


def plot(tree: Tree, ax: "Axes | None" = None) -> "Axes":
    """Draw into `ax`, or into a new figure of the picture's own size, and return the axes."""
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise MissingPackage('Drawing needs matplotlib: pip install "ufodt[plots]". `to_svg` needs nothing.') from None
    picture = lay_out(tree)
    if ax is None:
        size = (picture.width / _PIXELS, picture.height / _PIXELS)
        ax = plt.figure(figsize=size, dpi=_PIXELS).add_axes((0.0, 0.0, 1.0, 1.0))
    ax.set_xlim(0, picture.width)
    ax.set_ylim(picture.height, 0)
    ax.set_aspect("equal")
    ax.axis("off")
    _paint(ax, picture)
    return ax


def _paint(ax: "Axes", picture: Picture) -> None:
    from matplotlib.patches import PathPatch, Rectangle
    from matplotlib.path import Path

    ax.apply_aspect()
    points = 72 / ax.get_figure(root=True).dpi * ax.get_window_extent().width / picture.width  # type: ignore[union-attr]
    for line in picture.lines:
        bend = (line.x0 + line.x1) / 2
        path = Path(
            [(line.x0, line.y0), (bend, line.y0), (bend, line.y1), (line.x1, line.y1)],
            [Path.MOVETO, Path.CURVE4, Path.CURVE4, Path.CURVE4],
        )
        style = "dashed" if line.dashed else "solid"
        ax.add_patch(PathPatch(path, fill=False, edgecolor="#b9c2cc", linewidth=line.width * points, linestyle=style))
    for x, y, colour, label in picture.legend:
        ax.add_patch(Rectangle((x, y), 11, 11, color=colour, linewidth=0))
        _write(ax, x + 16, y + 9.5, label, points)
    for i, note in enumerate(reversed(picture.notes)):
        _write(ax, MARGIN, picture.height - MARGIN - i * LINE, note, points, color="#666666", size=SMALL)
    for box in picture.boxes:
        _paint_box(ax, box, points)


def _paint_box(ax: "Axes", box: Box, points: float) -> None:
    from matplotlib.colors import to_rgba
    from matplotlib.patches import FancyBboxPatch, Rectangle

    shape = ((box.x, box.y), BOX_WIDTH, box.height)
    style = "round,pad=0,rounding_size=5"
    edge = box.colour or "#8894a0"
    ax.add_patch(FancyBboxPatch(*shape, boxstyle=style, facecolor="white", edgecolor="none"))
    fill = to_rgba(box.colour, 0.13) if box.colour else "white"
    ax.add_patch(FancyBboxPatch(*shape, boxstyle=style, facecolor=fill, edgecolor=edge, linewidth=points))
    y = box.y + LINE
    if box.came:
        _write(ax, box.x + INSET, y - 1, box.came, points, color="#666666", style="italic")
        y += LINE
    _write(ax, box.x + INSET, y - 1, box.head, points, weight="bold")
    _write(ax, box.x + BOX_WIDTH - INSET, y - 1, box.side, points, align="right")
    for low, high, colour in box.bar:
        x, wide = box.x + INSET + low * (BOX_WIDTH - 2 * INSET), (high - low) * (BOX_WIDTH - 2 * INSET)
        ax.add_patch(Rectangle((x, y + 3), wide, BAR, facecolor=colour, linewidth=0))
    _write(ax, box.x + INSET, y + BAR + LINE, box.tail, points, color="#666666", size=SMALL)


def _write(
    ax: "Axes",
    x: float,
    y: float,
    text: str,
    points: float,
    *,
    color: str = "#1a1a1a",
    size: float = SIZE,
    weight: str = "normal",
    style: str = "normal",
    align: str = "left",
) -> None:
    """Letters are a little smaller than in the SVG: matplotlib's own are wider."""
    shown = {"color": color, "fontweight": weight, "fontstyle": style, "horizontalalignment": align}
    ax.text(x, y, printable(text), fontsize=0.88 * size * points, parse_math=False, clip_on=True, **shown)  # type: ignore[arg-type]
