"""The demonstration at a tiny size: everything is there, plain where there is no terminal."""

import io
import re
from collections.abc import Iterator

import pytest
from click.testing import CliRunner
from rich.console import Console

from ufodt.app import demo
from ufodt.app.commands import commands

METHODS = ("ufodt (EC2)", "river VFDT", "river EFDT", "river naive Bayes")


@pytest.fixture(scope="module", autouse=True)
def short_holdout() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(demo, "N_HOLDOUT", 300)
        yield


@pytest.fixture(scope="module")
def output() -> str:
    result = CliRunner().invoke(commands, ["demo", "--cases", "250", "--seed", "3"], catch_exceptions=False)
    assert result.exit_code == 0
    return result.output


def row(output: str, method: str) -> list[str]:
    """The cells of a method in the table."""
    line = next(line for line in output.splitlines() if line.strip().startswith(f"{method}  "))
    return line.replace(method, "").split()


def test_without_a_terminal_there_are_no_escape_codes(output: str) -> None:
    assert "\x1b" not in output and "\r" not in output
    assert max(len(line) for line in output.splitlines()) <= 80


@pytest.mark.parametrize("method", METHODS)
def test_each_method_has_its_line_and_its_row(output: str, method: str) -> None:
    assert f"{method}: 250 cases in " in output
    online, holdout, n_asked, share, micros = row(output, method)
    assert 0 < float(online) < 1 and 0 < float(holdout) < 1 and float(micros.replace(",", "")) > 0
    assert float(n_asked) / 7 == pytest.approx(float(share.rstrip("%")) / 100, abs=0.006)


def test_only_ours_asks_less_than_everything(output: str) -> None:
    n_asked = {method: float(row(output, method)[2]) for method in METHODS}
    assert n_asked.pop("ufodt (EC2)") < 7
    assert set(n_asked.values()) == {7.0}


def test_the_session_goes_question_by_question(output: str) -> None:
    session = output[output.index("One more case") :]
    n_asked = len(re.findall(r"^\d\. \w+\? ", session, flags=re.MULTILINE))
    lines = re.findall(r"^   (?:before any question|lit, .*?|dark, .*?) {2,}([\d ]+)$", session, flags=re.MULTILINE)
    assert len(lines) == n_asked + 1
    for line in lines:
        assert sum(int(p) for p in line.split()[-10:]) == pytest.approx(100, abs=5)
    assert re.search(rf"The answer is \d, \d+% sure, for {n_asked} of 7\.", session)
    assert re.search(r"The truth is \d: (right|wrong)", session)


def test_a_terminal_gets_a_live_bar() -> None:
    terminal = Console(file=io.StringIO(), force_terminal=True, width=80, highlight=False)
    demo.show(terminal, n_cases=120, seed=1)
    written = terminal.file.getvalue()  # type: ignore[attr-defined]
    assert "━" in written and "\x1b[" in written
    assert "120 cases in" not in written  # said by the bar


def test_without_river_ours_runs_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo, "find_spec", lambda name: None)
    result = CliRunner().invoke(commands, ["demo", "--cases", "50"], catch_exceptions=False)
    assert 'pip install "ufodt[lab]"' in result.output
    assert "river VFDT" not in result.output
    assert len(row(result.output, "ufodt (EC2)")) == 5


def test_the_race_goes_to_whoever_has_used_least_time() -> None:
    def idle(name: str, seconds: float) -> demo.Racer:
        return demo.Racer(name, lambda X, y: demo.Stretch(y, 0, 0.0, seconds), lambda X: X, n_at_once=1)

    slow, fast = idle("slow", 2.0), idle("fast", 1.0)
    order = []
    for racer in demo._moves([slow, fast], 2):
        order.append(racer.name)
        racer.n_done, racer.cpu_seconds = (
            racer.n_done + 1,
            racer.cpu_seconds + racer.learn(None, 0).cpu_seconds,
        )  # type: ignore[arg-type]
    assert order == ["slow", "fast", "fast", "slow"]
