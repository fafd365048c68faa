"""`ufodt run` reads what comes and keeps what it has: nothing is overwritten by mistake or lost with a broken pipe."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import ufodt
from ufodt.app import run as runs
from ufodt.errors import NotSaved, UfodtError

from .calling import call, counts, fill_disk, model

UFODT = [sys.executable, "-c", "from ufodt.app.cli import main; main()"]


def about(folder: Path) -> list[str]:
    return ["run", str(folder / "cases.csv"), "--label", "state", "--price", str(folder / "prices.toml")]


def test_records_are_opened_only_when_all_is_read(folder: Path, tmp_path: Path) -> None:
    records = tmp_path / "records.jsonl"
    records.write_text("of yesterday")
    for wrong in (["--label", "stat"], ["--prior", "gone.toml"], ["--drift", "often"]):
        with pytest.raises(UfodtError):
            call(*about(folder), *wrong, "--records", str(records))
    assert records.read_text() == "of yesterday"


@pytest.mark.parametrize("option", ["--records", "--save"])
@pytest.mark.parametrize("name", ["cases.csv", "prices.toml", "link.csv", "hard.csv"])
def test_what_is_read_is_not_written_to(option: str, name: str, folder: Path, tmp_path: Path) -> None:
    for file in ("cases.csv", "prices.toml"):
        (tmp_path / file).write_bytes((folder / file).read_bytes())
    (tmp_path / "link.csv").symlink_to(tmp_path / "cases.csv")
    (tmp_path / "hard.csv").hardlink_to(tmp_path / "cases.csv")
    refused = call(*about(tmp_path), option, str(tmp_path / name))
    assert refused.exit_code == 2 and "are the same file" in refused.output
    assert (tmp_path / "cases.csv").read_bytes() == (folder / "cases.csv").read_bytes()


def test_records_and_model_are_two_files(folder: Path, tmp_path: Path) -> None:
    one = str(tmp_path / "one")
    refused = call(*about(folder), "--records", one, "--save", one)
    assert refused.exit_code == 2 and "--records and --save are the same file" in refused.output
    refused = call("tree", model(folder), "--output", model(folder))
    assert refused.exit_code == 2 and "--output and MODEL are the same file" in refused.output
    refused = call("run", str(folder / "cases.csv"), "--model", model(folder), "--records", model(folder))
    assert refused.exit_code == 2 and "--records and --model are the same file" in refused.output
    assert call(*about(folder), "--save", one).exit_code == 0
    again = call("run", str(folder / "cases.csv"), "--label", "state", "--model", one, "--save", one)
    assert again.exit_code == 0 and ufodt.load(one).n_opened == 1800


@pytest.mark.parametrize("records", ["-", "/dev/full"])
def test_a_model_outlives_what_happens_to_its_records(records: str, folder: Path, tmp_path: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("needs /dev/full, a device of Linux")
    save = tmp_path / "m.npz"
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*UFODT, *about(folder), "--records", records, "--save", str(save)],
            stdout=full if records == "-" else subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
    assert done.returncode != 0 and "No space left on device" in done.stderr
    n_opened = ufodt.load(save).n_opened
    assert 0 < n_opened < 900 and "Traceback" not in done.stderr
    assert f"What was learned so far is in {save}." in done.stderr
    rest = f"--model {save} --save {save} --skip {n_opened} --records {records}"
    assert f"To go on: ufodt run {folder / 'cases.csv'} --label state {rest}\n" in done.stderr
    missed = f"cases 0 to {n_opened - 1} (counted from 0)"
    assert f"Not all records of {missed} were written; they have been learned." in done.stderr


def test_a_model_outlives_a_reader_who_has_seen_enough(folder: Path, tmp_path: Path) -> None:
    command = " ".join([*map(repr, [*UFODT, *about(folder)]), "--records - --save", repr(str(tmp_path / "m.npz"))])
    done = subprocess.run(["sh", "-c", f"{command} | head -n 1"], capture_output=True, text=True)
    assert len(done.stdout.splitlines()) == 1 and "Traceback" not in done.stderr
    assert ufodt.load(tmp_path / "m.npz").n_opened > 0


def test_a_reader_who_goes_away_at_once_is_no_reason_not_to_learn(folder: Path, tmp_path: Path) -> None:
    save = tmp_path / "m.npz"
    for extra in ([], ["--json"]):
        reads, writes = os.pipe()
        os.close(reads)
        output = {"stderr" if extra else "stdout": writes, "stdout" if extra else "stderr": subprocess.DEVNULL}
        subprocess.run([*UFODT, *about(folder), "--save", str(save), *extra], **output)  # type: ignore[call-overload]
        os.close(writes)
        assert counts(save) == counts(folder / "model.npz")
        save.unlink()


def test_names_in_brackets_are_no_markup(tmp_path: Path) -> None:
    cases = "".join(f"{i % 10},{i % 2},{'yn'[i % 2]}\n" for i in range(300))
    (tmp_path / "t.csv").write_text(f"glucose [mg/dl],[/bold],ill\n{cases}")
    done = call("run", str(tmp_path / "t.csv"))
    assert done.exit_code == 0 and "\n glucose [mg/dl]" in done.output and "\n [/bold]" in done.output


def test_a_model_that_is_replaced_is_named(folder: Path, tmp_path: Path) -> None:
    save = str(tmp_path / "m.npz")
    assert "is replaced" not in call(*about(folder), "--save", save).output
    assert f"{save} is replaced by a new model" in call(*about(folder), "--save", save).output
    again = call("run", str(folder / "cases.csv"), "--label", "state", "--model", save, "--save", save)
    assert "is replaced" not in again.output


def test_a_file_that_is_no_model_is_not_replaced(folder: Path, tmp_path: Path) -> None:
    table, ask = tmp_path / "table.csv", ["ask", model(folder), "--save"]
    table.write_text("a,y\n1,0\n")
    for command in ([*about(folder), "--save"], ask, [*ask, str(table), "--json", "--save"]):
        with pytest.raises(UfodtError, match=f"{table} is no model; name another file."):
            call(*command, str(table), text="")
    assert table.read_text() == "a,y\n1,0\n"
    empty = tmp_path / "empty.npz"
    empty.touch()
    assert call(*about(folder), "--save", str(empty)).exit_code == 0 and ufodt.load(empty).n_opened == 900


@pytest.mark.parametrize("extra", [[], ["--json"]])
def test_a_model_that_asking_replaces_is_named(extra: list[str], folder: Path, tmp_path: Path) -> None:
    first, other = tmp_path / "first.npz", tmp_path / "other.npz"
    first.write_bytes((folder / "model.npz").read_bytes())
    replaced = f"{other} is replaced by what {first} learns here; to go on with it instead, ask {other}."
    for save, says in ((first, False), (other, False), (other, True)):
        if says:
            other.write_bytes(first.read_bytes())
        said = call("ask", str(first), *extra, "--save", str(save), text='{"answer": true}\n' if extra else "q\n")
        assert (replaced in said.stderr) is says and "is replaced" not in said.stdout


def test_a_run_that_nobody_hears_is_saved_all_the_same(folder: Path, tmp_path: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("needs /dev/full, a device of Linux")
    save = tmp_path / "m.npz"
    with open("/dev/full", "w") as full:
        done = subprocess.run([*UFODT, *about(folder), "--save", str(save)], stdout=full, stderr=subprocess.PIPE)
    assert done.returncode != 0
    assert counts(save) == counts(folder / "model.npz")


def test_a_folder_that_may_not_be_written_to_is_named_before_the_work(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: str(path) != str(tmp_path))
    (tmp_path / "m.npz").touch()
    with pytest.raises(UfodtError, match="Nothing may be written into .*; save m.npz elsewhere"):
        call(*about(folder), "--save", str(tmp_path / "m.npz"))
    with pytest.raises(UfodtError, match="/dev/null is a folder or a device"):
        call(*about(folder), "--save", "/dev/null")


def test_a_run_saves_beside_what_another_program_saved_meanwhile(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save, beside = tmp_path / "m.npz", tmp_path / "m.2.npz"
    save.write_bytes((folder / "model.npz").read_bytes())
    (tmp_path / "m.1.npz").write_text("of yesterday")
    add = runs.Tally.add

    def meddle(self: runs.Tally, *given: Any) -> None:
        add(self, *given)
        if self.n_cases == 400:
            save.write_text("of somebody else")

    monkeypatch.setattr(runs.Tally, "add", meddle)
    monkeypatch.setattr(runs, "_SAVE_EVERY", 0)
    again = ["run", str(folder / "cases.csv"), "--label", "state", "--model", str(save), "--save", str(save)]
    done = call(*again)
    assert done.exit_code == 0 and f"{save} was written by somebody else and is left as it is." in done.output
    assert f"The model is in {beside}." in done.output and ufodt.load(beside).n_opened == 1800
    assert save.read_text() == "of somebody else" and (tmp_path / "m.1.npz").read_text() == "of yesterday"


def test_a_run_that_cannot_be_saved_says_so(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill_disk(monkeypatch, 1)
    with pytest.raises(NotSaved, match=r"Nothing was saved: .*m\.npz could not be written \(No space left on device\)"):
        call(*about(folder), "--save", str(tmp_path / "m.npz"))


def test_a_pipe_may_carry_any_bytes(folder: Path) -> None:
    latin = "größe,y\n1.5,süß\n2.5,b\n".encode("latin-1")
    done = call("run", "-", text=latin)
    assert done.exit_code == 0 and "The file is not UTF-8; it was read as cp1252, as Excel writes it." in done.output
    for coding in ("utf-8-sig", "utf-16"):
        text = (folder / "cases.jsonl").read_text().encode(coding)
        done = call("run", "-", "--label", "state", "--json", text=text)
        assert done.exit_code == 0 and '"cases": 900' in done.stdout


@pytest.mark.parametrize("coding", ["cp1252", "latin-1", "ascii"])
def test_a_terminal_that_does_not_know_a_sign_is_shown_another(coding: str, tmp_path: Path) -> None:
    rows = [f"{'→' if i % 2 else '←'},{'jä' if i % 2 else 'nö…'}" for i in range(100)]
    (tmp_path / "t.csv").write_text("\n".join(["größe →,y", *rows]), encoding="utf-8")
    environment = {**os.environ, "PYTHONIOENCODING": coding}

    def output(*arguments: str, typed: bytes = b"") -> bytes:
        done = subprocess.run([*UFODT, *arguments], input=typed, capture_output=True, cwd=tmp_path, env=environment)
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert b"asked most" in output("run", "t.csv", "--save", "m.npz")
    assert b"The answer is" in output("ask", "m.npz", typed="→\n\x81\na\n".encode())
    assert b"evidence in bits" in output("explain", "m.npz") and b"?" in output("tree", "m.npz")
    for form in ("svg", "json", "sql", "python", "dot"):
        output("tree", "m.npz", "--output", "out", "--format", form)
        assert (tmp_path / "out").read_bytes() == output("tree", "m.npz", "--format", form)
        assert form == "json" or "größe →" in (tmp_path / "out").read_text(encoding="utf-8")


@pytest.mark.parametrize("arguments", [["ask", "model.npz"], ["ask", "model.npz", "--json"]])
def test_a_closed_output_is_said_in_one_line(arguments: list[str], folder: Path) -> None:
    command = " ".join(map(repr, [*UFODT, *arguments]))
    done = subprocess.run(["sh", "-c", f"{command} >&-"], capture_output=True, text=True, cwd=folder, input="a\n")
    assert done.returncode == 1
    assert done.stderr == "ufodt: Standard output is closed, so nothing can be asked; open it, or send it to a file.\n"


@pytest.mark.parametrize("arguments", [["run", "-"], ["ask", "model.npz", "--json"], ["ask", "model.npz"]])
def test_a_closed_input_is_said_in_one_line(arguments: list[str], folder: Path) -> None:
    command = " ".join(map(repr, [*UFODT, *arguments]))
    done = subprocess.run(["sh", "-c", f"{command} <&-"], capture_output=True, text=True, cwd=folder)
    assert done.returncode == 1 and done.stderr.startswith("ufodt: Standard input is closed; send something through")
