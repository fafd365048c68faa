"""Frames of pandas, polars and pyarrow: columns by name, kinds by dtype, and the same learner behind all."""

import builtins
import datetime
import math
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from ufodt import UFODT, Binary, Categorical, Continuous, Problem
from ufodt.errors import InvalidProblem, InvalidValue, MissingPackage, UnknownLabel
from ufodt.frames import has_texts, is_frame, labels, table, to_problem, with_costs

from .cases import NAMES, NUMBERS, draw_stream, learned_of

MAKERS: dict[str, Callable[[dict[str, list[Any]]], Any]] = {
    "pandas": pd.DataFrame,
    "pandas, nullable": lambda columns: pd.DataFrame(columns).convert_dtypes(),
    "pandas, arrow": lambda columns: pa.table(columns).to_pandas(types_mapper=pd.ArrowDtype),
    "polars": lambda columns: pl.DataFrame(columns, strict=False),
    "pyarrow": pa.table,
}
every_library = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
COLUMNS: dict[str, list[Any]] = {
    "age": [31, 50, None, 44, 29, 62],
    "fever": [True, False, True, None, True, False],
    "rhythm": ["sinus", None, "flutter", "sinus", "other", "sinus"],
    "flag": [0, 1, 1, 0, 0, 1],
    "level": [0.5, 1.25, None, 2.0, 0.0, 1.0],
    "ill": ["no", "yes", "no", "no", "yes", "yes"],
}


@every_library
def test_dtypes_say_what_a_column_is_and_names_are_kept(make: Any) -> None:
    problem = to_problem(make(COLUMNS), label="ill", prices={"age": 2.0, "others": 1.5})
    assert problem.features == (
        Continuous("age", price=2.0),
        Binary("fever", price=1.5),
        Categorical("rhythm", ["flutter", "other", "sinus"], price=1.5),
        Binary("flag", price=1.5),
        Continuous("level", price=1.5),
    )
    assert problem.labels == ("no", "yes")


@every_library
def test_a_tree_finds_the_columns_of_a_frame_by_name(make: Any) -> None:
    problem = Problem([Binary("a"), Binary("b")], labels=["no", "yes"])
    learner = UFODT(problem, seed=1)
    learner.learn_many([[0, 1], [1, 1], [0, 0], [1, 0]] * 20, ["no", "yes", "no", "yes"] * 20)
    rows = make({"y": ["no", "yes"], "b": [1, 0], "a": [0, 1]})
    assert learner.tree().predict(rows).labels.tolist() == ["no", "yes"]


def test_a_lazy_frame_is_to_be_collected() -> None:
    learner = UFODT(Problem([Binary("a"), Binary("b")], labels=["no", "yes"]))
    with pytest.raises(InvalidValue, match="a lazy one: collect it"):
        learner.run(pl.LazyFrame({"a": [1], "b": [0]}), ["no"])


@every_library
def test_a_frame_is_read_as_the_same_table(make: Any) -> None:
    names = ["level", "rhythm", "fever", "age"]
    found = table(make(COLUMNS), names)
    plain = [[None if v is None or v != v else v for v in row] for row in found.tolist()]
    assert plain == [list(row) for row in zip(*(COLUMNS[name] for name in names), strict=True)]
    numbers = table(make(COLUMNS), ["flag", "level"])
    assert numbers.dtype == np.float64
    np.testing.assert_array_equal(numbers, np.array([COLUMNS["flag"], COLUMNS["level"]], dtype=float).T)
    assert labels(make(COLUMNS), "rhythm") == labels(make(COLUMNS), make(COLUMNS)["rhythm"]) == COLUMNS["rhythm"]
    assert labels(make(COLUMNS), "level") == COLUMNS["level"]
    assert labels(make(COLUMNS), [1, 2]) == [1, 2]


