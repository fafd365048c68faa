"""One case: what can be said to a session and what it says back."""

import json
import math
from typing import Any

import numpy as np
import pytest

from ufodt import UFODT, Binary, Categorical, Policy, Problem, Session, stop
from ufodt.errors import InvalidValue, UfodtError, UnknownFeature

from .cases import NAMES, PROBLEM, draw_stream, make, row_of, walk


@pytest.fixture
def session() -> Session:
    learner = make("ours-ec2")
    learner.run(*draw_stream(1, 50))
    return learner.open("patient-17")


def everything(session: Session) -> tuple[Any, ...]:
    return session.ask(), session.predict(), session.evidence, session.cost, session.why()


@pytest.mark.parametrize(
    ("feature", "value", "error", "says"),
    [
        ("fewer", 1, UnknownFeature, ["'fewer'", "'fever'"]),
        (3, 1, UnknownFeature, ["3", "'fever'"]),
        ("fever", 2, InvalidValue, ["fever", "2", "0, 1"]),
        ("fever", "1", InvalidValue, ["fever", "'1'"]),
        ("fever", None, InvalidValue, ["fever", "None", "skip"]),
        ("fever", math.nan, InvalidValue, ["fever", "nan", "skip"]),
        ("fever", [1], InvalidValue, ["fever", "[1]"]),
        ("rhythm", "sinos", InvalidValue, ["rhythm", "'sinos'", "'sinus'"]),
        ("glucose", 4, InvalidValue, ["glucose", "4"]),
        ("glucose", -1, InvalidValue, ["glucose", "-1"]),
        ("glucose", 1.5, InvalidValue, ["glucose", "1.5"]),
    ],
)
def test_what_does_not_fit_is_refused_and_changes_nothing(
    session: Session, feature: Any, value: Any, error: type[UfodtError], says: list[str]
) -> None:
    session.tell("cough", 1)
    before = everything(session)
    with pytest.raises(error) as caught:
        session.tell(feature, value)
    assert all(word in str(caught.value) for word in says), str(caught.value)
    assert everything(session) == before


def test_skipping_an_unknown_feature_is_refused(session: Session) -> None:
    before = everything(session)
    with pytest.raises(UnknownFeature, match="'fewer'"):
        session.skip("fewer")
    assert everything(session) == before


def test_evidence_goes_through_json_unchanged(session: Session) -> None:
    session.tell("rhythm", np.str_("flutter"))
    session.tell("glucose", np.int64(3))
    session.tell("fever", np.bool_(True))
    session.skip("scan")
    evidence = session.evidence
    assert json.loads(json.dumps(evidence)) == evidence
    assert evidence == {
        "case": "patient-17",
        "values": {"rhythm": "flutter", "glucose": 3, "fever": 1},
        "prices": {"rhythm": 3.0, "glucose": 2.5, "fever": 1.0},
        "skipped": ["scan"],
    }


def test_evidence_is_a_copy(session: Session) -> None:
    session.evidence["values"]["fever"] = 1
    assert session.evidence["values"] == {}


def test_a_group_has_its_later_price_once_one_of_it_was_paid(session: Session) -> None:
    prices = lambda: {reason.feature: reason.price for reason in session.why()}  # noqa: E731
    assert prices() == {"fever": 1.0, "cough": 0.5, "rhythm": 3.0, "glucose": 4.0, "scan": 6.0, "stay": 0.25}
    session.tell("glucose", 0)
    assert prices() == {"fever": 1.0, "cough": 0.5, "rhythm": 1.0, "scan": 6.0, "stay": 0.25}
    session.tell("rhythm", "other")
    assert session.cost == 5.0
    session.undo()
    session.undo()
    assert prices()["rhythm"] == 3.0 and session.cost == 0.0


def test_undo_names_what_it_took_back_and_leaves_known_values(session: Session) -> None:
    learner = make("ours-ec2")
    case = learner.open(known={"fever": 1})
    case.tell("cough", 0)
    case.skip("scan")
    assert [case.undo(), case.undo(), case.undo()] == ["scan", "cough", None]
    assert case.evidence["values"] == {"fever": 1}


