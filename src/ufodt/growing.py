"""A problem that grows: features, values and labels that nobody named before, with what was learned carried over.

Features and labels only ever join at the end. A feature begins as a yes or no, the least that can be said of it,
and becomes what its values call for:

- a number other than 0 and 1: continuous; what was counted is counted again as the numbers 0 and 1;
- a text: categorical, with a place of its own for every value met, and one, `OTHER`, for those not met before.
"""

from bisect import bisect_left
from collections.abc import Collection, Hashable, Iterable, Mapping
from operator import is_
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ufodt import core
from ufodt import state as states
from ufodt.amount import is_missing, number, plain
from ufodt.errors import InvalidProblem, InvalidValue
from ufodt.features import Binary, Categorical, Continuous, Feature, is_name, terms
from ufodt.frames import with_costs
from ufodt.learner import UFODT
from ufodt.problem import Label, Problem

OTHER = "(any other)"
MAX_VALUES = 128  # places of a categorical feature that grows; later values share that of `OTHER`
MAX_FEATURES = 10_000  # features that may join; those beyond are never on offer

# What was there before, and the epoch since.
_Joined: TypeAlias = tuple[tuple[Collection[Feature], Collection[Hashable], Collection[Label], UFODT | None], int]


class Growing:
    """A learner whose features, values and labels join as cases bring them, or all stand in a problem from the start.

    Parameters
    ----------
    problem
        Everything that may be asked and answered; then nothing joins.
    costs
        What features that join cost: a number for all, or a table in which `others` stands for those not named.
    settings
        What the learner is made with besides its problem.

    Attributes
    ----------
    learner
        What has been learned; None until there are a feature and two labels, since one label needs no question.
    features, keys, places
        Of each feature: itself, how cases name it, and the outcome of every value (None for a number).
    labels
        The index of every label.
    epoch
        How often it has grown.
    """

    def __init__(self, *, problem: Problem | None, costs: Any, **settings: Any) -> None:
        if not isinstance(problem, Problem | None):
            raise InvalidProblem(f"{problem!r} came as the problem; expected ufodt.Problem(...).")
        self.is_closed = problem is not None
        self.epoch = 0
        self._costs = costs
        self._settings = settings
        self._counts: dict[Label, int] = {}  # of labels, while there is nothing to ask
        if problem is not None:
            if costs is not None:
                raise InvalidProblem("costs came together with a problem; its features hold the prices.")
            names = [feature.name for feature in problem.features]
            self._take(problem.features, names, problem.labels, UFODT(problem, **settings))
            return
        prior = settings.get("prior")
        if prior is not None and (prior.experts or prior.labels):
            raise InvalidProblem("The prior speaks of features or labels; name them all in `problem=`.")
        anyone = "any feature"
        UFODT(Problem([self._priced(Binary(anyone), anyone)], labels=[0, 1]), **settings)  # checks all that came
        if isinstance(costs, Mapping):
            for key in costs:
                Problem([self._priced(Binary(str(key) or "any"), key)], labels=[0, 1])
        self._take((), (), (), None)

    def meet(self, names: Mapping[Any, Any]) -> _Joined | None:
        """Put the features that a case names on offer; no value is read. Return what `part_with` undoes, if any."""
        index = self._index
        if self.is_closed or len(index) >= MAX_FEATURES:
            return None
        if index.keys() >= names.keys() if type(names) is dict else all(name in index for name in names):
            return None
        before = (self.features, self.keys, tuple(self.labels), self.learner)
        new = sorted((name for name in names if name not in index), key=lambda name: (str(name), repr(name)))
        keys, features = list(self.keys), list(self.features)
        taken = {feature.name for feature in features}
        for key in new[: MAX_FEATURES - len(keys)]:
            name = _name(key, taken)
            taken.add(name)
            keys.append(key)
            features.append(self._priced(Binary(name), key))
        self._become(features, keys, self.labels)
        return before, self.epoch

    def part_with(self, joined: _Joined) -> None:
        """Undo a meeting, unless more has joined since; nothing may have been learned since, for it would be lost."""
        before, epoch = joined
        if self.epoch == epoch:
            self._take(*before)

    def has_label(self, label: Any) -> bool:
        """Whether a label is known; an error if it can never be."""
        try:
            if label in self.labels:
                return True
        except TypeError:
            pass
        if self.is_closed and self.learner is not None:
            self.learner.problem.label_index(label)  # says what was expected
        if is_missing(label) or not is_name(label):
            raise InvalidValue(f"{label!r} came as a label; expected a string, a finite number, True or False.")
        return False

    def make_room(self, told: Collection[tuple[int, Any]], label: Label) -> None:
        """Let the values of some features and a label join; nothing changes if that fails."""
        features = list(self.features)
        for f, value in told:
            blank = isinstance(features[f], Binary) and (self.learner is None or is_blank(self.learner, f))
            features[f] = widen(features[f], [value], blank=blank)
        labels = self.labels if label in self.labels else [*self.labels, label]
        if labels is not self.labels or not all(map(is_, features, self.features)):
            self._become(features, self.keys, labels)

    def count(self, label: Label) -> None:
        """Note the label of a case while there is nothing to ask."""
        self._counts[label] = self._counts.get(label, 0) + 1

    def shares(self) -> list[float]:
        """Return the share of every label met so far, each counted once more, while there is nothing to ask."""
        counts = [1 + self._counts.get(label, 0) for label in self.labels]
        return [count / sum(counts) for count in counts]

    def checked(self, f: int, value: Any) -> Any:
        """Return a value that the problem has no place for, if it may have one."""
        feature = self.features[f]
        if self.is_closed and not isinstance(feature, Continuous):
            feature.outcome(value)  # says what was expected
        widen(feature, [value])
        return plain(value)

    def prices(self, given: Any) -> list[float]:
        """Return what every feature costs in a case with prices of its own; nothing if it has none."""
        if not isinstance(given, Mapping) or not given or self.learner is None:
            return []
        if self.is_closed:
            for key in given:
                if key not in self._index:
                    self.learner.problem.feature_index(key)  # says which there are
        known = {self.features[self._index[key]].name: price for key, price in given.items() if key in self._index}
        return self.learner.problem.prices_with(known)

    def _become(self, features: Collection[Feature], keys: Collection[Hashable], labels: Collection[Label]) -> None:
        learner = self.learner
        if features and len(labels) > 1:
            problem = Problem(list(features), list(labels))
            if learner is None:
                learner = UFODT(problem, **self._settings)
                if learner.prior.learns_labels:
                    counts = np.array([float(self._counts.get(label, 0)) for label in labels])
                    learner._belief.set_counts(learner._belief.counts, counts)
            else:
                learner = grow(learner, problem)
        self._take(features, keys, labels, learner)

    def _take(
        self,
        features: Collection[Feature],
        keys: Collection[Hashable],
        labels: Collection[Label],
        learner: UFODT | None,
    ) -> None:
        self.features, self.keys, self.learner = tuple(features), tuple(keys), learner
        self.labels = {label: i for i, label in enumerate(labels)}
        self.places = [None if isinstance(f, Continuous) else {v: k for k, v in enumerate(f.values)} for f in features]
        self._index = {key: i for i, key in enumerate(keys)}
        self.epoch += 1

    def _priced(self, feature: Feature, key: Hashable) -> Feature:
        if not isinstance(self._costs, Mapping):
            return with_costs([feature], self._costs)[0]
        entry = self._costs.get(key, self._costs.get(feature.name, self._costs.get("others", 1.0)))
        return with_costs([feature], {feature.name: entry})[0]


