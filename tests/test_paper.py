"""The preset `paper` is the algorithm as printed."""

import time

import numpy as np

from ufodt import UFODT, Binary, Problem, stop

from .cases import (
    PROBLEM,
    draw_stream,
)


def test_the_paper_preset_keeps_the_label_prior_uniform() -> None:
    learner = UFODT.paper(PROBLEM, n_hypotheses=40)
    X, y = draw_stream(23, 50)
    learner.run(X, ["flu"] * 50)
    assert learner.belief.counts.any()
    np.testing.assert_array_equal(learner.belief.mean()[1], np.full(3, 1 / 3))


def test_the_paper_preset_is_the_algorithm_as_printed() -> None:
    learner = UFODT.paper(PROBLEM, criterion="ec2", n_hypotheses=95, seed=3)
    policy, prior = learner.policy, learner.prior
    assert (policy.criterion, policy.stop, policy.n_hypotheses) == ("ec2", stop.region(), 95)
    assert policy.distinct and policy.redraw_below == 0
    assert (policy.plan, policy.predict) == ("draw", "theta")
    assert prior.count == 1.0 and not prior.learns_labels and not prior.learns_trust and not prior.experts


def test_the_paper_preset_ends_quickly_when_there_are_fewer_vectors_than_hypotheses() -> None:
    learner = UFODT.paper(Problem([Binary("a"), Binary("b")], labels=[0, 1]), n_hypotheses=5000)
    start = time.process_time()
    record = learner.run(np.zeros((10, 2)), np.zeros(10, dtype=int))
    assert record.n_asked.max() <= 2
    assert time.process_time() - start < 10.0, "draws are bounded by a multiple of N"
