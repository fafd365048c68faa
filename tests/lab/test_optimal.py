"""The optimum by name: known results, and what is refused."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ufodt import Binary, Continuous, Policy, Problem, stop
from ufodt import policy as policies
from ufodt.errors import InvalidPolicy, InvalidValue, TooLarge
from ufodt.lab.optimal import World, follow, led_world, optimum
from ufodt.lab.worlds import OURS, costs, one_step, play, worlds


def test_the_led_display_cannot_be_read_better_than_at_four_questions() -> None:
    best = optimum(led_world(), worth=1000.0)
    assert (round(best.accuracy, 3), round(best.n_asked, 2)) == (0.740, 4.19)


def test_the_tree_of_an_optimum_adds_up() -> None:
    best = optimum(led_world())
    stops = [node for node in best.tree if node.feature < 0]
    assert sum(node.probability for node in stops) == pytest.approx(1.0)
    assert sum(node.probability for node in best.tree if node.feature >= 0) == pytest.approx(best.n_asked)
    assert all(node.parent < i for i, node in enumerate(best.tree))


@pytest.mark.parametrize("prices", ["unit", "heart"])
def test_no_policy_beats_the_optimum_and_ours_beats_the_paper(prices: str) -> None:
    for i, world in enumerate(worlds(prices, 3, seed=9, n=5)):
        least, found = optimum(world).cost, costs(world, seed=i)
        assert min(found.values()) >= least * (1 - 1e-9), found
        assert found[OURS] < found["EC2, region stop"]


def test_a_policy_given_as_a_function_pays_what_the_planner_pays_for_the_same_choices() -> None:
    for world in worlds("heart", 3, seed=10, n=3):
        policy = replace(policies.paper(criterion="ig", n_hypotheses=16), stop=stop.confidence(0.9), plan="mean")

        def as_planned(plan: Any, world: World, p: np.ndarray) -> int | None:
            return None if p.max() >= 0.9 or not plan.gains() else max(plan.gains(), key=lambda g: g[2] / g[1])[0]

        ours, theirs = play(world, as_planned), follow(world, policy)
        for field in ("cost", "price", "loss", "accuracy", "n_asked"):
            assert getattr(ours, field) == pytest.approx(getattr(theirs, field), rel=1e-6)


def test_a_question_that_pays_alone_is_asked_by_the_one_step_stop() -> None:
    problem = Problem([Binary("a"), Binary("b", price=30.0)], labels=[0, 1], loss=[[0, 20], [20, 0]])
    world = World(problem, [[0.9, 0.2], [0.1, 0.8], [0.99, 0.01], [0.01, 0.99]], [0.5, 0.5])
    found = play(world, one_step)
    assert (found.n_asked, found.price, found.cost) == pytest.approx((1.0, 1.0, 4.0))


def test_a_world_knows_continuous_features_by_their_bins() -> None:
    problem = Problem([Continuous("x", cuts=[1.0])], labels=[0, 1], loss=[[0, 9], [9, 0]])
    assert optimum(World(problem, [[0.8, 0.1], [0.2, 0.9]], [0.5, 0.5])).accuracy == pytest.approx(0.85)


def test_answers_may_be_certain() -> None:
    """Two bits whose difference is the label: both are worth their price, one alone is worth nothing."""
    problem = Problem([Binary(name) for name in "abc"], labels=[0, 1, 2, 3], loss=20 * (1 - np.eye(4)))
    bit = [[1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 1.0]]
    other = [[1.0, 0.0, 1.0, 0.0], [0.0, 1.0, 0.0, 1.0]]
    world = World(problem, [*bit, *other, *np.full((2, 4), 0.5)], np.full(4, 0.25))
    best = optimum(world)
    assert (best.cost, best.n_asked, best.accuracy) == (2.0, 2.0, 1.0)
    for policy in (Policy(), Policy(criterion="ec2"), Policy(criterion="eced"), Policy(planner="greedy")):
        assert follow(world, policy).cost == pytest.approx(2.0, abs=1e-6)


def test_a_problem_too_large_is_refused_in_words() -> None:
    problem = Problem([Binary(f"f{i}") for i in range(16)], labels=[0, 1])
    world = World(problem, np.full((32, 2), 0.5), [0.5, 0.5])
    with pytest.raises(TooLarge, match=r"16 features have 4\.3e\+07 partial assignments.*fewer bins"):
        optimum(world)


def test_what_is_no_policy_is_not_followed() -> None:
    with pytest.raises(InvalidPolicy, match=r"'ec2' came to be followed; expected a Policy"):
        follow(led_world(), "ec2")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("theta", "label", "message"),
    [
        ([[0.5, 0.5]], [0.5, 0.5], "shape"),
        ([[0.5, 0.5], [0.5, 0.4]], [0.5, 0.5], "sum to 1"),
        ([[0.5, 0.5], [0.5, 0.5]], [0.5, 0.6], "sum to 1"),
        ([[0.5, 1.1], [0.5, -0.1]], [0.5, 0.5], "of 0 or more"),
        ([["a", "b"], ["c", "d"]], [0.5, 0.5], "expected probabilities"),
    ],
)
def test_what_makes_no_world_is_refused(theta: Any, label: Any, message: str) -> None:
    with pytest.raises(InvalidValue, match=message):
        World(Problem([Binary("f")], labels=[0, 1]), theta, label)


def test_the_worlds_of_a_seed_are_the_same_again_and_differ_from_those_of_another() -> None:
    first, again, other = (next(worlds("heart", 2, seed=seed, n=1)) for seed in (1, 1, 2))
    assert (first.theta == again.theta).all() and first.problem == again.problem
    assert not np.array_equal(first.theta, other.theta)
