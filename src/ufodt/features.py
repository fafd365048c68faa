"""The kinds of features: what each may say, and what it costs to ask.

A value is raw, as told; its *outcome* is its index among the values of the feature, 0..K-1. What a continuous
feature says becomes an outcome only under cut points, which the belief holds.
"""

import math
import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, TypeAlias

import numpy as np

from ufodt.amount import is_missing, number, plain
from ufodt.errors import InvalidProblem, InvalidValue

MAX_OUTCOMES = 1024
TRUTH_VALUES = (("0", "1"), ("false", "true"), ("no", "yes"), ("n", "y"), ("f", "t"))  # as people write them
TRUTH = {word: outcome for pair in TRUTH_VALUES for outcome, word in enumerate(pair)}

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
DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+(?:e[+-]?\d+)?", re.IGNORECASE)
THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}")  # or a decimal comma, which one such number does not tell


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


def from_text(feature: Feature, text: str, *, decimal_comma: bool = False) -> Value:
    """Return the value that somebody wrote: a number, a name in any case, 0 and 1 in any of the usual words.

    With `decimal_comma` a number may be written so too; `1,234`, which may be a thousand and more, may not.

    >>> from_text(Binary("fever"), "yes"), from_text(Categorical("rhythm", ["sinus", "flutter"]), " Flutter ")
    (1, 'flutter')
    >>> from_text(Continuous("glucose"), "high")
    Traceback (most recent call last):
    ...
    ufodt.errors.InvalidValue: glucose: 'high' came; expected a number.
    """
    written = text.strip()
    if isinstance(feature, Continuous):
        written = with_point(written) if decimal_comma else written
        if not math.isfinite(as_number(written)):
            raise InvalidValue(f"{feature.name}: {written!r} came; expected a number.")
        return as_number(written)
    plain_text = written.lower()
    if isinstance(feature, Binary):
        if plain_text.removesuffix(".0") not in TRUTH:
            raise InvalidValue(f"{feature.name}: {written!r} came; expected 0 or 1, no or yes.")
        return TRUTH[plain_text.removesuffix(".0")]
    same = meant(feature.values, written)
    if len(same) != 1:
        raise InvalidValue(f"{feature.name}: {written!r} came; expected one of {some(feature.values)}.")
    return same[0]


def have_commas(texts: Iterable[str]) -> bool:
    """Return whether commas in a column of numbers are decimal points: a table writes all its numbers alike.

    >>> have_commas(["1,5", "3", "<2"]), have_commas(["1,5", "2.5"])
    (True, False)
    """
    return not any("." in text and not math.isnan(as_number(text)) for text in texts)


def with_point(text: str) -> str:
    """Return a number with a decimal comma as one with a point; any other text as it is.

    >>> with_point("1,5"), with_point("1,234"), with_point("a,b")
    ('1.5', '1,234', 'a,b')
    """
    is_one = DECIMAL_COMMA.fullmatch(text) and not THOUSANDS.fullmatch(text)
    return text.replace(",", ".") if is_one else text


def meant(names: Iterable[Value], text: str) -> list[Value]:
    """Return those that a text may stand for: written just so, else in another case, else as the same number.

    >>> meant(["Low", "High"], "high"), meant([1, 2.5], "1.0"), meant(["10", "20"], "10.0"), meant(["a", "A"], "a")
    (['High'], [1], ['10'], ['a'])
    """
    known = list(names)
    same = [name for name in known if str(name) == text]
    same = same or [name for name in known if str(name).lower() == text.lower()]
    return same or [name for name in known if as_number(text) == as_number(str(name))]


def in_words(feature: Feature, value: Value) -> str:
    """Return a value as people read it: of a binary feature, no and yes; a blank text in quotes.

    >>> in_words(Binary("fever"), 1), in_words(Categorical("legs", [0, 2, 4]), 0)
    ('yes', '0')
    >>> in_words(Categorical("ward", ["", "west"]), "")
    "''"
    """
    if isinstance(feature, Binary):
        return ("no", "yes")[feature.outcome(value)]
    return str(value) if str(value).strip() else repr(value)


def as_number(text: str) -> float:
    """Return the number that was written; NaN, which is like nothing else, where it is none.

    >>> as_number("1e3"), as_number("1_0")
    (1000.0, nan)
    """
    try:
        return math.nan if "_" in text else float(text)
    except ValueError:
        return math.nan


def is_name(value: Any) -> bool:
    """Whether something can stand for itself in a file: a string, a whole or finite number, true or false."""
    return isinstance(value, str | int) or (isinstance(value, float) and math.isfinite(value))


def some(names: Iterable[Any]) -> str:
    """Return a list of names for a message, not all of them if they are many."""
    listed = list(names)
    shown = ", ".join(repr(name) for name in listed[:8])
    return shown if len(listed) <= 8 else f"{shown}, … ({len(listed)} in all)"


def interval(above: float | None, upto: float | None) -> str:
    """Return how a range of numbers is written, its upper end included; None: without end.

    >>> interval(None, 37.5), interval(37.5, 38.25), interval(38.25, None), interval(20230115.5, 20230125.5)
    ('≤ 37.5', '37.5 to 38.25', '> 38.25', '20230115.5 to 20230125.5')
    >>> interval(0.12345671, 0.12345672)
    '0.12345671 to 0.12345672'
    """
    ends = [end for end in (above, upto) if end is not None]
    for n_digits in range(6, 18):
        texts = [_rounded(end, n_digits) for end in ends]
        if len(set(texts)) == len(ends):
            break
    if len(texts) == 2:
        return " to ".join(texts)
    return f"{'≤' if above is None else '>'} {texts[0]}"


def _rounded(number: float, n_digits: int) -> str:
    """A number with some digits; of a large one, such as a date, at least those before the point."""
    return f"{number:.{n_digits if abs(number) < 1e6 else max(n_digits, 10)}g}"


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {plain(key): _plain(amount) for key, amount in value.items()}
    return plain(value)


def _index(feature: Binary | Categorical, index: Mapping[Hashable, int], value: Any) -> int:
    try:
        return index[value]
    except (KeyError, TypeError):
        pass
    if isinstance(value, np.generic) and value.item() in index:
        return index[value.item()]
    hint = _HINT if is_missing(value) else _STRANGE
    raise InvalidValue(f"{feature.name}: value {value!r} came; expected one of {some(index)}.{hint}")
