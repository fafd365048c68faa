"""Figures behind the paper's plots, as recovered from the history of the authors' public repository.

Source: `rahbararman/ODT-continuous`, result files of the runs that the paper shows; Stagger from the paper's
own table; all of them stand in `published.json`. `questions` is per case of the stream, `online` the utility of the
predictions made on the stream from paid features, `test` the mean over the last quarter of the stream of the utility
on the hold-out *with all its features*. Utility is the metric of `ufodt.lab.datasets.PAPER`; the trees on SPECT Heart
were scored by accuracy.

>>> PUBLISHED["led", "UFODT-EC2"].questions, STAGGER_QUESTIONS["UFODT-IG"]
(4.9167, (350.6, 5.1))
"""

import json
from importlib.resources import files
from typing import Any, NamedTuple


class Published(NamedTuple):
    """What the paper's experiment measured for one data set and method.

    An `…_error` is the authors' standard error where it could be recovered; `sure` says how certain it is that the
    figure is the one drawn in the paper.
    """

    n_hypotheses: int | None
    n_runs: int
    questions: float
    test: float | None
    online: float | None
    questions_error: float | None = None
    test_error: float | None = None
    online_error: float | None = None
    sure: str = ""
    note: str | None = None


class Swept(NamedTuple):
    """One point of the paper's sweep over the number of hypotheses."""

    questions: float
    online: float
    test: float | None


def _read() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(files(__package__).joinpath("published.json").read_text(encoding="utf-8"))
    return found


def _without(entry: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in entry.items() if name not in names}


_FILE = _read()
PUBLISHED: dict[tuple[str, str], Published] = {
    (entry["dataset"], entry["method"]): Published(**_without(entry, "dataset", "method")) for entry in _FILE["runs"]
}
SWEEP: dict[tuple[str, str, int], Swept] = {
    (entry["dataset"], entry["method"], entry["n_hypotheses"]): Swept(
        **_without(entry, "dataset", "method", "n_hypotheses")
    )
    for entry in _FILE["sweep"]
}
STAGGER_QUESTIONS: dict[str, tuple[float, float]] = {
    entry["method"]: (entry["questions"], entry["questions_error"]) for entry in _FILE["stagger"]
}  # total over the stream: mean, standard error

BEST_TREE = {
    "led": 0.746,
    "zoo": 0.841,
    "spect_heart": 0.800,
    "compas": 0.672,
    "fico": 0.698,
    "pima_diabetes": 0.705,
    "wdbc": 0.922,
    "fetal_health": 0.812,
}  # test utility of the best plotted tree, and on Compas and Fico of the best single setting in the authors' grid files
