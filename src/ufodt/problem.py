"""What may be asked, what it costs, and what a mistake costs.

Names and raw values live here and above; below, a feature is an index and a value is its *outcome*, an index
0..K-1. Missing cells of a table (NaN or None) become outcome -1: could not be had.
"""

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
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
Values: TypeAlias = NDArray[np.float64]
LabelIndices: TypeAlias = NDArray[np.int32]


Amount: TypeAlias = float | Mapping[str, float]  # a number, or amounts in several currencies


@dataclass(frozen=True, slots=True, kw_only=True)
class Priced:
    """What every feature has besides its name and values.

    Parameters
    ----------
    price
        What asking costs: a number, or amounts in several currencies that the problem gives weights to.
    group, later_price
        The price once another feature of the same group has been paid for in the case.
    surcharge
        What single values add to the price when they come.
    mandatory
        Asked in every case, before the stop rule has its say.
    needs
        Features that must be known before this one can be asked.
    computed_from
        Features that this one is computed from: it is free once all of them are known.
    """

    price: Amount = 1.0
    group: str | None = None
    later_price: Amount | None = None
    surcharge: Mapping[Value, Amount] | None = None
    mandatory: bool = False
    needs: Sequence[str] = ()
    computed_from: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Binary(Priced):
    """A feature that is 0 or 1 (False or True).

    >>> Binary("fever", price=1.0).outcome(True)
    1
    """

    name: str

    @property
    def values(self) -> tuple[Value, ...]:
        return (0, 1)

    def outcome(self, value: Any) -> int:
        """Return the outcome, the index of the value among `values`."""
        return _index(self, {0: 0, 1: 1}, value)


@dataclass(frozen=True, slots=True)
class Categorical(Priced):
    """A feature with two or more named values.

    >>> Categorical("rhythm", ["sinus", "flutter", "other"], price=15.5).outcome("flutter")
    1
    """

    name: str
    values: Sequence[Value]
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


@dataclass(frozen=True, slots=True)
class Continuous(Priced):
    """A feature that is a number; it needs no scaling.

    `cuts` fixes the cut points; without them they are found from the values paid for.

    >>> Continuous("glucose", price=17.61, group="blood", later_price=15.51).number(np.float32(99))
    99.0
    """

    name: str
    cuts: Sequence[float] = ()

    def __post_init__(self) -> None:
        cuts = tuple(float(c) for c in self.cuts)
        object.__setattr__(self, "cuts", cuts)
        if not all(math.isfinite(c) for c in cuts) or any(b <= a for a, b in zip(cuts, cuts[1:], strict=False)):
            raise InvalidProblem(f"{self.name}: cuts {list(cuts)} came; expected finite numbers that rise.")
        if self.surcharge:
            raise InvalidProblem(f"{self.name}: a surcharge came for a continuous feature; it has no values to charge.")

    def number(self, value: Any) -> float:
        """Return the value as a finite number."""
        try:
            number = float(value)
        except (TypeError, ValueError):
            number = math.nan
        if isinstance(value, str) or not math.isfinite(number):
            hint = " If it could not be had, skip the feature." if _is_missing(value) else ""
            raise InvalidValue(f"{self.name}: value {value!r} came; expected a finite number.{hint}")
        return number


