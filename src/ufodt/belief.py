"""What is known about theta before the first case and after many: Dirichlet counts.

The core's `Belief` holds the prior and what was learned apart, one row per outcome and one column per label.
This module turns what people know into priors; the rest of the arithmetic is in `core/belief.hpp`.
"""

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ufodt import core
from ufodt.amount import number, plain
from ufodt.errors import InvalidProblem
from ufodt.features import Continuous, Feature, Value
from ufodt.problem import Label, LabelIndices, Outcomes, Problem, Values
from ufodt.thresholds import Thresholds

_SKETCH_CELLS = 64  # as many as a sketch of the core holds


class Weighted(NamedTuple):
    """The label index and the weight of every case of a table."""

    labels: LabelIndices
    weights: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Expert:
    """What an expert says of one feature under one label: "0.9, worth 50 cases".

    `probability` is that of value 1 of a binary feature, or one number per value of a categorical one.

    >>> Expert("fever", "ill", probability=0.9, strength=50)
    Expert(feature='fever', label='ill', probability=0.9, strength=50)
    """

    feature: str
    label: Label
    probability: float | Sequence[float] | Mapping[Value, float]
    strength: float

    def __post_init__(self) -> None:
        given = self.probability
        if isinstance(given, Mapping):
            said: Any = {plain(value): plain(p) for value, p in given.items()}
        elif isinstance(given, Iterable) and not isinstance(given, str):
            said = tuple(plain(p) for p in given)
        else:
            said = plain(given)
        object.__setattr__(self, "probability", said)
        object.__setattr__(self, "label", plain(self.label))
        object.__setattr__(self, "strength", plain(self.strength))


@dataclass(frozen=True, slots=True, kw_only=True)
class Prior:
    """What is believed before the first case.

    `read_prior` in this module reads one from a file that a person wrote, and `interpolate` finds those between
    the uniform prior and an informed one.

    Parameters
    ----------
    count
        Cases that every outcome, and every label, is taken to have been seen already; 1 is the uniform prior.
    experts
        What is known of single features; replaces `count` where given.
    labels
        Probability of every label, with `label_strength` cases behind it.
    learns_labels
        Whether label counts grow; in the paper they are uniform and fixed.
    learns_trust
        Whether it is learned how far several answers together are to be trusted. Features that share news make naive
        Bayes too sure; for the answer the likelihood of the evidence is then raised to an exponent below 1, as the
        labels revealed so far call for. Not in the paper.
    """

    count: float = 1.0
    experts: Sequence[Expert] = ()
    labels: Mapping[Label, float] | None = None
    label_strength: float = 10.0
    learns_labels: bool = True
    learns_trust: bool = True

    def __post_init__(self) -> None:
        if not isinstance(self.experts, Iterable) or not all(isinstance(e, Expert) for e in self.experts):
            raise InvalidProblem(f"{self.experts!r} came for what experts say; expected a list of Expert(...).")
        if not isinstance(self.labels, Mapping | None):
            raise InvalidProblem(f"{self.labels!r} came for the labels; expected a probability for each.")
        for name in ("learns_labels", "learns_trust"):
            if not isinstance(getattr(self, name), bool):
                raise InvalidProblem(f"{name}={getattr(self, name)!r} came; expected True or False.")
        object.__setattr__(self, "experts", tuple(self.experts))
        if self.labels is not None:
            object.__setattr__(self, "labels", {plain(label): plain(p) for label, p in self.labels.items()})
        for name in ("count", "label_strength"):
            object.__setattr__(self, name, plain(getattr(self, name)))


def from_prior(
    prior: Prior, problem: Problem, compiled: core.Problem, cutting: Thresholds, *, injected: Prior | None = None
) -> core.Belief:
    """Return the belief before the first case; what is forgotten later makes room for the injected prior, if any."""
    counts, label_counts = _counts(prior, problem, compiled, cutting)
    belief = core.Belief(
        compiled,
        counts,
        label_counts,
        prior.learns_labels,
        thresholds="" if cutting.kind == "bins" else cutting.kind,
        n_thresholds=cutting.n,
        teach_all=cutting.teach_all,
        average=cutting.average,
        normalise=cutting.normalise,
        eta=cutting.eta,
        view_prior=float(prior.count),
    )
    if prior.learns_trust:
        belief.learn_temper()
    if injected is not None:
        belief.inject(*_counts(injected, problem, compiled, cutting), view_prior=float(injected.count))
    return belief


