"""Values of a continuous feature: counts are never lost, and cut points are where they should be."""

import itertools

import numpy as np
import pytest

from ufodt import core

N_LABELS = 3


def continuous(n_bins: int, cuts: list[float] | None = None) -> tuple[core.Problem, core.Belief]:
    problem = core.Problem(
        [n_bins], N_LABELS, [1.0], [1.0], [-1], 1.0 - np.eye(N_LABELS), continuous=[1], cuts=[cuts or []]
    )
    return problem, core.Belief(problem, np.ones((n_bins, N_LABELS)), np.ones(N_LABELS), True)


def teach(problem: core.Problem, belief: core.Belief, values: np.ndarray, labels: np.ndarray) -> None:
    outcomes = np.zeros((len(values), 1), dtype=np.int16)
    belief.update_many(problem, outcomes, labels.astype(np.int32), np.ascontiguousarray(values[:, None]))


def test_no_count_is_lost_however_many_values_come() -> None:
    rng = np.random.default_rng(1)
    problem, belief = continuous(5)
    values, labels = rng.normal(size=3000), rng.integers(0, N_LABELS, 3000)
    teach(problem, belief, values, labels)
    cells, counts, n_seen = belief.sketch(0)
    assert n_seen == 3000 and len(cells) <= 64 and (np.diff(cells) > 0).all()
    np.testing.assert_allclose(counts.sum(axis=0), np.bincount(labels, minlength=N_LABELS))
    np.testing.assert_allclose(belief.counts.sum(axis=0), np.bincount(labels, minlength=N_LABELS))


def test_few_different_values_are_kept_exactly() -> None:
    rng = np.random.default_rng(2)
    problem, belief = continuous(4)
    values, labels = rng.integers(0, 40, 500).astype(float), rng.integers(0, N_LABELS, 500)
    teach(problem, belief, values, labels)
    cells, counts, _ = belief.sketch(0)
    for cell, row in zip(cells, counts, strict=True):
        np.testing.assert_array_equal(row, np.bincount(labels[values == cell], minlength=N_LABELS))


def test_early_cut_points_share_the_values_out_evenly() -> None:
    rng = np.random.default_rng(3)
    problem, belief = continuous(4)
    values = rng.exponential(size=32)
    teach(problem, belief, values, rng.integers(0, N_LABELS, 32))
    shares = np.histogram(values, [-np.inf, *belief.cuts[0], np.inf])[0]
    assert shares.tolist() == [8, 8, 8, 8]


def log_likelihood(counts: np.ndarray) -> float:
    return float((counts * np.log(counts + 1)).sum() - counts.sum() * np.log((counts + 1).sum()))


def evenly(weights: np.ndarray, n_bins: int) -> set[int]:
    """Where bins begin that share out the weight: one ends where the next cell would take it further from its share."""
    edges: set[int] = set()
    left, here = weights.sum(), 0.0
    for i in range(len(weights) - 1):
        here += weights[i]
        if len(edges) < n_bins - 1 and here + weights[i + 1] / 2 >= left / (n_bins - len(edges)):
            edges.add(i + 1)
            left, here = left - here, 0.0
    return edges


@pytest.mark.parametrize("spread", [0.3, 3.0])
@pytest.mark.parametrize("seed", range(5))
def test_late_cut_points_make_the_labels_likeliest_each_for_the_price_of_its_choice(seed: int, spread: float) -> None:
    rng = np.random.default_rng(seed)
    problem, belief = continuous(4)
    labels = rng.integers(0, N_LABELS, 256)
    values = np.round(rng.normal(labels, spread) * 2)
    teach(problem, belief, values, labels)
    cells, counts, _ = belief.sketch(0)
    even = evenly(counts.sum(axis=1), 4)

    def score(edges: tuple[int, ...]) -> float:
        told = sum(log_likelihood(part.sum(axis=0)) for part in np.split(counts, edges))
        return told - len(set(edges) - even) * np.log(len(cells))

    best = max(score(edges) for edges in itertools.combinations(range(1, len(cells)), 3))
    found = tuple(int(np.searchsorted(cells, cut)) for cut in belief.cuts[0])
    assert score(found) == pytest.approx(best)


