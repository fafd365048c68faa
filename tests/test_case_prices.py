"""A case's own terms: its prices, its budget, what is unavailable in it and what failed."""

import json
import math
from typing import Any

import numpy as np
import pytest

from ufodt import UFODT, Binary, Problem, stop
from ufodt.errors import InvalidValue, UnknownFeature
from ufodt.features import Feature

from .cases import every_learner, learned, learned_of, state, stream_of, walk
from .priced import learner_of, prices

THREE: list[Feature] = [Binary("a", price=1.0), Binary("b", price=2.0, group="g"), Binary("c", price=4.0, group="g")]


def test_a_case_may_have_prices_of_its_own() -> None:
    learner = learner_of(THREE)
    session = learner.open(prices={"a": 5.0, "c": np.float32(0.5)})  # type: ignore[dict-item]
    assert prices(session) == {"a": 5.0, "b": 2.0, "c": 0.5}
    assert prices(learner.open()) == {"a": 1.0, "b": 2.0, "c": 4.0}
    assert prices(learner.open(prices={})) == {"a": 1.0, "b": 2.0, "c": 4.0}


@pytest.mark.parametrize("as_array", [False, True])
def test_a_text_among_the_prices_of_a_table_is_called_no_number(as_array: bool) -> None:
    with pytest.raises(InvalidValue, match="The prices must be numbers"):
        table: Any = [["x", 1.0, 2.0]]
        learner_of(THREE).run([[0, 1, 1]], [0], prices=np.array(table, dtype=object) if as_array else table)


def test_the_cheaper_of_two_equal_features_is_asked_first_case_by_case() -> None:
    learner = learner_of([Binary("a"), Binary("b")])
    learner.learn_many([[0, 0], [1, 1]] * 30, [0, 1] * 30)
    cheap = [{"a": 0.01, "b": 9.0}, {"a": 9.0, "b": 0.01}]
    for terms, feature in zip(cheap, "ab", strict=True):
        question = learner.open(prices=terms).ask()
        assert question is not None and (question.feature, question.price) == (feature, 0.01)


def test_a_case_may_have_a_budget_of_its_own() -> None:
    learner = learner_of(THREE)
    session = learner.open(budget=3.0)
    walk(session, {"a": 1, "b": 1, "c": 1})
    assert session.cost == 3.0
    assert learner.open(budget=0.0).ask() is None
    assert learner.open(budget=math.inf).ask() is not None


def test_the_smaller_of_two_budgets_holds() -> None:
    learner = learner_of(THREE, rule=stop.budget(1.0))
    session = learner.open(budget=100.0)
    walk(session, {"a": 1, "b": 1, "c": 1})
    assert session.cost <= 1.0


def test_what_is_unavailable_is_never_asked() -> None:
    session = learner_of(THREE).open(unavailable=["a", "c"])
    assert [question.feature for question in walk(session, {"b": 1})] == ["b"]
    assert session.evidence["skipped"] == ["a", "c"] and session.undo() == "b" and session.undo() is None


def test_a_run_with_prices_equals_sessions_with_prices() -> None:
    rng = np.random.default_rng(3)
    X, y = rng.integers(0, 2, (60, 3)), rng.integers(0, 2, 60)
    table = rng.choice([0.0, 0.5, 1.0, 7.0], (60, 3))
    ran, looped = (learner_of(THREE, rule=stop.budget(3.0)) for _ in range(2))
    record = ran.run(X, y, prices=table)
    ends = record.n_asked.cumsum()
    for i in range(60):
        session = looped.open(prices=dict(zip("abc", table[i], strict=True)))
        asked = ["abc".index(question.feature) for question in walk(session, dict(zip("abc", X[i], strict=True)))]
        assert asked == record.asked[ends[i] - record.n_asked[i] : ends[i]].tolist()
        assert session.cost == record.cost[i]
        looped.learn(session.evidence, int(y[i]))
    assert learned_of(ran) == learned_of(looped)
    assert len(set(record.n_asked.tolist())) > 1


