"""Prices as they are: groups, surcharges, what must come first, what comes free, and what a case may cost."""

import math
from typing import Any

import numpy as np
import pytest

from ufodt import core


def plan(price: list[float], *, stop: Any = (), budget: float = math.inf, case: Any = None, **terms: Any) -> core.Plan:
    n = len(price)
    terms = {"later_price": price, "group": [-1] * n, **terms}
    problem = core.Problem([2] * n, 2, price, terms.pop("later_price"), terms.pop("group"), 1.0 - np.eye(2), **terms)
    belief = core.Belief(problem, np.ones((2 * n, 2)), np.ones(2), True)
    policy = core.Policy(
        criterion="ig",
        stop=list(stop),
        budget=budget,
        n_hypotheses=16,
        distinct=False,
        redraw_below=0,
        predict_theta=False,
        plan="draw",
    )
    return core.Plan(problem, policy, belief, seed=2, number=0, **(case or {}))


def asked(opened: core.Plan, outcome: int = 1) -> list[int]:
    features = []
    while (question := opened.next()) is not None:
        features.append(question[0])
        opened.observe(question[0], outcome)
    return features


def test_the_later_price_of_a_group_holds_once_one_of_it_was_paid() -> None:
    opened = plan([5.0, 7.0, 2.0], later_price=[1.0, 2.0, 2.0], group=[0, 0, -1])
    opened.observe(2, 0)
    assert [opened.price(f) for f in (0, 1)] == [5.0, 7.0]
    opened.observe(0, 0)
    assert opened.price(1) == 2.0 and opened.spent == 7.0


def test_a_known_value_is_free_and_opens_no_group() -> None:
    opened = plan([5.0, 7.0], later_price=[1.0, 2.0], group=[0, 0])
    opened.observe(0, 1, False)
    assert opened.spent == 0.0 and opened.price(1) == 7.0


def test_an_outcome_may_add_to_the_price() -> None:
    opened = plan([5.0, 1.0], surcharge=[0.0, 4.0, 0.0, 0.0])
    theta, label = opened.theta()
    assert opened.price(0) == pytest.approx(5.0 + 4.0 * float(theta[1] @ label))
    opened.observe(0, 1)
    assert opened.spent == 9.0


def test_a_budget_counts_the_worst_that_an_outcome_can_add() -> None:
    assert asked(plan([5.0], surcharge=[0.0, 4.0], budget=8.9)) == []
    assert asked(plan([5.0], surcharge=[0.0, 4.0], budget=9.0)) == [0]
    assert asked(plan([5.0], case={"budget": 4.9})) == []


def test_mandatory_features_come_first_whatever_the_stop_rule_says() -> None:
    opened = plan([1.0, 50.0, 1.0], mandatory=[0, 1, 0], stop=[("confidence", 1e-9, 0)])
    assert asked(opened) == [1]


def test_a_feature_waits_for_what_it_needs() -> None:
    order = asked(plan([1.0, 9.0, 9.0], needs=[[1, 2], [], []]))
    assert order[-1] == 0 and sorted(order) == [0, 1, 2]
    opened = plan([1.0, 9.0], needs=[[1], []])
    opened.skip(1)
    assert opened.next() is None  # what it needs cannot be had


def test_a_computed_feature_is_free_once_all_inputs_are_known() -> None:
    opened = plan([6.0, 1.0, 1.0], computed_from=[[1, 2], [], []])
    opened.observe(1, 0)
    assert opened.price(0) == 6.0
    opened.observe(2, 0)
    assert opened.price(0) == 0.0
    opened.observe(0, 1)
    assert opened.spent == 2.0


def test_a_case_may_have_prices_of_its_own() -> None:
    opened = plan([1.0, 1.0], later_price=[0.5, 0.5], group=[0, 0], case={"price": [8.0, 0.25]})
    opened.observe(0, 0)
    assert opened.spent == 8.0 and opened.price(1) == 0.25  # a later price is no higher than the first


def test_a_failed_feature_may_be_charged_for() -> None:
    opened = plan([3.0, 4.0])
    opened.skip(0)
    opened.skip(1, True)
    assert opened.spent == 4.0 and opened.next() is None
    np.testing.assert_allclose(opened.predict()[1], [0.5, 0.5])
