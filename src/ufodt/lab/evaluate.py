"""One contestant on one stream: prequential, with late and missing labels, and looks at a hold-out on the way.

The hold-out is asked about twice at every look: from *paid* features only, and apart from that from *all* features, as
the paper does. What comes out is one flat record per case, which `records` writes to a file, and a summary.

>>> from ufodt.lab.material import material
>>> from ufodt.lab.methods import build
>>> found = material("stagger", 1)
>>> trial = evaluate(build("ufodt", found.stream, seed=1), found, Protocol(n_looks=3), seed=1)
>>> sorted(trial.cases), [look["at"] for look in trial.looks]
(['asked', 'case', 'cost', 'labelled', 'part', 'predicted', 'truth'], [60, 120, 180])
"""

import time
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ufodt.errors import InvalidPolicy, InvalidValue
from ufodt.lab.contestants import Answers, Contestant, Ticket
from ufodt.lab.datasets import Dataset, take
from ufodt.lab.datasets.dataset import FloatArray, IntArray
from ufodt.lab.material import Material
from ufodt.lab.scores import UTILITIES
from ufodt.lab.verdict import Spread, spread

LAST_QUARTER = 0.75  # looks after this share of the stream make up the hold-out figures, as in the paper's targets


@dataclass(frozen=True, slots=True)
class Protocol:
    """How a run is taken.

    Parameters
    ----------
    n_looks
        How often the hold-out is asked about, at equal steps; the last look is at the end.
    delay
        Cases that are answered between a case and the arrival of its label.
    missing
        Share of the labels that never come, drawn by the seed.
    max_look_rows
        Rows of the hold-out, from its start, for looks before the last.
    """

    n_looks: int = 20
    delay: int = 0
    missing: float = 0.0
    max_look_rows: int = 500

    def __post_init__(self) -> None:
        if self.n_looks < 1 or self.delay < 0 or not 0 <= self.missing < 1 or self.max_look_rows < 1:
            raise InvalidPolicy(
                f"{self} came; expected at least one look and row, a delay of 0 or more, and a share of missing "
                "labels below 1."
            )


@dataclass(frozen=True)
class Trial:
    """What happened: records of cases by column, looks in order, and a summary for tables."""

    cases: dict[str, npt.NDArray[Any]]
    looks: list[dict[str, Any]]
    summary: dict[str, Any]
    cpu_seconds: float


class Prequential:
    """A contestant whose labels come late, or never: each case is answered before its label is learned."""

    def __init__(self, contestant: Contestant, *, delay: int = 0) -> None:
        self.contestant = contestant
        self.delay = delay
        self._open: deque[tuple[Ticket, int]] = deque()

    def advance(self, X: FloatArray, y: IntArray) -> Answers:
        """Answer the next cases; the label of a case comes once `delay` more were answered, one of -1 never."""
        if self.delay == 0:
            return self.contestant.run(X, y)
        predicted, asked, cost = np.empty(len(y), dtype=np.int64), np.empty(len(y), dtype=np.int64), np.empty(len(y))
        for i, (row, label) in enumerate(zip(X, y.tolist(), strict=True)):
            predicted[i], asked[i], cost[i], ticket = self.contestant.answer(row)
            self._open.append((ticket, label))
            if len(self._open) > self.delay:
                ticket, due = self._open.popleft()
                if due >= 0:
                    self.contestant.learn(ticket, due)
        return Answers(predicted, asked, cost)


def evaluate(contestant: Contestant, rows: Material, protocol: Protocol, *, seed: int) -> Trial:
    """Return all that one contestant did on one stream and its hold-out."""
    stream = rows.stream
    told, ends = _told(stream.y, protocol, seed), _ends(len(stream.y), protocol.n_looks)
    way = Prequential(contestant, delay=protocol.delay)
    looks: list[dict[str, Any]] = []
    parts: list[Answers] = []
    seconds, begin = 0.0, 0
    for end in ends:
        start = time.process_time()
        parts.append(way.advance(stream.X[begin:end], told[begin:end]))
        seconds += time.process_time() - start
        so_far = np.concatenate([part.predicted for part in parts])
        look = {
            "at": end,
            "questions": float(parts[-1].n_asked.mean()),
            "cost": float(parts[-1].cost.mean()),
            "online": scores(stream.y[:end], so_far),
        }
        holdout = rows.holdout_at(end)
        if end < ends[-1]:
            holdout = take(holdout, np.arange(min(len(holdout.y), protocol.max_look_rows)))
        paid, whole = contestant.paid(holdout.X), contestant.whole(holdout.X, seed=seed + end)
        look["paid"] = scores(holdout.y, paid.predicted)
        look["paid_questions"], look["paid_cost"] = float(paid.n_asked.mean()), float(paid.cost.mean())
        look["all"] = _mean([scores(holdout.y, answers) for answers in whole])
        looks.append(look)
        begin = end
    online = Answers.joined(parts)
    cases = _cases(stream, told, online, rows.holdout_at(ends[-1]), paid, whole[0])
    return Trial(cases, looks, _summary(stream, online, looks), seconds)


