"""What people write, read under the names of a problem: tables for a learner, and single values."""

import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from ufodt import UFODT, drift
from ufodt.drift import Drift
from ufodt.errors import InvalidPolicy, InvalidValue
from ufodt.features import Feature, Value, some
from ufodt.lab import datasets
from ufodt.lab.datasets import Dataset
from ufodt.lab.datasets.cells import Cells, decode, examples, one_of, read_cells
from ufodt.lab.datasets.overrides import Overrides, loss_table, read_overrides
from ufodt.lab.datasets.table import label_column, labelled, understand
from ufodt.problem import Label, Problem
from ufodt.words import from_text, have_commas, meant


@dataclass(frozen=True)
class Stream:
    """Cases in the order in which they come, as a problem names them, and what had to be done to read them."""

    problem: Problem
    X: NDArray[Any]  # objects; None: could not be had
    y: list[Label | None]  # None: the label never came
    label: str | None  # the column of the label
    missing: tuple[str, ...]  # further cells that were read as "not known"
    account: tuple[str, ...]


def read_stream(path: str, *, label: str | None, about: str | None, missing: Iterable[str] = ()) -> Stream:
    """Return a table whose columns are understood by what they hold and by what a TOML file says about them.

    Cases without a label are kept, to be answered as they come: a run that is gone on with sees the same cases.
    """
    said = Overrides() if about is None else read_overrides(Path(about))
    unknown = said.missing | set(missing)
    with _file(path) as file:
        named = label or said.label
        cells = read_cells(file, label=named, missing=unknown)
        column = label_column(cells.header, named)
        known = labelled(cells, column)
        data = understand(known, said, file, label=named)
    loss = loss_table(said, data.label_names)
    problem, _, _ = datasets.to_named(data, priced=data.prices is not None, loss=loss)
    account, n_unlabelled = [*data.account, _kinds(data)], len(cells.rows) - len(known.rows)
    if n_unlabelled:
        at = cells.header.index(column)
        account.append(_unlabelled(n_unlabelled, column))
        account += _unfit(_values(problem, cells.header, [row for row in cells.rows if not row[at]])[1])
    X, _ = _values(problem, cells.header, cells.rows)
    return Stream(problem, X, _read_labels(problem, cells, column), column, tuple(sorted(unknown)), tuple(account))


def read_stream_for(problem: Problem, path: str, *, label: str | None, missing: Iterable[str] = ()) -> Stream:
    """Return a table as a problem that is known already sees it; what does not fit counts as missing, and is told."""
    unknown = sorted(set(missing))
    with _file(path) as file:
        cells = read_cells(file, label=label, missing=frozenset(unknown))
    account = list(cells.account)
    if unknown:
        account.append(f"Cells read as not known: {some(unknown)}.")
    if label is not None and label not in cells.header:
        raise InvalidValue(f"No column is called {label!r}; expected one of {', '.join(cells.header)}.")
    absent = [feature.name for feature in problem.features if feature.name not in cells.header]
    if len(absent) == problem.n_features:
        raise InvalidValue(f"No column is a feature of the model; it knows {some(f.name for f in problem.features)}.")
    if absent:
        account.append(f"Without a column, and so missing in every case: {', '.join(absent)}.")
    X, unfit = _values(problem, cells.header, cells.rows)
    account += _unfit(unfit)
    y: list[Label | None] = [None] * len(cells.rows)
    if label is None:
        account.append("No label column was named, so the cases are answered and nothing is learned.")
    else:
        y = _read_labels(problem, cells, label)
    return Stream(problem, X, y, label, tuple(unknown), tuple(account))


def remembered(learner: UFODT) -> tuple[str, ...]:
    """Return the further cells that mean "not known" in the tables that a model was made for."""
    return learner._settings.missing


def remember(learner: UFODT, missing: Iterable[str]) -> None:
    """Have a model know which further cells mean "not known", in its file too."""
    learner._settings = learner._settings._replace(missing=tuple(missing))


def _kinds(data: Dataset) -> str:
    """A sentence on what the columns were taken for: numbers that are codes, say, are better called categories."""
    said = {"continuous": "numbers", "categorical": "categories", "binary": "yes or no"}
    names: dict[str, list[str]] = {}
    for name, kind in zip(data.feature_names, data.kinds, strict=True):
        names.setdefault(said[kind], []).append(name)
    listed = "; ".join(f"{kind}: {examples('', found)}" for kind, found in names.items())
    return f"Columns taken as {listed}. The TOML file of --price can say otherwise."


