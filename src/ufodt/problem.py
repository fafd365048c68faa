"""What may be asked, what it costs, and what a mistake costs.

Names and raw values live here and above; below, a feature is an index and a value is its *outcome*, an index
0..K-1. Missing cells of a table (NaN or None) become outcome -1: could not be had.
"""

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ufodt import encode
from ufodt.amount import MOST, number, plain
from ufodt.encode import LabelIndices, Outcomes, Values
from ufodt.errors import InvalidProblem, InvalidValue, UnknownFeature, UnknownLabel
from ufodt.features import Binary, Categorical, Continuous, Feature, is_name, some

MAX_LABELS = 256

Label: TypeAlias = str | int | float | bool


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
        object.__setattr__(self, "features", _checked_features(self.features))
        object.__setattr__(self, "labels", _checked_labels(self.labels))
        object.__setattr__(self, "loss", _checked_loss(self.loss, len(self.labels)))
        object.__setattr__(self, "currencies", _checked_currencies(self.currencies))
        for feature in self.features:
            self._check_prices(feature)
            self._check_order(feature)
        for feature in self.features:
            if feature.name in self.needed(feature.name):
                raise InvalidProblem(f"{feature.name}: needs itself in turn, so it could never be asked.")

    def _check_prices(self, feature: Feature) -> None:
        name = feature.name
        self.amount(feature.price, name)
        if feature.group is not None and not isinstance(feature.group, str):
            raise InvalidProblem(f"{name}: group {feature.group!r} came; expected the name of a group, a string.")
        if feature.later_price is not None:
            self.amount(feature.later_price, name, "later_price")
            if feature.group is None:
                raise InvalidProblem(f"{name}: a later_price needs a group; name the group that shares it.")
        if not isinstance(feature.surcharge, Mapping | None):
            raise InvalidProblem(f"{name}: surcharge {feature.surcharge!r} came; expected an amount for each value.")
        for value, amount in (feature.surcharge or {}).items():
            if isinstance(feature, Continuous) or value not in feature.values:
                raise InvalidProblem(f"{name}: a surcharge came for {value!r}, which is none of its values.")
            self.amount(amount, name, f"surcharge of {value!r}")

    def _check_order(self, feature: Feature) -> None:
        name = feature.name
        if not isinstance(feature.mandatory, bool):
            raise InvalidProblem(f"{name}: mandatory={feature.mandatory!r} came; expected True or False.")
        for what, others in (("needs", feature.needs), ("computed_from", feature.computed_from)):
            if isinstance(others, str) or not isinstance(others, Iterable):
                raise InvalidProblem(f"{name}: {what} came as {others!r}; give a list of names.")
            for other in others:
                if not isinstance(other, str) or other == name or other not in self._feature_index:
                    raise InvalidProblem(f"{name}: {what} names {other!r}, which is no other feature.")

    def needed(self, *names: str) -> set[str]:
        """Return all features that must be known before any of these can be asked."""
        todo, found = list(names), set[str]()
        while todo:
            new = set(self.features[self._feature_index[todo.pop()]].needs) - found
            found |= new
            todo += new
        return found

    def amount(self, given: Any, feature: str, what: str = "price") -> float:
        """Return a price as one number: as given, or the weighted sum over its currencies."""
        if isinstance(given, Mapping):
            weights = self.currencies or {}
            unknown = [name for name in given if name not in weights]
            if unknown:
                raise InvalidProblem(
                    f"{feature}: {what} in {unknown} came; give each currency a weight in Problem(currencies=...)."
                )
            total = sum(weights[name] * number(amount) for name, amount in given.items())
            fine = bool(given) and all(number(amount) >= 0 for amount in given.values())
        else:
            total = number(given)
            fine = True
        if not fine or not 0 <= total <= MOST:
            raise InvalidProblem(f"{feature}: {what} {given!r} came; expected a finite number from 0 to {MOST:g}.")
        return total

    @cached_property
    def prices(self) -> NDArray[np.float64]:
        """The first price of every feature as one number each."""
        return np.array([self.amount(feature.price, feature.name) for feature in self.features])

    def prices_with(self, given: Mapping[str, Any]) -> list[float]:
        """Return the price of every feature, for some of them as given by name."""
        if not isinstance(given, Mapping):
            raise InvalidValue(f"{given!r} came for the prices of a case; expected a price for each feature's name.")
        prices = self.prices.copy()
        for name, price in given.items():
            index = self.feature_index(name)
            try:
                prices[index] = self.amount(price, name)
            except InvalidProblem as error:
                raise InvalidValue(str(error)) from None
        return [float(price) for price in prices]

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
                f"There is no feature {name!r}; the problem has {some(self._feature_index)}."
            ) from None

    def label_index(self, label: Any) -> int:
        """Return the index of a label."""
        try:
            return self._label_index[label]
        except (KeyError, TypeError):
            raise UnknownLabel(f"There is no label {label!r}; the problem has {some(self._label_index)}.") from None

    def outcomes(self, X: Any) -> tuple[Outcomes, Values]:
        """Return a table of raw values as outcomes, and the values of continuous features.

        Outcomes have shape `(n_cases, n_features)`, with -1 where a cell is missing and 0 for any value of a
        continuous feature; values have one column per continuous feature.

        >>> problem = Problem([Categorical("a", ["x", "y"]), Continuous("b")], labels=[0, 1])
        >>> outcomes, values = problem.outcomes([["y", 0.5], [None, 2]])
        >>> outcomes.tolist(), values.tolist()
        ([[1, 0], [-1, 0]], [[0.5], [2.0]])
        """
        return encode.outcomes(X, self.features)

    def label_indices(self, y: Any, n_cases: int) -> LabelIndices:
        """Return labels as indices, shape `(n_cases,)`; -1 where the label is missing (NaN or None)."""
        return encode.label_indices(y, n_cases, labels=self.labels, index=self.label_index)

    def labels_at(self, indices: LabelIndices) -> NDArray[Any]:
        """Return labels by their indices; an array of objects where labels are of several kinds."""
        found: NDArray[Any] = self._labels[indices]
        return found

    @cached_property
    def _labels(self) -> NDArray[Any]:
        """All labels as they are: as objects where an array of another kind would change one."""
        labels, as_they_are = np.array(self.labels), np.array(self.labels, dtype=object)
        kept = [(type(label), label) for label in labels.tolist()] == [(type(label), label) for label in self.labels]
        return labels if kept else as_they_are


