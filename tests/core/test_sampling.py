"""What is drawn follows the distribution it claims: chi-square for lanes, Kolmogorov-Smirnov for draws.

Seeds are fixed. A test of many cells looks at one statistic for all of them and fails below `TOO_UNLIKELY`.
"""

import numpy as np
import pytest
from scipy import stats

from ufodt import core

from .small import Small, small

TOO_UNLIKELY = 1e-4
N = 500_000
SURE = 1e9  # prior cases that pin theta to the wanted probability


def chi_square(observed: np.ndarray, expected: np.ndarray) -> float:
    """How likely counts at least this far from the expected ones are; the last axis sums to a given total."""
    cells = observed.shape[-1]
    statistic = ((observed - expected) ** 2 / expected).sum()
    return float(stats.chi2.sf(statistic, observed.size // cells * (cells - 1)))


def pinned(tables: list[np.ndarray], label_prior: np.ndarray) -> Small:
    """A problem whose theta is, up to a hair, `tables[feature][outcome, label]`; a last feature shows the label."""
    n_labels = len(label_prior)
    shows = np.where(np.eye(n_labels) == 1, 1.0, 1e-12)
    n_outcomes = [len(table) for table in [*tables, shows]]
    prior = np.concatenate([*tables, shows]) * SURE
    return small(n_outcomes, n_labels, prior=prior, label_prior=label_prior)


def drawn(case: Small, *, seed: int, number: int = 0, n: int = N) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Outcomes, labels and theta of n equal draws."""
    plan = case.plan(seed=seed, number=number, n_hypotheses=n)
    outcomes = plan.hypotheses()[0]
    return outcomes[:, :-1], outcomes[:, -1], plan.theta()[0]


# --- lanes -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_labels", [2, 5])
def test_bernoulli_lanes_have_their_probability_under_every_label(n_labels: int) -> None:
    p = np.array([1e-3, 0.01, 0.1, 0.25, 1 / 3, 0.5, 0.7, 0.9, 0.99, 1 - 1e-3])
    of_label = np.array([np.roll(p, 3 * y) for y in range(n_labels)])  # (n_labels, n_features)
    case = pinned([np.array([1 - q, q]) for q in of_label.T], np.linspace(1.0, 2.0, n_labels))
    outcomes, labels, theta = drawn(case, seed=11)
    observed = np.empty((n_labels, len(p), 2))
    expected = np.empty_like(observed)
    for y in range(n_labels):
        for f in range(len(p)):
            column = outcomes[labels == y, f]
            observed[y, f] = np.bincount(column, minlength=2)
            expected[y, f] = len(column) * theta[case.rows(f), y]
    assert chi_square(observed, expected) > TOO_UNLIKELY


@pytest.mark.parametrize("p", [1e-300, 1e-12, 1e-5, 1e-4, 1 - 1e-4, 1 - 1e-5])
def test_rare_outcomes_are_as_rare_as_theta_says(p: float) -> None:
    case = pinned([np.array([[1 - p, 0.5], [p, 0.5]])], np.ones(2))
    outcomes, labels, theta = drawn(case, seed=12)
    column = outcomes[labels == 0, 0]
    rare = int(p > 0.5)
    observed = int((column != rare).sum())
    expected = len(column) * theta[case.rows(0)][1 - rare, 0]
    at_most, at_least = stats.poisson.cdf(observed, expected), stats.poisson.sf(observed - 1, expected)
    assert min(at_most, at_least) > TOO_UNLIKELY


@pytest.mark.parametrize("n_outcomes", [3, 4, 7])
def test_categorical_lanes_have_their_probabilities_under_every_label(n_outcomes: int) -> None:
    rng = np.random.default_rng(13)
    tables = [rng.dirichlet(np.full(n_outcomes, a), 3).T + 1e-4 for a in (0.5, 1.0, 20.0)]
    case = pinned([table / table.sum(axis=0) for table in tables], np.array([1.0, 2.0, 3.0]))
    outcomes, labels, theta = drawn(case, seed=13)
    observed = np.empty((3, len(tables), n_outcomes))
    expected = np.empty_like(observed)
    for y in range(3):
        for f in range(len(tables)):
            column = outcomes[labels == y, f]
            observed[y, f] = np.bincount(column, minlength=n_outcomes)
            expected[y, f] = len(column) * theta[case.rows(f), y]
    assert chi_square(observed, expected) > TOO_UNLIKELY


def test_distinct_hypotheses_come_up_as_often_as_they_are_likely() -> None:
    """The first of the distinct draws is a plain draw, so over many cases it follows P(h)."""
    table = np.array([[0.9, 0.3], [0.1, 0.7]])
    case = small([2, 2], prior=np.concatenate([table, table[::-1]]) * SURE, label_prior=np.array([1.0, 3.0]))
    counts = np.zeros((2, 2))
    for number in range(20_000):
        first = case.plan(seed=14, number=number, distinct=True, redraw_below=0, n_hypotheses=1).hypotheses()[0]
        counts[tuple(first[0])] += 1
    p = sum(share * np.outer(table[:, y], table[::-1, y]) for y, share in enumerate([0.25, 0.75]))
    assert chi_square(counts.ravel(), 20_000 * p.ravel()) > TOO_UNLIKELY


def test_features_are_independent_given_the_label() -> None:
    tables = [np.array([[0.5, 0.2], [0.5, 0.8]]), np.array([[0.3, 0.6], [0.5, 0.2], [0.2, 0.2]])] * 2
    case = pinned(tables, np.ones(2))
    outcomes, labels, theta = drawn(case, seed=15)
    for y in range(2):
        here = outcomes[labels == y]
        for f in range(4):
            for g in range(f):
                width = case.n_outcomes[g]
                cells = np.bincount(here[:, f] * width + here[:, g], minlength=case.n_outcomes[f] * width)
                joint = np.outer(theta[case.rows(f), y], theta[case.rows(g), y]).ravel()
                assert chi_square(cells, len(here) * joint) > TOO_UNLIKELY / 10, (y, f, g)


@pytest.mark.parametrize("lag", [1, 2, 4, 8, 32, 64, 128, 256, 1024])
def test_lanes_are_independent_of_each_other(lag: int) -> None:
    case = pinned([np.array([[0.5, 0.7], [0.5, 0.3]])] * 3, np.ones(2))
    outcomes, labels, theta = drawn(case, seed=16)
    for y in range(2):
        here = outcomes[labels == y]
        for f in range(3):
            p = theta[case.rows(f), y]
            pairs = np.bincount(2 * here[:-lag, f] + here[lag:, f], minlength=4)
            assert chi_square(pairs, pairs.sum() * np.outer(p, p).ravel()) > TOO_UNLIKELY / 10, (y, f)


@pytest.mark.parametrize("p", [0.00195, 0.002, 0.3])
def test_lanes_of_a_block_vary_as_much_as_independent_ones(p: float) -> None:
    """What lies below the bits that lanes draw apart is thrown for 64 at a time: it must hardly show in their sum."""
    case = pinned([np.array([[1 - p, 1 - p], [p, p]])], np.ones(2))
    outcomes = drawn(case, seed=16, n=512 * 1_900)[0][:, 0]
    for size in (64, 512):  # lanes of a word, which share a throw, and of a block, whose words do not
        sums = outcomes.reshape(-1, size).sum(axis=1)
        apart = size * p * (1 - p)  # the variance of independent lanes
        spread = np.sqrt((2 + 1 / apart) / len(sums))  # of its estimate, relative
        assert 1 - 5 * spread < sums.var() / apart < 1 + 63 * 2.0**-18 / (p * (1 - p)) + 5 * spread, size


def test_cases_are_independent_of_each_other() -> None:
    case = pinned([np.full((2, 2), 0.5)], np.ones(2))
    bits = np.stack([drawn(case, seed=17, number=n, n=20_000)[0][:, 0] for n in range(12)])
    bits = np.concatenate([bits, drawn(case, seed=18, n=20_000)[0].T])
    correlations = np.corrcoef(bits)[np.triu_indices(len(bits), 1)]
    assert np.abs(correlations).max() < 5 / np.sqrt(20_000)


@pytest.mark.parametrize("n", [1, 63, 64, 65, 255, 256, 257, 1000])
def test_every_label_gets_its_share_of_the_lanes(n: int) -> None:
    case = pinned([np.full((2, 5), 0.5)], np.array([1.0, 5.0, 0.2, 30.0, 8.0]))
    counts = np.stack([np.bincount(drawn(case, seed=19, number=i, n=n)[1], minlength=5) for i in range(500)])
    share = n * case.plan().theta()[1]
    assert (counts.sum(axis=1) == n).all()
    assert (np.abs(counts - share) < 1 + 1e-9 * n).all()
    assert (np.abs(counts.mean(axis=0) - share) < 4 * 0.5 / np.sqrt(500)).all(), "rounding must not take sides"


def test_hypotheses_drawn_again_follow_the_posterior_given_the_evidence() -> None:
    tables = [np.array([[0.2, 0.9], [0.8, 0.1]]), np.array([[0.4, 0.7], [0.6, 0.3]])]
    case = pinned(tables, np.array([1.0, 3.0]))
    plan = case.plan(seed=20, n_hypotheses=N, redraw_below=N)
    theta, shares = plan.theta()
    plan.observe(0, 1)
    outcomes, _, _ = plan.hypotheses()
    shares = shares * theta[1]
    shares /= shares.sum()
    assert len(outcomes) == N
    of_label = np.bincount(outcomes[:, 2], minlength=2)
    assert np.abs(of_label - N * shares).max() < 1.001
    cells = np.stack([np.bincount(outcomes[outcomes[:, 2] == y, 1], minlength=2) for y in range(2)])
    assert chi_square(cells, of_label[:, None] * theta[2:4].T) > TOO_UNLIKELY


# --- variates ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [0.05, 0.3, 0.9, 1.0, 1.5, 4.0, 60.0, 1e4, 1e8])
def test_gamma_variates_follow_the_gamma_distribution(shape: float) -> None:
    assert stats.kstest(core.draw_gamma(shape, 50_000, seed=21), stats.gamma(shape).cdf).pvalue > TOO_UNLIKELY


def test_normal_variates_follow_the_normal_distribution_far_into_the_tail() -> None:
    x = core.draw_normal(1_000_000, seed=22)
    assert stats.kstest(x[:200_000], stats.norm.cdf).pvalue > TOO_UNLIKELY
    edges = np.array([-np.inf, -4.0, -3.6541528853610088, -3.0, -1.0, 0.0, 1.0, 3.0, 3.6541528853610088, 4.0, np.inf])
    observed = np.histogram(x, edges)[0]
    assert chi_square(observed, len(x) * np.diff(stats.norm.cdf(edges))) > TOO_UNLIKELY


@pytest.mark.parametrize("alpha", [(1.0, 1.0), (0.3, 0.6), (0.2, 5.0), (40.0, 2.5)], ids=str)
def test_a_binary_feature_is_drawn_from_its_beta(alpha: tuple[float, float]) -> None:
    n_features = 20_000
    case = small([2] * n_features, 2, prior=np.tile(np.array([alpha, alpha[::-1]]).T, (n_features, 1)))
    theta = case.belief.draw(seed=23)
    for y, (a, b) in enumerate([alpha, alpha[::-1]]):
        assert stats.kstest(theta[0::2, y], stats.beta(a, b).cdf).pvalue > TOO_UNLIKELY
    np.testing.assert_allclose(theta[0::2] + theta[1::2], 1.0, rtol=1e-12)


def test_a_categorical_feature_is_drawn_from_its_dirichlet() -> None:
    n_features, alpha = 20_000, np.array([0.4, 1.0, 2.5, 9.0])
    case = small([4] * n_features, 1, prior=np.tile(alpha, n_features)[:, None])
    theta = case.belief.draw(seed=24).reshape(n_features, 4)
    for k in range(4):
        marginal = stats.beta(alpha[k], alpha.sum() - alpha[k])
        assert stats.kstest(theta[:, k], marginal.cdf).pvalue > TOO_UNLIKELY
    pair = stats.beta(alpha[0] + alpha[2], alpha[1] + alpha[3])  # outcomes lumped together are Dirichlet too
    assert stats.kstest(theta[:, 0] + theta[:, 2], pair.cdf).pvalue > TOO_UNLIKELY


def test_what_was_learned_moves_the_draw() -> None:
    case = small([2], prior=1.0)
    for _ in range(6):
        case.belief.update([(0, 1)], 0)
    thetas = np.array([case.belief.draw(seed=25, stream=s) for s in range(20_000)])
    assert stats.kstest(thetas[:, 1, 0], stats.beta(7, 1).cdf).pvalue > TOO_UNLIKELY
    assert stats.kstest(thetas[:, 1, 1], stats.beta(1, 1).cdf).pvalue > TOO_UNLIKELY


def test_a_draw_sums_to_one_even_from_tiny_counts() -> None:
    theta = small([2] * 1000, prior=1e-3).belief.draw(seed=26)
    np.testing.assert_allclose(theta[0::2] + theta[1::2], 1.0, rtol=1e-9)


# --- words -------------------------------------------------------------------------------------------


def test_words_repeat_for_a_seed_and_stream_and_differ_between_them() -> None:
    words = core.draw_words(1000, seed=1, stream=2)
    np.testing.assert_array_equal(words, core.draw_words(1000, seed=1, stream=2))
    keys = [(s, t) for s in range(40) for t in [*range(40), 2**62, 2**64 - 1]]
    first = [core.draw_words(4, seed=s, stream=t).tolist() for s, t in keys]
    seen = {word for words in first for word in words}
    assert len(seen) == 4 * len(keys)


def test_bits_are_balanced_and_bytes_uniform() -> None:
    words = core.draw_words(200_000, seed=3)
    ones = np.unpackbits(words.view(np.uint8)).reshape(-1, 64).sum(axis=0, dtype=np.int64)
    z = (ones - 100_000) / np.sqrt(50_000)
    assert stats.chi2.sf((z**2).sum(), 64) > TOO_UNLIKELY
    for position in range(8):
        of_byte = np.bincount(words.view(np.uint8)[position::8], minlength=256)
        assert stats.chisquare(of_byte).pvalue > TOO_UNLIKELY / 10


@pytest.mark.parametrize(("seed", "stream"), [(0, 1), (0, 2), (1, 0), (2**63, 0), (0, 2**63)])
def test_neighbouring_streams_share_no_bits_beyond_chance(seed: int, stream: int) -> None:
    a, b = core.draw_words(50_000, seed=0), core.draw_words(50_000, seed=seed, stream=stream)
    differing = np.unpackbits((a ^ b).view(np.uint8)).sum(dtype=np.int64)
    assert abs(int(differing) - 1_600_000) < 4 * np.sqrt(800_000)


def test_a_stream_depends_on_nothing_drawn_before() -> None:
    np.testing.assert_array_equal(core.draw_words(300, seed=5)[:7], core.draw_words(7, seed=5))


@pytest.mark.parametrize("n_outcomes", [2, 3])
def test_blocks_of_512_hypotheses_follow_theta(n_outcomes: int) -> None:
    case = small([n_outcomes] * 3, prior=np.random.default_rng(3).gamma(2.0, 1.0, (3 * n_outcomes, 2)) + 0.1)
    statistic = freedom = 0.0
    for number in range(150):
        plan = case.plan(number=number, n_hypotheses=512, redraw_below=0)
        theta, label = plan.theta()
        outcomes, _, _ = plan.hypotheses()
        for feature in range(3):
            expected = 512 * (theta[case.rows(feature)] @ label)
            found = np.bincount(outcomes[:, feature], minlength=n_outcomes)
            keep = expected > 5
            if keep.all():
                statistic += float(((found - expected) ** 2 / expected).sum())
                freedom += n_outcomes - 1
    assert 1e-4 < stats.chi2.sf(statistic, freedom) < 1 - 1e-9