@every_library
def test_prices_of_a_frame_go_by_the_names_of_its_columns(make: Any) -> None:
    problem = Problem([Binary("b"), Binary("n")], labels=[0, 1])
    cases = make({"n": [1, 0] * 50, "b": [1, 0] * 50, "y": [1, 0] * 50})
    prices = make({"n": [1.0] * 100, "b": [50.0] * 100})
    framed, plain = UFODT(problem, seed=1), UFODT(problem, seed=1)
    by_name = framed.run(cases, "y", prices=prices)
    by_place = plain.run(cases, "y", prices=np.tile([50.0, 1.0], (100, 1)))
    np.testing.assert_array_equal(by_name.cost, by_place.cost)
    assert framed.evaluate(cases, prices=prices).cost == plain.evaluate(cases, prices=[[50.0, 1.0]] * 100).cost == 1.0
    with pytest.raises(InvalidValue, match="no column for 'b'"):
        framed.run(cases, "y", prices=make({"n": [1.0] * 100}))


@every_library
def test_a_learner_makes_no_difference_between_a_frame_and_a_table(make: Any) -> None:
    X, y = draw_stream(5, 120, missing=0.1, problem=NUMBERS)
    columns = {name: [None if v is None else v for v in X[:, j]] for j, name in enumerate(NAMES)}
    backwards = {"extra": list(range(120)), "label": y, **dict(reversed(columns.items()))}
    frame = make(backwards)
    plain, framed = (UFODT(NUMBERS, seed=3) for _ in range(2))
    for learner, rows, truth in ((plain, X, y), (framed, frame, "label")):
        learner.learn_many(rows, truth)
        learner.run(rows, truth)
    assert learned_of(plain) == learned_of(framed)
    reports = plain.evaluate(X, y), framed.evaluate(frame, frame["label"])
    assert reports[0].accuracy == reports[1].accuracy and reports[0].cost == reports[1].cost
    np.testing.assert_array_equal(plain.probabilities(X), framed.probabilities(frame))


def test_categories_that_are_declared_keep_their_order_and_all_count() -> None:
    sizes = ["small", "large", "medium"]
    typed = pd.Categorical(sizes * 2, categories=["small", "medium", "large", "huge"], ordered=True)
    for frame in (
        pd.DataFrame({"size": typed, "y": [0, 1] * 3}),
        pl.DataFrame(
            {"size": pl.Series(sizes * 2, dtype=pl.Enum(["small", "medium", "large", "huge"])), "y": [0, 1] * 3}
        ),
    ):
        (feature,) = to_problem(frame, label="y").features
        assert feature == Categorical("size", ["small", "medium", "large", "huge"])
        assert to_problem(frame, label="size").labels == ("small", "medium", "large", "huge")


@every_library
def test_whole_numbers_as_labels_stay_whole_where_some_are_missing(make: Any) -> None:
    frame = make({"x": [0, 1, 1, 0], "y": [7, 8, None, 7]})
    if make is pd.DataFrame:  # which itself makes fractions of them
        frame["y"] = pd.array([7, 8, None, 7], dtype="Int64")
    assert [repr(label) for label in to_problem(frame, label="y").labels] == ["7", "8"]
    assert [repr(label) for label in labels(frame, "y")] == ["7", "8", "None", "7"]


def test_large_whole_numbers_are_told_apart_as_labels() -> None:
    frame = pd.DataFrame({"x": [0, 1, 1], "y": pd.array([2**53, 2**53 + 1, None], dtype="Int64")})
    assert to_problem(frame, label="y").labels == (2**53, 2**53 + 1)


def test_a_dictionary_of_arrow_declares_nothing_but_its_values() -> None:
    codes = pa.array(["v", "u", None] * 20).dictionary_encode()
    arrow = pa.table({"code": codes, "y": [0, 1] * 30})
    for frame in (arrow, arrow.to_pandas(types_mapper=pd.ArrowDtype)):
        assert to_problem(frame, label="y").features == (Categorical("code", ["u", "v"]),)
        assert to_problem(frame, label="code").labels == ("u", "v")


