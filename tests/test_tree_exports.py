"""The tree in other languages: SQL in SQLite and Python alone decide as the tree does, row by row."""

import json
import math
import sqlite3
import subprocess
import sys
from decimal import Decimal
from enum import IntEnum, StrEnum
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from ufodt import UFODT, Binary, Categorical, Continuous, Policy, Problem, stop
from ufodt.errors import InvalidValue
from ufodt.features import Feature
from ufodt.lab import datasets
from ufodt.tree import Tree

from .cases import LEARNERS, make, stream_of
from .test_tree import nasty  # noqa: F401

N_ROWS = 10_000


def in_sqlite(tree: Tree, X: Any, table: str = "cases") -> list[tuple[Any, float]]:
    """Label and price of every row as SQLite finds them."""

    def quoted(name: str) -> str:
        return '"' + name.replace('"', '""') + '"'

    names = [quoted(feature.name) for feature in tree.problem.features]
    with sqlite3.connect(":memory:") as db:
        db.execute(f"CREATE TABLE {quoted(table)} ({', '.join(names)})")
        rows = [[None if v is None or v != v else v for v in row] for row in np.asarray(X, dtype=object).tolist()]
        db.executemany(f"INSERT INTO {quoted(table)} VALUES ({', '.join('?' * len(names))})", rows)
        db.row_factory = sqlite3.Row
        found = [(row["ufodt_label"], row["ufodt_price"]) for row in db.execute(tree.to_sql(table))]
        assert db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 1
    db.close()
    return found


def in_python(tree: Tree, X: Any) -> list[tuple[Any, float]]:
    names = [feature.name for feature in tree.problem.features]
    module: dict[str, Any] = {"__name__": "exported"}
    exec(compile(tree.to_python(), "exported.py", "exec"), module)
    return [module["decide"](dict(zip(names, row, strict=True))) for row in np.asarray(X, dtype=object).tolist()]


def same(tree: Tree, X: Any) -> None:
    decided = tree.predict(X)
    expected = list(zip(decided.labels.tolist(), decided.cost.tolist(), strict=True))
    assert in_sqlite(tree, X) == expected
    assert in_python(tree, X) == expected


@pytest.mark.parametrize(("name", "priced"), [("led", False), ("cleveland", True), ("thyroid", True)])
def test_ten_thousand_rows_come_out_the_same(name: str, priced: bool) -> None:
    data = datasets.load(name)
    n_labels = len(data.label_names)
    loss = 4000 * (1 - np.eye(n_labels)) if priced else None
    learner = UFODT(datasets.to_problem(data, priced=priced, loss=loss), seed=1)
    learner.learn_many(data.X, data.y)
    rng = np.random.default_rng(0)
    X = data.X[rng.integers(0, len(data.X), N_ROWS)].copy()
    X[rng.random(X.shape) < 0.03] = math.nan
    tree = learner.tree(max_missing=2, max_nodes=4000)
    assert tree.depth > 5
    same(tree, X)


@pytest.mark.parametrize("name", LEARNERS)
def test_every_learner_can_be_exported(name: str) -> None:
    learner = make(name)
    learner.run(*stream_of(name, 1, 100))
    same(learner.tree(max_missing=1, max_nodes=1500), stream_of(name, 5, 300, missing=0.1)[0])


def test_names_and_values_cannot_break_out(nasty: Tree) -> None:  # noqa: F811
    rng = np.random.default_rng(3)
    X = np.empty((200, 3), dtype=object)
    X[:, 0] = rng.choice(np.array(nasty.problem.features[0].values, dtype=object), 200)  # type: ignore[union-attr]
    X[:, 1], X[:, 2] = rng.integers(0, 2, 200), rng.normal(size=200)
    X[rng.random(X.shape) < 0.1] = None
    same(nasty, X)
    assert in_sqlite(nasty, X, table='t"; DROP TABLE x; --') == in_sqlite(nasty, X)


def test_a_deep_tree_is_cut_into_pieces_that_parsers_can_hold() -> None:
    rng = np.random.default_rng(0)
    problem = Problem([Binary(f"f{i}") for i in range(130)], labels=["no", "yes"])
    learner = UFODT(problem, policy=Policy(criterion="ig", stop=stop.confidence(1.0)), seed=0)
    y = rng.integers(0, 2, 400)
    learner.learn_many((rng.random((400, 130)) < 0.001 + 0.02 * y[:, None]).astype(int), np.array(["no", "yes"])[y])
    tree = learner.tree(max_missing=0, max_nodes=1500)
    assert tree.depth > 100
    same(tree, (rng.random((500, 130)) < 0.01).astype(int))


