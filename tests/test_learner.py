"""The outer loop: bad input leaves the learner as it was, streams report progress, counts add and fade exactly."""

import math
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from ufodt import UFODT, Binary, Categorical, Prior, Problem, compiled, stop, stream
from ufodt.errors import InvalidPolicy, InvalidProblem, InvalidValue, UfodtError, UnknownFeature, UnknownLabel

from .cases import LEARNERS, PROBLEM, digest, make, state, stream_of

TWO = Problem([Binary("a"), Binary("b")], labels=["x", "y"])
X, Y = [[0, 1], [1, 0]], ["x", "y"]


def learner_of_two(seed: int = 3, **settings: Any) -> UFODT:
    learner = UFODT(TWO, **{"stop": stop.region(), "n_hypotheses": 32, **settings}, seed=seed)
    learner.run(X * 5, Y * 5)
    return learner


def evidence(**values: Any) -> Any:
    return {"case": None, "values": values, "prices": {}, "skipped": []}


def test_a_learner_says_what_it_is() -> None:
    assert repr(learner_of_two()).startswith("<UFODT: 2 features, 2 labels, ")


BAD: list[tuple[Callable[[UFODT], Any], type[UfodtError], list[str]]] = [
    (lambda u: u.open(known={"c": 1}), UnknownFeature, ["'c'", "'a', 'b'"]),
    (lambda u: u.open(known={"a": 2}), InvalidValue, ["a", "2", "0, 1"]),
    (lambda u: u.open(known={"b": 1, "a": math.nan}), InvalidValue, ["a", "nan"]),
    (lambda u: u.learn(evidence(c=1), "x"), UnknownFeature, ["'c'", "'a', 'b'"]),
    (lambda u: u.learn(evidence(a=0, b=7), "x"), InvalidValue, ["b", "7", "0, 1"]),
    (lambda u: u.learn(evidence(a=math.nan), "x"), InvalidValue, ["a", "nan"]),
    (lambda u: u.learn(evidence(a=0, b=1), "z"), UnknownLabel, ["'z'", "'x', 'y'"]),
    (lambda u: u.learn(evidence(a=0), None), UnknownLabel, ["None", "'x', 'y'"]),  # type: ignore[arg-type]
    (lambda u: u.learn(evidence(a=0), math.nan), UnknownLabel, ["nan"]),  # type: ignore[arg-type]
    (lambda u: u.learn(evidence(a=0), ["x"]), UnknownLabel, ["['x']"]),  # type: ignore[arg-type]
    (lambda u: u.learn(None, "x"), InvalidValue, ["None", "session.evidence"]),  # type: ignore[arg-type]
    (lambda u: u.learn({"a": 1}, "x"), InvalidValue, ["{'a': 1}", "session.evidence"]),  # type: ignore[typeddict-item]
    (lambda u: u.learn({"values": [1]}, "x"), InvalidValue, ["session.evidence"]),  # type: ignore[typeddict-item]
    (lambda u: u.learn_many([[0, 1], [0, 2]], Y), InvalidValue, ["b", "2", "row 1"]),
    (lambda u: u.learn_many([[0, 1, 0]], ["x"]), InvalidValue, ["(1, 3)", "(n_cases, 2)"]),
    (lambda u: u.learn_many(X, ["x"]), InvalidValue, ["(1,)", "2 cases"]),
    (lambda u: u.learn_many(X, ["x", "z"]), UnknownLabel, ["'z'"]),
    (lambda u: u.run([[0, 1], [0, 0.5]], Y), InvalidValue, ["b", "0.5"]),
    (lambda u: u.run([0, 1], Y), InvalidValue, ["(2,)"]),
    (lambda u: u.run(None, Y), InvalidValue, ["None came as a table"]),
    (lambda u: u.run(X, None), InvalidValue, ["None came for the labels"]),
    (lambda u: u.run(X, [0, 1]), UnknownLabel, ["0", "'x', 'y'"]),
    (lambda u: u.run([["0", "1"]], ["x"]), InvalidValue, ["'0'"]),
    (lambda u: u.run(np.array([[0, 1j]]), ["x"]), InvalidValue, ["1j"]),
    (lambda u: u.evaluate([[0, 1, 1]]), InvalidValue, ["(1, 3)"]),
    (lambda u: u.evaluate(X, ["x"]), InvalidValue, ["(1,)", "2 cases"]),
    (lambda u: u.evaluate(X, ["x", "z"]), UnknownLabel, ["'z'"]),
    (lambda u: u.discount(-0.1), InvalidValue, ["-0.1", "0 to 1"]),
    (lambda u: u.discount(1.5), InvalidValue, ["1.5"]),
    (lambda u: u.discount(math.nan), InvalidValue, ["nan"]),
    (lambda u: u.merge(UFODT(PROBLEM)), InvalidValue, ["problem, prior"]),
    (lambda u: u.merge(u), InvalidValue, ["itself", "twice"]),
    (lambda u: u.merge(UFODT(TWO, prior=Prior(count=2.0))), InvalidValue, ["problem, prior"]),
]


