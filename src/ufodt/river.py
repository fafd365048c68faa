"""ufodt as a classifier of river: it reads from a case only the features that it pays for.

A case is told apart from others by the object that holds it, so `predict_one(x)` and then `learn_one(x, y)` pay once.
Where river hands over copies (a pipeline, a delay), a label goes to the case of an equal dictionary; a `LazyRow`
stays itself when it is copied, and a `ticket` names a case whatever comes. A case that is learned without having been
predicted is planned and paid for as a prediction would be.
"""

import math
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Hashable, Mapping, Sequence
from random import SystemRandom
from typing import Any, NamedTuple

from ufodt.amount import is_missing, plain, whole
from ufodt.drift import Drift
from ufodt.errors import InvalidPolicy, InvalidValue, MissingPackage
from ufodt.growing import OTHER, Growing, move_view
from ufodt.lazy_row import LazyRow
from ufodt.learner import UFODT
from ufodt.policy import Policy
from ufodt.policy import paper as printed_policy
from ufodt.prior import Prior
from ufodt.prior import paper as printed_prior
from ufodt.problem import Label, Problem
from ufodt.selection import Selection
from ufodt.stop import Stop
from ufodt.thresholds import Thresholds
from ufodt.thresholds import paper as printed_thresholds

try:
    from river import base
except ModuleNotFoundError as error:
    if (error.name or "").partition(".")[0] != "river":
        raise
    raise MissingPackage("ufodt.river is an adapter to river: pip install 'ufodt[river]'.") from None

__all__ = ["LazyRow", "Ledger", "UFODTClassifier"]

# Dictionaries that hold all they say: one of another class may fetch what is read.
_DICTS = (dict, OrderedDict, defaultdict, Counter)


class Ledger(NamedTuple):
    """What was paid so far: cases planned, questions answered, and their prices."""

    n_cases: int
    n_questions: int
    spent: float


class _Case(NamedTuple):
    """A case that was planned and waits for its label."""

    x: Any  # None if a ticket names it
    labels: Sequence[Label]
    answer: int
    probabilities: list[float]
    told: list[tuple[int, Any, int]]  # feature, raw value, threshold in use
    is_news: bool  # some value is one that the problem had no place for
    epoch: int
    rewards: list[tuple[int, float]]
    learner: UFODT | None  # whose numbering the rewards follow, where there are any


