"""Scores against brute force: the graph of EC2 with all its pairs, entropies by enumeration."""

import numpy as np
import pytest

from ufodt import core

from . import oracle
from .small import Small, draw_small, small

N_PROBLEMS = 1000  # for every case of a test


def step(rng: np.random.Generator, case: Small, plan: core.Plan, evidence: dict[int, int]) -> None:
    """Settle one open feature at random: mostly as a survivor imagines it, sometimes otherwise, sometimes skipped."""
    feature = int(rng.choice([f for f in range(case.n_features) if f not in evidence]))
    outcomes = plan.hypotheses()[0]
    if rng.random() < 0.1:
        plan.skip(feature)
        evidence[feature] = -1
        return
    imagined = len(outcomes) and rng.random() < 0.8
    outcome = int(outcomes[rng.integers(len(outcomes)), feature]) if imagined else int(rng.integers(2))
    plan.observe(feature, outcome)
    evidence[feature] = outcome


@pytest.mark.parametrize("criterion", ["ec2", "us", "rig"])
@pytest.mark.parametrize("distinct", [False, True], ids=["equal", "distinct"])
def test_a_gain_equals_the_sum_over_all_hypotheses(criterion: str, distinct: bool) -> None:
    rng = np.random.default_rng(1)
    n_checked = n_positive = 0
    for i in range(N_PROBLEMS):
        case = draw_small(rng)
        redraw_below = 0 if distinct else int(rng.choice([0, 10, 45]))
        n = int(rng.integers(1, 50))
        plan = case.plan(seed=i, criterion=criterion, distinct=distinct, redraw_below=redraw_below, n_hypotheses=n)
        evidence: dict[int, int] = {}
        for _ in range(int(rng.integers(0, case.n_features)) + 1):
            gains = plan.gains()
            outcomes, regions, weights = plan.hypotheses()
            assert [f for f, _, _ in gains] == [f for f in range(case.n_features) if f not in evidence]
            for feature, _, gain in gains:
                column = outcomes[:, feature]
                if len(regions) == 0:
                    expected = 0.0
                elif criterion == "ec2":
                    expected = oracle.ec2(column, regions, weights / weights.sum())
                elif criterion == "rig":
                    expected = oracle.rig(column, regions, weights)
                else:
                    expected = oracle.us(column, weights)
                assert gain >= 0 and abs(gain - expected) <= 1e-9 * expected + 1e-12, f"problem {i}, {evidence}"
                n_checked, n_positive = n_checked + 1, n_positive + (expected > 1e-12)
            step(rng, case, plan, evidence)
    assert n_checked > 3 * N_PROBLEMS and n_positive > N_PROBLEMS


@pytest.mark.parametrize("n_features", [1, 7, 8, 9, 20])
@pytest.mark.parametrize("n", [1, 64, 100, 512, 1000, 1200])
def test_ec2_of_many_binary_features_and_two_labels_equals_the_sum_over_all_hypotheses(n_features: int, n: int) -> None:
    rng = np.random.default_rng(n)
    for i in range(10):
        case = small([2] * n_features, prior=rng.gamma(1.0, 3.0, (2 * n_features, 2)) + 0.2)
        plan = case.plan(seed=i, n_hypotheses=n)
        for _ in range(min(2, n_features)):
            gains = plan.gains()
            outcomes, regions, weights = plan.hypotheses()
            for feature, _, gain in gains:
                expected = oracle.ec2(outcomes[:, feature], regions, weights / weights.sum())
                assert abs(gain - expected) <= 1e-9 * expected + 1e-12
            feature = int(rng.choice([f for f, _, _ in gains]))
            plan.observe(feature, int(rng.integers(2)))


@pytest.mark.parametrize("criterion", ["ig", "gini", "eced"])
def test_a_gain_over_labels_equals_the_sum_over_all_outcomes_and_pairs(criterion: str) -> None:
    rng = np.random.default_rng(2)
    for i in range(N_PROBLEMS):
        case = draw_small(rng)
        plan = case.plan(seed=i, criterion=criterion)
        theta, labels = plan.theta()
        evidence: dict[int, int] = {}
        for _ in range(int(rng.integers(0, case.n_features)) + 1):
            seen = {f: k for f, k in evidence.items() if k >= 0}
            p = oracle.posterior(case, theta, labels, seen)
            tolerance = 3e-6 if criterion == "ig" or seen else 1e-12  # logs of 1e-7
            for feature, _, gain in plan.gains():
                expected = getattr(oracle, criterion)(case, theta, p, feature)
                assert gain >= 0 and abs(gain - expected) <= tolerance, f"problem {i}, evidence {evidence}"
            step(rng, case, plan, evidence)