@pytest.mark.parametrize(("call", "error", "says"), BAD)
def test_bad_input_is_refused_in_words_and_leaves_the_learner_untouched(
    call: Callable[[UFODT], Any], error: type[UfodtError], says: list[str]
) -> None:
    learner = learner_of_two()
    before = state(learner)
    with pytest.raises(error) as caught:
        call(learner)
    assert all(word in str(caught.value) for word in says), str(caught.value)
    assert state(learner) == before
    assert learner.open().predict() == learner_of_two().open().predict()


def test_known_values_that_are_no_mapping_are_refused() -> None:
    learner = learner_of_two()
    before = state(learner)
    with pytest.raises(InvalidValue):
        learner.open(known=["a"])  # type: ignore[arg-type]
    assert state(learner) == before


def test_labels_of_several_kinds_come_back_as_they_are() -> None:
    learner = UFODT(Problem([Binary("a")], labels=["a", 1]), stop=stop.confidence(1.0), criterion="ig")
    learner.learn_many([[1]] * 9, [1] * 9)
    report = learner.evaluate([[1], [1], [0]], [1, None, 1])
    assert report.accuracy > 0 and report.record.predicted.dtype == object
    assert report.record.predicted.tolist()[:2] == [1, 1] and type(report.record.predicted[0]) is int


def test_what_is_believed_is_shown_as_a_copy() -> None:
    learner = learner_of_two()
    before = state(learner)
    learner.belief.update([(0, 1)], 0)
    learner.belief.discount(1.0)
    assert state(learner) == before


def test_every_opened_case_counts_once() -> None:
    learner = learner_of_two()
    assert learner.n_opened == 10
    learner.open()
    learner.open(known={"a": 1})
    learner.evaluate(X)
    learner.learn_many(X, Y)
    assert learner.n_opened == 12


def test_labels_that_never_come_teach_nothing() -> None:
    learner = UFODT(TWO, stop=stop.region(), n_hypotheses=32)
    learner.run(X * 20, [None] * 40)
    assert not learner.belief.counts.any() and not learner.belief.label_counts.any()
    assert learner.n_opened == 40


def test_only_what_was_paid_for_is_learned() -> None:
    learner = UFODT(TWO, criterion="ig", stop=stop.budget(1.0), seed=2)
    record = learner.run(X * 20, Y * 20)
    assert (record.n_asked == 1).all()
    assert learner.belief.counts.sum() == 40 and learner.belief.label_counts.sum() == 40


@pytest.mark.parametrize("verb", ["run", "evaluate"])
def test_progress_is_told_until_all_is_done(verb: str) -> None:
    learner, calls = learner_of_two(), []
    rows, labels = np.zeros((2500, 2)), ["x"] * 2500
    getattr(learner, verb)(rows, labels, progress=lambda done, n: calls.append((done, n)))
    assert calls[-1] == (2500, 2500) and len(calls) > 1
    assert calls == sorted(calls)