def scores(truth: IntArray, predicted: IntArray) -> dict[str, float | None]:
    """Return every utility by name; None where a method has no answers."""
    if (predicted < 0).any():
        return dict.fromkeys(UTILITIES)
    return {name: float(utility(truth, predicted)) for name, utility in UTILITIES.items()}


def paired(ours: Mapping[int, float], others: Mapping[int, float]) -> Spread:
    """Return the mean of ours less theirs over the seeds both have, and its standard error.

    >>> paired({1: 0.75, 2: 0.5}, {1: 0.5, 2: 0.25, 3: 0.1})
    Spread(mean=0.25, error=0.0)
    """
    seeds = sorted(set(ours) & set(others))
    if not seeds:
        raise InvalidValue("no seed was run with both methods; run them on the same seeds.")
    return spread(ours[seed] - others[seed] for seed in seeds)


def _told(y: IntArray, protocol: Protocol, seed: int) -> IntArray:
    """The labels that will come; -1 where one never does."""
    if protocol.missing == 0:
        return y
    lost = np.random.default_rng([seed, 1]).random(len(y)) < protocol.missing
    return np.where(lost, -1, y)


def _ends(n_cases: int, n_looks: int) -> list[int]:
    return sorted({round(n_cases * (i + 1) / n_looks) for i in range(n_looks)} - {0})


def _mean(found: list[dict[str, float | None]]) -> dict[str, float | None]:
    means: dict[str, float | None] = {}
    for name in found[0]:
        values = [one[name] for one in found]
        known = [value for value in values if value is not None]
        means[name] = float(np.mean(known)) if len(known) == len(values) else None
    return means


def _summary(stream: Dataset, online: Answers, looks: list[dict[str, Any]]) -> dict[str, Any]:
    last = [look for look in looks if look["at"] > LAST_QUARTER * len(stream.y)]
    summary: dict[str, Any] = {
        "n_cases": len(stream.y),
        "n_features": stream.X.shape[1],
        "questions": float(online.n_asked.mean()),
        "total_questions": float(online.n_asked.sum()),
        "total_cost": float(online.cost.sum()),
        "online": scores(stream.y, online.predicted),
    }
    for regime in ("paid", "all"):
        summary[regime] = _mean([look[regime] for look in last])
        summary[f"{regime}_mean"] = _mean([look[regime] for look in looks])
        summary[f"{regime}_final"] = looks[-1][regime]
    for name in ("paid_questions", "paid_cost"):
        summary[name] = float(np.mean([look[name] for look in last]))
        summary[f"{name}_final"] = looks[-1][name]
    return summary


def _cases(
    stream: Dataset, told: IntArray, online: Answers, holdout: Dataset, paid: Answers, whole: IntArray
) -> dict[str, npt.NDArray[Any]]:
    """One entry per case, by column: the stream, then the hold-out from paid and from all features."""
    n, m = len(stream.y), len(holdout.y)
    blank = np.zeros(m)
    return {
        "part": np.repeat(np.arange(3, dtype=np.int8), [n, m, m]),
        "case": np.concatenate([np.arange(n), np.arange(m), np.arange(m)]).astype(np.int32),
        "truth": np.concatenate([stream.y, holdout.y, holdout.y]).astype(np.int16),
        "predicted": np.concatenate([online.predicted, paid.predicted, whole]).astype(np.int16),
        "asked": np.concatenate([online.n_asked, paid.n_asked, np.full(m, holdout.X.shape[1])]).astype(np.int32),
        "cost": np.concatenate([online.cost, paid.cost, blank + np.nan]),
        "labelled": np.concatenate([told >= 0, np.zeros(2 * m, dtype=bool)]),
    }
