"""Too many features: a few candidates per case, of which the useful ones come to be chosen."""

import math
from typing import Any

import numpy as np
import pytest

from ufodt import UFODT, Binary, Problem, Selection, stop
from ufodt.errors import InvalidPolicy

MANY = Problem([Binary(f"f{i}") for i in range(40)], labels=[0, 1])


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"size": -1}, "-1 candidates"),
        ({"size": 2.0}, "2.0 candidates"),
        ({"size": True}, "True candidates"),
        ({"size": "5"}, "'5' candidates"),
        ({"epsilon": -0.1}, "epsilon=-0.1"),
        ({"epsilon": 1.1}, "epsilon=1.1"),
        ({"epsilon": math.nan}, "epsilon=nan"),
        ({"epsilon": "some"}, "epsilon='some'"),
        ({"step": 0.0}, "step=0.0"),
        ({"step": math.inf}, "step=inf"),
        ({"radius": -1.0}, "radius=-1.0"),
        ({"radius": math.nan}, "radius=nan"),
    ],
)
def test_settings_that_make_no_sense_are_refused_by_name(fields: dict[str, Any], says: str) -> None:
    with pytest.raises(InvalidPolicy, match=says):
        Selection(**fields)


def stream(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Forty bits, of which the eighth is the label nine times in ten."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (n, 40))
    return X, X[:, 7] ^ (rng.random(n) < 0.1)


def test_only_candidates_are_asked() -> None:
    learner = UFODT(MANY, selection=Selection(3, epsilon=1.0), stop=stop.confidence(1.0), seed=1)
    record = learner.run(*stream(100, 1))
    assert record.n_asked.max() == 3
    assert len(set(record.asked.tolist())) == 40, "by chance, every feature is a candidate some time"


@pytest.mark.parametrize("size", [0, 40, 1000])
def test_a_selection_of_all_makes_no_difference(size: int) -> None:
    plain, selecting = UFODT(MANY, seed=1), UFODT(MANY, selection=Selection(size), seed=1)
    first, second = plain.run(*stream(50, 2)), selecting.run(*stream(50, 2))
    np.testing.assert_array_equal(first.asked, second.asked)


def test_the_feature_that_matters_becomes_a_candidate() -> None:
    learner = UFODT(MANY, selection=Selection(4, epsilon=0.2), stop=stop.confidence(1.0), seed=2)
    learner.run(*stream(800, 3))
    assert np.abs(learner._selection.weights).argmax() == 7
    report = learner.evaluate(*stream(300, 4))
    assert report.accuracy > 0.85 and report.n_asked <= 4


def test_what_is_told_beside_the_candidates_is_paid_for_and_learned() -> None:
    learner = UFODT(MANY, selection=Selection(2), stop=stop.confidence(1.0), seed=2)
    session = learner.open("c")
    offered = {reason.feature for reason in session.why()}
    assert len(offered) == 2
    beside = next(f.name for f in MANY.features if f.name not in offered)
    session.tell(beside, 1)
    assert session.cost == session.predict().cost == 1.0
    assert session.evidence["prices"] == {beside: 1.0}
    learner.learn(session.evidence, 1)
    index = MANY.feature_index(beside)
    assert learner.belief.counts[2 * index + 1].tolist() == [0.0, 1.0]
    assert session.undo() == beside and session.cost == 0.0


def test_what_is_mandatory_is_always_a_candidate() -> None:
    problem = Problem([Binary(f"f{i}", mandatory=i == 3) for i in range(10)], labels=[0, 1])
    record = UFODT(problem, selection=Selection(2), seed=1).run(np.ones((50, 10)), [0, 1] * 25)
    assert (record.asked == 3).sum() == 50


def test_what_is_known_counts_as_known_though_it_is_no_candidate() -> None:
    problem = Problem([Binary("scan"), *(Binary(f"f{i}", needs=["scan"]) for i in range(9))], labels=[0, 1])
    learner = UFODT(problem, selection=Selection(2), stop=stop.confidence(1.0), seed=1)
    assert all(learner.open(known={"scan": 1}).ask() is not None for _ in range(20))
