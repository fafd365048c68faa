"""`ufodt ask`: a model talks with people, and with programs."""

import io
import json
import math
import os
import pty
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ufodt
from ufodt.app.ask import serve_lines
from ufodt.errors import InvalidValue, NotSaved, UfodtError
from ufodt.model_file import Target

from .calling import call, fill_disk, model


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


def test_a_question_whose_value_may_cost_more_says_so(tmp_path: Path) -> None:
    problem = ufodt.Problem([ufodt.Categorical("s", ["x", "y"], surcharge={"y": 7})], labels=["p", "q"])
    learner, path = ufodt.UFODT(problem, seed=1), str(tmp_path / "m.npz")
    learner.learn_many([["x"], ["y"]] * 50, ["p", "q"] * 50)
    learner.save(path)
    assert "s?  costs 1 to 8" in call("ask", path, text="y\nn\n").output
    first = json.loads(call("ask", path, "--json", text="").stdout.splitlines()[0])
    assert first == {"ask": "s", "price": 1.0, "most": 8.0, "values": ["x", "y"]}


def test_a_budget_holds_for_the_case_after_a_label_too(folder: Path, tmp_path: Path) -> None:
    limits = ["--json", "--save", str(tmp_path / "m.npz"), "--budget", "0.5"]
    first, following = call("ask", model(folder), *limits, text='{"label": "ill"}\n').stdout.splitlines()
    assert "answer" in json.loads(first) and json.loads(following)["learned"] == "ill"
    assert "answer" in json.loads(following)  # nothing is to be had for 0.5


def test_lines_of_json_go_through_any_pipe(tmp_path: Path) -> None:
    problem = ufodt.Problem([ufodt.Categorical("größe", ["→", "←"])], labels=["jä", "nö"])
    learner, path = ufodt.UFODT(problem, seed=1), str(tmp_path / "m.npz")
    learner.learn_many([["→"], ["←"]] * 50, ["jä", "nö"] * 50)
    learner.save(path)
    said = call("ask", path, "--json", text='{"tell": {"größe": "→"}}\n').stdout
    assert said.isascii() and json.loads(said.splitlines()[-1])["answer"] == "jä"


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


def test_what_another_program_saved_meanwhile_is_not_overwritten(folder: Path, tmp_path: Path) -> None:
    path, other = str(tmp_path / "m.npz"), str(tmp_path / "other.npz")
    Path(path).write_bytes((folder / "model.npz").read_bytes())

    def lines() -> Iterator[str]:
        yield '{"label": "ill"}'
        yield '{"label": "ill"}'
        call("ask", path, "--json", "--save", path, text='{"label": "healthy"}')
        yield '{"label": "ill"}'

    out = io.StringIO()
    serve_lines(ufodt.load(path), lines(), out, known={}, budget=math.inf, target=Target(path))
    _, first, second, refused = map(json.loads, out.getvalue().splitlines())
    assert first["learned"] == second["learned"] == "ill"
    assert refused == {"error": f"{path} was written by somebody else and is left as it is; name another file."}
    assert ufodt.load(path).n_opened == 903
    target, learner = Target(path), ufodt.load(path)
    learner.save(path)
    with pytest.raises(NotSaved):
        target.save(learner)
    target.move(other)
    target.save(learner)
    target.save(learner)
    assert ufodt.load(other).n_opened == 903


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


def talk(folder: Path, *lines: Any, save: str | None = None) -> list[dict[str, Any]]:
    text = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
    done = call("ask", model(folder), "--json", *(["--save", save] if save else []), text=text)
    assert done.exit_code == 0, done.output
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_programs_talk_in_lines_of_json(folder: Path, tmp_path: Path) -> None:
    save = tmp_path / "m.npz"
    first, second, *_, last, again = talk(
        folder, {"tell": {"fever": "yes"}}, {"tell": {"age": 61.0}}, {"answer": True}, {"label": "ill"}, save=str(save)
    )
    assert first == {"ask": "fever", "price": 1.0, "values": ["no", "yes"]}
    assert second["ask"] == "age" and second["values"] == "number"
    assert last["answer"] == "ill" and last["cost"] == 10.0
    assert last["evidence"]["values"] == {"fever": "yes", "age": 61.0}
    assert again == {"learned": "ill", **first}  # one line for each line
    assert ufodt.load(save).n_opened == 901