def widen(feature: Feature, values: Iterable[Any], *, blank: bool = False) -> Feature:
    """Return a feature with room for the values as well: the same one, if it has room already.

    Parameters
    ----------
    values
        Values that are not missing.
    blank
        Nothing was ever learned of the feature, so it need not keep what it could say before.

    Examples
    --------
    >>> widen(Binary("x"), [1, 0.0, True])
    Binary(...name='x')
    >>> widen(Binary("x", price=2.0), [1, 37.5])
    Continuous(price=2.0...)
    >>> widen(Binary("x"), ["red", "green"], blank=True).values
    ('(any other)', 'green', 'red')
    >>> widen(widen(Binary("x"), ["red"]), ["blue"]).values
    ('(any other)', 0, 1, 'red', 'blue')
    """
    if isinstance(feature, Continuous):
        return feature
    known = set(feature.values)
    new = {value for value in map(plain, values) if _is_new(feature, value, known)}
    if not new:
        return feature
    if isinstance(feature, Binary):
        if all(isinstance(value, int | float) for value in new):
            return Continuous(feature.name, **terms(feature))
        kept = () if blank else feature.values
        return _with_values(feature, (OTHER, *kept), new)
    if len(feature.values) >= MAX_VALUES:
        return feature
    return _with_values(feature, tuple(feature.values), new)


