"""A problem as the core reads it: indices and numbers, no names."""

import math

from ufodt import core
from ufodt.errors import InvalidProblem
from ufodt.features import Continuous, Feature
from ufodt.problem import Problem
from ufodt.thresholds import Thresholds

_MOST_CELLS = 2**31 - 1  # outcomes times labels


def compile_problem(problem: Problem, cutting: Thresholds) -> core.Problem:
    """Return the problem as the core reads it: indices and numbers, no names."""
    features = problem.features
    groups = {name: i for i, name in enumerate(sorted({f.group for f in features if f.group is not None}))}
    n_outcomes = [_n_outcomes(f, cutting) for f in features]
    if sum(n_outcomes) * problem.n_labels > _MOST_CELLS:
        came = f"{sum(n_outcomes):,} outcomes under {problem.n_labels} labels came"
        raise InvalidProblem(f"{came}; expected at most {_MOST_CELLS:,} cells.")
    return core.Problem(
        n_outcomes=n_outcomes,
        n_labels=problem.n_labels,
        price=problem.prices.tolist(),
        later_price=[math.inf if f.later_price is None else problem.amount(f.later_price, f.name) for f in features],
        group=[-1 if f.group is None else groups[f.group] for f in features],
        loss=problem.losses,
        surcharge=_surcharges(problem, n_outcomes),
        mandatory=[int(f.mandatory) for f in features],
        needs=[[problem.feature_index(name) for name in f.needs] for f in features],
        computed_from=[[problem.feature_index(name) for name in f.computed_from] for f in features],
        continuous=[int(isinstance(f, Continuous)) for f in features],
        cuts=[list(f.cuts) if isinstance(f, Continuous) else [] for f in features],
    )


def _n_outcomes(feature: Feature, cutting: Thresholds) -> int:
    if not isinstance(feature, Continuous):
        return len(feature.values)
    return 2 if cutting.kind != "bins" else (len(feature.cuts) or cutting.n) + 1


def _surcharges(problem: Problem, n_outcomes: list[int]) -> list[float]:
    """One amount per outcome, or none at all where no value adds to a price."""
    if not any(f.surcharge for f in problem.features):
        return []
    amounts: list[float] = []
    for feature, n in zip(problem.features, n_outcomes, strict=True):
        added = feature.surcharge or {}
        values = () if isinstance(feature, Continuous) else feature.values
        amounts += [problem.amount(added.get(v, 0.0), feature.name) for v in values] or [0.0] * n
    return amounts


def n_states(problem: core.Problem) -> int:
    """Return how many partial assignments of outcomes a problem has."""
    return math.prod(n + 1 for n in problem.n_outcomes)


def work(problem: core.Problem) -> int:
    """Return what the exact optimum takes: states times labels, squared where one mistake costs more than another."""
    return n_states(problem) * problem.n_labels ** (1 if problem.has_one_loss else 2)
