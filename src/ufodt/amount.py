"""Numbers as callers give them: plain, of numpy, or none at all."""

import math
from typing import Any

import numpy as np


def number(value: Any) -> float:
    """Return a number as a plain float, and NaN, which no range holds, for whatever is no number.

    >>> number(np.float32(0.5)), number("0.5"), number(True)
    (0.5, nan, nan)
    """
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | float | np.integer | np.floating):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.inf


def plain(value: Any) -> Any:
    """Return a scalar of numpy as the plain value that it holds, anything else as it is."""
    return value.item() if isinstance(value, np.generic) else value


def is_missing(value: Any) -> bool:
    """Whether a cell says that its value could not be had."""
    return value is None or (isinstance(value, float | np.floating) and math.isnan(value))
