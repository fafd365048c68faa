"""A `Decimal` is the number that it says, wherever a number goes; a Decimal that is no number is missing."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from ufodt import UFODT, Binary, Categorical, Continuous, Expert, Policy, Prior, Problem, drift, stop, thresholds
from ufodt.errors import InvalidValue
from ufodt.features import Feature
from ufodt.frames import labels, to_problem
from ufodt.river import UFODTClassifier as OfRiver
from ufodt.sklearn import UFODTClassifier as OfSklearn

from .cases import learned_of

X, Y = [[1, 0.1], [0, 2.7], [None, 2.7], [0, None]] * 15, ["p", "q"] * 30
AMOUNTS: list[Callable[[Any], Any]] = [
    lambda d: Binary("a", price=d, surcharge={1: d}, group="g", later_price=d),
    lambda d: Problem([Binary("a", price={"euro": d})], ["p", "q"], currencies={"euro": d}).prices.tolist(),
    lambda d: Problem([Binary("a")], ["p", "q"], loss=[[0, d], [d, 0]]).loss,
    lambda d: Problem([Categorical("a", [d, "x"])], [d, "q"]),
    lambda d: Continuous("a", cuts=[d]),
    lambda d: (stop.budget(d), stop.confidence(d), stop.cost_benefit(d), drift.discount(d)),
    lambda d: (Policy(spend_to_learn=d), thresholds.bins(4, spread=d)),
    lambda d: Prior(count=d, experts=[Expert("a", "p", d, strength=d)], labels={"p": d, "q": 1 - d}),
]


def learner(**given: Any) -> UFODT:
    return UFODT(Problem([Binary("a"), Continuous("b")], ["p", "q"]), seed=1, **given)


CALLS: list[Callable[[Callable[[float], Any]], Any]] = [
    lambda d: learner().open(prices={"a": d(0.1)}, budget=d(0.3)).why(),
    lambda d: learner().run(cells(d), Y, prices=[[d(0.1), d(2.7)]] * 60, budget=d(2.7)).cost.tolist(),
    lambda d: taught(learner(), lambda u: u.learn_many(cells(d), Y, weights=[d(0.1)] * 60)),
    lambda d: taught(learner(), lambda u: u.discount(d(0.1))),
    lambda d: UFODT(Problem([Categorical("a", [0.1, 2.7])], [0.1, 2.7])).run([[d(0.1)]], [d(2.7)]).cost.tolist(),
    lambda d: river(d, costs={"a": d(0.1), "others": d(2.7)}).ledger,
    lambda d: river(d, costs=d(0.1)).learner.problem,  # type: ignore[union-attr]
    lambda d: river(d, problem=Problem([Categorical("a", [0.1, 2.7]), Continuous("b")], ["p", "q"])).ledger,
    lambda d: OfSklearn(costs=d(0.1)).fit([[1], [2.5]], [0, 1]).learner_.problem,
    lambda d: OfSklearn(costs=[d(0.1)]).fit([[1], [2.5]], [0, 1]).learner_.problem,
]


def written(x: float) -> Decimal:
    return Decimal(str(x))


def cells(d: Callable[[float], Any]) -> list[list[Any]]:
    return [[d("nan" if x is None else x) for x in row] for row in X]  # type: ignore[arg-type]


def taught(learner: UFODT, teach: Callable[[UFODT], None]) -> Any:
    teach(learner)
    return learned_of(learner)


def river(d: Callable[[float], Any], **given: Any) -> OfRiver:
    model = OfRiver(**given, seed=1)
    for i, label in enumerate(Y):
        x = {"a": d((0.1, 2.7)[i % 2]), "b": d((0.1, 2.7)[i % 3 == 0])}
        model.predict_one(x)
        model.learn_one(x, label)
    return model


@pytest.mark.parametrize("make", AMOUNTS)
def test_a_decimal_amount_is_its_float(make: Callable[[Any], Any]) -> None:
    assert repr(make(Decimal("0.1"))) == repr(make(0.1))


@pytest.mark.parametrize("call", CALLS)
def test_a_decimal_told_is_its_float(call: Callable[[Callable[[float], Any]], Any]) -> None:
    assert call(written) == call(float)


@pytest.mark.parametrize("values, kind, is_arrow", [
    ([0.1, 2.7, None], Continuous, False),
    ([0.1, 2.7, None], Continuous, True),
    ([0, 1, None], Binary, False),
    ([0.1, "x", 7.5, "y"], Categorical, False),
])  # fmt: skip
def test_a_column_of_decimals_is_one_of_numbers(values: list[Any], kind: type[Feature], is_arrow: bool) -> None:
    exact = [written(x) if isinstance(x, int | float) else x for x in values]
    dtypes = (pd.ArrowDtype(pa.decimal128(5, 2)), "Float64") if is_arrow else (object, object)
    decimals, floats = (
        pd.DataFrame({"a": pd.Series(list(column) * 12, dtype=dtype)})
        for column, dtype in zip((exact, values), dtypes, strict=True)
    )
    y = ["p", "q"] * (6 * len(values))
    problem = to_problem(decimals.assign(y=y), label="y")
    assert isinstance(problem.features[0], kind)
    runs = [UFODT(problem).run(frame, y).cost.tolist() for frame in (decimals, floats)]
    assert runs[0] == runs[1]
    fitted = [OfSklearn(random_state=0).fit(frame, y) for frame in (decimals, floats)]
    assert fitted[0].learner_.problem == fitted[1].learner_.problem
    np.testing.assert_array_equal(
        *[model.predict_proba(frame) for model, frame in zip(fitted, (decimals, floats), strict=True)]
    )
    if kind is Continuous:
        assert labels(decimals, "a")[:3] == [0.1, 2.7, None]


@pytest.mark.parametrize(
    "price, said", [(Decimal("-1"), r"Decimal\('-1'\)"), (None, "None"), (True, "True"), (-1, "-1")]
)
def test_a_price_that_is_none_is_named_as_it_came(price: Any, said: str) -> None:
    with pytest.raises(InvalidValue, match=f"A price of {said} came in row 1, column 0"):
        learner().run([[0, 1.0]] * 2, ["p", "q"], prices=[[Decimal(1), 1], [price, 1]])


def test_a_decimal_that_signals_is_missing_in_a_table_and_no_amount() -> None:
    signal = Decimal("sNaN")
    assert learner().problem.outcomes([[signal, signal]])[0].tolist() == [[-1, -1]]
    with pytest.raises(InvalidValue, match=r"A budget of Decimal\('sNaN'\) came"):
        learner().open(budget=signal)
