"""ufodt as a classifier of scikit-learn: prediction pays, row by row, only for what it asks.

A table given to `fit` has been paid for, so every cell of it teaches; with `active=True` it is taken as a stream
instead, case after case, and only what is asked teaches. NaN is a value that was not bought.
"""

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

from ufodt import frames
from ufodt.amount import is_missing, plain
from ufodt.drift import Drift
from ufodt.errors import InvalidPolicy, InvalidValue, MissingPackage
from ufodt.features import Binary, Categorical, Continuous, Feature
from ufodt.growing import OTHER, grow, is_blank, widen
from ufodt.learner import UFODT
from ufodt.policy import Policy, worth
from ufodt.prior import Prior
from ufodt.problem import Problem
from ufodt.selection import Selection
from ufodt.stop import Stop
from ufodt.thresholds import Thresholds

try:
    from sklearn.base import BaseEstimator, ClassifierMixin
    from sklearn.utils import check_random_state
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import _check_sample_weight, check_is_fitted, column_or_1d, validate_data
except ModuleNotFoundError as error:
    if (error.name or "").partition(".")[0] != "sklearn":
        raise
    raise MissingPackage("ufodt.sklearn is an adapter to scikit-learn: pip install 'ufodt[sklearn]'.") from None

_LARGEST_SEED = 2**31 - 1
_HARDLY = 0.1  # of a row: what the mean weight is below where weights were scaled, rather than meant as they stand
_Fitted: TypeAlias = tuple[NDArray[Any], UFODT | None, float]  # classes_, learner_, paid_


class UFODTClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A decision tree that pays for each feature it asks (UFODT, IJCAI 2023).

    Numbers need no scaling and texts no encoding: columns of a frame that hold texts or categories are taken as they
    are.

    Parameters
    ----------
    costs
        What asking for each column costs: one number for all, an array, or a table by name (`x0`, `x1`, … in an
        array) of all columns, or with `others` for those not named. An entry may hold `price`, `group` and `later`.
        Without any of these everything costs 1.
    criterion, stop, n_hypotheses, policy, prior, thresholds, drift, selection
        As in `ufodt.UFODT`; a prior names labels by their place in `classes_`.
    loss
        `loss[truth][answer]` in the order of `classes_`, in the currency of the costs.
    active
        Learn from the rows given to `fit` as from a stream: plan, pay, answer, then learn what was paid for.
    random_state
        Seed of everything that is drawn.

    Attributes
    ----------
    classes_, n_features_in_, feature_names_in_
        As everywhere in scikit-learn.
    learner_
        The `ufodt.UFODT` behind it; None if there is a single class.
    paid_
        What `fit` paid with `active=True`.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import cross_validate
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> found = cross_validate(UFODTClassifier(random_state=0), X, y, scoring=paid_score)
    >>> bool(found["test_accuracy"].mean() > 0.92), bool(found["test_neg_cost"].mean() > -5)  # of 30 columns
    (True, True)
    """

    __metadata_request__predict = {"return_cost": True}  # so that `paid_score` reaches through a pipeline

    def __init__(
        self,
        costs: Any = None,
        *,
        criterion: str | None = None,
        stop: Stop | None = None,
        n_hypotheses: int | None = None,
        policy: Policy | None = None,
        prior: Prior | None = None,
        thresholds: Thresholds | None = None,
        drift: Drift | None = None,
        selection: Selection | None = None,
        loss: Any = None,
        active: bool = False,
        random_state: Any = None,
    ) -> None:
        self.costs = costs
        self.criterion = criterion
        self.stop = stop
        self.n_hypotheses = n_hypotheses
        self.policy = policy
        self.prior = prior
        self.thresholds = thresholds
        self.drift = drift
        self.selection = selection
        self.loss = loss
        self.active = active
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "UFODTClassifier":
        """Learn a table from the beginning; a weight of 0 is a row that is not there, of 2 one that is there twice."""
        with self._as_it_was_if_refused():
            table, labels, weights = self._checked(X, y, sample_weight, reset=True)
            classes = np.unique(labels)
            return self._learn((classes, self._fresh(table, classes), 0.0), table, labels, weights)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> "UFODTClassifier":
        """Learn another table on top; the first call needs all `classes`, or rows of each of them."""
        first = not hasattr(self, "classes_")
        with self._as_it_was_if_refused():
            table, labels, weights = self._checked(X, y, sample_weight, reset=first)
            given = None if classes is None else np.unique(column_or_1d(classes))
            if first:
                classes = np.unique(labels) if given is None else given
                return self._learn((classes, self._fresh(table, classes), 0.0), table, labels, weights)
            if given is not None and not np.array_equal(given, self.classes_):
                raise InvalidValue(f"classes={given!r} came; they were {self.classes_!r} in the first call. Fit anew.")
            return self._learn((self.classes_, self.learner_, self.paid_), table, labels, weights)

    @overload
    def predict(self, X: Any, return_cost: Literal[False] = False) -> NDArray[Any]: ...

    @overload
    def predict(self, X: Any, return_cost: Literal[True]) -> tuple[NDArray[Any], NDArray[np.float64]]: ...

    def predict(self, X: Any, return_cost: bool = False) -> Any:
        """Return the label of least expected loss for each row; with `return_cost` also what its questions cost."""
        table = self._table(X)
        if self.learner_ is None:
            labels, cost = np.repeat(self.classes_, len(table)), np.zeros(len(table))
        else:
            record = self.learner_.evaluate(_known(self.learner_.problem.features, table)).record
            labels, cost = self.classes_[record.predicted], record.cost
        return (labels, cost) if return_cost else labels

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class, shape `(n_rows, n_classes)`, from what `predict` pays for."""
        table = self._table(X)
        if self.learner_ is None:
            return np.ones((len(table), 1))
        return self.learner_.probabilities(_known(self.learner_.problem.features, table))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    @contextmanager
    def _as_it_was_if_refused(self) -> Iterator[None]:
        """Nothing is kept of a table that is refused, not even what its columns were."""
        before = self.__dict__.copy()
        try:
            yield
        except BaseException:
            self.__dict__ = before
            raise

    def _checked(self, X: Any, y: Any, weight: Any, *, reset: bool) -> tuple[NDArray[Any], NDArray[Any], Any]:
        """The rows that count: a table, their labels, and their weights if any were given."""
        if not isinstance(plain(self.active), bool):
            raise InvalidPolicy(f"active={self.active!r} came; expected True or False.")
        if y is None:
            raise InvalidValue(f"{type(self).__name__} requires y to be passed, but the target y is None.")
        given = np.asarray(y)
        if given.dtype == object and any(is_missing(label) for label in given.ravel()):
            raise InvalidValue("Input y contains NaN; a row without a label teaches nothing: leave it out.")
        if _needs_frames(X):
            validate_data(self, X, reset=reset, skip_check_array=True)
            table, labels = frames.table(X), column_or_1d(y, warn=True)
            if not table.size:
                raise InvalidValue(
                    f"Found a table of shape {table.shape}; a minimum of one row and column is required."
                )
            if len(table) != len(labels):
                raise InvalidValue(f"{len(table)} rows and {len(labels)} labels came; expected one label for each row.")
        else:
            table, labels = validate_data(self, X, y, dtype="numeric", ensure_all_finite="allow-nan", reset=reset)
        check_classification_targets(labels)
        if weight is None:
            return table, labels, None
        weights = _check_sample_weight(weight, table, dtype=np.float64, ensure_non_negative=True)
        there = weights > 0
        if not there.any():
            raise InvalidValue("All sample weights are zero; at least one row must count.")
        table, labels, weights = table[there], labels[there], weights[there]
        if weights.mean() < _HARDLY:
            warnings.warn(
                f"The sample weights sum to {weights.sum():.3g} over {len(weights):,} rows, so hardly anything is "
                "learned: a weight is how many rows one stands for. If they are shares, multiply them by the number "
                "of rows.",
                stacklevel=3,
            )
        return table, labels, weights

    def _fresh(self, table: NDArray[Any], classes: NDArray[Any]) -> UFODT | None:
        """A learner before its first case, with room for the table; None for one class, which needs no question."""
        if len(classes) < 2:
            return None
        return UFODT(
            Problem(_widened(self._blank(), table), labels=range(len(classes)), loss=self.loss),
            criterion=self.criterion,
            stop=self.stop,
            n_hypotheses=self.n_hypotheses,
            policy=self.policy,
            prior=self.prior,
            thresholds=self.thresholds,
            drift=self.drift,
            selection=self.selection,
            seed=check_random_state(self.random_state).randint(_LARGEST_SEED),
        )

    def _learn(self, before: _Fitted, table: NDArray[Any], labels: NDArray[Any], weights: Any) -> "UFODTClassifier":
        """Learn a table on top of what was fitted before; nothing is kept of one that does not fit."""
        classes, learner, paid = before
        unknown = np.setdiff1d(labels, classes)
        if len(unknown):
            raise InvalidValue(f"Labels {unknown.tolist()} came; the classes are {classes.tolist()}.")
        if learner is not None:
            features = _widened(learner.problem.features, table, learner)
            if features != list(learner.problem.features):
                learner = grow(learner, Problem(features, learner.problem.labels, self.loss))
            known, indices = _known(features, table), np.searchsorted(classes, labels)
            if self.active:
                times = _whole(weights, len(table))
                record = learner.run(np.repeat(known, times, axis=0), np.repeat(indices, times))
                paid += float(record.cost.sum())
            else:
                learner.learn_many(known, indices, weights=np.ones(len(table)) if weights is None else weights)
        self.classes_, self.learner_, self.paid_ = classes, learner, paid
        return self

    def _mistake(self) -> float:
        """What it costs to take a class that was never met for the only one that was, as wrong as can be."""
        labels = range(2 if self.loss is None else len(self.loss))
        problem = Problem(self._blank(), labels=labels, loss=self.loss)
        policy = UFODT(problem, criterion=self.criterion, stop=self.stop, policy=self.policy).policy
        return float(problem.losses.max()) * worth(policy, problem)

    def _blank(self) -> list[Feature]:
        """The features with their prices, before anything is known of their values."""
        names = getattr(self, "feature_names_in_", [f"x{j}" for j in range(self.n_features_in_)])
        return frames.with_costs([Binary(str(name)) for name in names], self.costs)

    def _table(self, X: Any) -> NDArray[Any]:
        check_is_fitted(self)
        if _needs_frames(X):
            validate_data(self, X, reset=False, skip_check_array=True)
            return frames.table(X)
        table: NDArray[Any] = validate_data(self, X, dtype="numeric", ensure_all_finite="allow-nan", reset=False)
        return table


