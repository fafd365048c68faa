"""Figures: a method looks the same everywhere and unlike any other in the same figure."""

from pathlib import Path

import pytest

from ufodt.lab import experiment, plots
from ufodt.lab.experiment import Declaration
from ufodt.lab.methods import METHODS


@pytest.mark.parametrize("declared", experiment.declarations(), ids=lambda one: one.name)
def test_methods_in_one_figure_are_told_apart(declared: Declaration) -> None:
    methods = declared.draw or tuple(dict.fromkeys(m for d in declared.datasets for m in declared.methods_on(d)))
    looks = [plots.look(method) for method in methods]
    assert len({(look.colour, look.line, look.marker) for look in looks}) == len(looks)
    if declared.kind == "table":
        assert len({(look.colour, look.marker) for look in looks}) == len(looks), "points have no lines"
    if declared.kind == "curves":
        assert len({(look.colour, look.line) for look in looks}) == len(looks), "curves have no markers"


def test_every_method_has_a_look_and_colours_are_not_shared_by_strangers() -> None:
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
    assert len({plots.look(method).colour for method in strangers}) == len(strangers)
    assert all(plots.look(method) for method in METHODS)


def test_a_figure_is_the_same_bytes_each_time(tmp_path: Path) -> None:
    written = []
    for name in ("a", "b"):
        with plots.style() as plt:
            figure, axes, per_row = plots.grid(plt, 1, 1, ["ufodt"])
            axes[0, 0].plot([1, 2], [1, 2], color=plots.look("ufodt").colour)
            plots.finish(figure, ["ufodt"], per_row, rings=True)
        written.append([path.read_bytes() for path in plots.save(figure, tmp_path / name, "figure")])
    assert written[0] == written[1]
