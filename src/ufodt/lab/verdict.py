"""A measured figure beside the bar it should reach, and the mean of repeated runs with its standard error.

>>> spread([0.25, 0.5, 0.75])
Spread(mean=0.5, error=0.144...)
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from math import sqrt
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np


@dataclass(frozen=True, slots=True)
class Result:
    """One figure against its bar.

    `bar` is None for a figure that only stands beside others; `measured` is None where it could not be had, and
    `note` says why. `error` is the standard error of `measured`, where it is a mean.
    """

    name: str
    claim: str
    unit: str
    sense: Literal["at least", "at most"]
    bar: float | None
    measured: float | None
    note: str
    detail: dict[str, Any] = field(default_factory=dict)
    error: float | None = None

    @property
    def holds(self) -> bool:
        """Whether the figure was measured and reaches the bar, if there is one."""
        return self.measured is not None and self._lead >= -1e-12  # rounding alone is no miss

    @property
    def is_within_error(self) -> bool:
        """Whether the figure misses its bar by no more than its standard error: chance may have it so.

        >>> [at_least(name="", claim="", bar=bar, measured=Spread(0.5, 0.1)).is_within_error for bar in (0.5, 0.6, 0.7)]
        [False, True, False]
        """
        return self.measured is not None and not self.holds and self._lead >= -(self.error or 0.0) - 1e-12

    @property
    def _lead(self) -> float:
        """By how much the figure is on the right side of its bar; none has nothing to miss."""
        if self.measured is None or self.bar is None:
            return 0.0
        return self.measured - self.bar if self.sense == "at least" else self.bar - self.measured

    def to_dict(self) -> dict[str, Any]:
        """Return the result for JSON."""
        names = ("name", "claim", "unit", "sense", "bar", "measured", "error", "holds", "is_within_error")
        return {name: getattr(self, name) for name in (*names, "note", "detail")}


Measurement: TypeAlias = tuple[str, Callable[[], list[Result]]]
"""What is measured, for a progress bar, and the call that does it."""
Measurements: TypeAlias = Iterator[Measurement]


class Spread(NamedTuple):
    """Mean over runs and its standard error."""

    mean: float
    error: float

    def __str__(self) -> str:
        return f"{self.mean:.3f}±{self.error:.3f}"


def spread(values: Iterable[float]) -> Spread:
    """Return the mean of the runs and its standard error, 0 for a single run."""
    runs = np.array(list(values), dtype=np.float64)
    error = float(runs.std(ddof=1)) / sqrt(len(runs)) if len(runs) > 1 else 0.0
    return Spread(float(runs.mean()), error)


def _result(
    sense: Literal["at least", "at most"],
    /,
    *,
    name: str,
    claim: str,
    bar: float | None,
    measured: Spread | float | None,
    unit: str = "",
    note: str = "",
    detail: dict[str, Any] | None = None,
) -> Result:
    """Return a figure against its bar; a spread brings its standard error.

    >>> at_least(name="half", claim="half of it", bar=0.5, measured=spread([0.25, 0.5, 0.75])).holds
    True
    """
    mean, error = measured if isinstance(measured, Spread) else (measured, None)
    return Result(name, claim, unit, sense, bar, mean, note, detail or {}, error)


at_least = partial(_result, "at least")
at_most = partial(_result, "at most")
