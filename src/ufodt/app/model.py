"""The commands around a model file: `run` makes and improves one, `ask`, `explain` and `tree` use it."""

import os
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    import ufodt

_SHOWN, _EXPORTED = 20_000, 5_000  # nodes of a tree that is looked at, and of one that goes elsewhere
_MODEL = click.argument("model", type=click.Path(dir_okay=False))
_BUDGET = click.option("--budget", type=click.FloatRange(min=0), help="What a case may cost at most.")
_FORMATS = {
    ".txt": "text",
    ".dot": "dot",
    ".svg": "svg",
    ".png": "png",
    ".json": "json",
    ".sql": "sql",
    ".py": "python",
}


@click.command()
@click.argument("data", type=click.Path(dir_okay=False, allow_dash=True))
@click.option("--label", help="Column with the label.  [default: label, else the last one; with --model: none]")
@click.option("--price", "about", type=click.Path(dir_okay=False), help="TOML file: prices, kinds of columns, loss.")
@click.option(
    "--missing",
    multiple=True,
    metavar="CELL",
    help='A further cell that means "not known", such as -9; may be repeated. A saved model remembers it.',
)
@click.option("--prior", type=click.Path(dir_okay=False), help="TOML file: what an expert knows before the first case.")
@_BUDGET
@click.option(
    "--drift", metavar="auto|SHARE", help="Start anew when labels begin to surprise, or forget a share per case."
)
@click.option("--save", type=click.Path(dir_okay=False), help="Where to write the model, also when interrupted.")
@click.option("--model", type=click.Path(dir_okay=False), help="Go on with a saved model instead of a new one.")
@click.option("--skip", type=click.IntRange(min=0), default=0, help="Leave out the first cases of the table.")
@click.option(
    "--criterion",
    type=click.Choice(["ig", "ec2", "us", "rig", "gini", "eced", "random"]),
    help="How questions are scored.  [default: ig]",
)
@click.option("--seed", type=click.IntRange(min=0), help="Of a new learner.  [default: 0]")
@click.option(
    "--records",
    type=click.Path(dir_okay=False, allow_dash=True),
    help="Write one line of JSON per case, after --skip to the end of the file; -: here.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of tables.")
