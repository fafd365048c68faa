"""Laws that every learner keeps when it goes through whole streams and answers hold-outs."""

from typing import Any

import numpy as np
import pytest

from ufodt import UFODT, Policy, stop

from .cases import (
    NAMES,
    PROBLEM,
    another,
    digest,
    draw_stream,
    every_learner,
    go_through,
    learned,
    make,
    problem_of,
    row_of,
    state,
    stream_of,
    walk,
)


@every_learner
def test_a_run_equals_the_ask_tell_loop_case_by_case(name: str) -> None:
    X, y = stream_of(name, 5, 80, missing=0.1)
    some_unlabelled = [None if i % 7 == 0 else label for i, label in enumerate(y)]
    looped, ran = make(name), make(name)
    expected = go_through(looped, X, some_unlabelled)
    record = ran.run(X, some_unlabelled)
    ends = record.n_asked.cumsum()
    for i, (questions, answer) in enumerate(expected):
        asked = [NAMES[f] for f in record.asked[ends[i] - record.n_asked[i] : ends[i]]]
        assert asked == [question.feature for question in questions], i
        assert record.predicted[i] == answer.label
        assert record.cost[i] == answer.cost
        assert record.probability[i] == answer.probabilities[answer.label]
    assert state(ran) == state(looped)
    assert record.n_asked.sum() > 0


@every_learner
@pytest.mark.parametrize("explores", [True, False])
def test_cases_on_terms_of_their_own_go_as_sessions_on_the_same_terms(name: str, explores: bool) -> None:
    X, y = stream_of(name, 21, 40, missing=0.2)
    rng, n = np.random.default_rng(22), len(NAMES)
    has = np.array([[value is not None for value in row] for row in X])
    terms: dict[str, Any] = {
        "prices": rng.choice([0.0, 0.5, 1.0, 5.0], X.shape),
        "known": has & (rng.random(X.shape) < 0.2),
        "charged": rng.random(X.shape) < 0.5,
        "budget": rng.choice([2.0, 6.0, np.inf], len(X)),
    }
    terms["unavailable"] = ~terms["known"] & (rng.random(X.shape) < 0.2)
    learner, looped = learned(name), learned(name)
    record = learner.run(X, y, **terms) if explores else learner.evaluate(X, **terms).record
    ends, n_failed = record.n_asked.cumsum(), 0
    for i in range(len(X)):
        session = looped.open(
            known={NAMES[j]: X[i, j] for j in range(n) if terms["known"][i, j]},
            unavailable=[NAMES[j] for j in range(n) if terms["unavailable"][i, j]],
            prices=dict(zip(NAMES, terms["prices"][i], strict=True)),
            budget=terms["budget"][i],
            explore=explores,
        )
        asked = []
        while (question := session.ask()) is not None:
            j = NAMES.index(question.feature)
            if has[i, j]:
                session.tell(question.feature, X[i, j])
                asked.append(j)
            else:
                session.skip(question.feature, charged=terms["charged"][i, j])
                n_failed += terms["charged"][i, j]
        answer = session.predict()
        assert record.asked[ends[i] - record.n_asked[i] : ends[i]].tolist() == asked, i
        assert record.cost[i] == answer.cost == session.cost
        assert record.predicted[i] == answer.label
        if explores:
            looped.learn(session.evidence, y[i])
    assert n_failed > 0 or not explores
    assert state(learner) == state(looped)


@every_learner
def test_a_stream_in_pieces_equals_the_stream_in_one(name: str) -> None:
    X, y = stream_of(name, 6, 50)
    whole, pieces = make(name), make(name)
    record = whole.run(X, y)
    parts = [pieces.run(X[rows], y[rows]) for rows in (slice(0, 1), slice(1, 1), slice(1, 30), slice(30, 50))]
    for field in ("predicted", "probability", "cost", "n_asked", "asked"):
        np.testing.assert_array_equal(np.concatenate([getattr(part, field) for part in parts]), getattr(record, field))
    assert state(pieces) == state(whole)


@every_learner
def test_cells_that_were_not_asked_for_make_no_difference(name: str) -> None:
    X, y = stream_of(name, 7, 60)
    record, held_out = make(name).run(X, y), learned(name).evaluate(X).record
    for first, again in [
        (record, lambda poisoned: make(name).run(poisoned, y)),
        (held_out, lambda poisoned: learned(name).evaluate(poisoned).record),
    ]:
        poisoned = np.empty_like(X)
        for j, feature in enumerate(problem_of(name).features):
            poisoned[:, j] = [another(feature, v) for v in X[:, j]]
        poisoned[::3] = None
        ends = first.n_asked.cumsum()
        for i in range(len(X)):
            asked = first.asked[ends[i] - first.n_asked[i] : ends[i]]
            poisoned[i, asked] = X[i, asked]
        assert (poisoned != X).any()
        second = again(poisoned)
        for field in ("predicted", "probability", "cost", "n_asked", "asked"):
            np.testing.assert_array_equal(getattr(second, field), getattr(first, field))


@every_learner
def test_evaluating_learns_nothing_and_moves_no_random_numbers(name: str) -> None:
    X, y = stream_of(name, 8, 50, missing=0.1)
    plain, evaluated = learned(name), learned(name)
    before = state(evaluated)
    first, second = evaluated.evaluate(X, y), evaluated.evaluate(X, y)
    assert state(evaluated) == before
    np.testing.assert_array_equal(first.record.predicted, second.record.predicted)
    assert digest(evaluated) == digest(plain)


@every_learner
def test_a_report_sums_up_its_record(name: str) -> None:
    X, y = stream_of(name, 9, 60)
    y[::5] = [None] * len(y[::5])
    report = learned(name).evaluate(X, y)
    known = [i for i, label in enumerate(y) if label is not None]
    index = {label: i for i, label in enumerate(PROBLEM.labels)}
    losses = [PROBLEM.losses[index[y[i]], index[str(report.record.predicted[i])]] for i in known]
    assert report.accuracy == pytest.approx(np.mean([report.record.predicted[i] == y[i] for i in known]))
    assert report.loss == pytest.approx(np.mean(losses))
    assert report.cost == pytest.approx(report.record.cost.mean())
    assert report.n_asked == pytest.approx(report.record.n_asked.mean())


def test_evaluate_walks_the_tree_that_sessions_walk_under_the_mean_belief() -> None:
    X, _ = draw_stream(21, 80, missing=0.1)
    learner = UFODT(
        PROBLEM, policy=Policy(criterion="ig", stop=stop.confidence(0.8) | stop.budget(8.0), plan="mean"), seed=1
    )
    learner.learn_many(*draw_stream(22, 50))
    record = learner.evaluate(X).record
    ends = record.n_asked.cumsum()
    for i, values in enumerate(X):
        session = learner.open()
        asked = [question.feature for question in walk(session, row_of(values))]
        answer = session.predict()
        assert asked == [NAMES[f] for f in record.asked[ends[i] - record.n_asked[i] : ends[i]]]
        assert (record.predicted[i], record.cost[i]) == (answer.label, pytest.approx(answer.cost))
    assert record.n_asked.sum() > 80


@every_learner
def test_probabilities_are_those_that_evaluate_answers_from(name: str) -> None:
    learner = learned(name, n=80)
    X, _ = stream_of(name, 24, 60, missing=0.1)
    record, probabilities = learner.evaluate(X).record, learner.probabilities(X)
    assert probabilities.shape == (60, 3)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    answers = [learner.problem.label_index(label) for label in record.predicted]
    np.testing.assert_array_equal(probabilities[np.arange(60), answers], record.probability)