def test_a_label_that_cannot_be_saved_teaches_nothing_and_may_be_sent_again(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [
        {"tell": {"fever": "yes"}},
        {"label": "ill"},
        {"label": "ill"},
        {"tell": {"fever": "no"}},
        {"label": "ill"},
    ]
    fill_disk(monkeypatch, 1)
    first, told, failed, *rest = talk(folder, *lines, save=str(tmp_path / "m.npz"))
    assert "No space left on device" in failed["error"] and "m.npz could not be written" in failed["error"]
    fine = talk(folder, lines[0], *lines[2:], save=str(tmp_path / "fine.npz"))
    assert [first, told, *rest] == fine
    assert (tmp_path / "m.npz").read_bytes() == (tmp_path / "fine.npz").read_bytes()


def test_a_label_may_come_late_while_another_case_is_open(folder: Path, tmp_path: Path) -> None:
    save, first_case = str(tmp_path / "m.npz"), ({"tell": {"fever": "yes"}}, {"answer": True})
    evidence = talk(folder, *first_case, save=save)[-1]["evidence"]
    assert evidence["values"] == {"fever": "yes"}
    late = {"learn": {"evidence": evidence, "label": "ill"}}
    *_, opened, learned, answer = talk(
        folder, *first_case, {"open": {"case": "second"}}, late, {"answer": True}, save=save
    )
    assert learned == {"learned": "ill", **opened}  # the case of now goes on
    assert answer["evidence"]["case"] == "second" and answer["cost"] == 0
    taught = ufodt.load(folder / "model.npz")
    taught.learn(evidence, "ill")
    np.testing.assert_array_equal(ufodt.load(save).belief.counts, taught.belief.counts)


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ("ill", "'ill' came to be learned; expected an object with evidence and label."),
        ({"evidence": {}, "label": "ill", "case": 1}, "expected an object with evidence and label."),
        ({"evidence": {"values": {"fever": "yes"}}, "label": "tired"}, "'tired' came for the label"),
        ({"evidence": {"values": {"fewer": "yes"}}, "label": "ill"}, "fewer"),
        ({"evidence": 3, "label": "ill"}, "3"),
    ],
)
def test_a_late_case_that_does_not_fit_is_refused(folder: Path, tmp_path: Path, given: Any, why: str) -> None:
    save = tmp_path / "m.npz"
    first, refused, again = talk(folder, {"learn": given}, {"undo": True}, save=str(save))
    assert why in refused["error"] and again == first and not save.exists()
    first, refused = talk(folder, {"learn": {"evidence": {"values": {}}, "label": "ill"}})
    assert "nothing is learned here" in refused["error"]


def test_values_may_be_written_as_json_likes_to(tmp_path: Path) -> None:
    problem = ufodt.Problem(
        [ufodt.Categorical("legs", ["2", "4"]), ufodt.Binary("milk"), ufodt.Continuous("size")], labels=["x", "y"]
    )
    ufodt.UFODT(problem).save(tmp_path / "m.npz")
    text = '{"tell": {"legs": 2, "milk": true, "size": "1.5"}}\n{"tell": {"milk": null}}\n'
    *_, told, refused = call("ask", str(tmp_path / "m.npz"), "--json", text=text).stdout.splitlines()
    assert json.loads(told)["evidence"]["values"] == {"legs": "2", "milk": 1, "size": 1.5}
    assert "skip the feature" in json.loads(refused)["error"]


def test_undo_is_asked_for_or_not(folder: Path) -> None:
    first, told, refused, undone = talk(folder, {"tell": {"fever": "no"}}, {"undo": False}, {"undo": True})
    assert refused == {"error": "False came for undo; expected true."}
    assert undone == first != told


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


