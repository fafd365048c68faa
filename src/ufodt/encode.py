"""Raw tables as outcomes and label indices: checked cell by cell, and what does not fit is named by its row.

What is missing (NaN or None, or masked) becomes -1.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from ufodt.amount import is_missing, plain
from ufodt.errors import InvalidValue, UnknownLabel
from ufodt.features import Binary, Continuous, Feature

Outcomes: TypeAlias = NDArray[np.int16]
Values: TypeAlias = NDArray[np.float64]
LabelIndices: TypeAlias = NDArray[np.int32]
_Read = TypeVar("_Read")


def outcomes(X: Any, features: Sequence[Feature]) -> tuple[Outcomes, Values]:
    """Return a table of raw values as outcomes, and the values of continuous features, as `Problem.outcomes` says."""
    table = _as_table(X, len(features))
    numeric = table.dtype.kind in "biuf"
    if numeric and all(isinstance(feature, Binary) for feature in features):
        return _binary_outcomes(table, features), np.empty((len(table), 0))
    encoded = np.zeros(table.shape, dtype=np.int16)
    continuous = [j for j, feature in enumerate(features) if isinstance(feature, Continuous)]
    values = _numbers(table[:, continuous], [features[j] for j in continuous])  # type: ignore[misc]
    missing = np.isnan(values)
    encoded[:, continuous] = np.where(missing, -1, 0)
    values[missing] = 0.0
    for j, feature in enumerate(features):
        if isinstance(feature, Binary) and numeric:
            encoded[:, j] = _binary_outcomes(table[:, j : j + 1], [feature])[:, 0]
        elif not isinstance(feature, Continuous):
            encoded[:, j] = _by_row(table[:, j].tolist(), feature.outcome, -1)
    return encoded, values


def label_indices(y: Any, n_cases: int, *, labels: Sequence[Any], index: Callable[[Any], int]) -> LabelIndices:
    """Return labels as indices, shape `(n_cases,)`; -1 where one is missing (NaN or None).

    `labels` are those there are, in order; `index` finds that of a single one, or refuses it.
    """
    y = _unmasked(y)
    try:
        given = np.asarray(y)
    except ValueError:
        raise InvalidValue("The labels differ in length; expected one label for each case.") from None
    if given.ndim == 0:
        raise InvalidValue(f"{_kind(y)} came for the labels; expected a list or an array, one label for each case.")
    if given.ndim != 1 or len(given) != n_cases:
        raise InvalidValue(f"Labels of shape {given.shape} came for {n_cases} cases; expected one label for each case.")
    if given.dtype.kind in "biu" and labels == tuple(range(len(labels))):
        if given.size and (given.min() < 0 or given.max() >= len(labels)):
            _by_row(given.tolist(), index, -1)  # says which
        return np.ascontiguousarray(given, dtype=np.int32)
    one_by_one = given.tolist() if hasattr(y, "dtype") else _plain_list(y)  # an array would make all alike
    return np.array(_by_row(one_by_one, lambda label: index(plain(label)), -1), dtype=np.int32)


def _as_table(X: Any, n_features: int) -> NDArray[Any]:
    try:
        table = np.asarray(_unmasked(X))
    except ValueError:
        lengths = [len(row) if hasattr(row, "__len__") else 1 for row in X] if isinstance(X, Sequence) else []
        odd = [row for row, length in enumerate(lengths) if length != n_features]
        raise InvalidValue(
            f"The table has rows of different lengths{f', such as row {odd[0]}' if odd else ''}; give {n_features} "
            "values in each, one for each feature."
        ) from None
    if table.ndim == 0:
        raise InvalidValue(f"{_kind(X)} came as a table; expected a list of rows, an array or a frame.")
    if table.shape == (0,):  # a list of no rows
        return np.empty((0, n_features))
    if table.ndim != 2 or table.shape[1] != n_features:
        raise InvalidValue(
            f"A table of shape {table.shape} came; expected (n_cases, {n_features}), one column per feature."
        )
    if table.dtype.kind in "US" and not isinstance(X, np.ndarray):
        table = np.array([list(row) for row in X], dtype=object)  # numbers among strings stay numbers
    return table


def _unmasked(X: Any) -> Any:
    """A masked array with what is masked missing; anything else as it is."""
    if not isinstance(X, np.ma.MaskedArray):
        return X
    table = np.array(X.data, dtype=object)
    table[np.ma.getmaskarray(X)] = None
    return table


def _binary_outcomes(table: NDArray[Any], features: Sequence[Feature]) -> Outcomes:
    one = table == 1
    known = one | (table == 0)
    outcomes: Outcomes = one.astype(np.int16, order="C")  # as the core reads it, whatever order the table has
    if not known.all():
        missing = np.isnan(table) if table.dtype.kind == "f" else np.zeros(table.shape, dtype=bool)
        bad = np.argwhere(~known & ~missing)
        if len(bad):
            row, column = bad[0].tolist()
            raise InvalidValue(
                f"{features[column].name}: value {table[row, column].item()!r} came in row {row}; expected 0, 1 or NaN."
            )
        outcomes[missing] = -1
    return outcomes


def _numbers(table: NDArray[Any], features: Sequence[Continuous]) -> Values:
    """The values of continuous features, NaN where one is missing."""
    if table.dtype.kind in "biuf":
        numbers = table.astype(np.float64, order="C")
        infinite = np.isinf(numbers)
        if infinite.any():
            column = int(np.argwhere(infinite)[0, 1])
            _by_row(table[:, column].tolist(), features[column].number, math.nan)  # says which
        return numbers
    columns = zip(table.T, features, strict=True)
    found = [_by_row(cells.tolist(), feature.number, math.nan) for cells, feature in columns]
    return np.ascontiguousarray(np.array(found, dtype=np.float64).reshape(len(features), len(table)).T)


def _by_row(cells: Iterable[Any], read: Callable[[Any], _Read], missing: _Read) -> list[_Read]:
    """What each cell of a column stands for; an error says in which row it was met."""
    found: list[_Read] = []
    try:
        for cell in cells:
            found.append(missing if is_missing(cell) else read(cell))
    except (InvalidValue, UnknownLabel) as error:
        raise type(error)(f"In row {len(found)}: {error}") from None
    return found


def _plain_list(given: Any) -> list[Any]:
    """What comes as a list, or as an array of pyarrow, whose items are no plain values."""
    return list(given.to_pylist() if hasattr(given, "to_pylist") else given)


def _kind(given: Any) -> str:
    """What came in the place of many things, for a message."""
    if isinstance(given, Mapping | np.ndarray):
        return f"A {type(given).__name__}"
    if isinstance(given, Iterable) and not isinstance(given, str | bytes):
        return f"A {type(given).__name__} (make it a list: list(...))"
    return repr(given)
