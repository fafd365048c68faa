"""The figures of experiments, one way of drawing for each kind."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ufodt.lab.campaign import Found
from ufodt.lab.claims import by_seed, measured
from ufodt.lab.experiment import Declaration
from ufodt.lab.material import TITLES
from ufodt.lab.methods import METHODS
from ufodt.lab.published import PUBLISHED, STAGGER_QUESTIONS, SWEEP
from ufodt.lab.styles import drawing, finish, grid, style_of
from ufodt.lab.verdict import Spread, spread

MEASURES = {
    "all": "test utility,\nall features",
    "paid": "test utility,\npaid features only",
    "all_mean": "mean test utility,\nall features",
    "paid_mean": "mean test utility,\npaid features only",
    "online": "online utility",
    "questions": "questions per case",
    "total_questions": "questions in all",
}
METRICS = {"accuracy": "accuracy", "weighted_f1": "weighted F1", "binary_f1": "F1 of label 1", "macro_f1": "macro F1"}
SETTINGS = {
    "n_hypotheses": "number of hypotheses",
    "prior": "quality of the prior",
    "delay": "cases before the label comes",
    "missing": "share of labels that never come",
}
REGRETS = {"utility": "cumulative regret,\nutility", "cost": "cumulative regret,\nprice and loss"}
DRIFTS = {"stagger": (60, 120)}


def draw(declared: Declaration, found: Found) -> Any:
    """Return the figure of an experiment, None if no run of it is there."""
    with drawing() as plt:
        return _KINDS[declared.kind](plt, declared, found)


def _drawn(declared: Declaration, found: Found) -> list[str]:
    """The methods shown, as far as any run of them is there."""
    wanted = declared.draw or tuple(dict.fromkeys(m for d in declared.datasets for m in declared.methods_on(d)))
    return [m for m in wanted if any(found.runs(declared, d, m, declared.values_on(d)[0]) for d in declared.datasets)]


def _title(found: Found, declared: Declaration, dataset: str, measures: Sequence[str]) -> str:
    name = TITLES.get(dataset, dataset)
    if all("questions" in measure for measure in measures):
        return name
    for method in declared.methods_on(dataset):
        for run in found.runs(declared, dataset, method, declared.values_on(dataset)[0]).values():
            return f"{name} ({METRICS[run['metric']]})"
    return name


class Labels(NamedTuple):
    """What stands around a grid of panels."""

    title: Callable[[str], str]  # of a data set, above its column
    below: str  # under the last row
    beside: Mapping[str, str]  # of every measure, beside its row


def _panels(
    plt: Any,
    declared: Declaration,
    methods: Sequence[str],
    panel: Callable[[Any, str, str], bool],
    labels: Labels,
    *,
    each: tuple[float, float] = (2.5, 2.05),
    alone: tuple[float, float],
    legend: Sequence[str] | None = None,
    markers: str = "",
) -> Any:
    """A row per measure and a column per data set, drawn by `panel`, which says whether there are rings in it.

    A panel is as wide and high as `each`, or as `alone` where there is one data set.
    """
    if not methods:
        return None
    rows, columns = len(declared.measures), len(declared.datasets)
    width, height = alone if columns == 1 else each
    figure, axes, per_row = grid(plt, rows, columns, methods, width=width, height=height)
    ringed = False
    for i, measure in enumerate(declared.measures):
        for j, dataset in enumerate(declared.datasets):
            axis = axes[i, j]
            ringed |= panel(axis, dataset, measure)
            axis.set_title(labels.title(dataset) if i == 0 else "")
            axis.set_xlabel(labels.below if i == rows - 1 else "")
            axis.set_ylabel(labels.beside[measure] if j == 0 else "")
    return finish(figure, methods if legend is None else legend, per_row, rings=ringed, markers=markers)


def _curves(plt: Any, declared: Declaration, found: Found) -> Any:
    """Measures over the stream, mean over seeds with one standard error; a row per measure, a column per data set."""
    methods = _drawn(declared, found)

    def panel(axis: Any, dataset: str, measure: str) -> bool:
        ringed = False
        for method in methods:
            runs = found.runs(declared, dataset, method)
            if runs and not (measure == "questions" and reads_all(method)):
                _line(axis, method, *_over_time(runs, measure))
                ringed |= _ring(axis, dataset, method, measure, runs)
            elif runs:
                _all_features(axis, next(iter(runs.values()))["summary"]["n_features"])
        for drift in DRIFTS.get(dataset, ()):
            axis.axvline(drift, color="#888888", linestyle=(0, (2, 2)), linewidth=0.9)
        if measure == "questions":
            axis.set_ylim(bottom=0)
        return ringed

    lines = [m for m in methods if set(declared.measures) != {"questions"} or not reads_all(m)]
    labels = Labels(lambda dataset: _title(found, declared, dataset, declared.measures), "cases", MEASURES)
    return _panels(plt, declared, methods, panel, labels, alone=(7.0, 2.6), legend=lines)


def reads_all(method: str) -> bool:
    """Whether a method reads, and pays for, every feature of every case.

    >>> reads_all("vfdt"), reads_all("ufodt"), reads_all("static")
    (True, False, False)
    """
    return method == "ufodt-all" or not method.startswith(("ufodt", "paper", "static", "oracle", "constant"))


def _all_features(axis: Any, n_features: int) -> None:
    """One line for all methods that read everything."""
    axis.axhline(n_features, color="#888888", linestyle=(0, (4, 2)), linewidth=1.0)
    axis.annotate(
        "peers: all features", (0.5, n_features), (0, -9), xycoords=("axes fraction", "data"),
        textcoords="offset points", fontsize=7, color="#666666", ha="center",
    )  # fmt: skip


def _over_time(runs: Mapping[int, Mapping[str, Any]], measure: str) -> tuple[list[float], list[Spread]]:
    """Where each look is, averaged over the seeds (folds differ by a case), and what is found there."""
    at: dict[int, list[int]] = {}
    found: dict[int, list[float]] = {}
    for run in runs.values():
        for number, one in enumerate(run["looks"]):
            figure = one[measure]
            value = figure[run["metric"]] if isinstance(figure, Mapping) else figure
            if value is not None:
                at.setdefault(number, []).append(one["at"])
                found.setdefault(number, []).append(value)
    return [float(np.mean(at[number])) for number in sorted(at)], [spread(found[number]) for number in sorted(found)]


def _line(axis: Any, method: str, x: Any, y: Sequence[Spread], *, marked: bool = False) -> None:
    drawn, mean, error = style_of(method), np.array([s.mean for s in y]), np.array([s.error for s in y])
    marker = {"marker": drawn.marker, "markersize": 4} if marked else {}
    axis.plot(x, mean, color=drawn.colour, linestyle=drawn.line, **marker)
    axis.fill_between(x, mean - error, mean + error, color=drawn.colour, alpha=0.15, linewidth=0)


def _ring(axis: Any, dataset: str, method: str, measure: str, runs: Mapping[int, Mapping[str, Any]]) -> bool:
    """The published figure at the right edge, where there is one."""
    published = PUBLISHED.get((dataset, METHODS[method].published or ""))
    if published is None or method.endswith(("-tuned", "-adaptive")):
        return False
    value = {"all": published.test, "questions": published.questions, "online": published.online}.get(measure)
    if value is None:
        return False
    end = max(run["summary"]["n_cases"] for run in runs.values())
    axis.plot([end * 1.03], [value], marker="o", mfc="none", mec=style_of(method).colour, ms=6, clip_on=False)
    return True


def _sweep(plt: Any, declared: Declaration, found: Found) -> Any:
    """Measures against the swept setting; a row per measure, a column per data set."""
    methods = _drawn(declared, found)

    def panel(axis: Any, dataset: str, measure: str) -> bool:
        ringed, values = False, declared.values_on(dataset)
        for method in methods:
            figures = [by_seed(found, declared, dataset, method, measure, value) for value in values]
            if all(figures):
                _line(axis, method, values, [spread(f.values()) for f in figures], marked=True)
            for value in values if declared.swept == "n_hypotheses" else ():
                point = SWEEP.get((dataset, METHODS[method].published or "", value))
                shown = {"questions": "questions", "online": "online"}.get(measure)
                if point is not None and shown and (published := getattr(point, shown)) is not None:
                    axis.plot([value], [published], marker="o", mfc="none", mec=style_of(method).colour, ms=6)
                    ringed = True
        return ringed

    swept = SETTINGS.get(declared.swept or "", declared.swept or "")
    labels = Labels(lambda dataset: _title(found, declared, dataset, declared.measures), swept, MEASURES)
    return _panels(plt, declared, methods, panel, labels, alone=(6.5, 2.5), markers="too")


def _totals(plt: Any, declared: Declaration, found: Found) -> Any:
    """One figure per method as a dot with its standard error, the published one as a ring."""
    methods = _drawn(declared, found)
    if not methods:
        return None
    measure, dataset = declared.measures[0], declared.datasets[0]
    figure, axes = plt.subplots(figsize=(6.5, 0.34 * len(methods) + 0.9), layout="constrained")
    for row, method in enumerate(reversed(methods)):
        total = spread(by_seed(found, declared, dataset, method, measure).values())
        drawn = style_of(method)
        axes.errorbar(total.mean, row, xerr=total.error, color=drawn.colour, marker=drawn.marker, capsize=2)
        published = STAGGER_QUESTIONS.get(METHODS[method].published or "")
        if published is not None and dataset == "stagger":
            axes.plot([published[0]], [row], marker="o", mfc="none", mec="#444444", ms=9, linestyle="")
    axes.set_yticks(range(len(methods)), [METHODS[m].label for m in reversed(methods)])
    axes.set_xlabel(f"{MEASURES[measure]} on {TITLES.get(dataset, dataset)} (ring: published)")
    axes.set_xlim(left=0)
    axes.set_ylim(-0.6, len(methods) - 0.4)
    return figure


def _scatter(plt: Any, declared: Declaration, found: Found) -> Any:
    """What the hold-out answers of each method cost and are worth, a panel per data set."""
    methods = _drawn(declared, found)
    if not methods:
        return None
    n_columns = 3
    n_rows = math.ceil(len(declared.datasets) / n_columns)
    figure, axes, per_row = grid(plt, n_rows, n_columns, methods, width=2.9, height=2.3)
    for axis in axes.flat[len(declared.datasets) :]:
        axis.set_axis_off()
    for axis, dataset in zip(axes.flat, declared.datasets, strict=False):
        for method in methods:
            runs = found.runs(declared, dataset, method)
            utility = [measured(run, "paid", run["metric"]) for run in runs.values()]
            known = [value for value in utility if value is not None]
            if known:
                x, y = spread(run["summary"]["paid_questions"] for run in runs.values()), spread(known)
                drawn = style_of(method)
                axis.errorbar(
                    x.mean, y.mean, yerr=y.error, color=drawn.colour, marker=drawn.marker, ms=5, elinewidth=0.8
                )
        axis.set_title(_title(found, declared, dataset, declared.measures))
        axis.set_xlim(left=-0.5)
    for axis in axes[-1]:
        axis.set_xlabel("questions per hold-out case")
    for row in axes:
        row[0].set_ylabel(MEASURES["paid"])
    return finish(figure, methods, per_row, rings=False, markers="only")


def _regret(plt: Any, declared: Declaration, found: Found) -> Any:
    """Cumulative regret on logarithmic axes, with the shapes of both bounds through the first method's curve."""
    methods = _drawn(declared, found)

    def panel(axis: Any, dataset: str, measure: str) -> bool:
        for method in methods:
            runs = found.runs(declared, dataset, method)
            if not runs:
                continue
            at = np.array(next(iter(runs.values()))["summary"]["at"])
            curves = [spread(v) for v in zip(*(r["summary"]["regret"][measure] for r in runs.values()), strict=True)]
            _line(axis, method, at, curves)
            if method == methods[0]:
                _bounds(axis, at, np.array([curve.mean for curve in curves]))
        axis.set(xscale="log", yscale="log")
        return False

    labels = Labels(lambda dataset: TITLES.get(dataset, dataset), "cases", REGRETS)
    return _panels(plt, declared, methods, panel, labels, each=(3.6, 2.5), alone=(3.6, 2.5))


def _bounds(axis: Any, at: Any, curve: Any) -> None:
    """The shapes of the bounds, moved to meet a curve at its middle."""
    middle = len(at) // 2
    shapes = {"√T": np.sqrt(at), "√(T log T)": np.sqrt(at * np.log(at + 1)), "T": at.astype(float)}
    for (name, shape), dashes in zip(shapes.items(), ((0, (1, 1)), (0, (4, 2)), "-"), strict=True):
        scaled = shape * curve[middle] / shape[middle]
        axis.plot(at[middle:], scaled[middle:], color="#999999", linewidth=0.9, linestyle=dashes)
        place = {"√T": "top", "√(T log T)": "bottom"}.get(name, "center")
        axis.annotate(
            name, (at[-1], scaled[-1]), (3, 0), textcoords="offset points", fontsize=7, color="#666666", va=place
        )


Drawing = Callable[[Any, Declaration, Found], Any]
_KINDS: dict[str, Drawing] = {
    "curves": _curves,
    "sweep": _sweep,
    "totals": _totals,
    "table": _scatter,
    "regret": _regret,
}