@pytest.mark.parametrize("dtype", [pl.Int128, pl.UInt128], ids=str)
def test_whole_numbers_of_128_bits_are_numbers(dtype: Any) -> None:
    frame = pl.DataFrame({"x": pl.Series([3, None, 10**20], dtype=dtype), "bit": pl.Series([1, 0, None], dtype=dtype)})
    assert to_problem(frame.with_columns(y=pl.Series([0, 1, 0])), label="y").features == (
        Continuous("x"),
        Binary("bit"),
    )
    np.testing.assert_array_equal(table(frame), [[3, 1], [np.nan, 0], [1e20, np.nan]])
    assert to_problem(frame, label="x").labels == (3, 10**20)


def test_numbers_that_are_declared_as_categories_are_no_quantities() -> None:
    codes = [3, 1, 2, 1, 3, 2]
    frame = pd.DataFrame({"code": pd.Categorical(codes), "bit": pd.Categorical([0, 1] * 3), "y": [0, 1] * 3})
    problem = to_problem(frame, label="y")
    assert problem.features == (Categorical("code", [1, 2, 3]), Binary("bit"))
    UFODT(problem).learn_many(frame, "y")


def test_a_nan_is_missing_as_a_null_is() -> None:
    frame = pl.DataFrame({"x": [1.0, math.nan, None, 3.0]})
    np.testing.assert_array_equal(table(frame), np.array([[1.0], [np.nan], [np.nan], [3.0]]))


def test_mixed_objects_are_read_for_what_they_are() -> None:
    frame = pd.DataFrame({"bit": [True, None, False], "number": [1, None, 2.5], "y": [0, 1, 0]}, dtype=object)
    assert to_problem(frame, label="y").features == (Binary("bit"), Continuous("number"))


def test_a_text_among_numbers_is_refused_with_its_row() -> None:
    ages = pd.Series([31.0, 64.5, "n.d.", 20.0], dtype=object)
    with pytest.raises(InvalidProblem, match=r"age: 'n.d.' came in row 2, where most cells are numbers"):
        to_problem(pd.DataFrame({"age": ages, "y": [0, 1, 0, 1]}), label="y")
    few = pd.DataFrame({"grade": pd.Series(["a", "b", 3], dtype=object), "y": [0, 1, 0]})
    assert isinstance(to_problem(few, label="y").features[0], Categorical)
    known = pd.DataFrame({"known": pd.Series([True, False, True, "unknown"], dtype=object), "y": [0, 1, 0, 1]})
    assert isinstance(to_problem(known, label="y").features[0], Categorical)


def test_groups_and_losses_come_along() -> None:
    prices = {"age": {"price": 3.0, "group": "lab", "later": 1.0}, "others": 1.0}
    problem = to_problem(pd.DataFrame(COLUMNS), label="ill", prices=prices, loss=[[0, 5], [9, 0]])
    assert (problem.features[0].group, problem.features[0].later_price) == ("lab", 1.0)
    assert problem.loss == ((0, 5), (9, 0))


@pytest.mark.parametrize(
    ("columns", "says"),
    [
        ({"x": [1, 2]}, "No column is called 'y'"),
        ({"x": [datetime.date(2020, 1, 1)] * 2, "y": [0, 1]}, "x: a column of Date came"),
        ({"x": ["same", "same"], "y": [0, 1]}, "x: the column never holds anything but 'same'"),
        ({"x": [None, None], "y": [0, 1]}, "x: no cell of the column holds a value"),
        ({"x": [[1], [2]], "y": [0, 1]}, "x: a column of List"),
        ({"x": [1, 2], "y": [0, 0]}, "1 labels came"),
    ],
)
def test_a_frame_that_makes_no_problem_is_refused_in_words(columns: dict[str, Any], says: str) -> None:
    with pytest.raises(InvalidProblem, match=says):
        to_problem(pl.DataFrame(columns), label="y")


