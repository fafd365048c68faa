"""Evaluation: late and missing labels, two kinds of hold-out, and one flat record per case."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import f1_score

from ufodt import UFODT, Continuous, Prior, Problem, thresholds
from ufodt.errors import InvalidPolicy, InvalidValue
from ufodt.lab import datasets, scores
from ufodt.lab.all_features import log_likelihoods
from ufodt.lab.contestants import Answers
from ufodt.lab.evaluate import Prequential, Protocol, evaluate, paired
from ufodt.lab.material import Material, material, seeds_of
from ufodt.lab.methods import METHODS, build
from ufodt.lab.records import read_manifest, write


class Diary:
    """A contestant that writes down what it is asked and taught."""

    def __init__(self) -> None:
        self.lines: list[tuple[str, int]] = []

    def answer(self, row: Any) -> tuple[int, int, float, Any]:
        self.lines.append(("asked", int(row[0])))
        return 0, 1, 1.0, int(row[0])

    def learn(self, ticket: int, label: int) -> None:
        self.lines.append(("told", ticket))


def rows(name: str = "stagger", seed: int = 1, limit: int | None = None) -> Material:
    return material(name, seed, limit=limit)


def contestant(name: str, found: Material, **settings: Any) -> Any:
    return build(name, found.stream, settings=settings, seed=1, stream=found.stream, everything=found.everything)


# --- late and missing labels -------------------------------------------------------------------------


def test_a_label_comes_once_delay_more_cases_were_answered() -> None:
    diary = Diary()
    Prequential(diary, delay=2).advance(np.arange(5.0)[:, None], np.zeros(5, dtype=np.int64))  # type: ignore[arg-type]
    asked = [("asked", i) for i in range(5)]
    assert diary.lines == [*asked[:3], ("told", 0), asked[3], ("told", 1), asked[4], ("told", 2)]


def test_open_cases_are_kept_from_one_stretch_to_the_next() -> None:
    whole, parts = Diary(), Diary()
    X, y = np.arange(7.0)[:, None], np.zeros(7, dtype=np.int64)
    Prequential(whole, delay=3).advance(X, y)  # type: ignore[arg-type]
    way = Prequential(parts, delay=3)  # type: ignore[arg-type]
    for part in (slice(0, 2), slice(2, 3), slice(3, 7)):
        way.advance(X[part], y[part])
    assert parts.lines == whole.lines


def test_a_missing_label_is_never_told() -> None:
    diary = Diary()
    Prequential(diary, delay=1).advance(np.arange(4.0)[:, None], np.array([0, -1, 0, 0]))  # type: ignore[arg-type]
    assert ("told", 0) in diary.lines and ("told", 1) not in diary.lines and ("told", 2) in diary.lines


@pytest.mark.parametrize("method", ["ufodt", "ufodt-auto", "paper-ec2", "paper-ig-exp3", "paper-ec2-ofs"])
@pytest.mark.parametrize("name", ["stagger", "cleveland"])
def test_sessions_and_whole_streams_do_the_same(method: str, name: str) -> None:
    """A delay goes through sessions, none through the core; they may not differ in anything else."""
    found = rows(name, limit=60)
    at_once = contestant(method, found).run(found.stream.X, found.stream.y)
    one_by_one, ours = [], contestant(method, found)
    for row, label in zip(found.stream.X, found.stream.y.tolist(), strict=True):
        *answer, ticket = ours.answer(row)
        one_by_one.append(answer)
        ours.learn(ticket, label)
    predicted, asked, cost = (np.array(column) for column in zip(*one_by_one, strict=True))
    np.testing.assert_array_equal(predicted, at_once.predicted)
    np.testing.assert_array_equal(asked, at_once.n_asked)
    np.testing.assert_allclose(cost, at_once.cost)


def test_labels_that_come_late_cost_accuracy() -> None:
    found = rows("led", seed=102, limit=400)
    soon, late = (
        evaluate(contestant("ufodt", found), found, Protocol(n_looks=1, delay=delay), seed=1).summary["online"]
        for delay in (0, 200)
    )
    assert soon["accuracy"] > late["accuracy"] + 0.05


def test_the_share_of_missing_labels_is_as_declared_and_the_seeds_own() -> None:
    found = rows("led", seed=102, limit=2000)
    told = [
        evaluate(contestant("constant", found), found, Protocol(n_looks=1, missing=0.3), seed=seed).cases["labelled"]
        for seed in (1, 1, 2)
    ]
    share = told[0][: len(found.stream.y)].mean()
    assert share == pytest.approx(0.7, abs=0.03)
    np.testing.assert_array_equal(told[0], told[1])
    assert (told[0] != told[2]).any()


@pytest.mark.parametrize("bad", [{"n_looks": 0}, {"delay": -1}, {"missing": 1.0}, {"max_look_rows": 0}])
def test_a_protocol_that_makes_no_sense_is_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(InvalidPolicy, match="expected at least one look"):
        Protocol(**bad)


# --- the hold-out ------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["ufodt", "paper-ig", "paper-ec2-exp3", "bernoulli_nb", "vfdt", "static", "oracle"])
def test_looking_changes_nothing(method: str) -> None:
    found = rows("pima", limit=120)
    few, many = (
        evaluate(contestant(method, found), found, Protocol(n_looks=n), seed=1).cases["predicted"][:120] for n in (1, 9)
    )
    np.testing.assert_array_equal(few, many)


def test_paid_answers_rest_on_paid_features_alone() -> None:
    """Blank every cell that was not asked for: the paid answers stay, those from all features change."""
    found = rows("led", seed=102, limit=600)
    ours = contestant("ufodt", found)
    ours.run(found.stream.X, found.stream.y)
    X = found.holdout_at(600).X[:300]
    record = ours.learner.evaluate(X).record
    ends, known = record.n_asked.cumsum(), np.full(X.shape, np.nan)
    for i, (n, end) in enumerate(zip(record.n_asked, ends, strict=True)):
        asked = record.asked[end - n : end]
        known[i, asked] = X[i, asked]
    np.testing.assert_array_equal(ours.paid(known).predicted, ours.paid(X).predicted)
    assert (ours.whole(known, seed=0)[0] != ours.whole(X, seed=0)[0]).any()


def test_with_all_features_the_default_learner_answers_as_its_session_does() -> None:
    found = rows("cleveland", limit=150)
    ours = contestant("ufodt", found)
    ours.run(found.stream.X, found.stream.y)
    X = found.holdout_at(150).X
    names = found.stream.feature_names
    told = []
    for row in X:
        known = {name: value for name, value in zip(names, row, strict=True) if not np.isnan(value)}
        told.append(ours.learner.open(known=known).predict().label)
    np.testing.assert_array_equal(ours.whole(X, seed=0)[0], told)


def test_the_hold_out_of_stagger_moves_with_the_concept() -> None:
    found = rows("stagger")
    trial = evaluate(contestant("constant", found), found, Protocol(n_looks=3), seed=1)
    first, *_, last = (look["paid"]["accuracy"] for look in trial.looks)
    assert first == pytest.approx(24 / 27)  # three of the objects are small and red
    assert last in (pytest.approx(18 / 27), pytest.approx(9 / 27))


def test_test_figures_are_means_over_the_last_quarter() -> None:
    found = rows("stagger")
    trial = evaluate(contestant("ufodt", found), found, Protocol(n_looks=12), seed=1)
    last = [look["paid"]["accuracy"] for look in trial.looks if look["at"] > 135]
    assert len(last) == 3 and trial.summary["paid"]["accuracy"] == pytest.approx(np.mean(last))
    assert trial.summary["paid_final"] == trial.looks[-1]["paid"]


# --- contestants -------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
def test_every_method_goes_through_a_stream(method: str) -> None:
    found = rows("stagger", limit=30)
    trial = evaluate(contestant(method, found), found, Protocol(n_looks=2), seed=1)
    n = found.stream.X.shape[1]
    assert 0 <= trial.summary["questions"] <= n and trial.summary["total_cost"] == trial.summary["total_questions"]
    assert len(trial.cases["truth"]) == 30 + 2 * 27
    for regime in ("paid", "all"):
        assert 0 <= trial.summary[regime]["accuracy"] <= 1


def test_a_constant_answer_is_free_and_a_fixed_subset_costs_its_size() -> None:
    found = rows("pima", limit=100)
    assert contestant("constant", found).run(found.stream.X, found.stream.y).cost.sum() == 0
    for k in (1, 3):
        for method in ("static", "gaussian_nb"):
            answers = contestant(method, found, k=k).run(found.stream.X, found.stream.y)
            assert set(answers.n_asked.tolist()) == {k} and set(answers.cost.tolist()) == {float(k)}


def test_all_features_ufodt_asks_everything_that_is_there() -> None:
    found = rows("cleveland", limit=80)
    answers: Answers = contestant("ufodt-all", found).run(found.stream.X, found.stream.y)
    np.testing.assert_array_equal(answers.n_asked, (~np.isnan(found.stream.X)).sum(axis=1))


def test_the_oracle_learns_nothing_from_the_stream() -> None:
    found = rows("zoo", seed=102)
    oracle = contestant("oracle", found)
    before = oracle.learner.belief.counts
    oracle.run(found.stream.X, found.stream.y)
    np.testing.assert_array_equal(before, oracle.learner.belief.counts)


def test_a_learner_told_of_each_drift_starts_anew_there() -> None:
    found = rows("stagger")
    informed = contestant("paper-ec2-informed", found, prior=0.0)
    informed.run(found.stream.X[:60], found.stream.y[:60])
    first = informed.present
    informed.run(found.stream.X[60:61], found.stream.y[60:61])
    assert informed.present is not first and informed.present.learner.n_opened == 1


def test_unknown_methods_are_refused_in_words() -> None:
    with pytest.raises(InvalidPolicy, match="no method is called 'vfdtt'; expected one of ufodt"):
        build("vfdtt", datasets.led(5, seed=1))


# --- scores and records ------------------------------------------------------------------------------


def test_utilities_agree_with_scikit_learn() -> None:
    rng = np.random.default_rng(5)
    for _ in range(20):
        truth, predicted = rng.integers(0, 2, 30), rng.integers(0, 2, 30)
        assert scores.binary_f1(truth, predicted) == pytest.approx(f1_score(truth, predicted, zero_division=0))
        truth, predicted = rng.integers(0, 4, 30), rng.integers(0, 4, 30)
        for average, ours in (("weighted", scores.weighted_f1), ("macro", scores.macro_f1)):
            assert ours(truth, predicted) == pytest.approx(f1_score(truth, predicted, average=average, zero_division=0))


def test_differences_are_paired_by_seed() -> None:
    assert paired({1: 0.9, 2: 0.5}, {1: 0.8, 2: 0.4, 3: 0.0}) == pytest.approx((0.1, 0.0))
    with pytest.raises(InvalidValue, match="no seed was run with both"):
        paired({1: 0.9}, {2: 0.4})


def test_records_hold_every_case_and_their_manifest(tmp_path: Path) -> None:
    import pyarrow.parquet

    found = rows("stagger", limit=40)
    trial = evaluate(contestant("ufodt", found), found, Protocol(n_looks=2, missing=0.2), seed=1)
    path = tmp_path / "deep" / "run.parquet"
    manifest = {"summary": trial.summary, "run": {"dataset": "stagger", "method": "ufodt", "seed": 1}}
    write(path, trial.cases, manifest)
    table = pyarrow.parquet.read_table(path).to_pydict()
    stream = [i for i, part in enumerate(table["part"]) if part == "stream"]
    assert [table["case"][i] for i in stream] == list(range(40))
    right = np.mean([table["truth"][i] == table["predicted"][i] for i in stream])
    assert right == pytest.approx(trial.summary["online"]["accuracy"])
    assert sum(table["asked"][i] for i in stream) == trial.summary["total_questions"]
    assert read_manifest(path) == manifest
    assert set(table["dataset"]) == {"stagger"} and set(table["seed"]) == {1}
    assert [p.name for p in path.parent.iterdir()] == ["run.parquet"]


@pytest.mark.parametrize("damage", [b"", b"PAR1 and nothing more", None])
def test_damaged_records_count_as_not_there(damage: bytes | None, tmp_path: Path) -> None:
    path = tmp_path / "run.parquet"
    if damage is not None:
        path.write_bytes(damage)
    assert read_manifest(path) is None


# --- material ----------------------------------------------------------------------------------------


def test_the_papers_seeds_come_first_and_splits_are_the_authors(paper_folder: Path) -> None:
    assert seeds_of("zoo", 3) == (102, 103, 104) and seeds_of("wdbc", 1) == (101,)
    found = rows("zoo", seed=102)
    stream, holdout = datasets.paper_split("zoo", 102)
    data = datasets.load_paper("zoo")
    np.testing.assert_array_equal(found.stream.X, data.X[stream])
    np.testing.assert_array_equal(found.holdout_at(1).y, data.y[holdout])


def test_further_seeds_of_compas_take_further_folds(paper_folder: Path) -> None:
    parts = [rows("compas", seed=seed) for seed in (101, 102)]
    stream, _ = datasets.paper_split("compas", 101)
    np.testing.assert_array_equal(parts[0].stream.y, datasets.load_paper("compas").y[stream])
    assert (parts[0].stream.X[:6000] != parts[1].stream.X[:6000]).any()
    assert "fold" in parts[0].notes[0]


def test_thresholds_are_read_with_the_prior_that_they_were_learned_with() -> None:
    problem = Problem([Continuous("a", cuts=(0.0,))], labels=[0, 1])
    learner = UFODT(problem, prior=Prior(count=5.0), thresholds=thresholds.exhaustive(1), seed=1)
    learner.learn_many([[-1.0], [1.0], [2.0]], [0, 1, 1])
    found = np.exp(log_likelihoods(learner, np.array([[3.0]])))
    np.testing.assert_allclose(found, [[[5 / 11, 7 / 12]]])
