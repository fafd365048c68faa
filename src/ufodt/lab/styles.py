"""How figures look: a method has the same colour, line and marker everywhere, told apart without colour too.

Colours are those of Okabe and Ito and of Tol, made for colour-blind readers; the same method tuned, with learned
thresholds, with selection or adaptive keeps its colour and changes its line. Rings are the paper's figures.
"""

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ufodt.errors import MissingPackage
from ufodt.lab.methods import METHODS
from ufodt.lab.whole import whole

_RC = {
    "font.family": "DejaVu Sans",
    "font.size": 8,
    "axes.titlesize": 9,
    "axes.labelsize": 8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#e6e6e6",
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
    "legend.frameon": False,
    "legend.fontsize": 8,
    "lines.linewidth": 1.4,
    "svg.hashsalt": "ufodt",
    "svg.fonttype": "path",
    "figure.dpi": 100,
    "savefig.dpi": 150,
}


@dataclass(frozen=True)
class Style:
    """How a method is drawn."""

    colour: str
    line: str
    marker: str


_COLOURS = (  # the first start of a method's name that fits
    ("ufodt-all", "#666666"),
    ("ufodt-random", "#AA4499"),
    ("ufodt", "#000000"),
    ("paper-ec2", "#0072B2"),
    ("paper-ig", "#009E73"),
    ("paper-us", "#CC79A7"),
    ("paper-random", "#999933"),
    ("vfdt", "#E69F00"),
    ("efdt", "#D55E00"),
    ("hat", "#882255"),
    ("amf", "#117733"),
    ("bernoulli_nb", "#56B4E9"),
    ("gaussian_nb", "#332288"),
    ("nb_ddm", "#6A3DE8"),
    ("static", "#661100"),
    ("oracle", "#6699CC"),
    ("boosting", "#555555"),
    ("constant", "#AAAAAA"),
)
_LINES = (("-tuned", "--"), ("-exp3", "--"), ("-ofs", ":"), ("-adaptive", "--"), ("-informed", ":"))
_OWN_LINES = {
    "ufodt-ec2": "--",
    "constant": ":",
    "boosting": ":",
    "nb_ddm": "-.",
    "efdt": "-.",
}  # efdt often lies on vfdt
_MARKERS = {
    "ufodt": "o", "ufodt-ec2": "s", "ufodt-us": "P", "ufodt-auto": "P", "ufodt-random": "X", "ufodt-all": "D",
    "ufodt-rig": "<", "ufodt-gini": "d", "ufodt-eced": "^",
    "static": "h", "oracle": "*", "constant": ".", "vfdt": "^", "efdt": "v", "hat": "<", "amf": ">",
    "bernoulli_nb": "p", "gaussian_nb": "d", "nb_ddm": "8", "boosting": "x", "paper-ec2": "s", "paper-ig": "o",
    "paper-us": "P", "paper-random": "X",
}  # fmt: skip


def style_of(method: str) -> Style:
    """Return how a method is drawn, the same in every figure.

    >>> style_of("vfdt").colour == style_of("vfdt-tuned").colour, style_of("vfdt").line == style_of("vfdt-tuned").line
    (True, False)
    """
    colour = next(c for start, c in _COLOURS if method.startswith(start))
    line = next((style for end, style in _LINES if method.endswith(end)), "-")
    line = _OWN_LINES.get(method, line)
    base = method
    while base not in _MARKERS and "-" in base:
        base = base.rpartition("-")[0]
    return Style(colour, line, _MARKERS.get(base, "o"))


@contextmanager
def drawing() -> Iterator[Any]:
    """Give pyplot, with the settings of all figures and without a window."""
    try:
        import matplotlib
    except ImportError:
        raise MissingPackage('Figures are drawn by matplotlib: pip install "ufodt[plots]"') from None
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    with matplotlib.rc_context(_RC):  # type: ignore[arg-type]
        yield plt


def grid(
    plt: Any, n_rows: int, n_columns: int, methods: Sequence[str], *, width: float = 2.5, height: float = 2.05
) -> Any:
    """Return a figure with room for a legend of the methods below its panels, its axes, and entries per row."""
    total = max(width * n_columns, 6.0)
    longest = max(len(METHODS[method].label) for method in methods)
    per_row = max(1, int(total / (0.065 * longest + 0.5)))
    below = 0.34 + 0.19 * math.ceil((len(methods) + 1) / per_row)
    figure, axes = plt.subplots(
        n_rows, n_columns, figsize=(total, height * n_rows + below), squeeze=False, layout="constrained"
    )
    return figure, axes, per_row


def finish(figure: Any, methods: Sequence[str], per_row: int, *, rings: bool, markers: str = "") -> Any:
    from matplotlib.lines import Line2D

    handles = []
    for method in methods:
        drawn = style_of(method)
        style: Any = {"linestyle": "" if markers == "only" else drawn.line, "marker": drawn.marker if markers else ""}
        handles.append(Line2D([], [], color=drawn.colour, label=METHODS[method].label, markersize=5, **style))
    if rings:
        handles.append(Line2D([], [], linestyle="", marker="o", mfc="none", mec="#444444", label="published", ms=6))
    figure.legend(handles=handles, loc="outside lower center", ncols=per_row)
    return figure


def save(figure: Any, folder: Path, name: str) -> tuple[Path, Path]:
    """Write a figure as PNG and SVG, each whole or not at all, the same bytes for the same figure."""
    paths = folder / f"{name}.png", folder / f"{name}.svg"
    with drawing() as plt:
        for path in paths:
            kind = path.suffix.removeprefix(".")
            metadata = {"Date": None, "Creator": None} if kind == "svg" else {"Software": None}
            with whole(path) as unfinished:
                figure.savefig(unfinished, format=kind, metadata=metadata)
        plt.close(figure)
    return paths
