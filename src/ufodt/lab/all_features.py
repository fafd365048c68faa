"""What a learner answers from *all* features of a row, as the paper scores its hold-outs: nothing is paid for here.

Such a figure does not belong to the questions shown beside it. A learner that answers under the mean belief does so
here too; the printed algorithm answers under one draw of theta, each continuous feature cut at its most used threshold.
"""

import numpy as np

from ufodt import UFODT, Continuous, core
from ufodt.lab.datasets.dataset import FloatArray, IntArray

N_DRAWS = 5  # of theta for one look at a hold-out


def answer(learner: UFODT, X: FloatArray, *, rng: np.random.Generator) -> IntArray:
    """Return the index of the label of least expected loss for each row, all its cells known; missing ones say nothing.

    `rng` draws theta for a learner that answers under a draw; others leave it alone.
    """
    if learner.policy.predict == "mean":
        belief = learner.belief
        views = [_most_used(belief, j) for j in range(learner.problem.n_features)]
        p = belief.posteriors(learner._compiled, *learner.problem.outcomes(X), views)
    else:
        log_p = log_likelihoods(learner, X, rng=rng).sum(axis=0) + np.log(learner.belief.mean()[1])
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
    most = _most_used(belief, j)
    if most < 0:
        return np.zeros((len(values), n_labels))
    below, above = learner.prior.count + belief.views()[0].reshape(-1, 2, n_labels)[most]
    p = above / (below + above) if rng is None else rng.beta(above, below)
    threshold = belief.cuts[j][most - belief.first_view(j)]
    return np.asarray(np.log(np.where((values > threshold)[:, None], p, 1 - p) + 1e-300), dtype=np.float64)


def _most_used(belief: core.Belief, j: int) -> int:
    """The threshold of one feature that was used most, by its number among all; -1 where there is none yet."""
    first, n_cuts = belief.first_view(j), len(belief.cuts[j])
    if first < 0 or n_cuts == 0:
        return -1
    uses = belief.views()[1].reshape(-1, len(belief.label_counts))[first : first + n_cuts]
    return first + int(uses.sum(axis=1).argmax())
