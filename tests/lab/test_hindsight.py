"""The best subset of a hold-out beside the exact optimum, in worlds whose parameters are known."""

import numpy as np
import pytest

from ufodt import Binary, Categorical, Continuous, Problem, core
from ufodt.compiled import n_states
from ufodt.lab import hindsight
from ufodt.lab.datasets import load, to_problem
from ufodt.lab.optimal import World, optimum
from ufodt.lab.subsets import all_subsets

COIN = Problem([Binary("coin", price=1.0)], labels=[0, 1], loss=[[0, 10], [10, 0]])


def world(p: float, problem: Problem = COIN) -> World:
    """A feature that is right about the label with probability p."""
    return World(problem, theta=[[p, 1 - p], [1 - p, p]], label=[0.5, 0.5])


def test_costs_are_those_in_closed_form() -> None:
    found = hindsight.in_world(world(0.8), all_subsets(COIN), n_rows=400, n_holdouts=100, seed=1)
    assert found.optimum == pytest.approx(1.0 + 10 * 0.2)
    error = 10 * np.sqrt(0.2 * 0.8 / 40_000)
    assert found.one_for_all.mean() == pytest.approx(found.optimum, abs=4 * error)


def test_values_come_as_often_as_theta_says() -> None:
    """Three values, told apart by what they cost to mistake: with the whole subset the loss is that of the table."""
    problem = Problem([Categorical("c", ["a", "b", "c"], price=0.0)], labels=[0, 1], loss=[[0, 1], [1, 0]])
    known = World(problem, theta=[[0.5, 0.1], [0.3, 0.2], [0.2, 0.7]], label=[0.25, 0.75])
    found = hindsight.in_world(known, all_subsets(problem), n_rows=1000, n_holdouts=100, seed=2)
    loss = 0.75 * 0.1 + 0.25 * 0.3 + 0.25 * 0.2  # answers 0 to a, and 1 to b and c
    assert found.optimum == pytest.approx(loss)
    assert found.one_for_all.mean() == pytest.approx(loss, abs=4 * np.sqrt(loss * (1 - loss) / 100_000))


def test_hindsight_beats_the_optimum_where_there_is_nothing_to_know() -> None:
    """Ten coins that tell a little for nothing: of their subsets some is right by chance on few cases."""
    problem = Problem([Binary(f"coin {i}", price=0.0) for i in range(10)], labels=[0, 1], loss=[[0, 10], [10, 0]])
    known = World(problem, theta=[[0.51, 0.49], [0.49, 0.51]] * 10, label=[0.5, 0.5])
    few, many = (
        hindsight.in_world(known, all_subsets(problem), n_rows=n_rows, n_holdouts=50, seed=3) for n_rows in (20, 2000)
    )
    assert few.best.mean() < few.optimum - 1.0
    assert few.optimum - few.best.mean() > 3 * (many.optimum - many.best.mean())
    assert (few.best <= few.one_for_all).all()
    assert few.one_for_all.mean() < few.optimum, "one subset for all, the best of them on the mean"


def test_no_subset_fixed_beforehand_beats_the_optimum() -> None:
    data = load("pima")
    problem = to_problem(data, priced=True, loss=400 * (1 - np.eye(2)))
    known = hindsight.alike(data, problem)
    found = hindsight.in_world(known, all_subsets(problem), n_rows=154, n_holdouts=60, seed=4)
    error = found.one_for_all.std(ddof=1) / np.sqrt(60)
    assert found.optimum == optimum(known).cost
    assert found.one_for_all.mean() > found.optimum - 2 * error


def test_a_world_alike_has_the_shares_of_the_data() -> None:
    data = load("pima")
    problem = to_problem(data, priced=True, loss=400 * (1 - np.eye(2)))
    known = hindsight.alike(data, problem)
    glucose = problem.feature_index("glucose")
    feature = known.problem.features[glucose]
    assert isinstance(feature, Continuous) and len(feature.cuts) == hindsight.MAX_BINS - 1
    first = sum(known.compiled.n_outcomes[:glucose])
    ill = data.X[data.y == 1, glucose]
    seen = np.bincount(np.searchsorted(feature.cuts, ill, side="left"), minlength=4) / len(ill)
    np.testing.assert_allclose(known.theta[first : first + 4, 1], seen, atol=0.01)
    np.testing.assert_allclose(known.label, np.bincount(data.y) / len(data.y), atol=0.002)


def test_a_world_too_large_for_four_bins_has_fewer() -> None:
    data = load("cleveland")
    known = hindsight.alike(data, to_problem(data, priced=True))
    assert n_states(known.compiled) <= core.MAX_STATES
    n_bins = {len(f.cuts) + 1 for f in known.problem.features if isinstance(f, Continuous)}
    assert n_bins < {2, 3, hindsight.MAX_BINS} and max(n_bins) < hindsight.MAX_BINS
