"""`ufodt ask`: a model talks with people."""

import json
import os
import pty
import select
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ufodt
from ufodt.errors import UfodtError

from .calling import call, counts, fill_disk, model, talk


def answers(folder: Path, **values: str) -> str:
    """What a person would type: answers in the order of the questions of the next case."""
    learner, typed = ufodt.load(folder / "model.npz"), []
    session = learner.open()
    while (question := session.ask()) is not None:
        feature = learner.problem.features[learner.problem.feature_index(question.feature)]
        session.tell(question.feature, ufodt.words.from_text(feature, values[question.feature]))
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


@pytest.mark.parametrize(
    ("budget", "said"),
    [
        ("100", "Nothing more is worth its price."),
        ("5", "Nothing more is worth its price within the budget."),
        ("1", "Nothing more fits the budget."),
    ],
)
def test_a_person_hears_why_nothing_more_is_asked(tmp_path: Path, budget: str, said: str) -> None:
    features = [ufodt.Binary("fever"), ufodt.Binary("hat"), ufodt.Binary("blood", price=9)]
    learner = ufodt.UFODT(ufodt.Problem(features, ["healthy", "ill"]), seed=1)
    learner.learn_many([[0, 0, 0], [1, 0, 1], [0, 1, 0], [1, 1, 1]] * 50, ["healthy", "ill"] * 100)
    learner.save(tmp_path / "m.npz")
    assert said in call("ask", str(tmp_path / "m.npz"), "--budget", budget, text="yes\nn\n").output


def test_a_person_hears_that_nothing_is_left(tmp_path: Path) -> None:
    ufodt.UFODT(ufodt.Problem([ufodt.Binary("fever", mandatory=True)], ["no", "yes"])).save(tmp_path / "m.npz")
    assert "Nothing is left to ask." in call("ask", str(tmp_path / "m.npz"), text="yes\nn\n").output


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


def test_the_last_answer_may_be_taken_back_before_the_truth_is_told(folder: Path, tmp_path: Path) -> None:
    save, known = tmp_path / "m.npz", ["--known", "rhythm=sinus"]
    done = call("ask", model(folder), *known, "--save", str(save), text="yes\n63\nu\n36\na\nill\nn\n")
    assert done.exit_code == 0 and done.output.count("2. age?") == 2 and "age is open again; 1 paid." in done.output
    assert "What was it really? (Enter: not known, u: undo, q: quit)" in done.output
    assert "age is 63.0" in done.output and "age is 36.0" in done.output and "Learned: it was ill." in done.output
    learner = ufodt.load(model(folder))
    session = learner.open(known={"rhythm": "sinus"})
    session.tell("fever", "yes")
    session.tell("age", 36)
    learner.learn(session.evidence, "ill")
    learner.save(tmp_path / "expected.npz")
    assert counts(save) == counts(tmp_path / "expected.npz")
    nothing = call("ask", model(folder), "--learn", text="a\nu\nq\n")
    assert "There is nothing to take back." in nothing.output and nothing.output.count("1. fever?") == 2


def test_a_case_may_be_left_before_the_truth_is_told(folder: Path) -> None:
    done = call("ask", model(folder), "--learn", text="a\nq\n")
    assert done.exit_code == 0 and "Nothing was learned from this case." in done.output


def test_a_label_may_be_called_as_a_command(tmp_path: Path) -> None:
    ufodt.UFODT(ufodt.Problem([ufodt.Binary("a")], ["Q", "u"])).save(tmp_path / "m.npz")
    for label in ("Q", "u"):
        done = call("ask", str(tmp_path / "m.npz"), "--learn", text=f"a\n{label.lower()}\nn\nn\n")
        assert "(Enter: not known)" in done.output and f"Learned: it was {label}." in done.output


def test_a_question_whose_value_may_cost_more_says_so(tmp_path: Path) -> None:
    problem = ufodt.Problem([ufodt.Categorical("s", ["x", "y"], surcharge={"y": 7})], labels=["p", "q"])
    learner, path = ufodt.UFODT(problem, seed=1), str(tmp_path / "m.npz")
    learner.learn_many([["x"], ["y"]] * 50, ["p", "q"] * 50)
    learner.save(path)
    assert "s?  costs 1 to 8" in call("ask", path, text="y\nn\n").output
    first = json.loads(call("ask", path, "--json", text="").stdout.splitlines()[0])
    assert first == {"ask": "s", "price": 1.0, "most": 8.0, "values": ["x", "y"]}


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
        done.exit_code == 0 and "Saved to" in done.output and copy.read_bytes() != (folder / "model.npz").read_bytes()
    )
    assert "Aborted" not in done.output
    assert call("ask", str(copy), "--learn", text="a\n").exit_code == 1  # before the truth


