"""Laws that every learner keeps in its sessions, whatever its criterion, stop rule and preset."""

from typing import Any

import numpy as np
import pytest

from ufodt.errors import AlreadyTold

from .cases import (
    NAMES,
    every_learner,
    every_learner_that_forgets_nothing,
    go_through,
    learned,
    make,
    row_of,
    state,
    stream_of,
    walk,
)


@every_learner
def test_asking_changes_nothing(name: str) -> None:
    X, y = stream_of(name, 2, 40, missing=0.1)
    plain, curious = make(name), make(name)
    expected = go_through(plain, X, y)
    for values, label, (questions, answer) in zip(X, y, expected, strict=True):
        session, row, asked = curious.open(), row_of(values), []
        while (question := session.ask()) is not None:
            for _ in range(2):
                evidence, cost = session.evidence, session.cost
                session.why()
                session.predict()
                assert session.ask() == question
                assert (session.evidence, session.cost) == (evidence, cost)
            if row[question.feature] is None:
                session.skip(question.feature)
            else:
                session.tell(question.feature, row[question.feature])
                asked.append(question)
        assert (asked, session.predict()) == (questions, answer)
        curious.learn(session.evidence, label)
    assert state(curious) == state(plain)


@every_learner
def test_a_case_that_explores_nothing_goes_the_way_of_the_hold_out(name: str) -> None:
    learner, (X, _) = learned(name), stream_of(name, 3, 40, missing=0.1)
    record, before, at = learner.evaluate(X).record, state(learner), 0
    for i, values in enumerate(X):
        session, row, asked = learner.open(explore=False), row_of(values), []
        while (question := session.ask()) is not None:
            if row[question.feature] is None:
                session.skip(question.feature)
            else:
                session.tell(question.feature, row[question.feature])
                asked.append(learner.problem.feature_index(question.feature))
        answer = session.predict()
        assert asked == record.asked[at : at + len(asked)].tolist() and len(asked) == record.n_asked[i]
        assert (answer.label, answer.cost) == (record.predicted[i], record.cost[i])
        at += len(asked)
    assert state(learner) == before


@every_learner
def test_cost_is_the_sum_of_what_was_told(name: str) -> None:
    learner, (X, _) = learned(name), stream_of(name, 3, 40, missing=0.1)
    paid = []
    for values in X:
        session = learner.open()
        asked = walk(session, row_of(values))
        paid.append(session.cost)
        assert session.cost == pytest.approx(sum(question.price for question in asked))
        assert session.evidence["prices"] == {question.feature: question.price for question in asked}
        assert session.predict().cost == session.cost
    assert any(paid), "nothing was asked: the test shows nothing"


@every_learner
def test_the_question_is_the_first_of_the_ranking(name: str) -> None:
    learner, (X, _) = learned(name), stream_of(name, 4, 40)
    n_compared = 0
    for values in X:
        session, row = learner.open(), row_of(values)
        n_offered = learner.selection.size or len(NAMES)
        while (question := session.ask()) is not None:
            reasons = session.why()
            left = {reason.feature for reason in reasons}
            assert left <= set(NAMES) - set(session.evidence["values"])
            assert len(left) == n_offered - len(session.evidence["values"])
            if any(reason.gain > 0 for reason in reasons):
                assert (reasons[0].feature, reasons[0].price, reasons[0].gain) == question[:3] and reasons[0].pays
                n_compared += 1
            session.tell(question.feature, row[question.feature])
        assert not any(reason.pays for reason in session.why()) or learner.policy.stop.kind != "any"
    assert n_compared > 5


@every_learner
def test_undo_restores_the_question_and_the_answer_exactly(name: str) -> None:
    learner, (X, _) = learned(name), stream_of(name, 10, 25)
    n_undone = 0
    for i, values in enumerate(X):
        rng, row = np.random.default_rng(i), row_of(values)
        session = learner.open(known={"cough": row["cough"]} if i % 2 else {})
        trail = []
        for feature in rng.permutation([f for f in NAMES if f not in session.evidence["values"]]).tolist():
            trail.append((session.ask(), session.predict(), session.evidence, session.cost))
            session.skip(feature) if rng.random() < 0.3 else session.tell(feature, row[feature])
            if rng.random() < 0.5:
                session.ask()
        while trail:
            question, answer, evidence, cost = trail.pop()
            assert session.undo() is not None
            assert (session.predict(), session.evidence, session.cost) == (answer, evidence, cost)
            assert session.ask() == question
            n_undone += 1
        assert session.undo() is None
    assert n_undone > 100


