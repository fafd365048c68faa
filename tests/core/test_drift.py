"""Forgetting: by a share of every count, or all at once when the world has moved and only then."""

import math

import numpy as np
import pytest

from ufodt import core

N, M = 6, 2


def world(rng: np.random.Generator, n: int, flip: bool) -> tuple[np.ndarray, np.ndarray]:
    """Binary features that agree with the label nine times in ten, or disagree where flipped."""
    labels = rng.integers(0, M, n)
    noise = rng.random((n, N)) < 0.1
    return ((labels[:, None] ^ noise) ^ flip).astype(np.int16), labels.astype(np.int32)


def fresh() -> tuple[core.Problem, core.Belief, core.Policy]:
    problem = core.Problem([2] * N, M, [1.0] * N, [1.0] * N, [-1] * N, 1.0 - np.eye(M))
    policy = core.Policy(
        criterion="ig",
        stop=[("cost_benefit", 50.0, 0)],
        budget=math.inf,
        n_hypotheses=64,
        distinct=False,
        redraw_below=16,
        predict_theta=False,
        plan="draw",
    )
    return problem, core.Belief(problem, np.ones((2 * N, M)), np.ones(M), True), policy


def run(drift: core.Drift, *worlds: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    problem, belief, policy = fresh()
    outcomes, labels = (np.concatenate(parts) for parts in zip(*worlds, strict=True))
    record = core.run(problem, policy, belief, seed=1, number=0, outcomes=outcomes, labels=labels, drift=drift)
    return record[0] == labels


def test_a_discount_comes_before_the_case_is_counted() -> None:
    _, belief, _ = fresh()
    drift = core.Drift(gamma=0.25)
    selection = core.Selection(core.Problem([2] * N, M, [1.0] * N, [1.0] * N, [-1] * N, 1.0 - np.eye(M)))
    for _ in range(3):
        core.learn(belief, drift, selection, [(0, 1, 0.0, -1)], 1)
    assert belief.counts[1, 1] == pytest.approx((1 * 0.75 + 1) * 0.75 + 1)
    assert belief.label_counts[1] == pytest.approx((1 * 0.75 + 1) * 0.75 + 1)


@pytest.mark.parametrize("seed", range(8))
def test_a_world_that_turns_round_is_noticed_and_learned_anew(seed: int) -> None:
    rng = np.random.default_rng(seed)
    drift = core.Drift(automatic=True)
    right = run(drift, world(rng, 400, flip=False), world(rng, 400, flip=True))
    assert 1 <= drift.n_alarms <= 6  # a young belief may be wrong, at little cost
    assert right[300:400].mean() > 0.85 and right[430:].mean() > 0.85
    assert run(core.Drift(), world(rng, 400, flip=False), world(rng, 400, flip=True))[430:500].mean() < 0.5


@pytest.mark.parametrize("seed", range(8))
def test_hardly_an_alarm_stays_where_nothing_moves(seed: int) -> None:
    rng = np.random.default_rng(100 + seed)
    still, watched = world(rng, 3000, flip=False), core.Drift(automatic=True)
    lost = run(core.Drift(), still).mean() - run(watched, still).mean()
    assert watched.n_alarms <= 2 and lost < 0.02  # sixty cases suffice here: a false alarm hardly costs


def test_state_and_reserve_come_back() -> None:
    rng = np.random.default_rng(7)
    problem, belief, policy = fresh()
    drift = core.Drift(automatic=True)
    first, then = world(rng, 200, flip=False), world(rng, 14, flip=True)
    for outcomes, labels in (first, then):
        core.run(problem, policy, belief, seed=1, number=0, outcomes=outcomes, labels=labels, drift=drift)
    copy = core.Drift(automatic=True)
    copy.restore(belief, drift.state(), drift.reserve)
    assert copy.state() == drift.state() and drift.reserve is not None and copy.reserve is not None
    np.testing.assert_array_equal(copy.reserve.counts, drift.reserve.counts)
