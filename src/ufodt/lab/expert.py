"""What an expert knows of Stagger before the first case, and all priors between that and knowing nothing.

The paper interpolates between the uniform prior and an "optimal" one without saying which that is. Here the expert
knows P(feature | label) of some concepts together and is believed like `STRENGTH` cases per label; between the two, the
counts of both are mixed (`ufodt.prior.interpolate`), so that both the expert's opinion and its weight grow with the
share.
"""

from collections.abc import Sequence

import numpy as np

from ufodt import Problem
from ufodt.errors import InvalidPolicy
from ufodt.lab.datasets import stagger_holdout
from ufodt.prior import Expert, Prior, interpolate, paper

STRENGTH = 10.0
_LEAST = 1e-3  # of a count: what is given probability 0 could never be learned


def expert_prior(
    problem: Problem, share: float, *, concepts: Sequence[int] = (1, 2, 3), strength: float = STRENGTH
) -> Prior:
    """Return the prior that lies `share` of the way from the uniform one to the expert's, labels fixed as in the paper.

    >>> from ufodt.lab.datasets import stagger, to_problem
    >>> problem = to_problem(stagger(seed=0, form="binary4"))
    >>> [round(expert.probability, 2) for expert in expert_prior(problem, 1.0).experts[:2]]
    [0.42, 0.22]
    >>> expert_prior(problem, 0.0) == paper()
    True
    """
    objects = [stagger_holdout(concept, form="binary4") for concept in concepts]
    if tuple(feature.name for feature in problem.features) != objects[0].feature_names:
        raise InvalidPolicy("an expert's prior is known for Stagger with its four indicators only; leave `prior` out.")
    X, y = np.concatenate([part.X for part in objects]), np.concatenate([part.y for part in objects])
    experts = []
    for j, feature in enumerate(problem.features):
        for label in problem.labels:
            p = float(X[y == label, j].mean())
            one, zero = (max(strength * q, _LEAST) for q in (p, 1 - p))
            experts.append(Expert(feature.name, label, one / (one + zero), one + zero))
    return interpolate(paper(experts), share)
