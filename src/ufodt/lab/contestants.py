"""Methods on their way through a stream, under one protocol: answer a case, learn its label when it comes.

A hold-out is answered in two ways: from the features that the method pays for, and from all of them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from ufodt import UFODT
from ufodt.lab import all_features, baselines
from ufodt.lab.datasets.dataset import FloatArray, IntArray

Ticket = Any


@dataclass(frozen=True, slots=True)
class Answers:
    """What was answered and paid in some cases, in order; labels are indices, -1 for no answer."""

    predicted: IntArray
    n_asked: IntArray
    cost: FloatArray

    @classmethod
    def joined(cls, parts: Sequence["Answers"]) -> "Answers":
        """Return the answers to several stretches of cases as those to one."""
        return cls(*(np.concatenate([getattr(p, f) for p in parts]) for f in ("predicted", "n_asked", "cost")))


class Contestant(Protocol):
    """A method on its way through a stream."""

    def run(self, X: FloatArray, y: IntArray) -> Answers:
        """Answer the cases one by one, each before its label is learned; a label of -1 never comes."""

    def answer(self, row: FloatArray) -> tuple[int, int, float, Ticket]:
        """Return label, questions and cost of one case, and a ticket to learn it by later."""

    def learn(self, ticket: Ticket, label: int) -> None:
        """Learn a case when its label comes, in any order."""

    def paid(self, X: FloatArray) -> Answers:
        """Answer a hold-out from paid features only; nothing is learned."""

    def whole(self, X: FloatArray, *, seed: int) -> list[IntArray]:
        """Answer a hold-out from all features, once per draw of theta where the method draws; nothing is learned."""


@dataclass(slots=True)
class Ours:
    """A learner of this package; `frozen` learns nothing."""

    learner: UFODT
    frozen: bool = False

    def run(self, X: FloatArray, y: IntArray) -> Answers:
        hidden = self.frozen | (y < 0)
        labels: Any = y if not hidden.any() else [None if h else int(label) for h, label in zip(hidden, y, strict=True)]
        return _of_record(self.learner.run(X, labels))

    def answer(self, row: FloatArray) -> tuple[int, int, float, Ticket]:
        names = [feature.name for feature in self.learner.problem.features]
        at = {name: j for j, name in enumerate(names)}
        session, n_asked = self.learner.open(), 0
        while (question := session.ask()) is not None:
            value = row[at[question.feature]]
            if np.isnan(value):
                session.skip(question.feature)
                continue
            session.tell(question.feature, value)
            n_asked += 1
        answer = session.predict()
        return self.learner.problem.label_index(answer.label), n_asked, answer.cost, session.evidence

    def learn(self, ticket: Ticket, label: int) -> None:
        if not self.frozen:
            self.learner.learn(ticket, self.learner.problem.labels[label])

    def paid(self, X: FloatArray) -> Answers:
        return _of_record(self.learner.evaluate(X).record)

    def whole(self, X: FloatArray, *, seed: int) -> list[IntArray]:
        rng = np.random.default_rng(seed)
        n = all_features.N_DRAWS if self.learner.policy.predict == "theta" else 1
        return [all_features.answer(self.learner, X, rng=rng) for _ in range(n)]


@dataclass(slots=True)
class Peer:
    """A baseline that reads whole rows, at the price of all features; the constant predictor pays nothing."""

    baseline: baselines.Baseline
    price: float
    _seen: FloatArray | None = None  # the hold-out answered last, and its answers: paid for are all features anyway
    _said: IntArray | None = None

    def run(self, X: FloatArray, y: IntArray) -> Answers:
        predicted = np.empty(len(y), dtype=np.int64)
        self._seen = None
        for i, (row, label) in enumerate(zip(X, y.tolist(), strict=True)):
            prepared = self.baseline.prepare(row)
            predicted[i] = self.baseline.predict(prepared)
            if label >= 0:
                self.baseline.learn(prepared, label)
        return self._paying(predicted)

    def answer(self, row: FloatArray) -> tuple[int, int, float, Ticket]:
        prepared = self.baseline.prepare(row)
        return self.baseline.predict(prepared), self.baseline.n_read, self.price, prepared

    def learn(self, ticket: Ticket, label: int) -> None:
        self._seen = None
        self.baseline.learn(ticket, label)

    def paid(self, X: FloatArray) -> Answers:
        return self._paying(self.whole(X, seed=0)[0])

    def whole(self, X: FloatArray, *, seed: int) -> list[IntArray]:
        if self._seen is not X or self._said is None:
            self._seen, self._said = X, baselines.holdout(self.baseline, X)
        return [self._said]

    def _paying(self, predicted: IntArray) -> Answers:
        n = len(predicted)
        return Answers(predicted, np.full(n, self.baseline.n_read), np.full(n, self.price))


@dataclass(slots=True)
class Restricted:
    """A contestant that is shown, and pays for, a fixed subset of the features."""

    inner: Contestant
    columns: list[int]

    def run(self, X: FloatArray, y: IntArray) -> Answers:
        return self.inner.run(X[:, self.columns], y)

    def answer(self, row: FloatArray) -> tuple[int, int, float, Ticket]:
        return self.inner.answer(row[self.columns])

    def learn(self, ticket: Ticket, label: int) -> None:
        self.inner.learn(ticket, label)

    def paid(self, X: FloatArray) -> Answers:
        return self.inner.paid(X[:, self.columns])

    def whole(self, X: FloatArray, *, seed: int) -> list[IntArray]:
        return self.inner.whole(X[:, self.columns], seed=seed)


@dataclass(slots=True)
class Renewed:
    """A contestant that is made anew every so many cases, as if told each time that the world has moved."""

    make: Callable[[int], Contestant]  # given how many came before it
    every: int
    present: Contestant
    n_seen: int = 0

    def run(self, X: FloatArray, y: IntArray) -> Answers:
        parts, begin = [], 0
        while begin < len(y):
            end = min(len(y), begin + self.every - self.n_seen % self.every)
            parts.append(self._due().run(X[begin:end], y[begin:end]))
            self.n_seen += end - begin
            begin = end
        return Answers.joined(parts)

    def answer(self, row: FloatArray) -> tuple[int, int, float, Ticket]:
        due = self._due()
        self.n_seen += 1
        label, n_asked, cost, ticket = due.answer(row)
        return label, n_asked, cost, (due, ticket)

    def learn(self, ticket: Ticket, label: int) -> None:
        due, inner = ticket
        due.learn(inner, label)

    def paid(self, X: FloatArray) -> Answers:
        return self.present.paid(X)

    def whole(self, X: FloatArray, *, seed: int) -> list[IntArray]:
        return self.present.whole(X, seed=seed)

    def _due(self) -> Contestant:
        if self.n_seen % self.every == 0 and self.n_seen:
            self.present = self.make(self.n_seen // self.every)
        return self.present


@dataclass(slots=True)
class Ceiling:
    """Gradient boosting trained offline on the whole stream: it has no answers while the stream goes on."""

    model: Callable[[FloatArray], IntArray]
    price: float

    def run(self, X: FloatArray, y: IntArray) -> Answers:
        n = len(y)
        return Answers(np.full(n, -1), np.full(n, X.shape[1]), np.full(n, self.price))

    def answer(self, row: FloatArray) -> tuple[int, int, float, Ticket]:
        return -1, len(row), self.price, None

    def learn(self, ticket: Ticket, label: int) -> None:
        pass

    def paid(self, X: FloatArray) -> Answers:
        return Answers(self.model(X), np.full(len(X), X.shape[1]), np.full(len(X), self.price))

    def whole(self, X: FloatArray, *, seed: int) -> list[IntArray]:
        return [self.paid(X).predicted]


def _of_record(record: Any) -> Answers:
    return Answers(
        np.asarray(record.predicted, dtype=np.int64), record.n_asked.astype(np.int64), np.asarray(record.cost)
    )


def notes_of(contestant: Contestant) -> tuple[str, ...]:
    """Return what a reader of the results must know about a contestant on these features."""
    if isinstance(contestant, Restricted):
        return notes_of(contestant.inner)
    return tuple(contestant.baseline.notes) if isinstance(contestant, Peer) else ()