@pytest.mark.parametrize("criterion", ["ec2", "us", "rig"])
def test_a_table_of_masses_scores_like_one_hypothesis_for_each_cell(criterion: str) -> None:
    rng = np.random.default_rng(3)
    for _ in range(200):
        mass = rng.gamma(0.5, 1.0, rng.integers(1, 6, 2)) * (rng.random() < 0.9)
        column, regions = (axis.ravel() for axis in np.indices(mass.shape))
        if criterion == "ec2":
            expected = oracle.ec2(column, regions, mass.ravel()) if mass.sum() else 0.0
        elif criterion == "rig":
            expected = oracle.rig(column, regions, mass.ravel()) if mass.sum() else 0.0
        else:  # cells that share an outcome are not told apart, so the drop is the entropy of the outcome
            expected = oracle.entropy(mass.sum(axis=1)) if mass.sum() else 0.0
        assert core.score_masses(criterion, mass) == pytest.approx(expected, rel=1e-9, abs=1e-12)


def noisy(rng: np.random.Generator, n_outcomes: list[int], n_labels: int) -> np.ndarray:
    """Counts of a belief that is all but certain: a random distribution for each feature and label."""
    tables = [rng.dirichlet(np.full(k, 0.8), n_labels).T + 1e-4 for k in n_outcomes]
    return 1e9 * np.ascontiguousarray(np.concatenate([table / table.sum(axis=0) for table in tables]))


@pytest.mark.parametrize("criterion", ["ig", "gini", "eced", "rig"])
def test_a_feature_that_tells_nothing_of_the_label_gains_nothing(criterion: str) -> None:
    rng = np.random.default_rng(7)
    n_enumerated = 0
    for i in range(200):
        n_outcomes, n_labels = rng.integers(2, 5, 3).tolist(), int(rng.integers(2, 6))
        prior = rng.uniform(1e9, 3e9, (sum(n_outcomes), n_labels))
        prior[: n_outcomes[0]] = prior[: n_outcomes[0], :1]  # the same under every label
        n = int(np.prod(n_outcomes))
        plan = small(n_outcomes, n_labels, prior=prior, label_prior=rng.uniform(1, 3, n_labels)).plan(
            seed=i, criterion=criterion, distinct=True, redraw_below=0, n_hypotheses=n, plan="mean"
        )
        if criterion == "rig" and len(plan.hypotheses()[0]) < n:  # over all hypotheses, or chance tells something
            continue
        n_enumerated += 1
        gains = {f: gain for f, _, gain in plan.gains()}
        assert gains[0] <= (1e-6 if criterion == "ig" else 1e-12), f"problem {i}: {gains}"  # logs of 1e-7
        assert criterion == "rig" or min(gains[1], gains[2]) > 1e-6
    assert n_enumerated > 80


def test_region_information_vanishes_exactly_when_one_region_is_left() -> None:
    rng, n_sure = np.random.default_rng(8), 0
    for i in range(600):
        plan = draw_small(rng).plan(seed=i, criterion="rig", n_hypotheses=9, distinct=bool(i % 2))
        if len(set(plan.hypotheses()[1].tolist())) == 1:
            n_sure += 1
            assert all(gain == 0.0 for _, _, gain in plan.gains())
    assert n_sure > 20


def test_without_noise_eced_cuts_what_ec2_cuts_between_labels() -> None:
    rng = np.random.default_rng(9)
    for _ in range(200):
        n_outcomes, n_labels = rng.integers(2, 5, 3).tolist(), int(rng.integers(2, 7))
        says = np.stack([rng.integers(0, k, n_labels) for k in n_outcomes])  # the one outcome of each label
        prior = np.concatenate([np.arange(k)[:, None] == row for k, row in zip(n_outcomes, says, strict=True)])
        case = small(n_outcomes, n_labels, prior=prior * 1e9 + 1e-6, label_prior=rng.uniform(1, 9, n_labels))
        plan = case.plan(criterion="eced", plan="mean")
        _, labels = plan.theta()
        for feature, _, gain in plan.gains():
            expected = oracle.ec2(says[feature], np.arange(n_labels), labels) if len(set(says[feature])) > 1 else 0.0
            assert gain == pytest.approx(expected, abs=1e-9)


