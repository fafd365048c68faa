"""Thresholds as binary views: the best is found, Exp3 draws by its softmax and learns weighted gains."""

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

from ufodt import core

CUTS = [[-0.5, 0.0, 0.7], [0.2, 0.4, 0.6]]
M = 2


def make(thresholds: str, **settings: Any) -> tuple[core.Problem, core.Belief]:
    problem = core.Problem([2, 2], M, [1.0] * 2, [1.0] * 2, [-1] * 2, 1.0 - np.eye(M), continuous=[1, 1], cuts=CUTS)
    belief = core.Belief(problem, np.ones((4, M)), np.ones(M), True, thresholds=thresholds, n_thresholds=3, **settings)
    return problem, belief


REGION, NOTHING_PAYS = ("region", math.nan, 0), ("cost_benefit", 1.01, 0)


def plan(
    problem: core.Problem,
    belief: core.Belief,
    criterion: str = "ig",
    seed: int = 0,
    under: str = "draw",
    stop: tuple[str, float, int] = REGION,
) -> core.Plan:
    policy = core.Policy(
        criterion=criterion,
        stop=[stop],
        budget=math.inf,
        n_hypotheses=64,
        distinct=False,
        redraw_below=0,
        predict_theta=False,
        plan=under,
    )
    return core.Plan(problem, policy, belief, seed=seed, number=0)


def teach(problem: core.Problem, belief: core.Belief, n: int = 200) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(5)
    labels = rng.integers(0, M, n).astype(np.int32)
    values = rng.normal(labels[:, None] * np.array([0.3, 1.0]), 0.6)
    belief.update_many(problem, np.zeros((n, 2), dtype=np.int16), labels, values)
    return values, labels


def entropy(p: np.ndarray) -> float:
    p = p[p > 0]
    return float(-(p * np.log2(p)).sum())


def information(joint: np.ndarray) -> float:
    """What one of two things says of the other, from how often they come together."""
    return entropy(joint.sum(axis=0)) + entropy(joint.sum(axis=1)) - entropy(joint.ravel())


def test_a_paid_value_teaches_every_threshold_by_default() -> None:
    problem, belief = make("exhaustive")
    values, labels = teach(problem, belief)
    counts = belief.views()[0].reshape(2, 3, 2, M)
    for f in range(2):
        for k, cut in enumerate(CUTS[f]):
            above = np.bincount(labels[values[:, f] > cut], minlength=M)
            np.testing.assert_array_equal(counts[f, k, 1], above)
            np.testing.assert_array_equal(counts[f, k, 0], np.bincount(labels, minlength=M) - above)


def test_only_the_threshold_in_use_learns_where_the_paper_says_so() -> None:
    problem, belief = make("exhaustive", teach_all=False, average=True)
    drift, selection = core.Drift(), core.Selection(problem)
    core.learn(belief, drift, selection, [(0, 0, 0.5, 1)], 1)
    counts = belief.views()[0].reshape(6, 2, M)
    assert counts.sum() == 1 and counts[1, 1, 1] == 1


def eced(joint: np.ndarray, chance: np.ndarray) -> float:
    """What the two answers take off the one edge between two labels, less the offset."""
    gain, edge = 0.0, joint.sum(axis=0).prod()
    for row, p in zip(joint, chance, strict=True):
        ratio = p / chance.max(axis=0)
        gain += row.sum() * edge * (ratio.max() ** 2 - ratio.prod())
    return float(gain)


@pytest.mark.parametrize("criterion", ["ig", "gini", "eced"])
def test_the_best_threshold_is_in_play(criterion: str) -> None:
    problem, belief = make("exhaustive")
    teach(problem, belief)
    counts = belief.views()[0].reshape(2, 3, 2, M) + 1
    above = counts[:, :, 1] / counts.sum(axis=2)  # the mean: (feature, threshold, label)
    label = (belief.label_counts + 1) / (belief.label_counts + 1).sum()
    asked = plan(problem, belief, criterion, under="mean")
    for f, _, gain in asked.gains():
        information = []
        for p in above[f]:
            joint = np.array([label * (1 - p), label * p])
            if criterion == "ig":
                information.append(entropy(label) - sum(row.sum() * entropy(row / row.sum()) for row in joint))
            elif criterion == "gini":
                information.append((joint**2 / joint.sum(axis=1, keepdims=True)).sum() - (label**2).sum())
            else:
                information.append(eced(joint, np.array([1 - p, p])))
        assert asked.threshold(f) == int(np.argmax(information))
        assert gain == pytest.approx(max(information), abs=1e-6)


