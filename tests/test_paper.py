"""The preset `paper` is the algorithm as printed."""

import time

import numpy as np
import pytest

from ufodt import UFODT, Binary, Categorical, Expert, Prior, Problem, stop
from ufodt.features import Feature

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


@pytest.mark.parametrize(("n_values", "n_features"), [(2, 400), (2, 1500), (20, 100)])
def test_hundreds_of_features_do_not_make_weights_vanish(n_values: int, n_features: int) -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 400)
    X, tells = rng.integers(0, n_values, (400, n_features)), n_features // 2
    X[:, tells] = np.where(rng.random(400) < 0.97, y, X[:, tells])
    features: list[Feature] = [
        Binary(f"f{j}") if n_values == 2 else Categorical(f"f{j}", range(n_values)) for j in range(n_features)
    ]
    learner = UFODT.paper(Problem(features, labels=[0, 1]), criterion="ec2", n_hypotheses=200, seed=1)
    learner.learn_many(X, y)
    session = learner.open()
    question = session.ask()
    assert question is not None and question.feature == f"f{tells}"
    assert len({reason.gain for reason in session.why()}) > n_features / 2


def test_a_prior_that_is_given_is_taken_for_what_it_says_and_learns_nothing_besides() -> None:
    problem = Problem([Binary("a"), Binary("b")], labels=[0, 1])
    said = Prior(count=2.0, experts=[Expert("a", 1, 0.9, strength=10)], labels={0: 0.8, 1: 0.2})
    learner = UFODT.paper(problem, n_hypotheses=4, prior=said, seed=1)
    learner.run([[1, 0], [0, 1]] * 50, [1, 0] * 50)
    np.testing.assert_allclose(learner.belief.mean()[1], [0.8, 0.2])
    np.testing.assert_allclose(learner.belief.prior[:2, 1], [1.0, 9.0])
    assert learner.belief.overlap == 0 and not learner.belief.is_paired