def _checked_features(given: Any) -> tuple[Feature, ...]:
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise InvalidProblem(f"{given!r} came for the features; give a list of them.")
    features = tuple(given)
    if not features:
        raise InvalidProblem("A problem needs at least one feature; none came.")
    for feature in features:
        if not isinstance(feature, Binary | Categorical | Continuous):
            raise InvalidProblem(f"Features must be Binary, Categorical or Continuous; {feature!r} came.")
        if not isinstance(feature.name, str) or not feature.name:
            raise InvalidProblem(f"A feature's name must be a string that is not empty; {feature.name!r} came.")
    names = [feature.name for feature in features]
    if len(set(names)) != len(names):
        twice = sorted({name for name in names if names.count(name) > 1})
        raise InvalidProblem(f"Feature names must differ; {twice} came more than once.")
    return features


def _checked_labels(given: Any) -> tuple[Label, ...]:
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise InvalidProblem(f"{given!r} came for the labels; give a list of them.")
    labels = tuple(plain(label) for label in given)
    for label in labels:
        if not is_name(label):
            raise InvalidProblem(f"{label!r} came as a label; expected a string, a finite number, True or False.")
    if not 2 <= len(labels) <= MAX_LABELS or len(set(labels)) != len(labels):
        raise InvalidProblem(
            f"{len(labels)} labels came, {len(set(labels))} of them different; "
            f"expected 2 to {MAX_LABELS} different ones."
        )
    return labels


def _checked_currencies(given: Any) -> dict[str, float] | None:
    if given is None:
        return None
    if not isinstance(given, Mapping) or not all(isinstance(name, str) for name in given):
        raise InvalidProblem(f"{given!r} came for the currencies; expected a weight for each name.")
    weights = {name: number(weight) for name, weight in given.items()}
    for name, weight in weights.items():
        if not 0 <= weight < math.inf:
            raise InvalidProblem(f"{name}: weight {given[name]!r} came; expected a finite number, zero or more.")
    return weights


def _checked_loss(loss: Any, n_labels: int) -> tuple[tuple[float, ...], ...] | None:
    if loss is None:
        return None
    try:
        matrix = np.asarray(loss, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InvalidProblem(f"The loss must be a square table of numbers; {loss!r} came.") from None
    if matrix.shape != (n_labels, n_labels):
        raise InvalidProblem(
            f"The loss has shape {matrix.shape}; expected {(n_labels, n_labels)}, loss[truth][answer]."
        )
    if not ((matrix >= 0) & (matrix <= MOST)).all():
        raise InvalidProblem(
            f"The loss must be finite and not negative, at most {MOST:g}; write costs as positive numbers."
        )
    if (matrix < np.diag(matrix)[:, None]).any():
        raise InvalidProblem("Somewhere a wrong answer loses less than the right one; check loss[truth][answer].")
    return tuple(tuple(row) for row in matrix.tolist())
