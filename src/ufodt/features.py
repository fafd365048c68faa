"""The kinds of features: what each may say, and what it costs to ask.

A value is raw, as told; its *outcome* is its index among the values of the feature, 0..K-1. What a continuous
feature says becomes an outcome only under cut points, which the belief holds.
"""

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from decimal import Decimal
from typing import Any, TypeAlias

import numpy as np

from ufodt.amount import as_number, is_missing, number, plain
from ufodt.errors import InvalidProblem, InvalidValue

MAX_OUTCOMES = 1024

Value: TypeAlias = str | int | float | bool
Amount: TypeAlias = float | Mapping[str, float]  # a number, or amounts in several currencies


@dataclass(frozen=True, slots=True, kw_only=True)
class Priced:
    """What every feature has besides its name and values.

    Parameters
    ----------
    price
        What asking costs: a number, or amounts in several currencies that the problem gives weights to.
    group, later_price
        The price once another feature of the same group has been asked for in the case, never more than `price`; one
        that was computed counts, one that was known from the start does not.
    surcharge
        What single values add to the price when they come.
    mandatory
        Asked in every case, before the stop rule has its say, unless it does not fit the budget.
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

    def __post_init__(self) -> None:
        """Make everything plain and of one kind, so that features compare and can be written; the problem checks it."""
        for name in ("name", "price", "group", "later_price", "surcharge", "mandatory"):
            if hasattr(self, name):  # prices alone have no name
                object.__setattr__(self, name, _plain(getattr(self, name)))
        for name in ("needs", "computed_from"):
            others = getattr(self, name)
            if isinstance(others, Iterable) and not isinstance(others, str):
                object.__setattr__(self, name, tuple(plain(other) for other in others))


@dataclass(frozen=True, slots=True)
class Binary(Priced):
    """A feature that is 0 or 1 (False or True).

    What it costs and when it may be asked are given as in `ufodt.features.Priced`.

    >>> Binary("fever", price=1.0).outcome(True)
    1
    """

    name: str

    @property
    def values(self) -> tuple[Value, ...]:
        return (0, 1)

    def outcome(self, value: Any) -> int:
        """Return the outcome, the index of the value among `values`."""
        return _index(self, _BITS, value)


@dataclass(frozen=True, slots=True)
class Categorical(Priced):
    """A feature with two or more named values.

    What it costs and when it may be asked are given as in `ufodt.features.Priced`.

    >>> Categorical("rhythm", ["sinus", "flutter", "other"], price=15.5).outcome("flutter")
    1
    """

    name: str
    values: Sequence[Value]
    _index: dict[Hashable, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        Priced.__post_init__(self)
        if isinstance(self.values, str) or not isinstance(self.values, Iterable):
            raise InvalidProblem(f"{self.name}: {self.values!r} came for the values; give a list of them.")
        values = tuple(plain(v) for v in self.values)
        if any(is_missing(v) for v in values):
            raise InvalidProblem(f"{self.name}: NaN cannot be a value; leave it out, missing needs no value.")
        for value in values:
            if not is_name(value):
                raise InvalidProblem(f"{self.name}: {value!r} came as a value; expected a string or a finite number.")
        if not 2 <= len(values) <= MAX_OUTCOMES or len(set(values)) != len(values):
            raise InvalidProblem(
                f"{self.name}: came with values {some(values)}; expected 2 to {MAX_OUTCOMES} different ones."
            )
        object.__setattr__(self, "values", values)
        object.__setattr__(self, "_index", {v: k for k, v in enumerate(values)})

    def outcome(self, value: Any) -> int:
        """Return the outcome, the index of the value among `values`."""
        return _index(self, self._index, value)


@dataclass(frozen=True, slots=True)
class Continuous(Priced):
    """A feature that is a number; it needs no scaling.

    `cuts` fixes the cut points; without them they are found from the values paid for. What it costs and when it may be
    asked are given as in `ufodt.features.Priced`.

    >>> Continuous("glucose", price=17.61, group="blood", later_price=15.51).number(np.float32(99))
    99.0
    """

    name: str
    cuts: Sequence[float] = ()

    def __post_init__(self) -> None:
        Priced.__post_init__(self)
        if not isinstance(self.cuts, Iterable) or isinstance(self.cuts, str):
            raise InvalidProblem(
                f"{self.name}: cuts {self.cuts!r} came; expected a list of numbers. A price is given by name: price=..."
            )
        given = list(self.cuts)
        cuts = tuple(number(c) for c in given)
        rising = all(a < b for a, b in zip(cuts, cuts[1:], strict=False))
        if not all(map(math.isfinite, cuts)) or not rising or len(cuts) >= MAX_OUTCOMES:
            raise InvalidProblem(
                f"{self.name}: cuts {some(given)} came; expected less than {MAX_OUTCOMES} finite numbers that rise."
            )
        object.__setattr__(self, "cuts", cuts)
        if self.surcharge:
            raise InvalidProblem(f"{self.name}: a surcharge came for a continuous feature; it has no values to charge.")

    def number(self, value: Any) -> float:
        """Return the value as a finite number."""
        scalar = not isinstance(value, np.generic) or isinstance(value, np.integer | np.floating | np.bool_)
        try:  # float() would read a string too, and an array of one
            known = float(value) if scalar and not isinstance(value, str | bytes | np.ndarray) else math.nan
        except (TypeError, ValueError, OverflowError):
            known = math.nan
        if not math.isfinite(known):
            hint = _HINT if is_missing(value) else ""
            if isinstance(value, str) and math.isfinite(as_number(value)):
                hint = " It came as a text: make it a number (an array of which one cell is a text makes texts of all)."
            raise InvalidValue(f"{self.name}: value {plain(value)!r} came; expected a finite number.{hint}")
        return known


Feature: TypeAlias = Binary | Categorical | Continuous
_BITS: dict[Hashable, int] = {0: 0, 1: 1}
_HINT = " If it could not be had, skip the feature, or name it among the unavailable ones when the case is opened."
_STRANGE = " To go on without it, leave it missing (None) in a table, and skip the feature in a session."


def terms(feature: Priced) -> dict[str, Any]:
    """Return the terms of a feature (price, needs and so on) as arguments for another."""
    return {field.name: getattr(feature, field.name) for field in fields(Priced)}


def with_prices(features: Sequence[Feature], table: Mapping[str, Any]) -> list[Feature]:
    """Return the features with prices from a table such as one section of a price file.

    Each entry holds `price` and, where there is one, `group` and `later`; `others` prices every feature that has
    no entry, and keys that begin with an underscore are remarks.

    >>> [f.price for f in with_prices([Binary("a"), Binary("b")], {"a": {"price": 7.5}, "others": {"price": 2.0}})]
    [7.5, 2.0]
    """
    if not isinstance(table, Mapping):
        raise InvalidProblem(f"{table!r} came as a table of prices; expected one entry per feature.")
    names = {feature.name for feature in features}
    unknown = [key for key in table if key not in names and key != "others" and not str(key).startswith("_")]
    if unknown:
        raise InvalidProblem(f"Prices came for {unknown}, which are none of the features {sorted(names)[:8]}.")
    priced = []
    for feature in features:
        entry = table.get(feature.name, table.get("others"))
        if entry is None:
            raise InvalidProblem(f"{feature.name}: no price came; give one, or one for `others`.")
        if not isinstance(entry, Mapping) or "price" not in entry:
            raise InvalidProblem(
                f"{feature.name}: {entry!r} came; expected `price` and, if wanted, `group` and `later`."
            )
        strange = [
            key for key in entry if key not in ("price", "group", "later", "result") and not str(key).startswith("_")
        ]
        if strange:
            raise InvalidProblem(f"{feature.name}: {strange[0]!r} came beside its price; expected `group` or `later`.")
        priced.append(replace(feature, price=entry["price"], group=entry.get("group"), later_price=entry.get("later")))
    return priced


def is_name(value: Any) -> bool:
    """Whether something can stand for itself in a file: a string, a whole or finite number, true or false."""
    return isinstance(value, str | int) or (isinstance(value, float) and math.isfinite(value))


def some(names: Iterable[Any]) -> str:
    """Return a list of names for a message, not all of them if they are many."""
    listed = list(names)
    shown = ", ".join(repr(name) for name in listed[:8])
    return shown if len(listed) <= 8 else f"{shown}, … ({len(listed)} in all)"


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {plain(key): _plain(amount) for key, amount in value.items()}
    return plain(value)


def _index(feature: Binary | Categorical, index: Mapping[Hashable, int], value: Any) -> int:
    try:
        return index[value]
    except (KeyError, TypeError):
        pass
    if isinstance(value, np.generic | Decimal) and plain(value) in index:
        return index[plain(value)]
    hint = _HINT if is_missing(value) else _STRANGE
    raise InvalidValue(f"{feature.name}: value {value!r} came; expected one of {some(index)}.{hint}")
