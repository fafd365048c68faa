"""One case: which question is asked and what it costs, against a direct evaluation."""

import itertools
from collections import Counter
from typing import Any

import numpy as np
import pytest

from ufodt import core

from . import oracle
from .small import CRITERIA, draw_small, open_features, small, walk


@pytest.mark.parametrize("greedy", [False, True])
def test_planning_twice_asks_as_the_draw_does_and_then_as_the_mean_does(greedy: bool) -> None:
    rng = np.random.default_rng(34)
    said = {"mean": 0, "draw": 0, "stop": 0}
    for i in range(150):
        case = draw_small(rng, priced=True, loss=bool(rng.random() < 0.5), max_labels=3, max_outcomes=3)
        settings = {"seed": i, "criterion": "ig", "stop": [("cost_benefit", 20.0, 0)], "greedy": greedy}
        both, mean, draw = (case.plan(**settings, **more) for more in ({"plan": "both"}, {"plan": "mean"}, {}))
        for evidence in walk(rng, case, both):
            for plan in (mean, draw):
                plan.reset()
                for feature, outcome in evidence.items():
                    plan.observe(feature, outcome)
            wanted, who = (draw.next(), "draw") if draw.next() else (mean.next(), "mean" if mean.next() else "stop")
            question = both.next()
            assert (question and question[0]) == (wanted and wanted[0]), f"problem {i}: {who}, {evidence}"
            said[who] += 1
    assert min(said.values()) > 20, said


@pytest.mark.parametrize(
    "settings", [{"criterion": "ec2"}, {"stop": [("confidence", 0.9, 0)]}, {"predict_theta": True}]
)
def test_planning_twice_changes_nothing_where_one_theta_plans(settings: dict[str, Any]) -> None:
    rng = np.random.default_rng(35)
    for i in range(200):
        case = draw_small(rng, priced=True)
        given = {"seed": i, "criterion": "ig", "stop": [("cost_benefit", 20.0, 0)], **settings}
        once, twice = case.plan(**given), case.plan(**given, plan="both")
        for evidence in walk(rng, case, twice):
            once.reset()
            for feature, outcome in evidence.items():
                once.observe(feature, outcome)
            assert once.next() == twice.next()


@pytest.mark.parametrize("criterion", [criterion for criterion in CRITERIA if criterion != "random"])
def test_the_optimal_planner_asks_what_the_best_policy_asks_first(criterion: str) -> None:
    rng = np.random.default_rng(33)
    n_asked = 0
    for i in range(60):
        case = draw_small(rng, priced=True, max_labels=3, max_outcomes=3, max_features=4)
        plan = case.plan(seed=i, lookahead=core.MAX_STATES, criterion=criterion, stop=[("cost_benefit", 30.0, 0)])
        theta, label = plan.theta()
        for evidence in walk(rng, case, plan):
            p, left = oracle.posterior(case, theta, label, evidence), open_features(case, evidence)
            paid = {case.group[f] for f in evidence} - {-1}
            if (question := plan.next()) is not None:
                costs = [oracle.Recursion(case, theta, 30.0).asking(f, p, left, paid) for f in left]
                assert costs[left.index(question[0])] == pytest.approx(min(costs), rel=1e-6)
                n_asked += 1
    assert n_asked > 40


@pytest.mark.parametrize("criterion", CRITERIA)
def test_the_question_has_the_highest_gain_per_price_and_ties_break_by_price_then_index(criterion: str) -> None:
    rng = np.random.default_rng(32)
    n_asked = n_ties = 0
    for i in range(300):
        case = draw_small(rng, priced=True, max_outcomes=3)
        plan = case.plan(seed=i, criterion=criterion, n_hypotheses=int(rng.choice([6, 64])))
        for _ in walk(rng, case, plan):
            question, gains = plan.next(), plan.gains()
            if question is None or not any(gain > 0 for _, _, gain in gains):
                continue
            best = max(gains, key=lambda g: (g[2] / g[1], -g[1], -g[0]))
            assert question == best, f"problem {i}: {gains}"
            n_asked += 1
            n_ties += sum(g[2] / g[1] == best[2] / best[1] for g in gains) > 1
    assert n_asked > 150
    assert n_ties > 5 or criterion in ("random", "ig", "gini", "eced")


def test_questions_of_equal_worth_are_asked_in_order() -> None:
    prior = np.tile([[9.0, 1.0], [1.0, 9.0]], (4, 1))
    case = small([2] * 4, price=[2.0, 2.0, 2.0, 2.0], prior=prior)
    plan = case.plan(criterion="ig", plan="mean", stop=[])
    asked = []
    while (question := plan.next()) is not None:
        asked.append(question[0])
        plan.observe(question[0], 0)
    assert asked == [0, 1, 2, 3]


def test_random_questions_come_in_every_order_equally_often() -> None:
    case, n = small([2, 2, 2]), 6000
    orders: Counter[tuple[int, ...]] = Counter()
    for number in range(n):
        plan = case.plan(seed=4, number=number, criterion="random", stop=[])
        asked = []
        while (question := plan.next()) is not None:
            asked.append(question[0])
            plan.observe(question[0], 0)
        orders[tuple(asked)] += 1
    counts = np.array([orders[order] for order in itertools.permutations(range(3))])
    assert ((counts - n / 6) ** 2 / (n / 6)).sum() < 25.7  # chi-square of 5 degrees of freedom, one in ten thousand


