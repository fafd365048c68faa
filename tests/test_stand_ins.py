"""Features that stand in for candidates of a selection that cannot be had."""

from typing import Any

import numpy as np
import pytest

from ufodt import (
    UFODT,
    Binary,
    Continuous,
    Policy,
    Problem,
    Selection,
    stop,
    thresholds,
)

MANY = Problem([Binary(f"f{i}") for i in range(40)], labels=[0, 1])


def telling(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Forty bits, of which the first four are all but the label, and the next four nine times in ten."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    X = rng.integers(0, 2, (n, 40))
    X[:, :8] = y[:, None] ^ (rng.random((n, 8)) < [0.03] * 4 + [0.1] * 4)
    return X, y


@pytest.mark.parametrize("criterion", ["ig", "ec2"])
def test_others_stand_in_for_candidates_that_cannot_be_had(criterion: Any) -> None:
    learner = UFODT(MANY, selection=Selection(4), criterion=criterion, seed=1)
    learner.run(*telling(2000, 1))
    X, y = telling(1000, 2)
    gone: np.ndarray = X.astype(float)
    gone[:, :4] = np.nan
    report = learner.evaluate(gone, y)
    assert report.accuracy > 0.93 and report.n_asked > 1
    told_before = learner.evaluate(X, y, unavailable=["f0", "f1", "f2", "f3"])
    np.testing.assert_array_equal(told_before.record.predicted, report.record.predicted)
    record = learner.run(gone, y)
    assert (record.predicted == y).mean() > 0.9


def test_more_can_stand_in_than_there_are_candidates() -> None:
    learner = UFODT(MANY, selection=Selection(2), seed=1)
    learner.learn_many(*telling(2000, 1))
    report = learner.evaluate(*telling(1000, 2), unavailable=["f0", "f1", "f2", "f3"])
    assert report.accuracy > 0.88 and set(report.record.asked) <= {4, 5, 6, 7}


def test_stand_ins_are_opened_with_what_they_need_in_order_of_merit_and_go_again_when_it_is_undone() -> None:
    problem = Problem([Binary(f"f{i}", needs=["f39"] if i == 4 else []) for i in range(40)], labels=[0, 1])
    learner = UFODT(problem, selection=Selection(4), stop=stop.confidence(1.0), seed=1)
    X, y = telling(4000, 3)
    X[:, 4] = y ^ (np.arange(4000) % 20 == 0)  # the best of the others
    learner.learn_many(X, y)
    session = learner.open(explore=False)

    def offered() -> set[int]:
        return {int(reason.feature[1:]) for reason in session.why()}

    assert offered() == {0, 1, 2, 3}
    before = [(reason.feature, reason.gain) for reason in session.why()]
    session.skip("f2")
    assert offered() == {0, 1, 3, 4, 39}
    session.tell("f0", 1)
    assert offered() == {1, 3, 4, 39}
    session.skip("f39")
    after_two = offered()
    assert len(after_two) == 4 and after_two < {1, 3, 4, 5, 6, 7}
    gains = {reason.feature: reason.gain for reason in session.why()}
    assert gains["f1"] > gains[f"f{max(after_two)}"] > 0
    for _ in range(3):
        session.undo()
    assert [(reason.feature, reason.gain) for reason in session.why()] == before


def test_what_cannot_be_had_itself_stands_in_for_nothing() -> None:
    """The two best need what cannot be had: two others are on offer in their place, and not the third that needs it."""
    problem = Problem([Binary(f"f{i}", needs=["f39"] if i in (0, 1, 4) else []) for i in range(40)], labels=[0, 1])
    learner = UFODT(problem, selection=Selection(2), stop=stop.confidence(1.0), seed=1)
    X, y = telling(4000, 3)
    X[:, [0, 1, 4, 5]] = y[:, None] ^ (np.random.default_rng(4).random((4000, 4)) < [0.001, 0.001, 0.01, 0.02])
    learner.learn_many(X, y)
    session = learner.open(explore=False)
    assert {reason.feature for reason in session.why()} == {"f0", "f1", "f39"}
    session.skip("f39")
    stand_in = {reason.feature for reason in session.why()} - {"f0", "f1"}
    assert len(stand_in) == 2 and "f5" in stand_in and "f4" not in stand_in
    question = learner.open(explore=False, unavailable=["f39", "f0"]).ask()
    assert question is not None and question.feature == "f5"


@pytest.mark.parametrize("kind", ["bins", "exhaustive", "exp3"])
@pytest.mark.parametrize("takes_turns", [False, True])
def test_what_stands_in_is_planned_by_the_mean_belief(kind: str, takes_turns: bool) -> None:
    """With everything but one feature unavailable that one is all that is left: as good as if it were a candidate."""
    problem = Problem([Continuous(f"x{i}") for i in range(12)], labels=[0, 1])
    rng = np.random.default_rng(5)
    y = rng.integers(0, 2, 3000)
    X = rng.normal(size=(3000, 12))
    X[:, :6] += np.linspace(4, 2, 6) * y[:, None]
    cutting = thresholds.bins(4) if kind == "bins" else getattr(thresholds, kind)(4)
    few, all_ = (UFODT(problem, selection=Selection(n), thresholds=cutting, seed=2) for n in (3, 0))
    for learner in (few, all_):
        learner.learn_many(X, y)
        if takes_turns:  # as after an alarm
            learner._drift.restore(learner.belief, (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1, 0, []), learner.belief)
    gone = [f"x{i}" for i in range(12) if i != 5]
    gains = []
    for learner in (few, all_):
        session = learner.open(unavailable=gone, explore=False)
        assert [reason.feature for reason in session.why()] == ["x5"]
        gains.append(session.why()[0].gain)
    assert gains[0] == pytest.approx(gains[1], rel=1e-6)
    explored = few.open(unavailable=gone)
    assert [reason.feature for reason in explored.why()] in (["x5"], []), "drawn candidates come first"


def with_twins(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Twelve bits that tell, of which the second six mostly repeat the first six, mistakes and all."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    first = y[:, None] ^ (rng.random((n, 6)) < [0.1, 0.12, 0.14, 0.2, 0.2, 0.2])
    return np.hstack([first, first ^ (rng.random((n, 6)) < 0.05)]), y


@pytest.mark.parametrize("criterion", ["ig", "gini", "rig", "ec2", "us"])
@pytest.mark.parametrize("plan", ["mean", "both"])
@pytest.mark.parametrize("takes_turns", [False, True])
def test_what_stands_in_gains_what_it_would_as_a_candidate(criterion: Any, plan: Any, takes_turns: bool) -> None:
    """A twin of what was told says little more, the other stand-in much; by hypotheses as far as these are many."""
    problem = Problem([Binary(f"f{i}") for i in range(12)], labels=[0, 1])
    policy = Policy(criterion=criterion, plan=plan, n_hypotheses=4000)
    few, all_ = (UFODT(problem, selection=Selection(n), policy=policy, seed=2) for n in (3, 0))
    for learner in (few, all_):
        learner.learn_many(*with_twins(6000, 1))
        assert learner.belief.is_paired
        if takes_turns:
            learner._drift.restore(learner.belief, (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1, 0, []), learner.belief)
    offered = {reason.feature for reason in few.open(explore=False).why()}
    assert len(offered) == 3 and offered < {f"f{i}" for i in (0, 1, 2, 6, 7, 8)}
    told = min(offered)
    twin, other = f"f{(int(told[1:]) + 6) % 12}", "f5"
    is_exact = criterion in ("ig", "gini")
    for explore in (False, True) if plan == "mean" or criterion != "gini" else (False,):  # what is drawn differs
        gains = []
        for learner in (few, all_):
            session = learner.open(explore=explore)
            session.why()  # hypotheses are drawn of what is on offer now
            session.tell(told, 1)
            session.why()
            for i in range(12):
                if f"f{i}" not in (told, twin, other):
                    session.skip(f"f{i}")
            gains.append({reason.feature: reason.gain for reason in session.why()})
        assert gains[0].keys() == {twin, other} and min(gains[0].values()) > 0
        assert gains[0] == pytest.approx(gains[1], rel=1e-6 if is_exact else 0.1)


@pytest.mark.parametrize("needs", [[], ["f0"]], ids=str)
def test_as_many_stand_in_as_candidates_are_lost(needs: list[str]) -> None:
    """The best feature and another that needs it are candidates: two are lost with the first, or one and then one."""
    problem = Problem([Binary(f"f{i}", needs=needs if i == 1 else []) for i in range(40)], labels=[0, 1])
    learner = UFODT(problem, selection=Selection(2, epsilon=0.0), seed=1)
    X, y = telling(4000, 3)
    X[:, [0, 1]] = y[:, None]
    learner.learn_many(X, y)
    assert {reason.feature for reason in learner.open(explore=False).why()} == {"f0", "f1"}
    left = [reason.feature for reason in learner.open(explore=False, unavailable=["f0"]).why()]
    assert len(set(left) - {"f1"}) == (2 if needs else 1)


def test_others_stand_in_for_random_candidates_too() -> None:
    learner = UFODT(MANY, selection=Selection(4, epsilon=1.0), seed=1)
    learner.learn_many(*telling(2000, 1))
    for _ in range(20):
        assert len(learner.open(unavailable=[f"f{i}" for i in range(20, 40)]).why()) == 4
        left = learner.open(unavailable=[f"f{i}" for i in range(4, 40)]).why()
        assert {reason.feature for reason in left} == {f"f{i}" for i in range(4)}
