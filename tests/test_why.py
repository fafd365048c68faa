"""What a session says of the questions that it does not ask."""

from typing import Any

import numpy as np
import pytest

from ufodt import UFODT, Binary, Categorical, Criterion, Expert, Policy, Prior, Problem, Session

LOSS = [[0, 100], [100, 0]]


def taught(features: list[Binary], table: Any, label: Any, **terms: Any) -> Session:
    """A case of a learner that has seen a table, where nothing more is explored."""
    learner = UFODT(Problem(features, labels=[0, 1], loss=LOSS), seed=1)
    learner.learn_many(np.column_stack(table), label)
    return learner.open(explore=False, **terms)


@pytest.fixture
def label() -> Any:
    return np.random.default_rng(1).integers(0, 2, 4000)


def coins(n: int, seed: int) -> Any:
    return np.random.default_rng(seed).integers(0, 2, n)


def test_what_tells_nothing_does_not_pay_because_others_do(label: Any) -> None:
    tells = label ^ (np.random.default_rng(2).random(4000) < 0.05)
    session = taught([Binary("noise", price=30.0), Binary("tells")], [coins(4000, 3), tells], label)
    assert [(reason.feature, reason.pays) for reason in session.why()] == [("tells", True), ("noise", False)]
    assert session.why_not("noise") == "noise is not worth 30 here, as far as was looked ahead."


def test_a_copy_of_the_next_question_would_pay_too(label: Any) -> None:
    tells = label ^ (np.random.default_rng(2).random(4000) < 0.05)
    session = taught([Binary("one"), Binary("other", price=2.0)], [tells, tells], label)
    assert session.why_not("other") == "other would pay too, but it is better to begin with one."


def test_what_pays_only_with_another_pays(label: Any) -> None:
    """Two votes, each of which alone changes no answer, since a mistake of one kind costs much more."""
    votes = [label ^ (np.random.default_rng(seed).random(4000) < 0.1) for seed in (4, 5)]
    features = [Binary("first"), Binary("second"), Binary("noise")]
    learner = UFODT(Problem(features, labels=[0, 1], loss=[[0, 20], [300, 0]]), seed=1)
    learner.learn_many(np.column_stack([*votes, coins(4000, 6)]), label)
    session = learner.open(explore=False)
    alone = {reason.feature: {outlook.label for outlook in reason.outlook} for reason in session.why()}
    assert alone["first"] == alone["second"] == {1}, "no single answer changes what is said"
    assert {reason.feature for reason in session.why() if reason.pays} == {"first", "second"}


def votes_alike() -> tuple[Problem, Prior]:
    """Three votes of the same worth, of which two are needed to change an answer, and a coin."""
    votes = [Expert(name, label, (0.1, 0.9)[label], 1e6) for name in ("v1", "v2", "v3") for label in (0, 1)]
    coin = [Expert("noise", label, 0.5, 1e6) for label in (0, 1)]
    features = [Binary(name) for name in ("noise", "v1", "v2", "v3")]
    prior = Prior(experts=[*votes, *coin], labels={0: 0.5, 1: 0.5}, label_strength=1e6)
    return Problem(features, labels=[0, 1], loss=[[0, 20], [190, 0]]), prior


def test_what_could_take_the_place_of_another_pays_as_that_does() -> None:
    problem, prior = votes_alike()
    reasons = UFODT(problem, prior=prior).open(explore=False).why()
    assert {reason.feature for reason in reasons if reason.pays} == {"v1", "v2", "v3"}


@pytest.mark.parametrize("criterion", list(Criterion))
def test_of_questions_that_are_alike_one_is_asked_and_no_coin(criterion: Criterion) -> None:
    problem, prior = votes_alike()
    for seed in range(20):
        learner = UFODT(problem, prior=prior, policy=Policy(criterion=criterion, planner="greedy"), seed=seed)
        question = learner.open(explore=False).ask()
        assert question is not None and question.feature != "noise"


@pytest.mark.parametrize("criterion", list(Criterion))
def test_a_criterion_asks_nothing_that_only_a_good_plan_would_make_up_for(label: Any, criterion: Criterion) -> None:
    votes = [label ^ (np.random.default_rng(seed).random(4000) < 0.1) for seed in (4, 5)]
    problem = Problem([Binary("noise"), Binary("first"), Binary("second")], labels=[0, 1], loss=[[0, 20], [300, 0]])
    for seed in range(10):
        learner = UFODT(problem, policy=Policy(criterion=criterion, planner="greedy"), seed=seed)
        learner.learn_many(np.column_stack([coins(4000, 6), *votes]), label)
        question = learner.open(explore=False).ask()
        assert question is not None and question.feature in ("first", "second")


def test_looking_twice_changes_nothing(label: Any) -> None:
    tells = label ^ (np.random.default_rng(2).random(4000) < 0.05)
    session = taught([Binary("noise", price=30.0), Binary("tells")], [coins(4000, 3), tells], label)
    assert session.why() == session.why() and session.ask() == session.ask()


def test_a_duty_is_explained_as_one(label: Any) -> None:
    features = [Binary("must", price=5.0, mandatory=True, needs=["first"]), Binary("first")]
    session = taught(features, [coins(4000, 3), coins(4000, 4)], label)
    assert session.why_not("first") == "first is the next question: what needs it is mandatory."
    session.tell("first", 1)
    assert session.why_not("must") == "must is the next question: it is mandatory."


def test_what_needs_something_that_cannot_be_had_is_said_to(label: Any) -> None:
    features = [Binary("later", needs=["gone"]), Binary("gone"), Binary("other")]
    table = [coins(4000, 3), coins(4000, 4), coins(4000, 5)]
    session = taught(features, table, label, unavailable=["gone"])
    assert session.why_not("later") == "later needs gone, which cannot be had."


@pytest.mark.parametrize("n_labels", [3, 4, 6])
def test_where_labels_tie_the_one_named_is_the_one_that_would_be_answered(n_labels: int) -> None:
    tied = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        features = [Categorical("a", range(int(rng.integers(2, 5)))), Binary("b")]
        learner = UFODT(Problem(features, labels=range(n_labels)), seed=seed)
        for _ in range(seed % 4):
            learner.learn_many([[int(rng.integers(2)), int(rng.integers(2))]], [int(rng.integers(n_labels))])
        session = learner.open(explore=False)
        for reason in session.why():
            for outcome in reason.outlook:
                told = session.what_if(reason.feature, outcome.value).answer
                assert told.label == outcome.label
                chances = sorted(told.probabilities.values())
                tied += chances[-1] - chances[-2] < 1e-12
    assert tied > 50
