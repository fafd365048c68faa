"""What a learner holds and how it changes: the belief, what watches it, and which cases were opened.

The core works on whole tables without Python's own lock, so everything that touches what is held does so alone, one
thread at a time. Ctrl-C is heard after a call of the core has ended, never within: what is counted and what is
learned are changed without a call between them.
"""

import os
from collections.abc import Callable
from dataclasses import asdict
from operator import attrgetter
from threading import Lock, RLock
from typing import Any
from weakref import WeakSet

import numpy as np
from numpy.typing import NDArray

from ufodt import belief as beliefs
from ufodt import core, model_file, stream
from ufodt import evidence as evidences
from ufodt import policy as policies
from ufodt import state as states
from ufodt.amount import number
from ufodt.drift import Drift
from ufodt.errors import InvalidValue
from ufodt.evidence import Evidence
from ufodt.manifest import Settings
from ufodt.policy import Policy
from ufodt.prior import Prior
from ufodt.problem import Label, Problem
from ufodt.selection import Selection
from ufodt.state import State
from ufodt.thresholds import Thresholds

TREE = 2**62  # stream of random numbers for the tree of the mean belief, far from any case's

_Change = Callable[[core.Belief], None]


class Memory:
    """Everything about a learner at this moment, and all that it learns; `ufodt.UFODT` is what can be done with it."""

    _settings: Settings
    _seed: int
    _n_opened: int
    _compiled: core.Problem
    _policy: core.Policy
    _belief: core.Belief
    _drift: core.Drift
    _selection: core.Selection
    _alone: RLock

    @property
    def belief(self) -> core.Belief:
        """A copy of what is believed now."""
        with self._alone:
            return self._belief.copy()

    @property
    def n_opened(self) -> int:
        """How many cases were opened, by `open` or by `run`."""
        return self._n_opened

    def learn(self, evidence: Evidence, label: Label) -> None:
        """Learn from a case once its label is known; cases may come in any order."""
        seen, rewards = evidences.to_core(evidence, self.problem, self.thresholds, self._belief)
        at = self.problem.label_index(label)
        try:
            self._learn_seen(seen, at, rewards)
        except (IndexError, ValueError, TypeError) as error:
            raise InvalidValue(f"The evidence does not fit this learner: {error}.") from None

    def learn_many(self, X: Any, y: Any, *, weights: Any = None) -> None:
        """Learn from a table of old cases whose cells are already paid for; missing cells teach nothing.

        What was learned before does not fade as a table is learned: `drift` is for what comes case by case.

        With `weights`, one per case, the table is counted as a whole: the order of its rows makes no difference but for
        rounding, a weight of 2 is the same as two rows, and 0 as none. Without, cut points are found row by row.

        A feature selection by weights learns from the table too, every cell as it is, since all were sure to be had:
        row by row, or with `weights` from all rows at once. Exp3's sums stay as they are: they add up the gains that
        plans saw when they chose a threshold, and a table comes without plans; all thresholds are counted, however.

        How far several answers together are trusted, and whether to go by what comes together, is learned from what
        `evaluate` would have paid for in each case, with pairs and without, and is judged as if that case had not been
        learned. That takes two trees for each table: single cases are for `learn`.
        """
        outcomes, values, labels = stream.cases(self.problem, X, y)
        given = None if weights is None else stream.checked_weights(weights, len(labels))

        def select(belief: core.Belief) -> None:
            self._selection.update_many(belief, self._compiled, outcomes, labels, values, given)

        def trust(belief: core.Belief) -> None:
            ways = [belief.using_pairs(uses) for uses in (False, True)] if belief.n_pairs else [belief]
            for tree in [self._tree(way) for way in ways]:
                core.learn_trust(belief, tree, outcomes, labels, values, given, share=1 / len(ways))

        if given is None:
            self._teach(
                lambda belief: belief.update_many(self._compiled, outcomes, labels, values), select, trust=trust
            )
        else:
            fresh = states.fresh_belief(self._settings, self._compiled)
            cases = beliefs.Weighted(labels, given)
            table = beliefs.from_table(fresh, self.problem, self._compiled, (outcomes, values), cases)

            def count(belief: core.Belief) -> None:
                belief.merge(table)
                belief.add_pairs(self._compiled, outcomes, labels, values, given)

            self._teach(count, select, trust=trust)

    def merge(self, other: "Memory") -> None:
        """Add what another learner of the same problem and prior has learned.

        The counts of labels, yes-or-no and named values add exactly. A number's are counted again, from the values that
        each keeps in summary: between the cut points of this learner, or between new ones where learning value by value
        would have moved them or the other brings a fair share. Its pairs with other features go where its values went.
        Merging the same learner twice counts its cases twice.

        Where drift leads to a prior of its own, that must be the same too; what both have forgotten of the prior of the
        start adds up. So do the weights of a feature selection, where both have some. Of a learner that had an alarm
        recently (`drift.auto()`), what it learned since is added; what it keeps in reserve goes into the reserve, where
        this learner has one.
        """
        if not isinstance(other, Memory):
            raise InvalidValue(f"{other!r} came to be merged; expected another learner.")
        if other is self:
            raise InvalidValue("A learner came to be merged with itself, which would count every case twice.")
        parts = ("problem", "prior", "thresholds", "drift.prior")
        differ = [part for part in parts if attrgetter(part)(self) != attrgetter(part)(other)]
        if differ:
            raise InvalidValue(
                "Learners merge only when problem, prior, thresholds and the prior that drift leads to are the same; "
                f"these differ in {', '.join(differ)}."
            )
        with other._alone:
            theirs, in_reserve, selection = other.belief, other._drift.reserve, other._copy_of_selection()
        both_weigh = self._selection.weights.size > 0 and selection.weights.size > 0
        self._teach(
            lambda belief: belief.merge(theirs),
            (lambda _: self._selection.merge(selection)) if both_weigh else None,
            None if in_reserve is None else lambda belief: belief.merge(in_reserve),
        )

    def discount(self, gamma: float) -> None:
        """Forget a fraction `gamma` of everything learned, as the paper handles drift: the prior gains weight."""
        if not 0 <= number(gamma) <= 1:
            raise InvalidValue(f"A discount of {gamma!r} came; expected a fraction from 0 to 1.")
        self._teach(lambda belief: belief.discount(number(gamma)))

    def _teach(
        self,
        change: _Change,
        select: _Change | None = None,
        change_reserve: _Change | None = None,
        trust: _Change | None = None,
    ) -> None:
        """Change the belief, the one that `drift.auto()` keeps in reserve, and the selection: all, or nothing.

        What is planned by these comes last: how far answers are trusted, where that is learned and answers are by the
        mean belief.
        """
        with self._alone:
            belief, reserve, watched = self._belief.copy(), self._drift.reserve, self._drift.state()
            change(belief)
            if reserve is not None:
                (change_reserve or change)(reserve)
            weights = self._selection.weights
            try:
                if select is not None:
                    select(belief)
                if trust is not None and self.prior.learns_trust and self.policy.predict == "mean":
                    for changed in (belief, reserve):
                        if changed is not None:
                            trust(changed)
            except BaseException:
                self._selection.set_weights(weights)
                raise
            self._belief = belief
            self._drift.restore(belief, watched, reserve)

    @property
    def problem(self) -> Problem:
        return self._settings.problem

    @property
    def policy(self) -> Policy:
        return self._settings.policy

    @property
    def prior(self) -> Prior:
        return self._settings.prior

    @property
    def thresholds(self) -> Thresholds:
        return self._settings.thresholds

    @property
    def drift(self) -> Drift:
        return self._settings.drift

    @property
    def selection(self) -> Selection:
        return self._settings.selection

    @property
    def seed(self) -> int:
        return self._seed

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the learner to a file; a loaded learner goes on exactly as this one would."""
        model_file.write(path, *Memory.__getstate__(self))

    def __getstate__(self) -> tuple[dict[str, Any], dict[str, NDArray[np.float64]]]:
        with self._alone:
            return states.describe(self._state)

    def __setstate__(self, described: tuple[dict[str, Any], dict[str, NDArray[np.float64]]]) -> None:
        self._take(states.restore(*described))

    @property
    def _state(self) -> State:
        """Everything about the learner, as it is now and not a copy."""
        held = (self._compiled, self._policy, self._belief, self._drift, self._selection)
        return State(self._settings, self._seed, self._n_opened, *held)

    def _take(self, state: State) -> None:
        """Become the learner of that moment."""
        self._settings, self._seed, self._n_opened = state.settings, state.seed, state.n_opened
        self._compiled, self._policy = state.compiled, state.policy
        self._belief, self._drift, self._selection = state.belief, state.drift, state.selection
        self._spare: core.Plan | None = None  # a plan whose case is over, for the memory it holds
        self._alone = RLock()
        _all.add(self)

    # --- for adapters, which work by indices ---------------------------------------------------------------

    def _begin_plan(self, price: list[float]) -> core.Plan:
        """The plan of the next case, in the memory of one that is over; `_end_plan` counts it."""
        with self._alone:
            plan, self._spare = self._spare, None  # taken, since reading a value may lead to another case
            terms: dict[str, Any] = {"seed": self.seed, "number": self._n_opened, "price": price}
            terms |= {"selection": self._selection, "drift": self._drift}
            if plan is None:
                return core.Plan(self._compiled, self._policy, self._belief, **terms)
            plan.begin(self._belief, **terms)
            return plan

    def _end_plan(self, plan: core.Plan) -> None:
        with self._alone:
            self._n_opened += 1
            self._spare = None if self._belief.is_paired else plan  # with its pairs, learning would copy them

    def _learn_seen(self, seen: "list[core.Seen]", label: int, rewards: list[tuple[int, float]]) -> None:
        with self._alone:
            core.learn(self._belief, self._drift, self._selection, seen, label, rewards)

    # --- within --------------------------------------------------------------------------------------------

    def _copy_of_selection(self) -> core.Selection:
        copied = core.Selection(self._compiled, **asdict(self.selection))
        copied.set_weights(self._selection.weights)
        return copied

    def _settled(self, belief: core.Belief | None = None) -> core.Policy:
        """The policy that explores no more, by this belief or, held alone, by the current one."""
        return policies.settled(self.policy, self.problem, self._compiled, belief or self._belief)

    def _tree(self, belief: core.Belief | None = None) -> core.Tree:
        """The tree of the mean belief: of this one, or of what is believed now."""
        with self._alone:
            held = belief or self._belief
            policy = self._settled(held)
            return core.Tree(self._compiled, policy, held, seed=self.seed, number=TREE, selection=self._selection)


# --- a process that forks goes on with learners that nobody is in the middle of changing ---------------------

_all: "WeakSet[Memory]" = WeakSet()
_held: list[Memory] = []
_forking = Lock()  # two threads may fork at once


def _wait_for_all() -> None:
    _forking.acquire()
    _held[:] = list(_all)
    for memory in _held:
        memory._alone.acquire()


def _let_go() -> None:
    for memory in _held:
        memory._alone.release()
    _held.clear()
    _forking.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_wait_for_all, after_in_parent=_let_go, after_in_child=_let_go)
