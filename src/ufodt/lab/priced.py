"""Real prices: what a hold-out case costs in all, tests and mistakes together, beside simpler ways to spend money.

Cleveland heart and Pima with Turney's prices, a mistake at 100, 400 or 1,000 dollars. Nothing of ours is tuned: the
default learner goes through 80 % of the rows once and is then asked about the rest. The fixed subsets are naive Bayes
that has read *all* features of the stream for nothing. One subset is the cheapest on the hold-out itself, of all there
are: no method that has to decide beforehand could have picked it. Beside it stand the one that would have been
cheapest for all hold-outs, which chance helps less, and one that is picked by cross-validation on the stream.

Hindsight has two parts: to know other cases of the hold-out, and to be judged on the very cases that were picked on.
What the first is worth without the second is measured too: rows are in ten groups, and on each group the subset serves
that is cheapest on the other nine. And the second without the first: in a world made after the data set, all of whose
parameters are known, what the exact optimum pays beside the best subset of a hold-out.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from ufodt import UFODT, Problem, thresholds
from ufodt import policy as policies
from ufodt.lab import hindsight
from ufodt.lab.all_features import log_likelihoods
from ufodt.lab.datasets import Dataset, load, take, to_problem
from ufodt.lab.datasets.dataset import FloatArray, IntArray
from ufodt.lab.datasets.paper import split_rows
from ufodt.lab.subsets import Subsets, all_subsets, folds
from ufodt.lab.verdict import Measurements, Result, at_least, at_most, spread
from ufodt.prior import paper as printed_prior

DATASETS = ("cleveland", "pima")
MISTAKES = (100.0, 400.0, 1000.0)
SEEDS = tuple(range(50))  # ten left too much to chance
OURS = "ours"
BEST = "best subset in hindsight"
ONE_FOR_ALL = "one subset for all splits in hindsight"
ON_OTHERS = ", picked on other rows"
RIVALS = (
    *("all tests", "no tests", "paper-style EC2", "EC2 as printed"),
    *(BEST + ON_OTHERS, ONE_FOR_ALL + ON_OTHERS, ONE_FOR_ALL, BEST),
)
N_GROUPS = 10  # of rows: a subset is picked on the others
N_DRAWN = 500  # hold-outs of a known world


def measure(*, quick: bool = False) -> Measurements:
    """Give a measurement per data set and cost of a mistake; a quick look takes two splits and one cost."""
    for name in DATASETS:
        for mistake in MISTAKES[1:2] if quick else MISTAKES:
            yield f"{name}, ${mistake:,.0f}", partial(compare, name, mistake, SEEDS[: 2 if quick else None])
            n_drawn = 20 if quick else N_DRAWN
            yield f"{name}, ${mistake:,.0f}, a known world", partial(known_world, name, mistake, n_drawn)


def compare(name: str, mistake: float, seeds: Iterable[int]) -> list[Result]:
    """Return the mean cost of a hold-out case, and what ours saves against each rival, paired by split."""
    data, problem = _priced(name, mistake)
    runs, by_subset = zip(*(costs(data, problem, seed) for seed in seeds), strict=True)
    table = {who: np.array([run[who] for run in runs]) for who in runs[0]}
    means = np.array([group.mean for group in by_subset])
    table[ONE_FOR_ALL] = means[:, means.mean(axis=0).argmin()]
    table[ONE_FOR_ALL + ON_OTHERS] = picked_on_others(by_subset)
    what = f"{name}, a mistake ${mistake:,.0f}, {len(runs)} splits"
    total = spread(table[OURS])
    results = [
        at_most(
            name=f"cost_{name}_{mistake:.0f}",
            claim=f"{what}: cost of a case",
            unit="$",
            bar=None,
            measured=total,
            note=", ".join(f"{who} {_dollars(table[who])}" for who in table if who not in (OURS, *RIVALS)),
            detail={who: costs.tolist() for who, costs in table.items()},
        )
    ]
    for rival in RIVALS:
        saved = spread(table[rival] - table[OURS])
        results.append(
            at_least(
                name=f"saved_{name}_{mistake:.0f}_{rival.replace(',', '').replace(' ', '_')}",
                claim=f"{what}: saved against {rival}",
                unit="$",
                bar=0.0,
                measured=saved,
                note=f"{_dollars(table[OURS])} against {_dollars(table[rival])}",
            )
        )
    return results


def known_world(name: str, mistake: float, n_holdouts: int) -> list[Result]:
    """Return what the optimum itself saves against the best subset of a hold-out, in a world made after the data."""
    data, problem = _priced(name, mistake)
    n_rows = len(split_rows(len(data.y), seed=0)[1])
    world = hindsight.alike(data, problem)
    found = hindsight.in_world(world, all_subsets(problem), n_rows=n_rows, n_holdouts=n_holdouts, seed=0)
    return [
        at_least(
            name=f"known_world_{name}_{mistake:.0f}",
            claim=f"a world after {name}, a mistake ${mistake:,.0f}: saved by the exact optimum against {BEST}",
            unit="$",
            bar=None,
            measured=spread(found.best - found.optimum),
            note=f"all parameters known; optimum {found.optimum:.1f}, best subset of {n_rows} cases "
            f"{_dollars(found.best)}, one for all {n_holdouts} hold-outs {_dollars(found.one_for_all)}",
            detail={"optimum": found.optimum, "best": found.best.tolist(), "one_for_all": found.one_for_all.tolist()},
        )
    ]


def _priced(name: str, mistake: float) -> tuple[Dataset, Problem]:
    data = load(name)
    return data, to_problem(data, priced=True, loss=mistake * (1 - np.eye(len(data.label_names))))


def costs(data: Dataset, problem: Problem, seed: int) -> tuple[dict[str, float], "BySubset"]:
    """Return what a hold-out case costs under each method, and a case of the stream where a method pays online.

    And what a hold-out case costs with each fixed subset.
    """
    rows, held_out = split_rows(len(data.y), seed=seed)
    stream, holdout = take(data, rows), take(data, held_out)
    learners = {
        OURS: UFODT(problem, seed=seed),
        "ours, EC2": UFODT(problem, criterion="ec2", seed=seed),
        "paper-style EC2": UFODT(  # region stop, price in the ratio, but our bins
            problem,
            policy=policies.paper(n_hypotheses=128),
            prior=printed_prior(),
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
    subsets = all_subsets(problem)
    groups = np.random.default_rng(0).permutation(len(data.y))[held_out] % N_GROUPS
    by_subset = BySubset.of(_with_subsets(problem, subsets, stream, holdout), groups)
    found["all tests"], found["no tests"] = float(by_subset.mean[-1]), float(by_subset.mean[0])
    found[BEST] = float(by_subset.mean.min())
    found[BEST + ON_OTHERS] = float(picked_on_others([by_subset])[0])
    validated = [_with_subsets(problem, subsets, *part).mean(axis=1) for part in folds(stream, seed=seed)]
    found["subset picked on the stream"] = float(by_subset.mean[np.mean(validated, axis=0).argmin()])
    return found, by_subset


# --- fixed subsets -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class BySubset:
    """What the rows of a hold-out cost with each fixed subset, summed over groups of rows."""

    sums: FloatArray  # (N_GROUPS, n_subsets)
    sizes: IntArray  # (N_GROUPS,)

    @classmethod
    def of(cls, costs: FloatArray, groups: IntArray) -> "BySubset":
        """Sum up what each row costs with each subset, shape `(n_subsets, n_rows)`."""
        sums = [costs[:, groups == group].sum(axis=1) for group in range(N_GROUPS)]
        return cls(np.array(sums), np.bincount(groups, minlength=N_GROUPS))

    @property
    def mean(self) -> FloatArray:
        """What a row costs with each subset."""
        return np.asarray(self.sums.sum(axis=0) / self.sizes.sum(), dtype=np.float64)


def picked_on_others(holdouts: Sequence[BySubset]) -> FloatArray:
    """Return what a row of each hold-out costs where every group has the subset that is cheapest on the other groups.

    The second subset is cheap on the last rows alone, where none is picked by them.

    >>> costs = np.zeros((2, 20))
    >>> costs[0], costs[1, :18] = 1.0, 2.0
    >>> picked_on_others([BySubset.of(costs, np.arange(20) // 2)])
    array([1.])
    """
    sums, sizes = np.array([each.sums for each in holdouts]), np.array([each.sizes for each in holdouts])
    total, n_rows = sums.sum(axis=0), sizes.sum(axis=0)
    best = ((total.sum(axis=0) - total) / (n_rows.sum() - n_rows)[:, None]).argmin(axis=1)
    return np.asarray(sums[:, np.arange(N_GROUPS), best].sum(axis=1) / sizes.sum(axis=1), dtype=np.float64)


def _with_subsets(problem: Problem, subsets: Subsets, stream: Dataset, holdout: Dataset) -> FloatArray:
    """What each row of a hold-out costs with each fixed subset learned on the stream, shape `(n_subsets, n_rows)`."""
    learner = UFODT(problem)
    learner.learn_many(stream.X, stream.y)
    evidence, log_prior = log_likelihoods(learner, holdout.X), np.log(learner.belief.mean()[1])
    return subsets.costs(problem, evidence, log_prior, holdout.y)


def _dollars(costs: FloatArray) -> str:
    found = spread(costs)
    return f"{found.mean:.1f}±{found.error:.1f}"
