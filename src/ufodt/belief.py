"""What is known about theta, before the first case and after many: Dirichlet counts.

The core's `Belief` holds the prior and what was learned apart, one row per outcome and one column per label.
Here beliefs are made: of a prior, of arrays, of a table; the rest of the arithmetic is in `core/counts.hpp` and
`core/belief.hpp`.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ufodt import core
from ufodt.encode import LabelIndices, Outcomes, Values
from ufodt.features import Continuous
from ufodt.prior import Prior
from ufodt.prior import counts as prior_counts
from ufodt.problem import Problem
from ufodt.thresholds import Thresholds


class Weighted(NamedTuple):
    """The label index and the weight of every case of a table."""

    labels: LabelIndices
    weights: NDArray[np.float64]


def from_prior(
    prior: Prior, problem: Problem, compiled: core.Problem, cutting: Thresholds, *, injected: Prior | None = None
) -> core.Belief:
    """Return the belief before the first case; what is forgotten later makes room for the injected prior, if any."""
    counts, label_counts = prior_counts(prior, problem, compiled, cutting)
    belief = core.Belief(
        compiled,
        counts,
        label_counts,
        prior.learns_labels,
        thresholds=cutting.kind,
        n_thresholds=cutting.n,
        teach_all=cutting.teach_all,
        average=cutting.average,
        normalise=cutting.normalise,
        eta=cutting.eta,
        view_prior=float(prior.count),
        spread=cutting.spread,
    )
    if prior.learns_trust:
        belief.learn_temper()
        if prior.learns_pairs:
            belief.learn_pairs()
    if prior.learns_values:
        said = {expert.feature for each in (prior, injected) if each is not None for expert in each.experts}
        belief.pool([not isinstance(f, Continuous) and f.name not in said for f in problem.features])
    if injected is not None:
        belief.inject(*prior_counts(injected, problem, compiled, cutting), view_prior=float(injected.count))
    return belief


def sketch_sizes(belief: core.Belief) -> list[list[int]]:
    """Of each feature: cut points, cells of its sketch, values seen."""
    sketches = [belief.sketch(i) for i in range(len(belief.cuts))]
    return [[len(cuts), len(values), n_seen] for cuts, (values, _, n_seen) in zip(belief.cuts, sketches, strict=True)]


def shapes(belief: core.Belief, sizes: Sequence[Sequence[int]]) -> dict[str, tuple[int, ...]]:
    """The shapes of the arrays that hold a belief with sketches of these sizes."""
    n_labels = len(belief.label_counts)
    n_cuts, n_cells = (sum(int(size[k]) for size in sizes) for k in (0, 1))
    views = zip(("view_counts", "view_uses", "view_sums"), belief.views(), strict=True)
    return {
        "counts": belief.counts.shape,
        "label_counts": (n_labels,),
        **{name: array.shape for name, array in views},
        **({"kept": (1,)} if belief.is_injected else {}),
        "temper": belief.temper.shape,
        **({"pairs": (belief.n_pairs,)} if belief.n_pairs else {}),
        "cuts": (n_cuts,),
        "sketch_values": (n_cells,),
        "sketch_counts": (n_cells * n_labels,),
    }


def to_arrays(belief: core.Belief) -> dict[str, NDArray[np.float64]]:
    """Everything learned, in arrays; `from_arrays` makes a belief of them again."""
    sketches = [belief.sketch(i) for i in range(len(belief.cuts))]
    view_counts, view_uses, view_sums = belief.views()
    return {
        **({"kept": np.array([belief.kept])} if belief.is_injected else {}),
        "counts": belief.counts,
        "label_counts": belief.label_counts,
        "view_counts": view_counts,
        "view_uses": view_uses,
        "view_sums": view_sums,
        "temper": belief.temper,
        **({"pairs": belief.pairs} if belief.n_pairs else {}),
        "cuts": np.array([cut for cuts in belief.cuts for cut in cuts]),
        "sketch_values": np.concatenate([values for values, _, _ in sketches]),
        "sketch_counts": np.concatenate([counts.ravel() for _, counts, _ in sketches]),
    }


def from_arrays(
    fresh: core.Belief, sizes: Sequence[Sequence[int]], arrays: Mapping[str, NDArray[np.float64]]
) -> core.Belief:
    """Return `fresh`, a belief before the first case, with everything that was learned."""
    fresh.set_counts(arrays["counts"], arrays["label_counts"])
    fresh.restore_views(arrays["view_counts"], arrays["view_uses"], arrays["view_sums"])
    fresh.set_temper(arrays["temper"])
    if "pairs" in arrays:
        fresh.set_pairs(arrays["pairs"])
    if fresh.is_injected:
        fresh.set_kept(float(arrays["kept"][0]))
    cut = cell = 0
    m = len(arrays["label_counts"])
    for feature, (n_cuts, n_cells, n_seen) in enumerate(sizes):
        values = arrays["sketch_values"][cell : cell + n_cells].copy()
        counts = arrays["sketch_counts"][cell * m : (cell + n_cells) * m].copy()
        fresh.restore_sketch(feature, arrays["cuts"][cut : cut + n_cuts].tolist(), values, counts, n_seen)
        cut, cell = cut + n_cuts, cell + n_cells
    return fresh


def from_table(
    fresh: core.Belief, problem: Problem, compiled: core.Problem, table: tuple[Outcomes, Values], cases: Weighted
) -> core.Belief:
    """Return `fresh`, a belief before the first case, with a table counted into it; merge it with another to use it.

    Rows may come in any order, and a row of weight 2 is the same as two rows: whole columns are counted, where
    learning one by one finds cut points on the way.
    """
    outcomes, values = table
    m = len(fresh.label_counts)
    counts = np.zeros_like(fresh.counts)
    view_counts, view_uses, view_sums = fresh.views()
    column = 0
    for f, (feature, row) in enumerate(zip(problem.features, np.cumsum([0, *compiled.n_outcomes]), strict=False)):
        known = (outcomes[:, f] >= 0) & (cases.labels >= 0) & (cases.weights > 0)
        labels, weights = cases.labels[known], cases.weights[known]
        if not isinstance(feature, Continuous):
            n = len(feature.values)
            counts[row : row + n] = _cross(outcomes[known, f], labels, weights, n, m)
            continue
        numbers, column = values[known, column] + 0.0, column + 1  # -0.0 is 0.0, whichever came first
        view = fresh.first_view(f)
        if not feature.cuts:
            cells, at = np.unique(numbers, return_inverse=True)
            cells, by_label = _squeezed(cells, _cross(at, labels, weights, len(cells), m))
            n_seen = math.ceil(float(weights.sum()) * (1 - 1e-12))  # rounding is no further case
            fresh.restore_sketch(f, [], cells, by_label.ravel(), n_seen)
        elif view < 0:
            bins = np.searchsorted(feature.cuts, numbers)
            counts[row : row + len(feature.cuts) + 1] = _cross(bins, labels, weights, len(feature.cuts) + 1, m)
        else:
            for k, cut in enumerate(feature.cuts):
                start = (view + k) * 2 * m
                view_counts[start : start + 2 * m] = _cross(numbers > cut, labels, weights, 2, m).ravel()
    known = (cases.labels >= 0) & (cases.weights > 0)
    if fresh.learns_labels:
        label_counts = np.ascontiguousarray(_cross(cases.labels[known], 0, cases.weights[known], m, 1)[:, 0])
    else:
        label_counts = np.zeros(m)
    fresh.set_counts(counts, label_counts)
    fresh.restore_views(view_counts, view_uses, view_sums)
    return fresh


def _cross(rows: NDArray[Any], labels: Any, weights: NDArray[Any], n: int, m: int) -> NDArray[np.float64]:
    """The weight of every row and label, shape `(n, m)`."""
    return np.bincount(rows.astype(np.int64) * m + labels, weights, minlength=n * m).astype(np.float64).reshape(n, m)


def _squeezed(cells: NDArray[Any], by_label: NDArray[Any]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Cells of a sketch, at most as many as one holds, neighbours of about equal weight together at their mean."""
    if len(cells) <= core.SKETCH_CELLS:
        return cells, by_label
    weight = by_label.sum(axis=1)
    share = (np.cumsum(weight) - 0.5 * weight) / weight.sum()
    _, group = np.unique((share * core.SKETCH_CELLS).astype(np.int64), return_inverse=True)
    sums = np.zeros((group[-1] + 1, by_label.shape[1]))
    np.add.at(sums, group, by_label)
    means = np.bincount(group, weight / np.bincount(group, weight)[group] * cells)
    starts = np.flatnonzero(np.diff(group, prepend=-1))
    ends = np.append(starts[1:], len(cells)) - 1
    return np.clip(means, cells[starts], cells[ends]).astype(np.float64), sums  # rounding must not join neighbours
