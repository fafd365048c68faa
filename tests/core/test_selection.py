"""Candidates by the weights of online feature selection: how many, which, and how the weights move."""

import numpy as np
import pytest

from ufodt import core


def make(n: int, m: int, **settings: float) -> tuple[core.Problem, core.Belief, core.Selection]:
    problem = core.Problem([2] * n, m, [1.0] * n, [1.0] * n, [-1] * n, 1.0 - np.eye(m))
    belief = core.Belief(problem, np.ones((2 * n, m)), np.ones(m), True)
    return problem, belief, core.Selection(problem, by="weights", **settings)  # type: ignore[arg-type]


def policy() -> core.Policy:
    return core.Policy(
        criterion="ig",
        stop=[],
        budget=np.inf,
        n_hypotheses=8,
        distinct=False,
        redraw_below=0,
        predict_theta=False,
        plan="draw",
    )


def offered(problem: core.Problem, belief: core.Belief, selection: core.Selection, number: int) -> list[int]:
    plan = core.Plan(problem, policy(), belief, seed=1, number=number, selection=selection)
    return [f for f, _, _ in plan.gains()]


def test_a_case_offers_the_largest_weights_or_now_and_then_any() -> None:
    problem, belief, selection = make(40, 2, size=5, epsilon=0.25)
    weights = np.zeros(40)
    weights[[3, 9, 11, 27, 38]] = [1, -2, 3, -4, 5]  # by magnitude, whatever the sign
    selection.set_weights(weights)
    cases = [offered(problem, belief, selection, i) for i in range(800)]
    assert all(len(case) == 5 for case in cases)
    explored = np.mean([case != [3, 9, 11, 27, 38] for case in cases])
    assert abs(explored - 0.25) < 4 * np.sqrt(0.25 * 0.75 / 800)
    explored_cases = [case for case in cases if case != [3, 9, 11, 27, 38]]
    assert len(np.unique(np.concatenate(explored_cases))) == 40


def test_two_labels_have_one_perceptron_and_it_moves_as_printed() -> None:
    problem, belief, selection = make(8, 2, size=4, epsilon=0.2, step=0.5)
    scale = 1 / (0.2 * 4 / 8 + 1 - 0.2)
    core.learn(belief, core.Drift(), selection, [(1, 1, 0.0, -1), (5, 0, 0.0, -1)], 1)
    expected = np.zeros(8)
    expected[1], expected[5] = 0.5 * scale, -0.5 * scale
    np.testing.assert_allclose(selection.weights, expected)


def test_more_labels_have_a_perceptron_each_against_the_rest() -> None:
    problem, belief, selection = make(6, 3, size=3)
    core.learn(belief, core.Drift(), selection, [(2, 1, 0.0, -1)], 0)
    assert np.sign(selection.weights.reshape(3, 6)[:, 2]).tolist() == [1, -1, -1]


def test_weights_stay_in_the_ball() -> None:
    problem, belief, selection = make(10, 2, size=2, step=100.0, radius=3.0)
    core.learn(belief, core.Drift(), selection, [(f, f % 2, 0.0, -1) for f in range(3)], 1)
    weights = selection.weights
    assert np.linalg.norm(weights) == pytest.approx(3.0) and np.sign(weights[:3]).tolist() == [-1, 1, -1]


def test_all_features_are_offered_where_none_are_left_out() -> None:
    for size in (0, 7, 9):
        problem, belief, selection = make(7, 2, size=size)
        assert not selection.on and offered(problem, belief, selection, 0) == list(range(7))


def test_a_thousand_features_learn_which_matter() -> None:
    rng = np.random.default_rng(3)
    n = 1000
    problem, belief, selection = make(n, 2, size=20, epsilon=0.3)
    labels = rng.integers(0, 2, 3000).astype(np.int32)
    X = rng.integers(0, 2, (3000, n)).astype(np.int16)
    for f in range(10):
        X[:, f] = labels ^ (rng.random(3000) < 0.15)
    core.run(problem, policy(), belief, seed=1, number=0, outcomes=X, labels=labels, selection=selection)
    top = np.argsort(-np.abs(selection.weights))[:20]
    assert (top < 10).sum() >= 6  # by chance 0.2


def test_weights_that_do_not_fit_are_refused() -> None:
    problem, _, selection = make(10, 2, size=3)
    with pytest.raises(ValueError):
        selection.set_weights(np.zeros(9))
    without = core.Selection(problem, size=3, by="information")
    without.set_weights(np.zeros(0))
    assert without.weights.size == 0
    with pytest.raises(ValueError):
        without.set_weights(np.zeros(10))
    with pytest.raises(ValueError):
        selection.merge(without)


def test_a_merit_that_is_not_known_is_refused() -> None:
    problem, _, _ = make(10, 2, size=3)
    with pytest.raises(ValueError, match="no such merit: luck"):
        core.Selection(problem, size=3, by="luck")


@pytest.mark.parametrize("number", range(20))
def test_where_nothing_can_tell_anything_there_are_candidates_all_the_same(number: int) -> None:
    """With one label no merit is above zero, and drawing by merit must end."""
    problem, belief, _ = make(12, 1, size=4)
    assert not np.any(belief.promises)
    selection = core.Selection(problem, size=4, by="information", epsilon=0.0)
    assert len(offered(problem, belief, selection, number)) == 4
