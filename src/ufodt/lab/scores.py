"""What answers are worth beside the truth: accuracy and the F1 scores, by name.

>>> truth, answers = np.array([0, 0, 1, 2]), np.array([0, 1, 1, 1])
>>> accuracy(truth, answers), round(macro_f1(truth, answers), 3)
(0.5, 0.389)
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Labels = NDArray[np.int64]


def accuracy(truth: Labels, predicted: Labels) -> float:
    """Share of the answers that are right."""
    return float((truth == predicted).mean())


def weighted_f1(truth: Labels, predicted: Labels) -> float:
    """F1 of every label, weighted by how often it is the truth."""
    return sum(_f1(truth, predicted, label) * float((truth == label).mean()) for label in np.unique(truth))


def macro_f1(truth: Labels, predicted: Labels) -> float:
    """Mean F1 of the labels that are the truth or an answer somewhere, each counting the same."""
    return float(np.mean([_f1(truth, predicted, label) for label in np.union1d(truth, predicted)]))


def binary_f1(truth: Labels, predicted: Labels) -> float:
    """F1 of label 1."""
    return _f1(truth, predicted, 1)


def _f1(truth: Labels, predicted: Labels, label: int) -> float:
    both = ((truth == label) & (predicted == label)).sum()
    either = (truth == label).sum() + (predicted == label).sum()
    return float(2 * both / either) if either else 0.0


UTILITIES: dict[str, Callable[[Labels, Labels], float]] = {
    "accuracy": accuracy,
    "weighted_f1": weighted_f1,
    "macro_f1": macro_f1,
    "binary_f1": binary_f1,
}