def _counts(
    prior: Prior, problem: Problem, compiled: core.Problem, cutting: Thresholds
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """What a prior says as counts: of every outcome under each label, and of the labels."""
    _check_amount("the prior's count", prior.count)
    counts = np.full((compiled.n_rows, problem.n_labels), float(prior.count))
    first_row = np.cumsum([0, *compiled.n_outcomes])
    for expert in prior.experts:
        index = problem.feature_index(expert.feature)
        label = problem.label_index(_known_as(problem.labels, expert.label))
        _check_amount(f"the strength behind {expert.feature!r} given {expert.label!r}", expert.strength)
        if isinstance(problem.features[index], Continuous) and cutting.kind != "bins":
            raise InvalidProblem(
                f"{expert.feature}: what an expert says of a continuous feature is of its bins; "
                f"with {cutting.kind} thresholds it has none."
            )
        rows = slice(first_row[index], first_row[index + 1])
        counts[rows, label] = _probabilities(expert, problem.features[index]) * expert.strength
    label_counts = np.full(problem.n_labels, float(prior.count))
    if prior.labels is not None:
        _check_amount("the strength behind the labels", prior.label_strength)
        said = {problem.label_index(_known_as(problem.labels, label)): p for label, p in prior.labels.items()}
        if len(said) != problem.n_labels:
            raise InvalidProblem(
                f"Probabilities came for {list(prior.labels)}; expected one for each of {list(problem.labels)}."
            )
        label_counts = _checked([said[i] for i in range(problem.n_labels)], "the labels") * prior.label_strength
    return counts, label_counts


def _probabilities(expert: Expert, feature: Feature) -> NDArray[np.float64]:
    given = expert.probability
    if isinstance(feature, Continuous):
        if not feature.cuts or isinstance(given, Mapping | int | float):
            raise InvalidProblem(
                f"{expert.feature}: what an expert says of a continuous feature needs fixed `cuts` "
                f"and one probability for each bin; {given!r} came."
            )
        values: Sequence[Value] = range(len(feature.cuts) + 1)
    else:
        values = feature.values
    if isinstance(given, Mapping):
        said = {_known_as(values, value): p for value, p in given.items()}
        if set(said) != set(values):
            raise InvalidProblem(
                f"{expert.feature}: probabilities came for {list(given)}; expected one for each of {list(values)}."
            )
        given = [said[value] for value in values]
    elif isinstance(given, int | float):
        if len(values) != 2:
            raise InvalidProblem(f"{expert.feature}: one probability came for {len(values)} values; give one for each.")
        given = [1.0 - given, given]
    elif not isinstance(given, tuple):
        raise InvalidProblem(f"{expert.feature}: probability {given!r} came; expected a number, or one for each value.")
    if len(given) != len(values):
        raise InvalidProblem(
            f"{expert.feature}: {len(given)} probabilities came for {len(values)} values; give one for each."
        )
    return _checked(given, f"{expert.feature!r} given {expert.label!r}")


def _known_as(known: Sequence[Any], name: Any) -> Any:
    """The label or value that a name stands for: a file writes every key as text."""
    if name in known or not isinstance(name, str):
        return name
    return next((one for one in known if str(one) == name), name)


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
        numbers, column = values[known, column], column + 1
        view = fresh.first_view(f)
        if not feature.cuts:
            cells, at = np.unique(numbers, return_inverse=True)
            cells, by_label = _squeezed(cells, _cross(at, labels, weights, len(cells), m))
            n_seen = max(len(numbers), round(float(weights.sum())))
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
    if len(cells) <= _SKETCH_CELLS:
        return cells, by_label
    weight = by_label.sum(axis=1)
    share = (np.cumsum(weight) - 0.5 * weight) / weight.sum()
    _, group = np.unique((share * _SKETCH_CELLS).astype(np.int64), return_inverse=True)
    sums = np.zeros((group[-1] + 1, by_label.shape[1]))
    np.add.at(sums, group, by_label)
    return np.bincount(group, weight * cells) / np.bincount(group, weight), sums


def read_prior(path: str | os.PathLike[str]) -> Prior:
    """Return a prior from a TOML file that a person can write.

    ```toml
    count = 1.0                     # what is not mentioned: seen this often already
    strength = 20                   # cases behind a statement, unless it says otherwise

    [labels]                        # optional
    healthy = 0.9
    ill = 0.1

    [features.fever.ill]            # feature, then label
    probability = 0.8               # of value 1; or a table: probability = {sinus = 0.7, other = 0.3}
    strength = 50
    ```
    """
    import tomllib  # here, since few need it and it takes its time

    try:
        with open(path, "rb") as file:
            text = tomllib.load(file)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InvalidProblem(f"{path} cannot be read as a prior: {error}.") from error
    unknown = sorted(set(text) - {"count", "strength", "labels", "label_strength", "features"})
    if unknown:
        raise InvalidProblem(f"{path}: {unknown} came; expected count, strength, labels, label_strength, features.")
    strength = text.get("strength", 20)
    said_of = text.get("features", {})
    if not isinstance(said_of, dict):
        raise InvalidProblem(f"{path}: features = {said_of!r} came; expected tables [features.FEATURE.LABEL].")
    experts = []
    for feature, by_label in said_of.items():
        for label, said in by_label.items() if isinstance(by_label, dict) else [("", None)]:
            if not isinstance(said, dict) or "probability" not in said or set(said) - {"probability", "strength"}:
                raise InvalidProblem(
                    f"{path}: features.{feature} holds {by_label!r}; "
                    f"expected a table [features.{feature}.LABEL] with probability and, if wanted, strength."
                )
            experts.append(Expert(feature, label, said["probability"], said.get("strength", strength)))
    return Prior(
        count=text.get("count", 1.0),
        experts=tuple(experts),
        labels=text.get("labels"),
        label_strength=text.get("label_strength", strength),
    )


def interpolate(prior: Prior, share: float) -> Prior:
    """Return a prior between the uniform one (share 0) and an informed one (share 1).

    What experts say keeps its strength; its probabilities move from equal ones to theirs.

    >>> interpolate(Prior(experts=[Expert("fever", "ill", 0.9, strength=50)]), 0.5).experts[0].probability
    0.7
    """
    if not 0 <= number(share) <= 1:
        raise InvalidProblem(f"A share of {share!r} came; expected a number from 0 to 1.")

    def between(p: float, n: int) -> float:
        return (1 - share) / n + share * p

    experts = []
    for expert in prior.experts:
        given = expert.probability
        if isinstance(given, Mapping):
            moved: Any = {value: between(p, len(given)) for value, p in given.items()}
        elif isinstance(given, int | float):
            moved = between(given, 2)
        else:
            moved = tuple(between(p, len(given)) for p in given)
        experts.append(replace(expert, probability=moved))
    labels = prior.labels and {label: between(p, len(prior.labels)) for label, p in prior.labels.items()}
    return replace(prior, experts=tuple(experts), labels=labels)


def _checked(probabilities: Sequence[float], what: str) -> NDArray[np.float64]:
    p: NDArray[np.float64] = np.array([number(x) for x in probabilities])
    if not np.isfinite(p).all() or (p <= 0).any() or abs(p.sum() - 1) > 1e-6:
        raise InvalidProblem(
            f"Probabilities {list(probabilities)} came for {what}; expected numbers above 0 that sum to 1 "
            "(what is given probability 0 could never be learned)."
        )
    p /= p.sum()
    return p


def _check_amount(what: str, amount: float) -> None:
    if not 0 < number(amount) < math.inf:
        raise InvalidProblem(f"{amount!r} came for {what}; expected a finite number of cases above 0.")
