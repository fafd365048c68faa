"""The prior of a feature, shaped as its outcomes come over all labels."""

import math

import numpy as np
import pytest

from ufodt import core

from .small import Small, policy, small


def rounded(x: float) -> float:
    """To two bits behind the first one."""
    unit = 2.0 ** (math.floor(math.log2(x)) - 2)
    return math.floor(x / unit + 0.5) * unit


def alpha(case: Small, flags: list[int]) -> np.ndarray:
    """Prior and counts by hand."""
    counts, prior = case.belief.counts, case.belief.prior.copy()
    for f, flag in enumerate(flags):
        if flag:
            rows = case.rows(f)
            came = counts[rows].sum(axis=1) + 4
            prior[rows] *= np.array([rounded(len(came) * n / came.sum()) for n in came])[:, None]
    return np.asarray(prior + counts)


def teach(rng: np.random.Generator, case: Small, n: int) -> list[tuple[list[tuple[int, int]], int]]:
    cases = []
    for _ in range(n):
        seen = [(f, int(k * rng.random() ** 3)) for f, k in enumerate(case.n_outcomes) if rng.random() < 0.6]
        cases.append((seen, int(rng.integers(case.n_labels))))
    return cases


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("n", [0, 1, 5, 40, 300])
def test_a_prior_is_shaped_as_outcomes_come_whatever_the_label(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    flags = [1, 0, 1, 1]
    one, other, table = (small([2, 3, 2, 5], 3) for _ in range(3))
    cases = teach(rng, one, n)
    for case in (one, other, table):
        case.belief.pool(flags)
    for seen, label in cases:
        one.belief.update(seen, label)
    for seen, label in cases[::-1]:
        other.belief.update(seen, label)
    table.belief.set_counts(one.belief.counts, one.belief.label_counts)
    expected = alpha(one, flags)
    for f in range(4):
        expected[one.rows(f)] /= expected[one.rows(f)].sum(axis=0)
    for case in (one, other, table):  # in any order, and from counts alone
        np.testing.assert_allclose(case.belief.mean()[0], expected, rtol=1e-12)


def test_draws_and_answers_go_by_it() -> None:
    """Yes came 30 times of 31 under the first label: under the second, never met, it is no coin."""
    flat, pooled = small([2], 2), small([2], 2)
    pooled.belief.pool([1])
    for case in (flat, pooled):
        for outcome in [1] * 30 + [0]:
            case.belief.update([(0, outcome)], 0)
    drawn = [np.mean([case.belief.draw(seed=seed)[1, 1] for seed in range(400)]) for case in (flat, pooled)]
    assert abs(drawn[0] - 0.5) < 0.05 and drawn[1] > 0.85
    yes = np.ones((1, 1), np.int16)
    answers = [case.belief.posteriors(case.problem, yes, np.zeros((1, 0)), [-1])[0] for case in (flat, pooled)]
    prior = flat.belief.label_prior + flat.belief.label_counts
    assert answers[0][1] < 0.6 * prior[1] / prior.sum()
    assert answers[1][1] == pytest.approx(prior[1] / prior.sum(), rel=0.1)


def test_a_row_that_is_left_out_leaves_its_shape_too() -> None:
    """Judging a table takes a case away and puts it back."""
    case = small([2, 2], 2)
    case.belief.learn_temper()
    case.belief.pool([1, 1])
    rng = np.random.default_rng(1)
    table = rng.integers(0, 2, (30, 2)).astype(np.int16)
    labels = rng.integers(0, 2, 30).astype(np.int32)
    case.belief.update_many(case.problem, table, labels)
    before = case.belief.mean()[0]
    tree = core.Tree(case.problem, policy(criterion="ig", stop=[], plan="mean"), case.belief, seed=1, number=0)
    core.learn_trust(case.belief, tree, table, labels)
    np.testing.assert_array_equal(case.belief.mean()[0], before)


def test_what_merges_is_shaped_alike() -> None:
    one, other = small([2, 3]).belief, small([2, 3]).belief
    one.pool([1, 1])
    with pytest.raises(ValueError, match="same prior"):
        one.merge(other)
    with pytest.raises(ValueError, match="one flag for each feature"):
        one.pool([1])
