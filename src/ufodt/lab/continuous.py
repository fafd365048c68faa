"""Numbers as features: what ours pays and gets right beside river's trees, and what Exp3 and bins save in time.

Accuracy is that on a hold-out of 20 %, and ours answers from the features it paid for; river's trees read all. Splits
are drawn as the authors draw theirs, seeds 101 to 105 are the paper's numbering continued; with 95 others there are
enough of them, and of random numbers for ours on each, that chance decides less. Trees have river's default
settings, or the best of the declared grid on a stream of a seed of its own; their figures are kept in `UFODT_CACHE`.
Prices are 1.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from ufodt import UFODT, thresholds
from ufodt.lab import baselines, printed, speed, trees
from ufodt.lab.baselines import Setting
from ufodt.lab.datasets import PAPER, Dataset, load_paper, split, take, to_problem
from ufodt.lab.verdict import Measurements, Result, at_least, at_most, spread


@dataclass(frozen=True, slots=True)
class Bar:
    """What the default learner should reach on one data set."""

    accuracy: float
    questions: float


BARS = {"pima_diabetes": Bar(0.75, 3.0), "wdbc": Bar(0.93, 4.0), "fetal_health": Bar(0.85, 5.5)}
SEEDS = (*range(101, 106), *range(200, 295))
N_PAPER = 5  # of them the paper's numbering
N_DRAWS = 4  # sets of random numbers for ours on each split
TUNING_SEED = 300
TREES = (baselines.Kind.VFDT, baselines.Kind.EFDT)


def measure(*, quick: bool = False) -> Measurements:
    """Give the measurements in order; a quick look takes one split, no tuning, and the shortest stream alone."""
    yield from printed.measure(quick=quick)
    names = ("wdbc",) if quick else tuple(BARS)
    for name in names if not quick else ():
        for kind in TREES:
            yield f"{name}, settings of {kind}", lambda name=name, kind=kind: _tune(name, kind)  # type: ignore[misc]
    for name in names:
        yield f"{name}, next to trees", lambda name=name: next_to_trees(name, quick=quick)  # type: ignore[misc]
    for name in names:
        yield f"{name}, Exp3", lambda name=name: exp3_against_exhaustive(name, quick=quick)  # type: ignore[misc]
    yield "speed", lambda: [next_to_vfdt(speed.QUICK if quick else speed.FULL)]


# --- ours by default ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Holdout:
    """What one learner got right on a hold-out, and how many features a case it read."""

    accuracy: float
    questions: float


def next_to_trees(name: str, *, quick: bool = False) -> list[Result]:
    """Return accuracy and questions of the default learner, and its lead over the best of river's trees."""
    data, seeds = load_paper(name), SEEDS[: 1 if quick else None]
    runs = {who: [run(seed) for seed in seeds] for who, run in _contestants(data, tuned=not quick).items()}
    return [
        *_ours(name, runs["ufodt"], f"{len(seeds)} splits x {N_DRAWS} sets of random numbers", BARS[name]),
        _ours(f"{name}_ec2", runs["ufodt, EC2"], "criterion EC2", None)[0],
        _lead(name, runs),
    ]


def _contestants(data: Dataset, *, tuned: bool) -> dict[str, Callable[[int], Holdout]]:
    problem = to_problem(data)
    runs: dict[str, Callable[[int], Holdout]] = {
        "ufodt": lambda seed: _paid(data, lambda draw: UFODT(problem, seed=draw), seed),
        "ufodt, EC2": lambda seed: _paid(data, lambda draw: UFODT(problem, criterion="ec2", seed=draw), seed),
    }
    for kind in TREES:
        runs[str(kind)] = lambda seed, kind=kind: _tree(data, kind, baselines.DEFAULT, seed)  # type: ignore[misc]
        if tuned:
            best = _best_setting(data, kind)
            runs[f"{kind}, tuned"] = lambda seed, kind=kind, best=best: _tree(data, kind, best, seed)  # type: ignore[misc]
    return runs