def run(
    data: str,
    label: str | None,
    about: str | None,
    missing: tuple[str, ...],
    prior: str | None,
    budget: float | None,
    drift: str | None,
    save: str | None,
    model: str | None,
    skip: int,
    criterion: str | None,
    seed: int | None,
    records: str | None,
    as_json: bool,
) -> None:
    """Learn from a table as from a stream, case by case, paying only for what is asked.

    DATA is a CSV, TSV, Parquet or JSON Lines file; - reads CSV or JSON lines from a pipe. A TOML file says the prices:

    \b
        [prices]
        age = 1.0             # beside a price also: mandatory, needs, computed_from, surcharge
        glucose = { price = 17.61, later = 15.51, group = "blood" }
        others = 2.0          # every feature without an entry
        [loss.ill]            # to call an ill one healthy costs 400
        healthy = 400
        [loss.healthy]
        ill = 50

    Without a loss, a mistake costs as much as 100 questions of the mean price. A case without a label is answered and
    teaches nothing. With --model and without --label, cases are answered as by the model's tree and nothing is learned.
    Ctrl-C ends the run between two cases; with --save what was learned until then is saved.
    """
    import json
    import shlex

    import ufodt
    from ufodt.app.reading import read_drift, read_stream, read_stream_for, remember, remembered
    from ufodt.app.run import Patient, out_of, print_summary
    from ufodt.app.run import run as go
    from ufodt.app.target import Target
    from ufodt.prior import read_prior

    of_a_new_model = {"price": about, "prior": prior, "budget": budget, "drift": drift, "criterion": criterion}
    for option, given in (of_a_new_model | {"seed": seed}).items() if model is not None else ():
        if given is not None:
            raise click.UsageError(f"--{option} belongs to a new model; a saved one has its own.")
    _check_folder(None if records == "-" else records)
    _check_apart(
        "--records", records, {"DATA": data, "--price": about, "--prior": prior, "--model": model, "--save": save}
    )
    _check_apart("--save", save, {"DATA": data, "--price": about, "--prior": prior})
    _check_place(save)
    target = None if save is None else Target(save)
    console = Patient(highlight=False, stderr=as_json or records == "-", soft_wrap=True)
    with console.status("Reading the table") if console.is_terminal else nullcontext():
        if model is None:
            stream = read_stream(data, label=label, about=about, missing=missing)
            learner = ufodt.UFODT(
                stream.problem,
                criterion=criterion,
                stop=None if budget is None else ufodt.stop.cost_benefit() | ufodt.stop.budget(budget),
                prior=None if prior is None else read_prior(prior),
                drift=None if drift is None else read_drift(drift),
                seed=seed or 0,
            )
        else:
            learner = ufodt.load(model)
            codes = (*remembered(learner), *missing)
            stream = read_stream_for(learner.problem, data, label=label, missing=codes)
        remember(learner, stream.missing)
    if skip > len(stream.y):
        raise click.UsageError(f"--skip leaves out {skip:,} cases, but {data} has {len(stream.y):,}.")
    replaced = f"{save} is replaced by a new model; to go on with it instead, name it with --model too."
    with suppress(OSError):  # who does not hear it is no reason not to work
        for sentence in (*stream.account, *([replaced] if save and model is None and os.path.exists(save) else [])):
            console.print(sentence, style="dim", markup=False)

    def go_on(model: str, n_done: int) -> str:
        rest = [] if stream.label is None else ["--label", stream.label]
        rest += ["--model", model, "--save", model, "--skip", str(n_done)]
        rest += [] if records is None else ["--records", records]
        return shlex.join(["ufodt", "run", data, *rest])

    with out_of(records, append=skip > 0) as out:
        tally, done = go(console, learner, stream, target=target, skip=skip, records=out, go_on=go_on)
    if as_json:
        click.echo(json.dumps(tally.summary(learner.problem)))
    else:
        print_summary(console, tally, learner.problem)
    if target is not None:
        if target.path != save:
            console.print(f"{save} was written by somebody else and is left as it is.", style="yellow", markup=False)
        console.print(f"The model is in {target.path}.", markup=False)
    elif not as_json and records != "-":
        console.print("Nothing was saved; to keep the model, name a file with --save.", style="dim")
    if not done:
        n_done = skip + tally.n_cases
        console.print(f"Interrupted after {n_done:,} of {len(stream.y):,} cases.", style="yellow")
        if target is not None:
            console.print(f"To go on: {go_on(target.path, n_done)}", markup=False)
        raise SystemExit(130)


