"""Fixed subsets of the features: which few are worth having.

The choice is made by naive Bayes that has read *all* features of a stream for nothing, which no method that pays
could afford; a fixed subset is therefore an opponent with a head start.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ufodt import UFODT, Problem
from ufodt.lab.all_features import log_likelihoods
from ufodt.lab.datasets import Dataset, take
from ufodt.lab.datasets.dataset import FloatArray, IntArray
from ufodt.lab.till import prices_of

N_FOLDS = 5
MAX_ROWS = 2_000  # of a stream, for choosing


@dataclass(frozen=True, slots=True)
class Subsets:
    """All subsets of the features: which features are in, shape `(n_subsets, n_features)`, and what each costs."""

    members: npt.NDArray[np.bool_]
    prices: FloatArray

    def costs(self, problem: Problem, evidence: FloatArray, log_prior: FloatArray, y: IntArray) -> FloatArray:
        """Return what each row costs with each subset, price and loss, shape `(n_subsets, n_rows)`.

        `evidence` is log P(value | label) of every cell, shape `(n_features, n_rows, n_labels)`.
        """
        n_features, n_rows, n_labels = evidence.shape
        log_p = (self.members @ evidence.reshape(n_features, -1)).reshape(-1, n_rows, n_labels) + log_prior
        p = np.exp(log_p - log_p.max(axis=2, keepdims=True))
        answers = (p @ problem.losses).argmin(axis=2)
        return np.asarray(self.prices[:, None] + problem.losses[y[None, :], answers], dtype=np.float64)


def all_subsets(problem: Problem) -> Subsets:
    """Return all subsets, the empty one first and the whole last, each at its price in the cheapest order.

    >>> from ufodt import Binary
    >>> blood = {"group": "blood", "price": 7.0, "later_price": 5.0}
    >>> all_subsets(Problem([Binary("a", **blood), Binary("b", **blood)], labels=[0, 1])).prices.tolist()
    [0.0, 7.0, 7.0, 12.0]
    """
    n = problem.n_features
    members = (np.arange(2**n)[:, None] >> np.arange(n)) & 1 == 1
    return Subsets(members, prices_of(problem, members))


def folds(stream: Dataset, *, seed: int, n: int = N_FOLDS) -> list[tuple[Dataset, Dataset]]:
    """Return n pairs of a part to learn from and a part to be asked about."""
    rows = np.random.default_rng(seed).permutation(len(stream.y))
    return [(take(stream, np.setdiff1d(rows, fold)), take(stream, fold)) for fold in np.array_split(rows, n)]


def ranked(problem: Problem, stream: Dataset, *, seed: int = 0, n_best: int | None = None) -> list[int]:
    """Return feature indices in the order in which each adds most to those before it.

    What counts is the cross-validated loss of naive Bayes on the first rows of the stream, and between equals the
    probability that it gives to the truth.
    """
    part = take(stream, np.arange(min(len(stream.y), MAX_ROWS)))
    parts = [_evidence(problem, *pair) for pair in folds(part, seed=seed)]
    log_p = [prior for _, prior, _ in parts]
    chosen: list[int] = []
    while len(chosen) < (problem.n_features if n_best is None else min(n_best, problem.n_features)):
        left = [j for j in range(problem.n_features) if j not in chosen]
        worth = [
            _worth(problem, [(p + evidence[j], y) for p, (evidence, _, y) in zip(log_p, parts, strict=True)])
            for j in left
        ]
        best = left[max(range(len(left)), key=lambda i: worth[i])]
        chosen.append(best)
        log_p = [p + evidence[best] for p, (evidence, _, _) in zip(log_p, parts, strict=True)]
    return chosen


def _evidence(
    problem: Problem, learned: Dataset, asked: Dataset
) -> tuple[FloatArray, FloatArray, npt.NDArray[np.int64]]:
    learner = UFODT(problem)
    learner.learn_many(learned.X, learned.y)
    prior = np.tile(np.log(learner.belief.mean()[1]), (len(asked.y), 1))
    return log_likelihoods(learner, asked.X), prior, asked.y


def _worth(problem: Problem, parts: Sequence[tuple[FloatArray, npt.NDArray[np.int64]]]) -> tuple[float, float]:
    """Less loss is better, then more log probability of the truth."""
    losses, log_truth = [], []
    for log_p, y in parts:
        shifted = log_p - log_p.max(axis=1, keepdims=True)
        p = np.exp(shifted) / np.exp(shifted).sum(axis=1, keepdims=True)
        losses.append(problem.losses[y, (p @ problem.losses).argmin(axis=1)].mean())
        log_truth.append(np.log(p[np.arange(len(y)), y] + 1e-300).mean())
    return -float(np.mean(losses)), float(np.mean(log_truth))
