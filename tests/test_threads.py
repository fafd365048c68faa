"""One learner in several threads, and work that is broken off: nothing crashes, what is counted was learned."""

import signal
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ufodt
from ufodt import UFODT, Binary, Continuous, Problem, Selection, drift

N = 3000
RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(N, 6)), RNG.integers(0, 2, N)
PROBLEM = Problem([Continuous(f"c{i}") for i in range(6)], labels=[0, 1])


def at_once(*work: Callable[[], Any]) -> None:
    failed: list[BaseException] = []

    def guarded(one: Callable[[], Any]) -> None:
        try:
            one()
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=guarded, args=(one,)) for one in work]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed, failed


@pytest.mark.parametrize("settings", [{}, {"drift": drift.discount(0.0)}, {"selection": Selection(3)}], ids=str)
def test_threads_may_share_a_learner_and_nothing_is_lost(settings: dict[str, Any]) -> None:
    learner = UFODT(PROBLEM, seed=1, **settings)

    def sessions() -> None:
        for i in range(100):
            session = learner.open()
            session.tell("c0", float(X[i, 0]))
            learner.learn(session.evidence, int(Y[i]))

    at_once(
        lambda: learner.run(X, Y),
        lambda: [learner.learn_many(X[:200], Y[:200]) for _ in range(20)],
        sessions,
        lambda: [learner.evaluate(X[:50]) for _ in range(20)],
    )
    assert learner.n_opened == N + 100
    assert learner.belief.label_counts.sum() == N + 20 * 200 + 100


def test_a_model_saved_beside_a_run_is_that_of_one_moment(tmp_path: Path) -> None:
    learner, done = UFODT(PROBLEM, seed=1), threading.Event()

    def save() -> None:
        while not done.is_set():
            learner.save(tmp_path / "m.npz")
            saved = ufodt.load(tmp_path / "m.npz")
            assert saved.n_opened == saved.belief.label_counts.sum()

    def run() -> None:
        for _ in range(10):
            learner.run(X, Y)
        done.set()

    at_once(run, save)


class _Signal:
    """A signal that comes while the core is at work."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    def __enter__(self) -> None:
        self.before = signal.signal(signal.SIGALRM, signal.default_int_handler)
        signal.setitimer(signal.ITIMER_REAL, self.seconds)

    def __exit__(self, *_: object) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, self.before)


def test_ctrl_c_in_the_middle_of_a_run_leaves_as_many_learned_as_counted() -> None:
    problem = Problem([Binary(f"b{i}") for i in range(40)], labels=[0, 1, 2])
    table, labels = RNG.integers(0, 2, (100_000, 40)), RNG.integers(0, 3, 100_000)
    for seconds in (0.11, 0.17, 0.23):
        learner = UFODT(problem, seed=1)
        with pytest.raises(KeyboardInterrupt), _Signal(seconds):
            learner.run(table, labels)
        assert 0 < learner.n_opened < 100_000
        assert learner.n_opened == learner.belief.label_counts.sum()


def test_ctrl_c_in_learn_many_leaves_all_or_nothing() -> None:
    table, labels = RNG.normal(size=(60_000, 6)), RNG.integers(0, 2, 60_000)
    n_broken_off = 0
    for seconds in (0.005, 0.01, 0.02, 0.04, 0.06):
        learner = UFODT(PROBLEM, selection=Selection(3), seed=1)
        try:
            with _Signal(seconds):
                learner.learn_many(table, labels)
        except KeyboardInterrupt:
            n_broken_off += 1
        taught = learner.belief.label_counts.sum() > 0
        assert bool(learner._selection.weights.any()) == taught, seconds
    assert n_broken_off > 0