@pytest.mark.parametrize(("normalise", "any_of_them"), [(True, 0.05), (False, 0.0)], ids=["ours", "as printed"])
def test_exp3_draws_by_the_softmax_of_its_sums(normalise: bool, any_of_them: float) -> None:
    problem, belief = make("exp3", eta=0.5, normalise=normalise)
    counts, uses, sums = belief.views()
    sums[:] = [0.0, 1.0, 3.0, 0.0, 0.0, 0.0]
    belief.restore_views(counts, uses, sums)
    n = 4000
    drawn = np.bincount([plan(problem, belief, seed=s).threshold(0) for s in range(n)], minlength=3)
    softmax = np.exp(0.5 * sums[:3]) / np.exp(0.5 * sums[:3]).sum()
    assert stats.chisquare(drawn, n * ((1 - any_of_them) * softmax + any_of_them / 3)).pvalue > 1e-3


def test_a_reward_is_over_the_chance_that_any_view_is_drawn_too() -> None:
    problem, belief = make("exp3", eta=0.5)
    teach(problem, belief)
    counts, uses, sums = belief.views()
    sums[:] = [0.0, 1.0, 3.0, 2.0, 0.0, 0.0]
    belief.restore_views(counts, uses, sums)
    softmax = np.exp(0.5 * sums).reshape(2, 3) / np.exp(0.5 * sums).reshape(2, 3).sum(axis=1, keepdims=True)
    for seed in range(20):
        asked = plan(problem, belief, seed=seed)
        gains = {f: gain for f, _, gain in asked.gains()}
        for view, amount in asked.rewards():
            assert amount == pytest.approx(gains[view // 3] / (0.95 * softmax[view // 3, view % 3] + 0.05 / 3))


def test_what_the_mean_looks_through_is_not_rewarded() -> None:
    """Where no plan could pay under the draw, its thresholds are not looked at; those of the mean are none it drew."""
    problem, belief = make("exp3")
    teach(problem, belief, 12)
    n_not_looked_at = 0
    for seed in range(300):
        both, draw = (
            plan(problem, belief, seed=seed, stop=("cost_benefit", 4.0, 0), under=under) for under in ("both", "draw")
        )
        both.next(), draw.next()
        assert both.rewards() == draw.rewards()
        n_not_looked_at += not draw.rewards()
    assert n_not_looked_at > 10


def test_exp3_is_safe_however_large_its_sums_are() -> None:
    problem, belief = make("exp3", normalise=False)
    counts, uses, sums = belief.views()
    sums[:] = [1e300, 0.0, -1e300, 5e8, 5e8, 5e8 - 1e4]
    belief.restore_views(counts, uses, sums)
    assert {plan(problem, belief, seed=s).threshold(0) for s in range(50)} == {0}
    assert {plan(problem, belief, seed=s).threshold(1) for s in range(50)} == {0, 1}


@pytest.mark.parametrize("normalise", [True, False])
@pytest.mark.parametrize("criterion", ["ig", "gini", "eced"])
def test_a_reward_is_the_gain_over_the_chance_of_the_draw(criterion: str, normalise: bool) -> None:
    problem, belief = make("exp3", normalise=normalise)
    teach(problem, belief)
    asked = plan(problem, belief, criterion, seed=3)
    impurity = 1 - float((asked.theta()[1] ** 2).sum())
    most = {"ig": 1.0, "gini": impurity, "eced": impurity / 2}[criterion] if normalise else 1.0  # what could be gained
    gains = {f: gain for f, _, gain in asked.gains()}
    rewards = asked.rewards()
    assert [view // 3 for view, _ in rewards] == [0, 1]
    for view, amount in rewards:
        assert amount == pytest.approx(gains[view // 3] / most * 3)  # equal sums: each of three has chance 1/3
    assert asked.gains() and asked.rewards() == rewards  # looking again rewards nothing
    core.learn(belief, core.Drift(), core.Selection(problem), [], 0, rewards)
    for view, amount in rewards:
        assert belief.views()[2][view] == pytest.approx(amount)


@pytest.mark.parametrize("criterion", ["ig", "ec2"])
def test_where_exp3_explores_no_more_it_asks_the_threshold_that_tells_most(criterion: str) -> None:
    for settings, searches in (({}, True), ({"teach_all": False, "average": True}, False)):
        problem, belief = make("exp3", **settings)
        values, labels = teach(problem, belief)
        belief.restore_views(belief.views()[0], belief.views()[1], np.array([9.0, 0.0, 0.0, 9.0, 0.0, 0.0]))
        for f in range(2):
            tells = []
            for cut in CUTS[f]:
                joint = np.histogram2d(values[:, f] > cut, labels, bins=(2, 2))[0] / len(labels)
                tells.append(information(joint))
            settled = plan(problem, belief, criterion, under="mean")
            settled.gains()
            assert settled.threshold(f) == (int(np.argmax(tells)) if searches else 0)


@pytest.mark.parametrize("thresholds", ["exhaustive", "exp3"])
def test_a_plan_that_asks_nothing_still_knows_what_a_value_would_say(thresholds: str) -> None:
    problem, belief = make(thresholds)
    teach(problem, belief)
    looked, told = (plan(problem, belief, under="mean", stop=NOTHING_PAYS) for _ in range(2))
    assert looked.next() is None
    before = looked.outlook(1)
    assert looked.threshold(1) >= 0
    np.testing.assert_array_equal(before, looked.outlook(1))
    assert abs(before[0, 1] - before[1, 1]) > 0.2, "what was taught shows"
    outcome = told.outcome(1, 5.0)
    assert outcome == 1
    told.observe(1, outcome)
    np.testing.assert_allclose(told.predict()[1], before[1, 1:])


def test_where_a_criterion_sees_no_difference_thresholds_are_compared_by_what_they_tell() -> None:
    problem, belief = make("exhaustive")
    teach(problem, belief)
    belief.set_counts(belief.counts, np.array([1e9, 0.0]))  # every hypothesis that is drawn says the first label
    sure = ("confidence", 1.0, 0)
    asked, told = (plan(problem, belief, criterion, under="mean", stop=sure) for criterion in ("ec2", "ig"))
    assert {gain for _, _, gain in asked.gains()} == {0.0}
    question, expected = asked.next(), told.next()
    assert question is not None and expected is not None
    assert question == expected and asked.threshold(question[0]) == told.threshold(question[0])


def test_a_threshold_may_pay_where_the_mean_over_all_would_not() -> None:
    """Few of the first label lie low, none of the second; over both thresholds that looks like less."""
    problem = core.Problem([2], M, [1.0], [1.0], [-1], 1.0 - np.eye(M), continuous=[1], cuts=[[-1.0, 1.0]])
    belief = core.Belief(problem, np.ones((2, M)), np.ones(M), True, thresholds="exhaustive", n_thresholds=2)
    low, high = [[0.0, 8e6], [1e7, 2e6]], [[1e7, 8e6], [0.0, 2e6]]  # counts below and above a threshold, per label
    belief.restore_views(np.ravel([low, high]), *belief.views()[1:])
    asked = plan(problem, belief, under="mean", stop=("cost_benefit", 3.8, 0))
    assert asked.next() is not None and asked.threshold(0) == 0


@pytest.mark.parametrize(("thresholds", "n"), [("exhaustive", 30), ("exp3", 12)])
def test_thresholds_are_asked_under_the_draw_and_then_under_the_mean(thresholds: str, n: int) -> None:
    problem, belief = make(thresholds)
    teach(problem, belief, n)
    counts = belief.views()[0].reshape(2, 3, 2, M) + 1
    tells = [[information(view / view.sum()) for view in feature] for feature in counts]
    n_asked = {"draw": 0, "mean": 0}
    for seed in range(200):
        both, draw, mean = (
            plan(problem, belief, seed=seed, stop=("cost_benefit", 4.5, 0), **more)
            for more in ({"under": "both"}, {}, {"under": "mean"})
        )
        asks = draw if draw.next() else mean
        question, expected = both.next(), asks.next()
        assert question is not None and expected is not None
        assert both.rewards() == draw.rewards(), "Exp3 learns from its own draws alone"
        n_asked["mean" if asks is mean else "draw"] += 1
        feature = question[0]
        if asks is mean and thresholds == "exp3":  # while it explores, the mean looks through what tells most at first
            assert tells[feature][both.threshold(feature)] == pytest.approx(max(tells[feature]))
            continue
        assert question == pytest.approx(expected) and both.threshold(feature) == asks.threshold(feature)
        for one in (both, asks):
            one.observe(feature, one.outcome(feature, 2.0))
        np.testing.assert_allclose(both.predict()[1], asks.predict()[1])
    assert min(n_asked.values()) > 10


@pytest.mark.parametrize("criterion", ["ec2", "rig"])
def test_criteria_that_split_hypotheses_take_the_threshold_that_tells_most(criterion: str) -> None:
    """Hypotheses are of all thresholds together: by them the one nearest the edge would look best."""
    problem, belief = make("exhaustive")
    teach(problem, belief)
    splits, tells = (plan(problem, belief, by, under="mean") for by in (criterion, "ig"))
    for searched in (splits, tells):
        searched.next()
    assert [splits.threshold(f) for f in range(2)] == [tells.threshold(f) for f in range(2)]


def test_looking_at_the_gains_teaches_exp3_nothing() -> None:
    problem, belief = make("exp3")
    teach(problem, belief)
    looked, left = (plan(problem, belief, stop=NOTHING_PAYS) for _ in range(2))
    assert looked.next() is None and left.next() is None
    looked.gains()
    assert looked.rewards() == left.rewards() == []


def test_exp3_forgets_what_it_gained_and_used() -> None:
    _, belief = make("exp3")
    counts, uses, sums = belief.views()
    belief.restore_views(counts, uses + 4.0, sums + 6.0)
    belief.discount(0.5)
    _, uses, sums = belief.views()
    np.testing.assert_allclose(uses, 3.0)
    np.testing.assert_allclose(sums, 3.0)


def test_fewer_thresholds_than_before_leave_exp3_safe() -> None:
    """Two cut points where there is room for five: what was gained by the others no longer counts."""
    problem = core.Problem([2], M, [1.0], [1.0], [-1], 1.0 - np.eye(M), continuous=[1], cuts=[[]])
    belief = core.Belief(problem, np.ones((2, M)), np.ones(M), True, thresholds="exp3", n_thresholds=5, eta=1.0)
    labels, values = np.tile([0, 1], 8).astype(np.int32), np.resize([0.0, 1.0, 2.0], (16, 1))
    belief.update_many(problem, np.zeros((16, 1), dtype=np.int16), labels, values)
    assert len(belief.cuts[0]) == 2
    counts, uses, sums = belief.views()
    sums[-1] = 900.0
    belief.restore_views(counts, uses, sums)
    drawn = []
    for seed in range(200):
        asked = plan(problem, belief, seed=seed)
        asked.next()
        assert [np.isfinite(amount) for _, amount in asked.rewards()] == [True]
        drawn.append(asked.threshold(0))
    assert 60 < sum(drawn) < 140, "either is as likely"


def test_a_number_that_never_changes_is_learned_to_tell_nothing() -> None:
    for thresholds in ("exhaustive", "exp3"):
        problem = core.Problem([2], M, [1.0], [1.0], [-1], 1.0 - np.eye(M), continuous=[1], cuts=[[]])
        belief = core.Belief(problem, np.ones((2, M)), np.ones(M), True, thresholds=thresholds, n_thresholds=3)
        labels = np.tile([0, 1], 500).astype(np.int32)
        belief.update_many(problem, np.zeros((1000, 1), dtype=np.int16), labels, np.full((1000, 1), 5.0))
        theta, _ = belief.mean()
        np.testing.assert_allclose(theta[0], 1.0, atol=0.01)
