"""`ufodt compare`: what accuracy costs on one data set, ours and others', as a table, a plot and JSON."""

import json
import time
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

from ufodt.app.reproduce import carry_out
from ufodt.errors import InvalidPolicy, InvalidValue
from ufodt.lab import tradeoff
from ufodt.lab.campaign import Found
from ufodt.lab.experiment import write_text
from ufodt.lab.material import source
from ufodt.lab.methods import METHODS
from ufodt.lab.tradeoff import CLOSE, Comparison

_FEWEST = 10  # rows, of which two are held out


def show(
    console: Console,
    name: str,
    *,
    methods: Sequence[str],
    n_seeds: int,
    priced: bool | None,
    label: str | None,
    n_jobs: int,
    results: Path,
    as_json: bool = False,
) -> bool:
    """Compare, print and write; return whether every run went well."""
    start = time.perf_counter()
    data = source(name, 0, label)
    if priced and data.prices is None:
        raise InvalidPolicy(f"{data.name}: no prices are known; leave out --prices, or give prices in a TOML file.")
    if len(data.y) < _FEWEST:
        raise InvalidValue(
            f"{data.name} has {len(data.y)} rows; a fifth is held out and compared on, so expected {_FEWEST} or more."
        )
    priced = data.prices is not None if priced is None else priced
    if not as_json:
        _print_account(console, data.name, data.card.to_text(), data.account)
    chosen = tradeoff.checked_methods(methods or tradeoff.default_methods(data))
    seeds = tuple(range(n_seeds))
    runs = list(tradeoff.runs_of(name, chosen, seeds, n_features=data.X.shape[1], priced=priced, label=label))
    table = str(Path(name).resolve()) if Path(name).is_file() else None
    folder = _folder(results, data.name, table)
    outcome = carry_out(console, [run for *_, run in runs], folder, n_jobs=n_jobs, live=not as_json)
    for job, why in sorted(outcome.failures.items()):
        console.print(f"failed: {job}: {why}", style="red")
    found = tradeoff.compare(runs, Found(folder), data, priced=priced)
    if not found.frontiers:
        raise InvalidPolicy("No method went through all its runs, so there is nothing to compare; see why above.")
    report = tradeoff.to_dict(found, data, seeds=seeds, priced=priced) | {"table": table}
    write_text(folder / "frontier.json", json.dumps(report, indent=2))
    pictures = tradeoff.draw(found, data, folder, priced=priced)
    if as_json:
        print(json.dumps(report, indent=2))
    else:
        _print_table(console, found, priced=priced)
        files = ", ".join(str(path) for path in (*pictures, folder / "frontier.json"))
        splits = "1 split" if n_seeds == 1 else f"{n_seeds} splits"
        console.print(f"{splits}, {time.perf_counter() - start:.0f} s. {files}", style="dim")
    return not outcome.failures


def _folder(results: Path, name: str, table: str | None) -> Path:
    """Where a comparison is written: a folder of the table's name, or one beside it where that is another table's."""
    folder = results / name
    try:
        before = json.loads((folder / "frontier.json").read_text(encoding="utf-8")).get("table", table)
    except (OSError, ValueError):
        return folder
    return folder if before == table else results / f"{name}-{sha256((table or name).encode()).hexdigest()[:8]}"


def _print_account(console: Console, name: str, card: str, account: Sequence[str]) -> None:
    console.print(name, style="bold", markup=False)
    console.print(card, markup=False)
    for sentence in account:
        console.print(f"done:     {sentence}", markup=False)
    console.print()


def _print_table(console: Console, found: Comparison, *, priced: bool) -> None:
    what = "price" if priced else "questions"
    table = Table(box=SIMPLE, pad_edge=False)
    table.add_column("method", no_wrap=True)
    near = [f"{what}\nat -{round(100 * off)} point{'s' if off > 0.01 else ''}" for off in CLOSE]
    for heading in ("area", *near, f"most accurate\n@ {what}"):
        table.add_column(heading, justify="right", no_wrap=True)
    for one in sorted(found.frontiers, key=lambda one: -one.area):
        prices = ["–" if price is None else f"{price:.2f}" for price in one.prices_close]
        top = max(one.points, key=lambda point: (point.accuracy.mean, -point.price.mean))
        most = f"{top.accuracy.mean:.3f} @ {top.price.mean:.2f}"
        table.add_row(METHODS[one.method].label, f"{one.area:.3f}", *prices, most)
    console.print(table)
    if found.best_whole is not None:
        best = found.best_whole
        console.print(
            f"The best that reads all features ({found.full_price:g} a case): {METHODS[best.method].label}, "
            f"{best.accuracy.mean:.3f} ± {best.accuracy.error:.3f}; -1 and -5 points are from that. The area under the "
            "frontier is the accuracy to be had for a budget, averaged over all budgets up to that price. Ours are "
            "swept over what a mistake is worth, the printed algorithm over its hypotheses, peers over how many "
            "features they are given: the best in hindsight, for nothing."
        )