def test_two_labels_and_one_error_rate_have_eced_in_closed_form() -> None:
    for error in (0.01, 0.2, 0.4, 0.5):
        prior = 1e9 * np.array([[1 - error, error], [error, 1 - error]])
        plan = small([2], prior=prior, label_prior=np.array([3.0, 7.0])).plan(criterion="eced", plan="mean")
        assert plan.gains()[0][2] == pytest.approx(0.21 * (1 - 2 * error) / (1 - error), abs=1e-9)


@pytest.mark.parametrize("criterion", ["gini", "eced"])
def test_no_answer_gains_more_than_there_is(criterion: str) -> None:
    rng = np.random.default_rng(10)
    for _ in range(200):
        n_outcomes, n_labels = rng.integers(2, 6, 4).tolist(), int(rng.integers(2, 9))
        case = small(n_outcomes, n_labels, prior=noisy(rng, n_outcomes, n_labels))
        plan = case.plan(criterion=criterion, plan="mean")
        most = (1 - (plan.theta()[1] ** 2).sum()) / (1 if criterion == "gini" else 2)
        assert all(0 <= gain <= most + 1e-12 for _, _, gain in plan.gains())


@pytest.mark.parametrize("loss", [False, True], ids=["zero-one", "random-loss"])
@pytest.mark.parametrize("distinct", [False, True], ids=["equal", "distinct"])
def test_a_region_is_the_label_of_least_expected_loss_given_all_outcomes(loss: bool, distinct: bool) -> None:
    rng = np.random.default_rng(4)
    for i in range(400):
        case = draw_small(rng, loss=loss)
        plan = case.plan(
            seed=i, distinct=distinct, redraw_below=0 if distinct else int(rng.choice([0, 20])), n_hypotheses=40
        )
        evidence: dict[int, int] = {}
        for _ in range(int(rng.integers(0, case.n_features)) + 1):
            outcomes, regions, _ = plan.hypotheses()
            for region, (_, p) in zip(regions, oracle.of_hypotheses(case, plan, outcomes, evidence), strict=True):
                losses = oracle.expected_loss(case, p)
                # the core sums logarithms in single precision: a near tie may fall either way
                assert losses[region] <= losses.min() + 1e-5 * case.loss.max(), f"problem {i}: {losses}"
            feature = int(rng.choice([f for f in range(case.n_features) if f not in evidence]))
            evidence[feature] = int(rng.integers(case.n_outcomes[feature]))
            plan.observe(feature, evidence[feature])


@pytest.mark.parametrize(
    ("n_problems", "n_features", "n_hypotheses"),
    [(500, 5, 60), (40, 150, 200)],
    ids=["small", "with more outcomes than a word has bits"],
)
def test_distinct_hypotheses_differ_and_weigh_what_they_are_worth(
    n_problems: int, n_features: int, n_hypotheses: int
) -> None:
    rng = np.random.default_rng(5)
    for i in range(n_problems):
        case = draw_small(rng, max_features=n_features)
        plan = case.plan(seed=i, distinct=True, redraw_below=0, n_hypotheses=int(rng.integers(1, n_hypotheses)))
        known = int(rng.integers(case.n_features))
        evidence = {known: 0} if case.n_features > 1 and rng.random() < 0.5 else {}
        for feature, outcome in evidence.items():
            plan.observe(feature, outcome, paid=False)
        outcomes, _, weights = plan.hypotheses()
        assert len(np.unique(outcomes, axis=0)) == len(outcomes)
        joint = np.array([p for p, _ in oracle.of_hypotheses(case, plan, outcomes, evidence)])
        np.testing.assert_allclose(weights / weights.sum(), joint / joint.sum(), rtol=1e-5)