def test_columns_may_be_named_by_numbers() -> None:
    frame = pd.DataFrame({0: [1.5, 2.5, 3.5], 1: ["a", "b", "a"], "y": [0, 1, 0]})
    problem = to_problem(frame, label="y")
    assert [feature.name for feature in problem.features] == ["0", "1"]
    assert table(frame, ["1", "0"]).tolist() == [["a", 1.5], ["b", 2.5], ["a", 3.5]]
    assert len(UFODT(problem).run(frame, "y").cost) == 3


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame(np.ones((2, 2)), columns=["a", "a"]),
        pd.DataFrame(np.ones((2, 2)), columns=[1, "1"]),
        pa.table([[1], [2]], names=["a", "a"]),
    ],
)
def test_columns_of_one_name_are_refused(frame: Any) -> None:
    with pytest.raises(InvalidValue, match="the same name"):
        table(frame)


@pytest.mark.parametrize("values", [[[1], [2]], [datetime.datetime(2020, 1, 1)] * 2, [b"x", b"y"]])
def test_columns_that_are_no_features_are_named_wherever_a_frame_goes(values: list[Any]) -> None:
    frame = pl.DataFrame({"x": values, "b": [0, 1]})
    with pytest.raises(InvalidProblem, match="x: a column of"):
        UFODT(Problem([Binary("x")], labels=[0, 1])).evaluate(frame)
    assert len(UFODT(Problem([Binary("b")], labels=[0, 1])).evaluate(frame).record.cost) == 2  # others are left alone


def test_too_many_texts_are_refused() -> None:
    frame = pl.DataFrame({"id": [str(i) for i in range(2000)], "y": [0, 1] * 1000})
    with pytest.raises(InvalidProblem, match="id: 2000 different values came"):
        to_problem(frame, label="y")


def test_a_frame_that_does_not_fit_the_learner_is_refused_in_words() -> None:
    learner = UFODT(Problem([Binary("a"), Binary("b")], labels=["x", "y"]))
    with pytest.raises(InvalidValue, match="no column for 'b'; it has 'a', 'c'"):
        learner.run(pd.DataFrame({"a": [1], "c": [1]}), ["x"])
    with pytest.raises(InvalidValue, match="no column 'label'"):
        learner.run(pd.DataFrame({"a": [1], "b": [1]}), "label")
    with pytest.raises(UnknownLabel, match="'z'"):
        learner.run(pd.DataFrame({"a": [1], "b": [1], "label": ["z"]}), "label")
    with pytest.raises(InvalidValue, match="b: value 2"):
        learner.run(pd.DataFrame({"a": [1], "b": [2]}), ["x"])


def test_what_is_no_frame_is_said_to_be_none() -> None:
    class Odd:
        def __dataframe__(self) -> None: ...

    assert is_frame(Odd()) and not is_frame(np.zeros((2, 2))) and not is_frame([[1]])
    with pytest.raises(InvalidValue, match="Odd came; expected a frame"):
        table(Odd())


def test_only_a_frame_with_texts_has_texts() -> None:
    assert has_texts(pl.DataFrame(COLUMNS)) and not has_texts(pl.DataFrame({"x": [1], "b": [True]}))


@pytest.mark.parametrize(
    ("costs", "prices"),
    [
        (None, [1, 1]),
        (2.5, [2.5, 2.5]),
        ([1, 4], [1, 4]),
        (np.array([1.0, 4.0]), [1, 4]),
        ({"b": 3, "a": 1}, [1, 3]),
        (pd.Series({"b": 3.0, "a": 1.0}), [1, 3]),
        (pd.Series([1.0, 4.0]), [1, 4]),
    ],
)
def test_costs_come_in_several_forms(costs: Any, prices: list[float]) -> None:
    assert [feature.price for feature in with_costs([Binary("a"), Binary("b")], costs)] == prices


@pytest.mark.parametrize(
    ("costs", "says"),
    [
        ([1, 2, 3], r"shape \(3,\)"),
        ({"a": 1}, "b: no price came"),
        ({"a": 1, "b": 1, "c": 1}, r"\['c'\]"),
        ({"a": {"price": 1, "grup": "g"}, "b": 1}, "a: 'grup' came beside its price"),
    ],
)
def test_costs_that_do_not_fit_are_refused(costs: Any, says: str) -> None:
    with pytest.raises(InvalidProblem, match=says):
        with_costs([Binary("a"), Binary("b")], costs)


