"""Figures: a method looks the same everywhere and unlike any other in the same figure."""

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from ufodt.lab import experiment, styles
from ufodt.lab.experiment import Declaration
from ufodt.lab.methods import METHODS


@pytest.mark.parametrize("declared", experiment.declarations(), ids=lambda one: one.name)
def test_methods_in_one_figure_are_told_apart(declared: Declaration) -> None:
    methods = declared.draw or tuple(dict.fromkeys(m for d in declared.datasets for m in declared.methods_on(d)))
    drawn = [styles.style_of(method) for method in methods]
    assert len({(one.colour, one.line, one.marker) for one in drawn}) == len(drawn)
    if declared.kind == "table":
        assert len({(one.colour, one.marker) for one in drawn}) == len(drawn), "points have no lines"
    if declared.kind == "curves":
        assert len({(one.colour, one.line) for one in drawn}) == len(drawn), "curves have no markers"


# How colours look with red, green or neither missing: Machado, Oliveira and Fernandes (2009), in linear RGB.
EYES = {
    "all cones": np.eye(3),
    "no red": np.array([[0.152, 1.053, -0.205], [0.115, 0.786, 0.099], [-0.004, -0.048, 1.052]]),
    "no green": np.array([[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]]),
}


def as_seen(colour: str, eye: np.ndarray) -> np.ndarray:
    """A colour in CIELAB, where a distance of about 2 can just be told."""
    rgb = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    rgb = np.clip(eye @ np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4), 0, 1)
    to_xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    xyz = to_xyz @ rgb / np.array([0.9505, 1.0, 1.089])
    x, y, z = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("eye", EYES.values(), ids=EYES)
@pytest.mark.parametrize(
    "declared", [one for one in experiment.declarations() if one.kind == "curves"], ids=lambda one: one.name
)
def test_lines_of_one_kind_are_told_apart_by_every_eye(declared: Declaration, eye: np.ndarray) -> None:
    methods = declared.draw or tuple(dict.fromkeys(m for d in declared.datasets for m in declared.methods_on(d)))
    for one, other in combinations([styles.style_of(method) for method in methods], 2):
        if one.line == other.line:
            assert np.linalg.norm(as_seen(one.colour, eye) - as_seen(other.colour, eye)) > 10, (one, other)


def test_every_method_has_a_style_and_colours_are_not_shared_by_strangers() -> None:
    strangers = [
        "ufodt",
        "paper-ec2",
        "paper-ig",
        "paper-us",
        "vfdt",
        "efdt",
        "hat",
        "amf",
        "bernoulli_nb",
        "gaussian_nb",
        "nb_ddm",
    ]
    assert len({styles.style_of(method).colour for method in strangers}) == len(strangers)
    assert all(styles.style_of(method) for method in METHODS)


def test_a_figure_is_the_same_bytes_each_time(tmp_path: Path) -> None:
    written = []
    for name in ("a", "b"):
        with styles.drawing() as plt:
            figure, axes, per_row = styles.grid(plt, 1, 1, ["ufodt"])
            axes[0, 0].plot([1, 2], [1, 2], color=styles.style_of("ufodt").colour)
            styles.finish(figure, ["ufodt"], per_row, rings=True)
        written.append([path.read_bytes() for path in styles.save(figure, tmp_path / name, "figure")])
    assert written[0] == written[1]
