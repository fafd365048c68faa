"""Real prices: what a hold-out case costs in all, tests and mistakes together, beside simpler ways to spend money.

Cleveland heart and Pima with Turney's prices, a mistake at 100, 400 or 1,000 dollars. Nothing of ours is tuned: the
default learner goes through 80 % of the rows once and is then asked about the rest. The fixed subsets are naive Bayes
that has read *all* features of the stream for nothing. One subset is the cheapest on the hold-out itself, of all there
are: no method that has to decide beforehand could have picked it. The other is picked by cross-validation on the
stream.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ufodt import UFODT, Continuous, Problem, thresholds
from ufodt import policy as policies
from ufodt.belief import Prior
from ufodt.lab.datasets import Dataset, load, split, take, to_problem
from ufodt.lab.datasets.dataset import FloatArray, IntArray
from ufodt.lab.verdict import Measurements, Result, spread

DATASETS = ("cleveland", "pima")
MISTAKES = (100.0, 400.0, 1000.0)
SEEDS = tuple(range(10))
N_FOLDS = 5
OURS = "ours"
RIVALS = ("all tests", "no tests", "paper-style EC2", "EC2 as printed", "best subset in hindsight")


def measure(*, quick: bool = False) -> Measurements:
    """Give one measurement per data set and cost of a mistake; a quick look takes two splits."""
    for name in DATASETS:
        for mistake in MISTAKES[1:2] if quick else MISTAKES:
            yield (
                f"{name}, ${mistake:,.0f}",
                lambda name=name, mistake=mistake: compare(name, mistake, SEEDS[:2] if quick else SEEDS),  # type: ignore[misc]
            )


def compare(name: str, mistake: float, seeds: Iterable[int]) -> list[Result]:
    """Return the mean cost of a hold-out case, and what ours saves against each rival, paired by split."""
    data = load(name)
    loss = mistake * (1 - np.eye(len(data.label_names)))
    problem = to_problem(data, priced=True, loss=loss)
    runs = [costs(data, problem, seed) for seed in seeds]
    table = {who: np.array([run[who] for run in runs]) for who in runs[0]}
    what = f"{name}, a mistake ${mistake:,.0f}"
    total = spread(table[OURS])
    results = [
        Result(
            name=f"cost_{name}_{mistake:.0f}",
            claim=f"{what}: cost of a case",
            unit="$",
            sense="at most",
            bar=None,
            measured=total.mean,
            error=total.error,
            note=", ".join(f"{who} {_dollars(table[who])}" for who in table if who not in (OURS, *RIVALS)),
            detail={who: costs.tolist() for who, costs in table.items()},
        )
    ]
    for rival in RIVALS:
        saved = spread(table[rival] - table[OURS])
        results.append(
            Result(
                name=f"saved_{name}_{mistake:.0f}_{rival.replace(' ', '_')}",
                claim=f"{what}: saved against {rival}",
                unit="$",
                sense="at least",
                bar=0.0,
                measured=saved.mean,
                error=saved.error,
                note=f"{_dollars(table[OURS])} against {_dollars(table[rival])}, {len(runs)} splits",
            )
        )
    return results


def costs(data: Dataset, problem: Problem, seed: int) -> dict[str, float]:
    """Return what a hold-out case costs under each method, and a case of the stream where a method pays online."""
    stream, holdout = split(data, seed=seed)
    learners = {
        OURS: UFODT(problem, seed=seed),
        "ours, EC2": UFODT(problem, criterion="ec2", seed=seed),
        "paper-style EC2": UFODT(  # region stop, price in the ratio, but our bins
            problem,
            policy=policies.paper(n_hypotheses=128),
            prior=Prior(learns_labels=False, learns_trust=False),
            seed=seed,
        ),
        "EC2 as printed": UFODT.paper(problem, n_hypotheses=128, thresholds=thresholds.paper(), seed=seed),
    }
    found = {}
    for who, learner in learners.items():
        record = learner.run(stream.X, stream.y)
        report = learner.evaluate(holdout.X, holdout.y)
        found[who] = report.cost + report.loss
        answers = np.asarray(record.predicted, dtype=np.int64)
        found[f"{who}, online"] = float(record.cost.mean() + problem.losses[stream.y, answers].mean())
    by_subset = _cost_of_subsets(problem, [(stream, holdout)])
    found["all tests"], found["no tests"] = float(by_subset[-1]), float(by_subset[0])
    found["best subset in hindsight"] = float(by_subset.min())
    found["subset picked on the stream"] = float(by_subset[_cost_of_subsets(problem, _folds(stream, seed)).argmin()])
    return found


# --- fixed subsets -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Subsets:
    """All subsets of the features: which features are in, shape `(n_subsets, n_features)`, and what each costs."""

    members: npt.NDArray[np.bool_]
    prices: FloatArray


def subsets(problem: Problem) -> Subsets:
    """Return all subsets, the empty one first and the whole last, each at its price in the cheapest order.

    >>> from ufodt import Binary
    >>> blood = {"group": "blood", "price": 7.0, "later_price": 5.0}
    >>> subsets(Problem([Binary("a", **blood), Binary("b", **blood)], labels=[0, 1])).prices.tolist()
    [0.0, 7.0, 7.0, 12.0]
    """
    n = problem.n_features
    members = (np.arange(2**n)[:, None] >> np.arange(n)) & 1 == 1
    first = problem.prices
    later = np.array(
        [
            price if f.later_price is None else problem.amount(f.later_price, f.name)
            for f, price in zip(problem.features, first, strict=True)
        ]
    )
    prices = members @ later
    extra = np.where(members, first - later, np.inf)
    for group in sorted({f.group for f in problem.features if f.group is not None}):
        least = extra[:, [j for j, f in enumerate(problem.features) if f.group == group]].min(axis=1)
        prices += np.where(np.isfinite(least), least, 0.0)
    return Subsets(members, prices)


def _cost_of_subsets(problem: Problem, parts: Sequence[tuple[Dataset, Dataset]]) -> FloatArray:
    """What a case costs with each fixed subset: learned on the first of each pair, asked about the second."""
    all_of_them = subsets(problem)
    losses = []
    for stream, holdout in parts:
        evidence, log_prior = _log_likelihoods(problem, stream, holdout)
        n_features, n_rows, n_labels = evidence.shape
        log_p = all_of_them.members @ evidence.reshape(n_features, -1)
        log_p = log_p.reshape(-1, n_rows, n_labels) + log_prior
        p = np.exp(log_p - log_p.max(axis=2, keepdims=True))
        answers = (p @ problem.losses).argmin(axis=2)
        losses.append(problem.losses[holdout.y[None, :], answers].mean(axis=1))
    return np.asarray(all_of_them.prices + np.mean(losses, axis=0), dtype=np.float64)


def _log_likelihoods(problem: Problem, stream: Dataset, holdout: Dataset) -> tuple[FloatArray, FloatArray]:
    """log P(value | label), shape `(n_features, n_rows, n_labels)`, and log P(label), learned from whole rows."""
    learner = UFODT(problem)
    learner.learn_many(stream.X, stream.y)
    belief = learner.belief
    theta, p_label = belief.mean()
    log_theta = np.log(theta)
    evidence, row = [], 0
    for j, feature in enumerate(problem.features):
        if isinstance(feature, Continuous):
            outcomes: IntArray = np.searchsorted(np.array(belief.cuts[j]), holdout.X[:, j], side="left")
            n_outcomes = learner.thresholds.n + 1
        else:
            outcomes, n_outcomes = holdout.X[:, j].astype(np.int64), len(feature.values)
        evidence.append(log_theta[row + outcomes])
        row += n_outcomes
    return np.array(evidence), np.log(p_label)


def _folds(stream: Dataset, seed: int) -> list[tuple[Dataset, Dataset]]:
    rows = np.random.default_rng(seed).permutation(len(stream.y))
    folds = np.array_split(rows, N_FOLDS)
    return [(take(stream, np.setdiff1d(rows, fold)), take(stream, fold)) for fold in folds]


def _dollars(costs: FloatArray) -> str:
    found = spread(costs)
    return f"{found.mean:.1f}±{found.error:.1f}"
