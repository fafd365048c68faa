"""The experiments of the paper: which rows are the stream, which the hold-out, and the settings used.

In the authors' program the *stream* is the part called "test" and the *hold-out* the part called "train".
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from ufodt.lab.datasets.dataset import Dataset, DatasetUnavailable, IntArray, take

Metric = Literal["accuracy", "weighted_f1", "binary_f1"]
OSDT_FOLDS = 10
_OSDT_SEED = 2018


@dataclass(frozen=True)
class PaperRun:
    """How the paper ran one data set.

    `fold` counts from 1 in OSDT's ten folds; `stream_share` is the share of the rows (of that fold's
    training part, if there is a fold) that becomes the stream. `n_thresholds` equally spaced cuts are
    made on values scaled to 0..1 over the whole file. `metric` is that of the UFODT curves; the trees on
    SPECT Heart were scored by accuracy.
    """

    n_rows: int
    n_stream: int
    n_holdout: int
    n_hypotheses: int
    seeds: tuple[int, ...]
    metric: Metric
    stream_share: float | None
    fold: int | None = None
    n_thresholds: int = 1


PAPER: dict[str, PaperRun] = {
    "led": PaperRun(10000, 5000, 5000, 95, tuple(range(102, 106)), "accuracy", 0.5),
    "zoo": PaperRun(101, 71, 30, 161, tuple(range(102, 112)), "weighted_f1", 0.7),
    "spect_heart": PaperRun(267, 187, 80, 34, tuple(range(102, 112)), "binary_f1", 0.7),
    "compas": PaperRun(6907, 6216, 691, 500, (101, 102), "accuracy", None, fold=5),
    "fico": PaperRun(10459, 8472, 941, 50, (101, 102), "accuracy", 0.9, fold=2),
    "pima_diabetes": PaperRun(768, 615, 153, 120, (101, 102, 103), "weighted_f1", 0.8, n_thresholds=9),
    "wdbc": PaperRun(569, 456, 113, 500, (101, 102, 103), "weighted_f1", 0.8, n_thresholds=9),
    "fetal_health": PaperRun(2126, 1276, 850, 500, (101, 102, 103), "weighted_f1", 0.6, n_thresholds=9),
}


def paper_split(name: str, seed: int) -> tuple[IntArray, IntArray]:
    """Return the authors' stream and hold-out as row indices into `load_paper(name)`.

    The stream comes in the order in which it is presented. For `compas` it is the file order for every
    seed, so seeds differ only in the learner's random numbers.

    Examples
    --------
    >>> stream, holdout = paper_split("zoo", 102)
    >>> len(stream), len(holdout), len(set(stream) & set(holdout))
    (71, 30, 0)
    """
    if name not in PAPER:
        raise DatasetUnavailable(f"the paper has no split of {name!r}; expected one of {', '.join(PAPER)}.")
    run = PAPER[name]
    rows = np.arange(run.n_rows)
    if run.fold is None:
        return _share(rows, run.stream_share, seed)
    training, rest = _fold(rows, run.fold)
    return (training, rest) if run.stream_share is None else _share(training, run.stream_share, seed)


def split(data: Dataset, *, seed: int, stream_share: float = 0.8) -> tuple[Dataset, Dataset]:
    """Return a stream and a hold-out drawn at random, as the authors draw theirs.

    >>> from ufodt.lab.datasets import led
    >>> [len(part.y) for part in split(led(100, seed=1), seed=101)]
    [80, 20]
    """
    stream, holdout = split_rows(len(data.y), seed=seed, stream_share=stream_share)
    return take(data, stream), take(data, holdout)


def split_rows(n_rows: int, *, seed: int, stream_share: float = 0.8) -> tuple[IntArray, IntArray]:
    """Return the rows of a stream, in its order, and of a hold-out, drawn at random."""
    return _share(np.arange(n_rows), stream_share, seed)


def fold_split(name: str, fold: int) -> tuple[IntArray, IntArray]:
    """Return one of OSDT's ten folds, counted from 1, in file order: its training part as stream, the rest held out."""
    return _fold(np.arange(PAPER[name].n_rows), fold)


def _share(rows: IntArray, share: float | None, seed: int) -> tuple[IntArray, IntArray]:
    from sklearn.model_selection import train_test_split

    holdout, stream = train_test_split(rows, test_size=share, random_state=seed)
    return np.asarray(stream, dtype=np.int64), np.asarray(holdout, dtype=np.int64)


def _fold(rows: IntArray, fold: int) -> tuple[IntArray, IntArray]:
    from sklearn.model_selection import KFold

    folds = KFold(OSDT_FOLDS, shuffle=True, random_state=_OSDT_SEED).split(rows)
    training, rest = list(folds)[fold - 1]
    return np.asarray(training, dtype=np.int64), np.asarray(rest, dtype=np.int64)
