"""Numbers as callers give them, plain, of numpy, or none at all; and as people write and read them."""

import math
from decimal import Decimal
from typing import Any

import numpy as np

MOST = 1e100  # that an amount may be, so that sums and products of them are finite


def number(value: Any) -> float:
    """Return a number as a plain float, and NaN, which no range holds, for whatever is no number.

    >>> number(np.float32(0.5)), number(Decimal("0.5")), number("0.5"), number(True)
    (0.5, 0.5, nan, nan)
    """
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | float | np.integer | np.floating | Decimal):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.inf
    except ValueError:  # a NaN that signals
        return math.nan


def as_number(text: str) -> float:
    """Return the number that was written; NaN, which is like nothing else, where it is none.

    >>> as_number("1e3"), as_number("1_0")
    (1000.0, nan)
    """
    try:
        return math.nan if "_" in text else float(text)
    except ValueError:
        return math.nan


def whole(value: Any, least: float, most: float = math.inf) -> int | None:
    """Return a whole number within a range as a plain one, and None for anything else.

    >>> whole(np.int32(3), 1), whole(True, 0), whole(2.0, 0), whole(9, 1, 8)
    (3, None, None, None)
    """
    given = plain(value)
    return given if isinstance(given, int) and not isinstance(given, bool) and least <= given <= most else None


def plain(value: Any) -> Any:
    """Return a scalar of numpy, or a text or number of a class of its own, as the plain value; the rest as it is.

    >>> plain(np.float32(0.5)), plain(np.str_("a")), plain(Decimal("0.5"))
    (0.5, 'a', 0.5)
    """
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int) and type(value) is not bool:
        return int(value)
    if isinstance(value, Decimal):
        return number(value)
    return float(value) if isinstance(value, float) else value


def is_missing(value: Any) -> bool:
    """Whether a cell says that its value could not be had."""
    if isinstance(value, float | np.floating):
        return math.isnan(value)
    if isinstance(value, Decimal):
        return value.is_nan()
    return value is None or type(value).__name__ in ("NAType", "NaTType")  # those of pandas, which need not be there


def amount(value: float) -> str:
    """Return a price for people: two decimals at most, unless it is very small.

    >>> amount(102.9), amount(1.0), amount(1234.5), amount(0.0025)
    ('102.9', '1', '1,234.5', '0.0025')
    """
    if value and abs(value) < 0.01:
        return f"{value:.2g}"
    text = f"{value:,.2f}"
    return text.rstrip("0").rstrip(".")


def share(value: float) -> str:
    """Return a part of one in percent, without rounding anything to none or all.

    >>> share(0.5), share(0.0004), share(0.9999), share(1.0)
    ('50%', '<1%', '>99%', '100%')
    """
    if 0 < value < 0.005:
        return "<1%"
    return ">99%" if 0.995 < value < 1 - 1e-12 else f"{value:.0%}"
