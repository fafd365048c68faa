"""What is believed before the first case: flat counts, experts, label shares."""

import math
from typing import Any

import numpy as np
import pytest

from ufodt import UFODT, Binary, Categorical, Expert, Prior, Problem
from ufodt.errors import InvalidProblem, UfodtError, UnknownFeature, UnknownLabel

PROBLEM = Problem([Binary("fever"), Categorical("rhythm", ["sinus", "flutter", "other"])], labels=["healthy", "ill"])


def mean(prior: Prior) -> tuple[np.ndarray, np.ndarray]:
    return UFODT(PROBLEM, prior=prior).belief.mean()


def test_a_flat_prior_is_uniform() -> None:
    p, labels = mean(Prior(count=3.0))
    np.testing.assert_allclose(p, np.array([[1 / 2] * 2] * 2 + [[1 / 3] * 2] * 3))
    np.testing.assert_allclose(labels, [0.5, 0.5])


def test_an_expert_is_worth_as_many_cases_as_it_says() -> None:
    learner = UFODT(PROBLEM, prior=Prior(experts=[Expert("fever", "ill", 0.9, strength=50)]))
    np.testing.assert_allclose(learner.belief.prior[:2], [[1.0, 5.0], [1.0, 45.0]])
    for _ in range(50):
        learner.learn({"values": {"fever": 0}}, "ill")  # type: ignore[typeddict-item]
    assert learner.belief.mean()[0][1, 1] == pytest.approx(0.45)


@pytest.mark.parametrize(
    "probability",
    [(0.7, 0.2, 0.1), [0.7, 0.2, 0.1], {"other": 0.1, "sinus": 0.7, "flutter": 0.2}, np.array([0.7, 0.2, 0.1])],
    ids=repr,
)
def test_an_expert_may_give_one_probability_for_each_value(probability: Any) -> None:
    p, _ = mean(Prior(experts=[Expert("rhythm", "healthy", probability, strength=10)]))
    np.testing.assert_allclose(p[2:, 0], [0.7, 0.2, 0.1])
    np.testing.assert_allclose(p[2:, 1], 1 / 3)


def test_label_shares_have_their_strength() -> None:
    learner = UFODT(PROBLEM, prior=Prior(labels={"ill": 0.2, "healthy": 0.8}, label_strength=20))
    np.testing.assert_allclose(learner.belief.label_prior, [16.0, 4.0])


@pytest.mark.parametrize(
    ("fields", "error", "says"),
    [
        ({"count": 0.0}, InvalidProblem, ["0.0", "count"]),
        ({"count": -1.0}, InvalidProblem, ["-1.0", "count"]),
        ({"count": math.nan}, InvalidProblem, ["nan"]),
        ({"count": math.inf}, InvalidProblem, ["inf"]),
        ({"count": "1"}, InvalidProblem, ["'1'"]),
        ({"experts": [Expert("fewer", "ill", 0.5, 1)]}, UnknownFeature, ["'fewer'", "'fever'"]),
        ({"experts": [Expert("fever", "sick", 0.5, 1)]}, UnknownLabel, ["'sick'", "'ill'"]),
        ({"experts": [Expert("fever", "ill", 0.5, 0)]}, InvalidProblem, ["0 came", "'fever' given 'ill'"]),
        ({"experts": [Expert("fever", "ill", 0.5, math.inf)]}, InvalidProblem, ["inf", "'fever'"]),
        ({"experts": [Expert("fever", "ill", 1.0, 5)]}, InvalidProblem, ["[0.0, 1.0]", "above 0"]),
        ({"experts": [Expert("fever", "ill", 1.5, 5)]}, InvalidProblem, ["-0.5", "above 0"]),
        ({"experts": [Expert("fever", "ill", math.nan, 5)]}, InvalidProblem, ["nan"]),
        ({"experts": [Expert("rhythm", "ill", 0.5, 5)]}, InvalidProblem, ["rhythm", "3 values"]),
        ({"experts": [Expert("rhythm", "ill", [0.5, 0.5], 5)]}, InvalidProblem, ["2 probabilities", "3 values"]),
        ({"experts": [Expert("rhythm", "ill", [0.5, 0.4, 0.2], 5)]}, InvalidProblem, ["0.2", "sum to 1"]),
        ({"experts": [Expert("rhythm", "ill", {"sinus": 1.0}, 5)]}, InvalidProblem, ["sinus", "flutter"]),
        ({"labels": {"ill": 1.0}}, InvalidProblem, ["ill", "healthy"]),
        ({"labels": {"ill": 0.5, "healthy": 0.6}}, InvalidProblem, ["0.6", "the labels"]),
        ({"labels": {"ill": 0.5, "healthy": 0.5}, "label_strength": 0}, InvalidProblem, ["0 came", "labels"]),
    ],
)
def test_a_prior_that_makes_no_sense_is_refused_by_name(
    fields: dict[str, Any], error: type[UfodtError], says: list[str]
) -> None:
    with pytest.raises(error) as caught:
        UFODT(PROBLEM, prior=Prior(**fields))
    assert all(word in str(caught.value) for word in says), str(caught.value)
