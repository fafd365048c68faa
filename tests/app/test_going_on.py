"""`ufodt run`, interrupted: what is printed to go on with it leads to the same model and records."""

import errno
import io
import json
import os
import shlex
import signal
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from click.testing import Result

import ufodt
from ufodt.app import run as runs
from ufodt.app.commands import commands
from ufodt.app.reading import read_stream, read_stream_for
from ufodt.lab import datasets

from .calling import call, rows


def call_with_signal(monkeypatch: pytest.MonkeyPatch, by: signal.Signals, handler: Any, *arguments: str) -> Result:
    """Call a command that gets a signal after 400 cases, where `handler` is in place until then."""
    add = runs.Tally.add

    def interrupt(self: runs.Tally, *given: Any) -> None:
        add(self, *given)
        if self.n_cases == 400:
            signal.raise_signal(by)

    before = signal.signal(by, handler)
    try:
        with monkeypatch.context() as patched:
            patched.setattr(runs.Tally, "add", interrupt)
            return call(*arguments)
    finally:
        signal.signal(by, before)


def not_noted(*_: object) -> None:
    raise AssertionError("the signal was not noted")


@pytest.fixture
def interrupted(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Calls a command that is interrupted after 400 cases, and returns what it says to go on with."""

    def calls(*arguments: str, by: signal.Signals = signal.SIGINT) -> list[str]:
        done = call_with_signal(monkeypatch, by, not_noted, *arguments)
        assert done.exit_code == 130 and "Interrupted after 400 of 900 cases." in done.output
        command = next(line for line in done.output.splitlines() if line.startswith("To go on: ufodt "))
        return shlex.split(command.removeprefix("To go on: ufodt "))

    return calls


PRICES = "fever = 1\nage = 9\nrhythm = 15.5\n"


@pytest.mark.parametrize("toml", ["", 'missing = ["-9", "un known"]\nlabel = "state"\ndrop = ["ward"]\n'])
@pytest.mark.parametrize("given", [["--missing", "-9"], ["--missing=-9", "--label", "state"]])
def test_a_run_gone_on_with_is_the_run_that_was_not_interrupted(
    given: list[str], toml: str, interrupted: Any, tmp_path: Path
) -> None:
    table = ["ward,fever,age,rhythm,state"]
    for i, case in enumerate(rows(900)):
        age = "-9" if i % 7 == 0 else "un known" if i % 90 == 1 else case["age"]
        state = "" if i % 11 == 0 or 195 < i < 230 else case["state"]
        rhythm = "paced" if i == 198 else case["rhythm"]  # nowhere else, and without a label
        table.append(f"{i % 3},{case['fever']},{age},{rhythm},{state}")
    (tmp_path / "cases.csv").write_text("\n".join(table))
    (tmp_path / "about.toml").write_text(f"{toml}[prices]\n{PRICES}")
    command = ["run", str(tmp_path / "cases.csv"), "--price", str(tmp_path / "about.toml"), *given]

    def outputs(name: str) -> list[str]:
        return ["--save", str(tmp_path / f"{name}.npz"), "--records", str(tmp_path / f"{name}.jsonl")]

    whole = call(*command, *outputs("whole"))
    assert whole.exit_code == 0, whole.output
    assert "rows have no label in 'state'; they are answered, and teach nothing." in whole.output
    assert "rhythm: 1 cell taken as missing, such as 'paced'." in whole.output
    more = interrupted(*command, *outputs("part"))
    assert ufodt.load(tmp_path / "part.npz").n_opened == 400
    assert call(*more).exit_code == 0
    for end in ("npz", "jsonl"):
        assert (tmp_path / f"part.{end}").read_bytes() == (tmp_path / f"whole.{end}").read_bytes()
    lines = [json.loads(line) for line in (tmp_path / "part.jsonl").read_text().splitlines()]
    assert [line["case"] for line in lines] == list(range(900))
    assert [line["label"] for line in lines] == [line.rsplit(",")[-1] or None for line in table[1:]]


def test_a_second_interruption_says_which_records_it_cost(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save, records, seen = tmp_path / "m.npz", tmp_path / "records.jsonl", []

    def twice(cases: object, **_: object) -> str:
        seen.append(cases)
        if len(seen) == 450:
            signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGINT)
        return "{}"

    before = signal.signal(signal.SIGINT, not_noted)
    try:
        monkeypatch.setattr(runs, "json", SimpleNamespace(dumps=twice))
        done = call("run", str(folder / "cases.csv"), "--save", str(save), "--records", str(records))
    finally:
        signal.signal(signal.SIGINT, before)
    assert done.exit_code != 0 and ufodt.load(save).n_opened == 600
    more = f"--label state --model {save} --save {save} --skip 600 --records {records}"
    assert f"To go on: ufodt run {folder / 'cases.csv'} {more}\n" in done.output
    assert "Not all records of cases 400 to 599 (counted from 0) were written" in done.output
    assert len(records.read_text().splitlines()) == 400


def test_what_a_full_disk_leaves_is_gone_on_with_by_the_command_that_is_printed(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, part, add = tmp_path / "whole.npz", tmp_path / "part.npz", runs.Tally.add

    def full(self: runs.Tally, *given: Any) -> None:
        add(self, *given)
        if self.n_cases == 400:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    command = ["run", str(folder / "cases.csv")]  # the label is the last column
    assert call(*command, "--save", str(whole)).exit_code == 0
    with monkeypatch.context() as patched, pytest.raises(OSError, match="No space left"):
        patched.setattr(runs.Tally, "add", full)
        patched.setattr(sys, "stderr", (said := io.StringIO()))
        commands.main([*command, "--save", str(part)], standalone_mode=False)
    more = next(line for line in said.getvalue().splitlines() if line.startswith("To go on: ufodt "))
    assert call(*shlex.split(more.removeprefix("To go on: ufodt "))).exit_code == 0
    assert part.read_bytes() == whole.read_bytes()


@pytest.mark.parametrize("by", [signal.SIGTERM, signal.SIGHUP])
def test_a_run_ends_gently_with_its_terminal(
    by: signal.Signals, interrupted: Any, folder: Path, tmp_path: Path
) -> None:
    interrupted("run", str(folder / "cases.csv"), "--label", "state", "--save", str(tmp_path / "m.npz"), by=by)
    assert ufodt.load(tmp_path / "m.npz").n_opened == 400


def test_a_run_that_is_to_outlive_its_terminal_does(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = ["run", str(folder / "cases.csv"), "--save", str(tmp_path / "m.npz")]
    done = call_with_signal(monkeypatch, signal.SIGHUP, signal.SIG_IGN, *command)  # as nohup does
    assert done.exit_code == 0 and ufodt.load(tmp_path / "m.npz").n_opened == 900


def test_a_label_is_read_the_same_way_both_times(interrupted: Any, tmp_path: Path) -> None:
    labels = ["1" if case["state"] == "ill" else "0" for case in rows(900)]
    cells = [f"{label}.0" if i % 5 == 0 else label for i, label in enumerate(labels)]
    lines = [f"{case['fever']},{cell}" for case, cell in zip(rows(900), cells, strict=True)]
    (tmp_path / "cases.csv").write_text("\n".join(["fever,y", *lines]))
    command, whole, part = ["run", str(tmp_path / "cases.csv")], tmp_path / "whole.npz", tmp_path / "part.npz"
    assert call(*command, "--save", str(whole)).exit_code == 0
    assert call(*interrupted(*command, "--save", str(part))).exit_code == 0
    assert part.read_bytes() == whole.read_bytes() and ufodt.load(part).problem.labels == ("0", "1")


def test_a_stream_holds_the_values_of_the_data_set(tmp_path: Path) -> None:
    rows = [f"{i % 2},{'Ab'[i % 2]},{i / 4},{('Yes', 'no')[i % 2]},{'pq'[i % 2]}" for i in range(60)]
    rows += ["yes,a,1e400,yes,p", "1.0,B,7,NO,q", "x!,?,seven,1,p", "F,c,-0,y,q", ",,,,p"]
    (tmp_path / "t.csv").write_text("\n".join(["bit,name,number,truth,y", *rows]))
    (tmp_path / "t.toml").write_text("[features.name]\ncategories = ['A', 'b']\n")
    problem, X, y = datasets.to_named(datasets.load(str(tmp_path / "t.csv")))
    stream = read_stream(str(tmp_path / "t.csv"), label=None, about=str(tmp_path / "t.toml"))
    assert stream.problem == problem and stream.y == y
    assert stream.X.tolist() == X.tolist()
    assert (stream.X[-5:] == None).sum(axis=0).tolist() == [2, 3, 3, 3]  # noqa: E711


def test_a_number_that_means_not_known_is_missing_by_the_file_or_by_the_option(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,y\n1,p\n-9,q\n2.5,p\n-9.0,q\n")
    (tmp_path / "o.toml").write_text('missing = ["-9"]\n')
    for about, missing in ((str(tmp_path / "o.toml"), ()), (None, ("-9",))):
        stream = read_stream(str(tmp_path / "t.csv"), label="y", about=about, missing=missing)
        assert stream.X[:, 0].tolist() == [1.0, None, 2.5, None] and stream.missing == ("-9",)


@pytest.mark.parametrize("separator", [";", ","])
def test_decimal_commas_are_read_the_same_way_both_times(separator: str, tmp_path: Path) -> None:
    """Also where many cells are no numbers, and the file of prices says that the column holds some."""
    rng = np.random.default_rng(1)
    table = [f"crp{separator}state"]
    for i in range(300):
        crp = "<15" if i % 6 == 0 else f'"{rng.normal(40 + 20 * (i % 2), 8):.1f}"'.replace(".", ",")
        table.append(f"{crp}{separator}{'ill' if i % 2 else 'healthy'}")
    (tmp_path / "cases.csv").write_text("\n".join(table))
    (tmp_path / "about.toml").write_text('[features.crp]\nkind = "continuous"\n')
    first = read_stream(str(tmp_path / "cases.csv"), label="state", about=str(tmp_path / "about.toml"))
    later = read_stream_for(first.problem, str(tmp_path / "cases.csv"), label="state")
    assert first.X.tolist() == later.X.tolist() and sum(x is None for x in first.X[:, 0]) == 50
    assert "The commas in 'crp' were read as decimal points." in first.account
    assert "50 cells of 'crp' were taken as missing: not a number ('<15')." in first.account