def test_features_may_be_known_or_not_to_be_had_in_every_case_of_a_table() -> None:
    rng = np.random.default_rng(5)
    X, y = rng.integers(0, 2, (50, 3)), rng.integers(0, 2, 50)
    for learner_does in ("run", "evaluate"):
        record = getattr(learner_of(THREE), learner_does)(X, y, known=["a"], unavailable=("b",), budget=3.5)
        record = getattr(record, "record", record)
        assert record.asked.size == 0 and not record.cost.any(), "c is too dear"
    pd = pytest.importorskip("pandas")
    marks = pd.DataFrame({"c": [True] * 50, "b": [False] * 50, "a": [True] * 50})
    record = learner_of(THREE).run(X, y, unavailable=marks)
    assert set(record.asked.tolist()) == {1}


def test_a_run_at_the_prices_of_the_problem_is_the_run_without() -> None:
    rng = np.random.default_rng(4)
    X, y = rng.integers(0, 2, (60, 3)), rng.integers(0, 2, 60)
    plain, priced = learner_of(THREE), learner_of(THREE)
    first, second = plain.run(X, y), priced.run(X, y, prices=np.tile([1.0, 2.0, 4.0], (60, 1)))
    np.testing.assert_array_equal(first.cost, second.cost)
    assert state(plain) == state(priced)


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda u: u.open(prices={"d": 1.0}), UnknownFeature, "'d'"),
        (lambda u: u.open(prices={"a": -1.0}), InvalidValue, "a: price -1.0"),
        (lambda u: u.open(prices={"a": math.nan}), InvalidValue, "a: price nan"),
        (lambda u: u.open(prices={"a": "1"}), InvalidValue, "a: price '1'"),
        (lambda u: u.open(prices=[1.0, 2.0, 3.0]), InvalidValue, "prices of a case"),
        (lambda u: u.open(budget=-1.0), InvalidValue, "budget of -1.0"),
        (lambda u: u.open(budget=math.nan), InvalidValue, "budget of nan"),
        (lambda u: u.open(budget="3"), InvalidValue, "budget of '3'"),
        (lambda u: u.open(unavailable="a"), InvalidValue, "'a' came for the unavailable"),
        (lambda u: u.open(unavailable=["d"]), UnknownFeature, "'d'"),
        (lambda u: u.open(unavailable=5), InvalidValue, "5 came for the unavailable"),
        (lambda u: u.open(["case"]), InvalidValue, "name of a case"),
        (lambda u: u.run([[0, 0, 0]], [0], prices=[1.0, 2.0, 3.0]), InvalidValue, r"shape \(3,\)"),
        (lambda u: u.run([[0, 0, 0]], [0], prices=[[1.0, 2.0, -3.0]]), InvalidValue, "A price of -3 came in row 0"),
        (lambda u: u.run([[0, 0, 0]], [0], prices=[[1.0, 2.0, math.nan]]), InvalidValue, "finite"),
        (lambda u: u.run([[0, 0, 0]], [0], prices=[[1.0, 2.0, math.inf]]), InvalidValue, "finite"),
        (
            lambda u: u.run([[0] * 3] * 2, [0, 0], prices=[[1] * 3, [1, 2e100, 3e100]]),
            InvalidValue,
            "2e.100 came in row 1",
        ),
        (lambda u: u.run([[0, 0, 0]], [0], prices=[["x", 2.0, 3.0]]), InvalidValue, "numbers"),
        (lambda u: u.run([[0, 0, 0]], [0], prices=[[1.0], [2.0, 3.0]]), InvalidValue, "numbers"),
        (lambda u: u.run([[0, 0, 0]], [0], known=["d"]), UnknownFeature, "'d'"),
        (lambda u: u.run([[0, 0, 0]], [0], known="a"), InvalidValue, "What is known came as 'a'"),
        (lambda u: u.run([[0, 0, 0]], [0], unavailable=[[0, 2, 0]]), InvalidValue, "What is unavailable came as"),
        (
            lambda u: u.run([[0, 0, 0]], [0], charged=[[True, False]]),
            InvalidValue,
            r"shape \(1, 2\); expected \(1, 3\)",
        ),
        (lambda u: u.run([[0, 0, 0]], [0], charged=[[1], [2, 3]]), InvalidValue, "What is charged came as"),
        (lambda u: u.run([[0, 0, None]], [0], known=["c"]), InvalidValue, "In row 0: 'c' came as known and is missing"),
        (lambda u: u.run([[0] * 3], [0], known=["c"], unavailable=["c"]), InvalidValue, "known and is unavailable"),
        (lambda u: u.run([[0, 0, 0]], [0], budget=-1.0), InvalidValue, "A budget of -1.0 came"),
        (lambda u: u.run([[0, 0, 0]], [0], budget=[1.0, 2.0]), InvalidValue, "one for each case"),
        (lambda u: u.run([[0, 0, 0]], [0], budget=[math.nan]), InvalidValue, "one for each case"),
        (lambda u: u.run([[0, 0, 0]], [0], budget=["x"]), InvalidValue, "one for each case"),
        (lambda u: u.evaluate([[0, 0, 0]], [0], budget=None), InvalidValue, "A budget of None came"),
    ],
)
def test_terms_of_a_case_that_make_no_sense_leave_the_learner_untouched(call: Any, error: Any, says: str) -> None:
    learner = learner_of(THREE)
    before = state(learner)
    with pytest.raises(error, match=says):
        call(learner)
    assert state(learner) == before


