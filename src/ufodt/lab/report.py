"""One self-contained page: every claim with its verdict, every figure beside the paper's numbers.

What depends on the clock stands between `<!-- times -->` and `<!-- /times -->`; all else is the same whenever the same
runs are there.
"""

import base64
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from importlib.resources import files
from pathlib import Path

from ufodt.lab import claims, plots, styles, tables
from ufodt.lab.campaign import Found, Outcome
from ufodt.lab.claims import FAILS, HOLDS, ONLY_ALL, Verdict
from ufodt.lab.experiment import QUICK_CASES, QUICK_SEEDS, Declaration, code, seeds_for, versions, write_text
from ufodt.lab.material import TITLES, material, seeds_of
from ufodt.lab.methods import METHODS
from ufodt.lab.regret import WORLDS
from ufodt.lab.tables import Table

_SIGNS = {HOLDS: ("yes", "✓"), ONLY_ALL: ("half", "◐"), FAILS: ("no", "✗")}


def write(
    declared: Sequence[Declaration],
    found: Found,
    results: Path,
    *,
    missing: dict[str, str] | None = None,
    outcome: Outcome | None = None,
    absent: Mapping[str, tuple[int, int]] | None = None,
) -> Path:
    """Draw all figures, decide all claims, and return the page that shows them.

    It names the data sets that are `missing` and the experiments that are `absent`, with how many runs of how many
    are there.
    """
    missing = {name: why for name, why in (missing or {}).items() if any(name in one.datasets for one in declared)}
    sections, verdicts = [], []
    for one in declared:
        figure = plots.draw(one, found)
        picture = None if figure is None else styles.save(figure, results / "figures", one.name)[0]
        decided = claims.decide(one, found)
        verdicts += [(one, verdict) for verdict in decided]
        sections.append(_section(one, found, picture, decided))
    parts = [
        _head(found, missing, outcome or Outcome(), absent or {}),
        _verdicts(verdicts),
        *sections,
        _protocol(declared, found, missing),
        _times(declared, found),
    ]
    style = files(__package__).joinpath("report.css").read_text(encoding="utf-8")
    page = (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" '
        f'content="width=device-width"><title>UFODT reproduced</title><style>\n{style}</style></head>\n'
        f"<body><main>\n{''.join(parts)}</main></body></html>\n"
    )
    path = results / "report.html"
    write_text(path, page)
    return path


def _head(found: Found, missing: Mapping[str, str], outcome: Outcome, absent: Mapping[str, tuple[int, int]]) -> str:
    text = [
        "<h1>UFODT reproduced</h1>",
        "<p>Every figure and table of <em>Efficient Online Decision Tree Learning with Active Feature Acquisition</em> "
        "(IJCAI 2023), run again by this package. The paper shows what a few questions cost beside what <em>all</em> "
        "features are worth; here both are measured: hold-out answers <b>from paid features only</b>, and, apart, from "
        "all features as in the paper. “Printed” is the algorithm as the paper has it, “ufodt” are this package's own "
        "settings. ± is one standard error over seeds; published figures were recovered from the authors' public "
        "result files.</p>",
    ]
    if found.quick:
        text.append(
            f'<p class="warn">A quick look: {QUICK_SEEDS} seeds, streams of at most {QUICK_CASES} cases, no tuned '
            "trees. No verdict counts.</p>"
        )
    text += [
        f'<p class="warn">{escape(TITLES.get(name, name))} was not run: {escape(why)}</p>'
        for name, why in missing.items()
    ]
    text += [
        f'<p class="warn">Failed: {escape(job)}: {escape(why)}</p>' for job, why in sorted(outcome.failures.items())
    ]
    if absent:
        listed = "".join(
            f"<li>{escape(title)} <small>({n_there} of {n_wanted} runs are there)</small></li>"
            for title, (n_there, n_wanted) in absent.items()
        )
        text.append(f'<div class="warn">Not on this page, for want of results:<ul>{listed}</ul></div>')
    return "\n".join(text) + "\n"