class UFODTClassifier(base.Classifier):
    """An online decision tree that pays for each feature it reads (UFODT, IJCAI 2023).

    Features, their values and labels need not be named beforehand: what appears joins. Numbers need no scaling, which
    would read them all. A feature that is absent, None or NaN could not be had.

    Parameters
    ----------
    costs
        What features cost: a number for all, or a table by name in which `others` stands for those not named
        (1 by default). An entry may hold `price`, `group` and `later`.
    problem
        Everything that may be asked and answered, in full; then nothing else joins, and prices stand there.
    criterion, stop, n_hypotheses, policy, prior, thresholds, drift, selection
        As in `ufodt.UFODT`.
    max_open
        Predictions that may wait for their labels; beyond, the oldest is forgotten, and planned anew if its label
        comes after all.
    seed
        Random seed; by default another one each time.

    Examples
    --------
    >>> from river import evaluate, metrics
    >>> from river.datasets import synth
    >>> model = UFODTClassifier(seed=7)
    >>> evaluate.progressive_val_score(synth.LED(seed=1, noise_percentage=0.1).take(2000), model, metrics.Accuracy())
    Accuracy: 7...
    >>> 3 < model.ledger.spent / model.ledger.n_cases < 5  # of seven features
    True
    """

    def __init__(
        self,
        costs: Mapping[Any, Any] | float | None = None,
        *,
        problem: Problem | None = None,
        criterion: str | None = None,
        stop: Stop | None = None,
        n_hypotheses: int | None = None,
        policy: Policy | None = None,
        prior: Prior | None = None,
        thresholds: Thresholds | None = None,
        drift: Drift | None = None,
        selection: Selection | None = None,
        max_open: int = 1000,
        seed: int | None = None,
    ) -> None:
        self.costs = costs
        self.problem = problem
        self.criterion = criterion
        self.stop = stop
        self.n_hypotheses = n_hypotheses
        self.policy = policy
        self.prior = prior
        self.thresholds = thresholds
        self.drift = drift
        self.selection = selection
        self.max_open = max_open
        self.seed = seed
        if whole(max_open, 1) is None:
            raise InvalidPolicy(f"max_open={max_open!r} came; expected a whole number above 0.")
        self._growing = Growing(
            problem=problem,
            costs=costs,
            criterion=criterion,
            stop=stop,
            n_hypotheses=n_hypotheses,
            policy=policy,
            prior=prior,
            thresholds=thresholds,
            drift=drift,
            selection=selection,
            seed=SystemRandom().getrandbits(62) if seed is None else seed,
        )
        self._open: dict[Hashable, _Case] = {}
        self._n_cases, self._n_questions, self._spent = 0, 0, 0.0
        self._n_learned = 0

    @classmethod
    def paper(cls, *, criterion: str = "ec2", n_hypotheses: int, **others: Any) -> "UFODTClassifier":
        """Return the algorithm as printed, as `ufodt.UFODT.paper` does."""
        return cls(
            policy=printed_policy(criterion=criterion, n_hypotheses=n_hypotheses),
            prior=others.pop("prior", None) or printed_prior(),
            thresholds=others.pop("thresholds", None) or printed_thresholds(),
            **others,
        )

    @property
    def ledger(self) -> Ledger:
        """What was paid so far; read it beside any metric."""
        return Ledger(self._n_cases, self._n_questions, self._spent)

    @property
    def learner(self) -> UFODT | None:
        """What has been learned, as `ufodt.UFODT`, to save or to draw; None until there are two labels."""
        return self._growing.learner

    @property
    def _multiclass(self) -> bool:
        return True

    def predict_one(self, x: Mapping[Any, Any], ticket: Hashable = None) -> Any:  # type: ignore[override]
        """Return the label of least expected loss, after paying for what is worth it; None before the first label."""
        case = self._case(x, ticket)
        return case.labels[case.answer] if case.labels else None

    def predict_proba_one(self, x: Mapping[Any, Any], ticket: Hashable = None) -> dict[Any, float]:  # type: ignore[override]
        """Return the probability of every label met so far."""
        case = self._case(x, ticket)
        return dict(zip(case.labels, case.probabilities, strict=True))

    def learn_one(self, x: Mapping[Any, Any], y: Any, ticket: Hashable = None) -> None:
        """Learn the label of a case from what was paid for in it."""
        self._n_learned += 1
        growing, label = self._growing, plain(y)
        is_known = growing.has_label(label)
        key = self._find(x, ticket)
        case = self._plan(x, ticket) if key is None else self._open[key]
        if not is_known or case.is_news or case.epoch != growing.epoch:
            growing.make_room([(f, value) for f, value, _ in case.told], label)
        if growing.learner is None:
            growing.count(label)
        else:
            self._learn(growing.learner, case, growing.labels[label])
        if key is not None:
            del self._open[key]

    def _case(self, x: Mapping[Any, Any], ticket: Hashable) -> _Case:
        key = _key(x, ticket)
        case = self._open.get(key)
        if case is None or not self._is_same(case, x):
            case = self._plan(x, ticket)
            self._open.pop(key, None)
            self._open[key] = case
            if len(self._open) > self.max_open:
                del self._open[next(iter(self._open))]
        return case

    def _find(self, x: Mapping[Any, Any], ticket: Hashable) -> Hashable | None:
        """The key under which the prediction of a case is kept, if it was predicted."""
        key = _key(x, ticket)
        case = self._open.get(key)
        if case is not None:
            if self._is_same(case, x):
                return key
            del self._open[key]
        if ticket is None and isinstance(x, dict) and type(x) in _DICTS and self._open:
            known = _without_nan(x)
            for other, case in self._open.items():
                if type(case.x) in _DICTS and _equal(case.x if known is x else _without_nan(case.x), known):
                    return other
        return None

    def _is_same(self, case: _Case, x: Mapping[Any, Any]) -> bool:
        """Whether a dictionary still holds what was paid for; it may have been filled with another case."""
        if type(case.x) not in _DICTS:
            return True
        keys, places = self._growing.keys, self._growing.places
        for f, value, _ in case.told:
            now = x.get(keys[f])
            if now is value:
                continue
            now = plain(now)
            if is_missing(now) or (now != value and (places[f] is not None or _as_float(now) != value)):
                return False  # a number is kept as a float
        return True

    def _plan(self, x: Mapping[Any, Any], ticket: Hashable) -> _Case:
        """Ask, read and pay until it is not worth more, and answer; what a case brings stays away if that fails."""
        if type(x) is not dict and not isinstance(x, Mapping):
            raise InvalidValue(f"{x!r} came as a case; expected a mapping from features to values.")
        joined, before = self._growing.meet(x), (self._n_cases, self._n_learned)
        try:
            return self._planned(x, ticket)
        except BaseException:
            if joined is not None and before == (self._n_cases, self._n_learned):  # reading may lead to other cases
                self._growing.part_with(joined)
            raise

    def _planned(self, x: Mapping[Any, Any], ticket: Hashable) -> _Case:
        is_dict, growing = type(x) is dict, self._growing
        held = x if ticket is None else None
        learner, epoch = growing.learner, growing.epoch
        if learner is None:
            self._n_cases += 1
            shares = growing.shares()
            answer = shares.index(max(shares)) if shares else 0
            return _Case(held, tuple(growing.labels), answer, shares, [], False, epoch, [], None)
        plan = learner._begin_plan([] if is_dict else growing.prices(getattr(x, "prices", None)))
        keys, all_places, ask, cuts = growing.keys, growing.places, plan.next, learner.thresholds.kind != "bins"
        told: list[tuple[int, Any, int]] = []
        is_news = False
        while (question := ask()) is not None:
            f = question[0]
            key = keys[f]
            value = x.get(key) if is_dict else x[key] if key in x else None
            places = all_places[f]
            if value is None:
                plan.skip(f)
            elif places is None:
                if is_missing(value):
                    plan.skip(f)
                    continue
                number = growing.features[f].number(value)  # type: ignore[union-attr]
                outcome = plan.outcome(f, number)
                told.append((f, number, plan.threshold(f) if cuts else -1))
                plan.observe(f, outcome)
            else:
                try:
                    outcome = places[value]
                except (KeyError, TypeError):
                    if is_missing(value):
                        plan.skip(f)
                        continue
                    value = growing.checked(f, value)
                    if value not in places:  # and is not only written another way, as a Decimal is
                        is_news = True
                        told.append((f, value, -1))
                        if OTHER in places:
                            plan.observe(f, places[OTHER])
                        else:
                            plan.skip(f, True)
                        continue
                    outcome = places[value]
                told.append((f, value, -1))
                plan.observe(f, outcome)
        answer, probabilities = plan.predict()
        rewards = plan.rewards() if learner.thresholds.kind == "exp3" else []
        learner._end_plan(plan)
        self._n_cases += 1
        self._n_questions += len(told)
        self._spent += plan.spent
        of = learner if rewards else None
        return _Case(held, learner.problem.labels, answer, probabilities, told, is_news, epoch, rewards, of)

    def _learn(self, learner: UFODT, case: _Case, label: int) -> None:
        growing, has_views = self._growing, learner.thresholds.kind != "bins"
        seen = []
        for f, value, threshold in case.told:
            places = growing.places[f]
            if places is None:
                number = growing.features[f].number(value)  # type: ignore[union-attr]
                view = learner._belief.first_view(f) + threshold if has_views and threshold >= 0 else -1
                seen.append((f, 0, number, view))
            else:
                outcome = places.get(value)
                seen.append((f, places[OTHER] if outcome is None else outcome, 0.0, -1))
        rewards = case.rewards
        if case.learner is not None and case.learner is not learner:
            rewards = [(move_view(case.learner, learner, view), amount) for view, amount in rewards]
        learner._learn_seen(seen, label, rewards)

    def __getstate__(self) -> dict[str, Any]:
        """Everything but the waiting cases whose object would be another one after a copy."""
        kept = [
            (
                key,
                case if case.x is None else case._replace(x=dict(case.x)),
            )  # what makes its defaults may not be copied
            for key, case in self._open.items()
            if case.x is None or type(case.x) in _DICTS
        ]
        return {**self.__dict__, "_open": kept}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._open = {key if case.x is None else _key(case.x, None): case for key, case in state["_open"]}


def _key(x: Mapping[Any, Any], ticket: Hashable) -> Hashable:
    return id(x) if ticket is None else ("ticket", ticket)


def _as_float(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return math.nan


def _without_nan(x: dict[Any, Any]) -> dict[Any, Any]:
    """The case with None for every NaN, which is equal to nothing; itself if there is none."""
    if not any(isinstance(value, float) and value != value for value in x.values()):
        return x
    return {name: None if is_missing(value) else value for name, value in x.items()}


def _equal(a: dict[Any, Any], b: dict[Any, Any]) -> bool:
    try:
        return bool(dict.__eq__(a, b))  # of whatever kind: no order, and no count that stands for an absent one
    except (TypeError, ValueError):  # an array as a value, or what pandas has for none
        return False