def test_pieces_are_as_long_as_a_tenth_of_a_second_allows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cases are quick, then slow, then quick; what the callback takes does not count."""
    clock, sizes = 0.0, []

    def work(rows: slice) -> stream.Arrays:
        nonlocal clock
        sizes.append((rows.start, rows.stop - rows.start))
        clock += sum(1.0 if 3000 <= row < 3100 else 1e-6 for row in range(rows.start, rows.stop))
        return learner._tree().evaluate(np.zeros((rows.stop - rows.start, 2), dtype=np.int16))

    def told(done: int, n: int) -> None:
        nonlocal clock
        clock += 1.0

    learner = learner_of_two()
    monkeypatch.setattr(stream, "time", SimpleNamespace(monotonic=lambda: clock))
    stream.in_chunks(work, 6000, told)
    assert max(size for _, size in sizes) == 1000 and sum(size for _, size in sizes) == 6000
    assert all(size == 1 for start, size in sizes if 3050 <= start < 3100)
    assert [size for start, size in sizes if start > 3100][:4] == [2, 4, 8, 16]


def test_progress_makes_no_difference() -> None:
    rng = np.random.default_rng(1)
    rows, labels = rng.integers(0, 2, (2500, 2)), rng.choice(["x", "y"], 2500)
    plain, told = learner_of_two(), learner_of_two()
    first, second = plain.run(rows, labels), told.run(rows, labels, progress=lambda done, n: None)
    np.testing.assert_array_equal(first.asked, second.asked)
    assert state(plain) == state(told)


def test_a_run_that_is_stopped_has_learned_exactly_the_cases_done() -> None:
    rng = np.random.default_rng(2)
    rows, labels = rng.integers(0, 2, (3500, 2)), rng.choice(["x", "y"], 3500)
    stopped, expected = learner_of_two(), learner_of_two()
    done = 0

    def stop_midway(n: int, n_cases: int) -> None:
        nonlocal done
        done = n
        if n >= 2000:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stopped.run(rows, labels, progress=stop_midway)
    expected.run(rows[:done], labels[:done])
    assert 0 < done < 3500
    assert state(stopped) == state(expected)
    assert digest_of_two(stopped) == digest_of_two(expected)


def digest_of_two(learner: UFODT) -> list[Any]:
    record = learner.run(X * 10, Y * 10)
    return [record.predicted.tolist(), record.asked.tolist(), record.probability.tolist()]


def test_an_empty_stream_is_no_trouble() -> None:
    learner = learner_of_two()
    before = state(learner)
    none = np.empty((0, 2))
    assert len(learner.run(none, []).predicted) == 0
    report = learner.evaluate(none, [])
    assert len(report.record.predicted) == 0 and math.isnan(report.accuracy) and math.isnan(report.cost)
    learner.learn_many(none, [])
    assert state(learner) == before


def test_without_labels_a_report_has_no_accuracy() -> None:
    report = learner_of_two().evaluate(X)
    assert math.isnan(report.accuracy) and math.isnan(report.loss) and report.cost >= 0


@pytest.mark.parametrize("labels", [["n", "p"], [3, 8], [False, True]], ids=str)
def test_predictions_are_the_labels_of_the_problem(labels: list[Any]) -> None:
    learner = UFODT(Problem([Binary("a")], labels=labels), criterion="ig", stop=stop.confidence(1.0))
    rows, truth = [[0], [1]] * 30, labels * 30
    learner.learn_many(rows, truth)
    report = learner.evaluate(rows, truth)
    assert report.record.predicted.tolist() == truth and report.accuracy == 1.0


def test_a_discount_forgets_that_share_of_what_was_learned() -> None:
    learner = learner_of_two()
    before = learner.belief.counts
    learner.discount(0.25)
    np.testing.assert_array_equal(learner.belief.counts, 0.75 * before)
    learner.discount(1.0)
    assert not learner.belief.counts.any() and not learner.belief.label_counts.any()


def test_merging_adds_exactly_and_leaves_the_other_alone() -> None:
    one, other = learner_of_two(seed=1), learner_of_two(seed=2)
    counts, before = one.belief.counts + other.belief.counts, state(other)
    opened = one.n_opened
    one.merge(other)
    np.testing.assert_array_equal(one.belief.counts, counts)
    assert state(other) == before and one.n_opened == opened


@pytest.mark.parametrize("name", LEARNERS)
def test_what_one_learner_does_is_nothing_to_another(name: str) -> None:
    alone, beside, noisy = make(name), make(name), make(name, seed=50)
    rows, labels = stream_of(name, 1, 20)
    alone.run(rows, labels)
    for i in range(20):
        noisy.run(rows, labels)
        noisy.open().ask()
        beside.run(rows[i : i + 1], labels[i : i + 1])
    assert digest(beside) == digest(alone)


def test_a_learner_finds_the_feature_that_matters() -> None:
    rng = np.random.default_rng(4)
    problem = Problem([Binary(f"f{i}") for i in range(6)], labels=[0, 1])
    table = rng.integers(0, 2, (600, 6))
    truth = table[:, 3] ^ (rng.random(600) < 0.05)
    learner = UFODT(problem, criterion="ec2", stop=stop.confidence(0.9), n_hypotheses=64, seed=4)
    learner.run(table[:400], truth[:400])
    report = learner.evaluate(table[400:], truth[400:])
    assert report.accuracy > 0.9 and report.n_asked < 1.5
    assert (report.record.asked == 3).mean() > 0.6


def test_the_order_of_a_table_in_memory_makes_no_difference() -> None:
    problem = Problem([Binary("a"), Binary("b"), Binary("c")], labels=[0, 1])
    X = np.random.default_rng(3).integers(0, 2, size=(50, 3))
    y = X[:, 0]
    rows, columns = (UFODT(problem, seed=1).run(table, y) for table in (X, np.asfortranarray(X)))
    np.testing.assert_array_equal(rows.asked, columns.asked)
    np.testing.assert_array_equal(rows.predicted, columns.predicted)


def test_a_category_never_seen_is_refused_by_name_and_one_never_met_is_no_trouble() -> None:
    learner = UFODT(
        Problem([Categorical("c", ["x", "y", "z"])], labels=[0, 1]), stop=stop.confidence(1.0), criterion="ig"
    )
    learner.run([["x"], ["y"]] * 10, [0, 1] * 10)
    before = state(learner)
    with pytest.raises(InvalidValue, match="c: value 'new' came; expected one of 'x', 'y', 'z'"):
        learner.run([["x"], ["new"]], [0, 1])
    assert state(learner) == before
    answer = learner.open(known={"c": "z"}).predict()
    assert sum(answer.probabilities.values()) == pytest.approx(1.0)


@pytest.mark.parametrize(
    "given",
    [{"drift": "auto"}, {"drift": 0.05}, {"thresholds": "exp3"}, {"policy": "ig"}, {"selection": 5}, {"prior": "flat"}],
)
def test_a_setting_of_another_kind_is_refused_with_an_example(given: dict[str, Any]) -> None:
    (name,) = given
    with pytest.raises(InvalidPolicy, match=f"{name}=.* came; expected"):
        UFODT(PROBLEM, **given)


@pytest.mark.parametrize("name", ["problem", "policy", "prior", "thresholds", "drift", "selection", "seed"])
def test_what_a_learner_was_made_with_cannot_be_changed(name: str) -> None:
    learner = UFODT(PROBLEM)
    with pytest.raises(AttributeError):
        setattr(learner, name, getattr(learner, name))


def test_more_cells_than_the_core_can_count_are_refused_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "_MOST_CELLS", 11)
    UFODT(Problem([Binary("a"), Categorical("b", list("xyz"))], labels=[0, 1]))
    with pytest.raises(InvalidProblem, match="6 outcomes under 2 labels came; expected at most 11 cells"):
        UFODT(Problem([Categorical("a", list("xyz")), Categorical("b", list("xyz"))], labels=[0, 1]))