Feature: TypeAlias = Binary | Categorical | Continuous


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
    currencies
        What one unit of each currency is worth, where prices are given in several; the loss is in that unit too.

    Examples
    --------
    >>> problem = Problem([Binary("fever"), Binary("cough", price=2.0)], labels=["healthy", "ill"])
    >>> problem.n_features, problem.n_labels
    (2, 2)
    """

    features: Sequence[Feature]
    labels: Sequence[Label]
    loss: Any = None
    currencies: Mapping[str, float] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "features", tuple(self.features))
        object.__setattr__(self, "labels", tuple(_plain(label) for label in self.labels))
        object.__setattr__(self, "loss", _checked_loss(self.loss, len(self.labels)))
        if not self.features:
            raise InvalidProblem("A problem needs at least one feature; none came.")
        for feature in self.features:
            if not isinstance(feature, Binary | Categorical | Continuous):
                raise InvalidProblem(f"Features must be Binary, Categorical or Continuous; {feature!r} came.")
            if not isinstance(feature.name, str) or not feature.name:
                raise InvalidProblem(f"A feature's name must be a string that is not empty; {feature.name!r} came.")
        names = [feature.name for feature in self.features]
        if len(set(names)) != len(names):
            twice = sorted({name for name in names if names.count(name) > 1})
            raise InvalidProblem(f"Feature names must differ; {twice} came more than once.")
        for feature in self.features:
            self._check_terms(feature)
        if not 2 <= len(self.labels) <= MAX_LABELS or len(set(self.labels)) != len(self.labels):
            raise InvalidProblem(
                f"{len(self.labels)} labels came, {len(set(self.labels))} of them different; "
                f"expected 2 to {MAX_LABELS} different ones."
            )

    def _check_terms(self, feature: Feature) -> None:
        self.amount(feature.price, feature.name)
        if feature.later_price is not None:
            self.amount(feature.later_price, f"{feature.name}, later_price")
            if feature.group is None:
                raise InvalidProblem(f"{feature.name}: a later_price needs a group; name the group that shares it.")
        for value, amount in (feature.surcharge or {}).items():
            if isinstance(feature, Continuous) or value not in feature.values:
                raise InvalidProblem(f"{feature.name}: a surcharge came for {value!r}, which is none of its values.")
            self.amount(amount, f"{feature.name}, surcharge of {value!r}")
        for what, others in (("needs", feature.needs), ("computed_from", feature.computed_from)):
            if isinstance(others, str):
                raise InvalidProblem(f"{feature.name}: {what} came as one string {others!r}; give a list.")
            for other in others:
                if other == feature.name or other not in self._feature_index:
                    raise InvalidProblem(f"{feature.name}: {what} names {other!r}, which is no other feature.")
        if feature.needs and self._needs_itself(feature.name):
            raise InvalidProblem(f"{feature.name}: needs itself in the end, so it could never be asked.")

    def _needs_itself(self, name: str) -> bool:
        todo, seen = list(self.features[self._feature_index[name]].needs), set[str]()
        while todo:
            other = todo.pop()
            if other == name:
                return True
            if other in self._feature_index and other not in seen:
                seen.add(other)
                todo += self.features[self._feature_index[other]].needs
        return False

    def amount(self, price: Any, what: str) -> float:
        """Return a price as one number: as given, or the weighted sum over its currencies."""
        if isinstance(price, Mapping):
            unknown = [name for name in price if name not in (self.currencies or {})]
            if unknown:
                raise InvalidProblem(
                    f"{what}: a price in {unknown} came; give each currency a weight in Problem(currencies=...)."
                )
            weights = self.currencies or {}
            return sum(self.amount(weights[name], name) * self.amount(x, what) for name, x in price.items())
        number = isinstance(price, int | float | np.number) and not isinstance(price, bool)
        if not number or not 0 <= float(price) < math.inf:
            raise InvalidProblem(f"{what}: price {price!r} came; expected a finite number, zero or more.")
        return float(price)

    @cached_property
    def prices(self) -> NDArray[np.float64]:
        """The first price of every feature as one number each."""
        return np.array([self.amount(feature.price, feature.name) for feature in self.features])

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

    def outcomes(self, X: Any) -> tuple[Outcomes, Values]:
        """Return a table of raw values as outcomes, and the values of continuous features.

        Outcomes have shape `(n_cases, n_features)`, with -1 where a cell is missing and 0 for any value of a
        continuous feature; values have one column per continuous feature.

        >>> problem = Problem([Categorical("a", ["x", "y"]), Continuous("b")], labels=[0, 1])
        >>> outcomes, values = problem.outcomes([["y", 0.5], [None, 2]])
        >>> outcomes.tolist(), values.tolist()
        ([[1, 0], [-1, 0]], [[0.5], [2.0]])
        """
        table = _as_table(X, self.n_features)
        numeric = table.dtype.kind in "biuf"
        if numeric and all(isinstance(feature, Binary) for feature in self.features):
            return _binary_outcomes(table, self.features), np.empty((len(table), 0))
        encoded = np.zeros(table.shape, dtype=np.int16)
        values = []
        for j, feature in enumerate(self.features):
            column = table[:, j]
            if isinstance(feature, Continuous):
                numbers = column.astype(np.float64) if numeric else _column_numbers(column, feature)
                if np.isinf(numbers).any():
                    feature.number(numbers[np.isinf(numbers)][0])
                encoded[np.isnan(numbers), j] = -1
                values.append(np.nan_to_num(numbers))
            elif isinstance(feature, Binary) and numeric:
                encoded[:, j] = _binary_outcomes(column[:, None], [feature])[:, 0]
            else:
                encoded[:, j] = _column_outcomes(column, feature)
        return encoded, np.ascontiguousarray(np.array(values).T) if values else np.empty((len(table), 0))

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


def _index(feature: Binary | Categorical, index: Mapping[Hashable, int], value: Any) -> int:
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


def _column_numbers(column: NDArray[Any], feature: Continuous) -> NDArray[np.float64]:
    return np.array([math.nan if _is_missing(value) else feature.number(value) for value in column.tolist()])


def _column_outcomes(column: NDArray[Any], feature: Binary | Categorical) -> list[int]:
    return [-1 if _is_missing(value) else feature.outcome(value) for value in column.tolist()]


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, float | np.floating) and math.isnan(value))


def _some(names: Mapping[Any, int]) -> str:
    listed = ", ".join(repr(name) for name in list(names)[:8])
    return listed if len(names) <= 8 else f"{listed}, … ({len(names)} in all)"


def with_prices(features: Sequence[Feature], table: Mapping[str, Any]) -> list[Feature]:
    """Return the features with prices from a table such as one section of a price file.

    Each entry holds `price` and, where there is one, `group` and `later`; `others` prices every feature that has
    no entry, and keys that begin with an underscore are remarks.

    >>> [f.price for f in with_prices([Binary("a"), Binary("b")], {"a": {"price": 7.5}, "others": {"price": 2.0}})]
    [7.5, 2.0]
    """
    names = {feature.name for feature in features}
    unknown = [key for key in table if key not in names and key != "others" and not key.startswith("_")]
    if unknown:
        raise InvalidProblem(f"Prices came for {unknown}, which are none of the features {sorted(names)[:8]}.")
    priced = []
    for feature in features:
        entry = table.get(feature.name, table.get("others"))
        if entry is None:
            raise InvalidProblem(f"{feature.name}: no price came; give one, or one for `others`.")
        priced.append(replace(feature, price=entry["price"], group=entry.get("group"), later_price=entry.get("later")))
    return priced