@pytest.mark.parametrize("wide", [1.25, 4.0], ids=["labels alike", "labels apart"])
@pytest.mark.parametrize(("n_features", "rare"), [(500, 0.2), (1500, 0.2), (3500, 0.02)])
def test_hundreds_of_features_do_not_make_weights_vanish(n_features: int, rare: float, wide: float) -> None:
    """Lanes of the last word that hold no hypothesis say 0 to everything, which may be likelier than those that do."""
    rng = np.random.default_rng(7)
    ones = rare * rng.uniform(1 / wide, wide, (n_features, 3))
    prior = 1e6 * np.stack([1.0 - ones, ones], axis=1).reshape(-1, 3)
    plan = small([2] * n_features, 3, prior=prior).plan(seed=1, distinct=True, redraw_below=0, n_hypotheses=200)
    outcomes, _, weights = plan.hypotheses()
    theta, label = plan.theta()
    log_p = np.log(theta.reshape(n_features, 2, 3))
    log_joint = np.log(label) + np.array([log_p[np.arange(n_features), row].sum(axis=0) for row in outcomes])
    log_weight = np.logaddexp.reduce(log_joint, axis=1)
    assert weights.sum() > 1e-90  # and its cube is a number
    heavy = log_weight > log_weight.max() - 100
    assert heavy.sum() > 1
    np.testing.assert_allclose(
        np.log(weights[heavy] / weights.max()), (log_weight - log_weight.max())[heavy], atol=1e-6
    )


def test_equal_draws_weigh_the_same() -> None:
    _, _, weights = small([2, 3], 3).plan(n_hypotheses=100).hypotheses()
    np.testing.assert_array_equal(weights, np.ones(100))


def explicit_question(
    case: Small, vectors: np.ndarray, regions: np.ndarray, weights: np.ndarray, closed: set[int]
) -> dict[int, float] | None:
    """What the graph says: gain per price of every open feature, or None when a single region is left."""
    if len(np.unique(regions)) <= 1:
        return None
    rates = {}
    for f in range(case.n_features):
        if f not in closed:
            rates[f] = oracle.ec2(vectors[:, f], regions, weights) / case.price[f]
    return rates


@pytest.mark.parametrize("loss", [False, True], ids=["zero-one", "random-loss"])
def test_with_all_hypotheses_enumerated_ec2_asks_what_the_graph_asks(loss: bool) -> None:
    rng = np.random.default_rng(6)
    n_enumerated = n_asked = 0
    for i in range(100):
        n_features, n_labels = int(rng.integers(2, 5)), int(rng.integers(2, 5))
        n_outcomes = rng.integers(2, 4, n_features).tolist()
        case = small(
            n_outcomes,
            n_labels,
            price=rng.choice([1.0, 1.7, 3.0], n_features).tolist(),
            loss=rng.uniform(0.5, 5.0, (n_labels, n_labels)) * (1.0 - np.eye(n_labels)) if loss else None,
            prior=rng.uniform(10.0, 30.0, (sum(n_outcomes), n_labels)),
            label_prior=rng.uniform(1.0, 2.0, n_labels),
        )
        vectors = oracle.all_vectors(case)
        plan = case.plan(seed=i, distinct=True, redraw_below=0, n_hypotheses=len(vectors))
        drawn, drawn_regions, _ = plan.hypotheses()
        if len(drawn) < len(vectors):  # draws are bounded, and an unlikely hypothesis may not come up
            continue
        n_enumerated += 1
        joint = list(oracle.of_hypotheses(case, plan, vectors, {}))
        weights = np.array([w for w, _ in joint])
        losses = np.array([oracle.expected_loss(case, p) for _, p in joint])
        regions = losses.argmin(axis=1)
        near_tie = np.sort(losses, axis=1)[:, 1] - losses.min(axis=1) < 1e-5 * case.loss.max()
        as_drawn = {tuple(v): r for v, r in zip(drawn.tolist(), drawn_regions.tolist(), strict=True)}
        for j in np.flatnonzero(near_tie):  # single precision decides these
            regions[j] = as_drawn[tuple(vectors[j].tolist())]

        paths: list[list[tuple[int, int]]] = [[]]
        while paths:  # all the way down
            path = paths.pop()
            plan.reset()
            alive = np.ones(len(vectors), dtype=bool)
            for feature, outcome in path:
                plan.observe(feature, outcome)
                alive &= vectors[:, feature] == outcome
            closed = {f for f, _ in path}
            rates = explicit_question(case, vectors[alive], regions[alive], weights[alive], closed)
            question = plan.next()
            assert (question is None) == (rates is None), f"problem {i}, {path}"
            if question is not None and rates is not None:
                best = max(rates.values())
                if best > 1e-9 * weights.sum() ** 2:
                    assert rates[question[0]] >= best * (1 - 1e-9), f"problem {i}, {path}: {rates}"
                    n_asked += 1
                paths += [[*path, (question[0], k)] for k in range(case.n_outcomes[question[0]])]
    assert n_enumerated > 50 and n_asked > 300
