"""A tree as SVG, painted from its layout; no other program is needed."""

from xml.sax.saxutils import escape

from ufodt.tree.frozen import Tree
from ufodt.tree.layout import BAR, BOX_WIDTH, INSET, LINE, MARGIN, SIZE, SMALL, Box, Line, lay_out
from ufodt.tree.text import printable

INK, QUIET, EDGE = "#1a1a1a", "#666666", "#b9c2cc"
_FONT = "Helvetica, Arial, 'Liberation Sans', sans-serif"


def to_svg(tree: Tree) -> str:
    """Return the picture; it scales to the width it is given, up to its own size."""
    picture = lay_out(tree)
    width, height = picture.width, picture.height
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" '
        f'style="max-width:100%" font-family="{escape(_FONT)}" '  # its height follows from the box it shows
        f'font-size="{SIZE}" role="img" aria-label="decision tree">',
        f'<rect width="{width:.0f}" height="{height:.0f}" fill="white"/>',
    ]
    for x, y, colour, label in picture.legend:
        parts.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="11" height="11" rx="2" fill="{colour}"/>')
        parts.append(_text(x + 16, y + 9.5, label, INK))
    parts += [_line(line) for line in picture.lines]
    parts += [_box(box) for box in picture.boxes]
    for i, note in enumerate(reversed(picture.notes)):
        parts.append(_text(MARGIN, height - MARGIN - i * LINE, note, QUIET, f'font-size="{SMALL}"'))
    return "\n".join([*parts, "</svg>"]) + "\n"


def _line(line: Line) -> str:
    bend = (line.x0 + line.x1) / 2
    dashes = ' stroke-dasharray="4 3"' if line.dashed else ""
    return (
        f'<path d="M{line.x0:.1f} {line.y0:.1f}C{bend:.1f} {line.y0:.1f} {bend:.1f} {line.y1:.1f} {line.x1:.1f} '
        f'{line.y1:.1f}" fill="none" stroke="{EDGE}" stroke-width="{line.width:.1f}"{dashes}/>'
    )


def _box(box: Box) -> str:
    y = box.y + LINE
    fill, stroke = ("white", "#8894a0") if not box.colour else (box.colour, box.colour)
    faint = ' fill-opacity="0.13"' if box.colour else ""
    place = f'x="{box.x:.1f}" y="{box.y:.1f}" width="{BOX_WIDTH:.0f}" height="{box.height:.1f}" rx="5"'
    parts = [
        f"<g><title>{_safe(box.full)}</title>",
        f'<rect {place} fill="white"/><rect {place} fill="{fill}"{faint} stroke="{stroke}"/>',
    ]
    if box.came:
        parts.append(_text(box.x + INSET, y - 1, box.came, QUIET, 'font-style="italic"'))
        y += LINE
    parts.append(_text(box.x + INSET, y - 1, box.head, INK, 'font-weight="bold"'))
    parts.append(_text(box.x + BOX_WIDTH - INSET, y - 1, box.side, INK, 'text-anchor="end"'))
    for low, high, colour in box.bar:
        x, wide = box.x + INSET + low * (BOX_WIDTH - 2 * INSET), (high - low) * (BOX_WIDTH - 2 * INSET)
        parts.append(f'<rect x="{x:.1f}" y="{y + 3:.1f}" width="{wide:.2f}" height="{BAR}" fill="{colour}"/>')
    parts.append(_text(box.x + INSET, y + BAR + LINE, box.tail, QUIET, f'font-size="{SMALL}"'))
    return "".join([*parts, "</g>"])


def _text(x: float, y: float, text: str, colour: str, style: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" fill="{colour}"{" " if style else ""}{style}>{_safe(text)}</text>'


def _safe(text: str) -> str:
    """A text inside XML: what has a meaning there is escaped, what XML cannot hold is replaced."""
    return escape("\n".join(printable(line) for line in text.split("\n")))