def is_blank(learner: UFODT, feature: int) -> bool:
    """Whether nothing was learned of a feature, by its index."""
    first = sum(learner._compiled.n_outcomes[:feature])
    rows = slice(first, first + learner._compiled.n_outcomes[feature])
    is_counted = any(belief.counts[rows].any() for belief in learner._state.beliefs().values())
    *_, recent = learner._drift.state()  # an alarm would learn these again
    return not is_counted and not any(seen[0] == feature for evidence, _ in recent for seen in evidence)


def grow(learner: UFODT, problem: Problem) -> UFODT:
    """Return a learner of a larger problem that knows all that `learner` has learned, count by count.

    The problem holds the features and labels of the old one in their places, each feature the same or one that
    `widen` made of it. What is new starts from the prior.
    """
    grown = UFODT.__new__(UFODT)
    grown._take(states.begin(learner._settings._replace(problem=problem), learner.seed))
    grown._n_opened = learner._n_opened
    reserve = learner._drift.reserve
    *watched, recent = learner._drift.state()
    moved = [([_moved(learner, grown, seen) for seen in evidence], label) for evidence, label in recent]
    state: core.DriftState = (*watched, moved)  # type: ignore[assignment]
    kept = None if reserve is None else _carried(learner, reserve, grown)
    grown._belief = _carried(learner, learner._belief, grown)
    grown._drift.restore(grown._belief, state, kept)
    if learner._selection.on:
        grown._selection.set_weights(_weights(learner, grown))
    return grown


def move_view(learner: UFODT, grown: UFODT, view: int) -> int:
    """Return the number among all thresholds, after growing, of one that had a number before."""
    for f in range(learner.problem.n_features - 1, -1, -1):
        first = learner._belief.first_view(f)
        if 0 <= first <= view:
            return grown._belief.first_view(f) + view - first
    return view


def _name(key: Hashable, taken: Collection[str]) -> str:
    """A name for a feature that cases name by any key: 1 and "1" are two."""
    texts = (str(key), repr(key), f"{repr(key)} ({type(key).__name__})")
    return next(text for text in texts if text and text not in taken)


def _is_new(feature: Feature, value: Any, known: set[Any]) -> bool:
    try:
        if value in known:
            return False
    except TypeError:
        pass
    else:
        if is_name(plain(value)):
            return True
    raise InvalidValue(f"{feature.name}: value {value!r} came; expected a finite number, a text, True or False.")


def _with_values(feature: Feature, values: tuple[Any, ...], new: set[Any]) -> Categorical:
    in_order = sorted(new, key=lambda value: (isinstance(value, str), value))
    return Categorical(feature.name, [*values, *in_order[: MAX_VALUES - len(values)]], **terms(feature))


def _carried(learner: UFODT, belief: core.Belief, grown: UFODT) -> core.Belief:
    """The belief of a learner, in the shape of the one that it grows into."""
    carried = _with_new_numbers(learner, belief, grown)
    m, n_labels = learner.problem.n_labels, grown.problem.n_labels
    old_rows, new_rows = (np.cumsum([0, *one._compiled.n_outcomes]) for one in (learner, grown))
    before, after, cuts = belief.counts, carried.counts, belief.cuts
    old_views, views = belief.views(), carried.views()
    for f, (old, new) in enumerate(zip(learner.problem.features, grown.problem.features, strict=False)):
        block = before[old_rows[f] : old_rows[f + 1]]
        if isinstance(old, Continuous):
            after[new_rows[f] : new_rows[f + 1], :m] = block
            values, counts, n_seen = belief.sketch(f)
            carried.restore_sketch(f, cuts[f], values, _padded(counts, n_labels).ravel(), n_seen)
            if (view := carried.first_view(f)) >= 0:
                n_views = len(old.cuts) or learner.thresholds.n
                _carry_views(old_views, views, (belief.first_view(f), view, n_views), (m, n_labels))
        elif not isinstance(new, Continuous):
            for value, row in zip(old.values, block, strict=True):
                if row.any():
                    after[new_rows[f] + new.outcome(value), :m] = row
    carried.set_counts(after, _padded(belief.label_counts[None], n_labels)[0])
    carried.restore_views(*views)
    carried.set_temper(belief.temper[: carried.temper.size])
    if carried.n_pairs and belief.n_pairs:
        carried.set_pairs(_pairs(learner, belief, grown, carried))
    carried.set_kept(belief.kept)
    return carried