def paid_score(estimator: Any, X: Any, y: Any) -> dict[str, float]:
    """Return accuracy, cost and utility of an estimator on rows it has not seen: a scorer of several figures.

    Give it as `scoring=` to `cross_validate` or `GridSearchCV(refit="utility")`. Means over the rows; more is better,
    so the price paid comes as `neg_cost`. `utility` is minus what a case costs in all: the price of its questions and
    the loss of its answer, in the currency of the costs. Where no loss was given, a mistake is worth what the stop
    rule takes it to be worth, by default `ufodt.stop.default_worth` mean prices.
    """
    while hasattr(estimator, "best_estimator_"):
        estimator = estimator.best_estimator_
    model = estimator
    while hasattr(model, "steps"):
        model = model.steps[-1][1]
    if not isinstance(model, UFODTClassifier):
        raise InvalidValue(
            f"{type(model).__name__} came to be scored; expected a UFODTClassifier, or a pipeline to one."
        )
    labels, cost = estimator.predict(X, return_cost=True)
    truth = column_or_1d(y)
    accuracy = float((labels == truth).mean())
    if model.learner_ is None:
        loss = (1.0 - accuracy) * model._mistake()
    else:
        problem = model.learner_.problem
        known = np.isin(truth, model.classes_)
        at, answers = (np.searchsorted(model.classes_, one[known]) for one in (truth, labels))
        losses = np.full(len(truth), float(problem.losses.max()))  # a class never met is as wrong as can be
        losses[known] = problem.losses[at, answers]
        loss = float(losses.mean()) * worth(model.learner_.policy, problem)
    return {"accuracy": accuracy, "neg_cost": -float(cost.mean()), "utility": -float(cost.mean()) - loss}


