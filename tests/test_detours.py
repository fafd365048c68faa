"""What is cheaper once others are paid for: bought after these, where a plan has an eye for it."""

import numpy as np
import pytest

from ufodt import UFODT, Binary, Problem


@pytest.mark.parametrize(
    ("first", "second", "cost"),
    [
        (Binary("input", price=1), Binary("tells", price=5, computed_from=["input"]), 1.0),
        (Binary("cheap", price=2, group="g", later_price=1), Binary("tells", price=30, group="g", later_price=1), 3.0),
    ],
    ids=["computed", "of a group"],
)
@pytest.mark.parametrize("n_others", [1, 14], ids=["planned exactly", "looked ahead at"])
def test_what_is_cheaper_after_another_is_asked_after_it(
    first: Binary, second: Binary, cost: float, n_others: int
) -> None:
    """The other tells nothing itself; with many more features it is not among the most promising."""
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=2000)
    X = np.column_stack([rng.integers(2, size=2000), y ^ (rng.random(2000) < 0.05), rng.integers(2, size=(2000, 14))])
    others = [Binary(f"x{i}") for i in range(n_others)]
    learner = UFODT(Problem([first, second, *others], [0, 1], loss=[[0, 100], [100, 0]]), seed=1)
    learner.learn_many(X[:, : 2 + n_others], y)
    session = learner.open(explore=False)
    assert session.ask().feature == first.name  # type: ignore[union-attr]
    session.tell(first.name, 0)
    session.tell(session.ask().feature, 1)  # type: ignore[union-attr]
    assert session.ask() is None
    assert session.predict().cost == cost
    record = UFODT(learner.problem, seed=1).run(X[:, : 2 + n_others], y)
    assert record.cost[1000:].mean() < cost + 0.5


@pytest.mark.parametrize("criterion", ["ec2", "us"])
def test_a_criterion_alone_asks_what_tells_though_it_were_cheaper_after_another(criterion: str) -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=2000)
    X = np.column_stack([rng.integers(2, size=2000), y ^ (rng.random(2000) < 0.05)])
    features = [Binary("input", price=4), Binary("tells", price=5, computed_from=["input"])]
    learner = UFODT(Problem(features, [0, 1], loss=[[0, 100], [100, 0]]), criterion=criterion, seed=1)
    learner.learn_many(X, y)
    assert learner.open(explore=False).ask().feature == "tells"  # type: ignore[union-attr]
