"""What may be asked: everything is checked when a problem is made, and raw values become outcomes exactly."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ufodt import UFODT, Binary, Categorical, Continuous, Problem, core
from ufodt.errors import InvalidProblem, InvalidValue, UfodtError, UnknownFeature, UnknownLabel
from ufodt.features import MAX_OUTCOMES
from ufodt.problem import MAX_LABELS

A, B = Binary("a"), Binary("b")


# --- making one --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"features": []}, ["at least one feature"]),
        ({"features": [A, Binary("a")]}, ["'a'", "more than once"]),
        ({"features": [A, "b"]}, ["'b' came", "Binary, Categorical or Continuous"]),
        ({"features": [Binary("")]}, ["''", "name"]),
        ({"features": [Binary(3)]}, ["3 came", "name"]),  # type: ignore[arg-type]
        ({"features": [Binary("a", price=-1.0)]}, ["a: price -1.0", "from 0 to"]),
        ({"features": [Binary("a", price=1e308)]}, ["a: price 1e+308", "1e+100"]),
        ({"features": [Binary("a", price=math.inf)]}, ["a: price inf", "finite"]),
        ({"features": [Binary("a", price=math.nan)]}, ["a: price nan", "finite"]),
        ({"features": [Binary("a", price="1")]}, ["a: price '1'", "number"]),  # type: ignore[arg-type]
        ({"features": [Binary("a", price=None)]}, ["a: price None", "number"]),  # type: ignore[arg-type]
        ({"features": [Binary("a", price=True)]}, ["a: price True", "number"]),
        ({"features": [Binary("a", group="g", later_price=-1.0)]}, ["a: later_price -1.0", "from 0 to"]),
        ({"features": [Binary("a", group="g", later_price=math.inf)]}, ["a: later_price inf", "finite"]),
        ({"features": [Binary("a", later_price=1.0)]}, ["a", "group"]),
        ({"labels": []}, ["0 labels", "2 to"]),
        ({"labels": ["one"]}, ["1 labels", "2 to"]),
        ({"labels": ["x", "y", "x"]}, ["3 labels", "2 of them different"]),
        ({"labels": range(MAX_LABELS + 1)}, [f"{MAX_LABELS + 1} labels", f"2 to {MAX_LABELS}"]),
        ({"loss": [[0, 1, 1], [1, 0, 1]]}, ["(2, 3)", "(2, 2)"]),
        ({"loss": [0, 1]}, ["(2,)", "(2, 2)"]),
        ({"loss": [[0, 1], [1]]}, ["square"]),
        ({"loss": [[0, "much"], [1, 0]]}, ["square table of numbers"]),
        ({"loss": [[0, -1], [1, 0]]}, ["not negative"]),
        ({"loss": [[0, math.nan], [1, 0]]}, ["finite"]),
        ({"loss": [[0, math.inf], [1, 0]]}, ["finite"]),
        ({"loss": [[5, 1], [1, 0]]}, ["wrong answer loses less"]),
        ({"features": [Binary("a", price=10**400)]}, ["a: price"]),
        ({"features": 5}, ["features"]),
        ({"labels": 5}, ["labels"]),
        ({"labels": "xy"}, ["'xy'"]),
        ({"labels": ["x", None]}, ["None"]),
        ({"labels": [1, math.nan]}, ["nan"]),
        ({"labels": [(1, 2), (3, 4)]}, ["(1, 2)"]),
        ({"labels": [[1], [2]]}, ["[1]"]),
        ({"features": [Binary("a", group=1)]}, ["group"]),
    ],
)
def test_a_definition_that_makes_no_problem_is_refused_by_name(fields: dict[str, Any], says: list[str]) -> None:
    with pytest.raises(InvalidProblem) as caught:
        Problem(**{"features": [A, B], "labels": ["x", "y"], **fields})
    assert all(word in str(caught.value) for word in says), str(caught.value)


@pytest.mark.parametrize(
    ("values", "says"),
    [
        (["only"], "only"),
        ([], "2 to"),
        (["x", "x"], "different"),
        ([0, False], "different"),
        (range(MAX_OUTCOMES + 1), f"2 to {MAX_OUTCOMES}"),
        ("abc", "'abc'"),
        ([1, math.nan], "NaN"),
        ([1, None], "NaN"),
        ([[1], [2]], "[1]"),
        (3, "3"),
    ],
    ids=lambda v: repr(v)[:20],
)
def test_a_categorical_needs_two_or_more_different_values(values: Any, says: str) -> None:
    with pytest.raises(InvalidProblem) as caught:
        Categorical("rhythm", values)
    assert "rhythm" in str(caught.value) and says in str(caught.value)


def test_the_limits_themselves_are_allowed() -> None:
    problem = Problem([Categorical("c", range(MAX_OUTCOMES))], labels=range(MAX_LABELS))
    assert (problem.n_features, problem.n_labels) == (1, MAX_LABELS)
    assert (MAX_OUTCOMES, MAX_LABELS) == (core.MAX_OUTCOMES, core.MAX_LABELS)
    assert problem.outcomes([[MAX_OUTCOMES - 1]])[0].tolist() == [[MAX_OUTCOMES - 1]]


def test_free_features_and_numpy_values_are_allowed() -> None:
    problem = Problem([Binary("a", price=0), Categorical("c", np.array(["x", "y"]))], labels=np.array([3, 4]))
    assert problem.labels == (3, 4) and type(problem.labels[0]) is int
    assert problem.features[1].outcome("y") == 1


def test_the_loss_is_one_for_every_mistake_unless_given() -> None:
    assert not Problem([A], labels=[0, 1]).has_currency
    np.testing.assert_array_equal(Problem([A], labels=[0, 1]).losses, [[0, 1], [1, 0]])
    priced = Problem([A], labels=[0, 1], loss=np.array([[0, 50], [400, 0]]))
    assert priced.has_currency
    np.testing.assert_array_equal(priced.losses, [[0, 50], [400, 0]])


def test_equal_definitions_make_equal_problems() -> None:
    make = lambda loss: Problem([A, Categorical("c", ["x", "y"])], labels=["n", "p"], loss=loss)  # noqa: E731
    assert make([[0, 1], [2, 0]]) == make(np.array([[0.0, 1.0], [2.0, 0.0]])) != make(None)
    assert hash(make(None)) == hash(make(None))


# --- reading values ----------------------------------------------------------------------------------


@pytest.mark.parametrize("one", [1, True, 1.0, np.int8(1), np.float32(1), np.bool_(True)], ids=repr)
def test_a_binary_value_may_come_in_many_kinds(one: Any) -> None:
    assert A.outcome(one) == 1


@pytest.mark.parametrize("bad", [2, -1, 0.5, "1", None, math.nan, [1], np.float64("nan"), object()], ids=repr)
def test_a_value_that_is_not_binary_is_refused_by_name(bad: Any) -> None:
    with pytest.raises(InvalidValue) as caught:
        A.outcome(bad)
    assert all(word in str(caught.value) for word in ("a:", repr(bad), "0, 1"))


@pytest.mark.parametrize("missing", [None, math.nan, np.float64("nan")])
def test_a_missing_value_is_refused_with_what_to_do(missing: Any) -> None:
    with pytest.raises(InvalidValue, match="skip the feature"):
        A.outcome(missing)


def test_a_value_outside_the_named_ones_is_refused_by_name() -> None:
    with pytest.raises(InvalidValue, match="rhythm: value 'sinos' came; expected one of 'sinus', 'flutter'"):
        Categorical("rhythm", ["sinus", "flutter"]).outcome("sinos")


def test_unknown_names_are_refused_with_those_that_exist() -> None:
    problem = Problem([Binary(f"f{i}") for i in range(20)], labels=["x", "y"])
    with pytest.raises(UnknownFeature, match=r"no feature 'g'.*'f0'.*20 in all"):
        problem.feature_index("g")
    with pytest.raises(UnknownFeature):
        problem.feature_index(["f0"])  # type: ignore[arg-type]
    with pytest.raises(UnknownLabel, match="no label 'z'.*'x', 'y'"):
        problem.label_index("z")


MIXED = Problem([A, Categorical("c", ["x", "y", "z"]), Categorical("d", [10, 20])], labels=["n", "p"])
CELLS = st.tuples(*(st.sampled_from([*feature.values, None, math.nan]) for feature in MIXED.features))


@given(st.lists(CELLS, max_size=8))
def test_a_table_reads_cell_by_cell_whatever_its_container(rows: list[tuple[Any, ...]]) -> None:
    def outcome(feature: Any, value: Any) -> int:
        return -1 if value is None or value != value else feature.outcome(value)

    expected = [[outcome(f, v) for f, v in zip(MIXED.features, row, strict=True)] for row in rows]
    as_objects = np.empty((len(rows), 3), dtype=object)
    for i, row in enumerate(rows):
        as_objects[i] = row
    assert MIXED.outcomes(as_objects)[0].tolist() == expected
    if rows:
        assert MIXED.outcomes(rows)[0].tolist() == expected
        assert MIXED.outcomes([list(row) for row in rows])[0].tolist() == expected


@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint8, np.int64, np.float32, np.float64, object])
@pytest.mark.parametrize("order", ["C", "F"])
def test_a_binary_table_may_have_any_dtype(dtype: Any, order: Any) -> None:
    bits = np.random.default_rng(1).integers(0, 2, (20, 2))
    problem = Problem([A, B], labels=[0, 1])
    np.testing.assert_array_equal(problem.outcomes(bits.astype(dtype, order=order))[0], bits)


def test_nan_in_a_table_of_numbers_is_missing() -> None:
    assert Problem([A, B], labels=[0, 1]).outcomes(np.array([[math.nan, 1.0]]))[0].tolist() == [[-1, 1]]


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ([[0, 1, 1]], ["(1, 3)", "(n_cases, 2)"]),
        ([0, 1], ["(2,)", "(n_cases, 2)"]),
        ([[[0, 1]]], ["(1, 1, 2)"]),
        (5, ["5 came as a table", "list of rows"]),
        (None, ["None came as a table"]),
        ({"a": 1}, ["A dict came as a table"]),
        (np.array(3), ["A ndarray came as a table"]),
        ((row for row in [[0, 1]]), ["A generator", "list(...)"]),
        ([[0, 1], [0]], ["different lengths", "row 1", "2 values"]),
        ([[0, 1], [1, [2, 3]]], ["different lengths; give 2 values"]),
        ([[0, 2]], ["b", "2", "row 0"]),
        (np.array([[0, 1], [0, -1]]), ["b", "-1", "row 1"]),
        (np.array([[0.0, 0.5]]), ["b", "0.5"]),
        (np.array([[0.0, np.inf]]), ["b", "inf"]),
        ([["0", "1"]], ["a", "'0'"]),
        (np.array([["0", "1"]]), ["a", "'0'"]),
        (np.array([[0, 1j]]), ["b", "1j"]),
        (np.array([["2020-01-01", "2020-01-02"]], dtype="datetime64[D]"), ["a", "2020"]),
        (np.array([[[1], 0]], dtype=object), ["a", "[1]"]),
    ],
    ids=repr,
)
def test_a_table_that_does_not_fit_is_refused_by_what_came(table: Any, says: list[str]) -> None:
    with pytest.raises(InvalidValue) as caught:
        Problem([A, B], labels=[0, 1]).outcomes(table)
    assert all(word in str(caught.value) for word in says), str(caught.value)


@pytest.mark.parametrize(
    ("cells", "label", "says"),
    [
        (["w", 0, 1.5], "n", "In row 7: rhythm: value 'w' came; expected one of 'x', 'y'."),
        (["x", 3, 1.5], "n", "In row 7: fever: value 3 came; expected one of 0, 1."),
        (["x", 0, math.inf], "n", "In row 7: level: value inf came; expected a finite number."),
        (["x", 0, 1.5], "m", "In row 7: There is no label 'm'; the problem has 'n', 'p'."),
    ],
)
def test_a_bad_cell_is_named_by_its_row(cells: list[Any], label: str, says: str) -> None:
    problem = Problem([Categorical("rhythm", ["x", "y"]), Binary("fever"), Continuous("level")], labels=["n", "p"])
    table, labels = [["x", 0, 1.5] for _ in range(9)], ["n"] * 9
    table[7], labels[7] = cells, label
    learner = UFODT(problem)
    for use in (learner.run, learner.learn_many, learner.evaluate):
        with pytest.raises(UfodtError) as caught:
            use(table, labels)
        assert str(caught.value).startswith(says)
    assert learner.n_opened == 0


def test_a_number_that_came_as_a_text_is_told_how_that_happens() -> None:
    table = np.array([["x", 2.5]])
    with pytest.raises(InvalidValue, match=r"In row 0: level: value '2.5' came.*came as a text.*an array"):
        Problem([Categorical("rhythm", ["x", "y"]), Continuous("level")], labels=[0, 1]).outcomes(table)


@pytest.mark.parametrize("labels", [None, (label for label in [0]), {0}], ids=["None", "generator", "set"])
def test_labels_that_are_no_list_are_named(labels: Any) -> None:
    with pytest.raises(InvalidValue, match="came for the labels; expected a list or an array"):
        Problem([A, B], labels=[0, 1]).label_indices(labels, 1)


def test_a_price_in_the_place_of_cut_points_is_told_where_it_goes() -> None:
    with pytest.raises(InvalidProblem, match=r"level: cuts 1.5 came; expected a list of numbers. A price.*price="):
        Continuous("level", 1.5)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("labels", "given", "expected"),
    [
        ([0, 1, 2], [2, 0], [2, 0]),
        ([0, 1, 2], np.array([2, 0], dtype=np.uint8), [2, 0]),
        ([0, 1, 2], [2.0, math.nan], [2, -1]),
        ([0, 1, 2], [2, None], [2, -1]),
        ([False, True], np.array([True, False]), [1, 0]),
        (["n", "p"], ["p", "n"], [1, 0]),
        (["n", "p"], np.array(["p", "n"]), [1, 0]),
        (["n", "p"], ["p", None], [1, -1]),
        (["n", "p"], ["p", math.nan], [1, -1]),
        (["n", 1], ["n", 1], [0, 1]),
    ],
)
def test_labels_read_one_by_one_whatever_their_container(labels: Any, given: Any, expected: list[int]) -> None:
    assert Problem([A], labels=labels).label_indices(given, 2).tolist() == expected


@pytest.mark.parametrize(
    ("given", "error", "says"),
    [
        ([0], InvalidValue, "(1,) came for 2 cases"),
        ([0, 1, 1], InvalidValue, "(3,) came for 2 cases"),
        ([[0, 1]], InvalidValue, "(1, 2) came for 2 cases"),
        (None, InvalidValue, "None came for the labels"),
        (0, InvalidValue, "0 came for the labels"),
        ([0, 2], UnknownLabel, "no label 2"),
        ([0, -1], UnknownLabel, "no label -1"),
        ([0, 0.5], UnknownLabel, "no label 0.5"),
        (["0", "1"], UnknownLabel, "no label '0'"),
        (np.array([0, 2**40]), UnknownLabel, str(2**40)),
        ([[0], [0, 1]], InvalidValue, "label"),
    ],
    ids=repr,
)
def test_labels_that_do_not_fit_are_refused_by_what_came(given: Any, error: type[UfodtError], says: str) -> None:
    with pytest.raises(error) as caught:
        Problem([A], labels=[0, 1]).label_indices(given, 2)
    assert says in str(caught.value)


def test_what_is_masked_is_missing() -> None:
    problem = Problem([Binary("b"), Continuous("n"), Categorical("c", ["x", "y"])], labels=[0, 1])
    table = np.ma.masked_array([[1, 5.0, "x"], [0, 6.0, "y"]], mask=[[1, 0, 0], [0, 1, 1]], dtype=object)
    outcomes, values = problem.outcomes(table)
    assert outcomes.tolist() == [[-1, 0, 0], [0, -1, -1]] and values[0, 0] == 5.0
    assert problem.label_indices(np.ma.masked_array([0, 1, 1], mask=[0, 1, 0]), 3).tolist() == [0, -1, 1]
    numbers = Problem([Binary("b"), Continuous("n")], labels=[0, 1])
    assert numbers.outcomes(np.ma.masked_array([[1, 5.0]], mask=[[True, True]]))[0].tolist() == [[-1, -1]]


@pytest.mark.parametrize("labels", [(2**63, -1), ("a\0", "a"), (10**30, 1), (True, False), ("u", 1)])
def test_labels_come_back_as_they_were(labels: tuple[Any, ...]) -> None:
    found = Problem([Binary("a")], labels=labels).labels_at(np.array([0, 1, 0], dtype=np.int32)).tolist()
    assert found == [labels[0], labels[1], labels[0]]
    assert [type(label) for label in found] == [type(labels[i]) for i in (0, 1, 0)]


def test_labels_may_come_as_an_array_of_pyarrow() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    problem = Problem([Binary("a")], labels=["h", "i"])
    for y in (pyarrow.array(["h", None, "i"]), pyarrow.chunked_array([["h"], [None, "i"]])):
        assert problem.label_indices(y, 3).tolist() == [0, -1, 1]


def test_a_list_of_no_rows_is_an_empty_table() -> None:
    problem = Problem([Binary("a"), Continuous("b")], labels=["h", "i"])
    learner = UFODT(problem)
    learner.learn_many([], [])
    assert len(learner.run([], []).cost) == len(learner.evaluate([]).record.cost) == len(learner.probabilities([])) == 0
