"""Stop rules: small values that combine, and numbers that make no sense are refused."""

import math
from typing import Any

import numpy as np
import pytest

from ufodt import UFODT, Binary, Categorical, Continuous, Criterion, Policy, Problem, stop, thresholds
from ufodt.errors import InvalidPolicy
from ufodt.lab.optimal import World, follow
from ufodt.stop import Stop, all_of, confidence, cost_benefit
from ufodt.thresholds import Thresholds


def test_or_is_any_and_and_is_all() -> None:
    a, b = stop.region(), stop.budget(3)
    assert a | b == stop.any_of(a, b)
    assert a & b == stop.all_of(a, b)
    assert (a | b).children == (a, b)


def test_equal_rules_are_equal() -> None:
    assert stop.confidence(0.9) == stop.confidence(0.9) != stop.confidence(0.8)
    assert stop.budget(1) == stop.budget(1.0)


@pytest.mark.parametrize(
    ("make", "bad"),
    [
        *((stop.confidence, bad) for bad in (0.0, -0.1, 1.1, math.nan)),
        *((stop.budget, bad) for bad in (-1.0, math.inf, math.nan)),
        *((stop.cost_benefit, bad) for bad in (0.0, -2.0, math.inf, math.nan)),
        (stop.confidence, "high"),
        (stop.confidence, None),
        (stop.budget, "3"),
        (stop.cost_benefit, "much"),
    ],
)
def test_a_number_out_of_range_is_refused_by_name(make: Any, bad: Any) -> None:
    with pytest.raises(InvalidPolicy, match=f"{bad!r} came; expected"):
        make(bad)


@pytest.mark.parametrize("combine", [stop.any_of, stop.all_of])
@pytest.mark.parametrize("rules", [(), ("region",), (stop.region(), None)], ids=str)
def test_only_rules_combine(combine: Any, rules: Any) -> None:
    with pytest.raises(InvalidPolicy, match="expected one or more stop rules"):
        combine(*rules)


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        (("soon",), "no stop rule 'soon'"),
        ((["region"],), "no stop rule"),
        (("any",), "one or more stop rules"),
        (("all", None, (stop.region(), "region")), "one or more stop rules"),
        (("any", 1.0, (stop.region(),)), "it takes none"),
        (("region", 0.5), "it takes none"),
        (("region", None, (stop.region(),)), "only any and all"),
        (("confidence", 7.0), "7.0 came"),
        (("confidence",), "None came"),
        (("budget",), "None came"),
    ],
)
def test_a_rule_made_by_hand_is_checked(fields: tuple[Any, ...], says: str) -> None:
    with pytest.raises(InvalidPolicy, match=says):
        Stop(*fields)


def test_numbers_of_numpy_become_plain() -> None:
    rule = stop.budget(np.float32(2.5))  # type: ignore[arg-type]
    assert type(rule.value) is float and rule == stop.budget(2.5)


@pytest.mark.parametrize(
    "rule",
    [
        stop.budget(2.5),
        stop.budget(2.5) | stop.region(),
        stop.any_of(stop.budget(7), stop.any_of(stop.budget(2.5), stop.confidence(1.0))),
    ],
    ids=str,
)
def test_a_budget_that_stops_alone_is_never_passed(rule: Stop) -> None:
    problem = Problem([Binary(f"f{i}", price=1.0 + i / 4) for i in range(8)], labels=range(4))
    learner = UFODT(problem, criterion="random", stop=rule, n_hypotheses=32, seed=3)
    X, y = [[i >> j & 1 for j in range(8)] for i in range(200)], [i % 4 for i in range(200)]
    cost = learner.run(X, y).cost
    assert 0 < cost.max() <= 2.5
    assert learner.evaluate(X).record.cost.max() <= 2.5


def test_a_budget_inside_all_is_a_wish() -> None:
    problem = Problem([Binary(f"f{i}") for i in range(6)], labels=[0, 1])
    learner = UFODT(problem, criterion="ig", stop=stop.budget(2) & stop.confidence(1.0), seed=3)
    record = learner.run([[0] * 6] * 5, [0] * 5)
    assert (record.cost == 6.0).all()


