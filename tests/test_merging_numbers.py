"""Where numbers are cut once what was seen elsewhere is merged: not anew for every trifle, nor past a whole share."""

import numpy as np

from ufodt import UFODT, Continuous, Problem


def test_cut_points_stay_when_little_or_nothing_is_merged() -> None:
    rng = np.random.default_rng(5)
    y = rng.integers(0, 2, 64)
    X = rng.normal(y[:, None], size=(64, 1))
    problem = Problem([Continuous("a")], labels=[0, 1])
    learner, other = UFODT(problem), UFODT(problem)
    learner.learn_many(X[:57], y[:57])
    cuts = learner.belief.cuts[0]
    learner.learn_many(X[:3], y[:3], weights=[0, 0, 0])
    learner.merge(other)
    other.learn_many(X[57:63], y[57:63])
    learner.merge(other)
    assert learner.belief.cuts[0] == cuts
    learner.learn_many(X[63:], y[63:], weights=[1])  # the 64th value
    whole = UFODT(problem)
    whole.learn_many(X, y)
    assert learner.belief.cuts[0] == whole.belief.cuts[0] != cuts


def test_a_fair_share_that_is_merged_is_told_apart() -> None:
    """Between the cut points of the first learner alone, all values of the second would fall into one bin."""
    problem = Problem([Continuous("a", price=0.01)], labels=[0, 1])
    rng = np.random.default_rng(2)
    learners = []
    for at, n in ((0.0, 520), (50.0, 75)):
        y = rng.integers(0, 2, n)
        learners.append(UFODT(problem))
        learners[-1].learn_many(rng.normal(at + y, 0.4)[:, None], y)
    learners[0].merge(learners[1])
    y = rng.integers(0, 2, 2000)
    assert learners[0].evaluate(rng.normal(50.0 + y, 0.4)[:, None], y).accuracy > 0.7