def _pairs(learner: UFODT, belief: core.Belief, grown: UFODT, carried: core.Belief) -> NDArray[np.float64]:
    """What was counted of outcomes that came together, by the rows of the grown learner."""
    rows: list[int] = []
    gone = -grown._compiled.n_rows
    firsts = np.cumsum([0, *grown._compiled.n_outcomes])
    for f, (old, new) in enumerate(zip(learner.problem.features, grown.problem.features, strict=False)):
        if isinstance(old, Continuous):
            outcomes = list(range(learner._compiled.n_outcomes[f]))
        elif isinstance(new, Continuous):
            cuts = carried.cuts[f]  # without any, a number has no outcomes that could come together with others
            outcomes = [bisect_left(cuts, float(value)) if cuts else gone for value in old.values]
        else:  # a value that was never met may be gone
            outcomes = [new.outcome(value) if value in new.values else gone for value in old.values]
        rows.extend(firsts[f] + outcome for outcome in outcomes)
    m, n_rows, n_labels = learner.problem.n_labels, grown._compiled.n_rows, grown.problem.n_labels
    a, b = (np.array(rows)[of] for of in np.triu_indices(len(rows), 1))
    stays = np.minimum(a, b) >= 0
    after = np.zeros((n_rows, n_rows, n_labels))
    np.add.at(after[:, :, :m], (np.minimum(a, b)[stays], np.maximum(a, b)[stays]), belief.pairs.reshape(-1, m)[stays])
    return after[np.triu_indices(n_rows, 1)].ravel()


def _with_new_numbers(learner: UFODT, belief: core.Belief, grown: UFODT) -> core.Belief:
    """A fresh belief of the grown learner that knows features which were yes or no as the numbers 0 and 1."""
    fresh, told = grown.belief, grown.belief
    rows = np.cumsum([0, *learner._compiled.n_outcomes])
    for f, (old, new) in enumerate(zip(learner.problem.features, grown.problem.features, strict=False)):
        if isinstance(new, Continuous) and not isinstance(old, Continuous):
            counts = belief.counts[rows[f] : rows[f + 1]]
            seen = counts.any(axis=1)
            n_seen = int(np.ceil(counts.sum()))
            values = np.array([float(value) for value in old.values])[seen]
            told.restore_sketch(f, [], values, _padded(counts[seen], grown.problem.n_labels).ravel(), n_seen)
    fresh.merge(told)
    return fresh


def _carry_views(
    old: tuple[NDArray[np.float64], ...],
    new: tuple[NDArray[np.float64], ...],
    views: tuple[int, int, int],
    n_labels: tuple[int, int],
) -> None:
    """Copy what is known of the thresholds of one feature: counts by view, bit and label; uses; sums."""
    (before, after, n), (m, wide) = views, n_labels
    new[0].reshape(-1, 2, wide)[after : after + n, :, :m] = old[0].reshape(-1, 2, m)[before : before + n]
    new[1].reshape(-1, wide)[after : after + n, :m] = old[1].reshape(-1, m)[before : before + n]
    new[2][after : after + n] = old[2][before : before + n]


def _moved(learner: UFODT, grown: UFODT, seen: "core.Seen") -> "core.Seen":
    """One thing seen in an old case, as the grown learner numbers it."""
    f, outcome, value, view = seen
    old, new = learner.problem.features[f], grown.problem.features[f]
    if isinstance(old, Continuous):
        return f, outcome, value, view if view < 0 else move_view(learner, grown, view)
    told = old.values[outcome]
    if isinstance(new, Continuous):
        return f, 0, number(told), -1
    return f, new.outcome(told), value, -1


def _weights(learner: UFODT, grown: UFODT) -> NDArray[np.float64]:
    """The perceptrons of a selection; two labels share one, which speaks for the second."""
    n, n_features = learner.problem.n_features, grown.problem.n_features
    before = learner._selection.weights.reshape(-1, n)
    after = grown._selection.weights.reshape(-1, n_features)
    if len(before) == 1 and len(after) > 1:
        before = np.vstack([-before, before])
    after[: len(before), :n] = before
    return after.ravel()


def _padded(counts: NDArray[np.float64], n_labels: int) -> NDArray[np.float64]:
    """Counts by label with a column of zeros for every new label."""
    return np.pad(counts, ((0, 0), (0, n_labels - counts.shape[1])))
