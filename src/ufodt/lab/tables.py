"""Tables of a report as rows of text: every number comes from a run or from the published figures."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ufodt.lab.campaign import Found
from ufodt.lab.claims import Comparison, Verdict, by_seed, exponents
from ufodt.lab.experiment import Declaration
from ufodt.lab.material import TITLES
from ufodt.lab.methods import METHODS
from ufodt.lab.published import PUBLISHED, STAGGER_QUESTIONS, SWEEP
from ufodt.lab.verdict import Spread, spread

NOTHING = "–"
COLUMNS = {"questions": "questions per case", "online": "online utility", "all": "test, all features"}
COLUMNS |= {"paid": "test, paid features", "total_questions": "questions in all"}


@dataclass(frozen=True)
class Cell:
    """What stands in a cell: a figure of ours, and small beside it the published one or another remark."""

    text: str
    beside: str = ""
    best: bool = False


@dataclass(frozen=True)
class Table:
    """A heading, a first column of names, and cells."""

    heading: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Cell, ...]], ...]


def amount(found: Spread, digits: int = 3) -> str:
    """Return a mean with its standard error.

    >>> amount(Spread(0.7456, 0.0021)), amount(Spread(343.28, 11.04), 1)
    ('0.746 ± 0.002', '343.3 ± 11.0')
    """
    return f"{found.mean:.{digits}f} ± {found.error:.{digits}f}"


def _figure(values: Mapping[int, float], digits: int = 3) -> str:
    return amount(spread(values.values()), digits) if values else NOTHING


def nine(declared: Declaration, found: Found, *, metric: str | None = None, regime: str = "paid") -> Table:
    """Return methods × data sets: hold-out utility at the questions per hold-out case, the paper's test figure beside.

    The best of the methods that learn online and have no hindsight is marked on every data set.
    """
    methods = list(dict.fromkeys(m for d in declared.datasets for m in declared.methods_on(d)))
    no_contest = {"oracle", "static", "boosting"}
    tops: dict[str, float] = {}
    values: dict[tuple[str, str], dict[int, float]] = {}
    for dataset in declared.datasets:
        for method in methods:
            if method in declared.methods_on(dataset):
                values[method, dataset] = _utility(declared, found, dataset, method, regime, metric)
        means = [spread(v.values()).mean for (m, d), v in values.items() if d == dataset and v and m not in no_contest]
        tops[dataset] = max(means, default=0.0)
    rows = []
    for method in methods:
        cells = []
        for dataset in declared.datasets:
            figures = values.get((method, dataset), {})
            if not figures:
                cells.append(Cell(NOTHING))
                continue
            questions = spread(by_seed(found, declared, dataset, method, "paid_questions").values())
            cost = f"@ {questions.mean:.1f}" if regime == "paid" else ""
            top = spread(figures.values()).mean >= tops[dataset] - 5e-4 and method not in no_contest
            beside = published_test(dataset, method) if metric is None else ""
            remarks = [remark for remark in (cost, beside and f"paper {beside}") if remark]
            cells.append(Cell(_figure(figures), "\n".join(remarks), top))
        rows.append((METHODS[method].label, tuple(cells)))
    titles = [TITLES.get(dataset, dataset) for dataset in declared.datasets]
    return Table(("method", *titles), tuple(rows))


def _utility(
    declared: Declaration, found: Found, dataset: str, method: str, regime: str, metric: str | None
) -> dict[int, float]:
    runs = found.runs(declared, dataset, method)
    figures = {seed: run["summary"][regime][metric or run["metric"]] for seed, run in runs.items()}
    return {seed: figure for seed, figure in figures.items() if figure is not None}


def published_test(dataset: str, method: str) -> str:
    """Return the paper's hold-out figure, from all features; empty where there is none."""
    name = METHODS[method].published or ""
    published = PUBLISHED.get((dataset, name))
    if published is None or published.test is None or method.endswith(("-tuned", "-adaptive")):
        return ""
    return f"{published.test:.3f}\n@ {published.questions:.1f}"


def beside_published(declared: Declaration, found: Found) -> Table:
    """Return data set and method × measures, ours and the published figure."""
    columns = [c for c in COLUMNS if declared.kind != "totals" or c in (*declared.measures, "online", "paid")]
    columns = [c for c in columns if c != "total_questions" or declared.kind == "totals"]
    rows = []
    for dataset in declared.datasets:
        for method in declared.methods_on(dataset):
            figures = {c: by_seed(found, declared, dataset, method, c) for c in columns}
            if not any(figures.values()):
                continue
            cells = [
                Cell(_figure(figures[c], 2 if c == "questions" else 1 if c == "total_questions" else 3),
                     _published(dataset, method, c))
                for c in columns
            ]  # fmt: skip
            n = max(len(f) for f in figures.values())
            rows.append((f"{TITLES.get(dataset, dataset)}, {METHODS[method].label}", (*cells, Cell(str(n)))))
    return Table(("", *(COLUMNS[c] for c in columns), "seeds"), tuple(rows))


