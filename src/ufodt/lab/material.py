"""The rows a run is made of: its stream, its hold-out (which may move), and what is to be known about them.

The paper's data sets come with the authors' files and splits, seeds counted on from theirs. Where the files are not
to be had, the copy that a package carries stands in, and a note says so.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, lru_cache

import numpy as np

from ufodt.lab import datasets
from ufodt.lab.datasets import PAPER, Dataset, DatasetUnavailable, take
from ufodt.lab.datasets.dataset import IntArray
from ufodt.lab.datasets.generated import STAGGER_LENGTH
from ufodt.lab.datasets.paper import fold_split, paper_split

TITLES = {
    "led": "LED",
    "zoo": "Zoo",
    "spect_heart": "SPECT Heart",
    "compas": "Compas",
    "fico": "Fico",
    "pima_diabetes": "Diabetes",
    "wdbc": "Breast Cancer",
    "fetal_health": "Fetal Health",
    "stagger": "Stagger",
    "world-led": "LED, parameters known",
    "world-random": "random worlds",
}
LARGE = ("led", "compas", "fico")
FIRST_SEED = {name: run.seeds[0] for name, run in PAPER.items()} | {"stagger": 0}
TUNING_SEED = 900  # of no run
_PACKAGED = {"pima_diabetes": "pima"}  # where the name differs
STAND_IN = "the authors' file is not here; a copy from an installed package stands in, so rows and splits differ"
COMPAS_NOTE = (
    "the paper runs one fold (OSDT's fifth, in file order) for every seed; here each further seed takes the next fold"
)


@dataclass(frozen=True)
class Material:
    """One stream and the hold-out that is asked about after a number of cases."""

    stream: Dataset
    holdout_at: Callable[[int], Dataset]
    everything: Dataset
    metric: str  # of the paper
    notes: tuple[str, ...] = ()


def material(name: str, seed: int, *, limit: int | None = None, label: str | None = None) -> Material:
    """Return what a run on a data set is made of.

    Parameters
    ----------
    name
        One of the paper's nine, any name of `ufodt.lab.datasets`, or the path of a table.
    seed
        Of the split, or of the stream where it is generated.
    limit
        Cases of the stream at most, from its start.
    label
        The label column of a table.

    Examples
    --------
    >>> moving = material("stagger", 3)
    >>> [int(moving.holdout_at(case).y.sum()) for case in (1, 60, 61, 180)]
    [3, 3, 15, 18]
    """
    if name == "stagger":
        stream = datasets.stagger(seed=seed, form="binary4")
        objects = [datasets.stagger_holdout(concept, form="binary4") for concept in (1, 2, 3)]
        stream = stream if limit is None else take(stream, np.arange(min(limit, len(stream.y))))
        return Material(stream, lambda n: objects[min(n - 1, 179) // STAGGER_LENGTH], stream, "accuracy")
    if name in PAPER:
        data, notes = _paper_data(name)
        rows, rest = _paper_rows(name, seed, len(data.y))
        metric: str = PAPER[name].metric
        notes += (COMPAS_NOTE,) if name == "compas" else ()
    else:
        data, notes, metric = source(name, seed, label), (), "accuracy"
        rows, rest = datasets.split_rows(len(data.y), seed=seed)
    stream, holdout = take(data, rows[:limit]), take(data, rest)
    return Material(stream, lambda _: holdout, data, metric, notes)


@lru_cache(maxsize=4)
def source(name: str, seed: int, label: str | None = None) -> Dataset:
    """Return a data set by name or path, kept for the next run on it."""
    return datasets.load(name, seed=seed, label=label)


@cache
def _paper_data(name: str) -> tuple[Dataset, tuple[str, ...]]:
    try:
        return datasets.load_paper(name), ()
    except DatasetUnavailable:
        data = datasets.load(_PACKAGED.get(name, name), seed=0)
        return replace(data, name=name), (STAND_IN,)


def _paper_rows(name: str, seed: int, n_rows: int) -> tuple[IntArray, IntArray]:
    run = PAPER[name]
    if n_rows != run.n_rows:
        return datasets.split_rows(n_rows, seed=seed, stream_share=run.stream_share or 0.9)
    if name == "compas":
        assert run.fold is not None
        return fold_split(name, 1 + (run.fold - 1 + seed - run.seeds[0]) % 10)
    return paper_split(name, seed)


def seeds_of(name: str, n: int) -> tuple[int, ...]:
    """Return n seeds, the paper's first where it has the data set."""
    first = FIRST_SEED.get(name, 0)
    return tuple(range(first, first + n))
