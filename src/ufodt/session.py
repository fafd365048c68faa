"""One case in progress: ask, tell, skip, undo, predict, and the evidence it leaves behind."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple

from ufodt import core
from ufodt.amount import plain
from ufodt.errors import AlreadyTold, InvalidValue
from ufodt.evidence import Evidence
from ufodt.features import Continuous, Value
from ufodt.problem import Label, Problem
from ufodt.words import interval


class Question(NamedTuple):
    """The feature to ask next, what it costs now, and what the criterion expects of it."""

    feature: str
    price: float  # apart from what its value may add
    gain: float
    most: float  # the price if the value comes that adds most


class _Event(NamedTuple):
    feature: int
    value: Value | None  # None: skipped
    price: float | None  # None: nothing paid
    threshold: int
    before: bytes  # the label probabilities before it and the exponent of what was told by then, as doubles


class Step(NamedTuple):
    """A value that was told, and the label probabilities before it."""

    feature: str
    value: Value
    before: Sequence[float]


@dataclass(frozen=True, slots=True)
class Support:
    """What speaks for a label (above zero) and against it (below), in bits.

    `prior` and the bits of every value told, in the order told, add up to `total`, the logarithm of the label's odds
    to base 2: 3 bits are odds of 8 to 1. A value's bits are the logarithm of how much likelier it is under the label
    than under the others, weighted as they stood by then, and as far as all values together are trusted; with two
    labels the order makes no difference, unless it was learned that outcomes come together.
    """

    label: Label
    prior: float
    values: dict[str, float]
    total: float


@dataclass(frozen=True, slots=True)
class Answer:
    """The label of least expected loss, the probability of every label, and what the evidence cost."""

    label: Label
    probabilities: dict[Label, float]
    cost: float
    _problem: Problem | None = field(default=None, compare=False, repr=False)
    _events: tuple[_Event, ...] = field(default=(), compare=False, repr=False)
    _trust: float = field(default=1.0, compare=False, repr=False)

    @property
    def steps(self) -> list[Step]:
        """What was told, in order, and how the probabilities stood before."""
        return [step for step, _ in self._trusted_steps()]

    def _trusted_steps(self) -> list[tuple[Step, float]]:
        """The steps, each with the exponent of what was told before it."""
        features = () if self._problem is None else self._problem.features
        found: list[tuple[Step, float]] = []
        for event in self._events:
            if event.value is not None:
                *before, trust = memoryview(event.before).cast("d").tolist()
                found.append((Step(features[event.feature].name, event.value, before), trust))
        return found

    def why(self) -> list[Support]:
        """Return the evidence for and against each label in bits, the likeliest label first."""
        trusted, supports = self._trusted_steps(), []
        steps = [step for step, _ in trusted]
        stood = [_raised(step.before, steps[0].before, self._trust / trust) for step, trust in trusted]
        stood.append(list(self.probabilities.values()))
        for i, label in enumerate(self.probabilities):
            odds = [_log_odds(probabilities, i) for probabilities in stood]
            values = {step.feature: after - before for step, (before, after) in zip(steps, pairwise(odds), strict=True)}
            supports.append(Support(label, odds[0], values, sum(values.values(), odds[0])))
        return sorted(supports, key=lambda support: -support.total)


class Prospect(NamedTuple):
    """What would follow from a value: the answer on it, and the next question."""

    answer: Answer
    question: Question | None


@dataclass(frozen=True, slots=True)
class Outlook:
    """What one value of a feature would lead to."""

    value: Value
    probability: float
    label: Label
    confidence: float


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a feature is, or is not, the next question."""

    feature: str
    gain: float
    price: float  # with what its value is expected to add
    pays: bool  # it is the next question, or may be asked now and, where cost and benefit are weighed, saves its price
    fits: bool  # into what is left of the budget, whatever its value adds to its price
    outlook: tuple[Outlook, ...]

    @property
    def rate(self) -> float:
        """Gain per price: what features are ranked by, after the next question and among those that pay alike."""
        return self.gain / max(self.price, 1e-300)


