"""Laws that every learner keeps, whatever its criterion, stop rule and preset."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ufodt
from ufodt import UFODT, Binary, Policy, Problem, stop
from ufodt.drift import Drift
from ufodt.errors import AlreadyTold, InvalidValue

from .cases import (
    COUNTING,
    LEARNERS,
    NAMES,
    PROBLEM,
    another,
    digest,
    draw_stream,
    go_through,
    learned_of,
    make,
    problem_of,
    row_of,
    state,
    stream_of,
    walk,
)

ROOT = Path(__file__).parents[1]
every_learner = pytest.mark.parametrize("name", LEARNERS)
every_learner_that_counts = pytest.mark.parametrize("name", COUNTING)  # cut points depend on what came first
every_learner_that_forgets_nothing = pytest.mark.parametrize("name", [n for n in LEARNERS if make(n).drift == Drift()])


def learned(name: str, *, n: int = 30, seed: int = 7) -> UFODT:
    """A learner some way into its stream."""
    learner = make(name, seed=seed)
    learner.run(*stream_of(name, 1, n))
    return learner


# --- asking ------------------------------------------------------------------------------------------


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
                assert (reasons[0].feature, reasons[0].price, reasons[0].gain) == question and reasons[0].pays
                n_compared += 1
            session.tell(question.feature, row[question.feature])
        assert not any(reason.pays for reason in session.why()) or learner.policy.stop.kind != "cost_benefit"
    assert n_compared > 5


# --- streams -----------------------------------------------------------------------------------------


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


# --- sessions ----------------------------------------------------------------------------------------


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


# --- learning ----------------------------------------------------------------------------------------


def evidence_of(name: str, n: int = 40) -> list[tuple[Any, Any]]:
    learner, (X, y) = make(name), stream_of(name, 15, n, missing=0.1)
    pairs = []
    for values, label in zip(X, y, strict=True):
        session = learner.open()
        walk(session, row_of(values))
        pairs.append((session.evidence, label))
    return pairs


@every_learner_that_counts
def test_labels_may_arrive_in_any_order(name: str) -> None:
    """But for how far answers are trusted: that is judged by what was believed when a label came."""
    pairs = evidence_of(name)
    in_order, shuffled = make(name), make(name)
    for evidence, label in pairs:
        in_order.learn(evidence, label)
    for i in np.random.default_rng(16).permutation(len(pairs)):
        shuffled.learn(*pairs[i])
    assert learned_of(shuffled, trust=False) == learned_of(in_order, trust=False) != learned_of(make(name), trust=False)
    shuffled._belief.set_temper(in_order.belief.temper)
    assert digest(shuffled) == digest(in_order)


@every_learner
def test_replaying_the_evidence_through_json_restores_the_belief_bit_for_bit(name: str) -> None:
    learner, replayed, (X, y) = make(name), make(name), stream_of(name, 17, 40, missing=0.1)
    journal = []
    for values, label in zip(X, y, strict=True):
        session = learner.open(known={"stay": 1})
        walk(session, row_of(values))
        learner.learn(session.evidence, label)
        journal.append(json.dumps({"evidence": session.evidence, "label": label}))
    for line in journal:
        entry = json.loads(line)
        replayed.learn(entry["evidence"], entry["label"])
    assert learned_of(replayed) == learned_of(learner) != learned_of(make(name))


@pytest.mark.parametrize("name", [n for n in LEARNERS if make(n).drift == Drift() and not make(n).selection.size])
def test_learning_a_table_equals_learning_its_rows_one_by_one(name: str) -> None:
    """History has no order to forget by, nothing to select from, no threshold in use, and was answered by nobody."""
    X, y = stream_of(name, 18, 60, missing=0.3)
    y[::6] = [None] * len(y[::6])
    in_bulk, one_by_one = make(name), make(name)
    in_bulk.learn_many(X, y)
    for values, label in zip(X, y, strict=True):
        if label is not None:
            known = {feature: value for feature, value in row_of(values).items() if value is not None}
            evidence = one_by_one.open(known=known).evidence
            one_by_one.learn({k: v for k, v in evidence.items() if k not in ("thresholds", "rewards")}, label)  # type: ignore
    assert learned_of(in_bulk, trust=False) == learned_of(one_by_one, trust=False)


@every_learner_that_counts
def test_merging_two_halves_equals_learning_the_whole(name: str) -> None:
    X, y = stream_of(name, 19, 60)
    whole, first, second = make(name), make(name), make(name, seed=8)
    whole.learn_many(X, y)
    first.learn_many(X[:20], y[:20])
    second.learn_many(X[20:], y[20:])
    first.merge(second)
    assert state(first) == state(whole)
    assert digest(first) == digest(whole)


# --- repeatability -----------------------------------------------------------------------------------


@every_learner
def test_a_saved_learner_goes_on_as_if_it_had_never_stopped(name: str, tmp_path: Path) -> None:
    learner, (X, y) = learned(name), stream_of(name, 20, 10)
    go_through(learner, X, y)
    learner.save(tmp_path / "model.npz")
    loaded = ufodt.load(tmp_path / "model.npz")
    for setting in ("problem", "policy", "prior", "thresholds", "drift", "selection", "seed"):
        assert getattr(loaded, setting) == getattr(learner, setting)
    assert state(loaded) == state(learner)
    assert digest(loaded) == digest(learner)


@pytest.mark.parametrize("name", sorted(set(LEARNERS) - {"ours-sure"}))  # under the mean belief nothing is drawn
def test_another_seed_gives_another_run(name: str) -> None:
    assert digest(make(name, seed=7)) != digest(make(name, seed=8))


FRESH = """
import json, sys
import ufodt
from tests.cases import LEARNERS, digest, make
print(json.dumps({
    "made": {name: digest(make(name)) for name in LEARNERS},
    "loaded": {name: digest(ufodt.load(f"{sys.argv[1]}/{name}.npz")) for name in LEARNERS},
}))
"""


def test_another_process_does_the_same_from_a_seed_and_from_a_file(tmp_path: Path) -> None:
    for name in LEARNERS:
        learned(name).save(tmp_path / f"{name}.npz")
    environment = {**os.environ, "PYTHONHASHSEED": "12345"}
    done = subprocess.run(
        [sys.executable, "-c", FRESH, str(tmp_path)], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    there = json.loads(done.stdout)
    assert there["made"] == {name: digest(make(name)) for name in LEARNERS}
    assert there["loaded"] == {name: digest(learned(name)) for name in LEARNERS}


# --- the mean belief and the paper -------------------------------------------------------------------


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
    assert prior.count == 1.0 and not prior.learns_labels and not prior.experts


def test_the_paper_preset_ends_quickly_when_there_are_fewer_vectors_than_hypotheses() -> None:
    learner = UFODT.paper(Problem([Binary("a"), Binary("b")], labels=[0, 1]), n_hypotheses=5000)
    start = time.process_time()
    record = learner.run(np.zeros((10, 2)), np.zeros(10, dtype=int))
    assert record.n_asked.max() <= 2
    assert time.process_time() - start < 10.0, "draws are bounded by a multiple of N"


@every_learner
def test_probabilities_are_those_that_evaluate_answers_from(name: str) -> None:
    learner = learned(name, n=80)
    X, _ = stream_of(name, 24, 60, missing=0.1)
    record, probabilities = learner.evaluate(X).record, learner.probabilities(X)
    assert probabilities.shape == (60, 3)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    answers = [learner.problem.label_index(label) for label in record.predicted]
    np.testing.assert_array_equal(probabilities[np.arange(60), answers], record.probability)


@every_learner_that_counts
def test_a_table_counted_as_a_whole_is_one_learned_row_by_row(name: str) -> None:
    X, y = stream_of(name, 25, 90, missing=0.2)
    labels = [None if i % 7 == 0 else label for i, label in enumerate(y)]
    whole, by_row = make(name), make(name)
    whole.learn_many(X, labels, weights=np.ones(90))
    by_row.learn_many(X, labels)
    assert learned_of(whole) == learned_of(by_row)


@every_learner
def test_a_weight_is_so_many_rows_in_any_order(name: str) -> None:
    X, y = stream_of(name, 26, 200, missing=0.1)
    weights = np.arange(200) % 4
    order = np.random.default_rng(3).permutation(200)
    weighted, repeated = make(name), make(name)
    for learner in (weighted, repeated):
        learner.learn_many(X[:50], y[:50], weights=np.ones(50))
    weighted.learn_many(X[order], [y[i] for i in order], weights=weights[order])
    labels = [label for label, n in zip(y, weights, strict=True) for _ in range(n)]
    repeated.learn_many(X.repeat(weights, axis=0), labels, weights=np.ones(weights.sum()))
    assert learned_of(weighted) == learned_of(repeated)


@pytest.mark.parametrize("weights", [[1.0], [1.0, -1.0], [1.0, float("nan")], ["a", "b"], 1.0])
def test_weights_that_do_not_fit_are_refused_and_nothing_is_learned(weights: Any) -> None:
    learner = make("ours-ig")
    X, y = stream_of("ours-ig", 1, 2)
    before = state(learner)
    with pytest.raises(InvalidValue, match="[Ww]eights"):
        learner.learn_many(X, y, weights=weights)
    assert state(learner) == before
