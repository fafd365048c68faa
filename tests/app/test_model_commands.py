"""`run`, `ask`, `explain` and `tree`: a table becomes a model, and a model talks, explains itself and is exported."""

import csv
import json
import os
import pty
import select
import shlex
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

import ufodt
from ufodt.app import run as runs
from ufodt.app.commands import commands
from ufodt.belief import to_arrays
from ufodt.errors import InvalidValue, UfodtError

PRICES = """
[prices]
fever = 1.0
age = { price = 9.0, group = "desk", later = 0.5 }
rhythm = 15.5
[loss.ill]
healthy = 400
[loss.healthy]
ill = 200
"""


def call(*arguments: str, text: str | None = None) -> Result:
    return CliRunner().invoke(commands, list(arguments), input=text, catch_exceptions=False)


def rows(n: int, seed: int = 0) -> list[dict[str, Any]]:
    """Cases where any good planner asks fever first, as no fever settles it for 1, and age only after a yes."""
    rng = np.random.default_rng(seed)
    cases = []
    for _ in range(n):
        ill = rng.random() < 0.4
        cases.append(
            {
                "fever": "yes" if rng.random() < (0.98 if ill else 0.3) else "no",
                "age": round(float(rng.normal(60 if ill else 40, 8)), 1) if rng.random() < 0.95 else "",
                "rhythm": str(rng.choice(["sinus", "flutter"])),
                "state": "ill" if ill else "healthy",
            }
        )
    return cases


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table, its prices and a model of it."""
    folder = tmp_path_factory.mktemp("model")
    cases = rows(900)
    with open(folder / "cases.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, cases[0])
        writer.writeheader()
        writer.writerows(cases)
    (folder / "cases.jsonl").write_text("\n".join(json.dumps(case) for case in cases))
    (folder / "prices.toml").write_text(PRICES)
    done = call(
        "run", str(folder / "cases.csv"), "--label", "state", "--price", str(folder / "prices.toml"),
        "--save", str(folder / "model.npz"),
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    return folder


def model(folder: Path) -> str:
    return str(folder / "model.npz")


def counts(path: Path) -> list[bytes]:
    return [array.tobytes() for array in to_arrays(ufodt.load(path).belief).values()]


# --- run ----------------------------------------------------------------------------------------------


def test_a_run_makes_a_model_under_the_names_of_the_table(folder: Path) -> None:
    learner = ufodt.load(folder / "model.npz")
    assert learner.problem.labels == ("healthy", "ill")
    assert learner.problem.loss == ((0, 200), (400, 0))
    assert [feature.name for feature in learner.problem.features] == ["fever", "age", "rhythm"]
    assert learner.problem.prices.tolist() == [1.0, 9.0, 15.5]
    assert learner.n_opened == 900


@pytest.mark.parametrize("criterion", [criterion.value for criterion in ufodt.Criterion])
def test_a_run_takes_every_criterion_there_is(criterion: str, folder: Path, tmp_path: Path) -> None:
    saved = str(tmp_path / "model.npz")
    done = call("run", str(folder / "cases.csv"), "--label", "state", "--criterion", criterion, "--save", saved)
    assert done.exit_code == 0, done.output
    assert ufodt.load(saved).policy.criterion == criterion
    assert call("explain", saved, "fever=yes").exit_code == 0


def test_a_run_is_the_run_of_the_library(folder: Path) -> None:
    learner = ufodt.UFODT(ufodt.load(folder / "model.npz").problem)
    X = np.array([[c["fever"], c["age"] if c["age"] != "" else None, c["rhythm"]] for c in rows(900)], dtype=object)
    record = learner.run(X, [c["state"] for c in rows(900)])
    done = call(
        "run", str(folder / "cases.csv"), "--price", str(folder / "prices.toml"), "--json", "--label", "state",
        "--records", str(folder / "records.jsonl"),
    )  # fmt: skip
    summary = json.loads(done.stdout)
    lines = [json.loads(line) for line in (folder / "records.jsonl").read_text().splitlines()]
    assert [line["predicted"] for line in lines] == record.predicted.tolist()
    assert [line["cost"] for line in lines] == record.cost.tolist()
    assert [line["case"] for line in lines] == list(range(900))
    assert sum(len(line["asked"]) for line in lines) == record.n_asked.sum()
    assert summary["cost_per_case"] == pytest.approx(record.cost.mean())
    right = record.predicted == np.array([c["state"] for c in rows(900)])
    assert summary["accuracy"] == pytest.approx(right.mean())


def test_a_run_prints_what_it_came_to(folder: Path) -> None:
    done = call("run", str(folder / "cases.csv"), "--price", str(folder / "prices.toml"), "--label", "state")
    assert "answered right" in done.output and "asked most" in done.output and "Nothing was saved" in done.output


@pytest.mark.parametrize("name", ["cases.csv", "cases.jsonl"])
def test_a_pipe_is_read_like_a_file(folder: Path, name: str) -> None:
    about = ["--price", str(folder / "prices.toml"), "--label", "state", "--records", "-"]
    through = call("run", "-", *about, text=(folder / name).read_text())
    plain = call("run", str(folder / "cases.csv"), *about)
    assert through.stdout == plain.stdout
    assert len(through.stdout.splitlines()) == 900


def test_an_interrupted_run_is_saved_and_can_be_gone_on_with(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, part, add = folder / "model.npz", folder / "part.npz", runs.Tally.add
    lines = folder / "lines.jsonl"  # below: the last column is the label
    about = ["--price", str(folder / "prices.toml"), "--save", str(part), "--records", str(lines)]

    def interrupt(self: runs.Tally, *given: Any) -> None:
        add(self, *given)
        if self.n_cases == 400:
            signal.raise_signal(signal.SIGINT)

    with monkeypatch.context() as patched:
        patched.setattr(runs.Tally, "add", interrupt)
        done = call("run", str(folder / "cases.csv"), *about)
    assert done.exit_code == 130
    assert "Interrupted after 400 of 900 cases." in done.output
    assert ufodt.load(part).n_opened == 400
    command = next(line for line in done.output.splitlines() if line.startswith("To go on: ufodt "))
    assert call(*shlex.split(command.removeprefix("To go on: ufodt "))).exit_code == 0
    assert counts(part) == counts(whole)
    assert [json.loads(line)["case"] for line in lines.read_text().splitlines()] == list(range(900))


def test_a_saved_model_tells_what_does_not_fit_it(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "more.csv").write_text("fever,age,state\nyes,old,ill\nno,30,healthy\nno,31,\n")
    done = call(
        "run", str(tmp_path / "more.csv"), "--label", "state", "--model", model(folder),
        "--save", str(tmp_path / "m.npz"),
    )  # fmt: skip
    assert "Without a column, and so missing in every case: rhythm." in done.output
    assert "age: 1 cells taken as missing, such as 'old'." in done.output
    assert ufodt.load(tmp_path / "m.npz").n_opened == 903


def test_cases_without_labels_are_answered_and_teach_nothing(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "new.jsonl").write_text('{"fever": "yes", "age": 70}\n{"fever": "no", "age": 20}\n')
    save = tmp_path / "m.npz"
    done = call("run", str(tmp_path / "new.jsonl"), "--model", model(folder), "--records", "-", "--save", str(save))
    said = [json.loads(line) for line in done.stdout.splitlines()]
    assert [line["predicted"] for line in said] == ["ill", "healthy"] and said[0]["label"] is None
    assert "nothing is learned" in done.stderr
    assert counts(save) == counts(folder / "model.npz")


@pytest.mark.parametrize(
    ("toml", "complaint"),
    [
        ("[loss.ill]\nhealthy = 400\n", "to call 'healthy' 'ill'"),
        ("[loss.sick]\nhealthy = 1\n", "'sick', which is no label"),
        ("[loss]\nill = 3\n", "section \\[loss.ill\\]"),
        ("loss = -1\n", "-1 came"),
        ("[prices]\nfever = 'dear'\n", "'price' is 'dear'"),
        ("[prices]\nfewer = 1\n", "'fewer', which is no column"),
        ("[prices]\nage = 1\n[features.age]\nprice = 2\n", "leave one of the two out"),
    ],
)
def test_prices_that_make_no_sense_are_refused(folder: Path, tmp_path: Path, toml: str, complaint: str) -> None:
    (tmp_path / "p.toml").write_text(toml)
    with pytest.raises(UfodtError, match=complaint):
        call("run", str(folder / "cases.csv"), "--label", "state", "--price", str(tmp_path / "p.toml"))


def test_one_number_is_the_loss_of_any_mistake(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "p.toml").write_text("loss = 30\n")
    save = tmp_path / "m.npz"
    call("run", str(folder / "cases.csv"), "--label", "state", "--price", str(tmp_path / "p.toml"), "--save", str(save))
    assert ufodt.load(save).problem.loss == ((0, 30), (30, 0))


def test_a_model_and_prices_together_are_refused(folder: Path) -> None:
    done = call("run", str(folder / "cases.csv"), "--model", model(folder), "--price", str(folder / "prices.toml"))
    assert done.exit_code == 2 and "a saved one has its own" in done.output


def test_a_line_that_is_no_object_is_named(tmp_path: Path) -> None:
    (tmp_path / "bad.jsonl").write_text('{"a": 1, "y": 0}\n[1]\n')
    with pytest.raises(UfodtError, match="line 2"):
        call("run", str(tmp_path / "bad.jsonl"))


# --- ask ----------------------------------------------------------------------------------------------


def answers(folder: Path, **values: str) -> str:
    """What a person would type: answers in the order of the questions of the next case."""
    learner, typed = ufodt.load(folder / "model.npz"), []
    session = learner.open()
    while (question := session.ask()) is not None:
        feature = learner.problem.features[learner.problem.feature_index(question.feature)]
        session.tell(question.feature, ufodt.features.from_text(feature, values[question.feature]))
        typed.append(values[question.feature])
    return "".join(f"{value}\n" for value in typed)


def test_a_person_is_asked_answered_and_believed(folder: Path, tmp_path: Path) -> None:
    save = tmp_path / "learned.npz"
    typed = answers(folder, fever="yes", age="63", rhythm="sinus")
    done = call("ask", model(folder), "--save", str(save), text=f"{typed}ill\nn\n")
    assert done.exit_code == 0, done.output
    assert "fever?  costs 1" in done.output
    assert "The answer is ill" in done.output and "evidence in bits" in done.output and "fever is yes" in done.output
    assert "Learned: it was ill." in done.output
    before, after = ufodt.load(folder / "model.npz"), ufodt.load(save)
    assert after.belief.label_counts.sum() == before.belief.label_counts.sum() + 1
    assert after.n_opened == before.n_opened + 1


def test_a_person_may_err_ask_why_skip_and_take_back(folder: Path) -> None:
    done = call("ask", model(folder), "--learn", text="perhaps\n?\nye\nu\nu\ns\n\na\n\nn\n")
    assert done.exit_code == 0, done.output
    assert "'perhaps' came; expected one of 'no', 'yes'" in done.output
    assert "is the next question" in done.output and "If fever were told:" in done.output
    assert "fever is open again; 0 paid." in done.output
    assert "There is nothing to take back." in done.output
    assert "Then without it." in done.output
    assert "What was it really?" in done.output
    assert "Learned" not in done.output and "Save" not in done.output


def test_quitting_learns_nothing(folder: Path) -> None:
    before = (folder / "model.npz").read_bytes()
    done = call("ask", model(folder), "--learn", text="yes\nq\n")
    assert done.exit_code == 0 and "Nothing was learned" in done.output
    assert (folder / "model.npz").read_bytes() == before


def test_without_a_place_to_save_the_person_is_asked(folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.npz"
    copy.write_bytes((folder / "model.npz").read_bytes())
    declined = call("ask", str(copy), "--learn", text="a\nsick\nill\nn\ny\na\nill\nn\n")
    assert "'sick' came for the label" in declined.output and declined.output.count("Save what is learned") == 1
    assert copy.read_bytes() == (folder / "model.npz").read_bytes()
    done = call("ask", str(copy), "--learn", text="a\nill\ny\n")  # and then the line is cut
    assert (
        done.exit_code == 1 and "Saved to" in done.output and copy.read_bytes() != (folder / "model.npz").read_bytes()
    )


def curious(folder: Path) -> Path:
    """A model that knows so little that on a stream it asks one case this and another that."""
    problem = ufodt.Problem([ufodt.Binary(name) for name in "abcdef"], labels=["x", "y"])
    learner = ufodt.UFODT(problem, seed=3)
    learner.run([[1, 0, 1, 0, 1, 0], [0, 1, 0, 1, 0, 1]], ["x", "y"])
    assert len({learner.open().ask() for _ in range(20)}) > 1
    learner.save(folder / "curious.npz")
    return folder / "curious.npz"


def test_a_model_that_is_only_asked_follows_its_tree(tmp_path: Path) -> None:
    path = curious(tmp_path)
    learner, rng = ufodt.load(path), np.random.default_rng(5)
    X = rng.integers(2, size=(12, 6))
    record, at = learner.evaluate(X).record, 0
    (tmp_path / "new.csv").write_text("\n".join(["a,b,c,d,e,f", *(",".join(map(str, row)) for row in X.tolist())]))
    run = call("run", str(tmp_path / "new.csv"), "--model", str(path), "--records", "-")
    lines = [json.loads(line) for line in run.stdout.splitlines()]
    for row, n_asked, line in zip(X.tolist(), record.n_asked, lines, strict=True):
        names = ["abcdef"[f] for f in record.asked[at : at + n_asked]]
        at += n_asked
        steps = [{"tell": {name: row["abcdef".index(name)]}} for name in names]
        *questions, answer = (
            json.loads(said)
            for said in call("ask", str(path), "--json", text="\n".join(map(json.dumps, steps))).stdout.splitlines()
        )
        assert [question["ask"] for question in questions] == names == line["asked"]
        assert answer["answer"] == line["predicted"] and answer["cost"] == line["cost"]
        told = [f"{name}={row['abcdef'.index(name)]}" for name in names]
        for n in range(len(names)):
            said = json.loads(call("explain", str(path), "--json", *told[:n]).stdout)
            assert said["next"]["feature"] == names[n]
    assert [line["predicted"] for line in lines] == record.predicted.tolist()


def test_only_with_learn_is_the_truth_wanted(folder: Path) -> None:
    done = call("ask", model(folder), text="a\nn\n")
    assert done.exit_code == 0 and "The answer is" in done.output and "really" not in done.output
    *_, refused = talk(folder, {"answer": True}, {"label": "ill"})
    assert "--learn" in refused["error"]
    *_, learned, _ = [json.loads(x) for x in call(
        "ask", model(folder), "--json", "--learn", text='{"answer": true}\n{"label": "ill"}'
    ).stdout.splitlines()]  # fmt: skip
    assert learned == {"learned": "ill"}


def test_the_help_says_what_a_mistake_is_worth() -> None:
    assert f"{ufodt.stop.default_worth:g} questions of the mean price" in " ".join(call("run", "--help").output.split())


def test_a_value_named_like_a_command_is_a_value(tmp_path: Path) -> None:
    problem = ufodt.Problem([ufodt.Categorical("grade", ["s", "u", "q"], mandatory=True)], labels=["x", "y"])
    ufodt.UFODT(problem).save(tmp_path / "m.npz")
    done = call("ask", str(tmp_path / "m.npz"), text="q\nn\n")
    assert "grade is q" in done.output


def talk(folder: Path, *lines: Any, save: str | None = None) -> list[dict[str, Any]]:
    text = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
    done = call("ask", model(folder), "--json", *(["--save", save] if save else []), text=text)
    assert done.exit_code == 0, done.output
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_programs_talk_in_lines_of_json(folder: Path, tmp_path: Path) -> None:
    save = tmp_path / "m.npz"
    first, second, *_, last, learned, again = talk(
        folder, {"tell": {"fever": "yes"}}, {"tell": {"age": 61.0}}, {"answer": True}, {"label": "ill"}, save=str(save)
    )
    assert first == {"ask": "fever", "price": 1.0, "values": ["no", "yes"]}
    assert second["ask"] == "age" and second["values"] == "number"
    assert last["answer"] == "ill" and last["cost"] == 10.0
    assert last["evidence"]["values"] == {"fever": "yes", "age": 61.0}
    assert learned == {"learned": "ill"} and again["ask"] == "fever"
    assert ufodt.load(save).n_opened == 901


def test_values_may_be_written_as_json_likes_to(tmp_path: Path) -> None:
    problem = ufodt.Problem(
        [ufodt.Categorical("legs", ["2", "4"]), ufodt.Binary("milk"), ufodt.Continuous("size")], labels=["x", "y"]
    )
    ufodt.UFODT(problem).save(tmp_path / "m.npz")
    text = '{"tell": {"legs": 2, "milk": true, "size": "1.5"}}\n{"tell": {"milk": null}}\n'
    *_, told, refused = call("ask", str(tmp_path / "m.npz"), "--json", text=text).stdout.splitlines()
    assert json.loads(told)["evidence"]["values"] == {"legs": "2", "milk": 1, "size": 1.5}
    assert "skip the feature" in json.loads(refused)["error"]


def test_every_line_has_an_answer_even_a_bad_one(folder: Path) -> None:
    said = talk(
        folder, {"tell": {"fewer": 1}}, "not json", "[]", {"dance": True}, {"tell": {"fever": "maybe"}}, {"tell": 3},
        {"undo": True}, {"why": True}, {"what_if": {"fever": "no"}}, {"skip": "fever"}, {"open": {"case": "17"}},
        {"answer": True},
    )  # fmt: skip
    first, *errors, undone, why, what_if, skipped, opened, answer = said
    assert len(errors) == 6 and all(list(line) == ["error"] for line in errors)
    assert errors[-1]["error"] == "3 came; expected an object from features to values."
    assert undone == opened == first
    assert why["why"]["next"]["feature"] == "fever" and why["why"]["features"][0]["pays"]
    assert what_if["what_if"]["answer"] == "healthy"
    assert skipped["ask"] == "age"
    assert answer["evidence"]["case"] == "17"


def test_known_values_are_not_asked_for(folder: Path) -> None:
    done = call("ask", model(folder), "--json", "--known", "fever=yes", text='{"answer": true}')
    assert json.loads(done.stdout.splitlines()[0])["ask"] == "age"
    with pytest.raises(InvalidValue, match="expected a feature and its value, such as fever=no"):
        call("ask", model(folder), "--known", "fever")


def test_it_works_in_a_real_terminal(folder: Path) -> None:
    terminal, other_end = pty.openpty()
    code = "from ufodt.app.cli import main; main()"
    person = subprocess.Popen(
        [sys.executable, "-c", code, "ask", model(folder), "--learn"],
        stdin=other_end, stdout=other_end, stderr=other_end, env={**os.environ, "TERM": "xterm"},
    )  # fmt: skip
    os.close(other_end)
    shown, typed, until = b"", [b"?\n", b"yes\n", b"q\n"], time.monotonic() + 60
    while time.monotonic() < until:
        if select.select([terminal], [], [], 0.2)[0]:
            try:
                shown += os.read(terminal, 65536)
            except OSError:  # the other end is closed
                break
        elif shown.rstrip().endswith(b">"):
            if not typed:  # a question too many
                break
            os.write(terminal, typed.pop(0))
    os.close(terminal)
    status = person.wait(timeout=10)
    text = shown.decode()
    assert status == 0 and not typed
    assert "fever?" in text and "If" in text and "paid" in text and "Nothing was learned" in text


# --- explain and tree -----------------------------------------------------------------------------------


def test_an_explanation_shows_evidence_and_reasons(folder: Path) -> None:
    done = call("explain", model(folder), "fever=yes", "age=64")
    assert "The answer is ill" in done.output and "fever is yes" in done.output
    assert "rhythm" in done.output and "not worth 15.5" in done.output
    said = json.loads(call("explain", model(folder), "fever=yes", "age=64", "--json").stdout)
    assert said["answer"] == "ill" and said["next"] is None
    bits = said["bits"][0]
    assert bits["prior"] + sum(bits["values"].values()) == pytest.approx(bits["total"])


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
