"""`ufodt ask --json`: a model talks with programs."""

import io
import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ufodt
from ufodt.app.lines import serve_lines
from ufodt.app.target import Target
from ufodt.errors import InvalidValue, NotSaved

from .calling import call, fill_disk, model, talk


def test_a_budget_holds_for_the_case_after_a_label_too(folder: Path, tmp_path: Path) -> None:
    limits = ["--json", "--save", str(tmp_path / "m.npz"), "--budget", "0.5"]
    first, following = call("ask", model(folder), *limits, text='{"label": "ill"}\n').stdout.splitlines()
    assert "answer" in json.loads(first) and json.loads(following)["learned"] == "ill"
    assert "answer" in json.loads(following)  # nothing is to be had for 0.5


@pytest.mark.parametrize("verb", ["why", "answer", "undo"])
def test_what_takes_no_value_takes_true(verb: str, folder: Path) -> None:
    *_, refused = talk(folder, {verb: False})
    assert refused == {"error": f"False came for {verb}; expected true."}


def test_a_line_that_is_no_json_is_called_so(folder: Path) -> None:
    said = call("ask", model(folder), "--json", text="nojson\n").stdout.splitlines()
    assert json.loads(said[-1])["error"].startswith("'nojson' came, which is no JSON; expected a line such as")
    *_, twice = talk(folder, '{"tell": {"fever": "no", "fever": "yes"}}')
    assert twice == {"error": "two keys are called 'fever'; give each its own name."}


def test_lines_of_json_go_through_any_pipe(tmp_path: Path) -> None:
    problem = ufodt.Problem([ufodt.Categorical("größe", ["→", "←"])], labels=["jä", "nö"])
    learner, path = ufodt.UFODT(problem, seed=1), str(tmp_path / "m.npz")
    learner.learn_many([["→"], ["←"]] * 50, ["jä", "nö"] * 50)
    learner.save(path)
    said = call("ask", path, "--json", text='{"tell": {"größe": "→"}}\n').stdout
    assert said.isascii() and json.loads(said.splitlines()[-1])["answer"] == "jä"


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
    assert learned == {"learned": "ill", **opened}  # the current case goes on
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


def test_known_values_are_not_asked_for(folder: Path) -> None:
    done = call("ask", model(folder), "--json", "--known", "fever=yes", text='{"answer": true}')
    assert json.loads(done.stdout.splitlines()[0])["ask"] == "age"
    with pytest.raises(InvalidValue, match="expected a feature and its value, such as fever=no"):
        call("ask", model(folder), "--known", "fever")


def test_values_and_labels_that_look_alike_are_told_apart_by_their_kind(tmp_path: Path) -> None:
    path = str(tmp_path / "m.npz")
    problem = ufodt.Problem([ufodt.Categorical("c", [3, "3", "x"])], labels=[1, "1"])
    learner = ufodt.UFODT(problem, seed=1)
    learner.learn_many([[3], ["3"]] * 30, [1, "1"] * 30)
    learner.save(path)
    lines = '{"tell": {"c": "3"}}\n{"undo": true}\n{"tell": {"c": 3}}\n{"label": "1"}\n'
    said = [json.loads(line) for line in call("ask", path, "--json", "--save", path, text=lines).stdout.splitlines()]
    assert [said[1]["answer"], said[3]["answer"], said[4]["learned"]] == ["1", 1, "1"]