def _tune(name: str, kind: baselines.Kind) -> list[Result]:
    """Find the best setting and note it; a measurement of its own, since it takes long."""
    _best_setting(load_paper(name), kind)
    return []


def _best_setting(data: Dataset, kind: baselines.Kind) -> Setting:
    return trees.best_setting(kind, [split(data, seed=TUNING_SEED)[0]])


def _paid(data: Dataset, build: Callable[[int], UFODT], seed: int) -> Holdout:
    """From paid features, averaged over several sets of random numbers."""
    stream, holdout = split(data, seed=seed)
    found = []
    for draw in range(N_DRAWS):
        learner = build(seed + 1000 * draw)
        learner.run(stream.X, stream.y)
        report = learner.evaluate(holdout.X, holdout.y)
        found.append((report.accuracy, report.n_asked))
    accuracy, questions = np.mean(found, axis=0).tolist()
    return Holdout(accuracy, questions)


def _tree(data: Dataset, kind: baselines.Kind, setting: Setting, seed: int) -> Holdout:
    return Holdout(trees.on_holdout(kind, setting, *split(data, seed=seed)), data.X.shape[1])


def _ours(name: str, runs: Sequence[Holdout], which: str, bar: Bar | None) -> list[Result]:
    accuracy, questions = spread(run.accuracy for run in runs), spread(run.questions for run in runs)
    dataset = name.removesuffix("_ec2")
    return [
        at_least(
            name=f"accuracy_{name}",
            claim=f"{dataset}, hold-out accuracy, {which}",
            bar=None if bar is None else bar.accuracy,
            measured=accuracy,
            note=f"from {questions.mean:.2f}±{questions.error:.2f} paid features; "
            f"on the first five splits alone {spread(run.accuracy for run in runs[:N_PAPER])}",
            detail={"accuracy": [run.accuracy for run in runs], "questions": [run.questions for run in runs]},
        ),
        at_most(
            name=f"questions_{name}",
            claim=f"{dataset}, questions per hold-out case, {which}",
            bar=None if bar is None else bar.questions,
            measured=questions,
        ),
    ]


def _lead(name: str, runs: dict[str, list[Holdout]]) -> Result:
    """Ours less the best tree, best on average over these very splits, paired by split."""
    accuracy = {who: np.array([run.accuracy for run in holdouts]) for who, holdouts in runs.items()}
    others = {who: a for who, a in accuracy.items() if not who.startswith("ufodt")}
    best, lead = trees.lead(accuracy["ufodt"], others)
    return at_least(
        name=f"lead_{name}",
        claim=f"{name}, lead over the best tree, {len(runs['ufodt'])} splits",
        bar=0.0,
        measured=lead,
        note=f"best is {best}; all features: " + ", ".join(f"{who} {spread(a)}" for who, a in others.items()),
        detail={who: a.tolist() for who, a in accuracy.items()},
    )


# --- Exp3 against exhaustive search --------------------------------------------------------------------


def exp3_against_exhaustive(name: str, *, quick: bool = False) -> list[Result]:
    """Return how many times faster a case is with Exp3, and what that costs in accuracy: ours, then as printed.

    If both are as accurate, one of two differences comes out below zero; so the bar is at two standard errors below.
    """
    data = load_paper(name)
    n, seeds = PAPER[name].n_hypotheses, SEEDS[: 1 if quick else None]
    plain, printed_cuts = to_problem(data), printed.printed_problem(data)
    results = []
    for criterion in ("ig", "ec2"):

        def ours(kind: str, seed: int, criterion: str = criterion) -> UFODT:
            cut = thresholds.exp3(9) if kind == "exp3" else thresholds.exhaustive(9)
            return UFODT(plain, criterion=criterion, thresholds=cut, seed=seed)

        def paper(kind: str, seed: int, criterion: str = criterion) -> UFODT:
            cut = thresholds.paper("exp3" if kind == "exp3" else "exhaustive")
            return UFODT.paper(printed_cuts, criterion=criterion, n_hypotheses=n, thresholds=cut, seed=seed)

        results += _duel(f"{name}_{criterion}", f"{name}, {criterion.upper()}", data, ours, seeds, quick=quick)
        what = f"{name}, {criterion.upper()} as printed"
        results += _duel(f"{name}_{criterion}_paper", what, data, paper, seeds, quick=quick)
    return results


