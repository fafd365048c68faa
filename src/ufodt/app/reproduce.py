"""`ufodt reproduce`: all runs of the declared experiments, with a bar, then the figures and the page."""

import time
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from ufodt.lab import campaign, claims, experiment, report


def show(console: Console, names: Sequence[str], *, quick: bool, n_jobs: int, results: Path) -> bool:
    """Reproduce, print what was found, and return whether every run went well."""
    start = time.perf_counter()
    declared = experiment.declarations(names)
    own = campaign.own_files(names, results)
    others = [one for one in experiment.declarations([*experiment.names(), *own]) if one not in declared]
    missing = campaign.unavailable([*declared, *others])
    for name in dict.fromkeys(name for one in declared for name in one.datasets if name in missing):
        console.print(f"{name} is left out: {missing[name]}", style="yellow", highlight=False)
    runs = [run for one in declared for run in experiment.runs_of(one, quick=quick) if run.dataset not in missing]
    outcome = carry_out(console, runs, results, n_jobs=n_jobs)
    console.print(
        f"{outcome.n_taken} runs taken, {outcome.n_found} found finished, {len(outcome.failures)} failed; "
        f"{time.perf_counter() - start:.0f} s. Drawing …"
    )
    found = campaign.Found(results, quick=quick)
    progress = [(one, *campaign.progress_of(one, found, without=missing)) for one in others]
    whole = [one for one, n_there, n_wanted in progress if 0 < n_wanted == n_there]
    shown = sorted([*declared, *whole], key=lambda one: (one.order, one.name))
    absent = {one.title: (n_there, n_wanted) for one, n_there, n_wanted in progress if one not in whole}
    runs = [run for one in shown for run in experiment.runs_of(one, quick=quick) if run.dataset not in missing]
    campaign.write_manifest(runs, results, own=own)
    page = report.write(shown, found, results, missing=missing, outcome=outcome, absent=absent)
    for one in declared:
        left_out = [name for name in one.datasets if name in missing]
        without = f" (without {', '.join(left_out)})" if left_out else ""
        for verdict in claims.decide(one, found):
            console.print(f"{verdict.outcome:>28}  {verdict.claim.says}{without}", highlight=False, markup=False)
    for job, why in sorted(outcome.failures.items()):
        console.print(f"failed: {job}: {why}", style="red", highlight=False)
    if absent:
        console.print(f"Not on the page, for want of results: {len(absent)} other experiments.", style="dim")
    if quick:
        console.print("A quick look: too short for a verdict to count.", style="dim")
    console.print(f"{page} ({time.perf_counter() - start:.0f} s)")
    return not outcome.failures


def carry_out(
    console: Console, runs: Sequence[experiment.Run], results: Path, *, n_jobs: int, live: bool = True
) -> campaign.Outcome:
    """Take all runs with a bar on a terminal, or now and then a line where there is none."""
    bar = Progress(
        TextColumn("{task.description:<44}"),
        BarColumn(bar_width=24),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        TextColumn("left:"),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not (live and console.is_terminal),
    )
    said = time.perf_counter()
    with bar:
        task = bar.add_task("looking for finished runs", total=None)

        def report_on(what: str, done: float, total: float) -> None:
            nonlocal said
            bar.update(task, description=what[:44], completed=done, total=total)
            if live and not console.is_terminal and (time.perf_counter() - said > 30 or done >= total):
                said = time.perf_counter()
                console.print(f"{done / total:4.0%}  {what}", highlight=False)

        try:
            return campaign.carry_out(runs, results, n_jobs=n_jobs, report=report_on)
        except KeyboardInterrupt:
            console.print("Stopped. Finished runs are kept: the same command goes on from there.", style="yellow")
            raise SystemExit(130) from None
