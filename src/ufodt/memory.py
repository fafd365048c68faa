"""What a learner holds and how it changes: the belief, what watches it, and which cases were opened.

The core works on whole tables without Python's own lock, so everything that touches what is held does so alone, one
thread at a time. Ctrl-C is heard after a call of the core has ended, never within: what is counted and what is
learned are changed without a call between them.
"""

import os
from collections.abc import Callable
from dataclasses import asdict
from threading import Lock, RLock
from typing import Any
from weakref import WeakSet

import numpy as np
from numpy.typing import NDArray

from ufodt import core, model_file
from ufodt import policy as policies
from ufodt import state as states
from ufodt.drift import Drift
from ufodt.manifest import Settings
from ufodt.policy import Policy
from ufodt.prior import Prior
from ufodt.problem import Problem
from ufodt.selection import Selection
from ufodt.state import State
from ufodt.thresholds import Thresholds

TREE = 2**62  # stream of random numbers for the tree of the mean belief, far from any case's

_Change = Callable[[core.Belief], None]


class Memory:
    """Everything about a learner at this moment; `ufodt.UFODT` is what can be done with it."""

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

    def _copy_of_selection(self) -> core.Selection:
        copied = core.Selection(self._compiled, **asdict(self.selection))
        copied.set_weights(self._selection.weights)
        return copied

    # --- within --------------------------------------------------------------------------------------------

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