@pytest.mark.parametrize("given", ["17", [], 17, None, False])
def test_a_case_is_opened_with_an_object_or_true(given: Any, folder: Path) -> None:
    *_, told, refused, again, opened = talk(
        folder, {"tell": {"fever": "yes"}}, {"open": given}, {"tell": {"fever": "yes"}}, {"open": True}
    )
    assert f"{given!r} came for a case to open" in refused["error"]
    assert again == told and opened["ask"] == "fever"


@pytest.mark.parametrize("bad", [
    {"age": 61, "rhythm": "waltz"}, {"age": 61, "fever": "no"}, {"rhythm": "sinus", "age": 61, "size": 3},
    {"fever": "yes", "age": 61, "rhythm": None},
])  # fmt: skip
def test_values_are_told_together_or_not_at_all(bad: dict[str, Any], folder: Path) -> None:
    *_, refused, answer = talk(folder, {"tell": {"fever": "yes"}}, {"tell": bad}, {"answer": True})
    assert "error" in refused
    assert answer["evidence"]["values"] == {"fever": "yes"} and answer["cost"] == 1.0
    skipped = {"skip": "rhythm"}, {"tell": {"fever": "yes", "age": 61, "rhythm": "sinus"}}, {"answer": True}
    *_, refused, answer = talk(folder, *skipped)
    assert "was skipped before" in refused["error"]
    assert answer["evidence"]["values"] == {} and answer["evidence"]["skipped"] == ["rhythm"]


def test_a_case_and_its_label_are_read_like_what_is_told(tmp_path: Path) -> None:
    problem = ufodt.Problem([ufodt.Categorical("legs", ["2", "4"]), ufodt.Binary("milk")], labels=["0", "1", "Other"])
    path = str(tmp_path / "m.npz")
    ufodt.UFODT(problem).save(path)
    lines = [
        {"open": {"case": 3, "known": {"legs": 4, "milk": "Yes"}}}, {"answer": True}, {"label": 1}, {"label": 1.0},
        {"label": "other"}, {"label": None}, {"label": "2"}, {"open": {"knwon": {"legs": 2}}},
    ]  # fmt: skip
    done = call("ask", path, "--json", "--save", path, text="\n".join(map(json.dumps, lines)))
    said = [json.loads(line) for line in done.stdout.splitlines()]
    assert said[2]["evidence"]["values"] == {"legs": "4", "milk": 1} and said[2]["evidence"]["case"] == 3
    assert [line["learned"] for line in said if "learned" in line] == ["1", "1", "Other"]
    assert [line["error"] for line in said[-3:]] == [
        "None came for the label; expected one of '0', '1', 'Other'.",
        "'2' came for the label; expected one of '0', '1', 'Other'.",
        "'knwon' came for a case to open; expected case, known or budget.",
    ]


def test_a_line_of_any_depth_and_any_bytes_is_answered(folder: Path) -> None:
    first, deep, again = talk(folder, "[" * 200_000, {"undo": True})
    assert "error" in deep and again == first
    done = call("ask", model(folder), "--json", text=b'\xef\xbb\xbf{"undo": true}\n{"skip": "\xff"}\n')
    assert [list(json.loads(line)) for line in done.stdout.splitlines()] == [list(first), list(first), ["error"]]


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


def test_values_and_labels_that_look_alike_are_told_apart_by_their_kind(tmp_path: Path) -> None:
    path = str(tmp_path / "m.npz")
    problem = ufodt.Problem([ufodt.Categorical("c", [3, "3", "x"])], labels=[1, "1"])
    learner = ufodt.UFODT(problem, seed=1)
    learner.learn_many([[3], ["3"]] * 30, [1, "1"] * 30)
    learner.save(path)
    lines = '{"tell": {"c": "3"}}\n{"undo": true}\n{"tell": {"c": 3}}\n{"label": "1"}\n'
    said = [json.loads(line) for line in call("ask", path, "--json", "--save", path, text=lines).stdout.splitlines()]
    assert [said[1]["answer"], said[3]["answer"], said[4]["learned"]] == ["1", 1, "1"]
