"""Accuracy against price on any data set: every method swept over its own knob, on the same splits.

Ours are swept over what a mistake is worth, the printed algorithm over its number of hypotheses, and peers, which read
whole rows, over the number of features they are given: the best in hindsight, chosen on the stream for nothing.
Prices and accuracy are those of a hold-out of 20 % that teaches nothing.

>>> given = (0.0, 0.5), (1.0, 0.9)
>>> points = [Point("a", None, 0, Spread(price, 0.0), Spread(accuracy, 0.0)) for price, accuracy in given]
>>> area(points, full_price=2.0), price_within(points, 0.9, 0.05)
(0.7, 1.0)
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ufodt.errors import InvalidPolicy
from ufodt.lab import styles, till
from ufodt.lab.campaign import Found
from ufodt.lab.datasets import Dataset, to_problem
from ufodt.lab.evaluate import Protocol
from ufodt.lab.experiment import Run
from ufodt.lab.methods import METHODS
from ufodt.lab.verdict import Spread, spread

WORTHS = (2, 5, 10, 20, 50, 100, 200, 500)  # of a mistake, in mean prices
HYPOTHESES = (4, 8, 16, 32, 64, 128)
N_WIDTHS = 7  # numbers of features that peers are given
CLOSE = (0.01, 0.05)  # points of accuracy from the best model that reads all features
FREE = "constant"  # what anyone can answer without paying
WHOLE = "ufodt-all"  # naive Bayes of ours that buys every feature


@dataclass(frozen=True)
class Point:
    """One method at one setting of its knob: mean price of a hold-out case and accuracy, over seeds."""

    method: str
    knob: str | None
    value: Any
    price: Spread
    accuracy: Spread
    questions: Spread = Spread(0.0, 0.0)


@dataclass(frozen=True)
class Frontier:
    """What a method offers: its points by price, and the figures that sum them up."""

    method: str
    points: tuple[Point, ...]
    area: float
    prices_close: tuple[float | None, ...]


@dataclass(frozen=True)
class Comparison:
    """All frontiers, and the model they are measured against."""

    frontiers: tuple[Frontier, ...]
    full_price: float
    best_whole: Point | None


def default_methods(data: Dataset) -> tuple[str, ...]:
    """Return ours, the printed algorithm and the opponents that matter on such features."""
    bayes = "gaussian_nb" if "continuous" in data.kinds else "bernoulli_nb"
    return ("ufodt", "ufodt-ec2", "ufodt-random", "paper-ec2", "paper-ig", "static", bayes, "amf", "vfdt", "boosting")


def checked_methods(names: Iterable[str]) -> tuple[str, ...]:
    """Return the names, refused in words if one is not known; what pays nothing, or for all, joins in."""
    chosen = tuple(dict.fromkeys(name.strip() for name in names if name.strip()))
    unknown = [name for name in chosen if name not in METHODS]
    if unknown or not chosen:
        came = repr(unknown[0]) if unknown else "no method"
        raise InvalidPolicy(f"{came} came; expected some of {', '.join(METHODS)}.")
    return tuple(dict.fromkeys((*chosen, WHOLE, FREE)))


def settings_of(method: str, n_features: int) -> list[tuple[str | None, Any]]:
    """Return the values of a method's own knob, one nameless if it has none.

    >>> settings_of("vfdt", 3)
    [('k', 1), ('k', 2), ('k', 3)]
    """
    knows = METHODS[method].knows
    if not knows:
        return [(None, None)]
    values: Sequence[Any] = {"worth": WORTHS, "n_hypotheses": HYPOTHESES}.get(knows[0], _widths(n_features))
    return [(knows[0], value) for value in values]


def _widths(n_features: int) -> list[int]:
    """Numbers of features from 1 to all, in even ratios."""
    steps = [n_features ** (i / (N_WIDTHS - 1)) for i in range(N_WIDTHS)]
    return sorted({round(step) for step in steps} | {n_features})


def runs_of(
    data: str, methods: Sequence[str], seeds: Sequence[int], *, n_features: int, priced: bool, label: str | None = None
) -> Iterator[tuple[str, str | None, Any, Run]]:
    """Give every run of a comparison with its method and the setting of its knob."""
    for method in methods:
        for knob, value in settings_of(method, n_features):
            settings = () if knob is None else ((knob, value),)
            for seed in seeds:
                run = Run(data, method, seed, settings, Protocol(n_looks=1), priced=priced, label=label)
                yield method, knob, value, run


def compare(
    runs: Iterable[tuple[str, str | None, Any, Run]], found: Found, data: Dataset, *, priced: bool
) -> Comparison:
    """Return the frontiers of the finished runs."""
    by_setting: dict[tuple[str, str | None, Any], list[Mapping[str, Any]]] = {}
    for method, knob, value, run in runs:
        manifest = found.of(run)
        if manifest is not None:
            by_setting.setdefault((method, knob, value), []).append(manifest["summary"])
    points = [_point(*setting, summaries) for setting, summaries in by_setting.items()]
    free = [point for point in points if point.method == FREE]
    problem = to_problem(data, priced=priced)
    full_price = till.whole_price(problem, till.mean_surcharges(problem, data.X))
    whole = [p for p in points if p.method == WHOLE or (p.knob == "k" and p.value == data.X.shape[1])]
    best = max(whole, key=lambda point: point.accuracy.mean, default=None)
    frontiers = []
    for method in dict.fromkeys(point.method for point in points if point.method != FREE):
        own = sorted((p for p in points if p.method == method), key=lambda p: p.price.mean)
        close = tuple(
            None if best is None else price_within([*free, *own], best.accuracy.mean, points_off)
            for points_off in CLOSE
        )
        frontiers.append(Frontier(method, tuple(own), area([*free, *own], full_price), close))
    return Comparison(tuple(frontiers), full_price, best)


def _point(method: str, knob: str | None, value: Any, summaries: Sequence[Mapping[str, Any]]) -> Point:
    return Point(
        method,
        knob,
        value,
        spread(summary["paid_cost_final"] for summary in summaries),
        spread(summary["paid_final"]["accuracy"] for summary in summaries),
        spread(summary["paid_questions_final"] for summary in summaries),
    )


def steps(points: Iterable[Point]) -> list[tuple[float, float]]:
    """Return the prices at which more accuracy is to be had, and that accuracy, from the cheapest on."""
    found: list[tuple[float, float]] = []
    for point in sorted(points, key=lambda point: (point.price.mean, -point.accuracy.mean)):
        if not found or point.accuracy.mean > found[-1][1]:
            found.append((point.price.mean, point.accuracy.mean))
    return found


def area(points: Iterable[Point], full_price: float) -> float:
    """Return the accuracy to be had for a budget, averaged over all budgets from 0 to the price of all features.

    What costs more than a budget is not to be had for it; nothing, at price 0, is worth accuracy 0 here unless a point
    says otherwise.
    """
    total, last_price, last = 0.0, 0.0, 0.0
    for price, accuracy in steps(points):
        if price > full_price:
            break
        total += (price - last_price) * last
        last_price, last = price, accuracy
    return (total + (full_price - last_price) * last) / full_price if full_price else last


def price_within(points: Iterable[Point], accuracy: float, points_off: float) -> float | None:
    """Return the least price at which accuracy is at most so far off, None if it never is."""
    return next((price for price, reached in steps(points) if reached >= accuracy - points_off - 1e-12), None)


def to_dict(comparison: Comparison, data: Dataset, *, seeds: Sequence[int], priced: bool) -> dict[str, Any]:
    """Return a comparison for JSON, with the account of what was done to the table."""
    best = comparison.best_whole
    return {
        "data": data.name,
        "account": list(data.account),
        "n_rows": len(data.y),
        "n_features": data.X.shape[1],
        "priced": priced,
        "seeds": list(seeds),
        "full_price": comparison.full_price,
        "best_with_all_features": None if best is None else {"method": best.method, "accuracy": best.accuracy.mean},
        "methods": [
            {
                "method": frontier.method,
                "name": METHODS[frontier.method].label,
                "area": frontier.area,
                **{
                    f"price_within_{round(100 * off)}": price
                    for off, price in zip(CLOSE, frontier.prices_close, strict=True)
                },
                "points": [
                    {
                        "knob": point.knob,
                        "value": point.value,
                        "price": point.price.mean,
                        "price_error": point.price.error,
                        "accuracy": point.accuracy.mean,
                        "accuracy_error": point.accuracy.error,
                        "questions": point.questions.mean,
                    }
                    for point in frontier.points
                ],
            }
            for frontier in comparison.frontiers
        ],
    }


def draw(comparison: Comparison, data: Dataset, folder: Path, *, priced: bool) -> tuple[Path, Path]:
    """Write the frontiers as PNG and SVG: a point per setting, with one standard error."""
    methods = [frontier.method for frontier in comparison.frontiers]
    with styles.drawing() as plt:
        figure, axes, per_row = styles.grid(plt, 1, 1, methods, width=6.8, height=4.2)
        axis = axes[0, 0]
        for frontier in comparison.frontiers:
            drawn = styles.style_of(frontier.method)
            x, y = ([getattr(p, f).mean for p in frontier.points] for f in ("price", "accuracy"))
            errors = [point.accuracy.error for point in frontier.points]
            axis.errorbar(
                x, y, yerr=errors, color=drawn.colour, linestyle=drawn.line, marker=drawn.marker, ms=4, elinewidth=0.7
            )
        if comparison.best_whole is not None:
            axis.axhline(comparison.best_whole.accuracy.mean, color="#999999", linewidth=0.8, linestyle=(0, (1, 2)))
        axis.set_xlabel("price of a hold-out case" if priced else "questions per hold-out case (each costs 1)")
        axis.set_ylabel("hold-out accuracy")
        axis.set_title(f"{data.name}: accuracy against price (dotted: best with all features)")
        axis.set_xlim(left=0)
        styles.finish(figure, methods, per_row, rings=False, markers="too")
    return styles.save(figure, folder, "frontier")
