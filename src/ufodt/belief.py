"""What is known about theta before the first case and after many: Dirichlet counts.

The core's `Belief` holds the prior and what was learned apart, one row per outcome and one column per label.
This module turns what people know into priors; the rest of the arithmetic is in `core/belief.hpp`.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ufodt import core
from ufodt.errors import InvalidProblem
from ufodt.problem import Label, Problem, Value


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Prior:
    """What is believed before the first case.

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
    """

    count: float = 1.0
    experts: Sequence[Expert] = ()
    labels: Mapping[Label, float] | None = None
    label_strength: float = 10.0
    learns_labels: bool = True


def from_prior(prior: Prior, problem: Problem, compiled: core.Problem) -> core.Belief:
    """Return the belief before the first case."""
    _check_amount("the prior's count", prior.count)
    counts = np.full((compiled.n_rows, problem.n_labels), float(prior.count))
    first_row = np.cumsum([0, *(len(f.values) for f in problem.features)])
    for expert in prior.experts:
        index, label = problem.feature_index(expert.feature), problem.label_index(expert.label)
        _check_amount(f"the strength behind {expert.feature!r} given {expert.label!r}", expert.strength)
        rows = slice(first_row[index], first_row[index + 1])
        counts[rows, label] = _probabilities(expert, problem.features[index].values) * expert.strength
    label_counts = np.full(problem.n_labels, float(prior.count))
    if prior.labels is not None:
        _check_amount("the strength behind the labels", prior.label_strength)
        if set(prior.labels) != set(problem.labels):
            raise InvalidProblem(
                f"Probabilities came for {list(prior.labels)}; expected one for each of {list(problem.labels)}."
            )
        given = [prior.labels[label] for label in problem.labels]
        label_counts = _checked(given, "the labels") * prior.label_strength
    return core.Belief(compiled, counts, label_counts, prior.learns_labels)


def _probabilities(expert: Expert, values: Sequence[Value]) -> NDArray[np.float64]:
    given = expert.probability
    if isinstance(given, Mapping):
        if set(given) != set(values):
            raise InvalidProblem(
                f"{expert.feature}: probabilities came for {list(given)}; expected one for each of {list(values)}."
            )
        given = [given[value] for value in values]
    elif isinstance(given, int | float):
        if len(values) != 2:
            raise InvalidProblem(f"{expert.feature}: one probability came for {len(values)} values; give one for each.")
        given = [1.0 - given, given]
    if len(given) != len(values):
        raise InvalidProblem(
            f"{expert.feature}: {len(given)} probabilities came for {len(values)} values; give one for each."
        )
    return _checked(given, f"{expert.feature!r} given {expert.label!r}")


def _checked(probabilities: Sequence[float], what: str) -> NDArray[np.float64]:
    p: NDArray[np.float64] = np.array(probabilities, dtype=np.float64)
    if not np.isfinite(p).all() or (p <= 0).any() or abs(p.sum() - 1) > 1e-6:
        raise InvalidProblem(
            f"Probabilities {p.tolist()} came for {what}; expected numbers above 0 that sum to 1 "
            "(what is given probability 0 could never be learned)."
        )
    p /= p.sum()
    return p


def _check_amount(what: str, amount: float) -> None:
    if not (isinstance(amount, int | float | np.number) and math.isfinite(amount) and amount > 0):
        raise InvalidProblem(f"{amount!r} came for {what}; expected a finite number of cases above 0.")
