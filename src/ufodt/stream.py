"""Whole tables of cases: checked on their way in, gone through in pieces, summed up as records and reports."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ufodt import frames
from ufodt.amount import MOST, number, plain
from ufodt.encode import LabelIndices, Outcomes, Values
from ufodt.errors import InvalidValue
from ufodt.problem import Problem

Progress = Callable[[int, int], None]
# The fields of a record, in order.
Arrays = tuple[NDArray[np.int32], NDArray[np.float64], NDArray[np.float64], NDArray[np.int32], NDArray[np.int32]]
_MOST_CASES = 1e12  # that a table may count as
# Cases in the first piece of a table, cases in any, and seconds: after each, progress is told and Ctrl-C heard.
_AT_FIRST, _MOST_AT_ONCE, _AT_ONCE = 8, 1000, 0.1


@dataclass(frozen=True, slots=True)
class Record:
    """What happened in each case of a stream: one entry per case, in order.

    `asked` lists the questions of all cases one after the other, as feature indices; case i owns
    `asked[ends[i] - n_asked[i] : ends[i]]` with `ends = n_asked.cumsum()`.
    """

    predicted: NDArray[Any]
    probability: NDArray[np.float64]  # that the belief gave to the predicted label
    cost: NDArray[np.float64]
    n_asked: NDArray[np.int32]
    asked: NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Report:
    """A hold-out answered from paid features only."""

    record: Record
    accuracy: float  # over the cases whose label is known
    loss: float  # mean loss of the answers
    cost: float  # mean price paid
    n_asked: float  # mean number of questions
    calibration: float = math.nan  # expected calibration error of the answers: 0 where as many are right as it is sure


def cases(problem: Problem, X: Any, y: Any, *, held_out: bool = False) -> tuple[Outcomes, Values, LabelIndices]:
    """Return a table as outcomes, values and label indices; a hold-out may come without labels."""
    if frames.is_frame(X) and y is not None:
        y = frames.labels(X, y)
    outcomes, values = problem.outcomes(frames.by_name(X, problem.features))
    if y is None and held_out:
        return outcomes, values, np.full(len(outcomes), -1, dtype=np.int32)
    return outcomes, values, problem.label_indices(y, len(outcomes))


@dataclass(frozen=True, slots=True)
class Terms:
    """What is special about the cases of a table, as far as anything is."""

    prices: NDArray[np.float64] | None
    budgets: NDArray[np.float64] | None
    marks: NDArray[np.uint8] | None  # as `core/stream.hpp` numbers them

    @property
    def are_usual(self) -> bool:
        """Whether nothing is special."""
        return self.prices is None and self.budgets is None and self.marks is None

    def of(self, rows: slice) -> dict[str, Any]:
        """Return those of some rows, as `core.run` takes them."""
        all_ = {"prices": self.prices, "budgets": self.budgets, "marks": self.marks}
        return {name: None if array is None else array[rows] for name, array in all_.items()}


def terms(
    problem: Problem, outcomes: Outcomes, *, prices: Any, known: Any, unavailable: Any, charged: Any, budget: Any
) -> Terms:
    """Return what is special about the cases of a table, checked."""
    n_cases = len(outcomes)
    marks = None
    if not (known is None and unavailable is None and charged is None):
        is_known, is_gone, is_charged = (
            _cells(given, name, problem, n_cases)
            for given, name in ((known, "known"), (unavailable, "unavailable"), (charged, "charged"))
        )
        for cells, wrong in ((is_known & is_gone, "unavailable"), (is_known & (outcomes < 0), "missing")):
            if cells.any():
                row, column = np.argwhere(cells)[0].tolist()
                name = problem.features[column].name
                raise InvalidValue(f"In row {row}: {name!r} came as known and is {wrong}; expected one of the two.")
        marks = np.select([is_known, is_gone, is_charged], [1, 2, 3], 0).astype(np.uint8)
    return Terms(
        None if prices is None else _checked_prices(prices, problem, n_cases), _budgets(budget, n_cases), marks
    )


def _cells(given: Any, what: str, problem: Problem, n_cases: int) -> NDArray[np.bool_]:
    """The cells marked by a table of truth values, or by the names of features that are marked in every case."""
    shape = (n_cases, problem.n_features)
    marked = np.zeros(shape, dtype=bool)
    if given is None:
        return marked
    if isinstance(given, list | tuple | set | frozenset) and all(isinstance(name, str) for name in given):
        marked[:, [problem.feature_index(name) for name in given]] = True
        return marked
    try:
        table = np.asarray(frames.by_name(given, problem.features))
        truths = table.astype(bool) if table.dtype.kind in "biuO" else table
    except (TypeError, ValueError):
        table = truths = np.empty(0)
    if truths.dtype != np.bool_ or not (table == truths).all():
        raise InvalidValue(
            f"What is {what} came as {plain(given)!r:.60}; expected True or False for each case and feature, "
            "or a list of names of features."
        )
    if truths.shape != shape:
        raise InvalidValue(f"What is {what} came in shape {truths.shape}; expected {shape}.")
    return truths


def _budgets(budget: Any, n_cases: int) -> NDArray[np.float64] | None:
    """What each case may cost at most; None where that is any amount."""
    try:
        given = np.asarray(budget, dtype=np.float64) if np.ndim(budget) else np.float64(number(budget))
    except (TypeError, ValueError):
        given = np.float64(math.nan)
    if given.shape not in ((), (n_cases,)) or not (given >= 0).all():
        came = f"A budget of {plain(budget)!r:.60}"
        raise InvalidValue(f"{came} came; expected an amount, zero or more, or one for each case.")
    if not given.shape and given == math.inf:
        return None
    return np.array(np.broadcast_to(given, n_cases))


def _checked_prices(prices: Any, problem: Problem, n_cases: int) -> NDArray[np.float64]:
    """Return the prices of a table, one for each case and feature; those of a frame by the names of its columns."""
    prices = frames.by_name(prices, problem.features)
    given = _amounts(prices, (n_cases, problem.n_features), "price", "one for each case and feature")
    if (given > MOST).any():
        row, column = np.argwhere(given > MOST)[0].tolist()
        raise InvalidValue(f"A price of {given[row, column]:g} came in row {row}; expected {MOST:g} at most.")
    return given


def checked_weights(weights: Any, n_cases: int) -> NDArray[np.float64]:
    """Return the weights of a table, one for each case."""
    given = _amounts(weights, (n_cases,), "weight", "one for each case")
    with np.errstate(over="ignore"):
        total = given.sum()
    if total > _MOST_CASES:
        raise InvalidValue(f"Weights of {total:g} in all came; expected {_MOST_CASES:g} at most. Scale them down.")
    return given


def _amounts(raw: Any, shape: tuple[int, ...], what: str, expected: str) -> NDArray[np.float64]:
    try:
        numbers = table = np.asarray(raw)
        if table.dtype.kind == "O":
            cells = table.ravel().tolist()
            has_texts = any(isinstance(cell, str) for cell in cells)
            numbers = np.array(cells if has_texts else [number(cell) for cell in cells]).reshape(table.shape)
    except ValueError:
        numbers = np.empty(0, dtype=str)
    if numbers.dtype.kind not in "biuf":
        raise InvalidValue(f"The {what}s must be numbers, {expected}.")
    given = np.array(numbers, dtype=np.float64, order="C")
    if given.shape != shape:
        raise InvalidValue(f"{what.capitalize()}s of shape {given.shape} came; expected {shape}.")
    bad = np.argwhere(~(np.isfinite(given) & (given >= 0)))
    if len(bad):
        at = tuple(bad[0].tolist())
        where = f"row {at[0]}" + "".join(f", column {column}" for column in at[1:])
        came = f"{given[at]:g}" if isinstance(table[at], np.generic) else repr(table[at])
        raise InvalidValue(f"A {what} of {came} came in {where}; expected a finite number, zero or more.")
    return given


def in_chunks(work: Callable[[slice], Arrays], n_cases: int, progress: Progress | None) -> Arrays:
    """Return what `work` makes of all rows, done piece by piece with a word of progress after each.

    Pieces are as long as a tenth of a second allows, a thousand rows at most: a case takes microseconds or, planned
    exactly, seconds.
    """
    parts: list[Arrays] = []
    start, size = 0, _AT_FIRST
    while start < n_cases or not parts:  # of no rows too, for arrays of the right kind
        began, rows = time.monotonic(), slice(start, min(start + size, n_cases))
        parts.append(work(rows))
        in_time = int(size * _AT_ONCE / max(time.monotonic() - began, 1e-9))
        if progress is not None and n_cases > 0:
            progress(rows.stop, n_cases)
        start, size = rows.stop, max(1, min(2 * size, in_time, _MOST_AT_ONCE))
    predicted, probability, cost, n_asked, asked = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    return predicted, probability, cost, n_asked, asked


def record(problem: Problem, arrays: Arrays) -> Record:
    """Return the record of a stream, with labels for their indices."""
    predicted, probability, cost, n_asked, asked = arrays
    return Record(problem.labels_at(predicted), probability, cost, n_asked, asked)


def report(problem: Problem, arrays: Arrays, truth: LabelIndices) -> Report:
    """Return what the answers to a hold-out came to; a label index below 0 is a truth that is not known."""
    answers, probability, cost, n_asked, _ = arrays
    accuracy = loss = calibration = math.nan
    known = truth >= 0
    if known.any():
        right = truth[known] == answers[known]
        accuracy = float(right.mean())
        loss = float(problem.losses[truth[known], answers[known]].mean())
        calibration = calibration_error(probability[known], right)
    mean_cost, mean_asked = (float(a.mean()) if len(a) else math.nan for a in (cost, n_asked))
    return Report(record(problem, arrays), accuracy, loss, mean_cost, mean_asked, calibration)


def calibration_error(probability: NDArray[np.float64], right: NDArray[np.bool_], n_bins: int = 10) -> float:
    """Return the expected calibration error: how far confidence and accuracy lie apart, bin by bin of equal width.

    >>> calibration_error(np.array([0.95, 0.95, 0.55, 0.55]), np.array([True, True, True, False]))
    0.05...
    """
    bins = np.minimum((probability * n_bins).astype(np.int64), n_bins - 1)
    gaps = np.bincount(bins, probability - right, minlength=n_bins)
    return float(np.abs(gaps).sum() / len(probability))
