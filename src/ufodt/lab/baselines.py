"""Other learners under one protocol: all of them read, and pay for, every feature of every case.

The real opponents are naive Bayes, naive Bayes restarted by a drift detector, and AMF; a table with the
Hoeffding trees (VFDT, EFDT, HAT) alone would flatter us. The learners are river's; the ceiling is
scikit-learn's gradient boosting, trained offline.

>>> from ufodt.lab import datasets
>>> stream = datasets.led(500, seed=1)
>>> predicted, cpu_seconds = prequential(build("bernoulli_nb", stream), stream.X, stream.y)
>>> bool((predicted == stream.y).mean() > 0.6)
True
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import product
from typing import Any, Protocol

import numpy as np

from ufodt.errors import InvalidPolicy, InvalidValue
from ufodt.lab.datasets.dataset import Dataset, FloatArray, IntArray

Row = FloatArray | dict[str, Any]
Progress = Callable[[int, int], None]
"""Called with what is done and what there is to do."""


class Kind(StrEnum):
    """The baselines by name."""

    VFDT = "vfdt"
    EFDT = "efdt"
    HAT = "hat"
    AMF = "amf"
    BERNOULLI_NB = "bernoulli_nb"
    GAUSSIAN_NB = "gaussian_nb"
    NB_DDM = "nb_ddm"
    CONSTANT = "constant"


TREES = (Kind.VFDT, Kind.EFDT, Kind.HAT)
EFDT_NOTE = (
    "categorical features are given as yes/no indicators: on nominal features of three or more values "
    "river's EFDT fails when it re-evaluates a split (it keeps the old children under a new test)"
)


class Baseline(Protocol):
    """A learner that reads whole rows; labels are indices."""

    n_read: int
    """Features read per case."""

    def prepare(self, row: FloatArray) -> Row:
        """Return the row in the form this learner reads fastest; both verbs below accept it."""

    def predict(self, row: Row) -> int:
        """Return the most likely label; nothing is learned."""

    def learn(self, row: Row, label: int) -> None:
        """Learn one labelled case."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of the results must know about this learner on these features."""


@dataclass(frozen=True)
class Setting:
    """Knobs of a Hoeffding tree; the defaults are river's.

    `delta` is the allowed error of a split decision, `tau` the width below which a tie is broken, `leaf`
    the rule in a leaf (`mc` majority, `nb` naive Bayes, `nba` the better of both). `reevaluate` is used
    by EFDT only.
    """

    grace_period: int = 200
    delta: float = 1e-7
    tau: float = 0.05
    leaf: str = "nba"
    reevaluate: int = 20


DEFAULT = Setting()
GRID: tuple[Setting, ...] = tuple(
    Setting(grace, delta, tau, leaf, reevaluate=grace)
    for grace, delta, tau, leaf in product((1, 10), (1e-5, 0.01, 0.5), (0.05, 1.0), ("mc", "nb", "nba"))
)


def build(kind: str, data: Dataset, *, setting: Setting = DEFAULT, seed: int = 0) -> Baseline:
    """Return a fresh baseline for rows such as those of `data`.

    Parameters
    ----------
    data
        Only the kinds and categories of its features and the number of its labels are used.
    setting
        For the trees; the others have none.
    seed
        For AMF and HAT, the only ones that draw.

    Examples
    --------
    >>> from ufodt.lab import datasets
    >>> build("vfdt", datasets.stagger(seed=0)).n_read
    3
    """
    if kind not in list(Kind):
        raise InvalidPolicy(f"no baseline is called {kind!r}; expected one of {', '.join(Kind)}.")
    if kind == Kind.CONSTANT:
        return MostFrequent(data.X.shape[1], len(data.label_names))
    if kind == Kind.EFDT and any(len(categories) > 2 for categories in data.categories):
        return RiverBaseline(_tree(Kind.EFDT, setting, seed), nominal_indicators(data), data.X.shape[1], (EFDT_NOTE,))
    if kind in TREES:
        return RiverBaseline(_tree(Kind(kind), setting, seed), nominal(data), data.X.shape[1])
    model, notes = _river_model(Kind(kind), data, seed)
    if kind == Kind.NB_DDM:
        return RestartedByDDM(model, one_hot(data), data.X.shape[1], notes)
    return RiverBaseline(model, one_hot(data), data.X.shape[1], notes)


class RiverBaseline:
    """A classifier of river behind our protocol."""

    def __init__(self, model: Any, encode: "Encoder", n_features: int, notes: Sequence[str] = ()) -> None:
        self.n_read = n_features
        self.prepare = encode
        self.notes = tuple(notes)
        self._model = model

    def predict(self, row: Row) -> int:
        """Return the most likely label, 0 before anything was learned."""
        label = self._model.predict_one(self._encoded(row))
        return 0 if label is None else int(label)

    def learn(self, row: Row, label: int) -> None:
        """Learn one labelled case."""
        self._model.learn_one(self._encoded(row), int(label))

    def _encoded(self, row: Row) -> Row:
        return row if isinstance(row, dict) else self.prepare(row)


