"""Bins that share what they count: as the formula says, fair to every label, the less the more was seen."""

import numpy as np
import pytest

from ufodt import core

from .test_sketch import teach

N_BINS, SHARE = 6, 0.3


def made(n_labels: int, *, spread: float = SHARE, cuts: tuple[float, ...] = ()) -> tuple[core.Problem, core.Belief]:
    problem = core.Problem(
        [N_BINS], n_labels, [1.0], [1.0], [-1], 1.0 - np.eye(n_labels), continuous=[1], cuts=[list(cuts)]
    )
    return problem, core.Belief(problem, np.ones((N_BINS, n_labels)), np.ones(n_labels), True, spread=spread)


def by_hand(counts: np.ndarray, share: float) -> tuple[np.ndarray, np.ndarray]:
    """The counts that neighbours have shared, by flows between them, and how sure a label's values are."""
    in_bin, shared = counts.sum(axis=1), counts.copy()
    shares = share / np.sqrt(1 + counts.sum(axis=0) / 300)
    for low, high in zip(range(len(counts) - 1), range(1, len(counts)), strict=True):
        smaller = min(in_bin[low], in_bin[high])
        if smaller > 0:
            upwards = shares * counts[low] * smaller / in_bin[low]
            downwards = shares * counts[high] * smaller / in_bin[high]
            shared[low] += downwards - upwards
            shared[high] += upwards - downwards
    return shared, 1 / ((1 - 2 * shares) ** 2 + 2 * shares**2)


@pytest.mark.parametrize("n_labels", [2, 4])
@pytest.mark.parametrize("n_cases", [9, 60, 2000])
def test_the_mean_is_that_of_the_shared_counts(n_labels: int, n_cases: int) -> None:
    rng = np.random.default_rng(n_cases)
    problem, belief = made(n_labels)
    labels = rng.integers(0, n_labels, n_cases)
    values = np.where(rng.random(n_cases) < 0.3, 0.0, rng.normal(size=n_cases) + labels)  # one value is frequent
    teach(problem, belief, values, labels)
    n_bins = len(belief.cuts[0]) + 1
    shared, _ = by_hand(belief.counts[:n_bins], SHARE)
    np.testing.assert_allclose(shared.sum(axis=0), np.bincount(labels, minlength=n_labels))
    expected = (1 + shared) / (1 + shared).sum(axis=0)
    np.testing.assert_allclose(belief.mean()[0].reshape(N_BINS, n_labels)[:n_bins], expected, rtol=1e-9)


def test_one_value_more_is_as_all_at_once() -> None:
    rng = np.random.default_rng(5)
    (problem, one_by_one), (_, at_once) = made(2), made(2)
    values, labels = rng.normal(size=100), rng.integers(0, 2, 100)
    for i in range(100):
        teach(problem, one_by_one, values[i : i + 1], labels[i : i + 1])
    teach(problem, at_once, values, labels)
    np.testing.assert_array_equal(one_by_one.mean()[0], at_once.mean()[0])


def test_what_every_label_has_alike_stays() -> None:
    rng = np.random.default_rng(6)
    problem, belief = made(3)
    values = np.repeat(rng.exponential(size=60), 3)
    teach(problem, belief, values, np.tile([0, 1, 2], 60))
    shared, _ = by_hand(belief.counts, SHARE)
    np.testing.assert_allclose(shared, belief.counts, rtol=1e-9)
    np.testing.assert_allclose(belief.mean()[0].reshape(N_BINS, 3), (1 + shared) / (1 + shared).sum(axis=0), rtol=1e-9)


def test_draws_are_as_sure_as_what_is_shared() -> None:
    rng = np.random.default_rng(7)
    problem, belief = made(2)
    labels = rng.integers(0, 2, 90)
    teach(problem, belief, rng.normal(size=90) + labels, labels)
    shared, sureness = by_hand(belief.counts, SHARE)
    assert (sureness > 2).all()
    alpha = sureness * (1 + shared)
    p = alpha / alpha.sum(axis=0)
    draws = np.array([belief.draw(seed=s).reshape(N_BINS, 2) for s in range(4000)])
    np.testing.assert_allclose(draws.mean(axis=0), p, atol=0.005)
    np.testing.assert_allclose(draws.var(axis=0), p * (1 - p) / (alpha.sum(axis=0) + 1), rtol=0.15)


@pytest.mark.parametrize("why", ["nothing is to be shared", "cut points of its own", "a value for each bin"])
def test_bins_count_for_themselves(why: str) -> None:
    rng = np.random.default_rng(8)
    own = (-1.0, 0.0, 1.0, 2.0, 3.0) if why == "cut points of its own" else ()
    problem, belief = made(2, spread=0.0 if why == "nothing is to be shared" else SHARE, cuts=own)
    labels = rng.integers(0, 2, 90)
    values = rng.normal(size=90) + labels
    teach(problem, belief, np.sign(values) if why == "a value for each bin" else values, labels)
    n_bins = len(belief.cuts[0]) + 1
    counts = belief.counts[:n_bins]
    assert counts.sum() == 90 and n_bins > 1
    np.testing.assert_allclose(
        belief.mean()[0].reshape(N_BINS, 2)[:n_bins], (1 + counts) / (1 + counts).sum(axis=0), rtol=1e-9
    )


@pytest.mark.parametrize("spread", [-0.1, 0.41, np.nan])
def test_more_cannot_be_shared(spread: float) -> None:
    with pytest.raises(ValueError, match=r"from 0 to 0\.4"):
        made(2, spread=spread)