def _values(
    problem: Problem, header: Sequence[str], rows: Sequence[Sequence[str]]
) -> tuple[NDArray[Any], dict[str, list[str]]]:
    """Return the cells as values of the features, and those of each that are none."""
    X = np.full((len(rows), problem.n_features), None, dtype=object)
    unfit: dict[str, list[str]] = {}
    for j, feature in enumerate(problem.features):
        if feature.name not in header:
            continue
        at = header.index(feature.name)
        texts = {row[at] for row in rows}
        decimal_comma = have_commas(texts)
        read = {text: _value(feature, text, decimal_comma) for text in texts}
        X[:, j] = [read[row[at]] for row in rows]
        unfit[feature.name] = [row[at] for row in rows if row[at] and read[row[at]] is None]
    return X, unfit


def _value(feature: Feature, text: str, decimal_comma: bool) -> Value | None:
    """The value that a cell holds; None where it holds none, or one that the feature cannot have."""
    try:
        return from_text(feature, text, decimal_comma=decimal_comma) if text else None
    except InvalidValue:
        return None


def _unfit(cells: Mapping[str, Sequence[str]]) -> list[str]:
    """Sentences on the cells that were taken as missing."""
    found = [(name, bad, "cell" if len(bad) == 1 else "cells") for name, bad in cells.items() if bad]
    return [
        f"{name}: {len(bad)} {word} taken as missing, such as {some(dict.fromkeys(bad))}." for name, bad, word in found
    ]


def _read_labels(problem: Problem, cells: Cells, column: str) -> list[Label | None]:
    at = cells.header.index(column)
    read: dict[str, Label | None] = {"": None}
    for number, row in enumerate(cells.rows, start=1):
        if row[at] not in read:
            try:
                read[row[at]] = read_label(problem, row[at])
            except InvalidValue as error:
                raise InvalidValue(f"Case {number}, column {column!r}: {error}") from None
    return [read[row[at]] for row in cells.rows]


def _unlabelled(n_rows: int, column: str) -> str:
    if n_rows == 1:
        return f"1 row has no label in {column!r}; it is answered, and teaches nothing."
    return f"{n_rows} rows have no label in {column!r}; they are answered, and teach nothing."


def read_label(problem: Problem, text: str) -> Label:
    """Return the label that somebody wrote: a name in any case, a number in any of its forms."""
    found = meant(problem.labels, text.strip())
    if len(found) != 1:
        raise InvalidValue(f"{text.strip()!r} came for the label; expected one of {some(problem.labels)}.")
    return found[0]


def check_known(feature: Feature, text: str, *, missing: Iterable[str]) -> None:
    """Refuse as a value what means "not known" in the tables of a model."""
    if one_of(missing)(text.strip()):
        raise InvalidValue(
            f'{feature.name}: {text.strip()!r} came, which means "not known" to this model; skip it, or leave it out.'
        )


def read_value(feature: Feature, text: str, *, missing: Iterable[str]) -> Value:
    """Return the value that somebody wrote, with a decimal comma or without."""
    check_known(feature, text, missing=missing)
    return from_text(feature, text, decimal_comma=True)


def read_values(problem: Problem, pairs: Iterable[str], *, missing: Iterable[str] = ()) -> dict[str, Value]:
    """Return values given as `name=value`."""
    values: dict[str, Value] = {}
    for pair in pairs:
        name, equals, text = _parted(problem, pair)
        if not equals:
            raise InvalidValue(f"{pair!r} came; expected a feature and its value, such as {_example(problem)}.")
        feature = problem.features[problem.feature_index(name.strip())]
        if feature.name in values:
            raise InvalidValue(f"{feature.name} came twice, the second time as {pair!r}; give each feature one value.")
        values[feature.name] = read_value(feature, text, missing=missing)
    return values


def _parted(problem: Problem, pair: str) -> tuple[str, str, str]:
    """A name, the sign that follows it, and the rest; a feature may have that sign in its name."""
    places = [at for at, sign in enumerate(pair) if sign == "="]
    known = [at for at in places if pair[:at].strip() in {feature.name for feature in problem.features}]
    at = max(known, default=min(places, default=len(pair)))
    return pair[:at], pair[at : at + 1], pair[at + 1 :]


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


def standard_input() -> BinaryIO:
    """Return the bytes that come through a pipe."""
    if sys.stdin is None:
        raise InvalidValue("Standard input is closed; send something through a pipe, or name a file.")
    return sys.stdin.buffer


class _file:
    """The path of a table; what comes through a pipe is put into a file first."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.folder: tempfile.TemporaryDirectory[str] | None = None

    def __enter__(self) -> Path:
        if self.path != "-":
            return Path(self.path)
        content = standard_input().read()
        start = decode(content)[0].lstrip()
        if start.startswith("[") and start[1:].lstrip().startswith("{"):
            raise InvalidValue("A JSON array came through the pipe; expected one object on each line, or a CSV table.")
        self.folder = tempfile.TemporaryDirectory()
        file = Path(self.folder.name, "stdin.jsonl" if start.startswith("{") else "stdin.csv")
        file.write_bytes(content)
        return file

    def __exit__(self, *_: object) -> None:
        if self.folder is not None:
            self.folder.cleanup()