def test_without_narwhals_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    original = builtins.__import__

    def refuse(name: str, *args: Any, **kwargs: Any) -> Any:
        if name == "narwhals":
            raise ImportError(name)
        return original(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(MissingPackage, match=r"pip install 'ufodt\[frames\]'"):
        table(pd.DataFrame({"x": [1]}))


def test_nothing_optional_is_loaded_before_it_is_needed_and_what_is_absent_is_named() -> None:
    code = """
import importlib, sys
import ufodt
print({"narwhals", "river", "sklearn", "pandas", "polars", "pyarrow"} & set(sys.modules))
for package in ("river", "sklearn"):
    sys.modules[package] = None
    try:
        importlib.import_module(f"ufodt.{package}")
    except ufodt.errors.MissingPackage as error:
        print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.splitlines() == [
        "set()",
        "ufodt.river is an adapter to river: pip install 'ufodt[river]'.",
        "ufodt.sklearn is an adapter to scikit-learn: pip install 'ufodt[sklearn]'.",
    ]


def test_each_cost_may_come_with_a_group_of_its_own() -> None:
    dear, cheap = with_costs([Binary("a"), Binary("b")], [{"price": 7.0, "group": "blood", "later": 5.0}, 2.0])
    assert (dear.price, dear.group, dear.later_price, cheap.price) == (7.0, "blood", 5.0, 2.0)


def test_the_column_of_the_labels_may_be_called_by_a_number() -> None:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.integers(0, 2, (60, 3)))
    problem = to_problem(frame, label=2)  # type: ignore[arg-type]
    by_list = UFODT(problem)
    by_list.run(frame, frame[2].tolist())
    for name in (2, "2", np.int64(2)):
        learner = UFODT(problem)
        learner.run(frame, name)
        assert learned_of(learner) == learned_of(by_list)


def test_a_cell_with_several_values_is_refused_by_name() -> None:
    with pytest.raises(InvalidProblem, match="tags: a cell holds several values"):
        to_problem(pd.DataFrame({"tags": [["a"], ["b", "c"]], "ill": [0, 1]}), label="ill")


def test_what_pandas_calls_missing_is_missing_everywhere() -> None:
    problem = Problem([Binary("a"), Continuous("x"), Categorical("c", ["p", "q"])], labels=[0, 1])
    row = {"a": pd.NA, "x": pd.NaT, "c": pd.NA}
    learner = UFODT(problem)
    assert len(learner.run(np.array([list(row.values())] * 3, dtype=object), [0, 1, 0]).predicted) == 3
    with pytest.raises(InvalidValue):
        learner.open(known=row)  # what is missing is not known


def test_declared_categories_are_all_known_whatever_their_order() -> None:
    for ordered in (False, True):
        kind = pd.CategoricalDtype(["low", "mid", "high"], ordered=ordered)
        frame = pd.DataFrame({"level": pd.Series(["low", "high", None], dtype=kind), "label": [0, 1, 1]})
        problem = to_problem(frame, label="label")
        assert problem.features[0].values == ("low", "mid", "high")


def test_prices_of_a_series_go_by_the_names_of_its_entries_even_where_these_are_whole_numbers() -> None:
    numbered = pd.DataFrame({1: [0, 1], 0: [1, 0], "y": [0, 1]})
    assert to_problem(numbered, label="y", prices=pd.Series({0: 5.0, 1: 9.0})).prices.tolist() == [9.0, 5.0]
    named = pd.DataFrame({"a": [0, 1], "b": [1, 0], "y": [0, 1]})
    for index in ([0, 1], [1, 0], [5, 7]):  # they number the entries
        assert to_problem(named, label="y", prices=pd.Series([5.0, 9.0], index=index)).prices.tolist() == [5.0, 9.0]
    with pytest.raises(InvalidProblem, match="a name twice"):
        to_problem(named, label="y", prices=pd.Series([5.0, 9.0, 1.0], index=["a", "b", "a"]))
    with pytest.raises(InvalidProblem, match="Costs of shape"):
        to_problem(named, label="y", prices=pd.DataFrame({"a": [5.0], "b": [9.0]}))
