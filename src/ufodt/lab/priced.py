"""Real prices: what a hold-out case costs in all, tests and mistakes together, beside simpler ways to spend money.

Cleveland heart and Pima with Turney's prices, a mistake at 100, 400 or 1,000 dollars. Nothing of ours is tuned: the
default learner goes through 80 % of the rows once and is then asked about the rest. The fixed subsets are naive Bayes
that has read *all* features of the stream for nothing. One subset is the cheapest on the hold-out itself, of all there
are: no method that has to decide beforehand could have picked it. Beside it stand the one that would have been
cheapest for all hold-outs, which chance helps less, and one that is picked by cross-validation on the stream.
"""

from collections.abc import Iterable, Sequence
from functools import partial

import numpy as np

from ufodt import UFODT, Problem, thresholds
from ufodt import policy as policies
from ufodt.lab.all_features import log_likelihoods
from ufodt.lab.datasets import Dataset, load, split, to_problem
from ufodt.lab.datasets.dataset import FloatArray
from ufodt.lab.subsets import all_subsets, folds
from ufodt.lab.verdict import Measurements, Result, at_least, at_most, spread
from ufodt.prior import paper as printed_prior

DATASETS = ("cleveland", "pima")
MISTAKES = (100.0, 400.0, 1000.0)
SEEDS = tuple(range(50))  # ten left too much to chance
OURS = "ours"
ONE_FOR_ALL = "one subset for all splits in hindsight"
RIVALS = ("all tests", "no tests", "paper-style EC2", "EC2 as printed", ONE_FOR_ALL, "best subset in hindsight")


def measure(*, quick: bool = False) -> Measurements:
    """Give a measurement per data set and cost of a mistake; a quick look takes two splits and one cost."""
    for name in DATASETS:
        for mistake in MISTAKES[1:2] if quick else MISTAKES:
            yield f"{name}, ${mistake:,.0f}", partial(compare, name, mistake, SEEDS[: 2 if quick else None])


def compare(name: str, mistake: float, seeds: Iterable[int]) -> list[Result]:
    """Return the mean cost of a hold-out case, and what ours saves against each rival, paired by split."""
    data = load(name)
    loss = mistake * (1 - np.eye(len(data.label_names)))
    problem = to_problem(data, priced=True, loss=loss)
    runs, by_subset = zip(*(costs(data, problem, seed) for seed in seeds), strict=True)
    table = {who: np.array([run[who] for run in runs]) for who in runs[0]}
    table[ONE_FOR_ALL] = np.array(by_subset)[:, np.mean(by_subset, axis=0).argmin()]
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
                name=f"saved_{name}_{mistake:.0f}_{rival.replace(' ', '_')}",
                claim=f"{what}: saved against {rival}",
                unit="$",
                bar=0.0,
                measured=saved,
                note=f"{_dollars(table[OURS])} against {_dollars(table[rival])}",
            )
        )
    return results


def costs(data: Dataset, problem: Problem, seed: int) -> tuple[dict[str, float], FloatArray]:
    """Return what a hold-out case costs under each method, and a case of the stream where a method pays online.

    And what a hold-out case costs with each fixed subset.
    """
    stream, holdout = split(data, seed=seed)
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
    by_subset = _cost_of_subsets(problem, [(stream, holdout)])
    found["all tests"], found["no tests"] = float(by_subset[-1]), float(by_subset[0])
    found["best subset in hindsight"] = float(by_subset.min())
    found["subset picked on the stream"] = float(
        by_subset[_cost_of_subsets(problem, folds(stream, seed=seed)).argmin()]
    )
    return found, by_subset


# --- fixed subsets -------------------------------------------------------------------------------------


def _cost_of_subsets(problem: Problem, parts: Sequence[tuple[Dataset, Dataset]]) -> FloatArray:
    """What a case costs with each fixed subset: learned on the first of each pair, asked about the second."""
    all_of_them = all_subsets(problem)
    losses = []
    for stream, holdout in parts:
        learner = UFODT(problem)
        learner.learn_many(stream.X, stream.y)
        evidence, log_prior = log_likelihoods(learner, holdout.X), np.log(learner.belief.mean()[1])
        n_features, n_rows, n_labels = evidence.shape
        log_p = all_of_them.members @ evidence.reshape(n_features, -1)
        log_p = log_p.reshape(-1, n_rows, n_labels) + log_prior
        p = np.exp(log_p - log_p.max(axis=2, keepdims=True))
        answers = (p @ problem.losses).argmin(axis=2)
        losses.append(problem.losses[holdout.y[None, :], answers].mean(axis=1))
    return np.asarray(all_of_them.prices + np.mean(losses, axis=0), dtype=np.float64)


def _dollars(costs: FloatArray) -> str:
    found = spread(costs)
    return f"{found.mean:.1f}±{found.error:.1f}"
