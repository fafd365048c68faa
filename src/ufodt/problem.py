"""What may be asked, what it costs, and what a mistake costs.

Names and raw values live here and above; below, a feature is an index and a value is its *outcome*, an index
0..K-1. Missing cells of a table (NaN or None) become outcome -1: could not be had.
"""

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ufodt.errors import InvalidProblem, InvalidValue, UnknownFeature, UnknownLabel

MAX_LABELS = 256
MAX_OUTCOMES = 1024

Value: TypeAlias = str | int | float | bool
Label: TypeAlias = str | int | bool
Outcomes: TypeAlias = NDArray[np.int16]
LabelIndices: TypeAlias = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Binary:
    """A feature that is 0 or 1 (False or True).

    `later_price` applies once another feature of the same `group` has been paid for in the case.

    >>> Binary("fever", price=1.0).outcome(True)
    1
    """

    name: str
    price: float = 1.0
    group: str | None = None
    later_price: float | None = None

    @property
    def values(self) -> tuple[Value, ...]:
        return (0, 1)

    def outcome(self, value: Any) -> int:
        """Return the outcome, the index of the value among `values`."""
        return _index(self, {0: 0, 1: 1}, value)


@dataclass(frozen=True, slots=True)
class Categorical:
    """A feature with two or more named values.

    >>> Categorical("rhythm", ["sinus", "flutter", "other"], price=15.5).outcome("flutter")
    1
    """

    name: str
    values: Sequence[Value]
    price: float = 1.0
    group: str | None = None
    later_price: float | None = None
    _index: dict[Hashable, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if isinstance(self.values, str):
            raise InvalidProblem(f"{self.name}: values came as one string {self.values!r}; give a list.")
        values = tuple(_plain(v) for v in self.values)
        object.__setattr__(self, "values", values)
        object.__setattr__(self, "_index", {v: k for k, v in enumerate(values)})
        if not 2 <= len(values) <= MAX_OUTCOMES or len(self._index) != len(values):
            raise InvalidProblem(
                f"{self.name}: came with values {list(values)!r}; expected 2 to {MAX_OUTCOMES} different ones."
            )
        if any(_is_missing(v) for v in values):
            raise InvalidProblem(f"{self.name}: NaN cannot be a value; leave it out, missing needs no value.")

    def outcome(self, value: Any) -> int:
        """Return the outcome, the index of the value among `values`."""
        return _index(self, self._index, value)


Feature: TypeAlias = Binary | Categorical


@dataclass(frozen=True)
class Problem:
    """Features with prices, labels, and the loss of each mistake; checked when made.

    Parameters
    ----------
    features
        What may be asked.
    labels
        What may be answered, two or more.
    loss
        `loss[truth][answer]`, shape `(n_labels, n_labels)`, in the currency of the prices; by default 1 for
        any mistake, in no currency.

    Examples
    --------
    >>> problem = Problem([Binary("fever"), Binary("cough", price=2.0)], labels=["healthy", "ill"])
    >>> problem.n_features, problem.n_labels
    (2, 2)
    """

    features: Sequence[Feature]
    labels: Sequence[Label]
    loss: Any = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "features", tuple(self.features))
        object.__setattr__(self, "labels", tuple(_plain(label) for label in self.labels))
        object.__setattr__(self, "loss", _checked_loss(self.loss, len(self.labels)))
        if not self.features:
            raise InvalidProblem("A problem needs at least one feature; none came.")
        for feature in self.features:
            if not isinstance(feature, Binary | Categorical):
                raise InvalidProblem(f"Features must be Binary or Categorical; {feature!r} came.")
            _check_price(feature)
        names = [feature.name for feature in self.features]
        if len(set(names)) != len(names):
            twice = sorted({name for name in names if names.count(name) > 1})
            raise InvalidProblem(f"Feature names must differ; {twice} came more than once.")
        if not 2 <= len(self.labels) <= MAX_LABELS or len(set(self.labels)) != len(self.labels):
            raise InvalidProblem(
                f"{len(self.labels)} labels came, {len(set(self.labels))} of them different; "
                f"expected 2 to {MAX_LABELS} different ones."
            )

    @property
    def n_features(self) -> int:
        return len(self.features)

    @property
    def n_labels(self) -> int:
        return len(self.labels)

    @property
    def has_currency(self) -> bool:
        """Whether the loss was given, in the currency of the prices."""
        return self.loss is not None

    @cached_property
    def losses(self) -> NDArray[np.float64]:
        """The loss as an array, shape `(n_labels, n_labels)`: as given, or 1 for every mistake."""
        return 1.0 - np.eye(self.n_labels) if self.loss is None else np.array(self.loss, dtype=np.float64)

    @cached_property
    def _feature_index(self) -> dict[str, int]:
        return {feature.name: i for i, feature in enumerate(self.features)}

    @cached_property
    def _label_index(self) -> dict[Hashable, int]:
        return {label: i for i, label in enumerate(self.labels)}

    def feature_index(self, name: str) -> int:
        """Return the index of a feature by name."""
        try:
            return self._feature_index[name]
        except (KeyError, TypeError):
            raise UnknownFeature(
                f"There is no feature {name!r}; the problem has {_some(self._feature_index)}."
            ) from None

    def label_index(self, label: Any) -> int:
        """Return the index of a label."""
        try:
            return self._label_index[label]
        except (KeyError, TypeError):
            raise UnknownLabel(f"There is no label {label!r}; the problem has {_some(self._label_index)}.") from None

    def outcomes(self, X: Any) -> Outcomes:
        """Return a table of raw values as outcomes, shape `(n_cases, n_features)`; -1 where missing.

        >>> Problem([Binary("a"), Categorical("b", ["x", "y"])], labels=[0, 1]).outcomes([[1, "y"], [None, "x"]])
        array([[ 1,  1],
               [-1,  0]], dtype=int16)
        """
        table = _as_table(X, self.n_features)
        if table.dtype.kind in "biuf" and all(isinstance(feature, Binary) for feature in self.features):
            return _binary_outcomes(table, self.features)
        encoded = np.empty(table.shape, dtype=np.int16)
        for j, feature in enumerate(self.features):
            encoded[:, j] = _column_outcomes(table[:, j], feature)
        return encoded

    def label_indices(self, y: Any, n_cases: int) -> LabelIndices:
        """Return labels as indices, shape `(n_cases,)`; -1 where the label is missing (NaN or None)."""
        given = np.asarray(y)
        if given.ndim != 1 or len(given) != n_cases:
            raise InvalidValue(
                f"Labels of shape {given.shape} came for {n_cases} cases; expected one label for each case."
            )
        if given.dtype.kind in "biu" and self.labels == tuple(range(self.n_labels)):
            if given.size and (given.min() < 0 or given.max() >= self.n_labels):
                self.label_index(int(given[(given < 0) | (given >= self.n_labels)][0]))
            return np.ascontiguousarray(given, dtype=np.int32)
        found = [-1 if _is_missing(label) else self.label_index(_plain(label)) for label in given.tolist()]
        return np.array(found, dtype=np.int32)


