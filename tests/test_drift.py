"""A world that moves: settings checked, forgetting exact, and a new concept learned after a change."""

import math
from typing import Any

import numpy as np
import pytest

from ufodt import UFODT, Binary, Problem, drift, stop
from ufodt.drift import Drift
from ufodt.errors import InvalidPolicy

TWO = Problem([Binary("a"), Binary("b")], labels=["x", "y"])


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"gamma": -0.1}, "gamma=-0.1"),
        ({"gamma": 1.0}, "gamma=1.0"),
        ({"gamma": math.nan}, "gamma=nan"),
        ({"gamma": "some"}, "gamma='some'"),
        ({"gamma": None}, "gamma=None"),
        ({"threshold": 0.0}, "threshold=0.0"),
        ({"threshold": math.inf}, "threshold=inf"),
        ({"threshold": "2"}, "threshold='2'"),
        ({"automatic": "yes"}, "automatic='yes'"),
    ],
)
def test_settings_that_make_no_sense_are_refused_by_name(fields: dict[str, Any], says: str) -> None:
    with pytest.raises(InvalidPolicy, match=says):
        Drift(**fields)


def test_numbers_of_numpy_become_plain() -> None:
    rule = drift.discount(np.float32(0.25))  # type: ignore[arg-type]
    assert type(rule.gamma) is float and rule == drift.discount(0.25)


def test_a_case_is_added_to_what_is_left() -> None:
    """The discounted counts, not those before, as algorithm 5 is printed."""
    learner = UFODT(TWO, drift=drift.discount(0.25))
    for _ in range(3):
        learner.learn({"values": {"a": 1}}, "x")  # type: ignore[typeddict-item]
    assert learner.belief.counts[1, 0] == pytest.approx(1 + 0.75 + 0.75**2)
    assert learner.belief.label_counts[0] == pytest.approx(1 + 0.75 + 0.75**2)
    learner.learn({"values": {"b": 0}}, "y")  # type: ignore[typeddict-item]
    assert learner.belief.counts[1, 0] == pytest.approx(0.75 + 0.75**2 + 0.75**3)


def test_no_drift_forgets_nothing() -> None:
    learner = UFODT(TWO)
    for _ in range(5):
        learner.learn({"values": {"a": 1}}, "x")  # type: ignore[typeddict-item]
    assert learner.belief.counts[1, 0] == 5.0


def turning(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """The label is the first bit, then its opposite."""
    X = np.random.default_rng(seed).integers(0, 2, (2 * n, 2))
    truth = np.where(np.arange(2 * n) < n, X[:, 0], 1 - X[:, 0])
    return X, np.array(["x", "y"])[truth]


@pytest.mark.parametrize("rule", [drift.discount(0.05), drift.auto()], ids=repr)
def test_a_learner_that_forgets_follows_a_world_that_turns(rule: Drift) -> None:
    right = {}
    for name, how in (("forgets", rule), ("keeps", None)):
        shares = []
        for seed in range(5):
            X, y = turning(150, seed)
            learner = UFODT(TWO, drift=how, stop=stop.confidence(0.9), seed=seed)
            shares.append((learner.run(X, y).predicted == y)[200:].mean())
        right[name] = np.mean(shares)
    assert right["forgets"] > 0.9 > right["keeps"]


def test_a_world_that_stands_still_raises_no_alarm_for_long() -> None:
    """False alarms are taken back: what was learned is not lost to them."""
    counts = []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        X = rng.integers(0, 2, (400, 2))
        y = np.array(["x", "y"])[X[:, 0] ^ (rng.random(400) < 0.1)]
        learner = UFODT(TWO, drift=drift.auto(), stop=stop.confidence(0.9), seed=seed)
        learner.run(X, y)
        counts.append(learner.belief.label_counts.sum())
    assert np.median(counts) == 400


def test_history_is_not_forgotten_by_its_own_rows() -> None:
    learner = UFODT(TWO, drift=drift.discount(0.5))
    learner.learn_many([[1, 1]] * 4, ["x"] * 4)
    assert learner.belief.counts[1, 0] == 4.0
