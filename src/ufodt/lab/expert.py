"""What an expert knows of Stagger before the first case, and all priors between that and knowing nothing.

The paper interpolates between the uniform prior and an "optimal" one without saying which that is. Here the expert knows
P(feature | label) of the three concepts together, as often as the stream shows each, and is believed like
`STRENGTH` cases per label; nothing is told of when the world will move.
"""

import numpy as np

from ufodt import Problem
from ufodt.belief import Expert, Prior, interpolate
from ufodt.errors import InvalidPolicy
from ufodt.lab.datasets import stagger_holdout

STRENGTH = 10.0


def expert_prior(problem: Problem, share: float, *, strength: float = STRENGTH) -> Prior:
    """Return the prior that lies `share` of the way from the uniform one to the expert's, labels fixed as in the paper.

    >>> from ufodt.lab.datasets import stagger, to_problem
    >>> prior = expert_prior(to_problem(stagger(seed=0, form="binary4")), 1.0)
    >>> [round(expert.probability, 2) for expert in prior.experts[:2]]
    [0.56, 0.08]
    """
    form = stagger_holdout(1, form="binary4")
    if tuple(feature.name for feature in problem.features) != form.feature_names:
        raise InvalidPolicy("an expert's prior is known for Stagger with its four indicators only; leave `prior` out.")
    objects = [stagger_holdout(concept, form="binary4") for concept in (1, 2, 3)]
    X, y = np.concatenate([part.X for part in objects]), np.concatenate([part.y for part in objects])
    experts = [
        Expert(feature.name, label, float(X[y == label, j].mean()), strength)
        for j, feature in enumerate(problem.features)
        for label in problem.labels
    ]
    return interpolate(Prior(experts=experts, learns_labels=False), share)