def _checked_loss(loss: Any, n_labels: int) -> tuple[tuple[float, ...], ...] | None:
    if loss is None:
        return None
    try:
        matrix = np.asarray(loss, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidProblem(f"The loss must be a square table of numbers; {loss!r} came.") from None
    if matrix.shape != (n_labels, n_labels):
        raise InvalidProblem(
            f"The loss has shape {matrix.shape}; expected {(n_labels, n_labels)}, loss[truth][answer]."
        )
    if not np.isfinite(matrix).all() or (matrix < 0).any():
        raise InvalidProblem("The loss must be finite and not negative; write costs as positive numbers.")
    if (matrix < np.diag(matrix)[:, None]).any():
        raise InvalidProblem("Somewhere a wrong answer loses less than the right one; check loss[truth][answer].")
    return tuple(tuple(row) for row in matrix.tolist())


def _check_price(feature: Feature) -> None:
    if not isinstance(feature.name, str) or not feature.name:
        raise InvalidProblem(f"A feature's name must be a string that is not empty; {feature.name!r} came.")
    for what, price in (("price", feature.price), ("later_price", feature.later_price)):
        if price is None and what == "later_price":
            continue
        number = isinstance(price, int | float | np.number) and not isinstance(price, bool)
        if not number or not 0 <= float(price) < math.inf:  # type: ignore[arg-type]
            raise InvalidProblem(f"{feature.name}: {what} {price!r} came; expected a finite number, zero or more.")
    if feature.later_price is not None and feature.group is None:
        raise InvalidProblem(f"{feature.name}: a later_price needs a group; name the group that shares it.")


def _index(feature: Feature, index: Mapping[Hashable, int], value: Any) -> int:
    try:
        return index[value]
    except (KeyError, TypeError):
        pass
    if isinstance(value, np.generic) and value.item() in index:
        return index[value.item()]
    hint = " If it could not be had, skip the feature." if _is_missing(value) else ""
    raise InvalidValue(f"{feature.name}: value {value!r} came; expected one of {_some(index)}.{hint}")


def _as_table(X: Any, n_features: int) -> NDArray[Any]:
    try:
        table = np.asarray(X)
    except ValueError:
        raise InvalidValue("The table has rows of different lengths; give one value for each feature.") from None
    if table.ndim != 2 or table.shape[1] != n_features:
        raise InvalidValue(
            f"A table of shape {table.shape} came; expected (n_cases, {n_features}), one column per feature."
        )
    if table.dtype.kind in "US" and not isinstance(X, np.ndarray):
        table = np.array([list(row) for row in X], dtype=object)  # numbers among strings stay numbers
    return table


def _binary_outcomes(table: NDArray[Any], features: Sequence[Feature]) -> Outcomes:
    one = table == 1
    known = one | (table == 0)
    outcomes: Outcomes = one.astype(np.int16)
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


def _column_outcomes(column: NDArray[Any], feature: Feature) -> list[int]:
    return [-1 if _is_missing(value) else feature.outcome(value) for value in column.tolist()]


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, float | np.floating) and math.isnan(value))


def _some(names: Mapping[Any, int]) -> str:
    listed = ", ".join(repr(name) for name in list(names)[:8])
    return listed if len(names) <= 8 else f"{listed}, … ({len(names)} in all)"
