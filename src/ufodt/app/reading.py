"""What people write, read under the names of a problem: tables for a learner, and single values."""

import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ufodt import drift
from ufodt.drift import Drift
from ufodt.errors import InvalidPolicy, InvalidValue
from ufodt.features import Value, from_text, some
from ufodt.lab import datasets
from ufodt.lab.datasets.overrides import Overrides, loss_table, read_overrides
from ufodt.lab.datasets.table import read_cells
from ufodt.problem import Label, Problem


@dataclass(frozen=True)
class Stream:
    """Cases in the order in which they come, as a problem names them, and what had to be done to read them."""

    problem: Problem
    X: NDArray[Any]  # objects; None: could not be had
    y: list[Label | None]  # None: the label never came
    account: tuple[str, ...]


def read_stream(path: str, *, label: str | None, about: str | None) -> Stream:
    """Return a table whose columns are understood by what they hold and by what a TOML file says about them."""
    with _file(path) as file:
        data = datasets.read_table(file, label=label, overrides=about)
    said = Overrides() if about is None else read_overrides(Path(about))
    loss = loss_table(said, data.label_names)
    problem, X, y = datasets.to_named(data, priced=data.prices is not None, loss=loss)
    return Stream(problem, X, list(y), data.account)


def read_stream_for(problem: Problem, path: str, *, label: str | None) -> Stream:
    """Return a table as a problem that is known already sees it; what does not fit counts as missing, and is told."""
    with _file(path) as file:
        cells = read_cells(file)
    account = list(cells.account)
    if label is not None and label not in cells.header:
        raise InvalidValue(f"No column is called {label!r}; expected one of {', '.join(cells.header)}.")
    absent = [feature.name for feature in problem.features if feature.name not in cells.header]
    if len(absent) == problem.n_features:
        raise InvalidValue(f"No column is a feature of the model; it knows {some(f.name for f in problem.features)}.")
    if absent:
        account.append(f"Without a column, and so missing in every case: {', '.join(absent)}.")
    X = np.full((len(cells.rows), problem.n_features), None, dtype=object)
    for j, feature in enumerate(problem.features):
        unfit = []
        at = cells.header.index(feature.name) if feature.name not in absent else -1
        for i, row in enumerate(cells.rows if at >= 0 else ()):
            try:
                X[i, j] = from_text(feature, row[at]) if row[at] else None
            except InvalidValue:
                unfit.append(row[at])
        if unfit:
            account.append(f"{feature.name}: {len(unfit)} cells taken as missing, such as {unfit[0]!r}.")
    y: list[Label | None] = [None] * len(cells.rows)
    if label is None:
        account.append("No label column was named, so the cases are answered and nothing is learned.")
    else:
        at = cells.header.index(label)
        y = [read_label(problem, row[at]) if row[at] else None for row in cells.rows]
    return Stream(problem, X, y, tuple(account))


def read_label(problem: Problem, text: str) -> Label:
    """Return the label that somebody wrote."""
    written = text.strip()
    for same in (str, lambda label: str(label).lower()):
        found = [name for name in problem.labels if same(name) == (written if same is str else written.lower())]
        if len(found) == 1:
            return found[0]
    raise InvalidValue(f"{written!r} came for the label; expected one of {some(problem.labels)}.")


def read_values(problem: Problem, pairs: Iterable[str]) -> dict[str, Value]:
    """Return values given as `name=value`."""
    values: dict[str, Value] = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not equals:
            raise InvalidValue(f"{pair!r} came; expected a feature and its value, such as {_example(problem)}.")
        feature = problem.features[problem.feature_index(name.strip())]
        values[feature.name] = from_text(feature, text)
    return values


def read_drift(text: str) -> Drift:
    """Return how fast to forget: `auto`, or the share of all counts that goes with each case."""
    if text.strip().lower() == "auto":
        return drift.auto()
    try:
        share = float(text)
    except ValueError:
        raise InvalidPolicy(f"{text!r} came for drift; expected auto, or a share such as 0.05.") from None
    return drift.discount(share)


def choices(names: Sequence[object], n_shown: int = 8) -> str:
    """Return what may be answered, not all of it if it is much."""
    listed = " / ".join(str(name) for name in names[:n_shown])
    return listed if len(names) <= n_shown else f"{listed} / … ({len(names)} in all)"


def _example(problem: Problem) -> str:
    feature = problem.features[0]
    return f"{feature.name}={getattr(feature, 'values', (1.5,))[0]}"


class _file:
    """The path of a table; what comes through a pipe is put into a file first."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.folder: tempfile.TemporaryDirectory[str] | None = None

    def __enter__(self) -> Path:
        if self.path != "-":
            return Path(self.path)
        text = sys.stdin.read()
        self.folder = tempfile.TemporaryDirectory()
        file = Path(self.folder.name, "stdin.jsonl" if text.lstrip().startswith("{") else "stdin.csv")
        file.write_text(text, encoding="utf-8")
        return file

    def __exit__(self, *_: object) -> None:
        if self.folder is not None:
            self.folder.cleanup()