def test_the_module_runs_as_a_program_without_ufodt(tmp_path: Path) -> None:
    learner = make("bins-ig")
    learner.run(*stream_of("bins-ig", 1, 100))
    tree, X = learner.tree(), stream_of("bins-ig", 2, 20, missing=0.2)[0]
    (tmp_path / "policy.py").write_text(tree.to_python(), encoding="utf-8")
    names = [feature.name for feature in tree.problem.features]
    lines = "\n".join(json.dumps(dict(zip(names, row, strict=True))) for row in X.tolist())
    done = subprocess.run(
        [sys.executable, "-I", "-S", "policy.py"], cwd=tmp_path, input=lines, check=True, capture_output=True, text=True
    )  # -S: without any installed package
    decided = tree.predict(X)
    assert [json.loads(line) for line in done.stdout.splitlines()] == [
        {"label": label, "price": price} for label, price in zip(decided.labels, decided.cost, strict=True)
    ]


@pytest.mark.parametrize("line", ["foo", "[1]", "3", '{"x": "high"}', "[" * 100_000])
def test_the_module_names_a_line_that_is_no_case(line: str, tmp_path: Path) -> None:
    (tmp_path / "policy.py").write_text(number_tree(0.5).to_python(), encoding="utf-8")
    command = [sys.executable, "-I", "policy.py"]
    done = subprocess.run(command, cwd=tmp_path, input='{"x": 1}\n\n' + line, capture_output=True, text=True)
    assert done.returncode == 1 and len(done.stdout.splitlines()) == 1
    assert done.stderr.startswith("Line 3: ") and len(done.stderr.splitlines()) == 1


def test_the_module_ends_quietly_where_nobody_reads_on(tmp_path: Path) -> None:
    (tmp_path / "policy.py").write_text(number_tree(0.5).to_python(), encoding="utf-8")
    (tmp_path / "cases").write_text('{"x": 1}\n' * 50_000)
    command = f"{sys.executable} -I policy.py < cases | head -n 1"
    done = subprocess.run(["sh", "-c", command], cwd=tmp_path, capture_output=True, text=True)
    assert len(done.stdout.splitlines()) == 1 and done.stderr == ""


def test_the_module_reads_only_what_it_asks_for() -> None:
    learner = make("bins-ig")
    learner.run(*stream_of("bins-ig", 1, 100))
    tree, (X, _) = learner.tree(), stream_of("bins-ig", 2, 50)
    record = learner.evaluate(X).record
    module: dict[str, Any] = {"__name__": "exported"}
    exec(tree.to_python(), module)

    class Counting(dict[str, Any]):
        def __getitem__(self, name: str) -> Any:
            read.append(name)
            return super().__getitem__(name)

    ends = record.n_asked.cumsum()
    for i, row in enumerate(X.tolist()):
        read: list[str] = []
        module["decide"](Counting(zip((f.name for f in tree.problem.features), row, strict=True)))
        asked = record.asked[ends[i] - record.n_asked[i] : ends[i]]
        assert read == [tree.problem.features[f].name for f in asked]


def test_unknown_values_are_told_apart_from_missing_ones() -> None:
    learner = make("ours-ig")
    learner.run(*stream_of("ours-ig", 1, 100))
    tree = learner.tree()
    asked = tree.nodes[0].feature
    assert asked is not None
    module: dict[str, Any] = {"__name__": "exported"}
    exec(tree.to_python(), module)
    with pytest.raises(ValueError, match=asked):
        module["decide"]({asked: "never heard of"})
    assert module["decide"]({}) == module["decide"]({asked: None}) == module["decide"]({asked: math.nan})
    column = tree.problem.feature_index(asked)
    row: list[Any] = [None] * tree.problem.n_features
    row[column] = "never heard of"
    assert in_sqlite(tree, [row]) == [(None, None)]


@pytest.mark.parametrize("table", ["", None, 3, "a\0b"])
def test_a_table_without_a_name_is_refused(table: Any) -> None:
    with pytest.raises(InvalidValue):
        make("ours-ig").tree().to_sql(table)