def _verdicts(decided: Sequence[tuple[Declaration, Verdict]]) -> str:
    rows = []
    for declared, verdict in decided:
        row = (
            f'<tr><td>{escape(verdict.claim.says)}</td><td><a href="#{declared.name}">{escape(verdict.claim.where)}</a>'
            f"</td><td>{_outcome(verdict)}</td></tr>"
        )
        rows.append(_timed(row) if verdict.is_timed else row)
    if not rows:
        return ""
    return (
        "<h2>Claims and verdicts</h2>\n<p>A claim on test utility <em>holds</em> if it does so from paid features on "
        "every data set it speaks of; it <em>holds only with all features</em> if the hold-out must be read whole for "
        "it. “Comparable” allows the margin named below the figure; “better” asks for two standard errors of the "
        'paired difference.</p>\n<table class="verdicts"><tr><th>claim</th><th>where</th><th>verdict</th></tr>\n'
        + "\n".join(rows)
        + "\n</table>\n"
    )


def _outcome(verdict: Verdict) -> str:
    kind, sign = _SIGNS.get(verdict.outcome, ("open", "?"))
    counts = []
    for regime, name in (("paid", "paid"), ("all", "all"), ("", "")):
        passed, n = verdict.counts(regime)
        if n:
            counts.append(f"{name} {passed} of {n}".strip())
    said = f" <small>({', '.join(counts)})</small>" if counts else ""
    return f'<span class="{kind}">{sign} {verdict.outcome}</span>{said}'


def _section(declared: Declaration, found: Found, picture: Path | None, decided: Sequence[Verdict]) -> str:
    text = [f'<section id="{declared.name}"><h2>{escape(declared.title)}</h2>', f"<p>{escape(declared.about)}</p>"]
    if picture is None:
        text.append('<p class="warn">No run of this experiment is there.</p>')
    else:
        image = base64.b64encode(picture.read_bytes()).decode()
        text.append(
            f'<figure><img alt="{escape(declared.title)}" src="data:image/png;base64,{image}">'
            f"<figcaption>Also as <code>figures/{declared.name}.svg</code>. Bands and bars are one standard error."
            "</figcaption></figure>"
        )
    if declared.kind == "table":
        text += [
            "<h3>Test utility from paid features, the paper's metric</h3>",
            _table(tables.nine(declared, found), "wide"),
            "<p>Bold: best of the methods without hindsight. The paper's figure is its test utility <em>with all "
            "features</em>, at the questions it asked on the stream.</p>",
            _folded("The same with all features", _table(tables.nine(declared, found, regime="all"), "wide")),
            _folded("Accuracy, paid features", _table(tables.nine(declared, found, metric="accuracy"), "wide")),
            _folded("Weighted F1, paid features", _table(tables.nine(declared, found, metric="weighted_f1"), "wide")),
            _folded("Macro F1, paid features", _table(tables.nine(declared, found, metric="macro_f1"), "wide")),
            _folded(
                "On the stream: questions, online utility, and both hold-outs",
                _table(tables.beside_published(declared, found)),
            ),
        ]
    elif declared.kind == "sweep":
        text.append(_folded("Numbers", _table(tables.swept(declared, found), "wide")))
    elif declared.kind == "regret":
        text.append(_folded("Numbers", _table(tables.regrets(declared, found))))
    else:
        text.append(_folded("Numbers beside the paper's", _table(tables.beside_published(declared, found))))
    for verdict in decided:
        margin = f" Margin {verdict.claim.margin:g}." if verdict.claim.margin else ""
        block = (
            f'<div class="claim"><p><b>{escape(verdict.claim.says)}</b> {_outcome(verdict)}{margin}</p>'
            + _folded("Comparisons", _table(tables.compared(verdict)))
            + "</div>"
        )
        text.append(_timed(block) if verdict.is_timed else block)
    if declared.departures:
        items = "".join(f"<li>{escape(departure)}</li>" for departure in declared.departures)
        text.append(f"<p>Departures from the paper's experiment:</p><ul>{items}</ul>")
    return "\n".join(text) + "</section>\n"