def _published(dataset: str, method: str, column: str) -> str:
    name = METHODS[method].published or ""
    if column == "total_questions":
        total = STAGGER_QUESTIONS.get(name)
        return f"paper {total[0]:.1f} ± {total[1]:.1f}" if total and dataset == "stagger" else ""
    published = PUBLISHED.get((dataset, name))
    if published is None or method.endswith(("-tuned", "-adaptive")):
        return ""
    value, error = {
        "questions": (published.questions, published.questions_error),
        "online": (published.online, published.online_error),
        "all": (published.test, published.test_error),
    }.get(column, (None, None))
    if value is None:
        return ""
    digits = 2 if column == "questions" else 3
    return f"paper {value:.{digits}f}" + (f" ± {error:.{digits}f}" if error is not None else "")


def swept(declared: Declaration, found: Found) -> Table:
    """Return data set and method × swept values of every measure, with the published sweep beside."""
    rows = []
    for dataset in declared.datasets:
        for method in declared.methods_on(dataset):
            for measure in declared.measures:
                cells = []
                for value in declared.values_on(dataset):
                    figures = by_seed(found, declared, dataset, method, measure, value)
                    point = SWEEP.get((dataset, METHODS[method].published or "", value)) if figures else None
                    beside = getattr(point, measure, None) if declared.swept == "n_hypotheses" else None
                    digits = 2 if measure == "questions" else 3
                    text = f"{value:g}: {_figure(figures, digits)}"
                    cells.append(Cell(text, f"paper {beside:.{digits}f}" if beside is not None else ""))
                rows.append((f"{TITLES.get(dataset, dataset)}, {METHODS[method].label}, {measure}", tuple(cells)))
    widest = max((len(cells) for _, cells in rows), default=0)
    padded = tuple((name, (*cells, *[Cell("")] * (widest - len(cells)))) for name, cells in rows)
    return Table(("", *([f"{declared.swept}: value"] + [""] * (widest - 1))[:widest]), padded)


def regrets(declared: Declaration, found: Found) -> Table:
    """Return the exponents of cumulative regret, and the regret of the last case."""
    rows = []
    for dataset in declared.datasets:
        for method in declared.methods_on(dataset):
            runs = found.runs(declared, dataset, method)
            if not runs:
                continue
            cells = []
            for measure in declared.measures:
                slope = exponents(found, declared, dataset, method, measure)
                total = {seed: run["summary"]["regret"][measure][-1] for seed, run in runs.items()}
                cells += [Cell(_figure(slope)), Cell(_figure(total, 1))]
            n_cases = max(run["summary"]["n_cases"] for run in runs.values())
            name = f"{TITLES.get(dataset, dataset)}, {METHODS[method].label}"
            rows.append((name, (*cells, Cell(f"{n_cases:,}"), Cell(str(len(runs))))))
    heading = [f"{what} in {measure}" for measure in declared.measures for what in ("exponent", "regret")]
    return Table(("", *heading, "cases", "seeds"), tuple(rows))


def compared(verdict: Verdict) -> Table:
    """Return the comparisons behind a verdict."""
    rows = []
    for c in verdict.comparisons:
        regime = {"paid": "paid features", "all": "all features"}.get(c.regime, "")
        same = c.ours == c.others
        who = METHODS[c.ours].label if same else f"{METHODS[c.ours].label} against {METHODS[c.others].label}"
        rows.append(
            (c.where, (Cell(regime), Cell(who), Cell(difference(c)), Cell("as claimed" if c.passes else "not")))
        )
    return Table(("where", "test with", "compared", "difference", ""), tuple(rows))


def difference(comparison: Comparison) -> str:
    """Return a difference with its sign, or how many times faster."""
    mean, error = comparison.difference
    if comparison.is_time:
        return f"{mean:.1f} ± {error:.1f} times faster"
    if comparison.where.endswith("exponent"):
        return f"{mean:.2f} ± {error:.2f}"
    digits = 2 if abs(mean) >= 1 else 3
    return f"{mean:+.{digits}f} ± {error:.{digits}f}"


def tuned(found: Found, datasets: Iterable[str]) -> Table:
    """Return the settings that the declared grid gave."""
    rows: list[tuple[str, tuple[Cell, ...]]] = []
    for dataset in datasets:
        for kind in ("vfdt", "efdt", "hat"):
            outcome: dict[str, Any] | None = found.tuned(dataset, kind)
            if outcome is not None:
                setting = ", ".join(f"{name} {value}" for name, value in outcome["setting"].items())
                worst = min(accuracy for _, accuracy in outcome["scores"])
                cells = (Cell(kind.upper()), Cell(setting), Cell(f"{outcome['accuracy']:.3f}"), Cell(f"{worst:.3f}"))
                rows.append((TITLES.get(dataset, dataset), (*cells, Cell(str(outcome["cases"])))))
    heading = ("data set", "tree", "best setting", "its online accuracy", "worst setting's", "cases tuned on")
    return Table(heading, tuple(rows))