class Session:
    """One case. Opened by a learner; asking changes nothing, telling and skipping do."""

    __slots__ = ("_events", "_n_known", "_plan", "_problem", "_scores", "case")

    def __init__(
        self,
        case: str | int | None,
        problem: Problem,
        plan: core.Plan,
        *,
        known: Mapping[str, Any],
        unavailable: Iterable[str],
        scores: bool,
    ) -> None:
        self.case = case
        self._problem = problem
        self._plan = plan
        self._scores = scores  # thresholds are learned from the scores of a case, so they are due before each answer
        self._events: list[_Event] = []
        if not isinstance(known, Mapping):
            raise InvalidValue(f"{known!r} came for the known values; expected a value for each feature's name.")
        if isinstance(unavailable, str) or not isinstance(unavailable, Iterable):
            raise InvalidValue(f"{unavailable!r} came for the unavailable features; give a list of names.")
        settled = [(problem.feature_index(name), value) for name, value in known.items()]
        missing = [problem.feature_index(name) for name in unavailable]
        both = sorted(name for name in known if problem.feature_index(name) in missing)
        if both:
            raise InvalidValue(f"{both[0]!r} came as known and as unavailable; expected one of the two.")
        for index, value in [(i, self._checked(i, value)) for i, value in settled]:
            self._add(index, value, paid=False)
        for index in dict.fromkeys(missing):
            self._add(index, None, paid=False)
        self._n_known = len(self._events)

    def __reduce__(self) -> Any:
        raise TypeError(
            "A session is not copied or pickled; keep `session.evidence`, and open another with what it knows."
        )

    def ask(self) -> Question | None:
        """Return the next question, or None when asking more is not worth it; asking twice changes nothing."""
        question = self._plan.next()
        if question is None:
            return None
        feature, _, gain = question
        price, most = self._plan.charge(feature, -1), self._plan.most(feature)
        return Question(self._problem.features[feature].name, price, gain, most)

    def tell(self, feature: str, value: Any) -> None:
        """Pay for a feature and note its value; it need not be the one that was asked."""
        index = self._problem.feature_index(feature)
        value = self._checked(index, value)
        before = self._find(index)
        if before is None:
            self._score()
            self._add(index, value, paid=True)
        elif before.value != value:
            raise self._already(before, "undo it, or open a new session to measure it again")

    def skip(self, feature: str, *, charged: bool = False) -> None:
        """Note that a feature cannot be had: it is not asked again in this case and teaches nothing.

        With `charged` its price is paid all the same, as for a test that failed.
        """
        if not isinstance(plain(charged), int):
            raise InvalidValue(f"charged={charged!r} came; expected True or False.")
        index = self._problem.feature_index(feature)
        before = self._find(index)
        if before is None:
            self._score()
            self._add(index, None, paid=bool(charged))
        elif before.value is not None or (charged and before.price is None):
            raise self._already(before, "undo it before skipping it")

    def undo(self) -> str | None:
        """Take back the last tell or skip and return its feature; None when there is nothing to take back."""
        if len(self._events) == self._n_known:
            return None
        return self._problem.features[self._undo_last().feature].name

    def predict(self) -> Answer:
        """Return the best answer on the evidence so far; can be called at any time."""
        answer, p = self._plan.predict()
        labels = self._problem.labels
        probabilities = dict(zip(labels, p, strict=True))
        return Answer(labels[answer], probabilities, self.cost, self._problem, tuple(self._events), self._plan.trust)

    def why(self) -> list[Reason]:
        """Rank all remaining features: the next question if there is one, then those that pay, by gain per price.

        Each comes with what its values would lead to.
        """
        paying = set(self._plan.paying())
        asked = self.ask()
        reasons = [
            Reason(self._problem.features[f].name, gain, price, f in paying, self._plan.fits(f), self._outlook(f))
            for f, price, gain in self._plan.gains()
        ]
        first = None if asked is None else asked.feature
        return sorted(reasons, key=lambda r: (r.feature != first, not r.pays, -r.rate, r.price))  # then by index

    def why_not(self, feature: str) -> str:
        """Return a sentence that says why a feature is not the next question, or why it is."""
        index = self._problem.feature_index(feature)
        event = self._find(index)
        if event is not None:
            return f"{feature} {self._settled(event)}."
        question = self.ask()
        reason = next((reason for reason in self.why() if reason.feature == feature), None)
        unknown = [name for name in self._problem.features[index].needs if self._unknown(name)]
        if question is not None and question.feature == feature:
            if self._plan.asks_to_learn:
                return f"{feature} is the next question, to learn: as far as is known, none would pay here."
            if self._plan.is_duty(index):
                must = "it is" if self._problem.features[index].mandatory else "what needs it is"
                return f"{feature} is the next question: {must} mandatory."
            return f"{feature} is the next question: it gains {question.gain:.3g} for {question.price:g}."
        if reason is None:
            return f"{feature} is not among the features on offer in this case."
        if unknown:
            never = [name for name in unknown if self._find(self._problem.feature_index(name)) is not None]
            if never:
                return f"{feature} needs {' and '.join(never)}, which cannot be had."
            return f"{feature} needs {' and '.join(unknown)} to be known first."
        if not reason.fits:
            most = self._plan.most(index)
            costs = "costs" if most <= reason.price else "may cost"
            return f"{feature} {costs} {most:g}, and {self._plan.left:g} is left of the budget."
        asks_duty = question is not None and self._plan.is_duty(self._problem.feature_index(question.feature))
        if question is not None and asks_duty and not self._plan.is_duty(index):
            return f"{feature} comes later: {question.feature} is mandatory."
        if question is None or not reason.pays:
            return f"{feature} is not worth {reason.price:g} here, as far as was looked ahead."
        return f"{feature} would pay too, but it is better to begin with {question.feature}."

    def what_if(self, feature: str, value: Any) -> Prospect:
        """Return the answer and the next question as if a value were told; nothing is told or paid."""
        if (before := self._find(self._problem.feature_index(feature))) is not None:
            raise self._already(before, "undo it before trying other values")
        self.tell(feature, value)
        try:
            return Prospect(self.predict(), self.ask())
        finally:
            self._undo_last()

    @property
    def cost(self) -> float:
        """What was paid so far."""
        return self._plan.spent

    @property
    def evidence(self) -> Evidence:
        """What was paid for and seen so far, ready for JSON and for `learn`."""
        features, events = self._problem.features, self._events
        evidence: Evidence = {
            "case": self.case,
            "values": {features[e.feature].name: e.value for e in events if e.value is not None},
            "prices": {features[e.feature].name: e.price for e in events if e.price is not None},
            "skipped": [features[e.feature].name for e in events if e.value is None],
        }
        thresholds = {features[e.feature].name: e.threshold for e in events if e.threshold >= 0}
        if thresholds:
            evidence["thresholds"] = thresholds
        self._score()
        if rewards := self._plan.rewards():
            evidence["rewards"] = [list(reward) for reward in rewards]
        return evidence

    def __repr__(self) -> str:
        return f"<Session {self._name()}: {len(self._events)} settled, cost {self.cost:g}>"

    def _checked(self, index: int, value: Any) -> Value:
        """The value as the problem writes it: a number, or one of the feature's values."""
        feature = self._problem.features[index]
        if isinstance(feature, Continuous):
            return feature.number(value)
        return feature.values[feature.outcome(value)]

    def _add(self, index: int, value: Value | None, *, paid: bool) -> None:
        plan, feature, before = self._plan, self._problem.features[index], b""
        if value is None:
            outcome, threshold = -1, -1
        elif isinstance(feature, Continuous):
            outcome, threshold = plan.outcome(index, float(value)), plan.threshold(index)
        else:
            outcome, threshold = feature.outcome(value), -1
        price = plan.charge(index, outcome) if paid else None
        if value is None:
            plan.skip(index, paid)
        else:
            before = plan.observe(index, outcome, paid)
        self._events.append(_Event(index, value, price, threshold, before))

    def _undo_last(self) -> _Event:
        events, undone = self._events[:-1], self._events[-1]
        self._plan.reset()
        self._events = []
        for i, event in enumerate(events):
            if i >= self._n_known:
                self._score()
            self._add(event.feature, event.value, paid=event.price is not None)
        return undone

    def _score(self) -> None:
        """Have the plan score what is open, so that whether it was asked makes no difference to what is learned."""
        if self._scores:
            self._plan.next()

    def _find(self, index: int) -> _Event | None:
        return next((event for event in self._events if event.feature == index), None)

    def _unknown(self, feature: str) -> bool:
        event = self._find(self._problem.feature_index(feature))
        return event is None or event.value is None

    def _is_from_the_start(self, event: _Event) -> bool:
        return event in self._events[: self._n_known]

    def _settled(self, event: _Event) -> str:
        if self._is_from_the_start(event):
            return "cannot be had" if event.value is None else f"is known from the start as {event.value!r}"
        return "was skipped before" if event.value is None else f"was told before as {event.value!r}"

    def _already(self, event: _Event, advice: str) -> AlreadyTold:
        if self._is_from_the_start(event):
            advice = "open a new session that does not say so"
        return AlreadyTold(
            f"{self._name()}: {self._problem.features[event.feature].name!r} {self._settled(event)}; {advice}."
        )

    def _name(self) -> str:
        return "this session" if self.case is None else str(self.case)

    def _outlook(self, feature: int) -> tuple[Outlook, ...]:
        rows = self._plan.outlook(feature)
        labels = self._problem.labels
        outlook = []
        for value, row in zip(self._values(feature, len(rows)), rows, strict=False):  # a number may have fewer bins
            answer = self._plan.answer(row[1:].tolist())
            outlook.append(Outlook(value, float(row[0]), labels[answer], float(row[1 + answer])))
        return tuple(outlook)

    def _values(self, feature: int, n_outcomes: int) -> Sequence[Value]:
        """What an outcome stands for: its value, or the range of a continuous feature."""
        kind = self._problem.features[feature]
        if not isinstance(kind, Continuous):
            return kind.values
        cuts = self._plan.cuts(feature)
        threshold = self._plan.threshold(feature)
        if threshold >= 0:
            cuts = [cuts[threshold]]
        if not cuts:
            return ["–"] * n_outcomes
        return [interval(above, upto) for above, upto in pairwise([None, *cuts, None])]


def _raised(probabilities: Sequence[float], prior: Sequence[float], exponent: float) -> Sequence[float]:
    """The probabilities, had what led from the prior to them counted so many times."""
    if exponent == 1.0:
        return probabilities
    logs = [
        math.log(max(q, 5e-324)) + exponent * (math.log(max(p, 5e-324)) - math.log(max(q, 5e-324)))
        for p, q in zip(probabilities, prior, strict=True)
    ]
    raised = [math.exp(log - max(logs)) for log in logs]
    return [p / sum(raised) for p in raised]


def _log_odds(probabilities: Sequence[float], label: int) -> float:
    """The logarithm of a label's odds to base 2; the least number stands for what is too small to be told from none."""
    others = sum(p for i, p in enumerate(probabilities) if i != label)
    return math.log2(max(probabilities[label], 5e-324)) - math.log2(max(others, 5e-324))