def _protocol(declared: Sequence[Declaration], found: Found, missing: Mapping[str, str]) -> str:
    names = list(dict.fromkeys(name for one in declared for name in one.datasets))
    cards = []
    for name in names:
        if name in missing or name in WORLDS:
            continue
        rows = material(name, seeds_of(name, 1)[0])
        card = escape(rows.everything.card.to_text())
        notes = "".join(f"\nhere:     {escape(note)}" for note in rows.notes)
        seeds = {seeds_for(one, name, quick=found.quick) for one in declared if name in one.datasets}
        longest = max(seeds, key=len)
        cards.append(
            f"<h4>{escape(TITLES.get(name, name))}</h4><pre>{card}{notes}\nstream:   {len(rows.stream.y)} cases, "
            f"hold-out {len(rows.holdout_at(len(rows.stream.y)).y)}\nseeds:    {longest[0]} to {longest[-1]}</pre>"
        )
    tuning = tables.tuned(found, names)
    packages = ", ".join(f"{name} {version}" for name, version in versions().items())
    return (
        "<section><h2>How it was done</h2>\n<p>Test figures are means over the looks in the last quarter of the "
        "stream, as the paper's targets are; looks before the last ask about at most 500 hold-out rows. Where the "
        "paper's method draws theta to answer with all features, five draws are averaged. Trees read binary values as "
        "nominal. Records of every case are in <code>records/</code>, one Parquet file per run with its manifest "
        "inside.</p>"
        + (_folded("Settings of the tuned trees", _table(tuning)) if tuning.rows else "")
        + _folded("Data sets", "".join(cards))
        + f"<p><small>Code {code()}; {escape(packages)}.</small></p></section>\n"
    )


def _times(declared: Sequence[Declaration], found: Found) -> str:
    """CPU time per case of every method, in the marked place."""
    seconds: dict[str, list[tuple[float, int]]] = {}
    for one in declared:
        for dataset in one.datasets:
            for method in one.methods_on(dataset):
                for value in one.values_on(dataset):
                    for run in found.runs(one, dataset, method, value).values():
                        seconds.setdefault(method, []).append((run["cpu_seconds"], run["summary"]["n_cases"]))
    rows = ""
    for method, runs in seconds.items():
        if method != "boosting":
            micros = 1e6 * sum(s for s, _ in runs) / sum(n for _, n in runs)
            rows += f"<tr><td>{escape(METHODS[method].label)}</td><td>{micros:,.0f}</td></tr>"
    table = f"<table><tr><th>method</th><th>µs per case</th></tr>{rows}</table>"
    return _timed(
        "<section><h2>Times</h2><p>CPU time of a case on the stream, over all runs shown. This part of the page may "
        f"differ from one reproduction to the next.</p>{_folded('Times', table)}</section>"
    )


def _timed(text: str) -> str:
    return f"<!-- times -->{text}<!-- /times -->"


def _folded(title: str, inside: str) -> str:
    return f"<details><summary>{escape(title)}</summary>{inside}</details>"


def _table(table: Table, kind: str = "") -> str:
    def row(name: str, cells: Iterable[tables.Cell]) -> str:
        filled = []
        for cell in cells:
            text = f"<b>{escape(cell.text)}</b>" if cell.best else escape(cell.text)
            lines = escape(cell.beside).replace("\n", "<br>")
            beside = f"<br><small>{lines}</small>" if lines else ""
            filled.append(f"<td>{text}{beside}</td>")
        return f"<tr><th>{escape(name)}</th>{''.join(filled)}</tr>"

    heading = "".join(f"<th>{escape(name)}</th>" for name in table.heading)
    body = "\n".join(row(name, cells) for name, cells in table.rows)
    return f'<div class="scroll"><table class="{kind}"><tr>{heading}</tr>\n{body}</table></div>'