@every_learner
def test_sessions_side_by_side_equal_sessions_one_after_the_other(name: str) -> None:
    X, _ = stream_of(name, 11, 12)
    one_by_one, at_once = learned(name), learned(name)
    expected = []
    for values in X:
        session = one_by_one.open()
        expected.append((walk(session, row_of(values)), session.predict()))
    sessions = [at_once.open() for _ in X]
    asked: list[list[Any]] = [[] for _ in X]
    rng, open_ones = np.random.default_rng(12), set(range(len(X)))
    while open_ones:
        i = int(rng.choice(sorted(open_ones)))
        question = sessions[i].ask()
        if question is None:
            open_ones.remove(i)
        else:
            sessions[i].tell(question.feature, row_of(X[i])[question.feature])
            asked[i].append(question)
    assert [(a, s.predict()) for a, s in zip(asked, sessions, strict=True)] == expected


@every_learner
def test_a_session_keeps_the_belief_it_was_opened_under(name: str) -> None:
    X, y = stream_of(name, 13, 30)
    quiet, busy = learned(name), learned(name)
    for values in X[:10]:
        before, after = quiet.open(), busy.open()
        busy.learn_many(X, y)  # while the session is open
        assert walk(after, row_of(values)) == walk(before, row_of(values))
        assert after.predict() == before.predict()
        quiet.learn_many(X, y)


@every_learner_that_forgets_nothing
def test_a_skipped_feature_is_never_asked_and_teaches_nothing(name: str) -> None:
    learner, (X, y) = learned(name), stream_of(name, 14, 20)
    first_row = np.cumsum([0, *learner._compiled.n_outcomes])

    def told_of(feature: str) -> list[Any]:
        i, belief = NAMES.index(feature), learner.belief
        values, counts, n_seen = belief.sketch(i)
        rows = belief.counts[first_row[i] : first_row[i + 1]]
        return [rows.tolist(), belief.cuts[i], values.tolist(), counts.tolist(), n_seen]

    n_skipped = 0
    for values, label in zip(X, y, strict=True):
        session = learner.open()
        question = session.ask()
        if question is None:
            continue
        session.skip(question.feature)
        session.skip(question.feature)  # twice is fine
        assert question.feature not in {q.feature for q in walk(session, row_of(values))}
        assert question.feature not in session.evidence["values"]
        assert session.evidence["skipped"] == [question.feature]
        before = told_of(question.feature)
        learner.learn(session.evidence, label)
        assert told_of(question.feature) == before
        n_skipped += 1
    assert n_skipped > 3


@every_learner
def test_known_values_are_free_and_leave_the_group_at_its_first_price(name: str) -> None:
    session = learned(name).open(known={"glucose": 2, "fever": True})
    assert session.cost == 0.0
    assert session.evidence["values"] == {"glucose": 2, "fever": 1} and session.evidence["prices"] == {}
    prices = {reason.feature: reason.price for reason in session.why()}
    assert prices.get("rhythm") == (3.0 if "rhythm" in prices or not make(name).selection.size else None)
    session.tell("rhythm", "other")
    assert session.cost == 3.0
    session.tell("glucose", 2)  # told again as it was: nothing to pay
    assert session.cost == 3.0


@every_learner
def test_told_twice_is_fine_with_the_same_value_and_refused_with_another(name: str) -> None:
    session = learned(name).open("patient-17")
    session.tell("rhythm", "flutter")
    before = (session.ask(), session.predict(), session.evidence, session.cost)
    session.tell("rhythm", "flutter")
    with pytest.raises(AlreadyTold, match="patient-17.*'rhythm'.*'flutter'"):
        session.tell("rhythm", "sinus")
    with pytest.raises(AlreadyTold, match="'rhythm'.*told before"):
        session.skip("rhythm")
    assert (session.ask(), session.predict(), session.evidence, session.cost) == before
    session.skip("scan")
    with pytest.raises(AlreadyTold, match="'scan' was skipped"):
        session.tell("scan", 1)
    assert session.evidence["skipped"] == ["scan"]