def _duel(
    name: str, what: str, data: Dataset, build: Callable[[str, int], UFODT], seeds: Sequence[int], *, quick: bool
) -> list[Result]:
    stream, _ = split(data, seed=seeds[0])
    effort = replace(speed.QUICK if quick else speed.FULL, n_rounds=1 if quick else 5, n_chunks=1)
    kinds = ("exhaustive", "exp3")
    seconds = speed.fastest(
        {kind: speed.whole_stream(stream, lambda kind=kind: build(kind, 1)) for kind in kinds},  # type: ignore[misc]
        len(stream.y),
        effort,
    )
    micros = {kind: 1e6 * s / len(stream.y) for kind, s in seconds.items()}
    accuracy = {kind: np.array([_paid(data, partial(build, kind), seed).accuracy for seed in seeds]) for kind in kinds}
    gained = spread(accuracy["exp3"] - accuracy["exhaustive"])
    return [
        at_least(
            name=f"exp3_{name}",
            claim=f"{what}: Exp3 against exhaustive, K=9",
            unit="times",
            bar=2.0,
            measured=micros["exhaustive"] / micros["exp3"],
            note=f"{micros['exp3']:.0f} µs a case, exhaustive {micros['exhaustive']:.0f} µs",
            detail={"micros_per_case": micros},
        ),
        at_least(
            name=f"exp3_accuracy_{name}",
            claim=f"{what}: hold-out accuracy gained by Exp3, not worse by two standard errors",
            bar=-2.0 * gained.error,
            measured=gained,
            note=", ".join(f"{kind} {spread(a)}" for kind, a in accuracy.items())
            + f", {len(seeds)} splits x {N_DRAWS}",
            detail={kind: a.tolist() for kind, a in accuracy.items()},
        ),
    ]


# --- speed ---------------------------------------------------------------------------------------------


def next_to_vfdt(effort: speed.Effort) -> Result:
    """Return how many times faster than river's VFDT a case of thirty numbers is, six bins, through `run`.

    The rows come again and again, in another order each time, until there are as many cases as in the other streams.
    """
    data = load_paper("wdbc")
    rng, n_rows = np.random.default_rng(1), len(data.y)
    rounds = [rng.permutation(n_rows) for _ in range(1 + effort.n_cases // n_rows)]
    stream = take(data, np.concatenate(rounds)[: effort.n_cases])
    problem, cut = to_problem(data), thresholds.bins(6)
    seconds = speed.fastest(
        {
            "run": speed.whole_stream(stream, lambda: UFODT(problem, thresholds=cut, seed=1)),
            "run_ec2": speed.whole_stream(stream, lambda: UFODT(problem, criterion="ec2", thresholds=cut, seed=1)),
            "vfdt": speed.vfdt(stream),
        },
        len(stream.y),
        effort,
    )
    micros = {who: 1e6 * s / len(stream.y) for who, s in seconds.items()}
    return at_least(
        name="run_wdbc",
        claim="run, wdbc (30 numbers, 6 bins), against VFDT",
        unit="times",
        bar=5.0,
        measured=micros["vfdt"] / micros["run"],
        note=f"{micros['run']:.1f} µs a case, with EC2 {micros['run_ec2']:.1f} µs, VFDT {micros['vfdt']:.0f} µs",
        detail={"micros_per_case": micros, "n_cases": len(stream.y)},
    )
