"""What the paper claims, decided by the runs: holds, holds only with all features, or does not hold.

A claim on utility is decided twice, with hold-out answers from paid features and from all features. Differences are
paired over seeds. `no_worse` allows a margin; `better` asks for two standard errors; of several methods on a side the
best on average stands for it, which favours the claim as much as its opponents.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ufodt.lab.campaign import Found
from ufodt.lab.evaluate import paired
from ufodt.lab.experiment import Claim, Declaration
from ufodt.lab.material import TITLES
from ufodt.lab.methods import METHODS
from ufodt.lab.verdict import Spread, spread

HOLDS, ONLY_ALL, FAILS, OPEN = "holds", "holds only with all features", "does not hold", "not decided"
CLEAR = 2.0  # standard errors
REGIMES = ("paid", "all")


@dataclass(frozen=True)
class Comparison:
    """Ours against theirs on one data set: the paired difference, and whether it is as the claim says."""

    where: str
    regime: str  # paid, all, or empty where there is only one
    ours: str
    others: str
    difference: Spread
    passes: bool
    is_time: bool = False


@dataclass(frozen=True)
class Verdict:
    """A claim and what the runs say to it."""

    claim: Claim
    outcome: str
    comparisons: tuple[Comparison, ...]

    @property
    def is_timed(self) -> bool:
        """Whether it rests on times, which differ from run to run."""
        return self.claim.test == "faster"

    def counts(self, regime: str) -> tuple[int, int]:
        """Return how many comparisons of a regime pass, and how many there are."""
        chosen = [c for c in self.comparisons if c.regime == regime]
        return sum(c.passes for c in chosen), len(chosen)


def measured(manifest: Mapping[str, Any], measure: str, metric: str) -> float | None:
    """Return a figure of a run: `paid`, `all`, their `…_mean` over the stream, `online`, or a cost.

    >>> measured({"summary": {"paid": {"accuracy": 0.7}, "questions": 3.0}}, "paid", "accuracy")
    0.7
    """
    found = manifest["summary"][measure]
    value = found[metric] if isinstance(found, Mapping) else found
    return None if value is None else float(value)


def by_seed(
    found: Found, declared: Declaration, dataset: str, method: str, measure: str, value: Any = None
) -> dict[int, float]:
    """Return a measure of every seed that was run."""
    runs = found.runs(declared, dataset, method, value)
    figures = {seed: measured(run, measure, run["metric"]) for seed, run in runs.items()}
    return {seed: figure for seed, figure in figures.items() if figure is not None}


def decide(declared: Declaration, found: Found) -> list[Verdict]:
    """Return a verdict on every claim of an experiment."""
    return [_decided(claim, declared, found) for claim in declared.claims]


def _decided(claim: Claim, declared: Declaration, found: Found) -> Verdict:
    comparisons = tuple(_TESTS[claim.test](claim, declared, found))
    regimes = [regime for regime in (*REGIMES, "") if any(c.regime == regime for c in comparisons)]
    if not regimes:
        return Verdict(claim, OPEN, ())
    passed = {regime: all(c.passes for c in comparisons if c.regime == regime) for regime in regimes}
    if passed.get("paid", passed.get("", False)):
        outcome = HOLDS
    else:
        outcome = ONLY_ALL if passed.get("all", False) else FAILS
    return Verdict(claim, outcome, comparisons)


# --- tests ---------------------------------------------------------------------------------------------

Test = Callable[[Claim, Declaration, Found], list[Comparison]]


def _regimes(claim: Claim) -> dict[str, str]:
    """Regime to measure: a claim on test utility has two, others one."""
    if claim.measure == "test":
        return {regime: regime for regime in REGIMES}
    if claim.measure == "mean":
        return {regime: f"{regime}_mean" for regime in REGIMES}
    return {"": claim.measure}


def _places(claim: Claim, declared: Declaration) -> list[tuple[str, Any, str]]:
    """Data set, swept value and a name for both, wherever the claim is to be decided."""
    places: list[tuple[str, Any, str]] = []
    for dataset in claim.datasets or declared.datasets:
        for value in (claim.at,) if claim.at and declared.swept else declared.values_on(dataset):
            name = TITLES.get(dataset, dataset)
            places.append((dataset, value, name if value is None else f"{name}, {declared.swept} {value:g}"))
    return places


def _best(figures: Mapping[str, dict[int, float]]) -> str | None:
    known = {method: values for method, values in figures.items() if values}
    return max(known, key=lambda method: float(np.mean(list(known[method].values())))) if known else None


def _against(passes: Callable[[Spread, float], bool]) -> Test:
    """The best of ours against the best of theirs."""

    def test(claim: Claim, declared: Declaration, found: Found) -> list[Comparison]:
        comparisons = []
        for dataset, value, where in _places(claim, declared):
            for regime, measure in _regimes(claim).items():
                sides = [
                    {m: by_seed(found, declared, dataset, m, measure, value) for m in methods}
                    for methods in (claim.ours, claim.others)
                ]
                ours, others = (_best(side) for side in sides)
                if ours is None or others is None:
                    continue
                difference = paired(sides[0][ours], sides[1][others])
                comparisons.append(
                    Comparison(where, regime, ours, others, difference, passes(difference, claim.margin))
                )
        return comparisons

    return test


def _each(passes: Callable[[Spread, float], bool]) -> Test:
    """Each of ours against the one of theirs at the same place."""

    def test(claim: Claim, declared: Declaration, found: Found) -> list[Comparison]:
        return [
            comparison
            for place in _places(claim, declared)
            for how in _regimes(claim).items()
            for pair in zip(claim.ours, claim.others, strict=True)
            for comparison in _compared(claim, declared, found, place, how, pair, passes)
        ]

    return test


def _compared(
    claim: Claim,
    declared: Declaration,
    found: Found,
    place: tuple[str, Any, str],
    how: tuple[str, str],
    who: tuple[str, str],
    passes: Callable[[Spread, float], bool],
) -> list[Comparison]:
    (dataset, value, where), (regime, measure), (ours, others) = place, how, who
    left, right = (by_seed(found, declared, dataset, method, measure, value) for method in (ours, others))
    if not left or not right:
        return []
    difference = paired(left, right)
    return [Comparison(where, regime, ours, others, difference, passes(difference, claim.margin))]


def _cheaper(*, each: bool) -> Test:
    """Every one of ours below every one of theirs in questions, or each below its counterpart."""

    def test(claim: Claim, declared: Declaration, found: Found) -> list[Comparison]:
        measure = claim.measure if "questions" in claim.measure else "questions"
        pairs = list(zip(claim.ours, claim.others, strict=True)) if each else [
            (ours, others) for ours in claim.ours for others in claim.others
        ]  # fmt: skip
        return [
            comparison
            for place in _places(claim, declared)
            for pair in pairs
            for comparison in _compared(claim, declared, found, place, ("", measure), pair, lambda d, _: d.mean < 0)
        ]

    return test


def _faster(claim: Claim, declared: Declaration, found: Found) -> list[Comparison]:
    """CPU time of the stream, theirs over ours; 1 is no gain, and a fifth is asked for, since times are noisy."""
    comparisons = []
    for dataset, value, where in _places(claim, declared):
        for ours, others in zip(claim.ours, claim.others, strict=True):
            left, right = (found.runs(declared, dataset, method, value) for method in (ours, others))
            seeds = sorted(set(left) & set(right))
            if seeds:
                times = spread(right[s]["cpu_seconds"] / max(left[s]["cpu_seconds"], 1e-9) for s in seeds)
                comparisons.append(Comparison(where, "", ours, others, times, times.mean > 1.2, is_time=True))
    return comparisons


def _sweeps(claim: Claim, declared: Declaration) -> Iterator[tuple[str, Sequence[Any], str, str, str]]:
    """Every data set with its swept values, regime with its measure, and method of ours."""
    for dataset in claim.datasets or declared.datasets:
        for regime, measure in _regimes(claim).items():
            for method in claim.ours:
                yield dataset, declared.values_on(dataset), regime, measure, method


def _saturates(claim: Claim, declared: Declaration, found: Found) -> list[Comparison]:
    """What the largest value adds to that at `at` is within the margin, and the smallest is clearly below it."""
    comparisons = []
    for dataset, values, regime, measure, method in _sweeps(claim, declared):
        places = values[0], int(claim.at), values[-1]
        first, at, last = (by_seed(found, declared, dataset, method, measure, place) for place in places)
        if first and at and last:
            gained, grew = paired(last, at), paired(at, first)
            passes = abs(gained.mean) <= claim.margin and grew.mean > CLEAR * grew.error
            where = f"{TITLES.get(dataset, dataset)}, from {claim.at:g} to {values[-1]}"
            comparisons.append(Comparison(where, regime, method, method, gained, passes))
    return comparisons


def _rises(claim: Claim, declared: Declaration, found: Found) -> list[Comparison]:
    """The last value of the sweep is clearly better than the first."""
    comparisons = []
    for dataset, values, regime, measure, method in _sweeps(claim, declared):
        first, last = (by_seed(found, declared, dataset, method, measure, value) for value in (values[0], values[-1]))
        if first and last:
            gained = paired(last, first)
            where = f"{TITLES.get(dataset, dataset)}, from {values[0]:g} to {values[-1]:g}"
            comparisons.append(Comparison(where, regime, method, method, gained, _is_better(gained, 0.0)))
    return comparisons


def _bends(claim: Claim, declared: Declaration, found: Found) -> list[Comparison]:
    """The exponent of cumulative regret, mean over seeds, is below `at`."""
    comparisons = []
    for dataset in claim.datasets or declared.datasets:
        for method in claim.ours:
            fitted = exponents(found, declared, dataset, method, claim.measure)
            if fitted:
                slope = spread(fitted.values())
                where = f"{TITLES.get(dataset, dataset)}, exponent"
                comparisons.append(Comparison(where, "", method, method, slope, slope.mean < claim.at))
    return comparisons


def exponents(found: Found, declared: Declaration, dataset: str, method: str, measure: str) -> dict[int, float]:
    """Return the exponent of cumulative regret by seed."""
    runs = found.runs(declared, dataset, method)
    fitted = {seed: run["summary"]["exponent"][measure] for seed, run in runs.items()}
    return {seed: slope for seed, slope in fitted.items() if slope is not None}


def _is_better(difference: Spread, margin: float) -> bool:
    return difference.mean > max(margin, CLEAR * difference.error)


def _is_no_worse(difference: Spread, margin: float) -> bool:
    return difference.mean >= -margin


_TESTS: dict[str, Test] = {
    "no_worse": _against(_is_no_worse),
    "no_worse_each": _each(_is_no_worse),
    "better": _against(_is_better),
    "better_each": _each(_is_better),
    "cheaper": _cheaper(each=False),
    "cheaper_each": _cheaper(each=True),
    "faster": _faster,
    "saturates": _saturates,
    "rises": _rises,
    "bends": _bends,
}
TESTS: Sequence[str] = tuple(_TESTS)  # as `declared` knows them


def label(method: str) -> str:
    """Return the name of a method for people."""
    return METHODS[method].label