def test_a_feature_that_would_hide_the_result_is_refused() -> None:
    tree = UFODT(Problem([Binary("UFODT_label")], labels=[0, 1])).tree()
    with pytest.raises(InvalidValue, match="UFODT_label"):
        tree.to_sql("cases")


def test_a_column_that_is_not_there_is_an_error_and_no_string() -> None:
    learner = make("ours-ig")
    learner.run(*stream_of("ours-ig", 1, 100))
    tree = learner.tree()
    with sqlite3.connect(":memory:") as db:
        db.execute("CREATE TABLE cases (other)")
        with pytest.raises(sqlite3.OperationalError, match="no such column"):
            db.execute(tree.to_sql("cases"))
    db.close()


def number_tree(cut: float) -> Tree:
    """One number, which is `lo` up to a cut and `hi` above it."""
    learner = UFODT(Problem([Continuous("x", cuts=[cut])], labels=["lo", "hi"]), seed=1)
    learner.learn_many([[cut]] * 50 + [[2 * cut]] * 50, ["lo"] * 50 + ["hi"] * 50)
    return learner.tree()


@pytest.mark.parametrize(("cut", "value"), [(0.1, np.float32(0.1)), (2.0**53, 2**53 + 1)])
def test_the_module_compares_numbers_as_the_learner_does(cut: float, value: Any) -> None:
    tree = number_tree(cut)
    (label,) = tree.predict([[value]]).labels.tolist()
    module: dict[str, Any] = {"__name__": "exported"}
    exec(tree.to_python(), module)
    assert module["decide"]({"x": value})[0] == label


@pytest.mark.parametrize("value", [10**400, [1], 1j, Decimal("snan"), np.array([1, 2]), "1", b"1", math.inf, True])
def test_what_is_no_number_is_refused_by_the_module(value: Any) -> None:
    module: dict[str, Any] = {"__name__": "exported"}
    exec(number_tree(0.5).to_python(), module)
    with pytest.raises(ValueError, match="x: value"):
        module["decide"]({"x": value})
    for missing in (None, math.nan, pd.NA, pd.NaT, np.float32("nan")):
        assert module["decide"]({"x": missing}) == module["decide"]({})


@pytest.mark.parametrize("kind", ["", "REAL", "NUMERIC"])
def test_a_text_in_a_column_of_numbers_is_unknown_to_sql(kind: str) -> None:
    tree, cells = number_tree(0.5), ["", "abc", b"z", math.inf, -math.inf, 0.25, -1e308, 1e308, None]
    with sqlite3.connect(":memory:") as db:
        db.execute(f"CREATE TABLE cases (x {kind})")
        db.executemany("INSERT INTO cases VALUES (?)", [(cell,) for cell in cells])
        found = [row[1] for row in db.execute(tree.to_sql("cases"))]
    db.close()
    known = tree.predict([[0.25], [-1e308], [1e308], [math.nan]]).labels.tolist()
    assert found == [None] * 5 + known


def test_truth_values_are_no_columns_in_sql() -> None:
    rows = [[1, 0], [0, 1], [1, 1], [0, 0]]
    learner = UFODT(Problem([Binary("ill"), Binary("true")], labels=[True, False]), seed=1)
    learner.learn_many(rows * 20, [bool(row[0]) for row in rows] * 20)
    tree = learner.tree()
    assert [bool(label) for label, _ in in_sqlite(tree, rows)] == tree.predict(rows).labels.tolist()


class Name(StrEnum):
    """Texts of a class of their own."""

    FEVER = "fever"
    ILL = "ill"
    WELL = "well"


class Code(IntEnum):
    """Numbers of a class of their own."""

    LOW = 3
    HIGH = 7


def test_texts_and_numbers_of_other_classes_are_written_plainly() -> None:
    features: list[Feature] = [Binary(Name.FEVER), Binary(np.str_("cough")), Categorical("code", list(Code))]
    learner = UFODT(Problem(features, labels=[Name.ILL, Name.WELL]), seed=1)
    rows = [[0, 1, 3], [1, 0, 7], [1, 1, 3], [0, 0, 7]]
    learner.learn_many(rows * 20, ["ill" if row[2] == 7 else "well" for row in rows] * 20)
    tree = learner.tree()
    same(tree, rows)
    assert [type(label) for label in tree.problem.labels] == [str, str]
    assert learner.open(known={"code": Code.HIGH}).predict().label == Name.ILL
