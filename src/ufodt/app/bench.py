"""The speed of this installation as a table for people or JSON for programs."""

import json
import time

from rich.box import SIMPLE
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn
from rich.table import Table

import ufodt
from ufodt.lab import speed
from ufodt.lab.speed import Result

_SENSES = {"at least": "≥", "at most": "≤"}


def show_speed(console: Console, *, as_json: bool = False, quick: bool = False) -> bool:
    """Measure, print, and return whether every bar holds."""
    start = time.perf_counter()
    results = _measured(console, speed.QUICK if quick else speed.FULL, live=not as_json)
    seconds = time.perf_counter() - start
    if as_json:
        print(json.dumps(_report(results, quick, seconds), indent=2))
    else:
        _print_table(console, results, quick, seconds)
    return all(result.holds for result in results)


def _measured(console: Console, effort: speed.Effort, *, live: bool) -> list[Result]:
    """Take all measurements; the bar is drawn between them, not by a thread whose CPU time would count."""
    columns = TextColumn("{task.description:<24}"), BarColumn(), TextColumn("{task.completed}/{task.total}")
    measurements = list(speed.measure(effort))
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


def _report(results: list[Result], quick: bool, seconds: float) -> dict[str, object]:
    return {
        "benchmark": "speed",
        "ufodt": ufodt.__version__,
        "quick": quick,
        "holds": all(result.holds for result in results),
        "results": [result.to_dict() for result in results],
        "machine": speed.machine(),
        "seconds": round(seconds, 1),
    }


def _print_table(console: Console, results: list[Result], quick: bool, seconds: float) -> None:
    table = Table(box=SIMPLE, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("what", no_wrap=True)
    table.add_column("measured", justify="right", no_wrap=True)
    table.add_column("bar", justify="right")
    table.add_column("verdict")
    for result in results:
        measured = "not measured" if result.measured is None else f"{_amount(result.measured)} {result.unit}"
        bar = f"{_SENSES[result.sense]} {_amount(result.bar)}"
        verdict = "[green]holds[/]" if result.holds else "[bold red]missed[/]"
        if result.measured is None:
            verdict = "[yellow]unknown[/]"
        table.add_row(f"{result.claim}\n[dim]  {result.note}[/]", measured, bar, verdict)
    console.print(table)
    facts = speed.machine()
    console.print(
        f"CPU time. {facts['cpu']}, {facts['n_cpus']} CPUs, {facts['system']}, Python {facts['python']}, "
        f"river {facts['versions']['river']}, core {facts['core']}. Took {seconds:.0f} s.",
        style="dim",
    )
    if quick:
        console.print("A quick look: too short for a verdict to count.", style="dim")


def _amount(number: float) -> str:
    """Three figures that matter, and separators instead of powers of ten.

    >>> _amount(9.4263), _amount(0.2168), _amount(5_490_404.3)
    ('9.43', '0.217', '5,490,000')
    """
    return f"{number:.3g}" if number < 1000 else f"{float(f'{number:.3g}'):,.0f}"