def test_a_told_value_may_be_corrected_by_undo(session: Session) -> None:
    session.tell("fever", 0)
    session.undo()
    session.tell("fever", 1)
    assert session.evidence["values"] == {"fever": 1} and session.cost == 1.0


def test_probabilities_are_a_distribution_and_the_label_loses_least(session: Session) -> None:
    for feature in NAMES:
        answer = session.predict()
        p = np.array([answer.probabilities[label] for label in PROBLEM.labels])
        assert p.sum() == pytest.approx(1.0) and (p > 0).all()
        assert answer.label == PROBLEM.labels[int((p @ PROBLEM.losses).argmin())]
        session.tell(feature, row_of(draw_stream(2, 1)[0][0])[feature])


def test_the_outlook_of_a_question_is_what_its_answer_then_brings(session: Session) -> None:
    session.tell("cough", 1)
    for reason in session.why():
        assert sum(outlook.probability for outlook in reason.outlook) == pytest.approx(1.0)
        for outlook in reason.outlook:
            session.tell(reason.feature, outlook.value)
            after = session.predict()
            assert after.label == outlook.label
            assert after.probabilities[outlook.label] == pytest.approx(outlook.confidence)
            session.undo()


def test_everything_may_be_known_from_the_start() -> None:
    session = make("ours-ec2").open(known=row_of(draw_stream(3, 1)[0][0]))
    assert session.ask() is None and session.why() == [] and session.cost == 0.0
    assert session.predict().cost == 0.0


def test_everything_may_be_unavailable() -> None:
    session = make("ours-careful").open()
    for name in NAMES:
        session.skip(name)
    assert session.ask() is None and session.cost == 0.0
    assert session.evidence["skipped"] == NAMES


def test_the_ranking_agrees_with_the_question_when_features_are_free() -> None:
    free = Problem([Binary(name, price=0.0) for name in "abc"], labels=[0, 1])
    learner = UFODT(free, stop=stop.region(), n_hypotheses=64, seed=1)
    for _ in range(50):
        session = learner.open()
        question = session.ask()
        if question is not None:
            assert session.why()[0].feature == question.feature


def test_asking_changes_nothing_when_distinct_hypotheses_are_drawn_again() -> None:
    problem = Problem([Binary(name) for name in "abcd"], labels=[0, 1])
    policy = Policy(distinct=True, redraw_below=10, n_hypotheses=20, stop=stop.region())
    seen = []
    for looks in (0, 1):
        learner = UFODT(problem, policy=policy, seed=3)
        asked = []
        for _ in range(200):
            session = learner.open()
            while (question := session.ask()) is not None:
                asked.append(question)
                for _ in range(looks):
                    session.why()
                session.tell(question.feature, 1)
        seen.append(asked)
    assert seen[0] == seen[1]


def test_a_free_feature_is_asked_before_the_same_at_a_price() -> None:
    same = Problem([Binary("dear", price=1.0), Binary("free", price=0.0)], labels=[0, 1])
    learner = UFODT(same, criterion="ig", stop=stop.confidence(1.0), seed=1)
    learner.learn_many([[0, 0], [1, 1]] * 10, [0, 1] * 10)
    question = learner.open().ask()
    assert question is not None and (question.feature, question.price) == ("free", 0.0)


def test_a_session_says_where_it_stands(session: Session) -> None:
    session.tell("scan", 1)
    assert repr(session) == "<Session patient-17: 1 settled, cost 6>"


def test_the_walk_of_a_categorical_problem_with_numbers_and_strings_ends() -> None:
    problem = Problem([Categorical("mixed", [1, "1", 2.5])], labels=["a", "b"])
    session = UFODT(problem, criterion="ig", stop=stop.confidence(1.0)).open()
    session.tell("mixed", "1")
    assert session.evidence["values"] == {"mixed": "1"} and session.ask() is None


def test_walking_pays_for_each_feature_once() -> None:
    session = make("ours-careful").open()
    asked = [question.feature for question in walk(session, row_of(draw_stream(4, 1)[0][0]))]
    assert len(set(asked)) == len(asked)