def test_a_person_may_name_another_file_where_saving_fails(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy, there, other = (tmp_path / name for name in ("m.npz", "there.csv", "other.npz"))
    copy.write_bytes((folder / "model.npz").read_bytes())
    there.write_text("a table")
    fill_disk(monkeypatch, 2)
    typed = f"a\nill\ny\n{copy}\n{there}\n{other}\ny\na\nill\nn\n"
    done = call("ask", str(copy), "--learn", text=typed)
    assert done.exit_code == 0 and done.output.replace("\n", "").count("No space left on device") == 2
    assert f"{there} was written by somebody else and is left as it is" in done.output.replace("\n", "")
    assert copy.read_bytes() == (folder / "model.npz").read_bytes() and there.read_text() == "a table"
    assert ufodt.load(other).n_opened == 902 and done.output.count("Saved to") == 2


def test_where_nothing_can_be_saved_is_said_before_the_first_question(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: str(path) != str(folder))
    with pytest.raises(UfodtError, match="Nothing may be written into .*; save model.npz elsewhere"):
        call("ask", model(folder), "--learn")
    assert call("ask", model(folder), text="a\nn\n").exit_code == 0


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
    assert "--save" in refused["error"]
    lost = call("ask", model(folder), "--json", "--learn", text='{"answer": true}\n{"label": "ill"}')
    assert lost.exit_code == 2 and "name a file with --save" in lost.output


@pytest.mark.parametrize("values, typed, read", [
    (["s", "u", "q"], "q", "q"),
    (["A", "B", "C"], "a", "A"),
    ([1, 10, 20], "1", "1"),
    (["sinus", "flutter"], "flu", "flutter"),
])  # fmt: skip
def test_what_is_typed_is_a_value_wherever_it_can_be(values: list[Any], typed: str, read: str, tmp_path: Path) -> None:
    problem = ufodt.Problem([ufodt.Categorical("grade", values, mandatory=True)], labels=["x", "y"])
    ufodt.UFODT(problem).save(tmp_path / "m.npz")
    done = call("ask", str(tmp_path / "m.npz"), text=f"{typed}\nn\n")
    assert f"grade is {read}" in done.output


@pytest.mark.parametrize("values", [["10", "20", "30"], [10, 20, 30], ["-5", "5.0"]])
def test_the_beginning_of_a_number_is_no_number(values: list[Any], tmp_path: Path) -> None:
    problem = ufodt.Problem([ufodt.Categorical("legs", values, mandatory=True)], labels=["x", "y"])
    ufodt.UFODT(problem).save(tmp_path / "m.npz")
    typed = str(values[0])[0]
    done = call("ask", str(tmp_path / "m.npz"), text=f"{typed}\n{values[0]}\nn\n")
    assert f"legs: {typed!r} came; expected one of" in done.output and f"legs is {values[0]}" in done.output


def test_what_could_not_be_had_may_have_been_charged(folder: Path) -> None:
    done = call("ask", model(folder), text="s!\na\nn\n")
    assert "Then without it. 1 paid." in done.output and "for 1." in done.output
    *_, skipped, answer = talk(folder, {"skip": "fever", "charged": True}, {"answer": True})
    assert skipped["ask"] == "age" and answer["cost"] == 1.0 and answer["evidence"]["skipped"] == ["fever"]
    said = talk(
        folder,
        {"skip": "fever", "charged": "yes"},
        {"undo": True, "charged": True},
        {"skip": "fever"},
        {"answer": True},
    )
    assert "expected true or false" in said[1]["error"] and "one key" in said[2]["error"]
    assert said[-1]["cost"] == 0.0


def test_it_says_how_many_cases_were_learned(folder: Path, tmp_path: Path) -> None:
    assert "A model of 900 labelled cases: 3 features" in call("ask", model(folder), text="a\nn\n").output
    problem = ufodt.Problem([ufodt.Binary("a")], labels=["x", "y"])
    table = [[0], [1]] * 20, ["x", "y"] * 20
    taught, forgetting = ufodt.UFODT(problem), ufodt.UFODT(problem, drift=ufodt.drift.discount(0.1))
    printed = ufodt.UFODT.paper(problem, n_hypotheses=4)
    taught.learn_many(*table)
    for learner in (forgetting, printed):
        learner.run(*table)
    for learner, says in (
        (taught, "A model of 40 labelled cases:"),
        (forgetting, "A model that remembers 10 labelled cases:"),
        (printed, "A model that opened 40 cases:"),
    ):
        learner.save(tmp_path / "m.npz")
        assert says in call("ask", str(tmp_path / "m.npz"), text="a\nn\n").output


def test_a_case_costs_no_more_than_its_budget(folder: Path) -> None:
    def asked(budget: str, *lines: dict[str, Any]) -> list[dict[str, Any]]:
        text = "\n".join(map(json.dumps, lines))
        done = call("ask", model(folder), "--json", "--budget", budget, text=text)
        return [json.loads(line) for line in done.stdout.splitlines()]

    said = asked("5", {"tell": {"fever": "yes"}}, {"open": {}}, {"open": {"budget": 100}}, {"tell": {"fever": "yes"}})
    assert said[1]["answer"] and said[1]["cost"] == 1.0  # age would cost 9
    assert said[2]["ask"] == "fever" and said[4]["ask"] == "age"
    assert "answer" in asked("0")[0]
    explained = json.loads(call("explain", model(folder), "fever=yes", "--budget", "5", "--json").stdout)
    assert explained["next"] is None and any("left of the budget" in one["why"] for one in explained["features"])
    assert "2. age" not in call("ask", model(folder), "--budget", "5", text="yes\nn\n").output


def test_what_is_known_is_so_of_the_first_case_only(folder: Path) -> None:
    *_, first, opened = [
        json.loads(line)
        for line in call(
            "ask", model(folder), "--json", "--known", "fever=yes", text='{"answer": true}\n{"open": {}}'
        ).stdout.splitlines()
    ]
    assert first["evidence"]["values"] == {"fever": "yes"} and opened["ask"] == "fever"
    done = call("ask", model(folder), "--known", "fever=yes", text="a\ny\na\nn\n")
    assert done.output.count("fever is yes") == 1 and "1. fever?" in done.output


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