@pytest.mark.parametrize("planner", ["lookahead", "greedy"])
def test_of_several_worths_one_decides_whatever_their_order(planner: Any) -> None:
    cheap = [Binary(f"hint{i}", price=0.05) for i in range(8)]
    problem = Problem([*cheap, Binary("test", price=10.0)], labels=[0, 1])
    theta = np.array([[0.5, 0.4], [0.5, 0.6]] * 8 + [[0.9, 0.1], [0.1, 0.9]])
    world = World(problem, theta, np.array([0.6, 0.4]))
    most, least, sure = cost_benefit(100.0), cost_benefit(3.0), confidence(0.95)

    def cost(rule: Stop) -> tuple[float, float]:
        found = follow(world, Policy(stop=rule, planner=planner), worth=100.0)
        return found.cost, found.n_asked

    for rule in (most & least, least & most, all_of(least, all_of(most, least)), all_of(all_of(most, least), least)):
        assert cost(rule) == cost(most)
    assert cost(cost_benefit() & least) == cost(least & cost_benefit()) == cost(cost_benefit())
    for rule in (most | least, least | most):
        assert cost(rule) == cost(least) != cost(most)
    assert cost(sure | (least & most)) == cost(sure | most)


def test_several_worths_come_to_the_very_rule_that_decides() -> None:
    """So that what a lone rule does besides, such as to spend on learning, goes on."""
    chance = np.random.default_rng(1)
    y = (chance.random(2000) < 0.03).astype(int)
    X = (chance.random((2000, 3)) < np.where(y[:, None] == 1, 0.9, 0.1)).astype(int)
    problem = Problem([Binary(name) for name in "abc"], labels=[0, 1])
    alone, both = (
        UFODT(problem, stop=rule, seed=1).run(X, y).n_asked.tolist()
        for rule in (cost_benefit(20), cost_benefit(20) & cost_benefit(5))
    )
    assert both == alone


@pytest.mark.parametrize("criterion", Criterion)
def test_a_criterion_that_likes_coins_does_not_end_a_case_in_which_questions_pay(criterion: Criterion) -> None:
    """Neither sign changes the answer alone, both together do; dice vary most, and tell nothing."""
    dice = [Categorical(f"die{i}", range(4)) for i in range(5)]
    problem = Problem([*dice, Binary("sign"), Binary("other sign")], labels=["well", "ill"])
    theta = np.array([[0.25, 0.25]] * 20 + [[0.5, 0.0], [0.5, 1.0]] * 2)
    found = follow(World(problem, theta, np.array([0.7, 0.3])), Policy(criterion=criterion))
    assert found.accuracy == pytest.approx(0.3 + 0.7 * 0.75)
    assert found.n_asked == pytest.approx(1 + 0.3 + 0.7 * 0.5)


@pytest.mark.parametrize("cutting", [thresholds.bins(), thresholds.exhaustive(), thresholds.exp3()], ids=str)
@pytest.mark.parametrize(("criterion", "cuts"), [("us", [0.5]), ("ec2", [0.25, 0.5, 0.75])])
def test_nor_where_the_signs_are_numbers(criterion: str, cuts: list[float], cutting: Thresholds) -> None:
    chance = np.random.default_rng(5)
    y = (chance.random(3000) < 0.3).astype(int)
    signs = np.where(y[:, None] == 1, 0.5, 0.0) + chance.random((3000, 2)) * np.where(y[:, None] == 1, 0.5, 1.0)
    X = np.hstack([chance.random((3000, 5)), signs])
    problem = Problem([Continuous(f"x{i}", cuts=cuts) for i in range(7)], labels=[0, 1])
    learner = UFODT(problem, criterion=criterion, thresholds=cutting, seed=1)
    learner.learn_many(X[:1000], y[:1000])
    assert learner.run(X[1000:2000], y[1000:2000]).n_asked.mean() > 1  # under thresholds that were drawn, with Exp3
    assert learner.evaluate(X[2000:], y[2000:]).accuracy == pytest.approx(0.825, abs=0.03)
