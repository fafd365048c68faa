"""Fixed subsets: which features come first, and what comes with them."""

import numpy as np

from ufodt import Binary, Problem
from ufodt.lab import datasets, methods, subsets


def test_features_that_tell_something_come_first() -> None:
    coins = datasets.wide(1500, seed=2, n_features=12, n_informative=3)
    leaning = np.argsort(-np.abs((coins.X.T == coins.y).mean(axis=1) - 0.5))[:3]
    order = subsets.ranked(datasets.to_problem(coins), coins)
    assert set(order[:3]) == set(leaning.tolist()) and sorted(order) == list(range(12))


def test_a_feature_that_repeats_another_comes_last() -> None:
    rng = np.random.default_rng(1)
    y = rng.integers(2, size=600)
    first, second = (np.where(rng.random(600) < 0.8, y, 1 - y) for _ in range(2))
    X = np.column_stack([first, first, second]).astype(np.float64)
    data = datasets.dataset.assemble(
        "copies", datasets.dataset.binary("a", "copy", "b"), X, y, ("0", "1"), source="", licence=""
    )
    assert subsets.ranked(datasets.to_problem(data), data)[-1] in (0, 1)


def test_as_many_as_wanted_are_ranked() -> None:
    digits = datasets.led(400, seed=1)
    problem = datasets.to_problem(digits)
    assert len(subsets.ranked(problem, digits, n_best=2)) == 2
    assert subsets.ranked(problem, digits, n_best=2) == subsets.ranked(problem, digits)[:2]


def test_a_fixed_subset_comes_with_what_it_needs_and_computes_what_it_can() -> None:
    rng = np.random.default_rng(3)
    y = rng.integers(2, size=400)
    told, sample, coin = y.copy(), rng.integers(2, size=400), rng.integers(2, size=400)
    X = np.column_stack([sample, told, coin, told ^ (rng.random(400) < 0.05)]).astype(np.float64)
    data = datasets.dataset.assemble(
        "needs", datasets.dataset.binary("sample", "test", "coin", "computed"), X, y, ("0", "1"), source="", licence=""
    )
    features = [Binary("sample", price=2.0), Binary("test", price=4.0, needs=["sample"]), Binary("coin")]
    for inputs, k, price in (((), 1, 6.0), (("sample", "test"), 2, 6.0), (("test", "coin"), 2, 6.0 + 9.0)):
        problem = Problem([*features, Binary("computed", price=9.0, computed_from=inputs)], labels=[0, 1])
        for method in ("static", "bernoulli_nb"):
            subset = methods.build(method, data, problem=problem, settings={"k": k}, stream=data)
            answers = subset.run(X, y)
            assert np.asarray(answers.cost).max() == price, (method, inputs, k)
