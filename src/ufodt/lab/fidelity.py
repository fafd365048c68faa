"""Does the `paper` preset do what the paper's experiments did? Questions and online utility, side by side.

The authors' splits, numbers of hypotheses and metrics are taken over; their random numbers cannot be (their
first draw is not seeded), so short streams are repeated with fresh ones until chance is small.
"""

from typing import NamedTuple

import numpy as np

from ufodt import UFODT
from ufodt.lab.datasets import PAPER, load_paper, paper_split, to_problem
from ufodt.lab.published import PUBLISHED
from ufodt.lab.scores import UTILITIES
from ufodt.lab.verdict import Measurements, Result, at_most

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


def measure(*, quick: bool = False) -> Measurements:
    """Give one measurement per data set and criterion; a quick look leaves out the repetitions and the long streams."""
    for name, n_repetitions in REPETITIONS.items():
        if quick and n_repetitions == 1:
            continue
        for criterion in ("ec2", "ig"):
            n = 0 if quick else n_repetitions
            yield f"{name}, {criterion}", lambda name=name, criterion=criterion, n=n: results(name, criterion, n)  # type: ignore[misc]


def results(name: str, criterion: str, n_repetitions: int) -> list[Result]:
    """Return how far questions and online utility of the `paper` preset are from the published ones."""
    found = compare(name, criterion, n_repetitions)
    what = f"{name}, {criterion.upper()}"
    return [
        at_most(
            name=f"questions_{name}_{criterion}",
            claim=f"{what}: questions, away from the published",
            unit="of them",
            bar=QUESTIONS_BAR,
            measured=abs(found.questions / found.published_questions - 1),
            note=f"{found.questions:.2f} a case, published {found.published_questions:.2f}",
            detail=found._asdict(),
        ),
        at_most(
            name=f"utility_{name}_{criterion}",
            claim=f"{what}: online utility, away from the published",
            unit=PAPER[name].metric,
            bar=UTILITY_BAR,
            measured=abs(found.utility - found.published_utility),
            note=f"{found.utility:.3f}, published {found.published_utility:.3f}",
            detail=found._asdict(),
        ),
    ]


def compare(name: str, criterion: str, n_repetitions: int | None = None) -> Fidelity:
    """Run the `paper` preset over the authors' streams of one data set; with 0 repetitions over the first alone."""
    data, run = load_paper(name), PAPER[name]
    problem = to_problem(data)
    questions, utilities = [], []
    n = REPETITIONS[name] if n_repetitions is None else n_repetitions
    for repetition in range(max(n, 1)):
        for seed in run.seeds if n else run.seeds[:1]:
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