def test_when_the_survivors_agree_but_the_rule_goes_on_the_label_s_entropy_decides() -> None:
    rng = np.random.default_rng(33)
    n_agreed = 0
    for i in range(200):
        case = draw_small(rng, max_features=4)
        plan = case.plan(seed=i, criterion="ec2", stop=[], n_hypotheses=3, redraw_below=0)
        theta, labels = plan.theta()
        for evidence in walk(rng, case, plan):
            question = plan.next()
            if question is None or any(gain > 0 for _, _, gain in plan.gains()):
                continue
            p = oracle.posterior(case, theta, labels, evidence)
            gains = {f: oracle.ig(case, theta, p, f) for f in open_features(case, evidence)}
            assert gains[question[0]] >= max(gains.values()) - 1e-5, f"problem {i}"
            n_agreed += 1
    assert n_agreed > 100


def test_a_later_price_holds_once_another_of_the_group_was_paid_for() -> None:
    case = small([2] * 4, price=[5.0, 7.0, 1.0, 2.0], later_price=[1.0, 0.0, 0.5, 9.0], group=[0, 0, 1, -1])
    plan = case.plan(stop=[])
    assert [plan.price(f) for f in range(4)] == [5.0, 7.0, 1.0, 2.0]
    plan.observe(3, 0)  # no group, nobody's price moves
    plan.observe(2, 0)  # alone in its group
    assert [plan.price(f) for f in (0, 1)] == [5.0, 7.0] and plan.spent == 3.0
    plan.observe(0, 1)
    assert plan.price(1) == 0.0 and plan.spent == 8.0
    plan.observe(1, 1)
    assert plan.spent == 8.0


@pytest.mark.parametrize("settle", ["known", "skip"])
def test_what_was_not_paid_for_leaves_the_group_at_its_first_price(settle: str) -> None:
    plan = small([2, 2], price=[5.0, 7.0], later_price=[1.0, 1.0], group=[0, 0]).plan()
    if settle == "known":
        plan.observe(0, 1, paid=False)
    else:
        plan.skip(0)
    assert plan.price(1) == 7.0 and plan.spent == 0.0


@pytest.mark.parametrize(
    ("distinct", "redraw_below"),
    [
        (False, 0),
        (False, 20),
        (True, 0),
        (True, 30),
    ],
)
def test_looking_draws_nothing(distinct: bool, redraw_below: int) -> None:
    rng = np.random.default_rng(35)
    for i in range(50):
        case = draw_small(rng)
        plain, looked_at = (
            case.plan(seed=i, distinct=distinct, redraw_below=redraw_below, n_hypotheses=60, stop=[]) for _ in range(2)
        )
        while (question := plain.next()) is not None:
            for _ in range(2):
                looked_at.gains()
                looked_at.hypotheses()
                looked_at.predict()
            assert looked_at.next() == looked_at.next() == question
            for plan in (plain, looked_at):
                plan.observe(question[0], 0)


def test_a_question_that_was_never_asked_may_be_answered_with_the_same_effect() -> None:
    rng = np.random.default_rng(36)
    for i in range(100):
        case = draw_small(rng)
        asked, told = (case.plan(seed=i, stop=[], redraw_below=32) for _ in range(2))
        for feature in rng.permutation(case.n_features).tolist():
            asked.next()
            for plan in (asked, told):
                plan.observe(feature, 1)
        assert asked.next() == told.next()
        assert asked.predict() == told.predict()


def test_reset_begins_the_same_case_again() -> None:
    rng = np.random.default_rng(37)
    for i in range(50):
        case = draw_small(rng)
        plan = case.plan(seed=i, redraw_below=32)
        before = [plan.next(), *(a.tolist() for a in plan.hypotheses()), plan.predict()]
        for _ in walk(rng, case, plan):
            pass
        plan.reset()
        assert [plan.next(), *(a.tolist() for a in plan.hypotheses()), plan.predict()] == before
        assert plan.spent == 0.0


def test_a_skipped_feature_is_imagined_by_nobody() -> None:
    rng = np.random.default_rng(38)
    for i in range(60):
        case = draw_small(rng)
        plan = case.plan(seed=i, n_hypotheses=50, redraw_below=10)
        plan.next()
        skipped = int(rng.integers(case.n_features))
        plan.skip(skipped)
        outcomes, regions, _ = plan.hypotheses()
        if case.n_features > 1:
            assert (outcomes[:, skipped] == -1).all() and len(outcomes) == 50
            for region, (_, p) in zip(regions, oracle.of_hypotheses(case, plan, outcomes, {}), strict=True):
                assert p[region] >= p.max() - 1e-5, f"problem {i}"


def test_rejection_is_bounded_when_there_are_fewer_vectors_than_hypotheses() -> None:
    case = small([2, 2], prior=5.0)
    outcomes, _, weights = case.plan(distinct=True, redraw_below=0, n_hypotheses=20_000).hypotheses()
    assert sorted(map(tuple, outcomes.tolist())) == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert weights.sum() == pytest.approx(1.0)


def test_a_plan_outlives_and_ignores_later_learning() -> None:
    case = small([2, 2, 2])
    plan, twin = case.plan(seed=5), case.plan(seed=5)
    for _ in range(20):
        case.belief.update([(0, 1), (1, 0)], 1)
    untouched = small([2, 2, 2]).plan(seed=5)
    assert plan.predict() == untouched.predict() != case.plan(seed=5).predict()
    assert twin.next() == untouched.next()


def test_no_two_questions_are_put_in_order_by_the_same_random_numbers() -> None:
    case, gains = small([2] * 6), []
    for seed, number in itertools.product(range(3), range(20)):
        plan = case.plan(seed=seed, number=number, criterion="random")
        for feature in range(6):
            gains += [gain for _, _, gain in plan.gains()]
            plan.observe(feature, 0)
    assert len(gains) == len(set(gains)) == 60 * 21
