"""The benchmark measures what it says; whether the bars hold is asked of `ufodt bench speed --check`."""

import json
import time

import pytest
from click.testing import CliRunner

from ufodt.app.commands import commands
from ufodt.lab import speed

NAMES = [
    *("run_led", "ask_tell_led", "river_led", "run_nb30", "ask_tell_nb30", "river_nb30", "evaluate_led"),
    *("growth_features", "growth_hypotheses", "growth_labels", "memory", "start_import", "start_help"),
]


def spin(seconds: float) -> None:
    """Use CPU time."""
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


def test_the_json_report_holds_every_figure_and_the_machine() -> None:
    result = CliRunner().invoke(commands, ["bench", "speed", "--quick", "--json"], catch_exceptions=False)
    assert result.exit_code == 0
    report = json.loads(result.stdout)
    assert set(report) == {"benchmark", "ufodt", "quick", "holds", "results", "machine", "seconds"}
    assert [r["name"] for r in report["results"]] == NAMES
    for r in report["results"]:
        assert r["measured"] > 0
        holds = r["measured"] >= r["bar"] if r["sense"] == "at least" else r["measured"] <= r["bar"]
        assert r["holds"] is holds
    assert report["holds"] is all(r["holds"] for r in report["results"])
    assert {"cpu", "n_cpus", "system", "python", "core", "versions"} == set(report["machine"])


@pytest.mark.parametrize(("measured", "code"), [(9.0, 1), (11.0, 0), (None, 1)])
def test_check_fails_when_a_bar_is_missed(measured: float | None, code: int, monkeypatch: pytest.MonkeyPatch) -> None:
    result = speed.Result("run", "run, against VFDT", "times", "at least", 10.0, measured, "by hand")
    monkeypatch.setattr(speed, "measure", lambda *, quick: [("by hand", lambda: [result])])
    checked = CliRunner().invoke(commands, ["bench", "speed", "--check"], catch_exceptions=False)
    unchecked = CliRunner().invoke(commands, ["bench", "speed"], catch_exceptions=False)
    assert (checked.exit_code, unchecked.exit_code) == (code, 0)
    assert {9.0: "missed", 11.0: "holds", None: "unknown"}[measured] in checked.output
    assert "\x1b" not in checked.output


def test_of_each_chunk_the_fastest_round_counts() -> None:
    effort = speed.Effort(n_cases=2, n_rounds=2, n_sizes=1, n_starts=1, n_chunks=2)
    rounds = iter([[0.02, 0.002], [0.002, 0.02]])  # seconds of both chunks, in each round

    def start() -> speed.Work:
        seconds = next(rounds)
        return lambda rows: spin(seconds[rows.start])

    took = speed.fastest({"spin": start}, 2, effort)
    assert 0.004 <= took["spin"] < 0.02


def test_contestants_take_turns_on_every_chunk() -> None:
    effort = speed.Effort(n_cases=4, n_rounds=1, n_sizes=1, n_starts=1, n_chunks=2)
    seen: list[tuple[str, int, int]] = []

    def contestant(name: str) -> speed.Start:
        return lambda: lambda rows: seen.append((name, rows.start, rows.stop))

    speed.fastest({"a": contestant("a"), "b": contestant("b")}, 4, effort)
    assert seen == [("a", 0, 2), ("b", 0, 2), ("a", 2, 4), ("b", 2, 4)]


def test_an_exponent_is_recovered() -> None:
    sizes = [8, 16, 32, 64]
    assert speed.exponent(sizes, [3 * size**1.5 for size in sizes]) == 1.5


def test_the_cpu_time_of_a_child_counts_its_own_work_only() -> None:
    spin(0.3)
    busy = "import time\nwhile time.process_time() < 0.2: pass"
    assert 0.2 <= speed.child_cpu(["-c", busy]) < 0.35
    assert speed.child_cpu(["-c", "pass"]) < 0.15


@pytest.mark.skipif(not speed._STATUS.exists(), reason="reads the status of the process from /proc")
def test_more_features_and_labels_take_more_memory() -> None:
    small, large = speed.memory(50, 2), speed.memory(500, 40)
    assert small.measured is not None and large.measured is not None
    assert large.measured - small.measured > 500 * 2 * 40 * 8 / 1e6  # the counts of the belief alone
