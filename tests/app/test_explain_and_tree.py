"""`ufodt explain` and `ufodt tree`: a model explains itself and is exported."""

import json
import sqlite3
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import ufodt
from ufodt.app.reading import read_values
from ufodt.errors import UfodtError

from .calling import call, model, rows


def test_an_explanation_shows_evidence_and_reasons(folder: Path) -> None:
    done = call("explain", model(folder), "fever=yes", "age=64")
    assert "The answer is ill" in done.output and "fever is yes" in done.output
    assert "rhythm" in done.output and "not worth 15.5" in done.output
    said = json.loads(call("explain", model(folder), "fever=yes", "age=64", "--json").stdout)
    assert said["answer"] == "ill" and said["next"] is None
    bits = said["bits"][0]
    assert bits["prior"] + sum(bits["values"].values()) == pytest.approx(bits["total"])


def test_a_feature_has_one_value(folder: Path) -> None:
    with pytest.raises(UfodtError, match="age came twice, the second time as 'age=20'"):
        call("explain", model(folder), "age=64", "fever=yes", "age=20")


@pytest.mark.parametrize("form", ["text", "dot", "svg", "png", "json", "sql", "python"])
def test_a_tree_can_be_written_in_every_form(folder: Path, tmp_path: Path, form: str) -> None:
    ending = {"text": "txt", "python": "py"}.get(form, form)
    output = tmp_path / f"tree.{ending}"
    done = call("tree", model(folder), "--output", str(output))
    assert done.exit_code == 0, done.output
    if form != "png":
        printed = call("tree", model(folder), "--format", form).stdout
        assert output.read_text(encoding="utf-8") == printed
        assert "fever" in printed
    else:
        assert output.read_bytes().startswith(b"\x89PNG")


def test_the_exported_tree_answers_as_the_model(folder: Path, tmp_path: Path) -> None:
    script = tmp_path / "policy.py"
    call("tree", model(folder), "--output", str(script))
    lines = "\n".join(json.dumps({**case, "age": case["age"] or None}) for case in rows(50, seed=3))
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(script)], input=lines, check=True, capture_output=True, text=True
    )
    said = [json.loads(line) for line in done.stdout.splitlines()]
    learner = ufodt.load(folder / "model.npz")
    X = np.array([[c["fever"], c["age"] or None, c["rhythm"]] for c in rows(50, seed=3)], dtype=object)
    record = learner.evaluate(X).record
    assert [line["label"] for line in said] == record.predicted.tolist()
    assert [line["price"] for line in said] == record.cost.tolist()
    sql = call("tree", model(folder), "--format", "sql", "--table", "patients").stdout
    with sqlite3.connect(":memory:") as db:
        db.execute("CREATE TABLE patients (fever, age, rhythm)")
        db.executemany("INSERT INTO patients VALUES (?, ?, ?)", X.tolist())
        assert [row[-2:] for row in db.execute(sql)] == [(line["label"], line["price"]) for line in said]
    db.close()


@pytest.mark.parametrize(
    "arguments",
    [
        ["--table", "t"],
        ["--table", "t", "--format", "json"],
        *(["--missing", "--format", f] for f in ("sql", "python")),
    ],
)
def test_what_a_format_has_no_use_for_is_refused(folder: Path, arguments: list[str]) -> None:
    done = call("tree", model(folder), *arguments)
    assert done.exit_code == 2 and f"Error: {arguments[0]}" in done.output and "leave it out" in done.output


def test_a_picture_needs_a_place(folder: Path) -> None:
    assert call("tree", model(folder), "--format", "png").exit_code == 2


@pytest.mark.parametrize(
    "arguments", [["run", "cases.csv", "--save"], ["run", "cases.csv", "--records"], ["ask", "model.npz", "--save"],
                  ["tree", "model.npz", "--output"]],
)  # fmt: skip
def test_a_place_that_is_not_there_is_named_before_the_work(folder: Path, arguments: list[str]) -> None:
    command, name, option = arguments
    with pytest.raises(UfodtError, match="There is no folder .* to write it.npz into; make it first"):
        call(command, str(folder / name), option, str(folder / "nowhere" / "it.npz"))


def test_what_the_system_refuses_is_said_in_one_line(folder: Path) -> None:
    script = f"import sys; sys.argv = ['ufodt', 'run', {str(folder / 'cases.csv')!r}, '--save', '/proc/m.npz']"
    done = subprocess.run(
        [sys.executable, "-c", f"{script}; from ufodt.app.cli import main; main()"], capture_output=True, text=True
    )
    assert done.returncode == 1
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("ufodt: ")]
    assert "/proc/m.npz" in line and "Traceback" not in done.stderr


@pytest.mark.parametrize("command", ["ask", "explain", "tree"])
def test_a_file_that_is_no_model_is_refused(tmp_path: Path, command: str) -> None:
    (tmp_path / "m.npz").write_text("nothing")
    with pytest.raises(UfodtError, match="m.npz"):
        call(command, str(tmp_path / "m.npz"))


def test_a_feature_may_have_a_sign_of_equality_in_its_name() -> None:
    problem = ufodt.Problem([ufodt.Continuous("a"), ufodt.Continuous("a=b")], labels=[0, 1])
    assert read_values(problem, ["a=b=3", "a = 2,5"]) == {"a=b": 3.0, "a": 2.5}


def test_a_tree_goes_into_no_file_of_an_unknown_kind(folder: Path, tmp_path: Path) -> None:
    done = call("tree", model(folder), "--output", str(tmp_path / "x.pdf"))
    assert done.exit_code == 2 and "no format goes by the ending .pdf" in done.output
    assert not (tmp_path / "x.pdf").exists()
