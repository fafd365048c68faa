"""One case in progress: ask, tell, skip, undo, predict, and the evidence it leaves behind."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, TypedDict

from ufodt import core
from ufodt.errors import AlreadyTold
from ufodt.problem import Label, Problem, Value


class Question(NamedTuple):
    """The feature to ask next, what it costs now, and what the criterion expects of it."""

    feature: str
    price: float
    gain: float


class Evidence(TypedDict):
    """What a session paid for and saw; a plain value that can go through JSON and be learned from later."""

    case: str | int | None
    values: dict[str, Value]  # in the order in which they were told
    prices: dict[str, float]  # what was paid; a value known from the start has no price
    skipped: list[str]


@dataclass(frozen=True, slots=True)
class Answer:
    """The label of least expected loss, the probability of every label, and what the evidence cost."""

    label: Label
    probabilities: dict[Label, float]
    cost: float


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
    price: float
    outlook: tuple[Outlook, ...]

    @property
    def rate(self) -> float:
        """Gain per price: what the features are ranked by."""
        return self.gain / self.price if self.price > 0 else float("inf")


class _Event(NamedTuple):
    feature: int
    outcome: int  # -1: skipped
    price: float | None  # None: nothing paid


class Session:
    """One case. Opened by a learner; asking changes nothing, telling and skipping do."""

    __slots__ = ("_events", "_n_known", "_plan", "_problem", "case")

    def __init__(self, case: str | int | None, problem: Problem, plan: core.Plan, known: Mapping[str, Any]) -> None:
        self.case = case
        self._problem = problem
        self._plan = plan
        self._events: list[_Event] = []
        settled = [(problem.feature_index(name), value) for name, value in known.items()]
        for index, outcome in [(i, problem.features[i].outcome(value)) for i, value in settled]:
            self._add(_Event(index, outcome, None))
        self._n_known = len(self._events)

    def ask(self) -> Question | None:
        """Return the next question, or None when asking more is not worth it; asking twice changes nothing."""
        question = self._plan.next()
        if question is None:
            return None
        feature, price, gain = question
        return Question(self._problem.features[feature].name, price, gain)

    def tell(self, feature: str, value: Any) -> None:
        """Pay for a feature and note its value; it need not be the one that was asked."""
        index = self._problem.feature_index(feature)
        outcome = self._problem.features[index].outcome(value)
        before = self._find(index)
        if before is None:
            self._add(_Event(index, outcome, self._plan.price(index)))
        elif before.outcome != outcome:
            raise AlreadyTold(
                f"{self._name()}: {feature!r} {self._settled(before)}; a feature is paid for once. "
                "Undo it, or open a new session to measure it again."
            )

    def skip(self, feature: str) -> None:
        """Note that a feature cannot be had: it is not asked again in this case, costs and teaches nothing."""
        index = self._problem.feature_index(feature)
        before = self._find(index)
        if before is None:
            self._add(_Event(index, -1, None))
        elif before.outcome >= 0:
            raise AlreadyTold(f"{self._name()}: {feature!r} {self._settled(before)}; undo it before skipping it.")

    def undo(self) -> str | None:
        """Take back the last tell or skip and return its feature; None when there is nothing to take back."""
        if len(self._events) == self._n_known:
            return None
        events, undone = self._events[:-1], self._events[-1]
        self._plan.reset()
        self._events = []
        for event in events:
            self._add(event)
        return self._problem.features[undone.feature].name

    def predict(self) -> Answer:
        """Return the best answer on the evidence so far; can be called at any time."""
        answer, p = self._plan.predict()
        labels = self._problem.labels
        return Answer(labels[answer], dict(zip(labels, p, strict=True)), self._plan.spent)

    def why(self) -> list[Reason]:
        """Rank all remaining features by gain per price, each with what its values would lead to."""
        reasons = [
            Reason(self._problem.features[f].name, gain, price, self._outlook(f))
            for f, price, gain in self._plan.gains()
        ]
        return sorted(reasons, key=lambda reason: (-reason.rate, reason.price))

    @property
    def cost(self) -> float:
        """What was paid so far."""
        return self._plan.spent

    @property
    def evidence(self) -> Evidence:
        """What was paid for and seen so far, ready for JSON and for `learn`."""
        features = self._problem.features
        told = [event for event in self._events if event.outcome >= 0]
        return {
            "case": self.case,
            "values": {features[e.feature].name: features[e.feature].values[e.outcome] for e in told},
            "prices": {features[e.feature].name: e.price for e in told if e.price is not None},
            "skipped": [features[e.feature].name for e in self._events if e.outcome < 0],
        }

    def __repr__(self) -> str:
        return f"<Session {self._name()}: {len(self._events)} settled, cost {self.cost:g}>"

    def _add(self, event: _Event) -> None:
        if event.outcome < 0:
            self._plan.skip(event.feature)
        else:
            self._plan.observe(event.feature, event.outcome, event.price is not None)
        self._events.append(event)

    def _find(self, index: int) -> _Event | None:
        return next((event for event in self._events if event.feature == index), None)

    def _name(self) -> str:
        return "this session" if self.case is None else str(self.case)

    def _settled(self, event: _Event) -> str:
        if event.outcome < 0:
            return "was skipped before"
        return f"was told before as {self._problem.features[event.feature].values[event.outcome]!r}"

    def _outlook(self, feature: int) -> tuple[Outlook, ...]:
        rows = self._plan.outlook(feature)
        losses, labels = self._problem.losses, self._problem.labels
        outlook = []
        for value, row in zip(self._problem.features[feature].values, rows, strict=True):
            answer = int((row[1:] @ losses).argmin())
            outlook.append(Outlook(value, float(row[0]), labels[answer], float(row[1 + answer])))
        return tuple(outlook)
