"""Frames and the adapter to scikit-learn: columns by name, texts and truth values as they are, bad cells by row."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from ufodt import Binary, Categorical, Continuous
from ufodt.errors import InvalidProblem, InvalidValue
from ufodt.growing import OTHER
from ufodt.sklearn import UFODTClassifier

from .cases import learned_of


def people(n: int = 300) -> dict[str, list[Any]]:
    rng = np.random.default_rng(0)
    ill = rng.random(n) < 0.4
    rhythm = np.where(rng.random(n) < 0.8, np.where(ill, "flutter", "sinus"), "other")
    return {
        "age": rng.normal(50 + 15 * ill, 10).round(1).tolist(),
        "rhythm": [None if rng.random() < 0.05 else str(r) for r in rhythm],
        "smokes": [bool(s) for s in rng.random(n) < 0.5],
        "ill": np.where(ill, "yes", "no").tolist(),
    }


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_frames_with_texts_are_taken_as_they_are(make: Any) -> None:
    columns = people()
    y = columns.pop("ill")
    X = make(columns)
    model = UFODTClassifier(costs={"age": 2.0, "others": 1.0}, random_state=0).fit(X, y)
    kinds = [(type(f), f.name, f.price) for f in model.learner_.problem.features]
    assert kinds == [(Continuous, "age", 2.0), (Categorical, "rhythm", 1.0), (Binary, "smokes", 1.0)]
    assert model.feature_names_in_.tolist() == list(columns) and model.n_features_in_ == 3
    assert model.score(X, y) > 0.85
    strange = make({"age": [60.0, None], "rhythm": ["never met", None], "smokes": [True, False]})
    assert set(model.predict(strange)) <= {"yes", "no"}
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(make({"age": [1.0], "other": ["x"], "smokes": [True]}))


def test_frames_of_every_library_teach_the_same() -> None:
    columns = people()
    y = columns.pop("ill")
    models = [UFODTClassifier(random_state=0).fit(make(columns), y) for make in (pd.DataFrame, pl.DataFrame, pa.table)]
    assert len({learned_of(model.learner_) for model in models}) == 1


def test_values_that_come_later_join() -> None:
    model = UFODTClassifier(random_state=0)
    model.partial_fit(pl.DataFrame({"c": ["a", "b"] * 20}), [0, 1] * 20, classes=[0, 1])
    model.partial_fit(pl.DataFrame({"c": ["new", "b"] * 20}), [0, 1] * 20)
    (feature,) = model.learner_.problem.features
    assert feature.values == ("(any other)", "a", "b", "new")
    assert model.predict(pl.DataFrame({"c": ["a", "b", "new"]})).tolist() == [0, 1, 0]


def test_labels_of_another_length_are_refused_for_frames_too() -> None:
    with pytest.raises(InvalidValue, match="2 rows and 1 labels"):
        UFODTClassifier().fit(pl.DataFrame({"c": ["a", "b"]}), [0])


def test_a_cell_that_holds_several_values_is_refused_in_words() -> None:
    frame = pd.DataFrame({"several": [[1], [2], [1], [2]]})
    with pytest.raises((InvalidValue, InvalidProblem), match="several"):
        UFODTClassifier().fit(frame, [0, 1, 0, 1])


@pytest.mark.parametrize("cell", [[1], np.array([1, 2])], ids=["list", "array"])
def test_it_is_named_by_its_row_in_fitting_and_in_predicting(cell: Any) -> None:
    frame = pd.DataFrame({"ward": ["a", "b"] * 4})
    model = UFODTClassifier().fit(frame, [0, 1] * 4)
    frame.at[3, "ward"] = cell
    for call in (lambda: model.predict(frame), lambda: UFODTClassifier().fit(frame, [0, 1] * 4)):
        with pytest.raises(InvalidValue, match="ward: a cell holds several values in row 3"):
            call()


def test_a_text_among_numbers_is_refused_with_its_row() -> None:
    ages = pd.DataFrame({"age": pd.Series([31.0, 44.5, 50.0, "unknown", 62.0] * 4, dtype=object)})
    with pytest.raises(InvalidProblem, match="age: 'unknown' came in row 3"):
        UFODTClassifier().fit(ages, [0, 1] * 10)


def test_texts_in_a_column_of_truth_values_are_refused_with_their_row() -> None:
    frame = pd.DataFrame({"smokes": [True, False] * 4, "ward": ["a", "b"] * 4})
    model = UFODTClassifier().fit(frame, [0, 1] * 4)
    with pytest.raises(InvalidValue, match="smokes: 'True' came in row 0"):
        model.predict(frame.astype(str))


def test_decimals_are_numbers() -> None:
    decimals = pl.DataFrame({"c": pl.Series([1, 2, 3] * 8).cast(pl.Decimal(10, 2)), "ward": ["a", "b"] * 12})
    model = UFODTClassifier(random_state=0).fit(decimals, [0, 1, 1] * 8)
    assert isinstance(model.learner_.problem.features[0], Continuous)
    assert model.score(decimals, [0, 1, 1] * 8) == 1.0


def test_costs_of_a_series_go_by_its_names_or_where_it_has_none_by_place() -> None:
    X, y = pd.DataFrame({"cheap": [0, 1] * 4, "dear": [0, 1] * 4}), [0, 1] * 4
    for costs in (pd.Series({"dear": 50.0, "cheap": 1.0}), pd.Series([1.0, 50.0])):
        assert UFODTClassifier(costs=costs).fit(X, y).learner_.problem.prices.tolist() == [1.0, 50.0]
    with pytest.raises(InvalidProblem, match="Prices came for .*Dear"):
        UFODTClassifier(costs=pd.Series({"Dear": 50.0, "Cheap": 1.0})).fit(X, y)


def test_a_column_of_texts_takes_in_all_numbers_of_a_later_part() -> None:
    texts = pd.DataFrame({"ward": ["A", "B"] * 10, "x": [0, 1] * 10})
    numbers = pd.DataFrame({"ward": [3, 4, 5, 0, 1] * 4, "x": [0, 1] * 10})
    model = UFODTClassifier(random_state=0)
    model.partial_fit(texts, [0, 1] * 10, classes=[0, 1]).partial_fit(numbers, [0, 1] * 10)
    assert set(model.learner_.problem.features[0].values) == {OTHER, "A", "B", 0, 1, 3, 4, 5}


def test_a_column_of_texts_goes_on_taking_in_numbers_where_these_are_more() -> None:
    texts, mixed = (pd.DataFrame({"ward": cells}) for cells in (["A", "B"] * 10, ["A", 1, 2, 3, 4, 5]))
    model = UFODTClassifier(random_state=0)
    model.partial_fit(texts, [0, 1] * 10, classes=[0, 1]).partial_fit(mixed, [0, 1] * 3)
    assert set(model.learner_.problem.features[0].values) == {OTHER, "A", "B", 1, 2, 3, 4, 5}