class RestartedByDDM:
    """A classifier of river that starts afresh whenever DDM sees its error rate jump.

    References
    ----------
    Gama et al. (2004), Learning with drift detection.
    """

    def __init__(self, model: Any, encode: "Encoder", n_features: int, notes: Sequence[str] = ()) -> None:
        from river.drift.binary import DDM

        self.n_read = n_features
        self.prepare = encode
        self._model = model
        self._detector: Any = DDM()
        self._notes = tuple(notes)
        self._n_restarts = 0
        self._last: tuple[Row | None, int] = (None, 0)

    def predict(self, row: Row) -> int:
        """Return the most likely label, 0 before anything was learned."""
        label = self._model.predict_one(self._encoded(row))
        self._last = (row, 0 if label is None else int(label))
        return self._last[1]

    def learn(self, row: Row, label: int) -> None:
        """Judge the present model by one labelled case, start afresh if it is outdated, and learn."""
        seen, answer = self._last
        if seen is not row:  # the label came late, or the row was never asked about
            answer = self.predict(row)
        self._last = (None, 0)
        self._detector.update(answer != label)
        if self._detector.drift_detected:
            self._model = self._model.clone()
            self._n_restarts += 1
        self._model.learn_one(self._encoded(row), int(label))

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of the results must know."""
        return (*self._notes, f"restarted {self._n_restarts} times by DDM")

    def _encoded(self, row: Row) -> Row:
        return row if isinstance(row, dict) else self.prepare(row)


class MostFrequent:
    """The constant predictor: the label seen most often so far, whatever the row says."""

    notes: tuple[str, ...] = ()

    def __init__(self, n_features: int, n_labels: int) -> None:
        self.n_read = n_features
        self._counts = np.zeros(n_labels, dtype=np.int64)

    def prepare(self, row: FloatArray) -> Row:
        """Return the row as it is."""
        return row

    def predict(self, row: Row) -> int:
        """Return the label seen most often."""
        return int(self._counts.argmax())

    def learn(self, row: Row, label: int) -> None:
        """Count one label."""
        self._counts[label] += 1


def prequential(
    baseline: Baseline, X: FloatArray, y: IntArray, *, progress: Progress | None = None
) -> tuple[IntArray, float]:
    """Return the label predicted for each case before it was learned, and the CPU seconds that took.

    Rows are put into the learner's own form before the clock starts.
    """
    rows = [baseline.prepare(row) for row in X]
    labels = [int(label) for label in y]
    if len(rows) != len(labels):
        raise InvalidValue(f"{len(rows)} rows came with {len(labels)} labels; expected one label per row.")
    predicted = np.empty(len(rows), dtype=np.int64)
    start = time.process_time()
    for i, (row, label) in enumerate(zip(rows, labels, strict=True)):
        predicted[i] = baseline.predict(row)
        baseline.learn(row, label)
        if progress is not None:
            progress(i + 1, len(rows))
    return predicted, time.process_time() - start


def holdout(baseline: Baseline, X: FloatArray) -> IntArray:
    """Return the label predicted for each row; nothing is learned."""
    return np.array([baseline.predict(baseline.prepare(row)) for row in X], dtype=np.int64)


@dataclass(frozen=True)
class Tuned:
    """The winner of a grid and the whole score table, in the order of the grid."""

    setting: Setting
    accuracy: float
    scores: tuple[tuple[Setting, float], ...]
    notes: tuple[str, ...]


def tune(kind: str, streams: Sequence[Dataset], *, progress: Progress | None = None) -> Tuned:
    """Return the setting of `GRID` with the best mean prequential accuracy over `streams`.

    The streams must come from seeds that are not used for the figures. A baseline without settings keeps
    its default. Ties go to the earlier setting.
    """
    if not streams:
        raise InvalidValue("no stream to tune on came; expected at least one, from a seed of its own.")
    grid = GRID if kind in TREES else (DEFAULT,)
    scores: list[tuple[Setting, float]] = []
    notes: list[str] = []
    for done, setting in enumerate(grid):
        accuracies = []
        for stream in streams:
            baseline = build(kind, stream, setting=setting)
            predicted, _ = prequential(baseline, stream.X, stream.y)
            accuracies.append(float((predicted == stream.y).mean()))
            notes.extend(f"{setting}: {note}" for note in baseline.notes)
        scores.append((setting, float(np.mean(accuracies))))
        if progress is not None:
            progress(done + 1, len(grid))
    best, accuracy = max(scores, key=lambda score: score[1])
    return Tuned(best, accuracy, tuple(scores), tuple(notes))


def offline_boosting(stream: Dataset, *, seed: int = 0) -> Callable[[FloatArray], IntArray]:
    """Return what answers rows after gradient boosting has seen the whole stream: the ceiling.

    It is trained offline on all features, so no online learner that pays for less is expected above it. One thread
    does it: on a busy machine several wait for each other most of the time.
    """
    from sklearn.ensemble import HistGradientBoostingClassifier
    from threadpoolctl import threadpool_limits

    model = HistGradientBoostingClassifier(
        categorical_features=[kind == "categorical" for kind in stream.kinds], random_state=seed
    )
    with threadpool_limits(1):
        model.fit(stream.X, stream.y)

    def answer(X: FloatArray) -> IntArray:
        with threadpool_limits(1):
            return np.asarray(model.predict(X), dtype=np.int64)

    return answer


Encoder = Callable[[FloatArray], dict[str, Any]]


def nominal(data: Dataset) -> Encoder:
    """Return the form river's trees need: categories as text, numbers as floats, missing left out.

    Given 0 and 1 as numbers, even as booleans, the trees would fit normal distributions to them.

    >>> from ufodt.lab import datasets
    >>> stream = datasets.stagger(seed=0)
    >>> nominal(stream)(np.array([0.0, 2.0, np.nan]))
    {'size': 'small', 'color': 'blue'}
    """
    features = list(zip(data.feature_names, data.categories, strict=True))

    def encode(row: FloatArray) -> dict[str, Any]:
        return {
            name: categories[int(value)] if categories else value
            for (name, categories), value in zip(features, row.tolist(), strict=True)
            if value == value
        }

    return encode


def nominal_indicators(data: Dataset) -> Encoder:
    """Return the form of `nominal` with each categorical feature as one yes/no text per category.

    >>> from ufodt.lab import datasets
    >>> nominal_indicators(datasets.stagger(seed=0))(np.array([1.0, np.nan, np.nan]))
    {'size=small': 'no', 'size=medium': 'yes', 'size=large': 'no'}
    """
    numbers, as_text = one_hot(data), {0.0: "no", 1.0: "yes"}
    continuous = {name for name, kind in zip(data.feature_names, data.kinds, strict=True) if kind == "continuous"}

    def encode(row: FloatArray) -> dict[str, Any]:
        cells = numbers(row).items()
        return {name: value if name in continuous else as_text[value] for name, value in cells}

    return encode


def one_hot(data: Dataset) -> Encoder:
    """Return the form naive Bayes and AMF need: numbers only, a categorical feature as indicators.

    >>> from ufodt.lab import datasets
    >>> one_hot(datasets.stagger(seed=0))(np.array([1.0, np.nan, np.nan]))
    {'size=small': 0.0, 'size=medium': 1.0, 'size=large': 0.0}
    """
    features = list(zip(data.feature_names, data.kinds, data.categories, strict=True))

    def encode(row: FloatArray) -> dict[str, Any]:
        cells: dict[str, Any] = {}
        for (name, kind, categories), value in zip(features, row.tolist(), strict=True):
            if value != value:
                continue
            if kind == "categorical":
                cells.update({f"{name}={c}": float(i == value) for i, c in enumerate(categories)})
            else:
                cells[name] = value
        return cells

    return encode


def _tree(kind: Kind, setting: Setting, seed: int) -> Any:
    from river import tree

    knobs: dict[str, Any] = {
        "grace_period": setting.grace_period,
        "delta": setting.delta,
        "tau": setting.tau,
        "leaf_prediction": setting.leaf,
    }
    if kind == Kind.EFDT:
        return tree.ExtremelyFastDecisionTreeClassifier(min_samples_reevaluate=setting.reevaluate, **knobs)
    if kind == Kind.HAT:
        return tree.HoeffdingAdaptiveTreeClassifier(seed=seed, **knobs)
    return tree.HoeffdingTreeClassifier(**knobs)


def _river_model(kind: Kind, data: Dataset, seed: int) -> tuple[Any, tuple[str, ...]]:
    """Return a naive Bayes or AMF model and what is to be known about it on these features."""
    from river import forest, naive_bayes

    if kind == Kind.AMF:
        return forest.AMFClassifier(seed=seed), ()
    untyped: Any = naive_bayes
    has_numbers = "continuous" in data.kinds
    if kind == Kind.GAUSSIAN_NB or (kind == Kind.NB_DDM and has_numbers):
        return untyped.GaussianNB(), ("a feature that never varies under a label gets density 0 there",)
    cut = ("continuous features are cut at 0.5",) if has_numbers else ()
    absent = ("a missing cell counts as 0",) if np.isnan(data.X).any() else ()
    return untyped.BernoulliNB(true_threshold=0.5), (*cut, *absent)