def test_a_test_that_failed_may_be_charged_for() -> None:
    learner = learner_of(THREE)
    session = learner.open()
    session.skip("b", charged=True)
    assert session.cost == 2.0 and session.evidence["prices"] == {"b": 2.0}
    assert session.evidence["skipped"] == ["b"] and session.evidence["values"] == {}
    assert json.loads(json.dumps(session.evidence)) == session.evidence
    before = learner.belief.counts
    learner.learn(session.evidence, 1)
    np.testing.assert_array_equal(learner.belief.counts, before)
    assert session.undo() == "b" and session.cost == 0.0


def test_a_failed_test_that_was_charged_makes_its_group_cheaper() -> None:
    features: list[Feature] = [Binary(name, price=3.0, group="g", later_price=1.0) for name in "ab"]
    session = learner_of(features).open()
    session.skip("a", charged=False)
    assert prices(session)["b"] == 3.0
    session.undo()
    session.skip("a", charged=True)
    assert prices(session)["b"] == 1.0


@every_learner
def test_a_hold_out_may_have_prices_of_its_own(name: str) -> None:
    learner = learned(name)
    X, y = stream_of(name, 2, 40, missing=0.1)
    shape, before = (len(y), learner.problem.n_features), state(learner)
    plain, same = learner.evaluate(X, y), learner.evaluate(X, y, prices=np.tile(learner.problem.prices, (len(y), 1)))
    np.testing.assert_array_equal(same.record.asked, plain.record.asked)
    np.testing.assert_allclose(same.record.cost, plain.record.cost)
    np.testing.assert_array_equal(same.record.predicted, plain.record.predicted)
    assert learner.evaluate(X, y, prices=np.zeros(shape)).cost <= plain.cost
    with pytest.raises(InvalidValue, match="A price of nan came in row 1"):
        learner.evaluate(X, y, prices=np.where(np.arange(len(y))[:, None] == 1, np.nan, np.ones(shape)))
    assert state(learner) == before, "nothing is learned"


def test_a_later_one_of_a_group_costs_what_it_does_in_this_case() -> None:
    """Without a price of its own for later ones; one that is given holds if it is lower, even as high as the first."""

    def of_group(later: float | None) -> Problem:
        b = Binary("b", price=2.0, group="g", later_price=later)
        return Problem([Binary("a", price=1.0, group="g"), b], labels=[0, 1])

    plain = of_group(None)
    for later, given, paid in (
        (None, 10.0, 10.0),
        (None, 0.1, 0.1),
        (0.5, 10.0, 0.5),
        (0.5, 0.1, 0.1),
        (2.0, 10.0, 2.0),
    ):
        session = UFODT(of_group(later), seed=1).open(prices={"b": given})
        session.tell("a", 1)
        session.tell("b", 1)
        assert session.evidence["prices"] == {"a": 1.0, "b": paid}
    bounded = UFODT(plain, stop=stop.budget(5.0), seed=1)
    assert bounded.run([[1, 1]] * 3, [0, 1, 0], prices=[[1.0, 10.0]] * 3).cost.max() <= 5.0
