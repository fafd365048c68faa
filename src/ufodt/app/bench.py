"""What this installation measures, each figure beside its bar, as a table for people or JSON for programs."""

import json
import math
import time
from typing import Protocol

from rich.box import SIMPLE
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn
from rich.table import Table

import ufodt
from ufodt.lab import continuous, fidelity, frontier, moving, priced, speed, wide
from ufodt.lab.verdict import Measurements, Result

_SENSES = {"at least": "≥", "at most": "≤"}


class Benchmark(Protocol):
    """A module of the lab that measures."""

    def measure(self, *, quick: bool = False) -> Measurements:
        """Give the measurements in order: what each is about, and the call that takes it."""


BENCHMARKS: dict[str, Benchmark] = {
    "speed": speed,
    "fidelity": fidelity,
    "continuous": continuous,
    "drift": moving,
    "prices": priced,
    "selection": wide,
    "frontier": frontier,
}


def show(console: Console, benchmark: str, *, as_json: bool = False, quick: bool = False) -> bool:
    """Measure, print, and return whether every bar holds."""
    start = time.perf_counter()
    results = _measured(console, BENCHMARKS[benchmark], quick=quick, live=not as_json)
    seconds = time.perf_counter() - start
    if as_json:
        print(json.dumps(_report(benchmark, results, quick, seconds), indent=2))
    else:
        _print_table(console, results, quick, seconds)
    return all(result.holds for result in results)


def _measured(console: Console, benchmark: Benchmark, *, quick: bool, live: bool) -> list[Result]:
    """Take all measurements; the bar is drawn between them, not by a thread whose CPU time would count."""
    columns = TextColumn("{task.description:<32}"), BarColumn(), TextColumn("{task.completed}/{task.total}")
    measurements = list(benchmark.measure(quick=quick))
    progress = Progress(
        *columns,
        console=console,
        auto_refresh=False,
        transient=True,
        disable=not (live and console.is_terminal),
    )
    results: list[Result] = []
    with progress:
        task = progress.add_task("", total=len(measurements))
        for name, take in measurements:
            progress.update(task, description=name, refresh=True)
            results += take()
            progress.update(task, advance=1, refresh=True)
    return results


def _report(benchmark: str, results: list[Result], quick: bool, seconds: float) -> dict[str, object]:
    return {
        "benchmark": benchmark,
        "ufodt": ufodt.__version__,
        "quick": quick,
        "holds": all(result.holds for result in results),
        "results": [result.to_dict() for result in results],
        "machine": speed.machine(),
        "seconds": round(seconds, 1),
    }


def _print_table(console: Console, results: list[Result], quick: bool, seconds: float) -> None:
    table = Table(box=SIMPLE, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("what")
    table.add_column("measured", justify="right", no_wrap=True)
    table.add_column("bar", justify="right", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    for result in results:
        bar = "" if result.bar is None else f"{_SENSES[result.sense]} {_amount(result.bar, n_figures=5)}"
        what = f"{result.claim}\n[dim]  {result.note}[/]" if result.note else result.claim
        table.add_row(what, _figure(result), bar, _verdict(result))
    console.print(table)
    facts = speed.machine()
    console.print(
        "Times are CPU times, ± is one standard error; what misses its bar by less is close. "
        f"{facts['cpu']}, {facts['n_cpus']} CPUs, {facts['system']}, "
        f"Python {facts['python']}, river {facts['versions']['river']}, core {facts['core']}. Took {seconds:.0f} s.",
        style="dim",
    )
    if quick:
        console.print("A quick look: too short for a verdict to count.", style="dim")


def _figure(result: Result) -> str:
    """What was measured, with as many decimals as its error has.

    >>> _figure(Result("", "", "times", "at least", 0.7395, 0.73944, "", error=0.000184))
    '0.73944 ± 0.00018 times'
    """
    if result.measured is None:
        return "not measured"
    if not result.error:
        return f"{_amount(result.measured)} {result.unit}".rstrip()
    n_decimals = max(0, 1 - math.floor(math.log10(result.error)))  # as many as the error has
    return f"{result.measured:,.{n_decimals}f} ± {result.error:,.{n_decimals}f} {result.unit}".rstrip()


def _verdict(result: Result) -> str:
    if result.measured is None:
        return "[yellow]unknown[/]"
    if result.bar is None:
        return ""
    if result.holds:
        return "[green]holds[/]"
    return "[bold red]missed[/], close" if result.is_within_error else "[bold red]missed[/]"


def _amount(number: float, n_figures: int = 3) -> str:
    """Three figures that matter, and separators instead of powers of ten.

    >>> _amount(9.4263), _amount(0.2168), _amount(5_490_404.3), _amount(-0.00021)
    ('9.43', '0.217', '5,490,000', '-0.00021')
    """
    shown = f"{number:.{n_figures}g}"
    return shown if abs(number) < 1000 else f"{float(shown):,.0f}"
