"""What `ufodt` understands: each command parses, imports what it needs only then, calls it and prints."""

import click

import ufodt
from ufodt.app import model


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(ufodt.__version__, prog_name="ufodt")
def commands() -> None:
    """Decide case by case what to ask next, when to stop and what to answer; learn from every outcome."""


@commands.command()
@click.option("--cases", type=click.IntRange(min=1), default=10_000, show_default=True, help="Length of the stream.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of stream and learner.")
def demo(cases: int, seed: int) -> None:
    """Learn a fresh LED stream next to river's learners, then show one session question by question."""
    from rich.console import Console

    from ufodt.app.demo import show

    show(Console(highlight=False), n_cases=cases, seed=seed)


@commands.command()
@click.argument("names", nargs=-1, metavar="[NAME…]")
@click.option("--quick", is_flag=True, help="Few seeds and short streams: a look of some minutes, not a measurement.")
@click.option("--jobs", type=click.IntRange(min=1), default=None, help="Processes; by default one per CPU.")
@click.option(
    "--out",
    type=click.Path(file_okay=False),
    default=None,
    help="Where records, figures and report.html go; by default results, or results/quick.",
)
def reproduce(names: tuple[str, ...], quick: bool, jobs: int | None, out: str | None) -> None:
    """Run every figure and table of the paper, or those named, and write a report with a verdict on each claim.

    Killed at any moment, it goes on where it was when started again. A NAME is an experiment, or a TOML file that
    declares one of your own.
    """
    import os
    from pathlib import Path

    from rich.console import Console

    from ufodt.app.reproduce import show

    results = Path(out) if out else Path("results/quick" if quick else "results")
    fine = show(Console(highlight=False), names, quick=quick, n_jobs=jobs or os.cpu_count() or 1, results=results)
    if not fine:
        raise SystemExit(1)


@commands.command()
@click.argument("data")
@click.option("--methods", default="", help="Names with commas between; by default ours and the opponents that matter.")
@click.option(
    "--label", default=None, help="The label column of a table; by default the one called label, else the last."
)
@click.option("--prices/--no-prices", "priced", default=None, help="Real prices, or 1 each; by default real if known.")
@click.option(
    "--seeds", type=click.IntRange(min=1), default=5, show_default=True, help="Splits into stream and hold-out."
)
@click.option("--jobs", type=click.IntRange(min=1), default=None, help="Processes; by default one per CPU.")
@click.option("--out", type=click.Path(file_okay=False), default="results/compare", show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of a table.")
def compare(
    data: str,
    methods: str,
    label: str | None,
    priced: bool | None,
    seeds: int,
    jobs: int | None,
    out: str,
    as_json: bool,
) -> None:
    """Show what accuracy costs on DATA, a data set by name or a table, with each method's knob swept."""
    import os
    from pathlib import Path

    from rich.console import Console

    from ufodt.app.compare import show

    fine = show(
        Console(highlight=False, stderr=as_json),
        data,
        methods=[name for name in methods.split(",") if name],
        n_seeds=seeds,
        priced=priced,
        label=label,
        n_jobs=jobs or os.cpu_count() or 1,
        results=Path(out),
        as_json=as_json,
    )
    if not fine:
        raise SystemExit(1)


for _command in (model.run, model.ask, model.explain, model.tree):
    commands.add_command(_command)


@commands.group()
def bench() -> None:
    """Measure this installation."""


def _add_benchmark(name: str, text: str) -> None:
    @bench.command(name, help=text)
    @click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of a table.")
    @click.option("--quick", is_flag=True, help="Fewer cases and rounds: a look, not a measurement.")
    @click.option("--check", is_flag=True, help="Exit with 1 if a bar is missed.")
    def run(as_json: bool, quick: bool, check: bool) -> None:
        from rich.console import Console

        from ufodt.app.bench import show

        holds = show(Console(highlight=False), name, as_json=as_json, quick=quick)
        if check and not holds:
            raise SystemExit(1)


for _name, _text in {
    "speed": "CPU time, scaling and memory, as ratios to river in the same process, each against its bar.",
    "fidelity": "The printed algorithm on binary features, against the published runs.",
    "continuous": "Numbers as features: the published runs, accuracy next to river's trees, Exp3, speed.",
    "drift": "Stagger with its drifts, next to EFDT and to naive Bayes restarted by DDM; false alarms.",
    "prices": "What a case costs with real prices, tests and mistakes, next to simpler ways to spend.",
    "selection": "A thousand features of which ten matter: time and accuracy with selection and without.",
    "frontier": "How close to the exact optimum in known worlds; the paper's data sets from paid features only.",
}.items():
    _add_benchmark(_name, _text)