@click.command()
@_MODEL
@click.option(
    "--known",
    multiple=True,
    metavar="NAME=VALUE",
    help="What is known of the first case already, and so free; may be repeated.",
)
@_BUDGET
@click.option("--learn", is_flag=True, help="Explore, be told the truth, and learn from it.")
@click.option(
    "--save", type=click.Path(dir_okay=False), help="Where to write what was learned; means --learn.  [default: asks]"
)
@click.option("--json", "as_json", is_flag=True, help="Lines of JSON in and out, for programs.")
def ask(model: str, known: tuple[str, ...], budget: float | None, learn: bool, save: str | None, as_json: bool) -> None:
    """Ask question by question, and give an answer with its evidence.

    The questions are those of `ufodt tree`: nothing is tried out, nothing is learned, and the same values lead the same
    way every time. With --learn, a case is planned as on a stream, which now and then tries what is not known yet; then
    the truth is asked for and learned.

    With --json, every line in is an object, and every line out says what comes next:

    \b
        out  {"ask": "fever", "price": 1.0, "values": [0, 1]}    or "values": "number"; and "most", where a value
                                                                 may add to the price
        in   {"tell": {"fever": 1}}      or {"skip": "fever"}, {"undo": true}, {"why": true},
                                            {"what_if": {"fever": 1}}, {"answer": true},
                                            {"skip": "fever", "charged": true}
        out  {"answer": "ill", "probabilities": [["healthy", 0.1], ["ill", 0.9]], "cost": 1.0, "evidence": {…}}
        in   {"open": {"case": "17"}}    opens the next case, with "known" and "budget" inside if wanted;
                                         with --save {"label": "ill"} learns, and opens one too: then
                                         "learned": "ill" stands in the line that asks
        in   {"learn": {"evidence": {…}, "label": "ill"}}    with --save: the label of an earlier case came; the
                                         current case goes on
        out  {"why": {…}}, {"what_if": {…}}, and {"error": "…"} for a line that is refused and changes nothing
    """
    import math
    import sys

    from rich.console import Console

    import ufodt
    from ufodt.app.ask import ask as go
    from ufodt.app.lines import serve_lines
    from ufodt.app.reading import read_values, remembered, standard_input
    from ufodt.app.target import Target
    from ufodt.errors import UfodtError

    typed = standard_input()
    if sys.stdout is None:
        raise UfodtError("Standard output is closed, so nothing can be asked; open it, or send it to a file.")
    if as_json and learn and save is None:
        raise click.UsageError("With --json nobody is asked where to save what is learned: name a file with --save.")
    target = Target(save or model) if learn or save is not None else None
    _check_place(None if target is None else target.path)
    learner = ufodt.load(model)
    if save is not None and os.path.exists(save) and not _is_same(save, model):
        click.echo(f"{save} is replaced by what {model} learns here; to go on with it instead, ask {save}.", err=True)
    values = read_values(learner.problem, known, missing=remembered(learner))
    most = math.inf if budget is None else budget
    if as_json:
        lines = (line.decode("utf-8", errors="replace").lstrip("\ufeff") for line in typed)
        serve_lines(learner, lines, sys.stdout, known=values, budget=most, target=target)
    else:
        console = Console(highlight=False)
        go(console, learner, known=values, budget=most, target=target, asks=save is None)


@click.command()
@_MODEL
@click.argument("values", nargs=-1, metavar="[NAME=VALUE]...")
@_BUDGET
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of tables.")
def explain(model: str, values: tuple[str, ...], budget: float | None, as_json: bool) -> None:
    """Say what a model makes of some values: the answer, the evidence in bits, and what it would ask next and why.

    As in `ufodt tree` and `ufodt ask`, it plans by what is believed on the whole; nothing is tried out.
    """
    import json
    import math

    from rich.console import Console

    import ufodt
    from ufodt.app import explain as pages
    from ufodt.app.reading import read_values, remembered

    learner = ufodt.load(model)
    known = read_values(learner.problem, values, missing=remembered(learner))
    session = learner.open(known=known, budget=math.inf if budget is None else budget, explore=False)
    if as_json:
        click.echo(json.dumps(pages.as_json(session)))
        return
    console = Console(highlight=False)
    pages.print_answer(console, session.predict(), learner.problem)
    question = session.ask()
    if question is None:
        console.print("It would ask nothing more:")
    else:
        console.print(f"It would ask {question.feature} next:", markup=False)
    pages.print_reasons(console, session, learner.problem)


