"""What sets of features cost together: what a session pays for them in the best order."""

import itertools
import time
from dataclasses import replace

import numpy as np
import pytest

from ufodt import UFODT, Binary, Problem
from ufodt.lab import datasets, methods, subsets, till


def test_the_whole_costs_what_all_features_do_in_the_cheapest_order() -> None:
    blood = {"group": "blood", "price": 7.0, "later_price": 5.0}
    problem = Problem([Binary("a", **blood), Binary("b", **blood), Binary("c", price=2.0)], labels=[0, 1])  # type: ignore[arg-type]
    assert till.whole_price(problem) == 14.0


def test_a_subset_comes_with_duties_and_needs_and_computes_what_it_can() -> None:
    problem = Problem(
        [
            Binary("duty", price=1.0, mandatory=True),
            Binary("sample", price=2.0),
            Binary("test", price=4.0, needs=["sample"]),
            Binary("both", price=8.0, computed_from=["sample", "test"]),
        ],
        labels=[0, 1],
    )
    nothing, test, both, inputs, everything = till.prices_of(
        problem, np.array([[0, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1], [0, 1, 1, 0], [1, 1, 1, 1]], dtype=bool)
    )
    assert (nothing, test, both, inputs, everything) == (1.0, 7.0, 9.0, 7.0, 7.0)


def test_what_values_add_to_prices_counts_where_a_feature_is_bought() -> None:
    """Forty of a hundred cases have the value that adds 10; what follows from others adds nothing."""
    problem = Problem(
        [
            Binary("scan", price=1.0, surcharge={1: 10.0}),
            Binary("again", price=5.0, later_price=2.0, group="g", surcharge={0: 20.0}),
            Binary("first", price=3.0, group="g"),
            Binary("both", price=8.0, surcharge={1: 100.0}, computed_from=["scan", "again"]),
        ],
        labels=[0, 1],
    )
    X = np.zeros((100, 4))
    X[:40, 0] = 1
    X[10:30, 1] = np.nan
    X[30:90, 1] = 1
    X[:50, 3] = 1
    surcharges = till.mean_surcharges(problem, X)
    assert surcharges.tolist() == [4.0, 4.0, 0.0, 50.0]
    members = np.array([[0, 0, 0, 0], [1, 0, 0, 0], [0, 1, 1, 0], [0, 0, 0, 1], [1, 1, 1, 1]], dtype=bool)
    prices = till.prices_of(problem, members, surcharges)
    assert prices.tolist() == [0.0, 5.0, 3.0 + 2.0 + 4.0, 58.0, 5.0 + 3.0 + 2.0 + 4.0]


def test_peers_pay_what_values_add() -> None:
    digits = datasets.led(400, seed=1)
    plain = datasets.to_problem(digits)
    dear = replace(plain.features[0], surcharge={1: 10.0})
    problem = replace(plain, features=[dear, *plain.features[1:]])
    peer = methods.build("bernoulli_nb", digits, problem=problem)
    assert peer.answer(digits.X[0])[2] == pytest.approx(7.0 + 10.0 * digits.X[:, 0].mean())


def test_what_needs_another_of_its_group_is_never_the_first_of_it() -> None:
    group = {"group": "g", "later_price": 1.0}
    problem = Problem(
        [
            Binary("a", price=10.0, **group),  # type: ignore[arg-type]
            Binary("b", price=2.0, needs=["between"], **group),  # type: ignore[arg-type]
            Binary("between", price=0.5, needs=["a"]),
        ],
        labels=[0, 1],
    )
    assert till.whole_price(problem) == 10.0 + 0.5 + 1.0
    assert till.prices_of(problem, np.array([[False, True, False]])).tolist() == [11.5]


def test_the_whole_of_a_wide_problem_is_priced_at_once() -> None:
    problem = Problem([Binary(f"x{i}") for i in range(6000)], labels=[0, 1])
    start = time.process_time()
    assert till.whole_price(problem) == 6000.0
    assert time.process_time() - start < 1.0


def test_of_features_that_follow_from_one_another_the_cheapest_is_paid_for() -> None:
    circle = [Binary("celsius", price=3.0, computed_from=["kelvin"]), Binary("kelvin", computed_from=["celsius"])]
    problem = Problem([*circle, Binary("other", price=5.0, computed_from=["celsius", "kelvin"])], labels=[0, 1])
    assert subsets.all_subsets(problem).prices.tolist() == [0.0, 3.0, 1.0, 1.0, 5.0, 8.0, 6.0, 1.0]


def test_a_subset_costs_what_a_session_pays_in_the_best_order() -> None:
    rng = np.random.default_rng(4)
    for _ in range(60):
        names, features = "abcd", []
        for name in names:
            group = {"group": str(rng.choice(["g", "h"])), "later_price": float(rng.choice([0.5, 2.0, 5.0]))}
            inputs = [str(rng.choice([n for n in names if n != name]))] if rng.random() < 0.4 else []
            price, is_grouped = float(rng.choice([1.0, 3.0, 9.0])), rng.random() < 0.5
            features.append(Binary(name, price=price, computed_from=inputs, **(group if is_grouped else {})))  # type: ignore[arg-type]
        problem = Problem(features, labels=[0, 1])
        least = []
        for order in itertools.permutations(names):
            session = UFODT(problem).open()
            for name in order:
                session.tell(name, 1)
            least.append(session.cost)
        assert till.whole_price(problem) == min(least), features


def test_many_features_that_hang_together_are_bought_one_after_the_other() -> None:
    blood = {"group": "blood", "price": 7.0, "later_price": 1.0}
    panel = [Binary(f"b{j}", **blood) for j in range(till.MAX_TIED)]  # type: ignore[arg-type]
    body = [Binary("weight", price=5.0), Binary("height", price=5.0, needs=["weight"])]
    bmi = Binary("bmi", price=1.0, computed_from=["weight", "height"], group="blood", later_price=0.5)
    problem = Problem([bmi, *panel, *body], labels=[0, 1])
    assert till.whole_price(problem) == 10.0 + 0.0 + till.MAX_TIED * 1.0  # computed, it opens the group for nothing
    without = np.array([[False, *[True] * len(panel), False, False], [True] + [False] * (len(panel) + 2)])
    assert till.prices_of(problem, without).tolist() == [7.0 + (till.MAX_TIED - 1) * 1.0, 1.0]


def test_what_will_follow_from_the_rest_is_not_bought_before_it_however_cheap() -> None:
    visits = [Binary(f"v{j}", needs=["weight"]) for j in range(till.MAX_TIED)]
    bmi = Binary("bmi", computed_from=["weight", "height"])
    problem = Problem([bmi, Binary("weight", price=5.0), Binary("height", price=5.0), *visits], labels=[0, 1])
    assert till.whole_price(problem) == 10.0 + till.MAX_TIED
