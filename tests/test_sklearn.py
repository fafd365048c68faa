"""The adapter to scikit-learn: its own checks, weights that are what they say, and a prediction that pays."""

import os
import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris, load_wine, make_blobs
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from ufodt import UFODT, Binary, Continuous, Problem, stop, thresholds
from ufodt.errors import InvalidPolicy, InvalidProblem, InvalidValue
from ufodt.lab import datasets
from ufodt.prior import Expert, Prior
from ufodt.sklearn import UFODTClassifier, paid_score

from .cases import learned_of

SETTINGS: dict[str, dict[str, Any]] = {
    "default": {},
    "ec2": {"criterion": "ec2"},
    "random": {"criterion": "random", "stop": stop.budget(1.0)},
    "exhaustive": {"thresholds": thresholds.exhaustive(5)},
    "exp3": {"thresholds": thresholds.exp3(5)},
}
every_setting = pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)


def table(n: int = 150, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Two numbers, a yes or no, and three labels; some cells missing."""
    rng = np.random.default_rng(seed)
    y = rng.integers(3, size=n)
    X = np.column_stack([rng.normal(y, 0.7), rng.normal(y == 1, 1), rng.random(n) < 0.2 + 0.3 * y])
    X[rng.random(X.shape) < 0.05] = np.nan
    return X, y


# --- scikit-learn's own checks -----------------------------------------------------------------------


@parametrize_with_checks([UFODTClassifier()])
def test_every_check_of_scikit_learn_passes(estimator: Any, check: Any) -> None:
    check(estimator)


def test_all_of_them_pass_where_none_is_skipped() -> None:
    """One check looks at the environment before it runs, so it takes a fresh process."""
    code = (
        "from sklearn.utils.estimator_checks import check_estimator; from ufodt.sklearn import UFODTClassifier;"
        "print(*(result['status'] for result in check_estimator(UFODTClassifier())))"
    )
    environment = {**os.environ, "SCIPY_ARRAY_API": "1"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    statuses = done.stdout.split()
    assert len(statuses) >= 60 and set(statuses) == {"passed"}


# --- learning ------------------------------------------------------------------------------------------


@every_setting
def test_a_weight_is_as_many_rows(settings: dict[str, Any]) -> None:
    X, y = table()
    weights = np.random.default_rng(1).integers(0, 4, size=len(y))
    order = np.random.default_rng(2).permutation(len(y))
    weighted = UFODTClassifier(random_state=0, **settings).fit(X[order], y[order], sample_weight=weights[order])
    repeated = UFODTClassifier(random_state=0, **settings).fit(X.repeat(weights, axis=0), y.repeat(weights))
    assert learned_of(weighted.learner_) == learned_of(repeated.learner_)
    np.testing.assert_array_equal(weighted.predict_proba(X), repeated.predict_proba(X))


def test_weights_that_teach_hardly_anything_are_warned_of() -> None:
    X, y = load_iris(return_X_y=True)
    hardly = r"weights sum to 1 over 150 rows, so hardly anything is learned.*multiply them by the number of rows"
    with pytest.warns(UserWarning, match=hardly):
        UFODTClassifier(random_state=0).fit(X, y, sample_weight=np.full(150, 1 / 150))
    with pytest.warns(UserWarning, match="over 150 rows"):
        UFODTClassifier(random_state=0).partial_fit(X, y, sample_weight=np.full(150, 1 / 150))
    UFODTClassifier(random_state=0).fit(X, y, sample_weight=np.arange(150) < 3)  # three rows that count in full


def test_a_weight_may_be_any_part_of_a_row() -> None:
    X, y = [[0], [1], [1]], [0, 0, 1]
    model = UFODTClassifier(random_state=0).fit(X, y, sample_weight=[0.25, 1.5, 0.125])
    np.testing.assert_array_equal(model.learner_.belief.counts, [[0.25, 0], [1.5, 0.125]])
    np.testing.assert_array_equal(model.learner_.belief.label_counts, [1.75, 0.125])


def test_a_row_may_be_split_into_parts() -> None:
    X, y = np.array([[1.0], [2.0], [3.0], [4.0]]), np.array([0, 0, 1, 1])
    whole = UFODTClassifier(random_state=0).fit(X, y)
    split = UFODTClassifier(random_state=0).fit(X.repeat(2, axis=0), y.repeat(2), sample_weight=np.full(8, 0.5))
    assert learned_of(whole.learner_) == learned_of(split.learner_)


def test_a_part_of_a_case_is_a_case_begun() -> None:
    model = UFODTClassifier(random_state=0).fit([[1.5], [2.5]], [0, 1], sample_weight=[0.5, 0.7])
    assert model.learner_.belief.sketch(0)[2] == 2
    model = UFODTClassifier(random_state=0).fit([[1.5], [2.5], [3.5]], [0, 1, 1], sample_weight=[0.1, 0.2, 0.7 + 1e-15])
    assert model.learner_.belief.sketch(0)[2] == 1


@pytest.mark.parametrize("weights", [[0.5, 0.5], [1e19, 1.0]])
def test_a_table_that_is_refused_leaves_the_model_as_it_was(weights: list[float]) -> None:
    model = UFODTClassifier(random_state=1, active=weights[0] < 1).fit([[0.0, 1.5], [1.0, 2.0]] * 6, [0, 1] * 6)
    before, learned = model.learner_.problem, learned_of(model.learner_)
    with pytest.raises(ValueError, match=r"[Ww]eights"):
        model.partial_fit([[3, 1], [0.5, 9]], [0, 1], sample_weight=weights)
    assert model.learner_.problem == before and learned_of(model.learner_) == learned


def test_a_fit_that_is_refused_leaves_the_model_as_it_was() -> None:
    X, y = np.zeros((12, 3)), np.arange(12) % 2
    X[:, 0] = y
    model = UFODTClassifier(random_state=1, active=True).fit(X, y)
    with pytest.raises(InvalidValue, match="no whole numbers"):
        model.fit(np.ones((12, 5)), y, sample_weight=np.full(12, 0.5))
    assert model.n_features_in_ == 3 and (model.predict(X) == y).all()


def test_a_class_never_met_is_as_wrong_as_can_be() -> None:
    loss = [[0, 2.0], [7.0, 0]]
    model = UFODTClassifier(costs=1.0, loss=loss, random_state=0).fit([[0], [1]] * 40, [0, 1] * 40)
    known, strange = (paid_score(model, [[0], [1]], y) for y in ([0, 1], [0, 5]))
    assert strange["utility"] == pytest.approx(known["utility"] - 7.0 / 2)


def test_weights_that_are_scaled_leave_cut_points_where_they_were() -> None:
    X, y = table(400)
    plain = UFODTClassifier(random_state=0).fit(X, y)
    for factor in (0.5, 2.0):
        scaled = UFODTClassifier(random_state=0).fit(X, y, sample_weight=np.full(len(y), factor))
        np.testing.assert_allclose(scaled.learner_.belief.counts.sum(), factor * plain.learner_.belief.counts.sum())
        if factor > 1:
            assert len(scaled.learner_.belief.cuts[0]) == len(plain.learner_.belief.cuts[0]) == 7


@every_setting
def test_the_order_of_rows_makes_no_difference(settings: dict[str, Any]) -> None:
    X, y = table(300)
    order = np.random.default_rng(1).permutation(len(y))
    one = UFODTClassifier(random_state=0, **settings).fit(X, y)
    other = UFODTClassifier(random_state=0, **settings).fit(X[order], y[order])
    assert learned_of(one.learner_) == learned_of(other.learner_)
    np.testing.assert_array_equal(one.predict(X)[order], other.predict(X[order]))


def test_learning_in_parts_counts_the_same_and_needs_the_classes() -> None:
    data = datasets.led(600, seed=1)
    X, y = data.X, data.y
    whole = UFODTClassifier(random_state=0).fit(X, y)
    parts = UFODTClassifier(random_state=0)
    for rows in (slice(0, 200), slice(200, 210), slice(210, 600)):
        parts.partial_fit(X[rows], y[rows], classes=range(10))
    assert learned_of(whole.learner_, trust=False) == learned_of(parts.learner_, trust=False)
    with pytest.raises(InvalidValue, match=r"Labels \[11\] came"):
        parts.partial_fit(X[:1], [11])
    with pytest.raises(InvalidValue, match="Fit anew"):
        parts.partial_fit(X[:1], y[:1], classes=[0, 1])


def test_a_column_of_0_and_1_may_turn_out_a_number_later() -> None:
    model = UFODTClassifier(random_state=0).partial_fit([[0], [1], [1], [0]] * 5, [0, 1, 1, 0] * 5)
    assert model.learner_.problem.features == (Binary("x0"),)
    model.partial_fit([[5.5], [6.5]] * 10, [0, 1] * 10)
    assert model.learner_.problem.features == (Continuous("x0"),)
    assert model.learner_.belief.counts.sum() == 40
    assert model.predict([[0], [1]]).tolist() == [0, 1]


def test_fitting_again_starts_afresh() -> None:
    X, y = table()
    model = UFODTClassifier(random_state=0).fit(X * 9, 2 - y).fit(X, y)
    assert learned_of(model.learner_) == learned_of(UFODTClassifier(random_state=0).fit(X, y).learner_)


def test_active_pays_for_what_it_learns_from() -> None:
    data = datasets.led(2000, seed=1)
    passive = UFODTClassifier(random_state=0).fit(data.X, data.y)
    active = UFODTClassifier(active=True, random_state=0).fit(data.X, data.y)
    assert passive.paid_ == 0 and passive.learner_.belief.counts.sum() == 7 * 2000
    assert active.paid_ == active.learner_.belief.counts.sum() < 6 * 2000
    fresh = datasets.led(2000, seed=2)
    assert active.score(fresh.X, fresh.y) > 0.70 and passive.score(fresh.X, fresh.y) > 0.71
    before = active.paid_
    active.partial_fit(data.X[:100], data.y[:100])
    assert active.paid_ > before


def test_active_is_true_or_false() -> None:
    with pytest.raises(InvalidPolicy, match="active='no' came; expected True or False"):
        UFODTClassifier(active="no").fit([[0], [1]], [0, 1])  # type: ignore[arg-type]


def test_active_takes_a_weight_as_coming_again() -> None:
    data = datasets.led(200, seed=1)
    weights = np.arange(200) % 3
    weighted = UFODTClassifier(active=True, random_state=0).fit(data.X, data.y, sample_weight=weights)
    repeated = UFODTClassifier(active=True, random_state=0).fit(data.X.repeat(weights, axis=0), data.y.repeat(weights))
    assert learned_of(weighted.learner_) == learned_of(repeated.learner_)
    with pytest.raises(InvalidValue, match="no whole numbers"):
        weighted.fit(data.X, data.y, sample_weight=np.full(200, 0.5))


@pytest.mark.parametrize(
    ("load", "least", "most_paid"), [(load_iris, 0.91, 3.0), (load_wine, 0.90, 5.0), (load_breast_cancer, 0.92, 4.5)]
)
def test_it_is_accurate_for_a_part_of_the_price(load: Any, least: float, most_paid: float) -> None:
    X, y = load(return_X_y=True)
    found = cross_validate(UFODTClassifier(random_state=0), X, y, cv=5, scoring=paid_score)
    assert found["test_accuracy"].mean() > least
    assert -found["test_neg_cost"].mean() < most_paid


# --- predicting ------------------------------------------------------------------------------------------


@every_setting
def test_prediction_pays_row_by_row_and_changes_nothing(settings: dict[str, Any]) -> None:
    X, y = table()
    model = UFODTClassifier(costs=[1.0, 2.0, 0.5], random_state=0, **settings).fit(X, y)
    before = pickle.dumps(model)
    labels, cost = model.predict(X, return_cost=True)
    order = np.random.default_rng(1).permutation(len(y))
    again, cost_again = model.predict(X[order], return_cost=True)
    np.testing.assert_array_equal(labels[order], again)
    np.testing.assert_array_equal(cost[order], cost_again)
    assert set(cost) <= {sum(some) for some in [(), (1,), (2,), (0.5,), (1, 2), (1, 0.5), (2, 0.5), (1, 2, 0.5)]}
    np.testing.assert_array_equal(model.predict(X), labels)
    proba = model.predict_proba(X)
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    np.testing.assert_array_equal(model.classes_[proba.argmax(axis=1)], labels)
    assert pickle.dumps(model) == before


def test_probabilities_are_those_of_the_questions_that_are_paid_for() -> None:
    X, y = table()
    model = UFODTClassifier(random_state=0).fit(X, y)
    for row, proba in zip(X[:40], model.predict_proba(X[:40]), strict=True):
        record = model.learner_.evaluate(row[None]).record
        known = {f"x{f}": row[f] for f in record.asked}
        answer = model.learner_.open(known=known, unavailable=[f"x{f}" for f in range(3) if f"x{f}" not in known])
        np.testing.assert_allclose(list(answer.predict().probabilities.values()), proba)


def test_a_nan_is_not_bought() -> None:
    X, y = table()
    model = UFODTClassifier(random_state=0).fit(X, y)
    labels, cost = model.predict(np.full((4, 3), np.nan), return_cost=True)
    assert cost.tolist() == [0] * 4 and len(set(labels)) == 1


def test_a_loss_moves_the_answer() -> None:
    X, y = table()
    careful = UFODTClassifier(loss=[[0, 1, 1], [1, 0, 1], [500, 500, 0]], costs=0.01, random_state=0).fit(X, y)
    assert (careful.predict(X) == 2).mean() > (UFODTClassifier(random_state=0).fit(X, y).predict(X) == 2).mean()


def test_a_single_class_is_answered_for_nothing() -> None:
    model = UFODTClassifier().fit([[1.0], [2.0]], ["only"] * 2)
    labels, cost = model.predict([[3.0]], return_cost=True)
    assert (labels.tolist(), cost.tolist(), model.predict_proba([[3.0]]).tolist()) == (["only"], [0.0], [[1.0]])
    assert paid_score(model, [[3.0]], ["only"]) == {"accuracy": 1.0, "neg_cost": 0.0, "utility": 0.0}


def test_dear_columns_are_left_alone() -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=500)
    X = np.column_stack([y ^ (rng.random(500) < 0.05), y ^ (rng.random(500) < 0.05)])
    for dear in (0, 1):
        costs = {f"x{dear}": 20.0, "others": 1.0}
        model = UFODTClassifier(costs, stop=stop.cost_benefit(10.0), random_state=0).fit(X, y)
        assert model.predict(X, return_cost=True)[1].max() == 1.0


# --- inside scikit-learn -----------------------------------------------------------------------------------


def test_it_works_in_pipelines_searches_and_validations() -> None:
    X, y = load_iris(return_X_y=True)
    pipeline = make_pipeline(StandardScaler(), UFODTClassifier(random_state=0))
    assert cross_val_score(pipeline, X, y).mean() > 0.9
    labels, cost = pipeline.fit(X, y).predict(X, return_cost=True)
    assert labels.shape == cost.shape == (150,)
    search = GridSearchCV(
        pipeline,
        {"ufodtclassifier__criterion": ["ig", "ec2"], "ufodtclassifier__stop": [stop.budget(1), stop.budget(3)]},
        scoring=paid_score,
        refit="utility",
        cv=3,
    ).fit(X, y)
    assert search.best_params_["ufodtclassifier__stop"] in (stop.budget(1), stop.budget(3))
    assert {"mean_test_accuracy", "mean_test_neg_cost", "mean_test_utility"} <= set(search.cv_results_)
    figures = paid_score(search, X, y)
    assert figures["accuracy"] > 0.85 and -3 <= figures["neg_cost"] < 0


def test_names_come_through_a_pipeline_that_gives_frames() -> None:
    frame, y = load_iris(return_X_y=True, as_frame=True)
    pipeline = make_pipeline(StandardScaler(), UFODTClassifier(random_state=0)).set_output(transform="pandas")
    model = pipeline.fit(frame, y)[-1]
    assert model.feature_names_in_.tolist() == list(frame.columns)
    assert [f.name for f in model.learner_.problem.features] == list(frame.columns)


def test_utility_is_what_a_case_costs_in_all() -> None:
    X, y = make_blobs(200, centers=2, cluster_std=4, random_state=0)
    for settings, worth in (
        ({"costs": [1.0, 3.0]}, stop.default_worth * 2.0),
        ({"stop": stop.cost_benefit(7.0) | stop.budget(2)}, 7.0),
        ({"stop": stop.budget(1)}, stop.default_worth),
        ({"loss": [[0, 30], [30, 0]]}, 30.0),
    ):
        model = UFODTClassifier(random_state=0, **settings).fit(X[:100], y[:100])
        found = paid_score(model, X[100:], y[100:])
        assert found["utility"] == pytest.approx(found["neg_cost"] - worth * (1 - found["accuracy"]))


def test_a_class_that_was_never_met_is_wrong() -> None:
    X, y = table()
    model = UFODTClassifier(random_state=0).fit(X, y)
    assert paid_score(model, X, np.full(len(y), 99))["accuracy"] == 0


def test_the_scorer_wants_our_classifier() -> None:
    class Other:
        def predict(self, X: Any, return_cost: bool) -> Any:
            return np.zeros(1), np.zeros(1)

    with pytest.raises(InvalidValue, match="Other came to be scored"):
        paid_score(Other(), [[1]], [0])


def test_a_copy_and_a_clone() -> None:
    X, y = table()
    model = UFODTClassifier(costs={"x0": 2.0, "others": 1.0}, thresholds=thresholds.bins(6), random_state=0).fit(X, y)
    copied = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copied.predict_proba(X), model.predict_proba(X))
    assert not hasattr(clone(model), "classes_") and clone(model).costs == model.costs


# --- bad input ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "error", "says"),
    [
        ({"criterion": "best"}, InvalidPolicy, "no criterion 'best'"),
        ({"costs": [1.0]}, InvalidProblem, r"Costs of shape \(1,\)"),
        ({"costs": {"x0": 1.0}}, InvalidProblem, "x1: no price came"),
        ({"costs": -1}, InvalidProblem, "price -1 came"),
        ({"loss": [[0]]}, InvalidProblem, "loss has shape"),
        ({"prior": Prior(experts=[Expert("x9", 0, 0.5, 1)])}, InvalidValue, "no feature 'x9'"),
    ],
)
def test_bad_settings_are_refused_when_fitting(settings: dict[str, Any], error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        UFODTClassifier(**settings).fit(*table())


@pytest.mark.parametrize(
    ("settings", "mistake"),
    [
        ({}, 100.0),
        ({"costs": 2.0}, 200.0),
        ({"loss": [[0, 50], [400, 0]]}, 400.0),
        ({"loss": [[0, 5], [5, 0]], "stop": stop.cost_benefit(3)}, 15.0),
        ({"prior": Prior(experts=[Expert("x0", 2, [0.5, 0.5], 9)])}, 100.0),
    ],
)
def test_a_mistake_costs_the_same_when_a_single_class_was_met(settings: dict[str, Any], mistake: float) -> None:
    X = np.arange(8.0)[:, None]
    model = UFODTClassifier(**settings).fit(X[:4], np.zeros(4, dtype=int))
    score = paid_score(model, X, [0, 0, 0, 0, 1, 1, 1, 1])
    assert score == {"accuracy": 0.5, "neg_cost": 0.0, "utility": -0.5 * mistake}


def test_a_first_part_that_is_refused_leaves_no_trace() -> None:
    model = UFODTClassifier(random_state=0)
    with pytest.raises(InvalidValue):
        model.partial_fit([[0.0], [1.0]], [0, 2], classes=[0, 1])
    assert not hasattr(model, "n_features_in_")
    with pytest.raises(NotFittedError):
        model.predict([[0.0]])
    model.partial_fit([[0.0, 1.0]] * 2, [0, 1], classes=[0, 1])


@pytest.mark.filterwarnings("ignore:A column-vector y")
def test_paid_score_takes_what_fitting_takes() -> None:
    X, y = table(200)
    model = make_pipeline(StandardScaler(), make_pipeline(UFODTClassifier(random_state=0))).fit(X, y)
    assert paid_score(model, X, y) == paid_score(model, X, pd.DataFrame({"y": y}))


def test_what_cannot_be_learned_from_is_refused_in_words() -> None:
    texts = {"a": ["x", "y"]}
    for y in (["u", None], pd.Series(["u", None], dtype="string")):
        for X in (pd.DataFrame(texts), np.eye(2)):
            with pytest.raises(InvalidValue, match="Input y contains NaN"):
                UFODTClassifier().fit(X, y)
    with pytest.raises(InvalidValue, match=r"shape \(0, 1\).*one row and column"):
        UFODTClassifier().fit(pd.DataFrame(texts)[:0], [])


def test_paid_score_reaches_through_a_pipeline_that_routes_metadata() -> None:
    X, y = table(200)
    model = make_pipeline(StandardScaler(), UFODTClassifier(random_state=0)).fit(X, y)
    with sklearn.config_context(enable_metadata_routing=True):
        routed = paid_score(model, X, y)
    assert routed == paid_score(model, X, y)


def test_rows_one_by_one_teach_what_tells_together_as_a_stream_does() -> None:
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (3000, 2))
    y = (np.sin(3 * np.pi * X[:, 0]) * np.sin(3 * np.pi * X[:, 1]) > 0).astype(int)
    how: dict[str, Any] = {"stop": stop.confidence(1.0), "thresholds": thresholds.bins(12)}
    model = UFODTClassifier(random_state=0, **how)
    for i in range(2000):
        model.partial_fit(X[i : i + 1], y[i : i + 1], classes=[0, 1])
    learner = UFODT(Problem([Continuous("a"), Continuous("b")], labels=[0, 1]), **how)
    learner.run(X[:2000], y[:2000])
    assert model.score(X[2000:], y[2000:]) > learner.evaluate(X[2000:], y[2000:]).accuracy - 0.03