def test_a_cut_point_moves_only_for_what_it_tells() -> None:
    """Thirty-two values, each eight times: cut evenly at 7.5, 15.5 and 23.5, whatever the labels that take turns."""
    values = np.repeat(np.arange(32.0), 8)
    order = np.random.default_rng(5).permutation(len(values))
    for labels, moved in (
        (np.arange(256) % 2, set()),
        ((values > 28) * 1, {28.5}),
        (np.where(values < 2, 1, np.where(values > 28, 2, 0)), {1.5, 28.5}),
    ):
        problem, belief = continuous(4)
        teach(problem, belief, values[order], labels[order])
        assert len(belief.cuts[0]) == 3 and set(belief.cuts[0]) - {7.5, 15.5, 23.5} == moved


def test_more_bins_wait_longer_for_cut_points_by_the_labels() -> None:
    """Half of the values are of one label, all but one bin of which goes to the other half once labels count."""
    rng = np.random.default_rng(9)
    values = rng.permutation(np.arange(512.0) % 60)
    labels = np.where(values < 30, 0, values.astype(int) // 4 % 2)
    for n_values, by_shares in ((64, True), (128, False)):
        problem, belief = continuous(8)
        teach(problem, belief, values[:n_values], labels[:n_values])
        assert ((np.array(belief.cuts[0]) < 29).sum() > 1) == by_shares


def test_moving_cut_points_counts_everything_again_between_them() -> None:
    rng = np.random.default_rng(4)
    problem, belief = continuous(4)
    values, labels = rng.integers(0, 50, 256).astype(float), rng.integers(0, N_LABELS, 256)
    teach(problem, belief, values, labels)
    bins = np.searchsorted(belief.cuts[0], values, side="left")
    expected = np.array([np.bincount(labels[bins == k], minlength=N_LABELS) for k in range(4)])
    np.testing.assert_array_equal(belief.counts, expected)


def test_fixed_cut_points_stay_and_a_value_on_one_lies_below_it() -> None:
    problem, belief = continuous(3, cuts=[0.0, 1.0])
    teach(problem, belief, np.array([0.0, 0.5, 1.0, 1.5, -2.0]), np.zeros(5))
    assert belief.cuts[0] == [0.0, 1.0]
    np.testing.assert_array_equal(belief.counts[:, 0], [2, 2, 1])


def test_a_constant_column_is_cut_at_its_value_and_is_then_as_a_yes_or_no_that_is_always_no() -> None:
    problem, belief = continuous(4)
    labels = np.arange(300) % N_LABELS
    teach(problem, belief, np.full(300, 7.0), labels)
    assert belief.cuts[0] == [7.0]
    counts = np.bincount(labels, minlength=N_LABELS)
    no = (1 + counts) / (2 + counts)
    assert belief.mean()[0] == pytest.approx(np.stack([no, 1 - no, 0 * no, 0 * no]), abs=1e-9)


def test_bins_that_nothing_can_fall_into_have_no_share_in_the_prior() -> None:
    problem, belief = continuous(4)
    rng = np.random.default_rng(3)
    values, labels = rng.integers(0, 2, 50).astype(float), rng.integers(0, N_LABELS, 50) * rng.integers(0, 2, 50)
    teach(problem, belief, values, labels)
    counts = np.array([np.bincount(labels[values == v], minlength=N_LABELS) for v in (0, 1)])
    expected = np.zeros((4, N_LABELS))
    expected[:2] = (1 + counts) / (2 + counts.sum(axis=0))
    assert belief.cuts[0] == [0.5] and belief.mean()[0] == pytest.approx(expected, abs=1e-9)
    drawn = np.array([belief.draw(seed=s) for s in range(200)])
    assert drawn[:, 2:].max() < 1e-9 and drawn.sum(axis=1) == pytest.approx(1.0)


def test_merging_beliefs_adds_their_sketches() -> None:
    rng = np.random.default_rng(6)
    problem, whole = continuous(4)
    values, labels = rng.integers(0, 30, 400).astype(float), rng.integers(0, N_LABELS, 400)
    teach(problem, whole, values, labels)
    _, left = continuous(4)
    _, right = continuous(4)
    teach(problem, left, values[:150], labels[:150])
    teach(problem, right, values[150:], labels[150:])
    left.merge(right)
    for one, other in zip(whole.sketch(0), left.sketch(0), strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_sketch_that_was_written_and_read_goes_on_to_the_last_bit() -> None:
    rng = np.random.default_rng(4)
    problem, belief = continuous(4)
    for _ in range(40):
        teach(problem, belief, rng.normal(size=20), rng.integers(0, N_LABELS, 20))
        belief.discount(0.07)  # counts are no whole numbers any more
    _, read = continuous(4)
    values, counts, n_seen = belief.sketch(0)
    read.set_counts(belief.counts, belief.label_counts)
    read.restore_sketch(0, belief.cuts[0], values, counts.ravel(), n_seen)
    more, labels = rng.normal(size=500), rng.integers(0, N_LABELS, 500)
    for one in (belief, read):
        teach(problem, one, more, labels)
    for before, after in zip(belief.sketch(0)[:2], read.sketch(0)[:2], strict=True):
        np.testing.assert_array_equal(before, after)
    np.testing.assert_array_equal(belief.counts, read.counts)


@pytest.mark.parametrize(
    "values",
    [
        10.0 ** -np.random.default_rng(1).uniform(0, 300, 2000),
        5e-324 * np.random.default_rng(2).integers(1, 200, 2000),
        1.0 + np.spacing(1.0) * np.random.default_rng(3).integers(0, 300, 2000),
        np.finfo(float).max * (1 - np.spacing(1.0) * np.random.default_rng(4).integers(0, 300, 2000)),
    ],
    ids=["small", "denormal", "neighbours", "largest"],
)
@pytest.mark.parametrize("kept", [1.0, 0.1, 1e-6])
def test_cells_and_cut_points_rise_whatever_the_values(values: np.ndarray, kept: float) -> None:
    problem, belief = continuous(6)
    labels = np.arange(len(values)) % N_LABELS
    for part in np.array_split(np.arange(len(values)), 20):
        teach(problem, belief, values[part], labels[part])
        belief.discount(1.0 - kept)
        cells, _, _ = belief.sketch(0)
        assert np.isfinite(cells).all() and (np.diff(cells) > 0).all()
        assert np.isfinite(belief.cuts[0]).all() and (np.diff(belief.cuts[0]) > 0).all()
    for low, high in itertools.pairwise(cells.tolist()):
        assert sum(low <= cut < high for cut in belief.cuts[0]) <= 1
    assert all(cells[0] <= cut < cells[-1] for cut in belief.cuts[0])


@pytest.mark.parametrize("count", [1.0, 1e-9, 1e-12, 1e-15])
def test_bins_that_cannot_come_weigh_nothing_however_small_the_prior(count: float) -> None:
    problem = core.Problem([4], 2, [1.0], [1.0], [-1], 1.0 - np.eye(2), continuous=[1])
    belief = core.Belief(problem, np.full((4, 2), count), np.ones(2), True)
    teach(problem, belief, np.array([0.0, 1.0] * 10), np.zeros(20))
    np.testing.assert_allclose(belief.mean()[0][:, 1], [0.5, 0.5, 0.0, 0.0], atol=1e-11)


@pytest.mark.parametrize("low", [np.nextafter(1.0, 2.0), 3 * 5e-324, -np.nextafter(1.0, 2.0), 0.25])
def test_a_cut_point_parts_two_numbers_that_are_neighbours(low: float) -> None:
    problem, belief = continuous(2)
    high = np.nextafter(low, np.inf)
    teach(problem, belief, np.array([low, high] * 10), np.array([0, 1] * 10))
    ((cut,),) = belief.cuts
    assert low <= cut < high
    np.testing.assert_array_equal(belief.counts[:, :2], [[10.0, 0.0], [0.0, 10.0]])


def test_values_that_are_too_few_to_cut_are_not_counted_when_beliefs_merge() -> None:
    problem, belief = continuous(4)
    _, other = continuous(4)
    for each in (belief, other):
        teach(problem, each, np.array([1.0, 2.0, 3.0]), np.array([0, 1, 0]))
    belief.merge(other)
    assert belief.sketch(0)[2] == 6 and not belief.cuts[0] and not belief.counts.any()