def _needs_frames(X: Any) -> bool:
    """Whether a table must be read column by column: scikit-learn reads numbers only."""
    return frames.is_frame(X) and (not hasattr(X, "iloc") or frames.has_texts(X))


def _known(features: Sequence[Feature], table: NDArray[Any]) -> NDArray[Any]:
    """The table with every value that was never met in place of all others."""
    if table.dtype != object and not any(isinstance(feature, Categorical) for feature in features):
        strange = [j for j, f in enumerate(features) if isinstance(f, Binary) and _strangers(table[:, j]).any()]
        if not strange:
            return table
        table = table.astype(np.float64)
        for j in strange:
            table[_strangers(table[:, j]), j] = np.nan
        return table
    known = table.astype(object)
    for j, feature in enumerate(features):
        if isinstance(feature, Continuous):
            continue
        cells, places, is_binary = _cells(feature.name, known[:, j]), set(feature.values), isinstance(feature, Binary)
        text = next((row for row, value in enumerate(cells) if is_binary and isinstance(value, str)), None)
        if text is not None:
            raise InvalidValue(f"{feature.name}: {cells[text]!r} came in row {text}; expected 0 or 1, True or False.")
        known[:, j] = [v if v is None or v in places else None if is_binary else OTHER for v in cells]
    return known


def _cells(name: str, column: NDArray[Any]) -> list[Any]:
    """The cells of a column, None where one is missing."""
    cells = [None if is_missing(value) else plain(value) for value in column]
    several = next((row for row, value in enumerate(cells) if not _is_one(value)), None)
    if several is not None:
        raise InvalidValue(f"{name}: a cell holds several values in row {several}; expected one in each.")
    return cells


def _is_one(value: Any) -> bool:
    """Whether a cell holds a single value: a list does not, nor a tuple with one in it."""
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _whole(weights: Any, n: int) -> NDArray[np.int64]:
    """How often each row comes in a stream."""
    if weights is None:
        return np.ones(n, dtype=np.int64)
    times = weights.astype(np.int64)
    if (times != weights).any():
        raise InvalidValue("Sample weights came that are no whole numbers; a stream brings no part of a case.")
    return np.asarray(times)


def _widened(features: Any, table: NDArray[Any], learner: UFODT | None = None) -> list[Feature]:
    """The features with room for all values of a table."""
    wider: list[Feature] = []
    for j, feature in enumerate(features):
        column = table[:, j]
        if isinstance(feature, Continuous):
            wider.append(feature)
            continue
        blank = learner is None or is_blank(learner, j)
        if column.dtype == object:
            cells = _cells(feature.name, column)
            if blank:
                frames.check_texts(feature.name, cells)
            values = set(cells) - {None}
        elif isinstance(feature, Binary):
            values = set(column[_strangers(column)][:1].tolist())  # one makes it a number
        else:
            values = set(column[column == column].tolist())
        wider.append(widen(feature, values, blank=blank))
    return wider


def _strangers(column: NDArray[Any]) -> NDArray[np.bool_]:
    """Which numbers of a column are neither 0 nor 1 nor missing."""
    strange: NDArray[np.bool_] = (column != 0) & (column != 1) & (column == column)
    return strange
