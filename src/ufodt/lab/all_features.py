"""What a learner answers from *all* features of a row, as the paper scores its hold-outs: nothing is paid for here.

Such a figure does not belong to the questions shown beside it. A learner that answers under the mean belief does so
here too; the printed algorithm answers under one draw of theta, each continuous feature cut at its most used threshold.
"""

import numpy as np

from ufodt import UFODT, Continuous
from ufodt.lab.datasets.dataset import FloatArray, IntArray


def answer(learner: UFODT, X: FloatArray, *, rng: np.random.Generator) -> IntArray:
    """Return the index of the label of least expected loss for each row, all its cells known; missing ones say nothing.

    `rng` draws theta for a learner that answers under a draw; others leave it alone.
    """
    told = log_likelihoods(learner, X, rng=rng)
    overlap = learner.belief.overlap if learner.policy.predict == "mean" else 0.0
    tells = np.ptp(told, axis=2)  # see core/temper.hpp
    n_answers = tells.sum(axis=0) ** 2 / np.maximum((tells**2).sum(axis=0), 1e-300)
    trust = np.maximum(n_answers, 1.0) ** -overlap
    log_p = trust[:, None] * told.sum(axis=0) + np.log(learner.belief.mean()[1])
    p = np.exp(log_p - log_p.max(axis=1, keepdims=True))
    return np.asarray((p @ learner.problem.losses).argmin(axis=1), dtype=np.int64)


def log_likelihoods(learner: UFODT, X: FloatArray, *, rng: np.random.Generator | None = None) -> FloatArray:
    """Return log P(value | label) of every cell, shape `(n_features, n_rows, n_labels)`, 0 where it is missing.

    A feature never used, such as one that was never selected, counts with its untouched prior.
    """
    draws = learner.policy.predict == "theta" and rng is not None
    belief, n_labels = learner.belief, learner.problem.n_labels
    theta = belief.draw(seed=int(rng.integers(2**62))) if draws and rng is not None else belief.mean()[0]
    log_theta = np.log(theta.reshape(-1, n_labels) + 1e-300)
    outcomes, _ = learner.problem.outcomes(X)
    by_bins = learner.thresholds.kind == "bins"
    found, row = np.zeros((learner.problem.n_features, len(X), n_labels)), 0
    for j, feature in enumerate(learner.problem.features):
        known = outcomes[:, j] >= 0
        if not isinstance(feature, Continuous):
            found[j, known] = log_theta[row + outcomes[known, j]]
            row += len(feature.values)
            continue
        cuts = np.array(belief.cuts[j])
        if by_bins:
            found[j, known] = log_theta[row + np.searchsorted(cuts, X[known, j], side="left")]
            row += (len(feature.cuts) or learner.thresholds.n) + 1
        else:
            found[j, known] = _of_views(learner, j, X[known, j], rng if draws else None)
            row += 2
    return found


def _of_views(learner: UFODT, j: int, values: FloatArray, rng: np.random.Generator | None) -> FloatArray:
    """log P(side of the most used threshold | label) of one continuous feature, shape `(n_rows, n_labels)`."""
    belief, n_labels = learner.belief, learner.problem.n_labels
    counts, uses, _ = belief.views()
    cuts, first = belief.cuts[j], belief.first_view(j)
    if not cuts:  # nothing was seen yet
        return np.zeros((len(values), n_labels))
    most = int(uses.reshape(-1, n_labels)[first : first + len(cuts)].sum(axis=1).argmax())
    below, above = learner.prior.count + counts.reshape(-1, 2, n_labels)[first + most]
    p = above / (below + above) if rng is None else rng.beta(above, below)
    return np.asarray(np.log(np.where((values > cuts[most])[:, None], p, 1 - p) + 1e-300), dtype=np.float64)
