"""Does the `paper` preset do what the paper's experiments did? Questions and online utility, side by side.

The authors' splits, numbers of hypotheses and metrics are taken over; their random numbers cannot be (their
first draw is not seeded), so short streams are repeated with fresh ones until chance is small.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ufodt import UFODT, Binary, Problem
from ufodt.lab.datasets import PAPER, Dataset, load_paper, paper_split
from ufodt.lab.published import PUBLISHED

REPETITIONS = {"led": 1, "zoo": 30, "spect_heart": 30, "compas": 1, "fico": 1}
QUESTIONS_BAR = 0.10  # relative
UTILITY_BAR = 0.03


class Fidelity(NamedTuple):
    """One data set and criterion: what we measure with the printed algorithm, and what was published."""

    dataset: str
    criterion: str
    questions: float
    published_questions: float
    utility: float
    published_utility: float

    @property
    def holds(self) -> bool:
        close = abs(self.questions / self.published_questions - 1) <= QUESTIONS_BAR
        return close and abs(self.utility - self.published_utility) <= UTILITY_BAR


def measure(name: str, criterion: str) -> Fidelity:
    """Run the `paper` preset over the authors' streams of one data set."""
    data, run = load_paper(name), PAPER[name]
    problem = binary_problem(data)
    questions, utilities = [], []
    for repetition in range(REPETITIONS[name]):
        for seed in run.seeds:
            stream, _ = paper_split(name, seed)
            learner = UFODT.paper(
                problem, criterion=criterion, n_hypotheses=run.n_hypotheses, seed=seed + 1000 * repetition
            )
            record = learner.run(data.X[stream], data.y[stream])
            questions.append(record.n_asked.mean())
            utilities.append(UTILITIES[run.metric](data.y[stream], record.predicted))
    published = PUBLISHED[name, f"UFODT-{criterion.upper()}"]
    assert published.online is not None
    return Fidelity(
        name, criterion, float(np.mean(questions)), published.questions, float(np.mean(utilities)), published.online
    )


def binary_problem(data: Dataset) -> Problem:
    """Return the data set's features as binary questions of price 1."""
    return Problem([Binary(name) for name in data.feature_names], labels=range(len(data.label_names)))


Labels = NDArray[np.int64]


def accuracy(truth: Labels, predicted: Labels) -> float:
    """Share of the answers that are right."""
    return float((truth == predicted).mean())


def weighted_f1(truth: Labels, predicted: Labels) -> float:
    """F1 of every label, weighted by how often it is the truth."""
    return sum(_f1(truth, predicted, label) * float((truth == label).mean()) for label in np.unique(truth))


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
    "binary_f1": binary_f1,
}