@click.command()
@_MODEL
@click.option(
    "--format",
    "form",
    type=click.Choice(sorted(_FORMATS.values())),
    help="[default: by the ending of --output, else text]",
)
@click.option("--output", type=click.Path(dir_okay=False), help="File to write.  [default: here]")
@click.option(
    "--max-depth",
    type=click.IntRange(min=0),
    help="Questions on a path, apart from what cannot be had.  [default: 5 where it is shown, else all]",
)
@click.option(
    "--min-share",
    type=click.FloatRange(0, 1),
    help="Ask nothing where a smaller share of cases gets.  [default: 0.01, pictures 0.02, else 0]",
)
@click.option("--missing", is_flag=True, help="Show what is done where a value cannot be had.")
@click.option("--max-nodes", type=click.IntRange(min=1), help="Of the tree in all.  [default: 20000, exported 5000]")
@click.option("--table", help="Name of the table in SQL.  [default: cases]")
def tree(
    model: str,
    form: str | None,
    output: str | None,
    max_depth: int | None,
    min_share: float | None,
    missing: bool,
    max_nodes: int | None,
    table: str | None,
) -> None:
    """Show the policy as a tree, or write it as a picture, as SQL, or as Python that needs no ufodt."""
    import ufodt

    _check_folder(output)
    _check_apart("--output", output, {"MODEL": model})
    if form is None:
        ending = Path(output or "").suffix.lower()
        if ending and ending not in _FORMATS:
            raise click.UsageError(
                f"{output}: no format goes by the ending {ending}; expected {', '.join(_FORMATS)}, or say --format."
            )
        form = _FORMATS.get(ending, "text")
    is_exported = form in ("json", "sql", "python")
    if missing and is_exported:
        raise click.UsageError(f"--missing belongs to text and pictures; leave it out, {form} always has it.")
    if table is not None and form != "sql":
        raise click.UsageError(f"--table names the table in SQL; leave it out, {form} has none.")
    if form == "png" and output is None:
        raise click.UsageError("A PNG goes into a file: name one with --output.")
    learner = ufodt.load(model)
    shown = {"max_depth": max_depth, "min_share": min_share}
    given = {name: value for name, value in shown.items() if value is not None}
    if is_exported:
        frozen = learner.tree(max_nodes=max_nodes or _EXPORTED, **given)  # type: ignore[arg-type]
        if form == "sql":
            text = frozen.to_sql(table or "cases")
        else:
            text = frozen.to_json() if form == "json" else frozen.to_python()
        if not frozen.complete and not given:
            click.echo("Some cases are answered before the model would; --max-nodes allows a larger tree.", err=True)
    else:
        frozen = learner.tree(max_nodes=max_nodes or _SHOWN)
        if form == "png":
            _write_png(frozen, output or "", given, missing)
            return
        paint = {"text": frozen.to_text, "dot": frozen.to_dot, "svg": frozen.to_svg}[form]
        text = paint(missing=missing, **given)  # type: ignore[arg-type]
    text = text.removesuffix("\n") + "\n"
    if output is not None:
        Path(output).write_text(text, encoding="utf-8")
    else:  # what programs read is UTF-8 wherever it goes
        click.echo(text if form == "text" else text.encode(), nl=False)


def _check_folder(path: str | None) -> None:
    """Complain before the work, not after it, that there is no folder for its outcome."""
    from ufodt.errors import UfodtError

    if path is not None and not Path(path).absolute().parent.is_dir():
        raise UfodtError(
            f"There is no folder {str(Path(path).parent)!r} to write {Path(path).name} into; make it first."
        )


def _check_place(model: str | None) -> None:
    """Complain before the work that a model cannot be saved there."""
    from ufodt.errors import UfodtError
    from ufodt.model_file import may_be_replaced, place

    if model is None:
        return
    target = Path(place(model))
    _check_folder(str(target))
    if not os.access(target.parent, os.W_OK):
        raise UfodtError(f"Nothing may be written into {str(target.parent)!r}; save {target.name} elsewhere.")
    if not may_be_replaced(target):
        raise UfodtError(f"{model} is no model; name another file.")


def _check_apart(option: str, path: str | None, others: dict[str, str | None]) -> None:
    """Complain before the work that what is written would destroy what is read, or written too."""
    for name, other in others.items():
        if path not in (None, "-") and other not in (None, "-") and _is_same(path, other):
            raise click.UsageError(f"{option} and {name} are the same file, {path}; give each its own.")


def _is_same(path: str, other: str) -> bool:
    """Whether two paths lead to one file, also one that is not there yet."""
    if os.path.exists(path) and os.path.exists(other):
        return os.path.samefile(path, other)
    return os.path.realpath(path) == os.path.realpath(other)


def _write_png(frozen: "ufodt.tree.Tree", output: str, given: dict[str, float], missing: bool) -> None:
    import io

    from ufodt.errors import MissingPackage

    try:
        import matplotlib
    except ImportError:
        raise MissingPackage('A PNG needs matplotlib: pip install "ufodt[plots]". An SVG needs nothing.') from None
    matplotlib.use("Agg")
    ax = frozen.plot(missing=missing, **given)  # type: ignore[arg-type]
    frame = io.BytesIO()
    ax.figure.canvas.print_figure(frame, format="png", dpi=150)
    Path(output).write_bytes(frame.getvalue())
