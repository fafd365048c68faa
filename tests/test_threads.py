"""One learner in several threads, and work that is broken off: nothing crashes, what is counted was learned."""

import gc
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ufodt
from ufodt import UFODT, Binary, Continuous, Problem, Selection, drift, stream

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


@pytest.mark.parametrize(
    "settings",
    [{}, {"drift": drift.discount(0.0)}, {"selection": Selection(3)}, {"selection": Selection.paper(3)}],
    ids=str,
)
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
        lambda: [learner.evaluate(X[:200], prices=np.ones((200, 6))) for _ in range(20)],
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
    """A signal while the core is at work; no garbage is collected meanwhile, since callbacks of that swallow it."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    def __enter__(self) -> None:
        gc.disable()
        self.before = signal.signal(signal.SIGALRM, signal.default_int_handler)
        signal.setitimer(signal.ITIMER_REAL, self.seconds)

    def __exit__(self, *_: object) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, self.before)
        gc.enable()


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
        learner = UFODT(PROBLEM, selection=Selection.paper(3), seed=1)
        try:
            with _Signal(seconds):
                learner.learn_many(table, labels)
        except KeyboardInterrupt:
            n_broken_off += 1
        taught = learner.belief.label_counts.sum() > 0
        assert bool(learner._selection.weights.any()) == taught, seconds
    assert n_broken_off > 0


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no process forks here")
@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork")
def test_a_process_may_fork_while_a_thread_learns() -> None:
    learner, done = UFODT(PROBLEM, seed=1), threading.Event()

    def run() -> None:
        while not done.is_set():
            learner.run(X, Y)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        context = multiprocessing.get_context("fork")
        for _ in range(5):
            child = context.Process(target=lambda: learner.learn_many(X[:5], Y[:5]))
            child.start()
            child.join(20)
            assert child.exitcode == 0
    finally:
        done.set()
        thread.join()


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no process forks here")
@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork")
def test_threads_may_fork_at_once() -> None:
    learners = [UFODT(PROBLEM, seed=seed) for seed in range(3)]

    def fork() -> None:
        for _ in range(100):
            if (child := os.fork()) == 0:
                os._exit(0)
            os.waitpid(child, 0)

    threads = [threading.Thread(target=fork, daemon=True) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive(), "two that fork wait for each other"
    assert all(learner.run(X[:5], Y[:5]).n_asked.sum() > 0 for learner in learners)


def test_a_failing_selection_leaves_the_learner_as_it_was() -> None:
    learner = UFODT(PROBLEM, selection=Selection.paper(3), seed=1)
    learner.learn_many(X[:50], Y[:50])
    counts, weights = learner.belief.label_counts, learner._selection.weights

    outcomes, values, labels = stream.cases(PROBLEM, X, Y)

    def break_off(belief: object) -> None:
        learner._selection.update_many(learner.belief, learner._compiled, outcomes, labels, values, None)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        learner._teach(lambda belief: belief.discount(0.5), break_off)
    np.testing.assert_array_equal(learner.belief.label_counts, counts)
    np.testing.assert_array_equal(learner._selection.weights, weights)


def test_who_keeps_more_in_a_learner_may_still_save_it(tmp_path: Path) -> None:
    class Mine(UFODT):
        def __getstate__(self) -> Any:
            return {"base": super().__getstate__(), "more": 1}

    learner = Mine(PROBLEM, seed=1)
    learner.run(X[:50], Y[:50])
    learner.save(tmp_path / "m.npz")
    assert ufodt.load(tmp_path / "m.npz").n_opened == 50


def test_a_merge_takes_belief_and_selection_of_one_moment() -> None:
    one, other = (UFODT(PROBLEM, selection=Selection.paper(3), seed=1) for _ in range(2))
    with one._alone:  # so that the merge has to wait with what it took
        thread = threading.Thread(target=one.merge, args=(other,))
        thread.start()
        time.sleep(0.2)
        other.learn_many(X[:200], Y[:200])
    thread.join()
    assert one.belief.label_counts.sum() == 0 and not one._selection.weights.any()
