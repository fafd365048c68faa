"""Prices as they are: groups, surcharges, duties, prerequisites, computed features, currencies, and each case's own."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ufodt import UFODT, Binary, Categorical, Continuous, Problem, Session, stop
from ufodt.errors import InvalidProblem, InvalidValue, UnknownFeature
from ufodt.problem import Feature, with_prices

from .cases import learned_of, state, walk

TURNEY = Path(__file__).parents[2] / "shared" / "costs" / "turney1995.json"
NEVER = stop.confidence(1.0)  # on its own: asks all there is


def learner_of(features: list[Feature], *, rule: stop.Stop = NEVER, **settings: Any) -> UFODT:
    return UFODT(Problem(features, labels=[0, 1], **settings), criterion="ig", stop=rule, seed=1)


def prices(session: Session) -> dict[str, float]:
    return {reason.feature: reason.price for reason in session.why()}


def run_all(learner: UFODT, rows: list[list[Any]]) -> tuple[list[float], list[float]]:
    """What the cases cost by `run`, and by asking and telling."""
    names = [feature.name for feature in learner.problem.features]
    fresh, twin = (UFODT(learner.problem, policy=learner.policy, seed=learner.seed) for _ in range(2))
    ran = fresh.run(rows, [0] * len(rows)).cost.tolist()
    asked = []
    for row in rows:
        session = twin.open()
        while (question := session.ask()) is not None:
            session.tell(question.feature, row[names.index(question.feature)])
        asked.append(session.cost)
        twin.learn(session.evidence, 0)
    return ran, asked


# --- prices of a problem -----------------------------------------------------------------------------


def test_a_group_is_cheaper_once_paid_for_and_never_dearer() -> None:
    learner = learner_of(
        [
            Binary("a", price=3.0, group="g", later_price=1.0),
            Binary("b", price=2.0, group="g"),
            Binary("c", price=0.5, group="g", later_price=9.0),
        ]
    )
    session = learner.open()
    assert prices(session) == {"a": 3.0, "b": 2.0, "c": 0.5}
    session.tell("b", 1)
    assert prices(session) == {"a": 1.0, "c": 0.5}
    ran, asked = run_all(learner, [[0, 1, 1]] * 20)
    assert ran == asked and set(ran) <= {3.5, 4.5, 5.5}


def test_a_surcharge_is_paid_when_its_value_comes() -> None:
    learner = learner_of([Categorical("x", ["fine", "odd"], price=1.0, surcharge={"odd": 4.0}), Binary("y", price=0.0)])
    session = learner.open()
    assert session.cost == 0.0
    session.tell("x", "odd")
    assert session.cost == 5.0 and session.evidence["prices"] == {"x": 5.0}
    session.undo()
    session.tell("x", "fine")
    assert session.cost == 1.0
    ran, asked = run_all(learner, [["odd", 0], ["fine", 1]] * 5)
    assert ran == asked == [5.0, 1.0] * 5


def test_the_price_of_a_question_expects_the_surcharge() -> None:
    learner = learner_of([Categorical("x", ["fine", "odd"], price=1.0, surcharge={"odd": 4.0})])
    learner.learn_many([["fine"]] * 500, [0, 1] * 250)
    assert prices(learner.open())["x"] == pytest.approx(1.0, abs=0.2)
    learner.learn_many([["odd"]] * 50_000, [0, 1] * 25_000)
    assert prices(learner.open())["x"] == pytest.approx(5.0, abs=0.2)


def test_a_budget_holds_for_the_dearest_value() -> None:
    features: list[Feature] = [Categorical("x", ["fine", "odd"], price=1.0, surcharge={"odd": 4.0}), Binary("y")]
    learner = learner_of(features, rule=stop.budget(4.5))
    record = learner.run([["odd", 0]] * 30, [0, 1] * 15)
    assert (record.asked == 1).all()


def test_what_is_mandatory_is_asked_even_when_the_rule_says_stop() -> None:
    rule = stop.confidence(0.01)  # stops at once
    features: list[Feature] = [Binary("a"), Binary("consent", price=7.0, mandatory=True), Binary("b")]
    assert learner_of([Binary("a")], rule=rule).open().ask() is None
    learner = learner_of(features, rule=rule)
    session = learner.open()
    question = session.ask()
    assert question is not None and question.feature == "consent"
    session.tell("consent", 1)
    assert session.ask() is None and session.cost == 7.0
    record = learner.run([[1, 0, 1]] * 5, [0] * 5)
    assert record.asked.tolist() == [1] * 5
    assert learner.evaluate([[1, 0, 1]]).record.asked.tolist() == [1]


def test_what_is_mandatory_comes_first_however_dear() -> None:
    learner = learner_of([Binary("a", price=0.1), Binary("b", price=50.0, mandatory=True)])
    learner.learn_many([[0, 0], [1, 1]] * 20, [0, 1] * 20)
    first = learner.run([[0, 0]] * 10, [0] * 10)
    assert first.asked.reshape(10, 2)[:, 0].tolist() == [1] * 10


def test_a_mandatory_feature_that_cannot_be_had_is_let_go() -> None:
    learner = learner_of([Binary("a"), Binary("b", mandatory=True)], rule=stop.confidence(0.01))
    record = learner.run([[1, math.nan]] * 3, [0] * 3)
    assert record.n_asked.tolist() == [0, 0, 0]


def test_nothing_is_asked_before_what_it_needs() -> None:
    learner = learner_of([Binary("biopsy", needs=["scan"]), Binary("scan", needs=["consent"]), Binary("consent")])
    record = learner.run([[0, 1, 1]] * 10, [0, 1] * 5)
    assert record.asked.reshape(10, 3).tolist() == [[2, 1, 0]] * 10
    skipping = learner.open(unavailable=["scan"])
    assert [question.feature for question in walk(skipping, {"biopsy": 1, "consent": 1})] == ["consent"]
    known = learner.open(known={"scan": 1})
    assert {question.feature for question in walk(known, {"biopsy": 1, "consent": 1})} == {"biopsy", "consent"}


def test_a_computed_feature_is_free_once_its_inputs_are_known() -> None:
    learner = learner_of(
        [Binary("tt4", price=3.0), Binary("t4u", price=2.0), Binary("fti", price=9.0, computed_from=["tt4", "t4u"])]
    )
    session = learner.open()
    assert prices(session)["fti"] == 9.0
    session.tell("tt4", 1)
    assert prices(session)["fti"] == 9.0
    session.tell("t4u", 0)
    assert prices(session)["fti"] == 0.0
    session.tell("fti", 1)
    assert session.cost == 5.0 and session.evidence["prices"]["fti"] == 0.0
    assert prices(learner.open(known={"tt4": 1, "t4u": 1}))["fti"] == 0.0
    assert prices(learner.open(known={"tt4": 1}, unavailable=["t4u"]))["fti"] == 9.0


def test_amounts_in_several_currencies_are_weighed() -> None:
    features: list[Feature] = [
        Binary("a", price={"euro": 2.0, "minutes": 30}, group="g", later_price={"minutes": 10}),
        Binary("b", price=1.0, group="g", surcharge={1: {"euro": 4.0}}),
    ]
    learner = learner_of(features, currencies={"euro": 1.0, "minutes": 0.5})
    session = learner.open()
    assert prices(session)["a"] == 17.0
    session.tell("b", 1)
    assert session.cost == 5.0 and prices(session)["a"] == 5.0


@pytest.mark.parametrize(
    ("feature", "currencies", "says"),
    [
        (Binary("a", price={"euro": 1.0}), None, ["a: price", "euro", "currencies"]),
        (Binary("a", price={"yen": 1.0}), {"euro": 1.0}, ["a: price", "yen"]),
        (Binary("a", price={"euro": -1.0}), {"euro": 1.0}, ["a: price", "-1.0"]),
        (Binary("a", price={"euro": -1.0, "yen": 5.0}), {"euro": 1.0, "yen": 1.0}, ["a: price", "-1.0"]),
        (Binary("a", price={"euro": "1"}), {"euro": 1.0}, ["a: price", "'1'"]),  # type: ignore[dict-item]
        (Binary("a", price={"euro": 1e308}), {"euro": 1e308}, ["a: price", "finite"]),
        (Binary("a"), {"euro": -1.0}, ["euro", "-1.0"]),
        (Binary("a"), {"euro": math.nan}, ["euro", "nan"]),
        (Binary("a"), {"euro": "1"}, ["euro", "'1'"]),
        (Binary("a"), {1: 1.0}, ["currencies"]),
        (Binary("a"), ["euro"], ["currencies"]),
        (Binary("a", surcharge={2: 1.0}), None, ["a: a surcharge", "2"]),
        (Binary("a", surcharge={1: -1.0}), None, ["a: surcharge of 1 -1.0"]),
        (Binary("a", surcharge=5.0), None, ["a: surcharge 5.0"]),  # type: ignore[arg-type]
        (Binary("a", mandatory="yes"), None, ["a: mandatory='yes'"]),  # type: ignore[arg-type]
        (Binary("a", needs=["a"]), None, ["a: needs names 'a'"]),
        (Binary("a", needs=["c"]), None, ["a: needs names 'c'"]),
        (Binary("a", needs="b"), None, ["a: needs came as 'b'"]),
        (Binary("a", needs=5), None, ["a: needs came as 5"]),  # type: ignore[arg-type]
        (Binary("a", needs=[["b"]]), None, ["a: needs names ['b']"]),  # type: ignore[list-item]
        (Binary("a", computed_from=["c"]), None, ["a: computed_from names 'c'"]),
        (Binary("a", computed_from="b"), None, ["a: computed_from came as 'b'"]),
    ],
)
def test_terms_that_make_no_sense_are_refused_by_name(feature: Feature, currencies: Any, says: list[str]) -> None:
    with pytest.raises(InvalidProblem) as caught:
        Problem([feature, Binary("b")], labels=[0, 1], currencies=currencies)
    assert all(word in str(caught.value) for word in says), str(caught.value)


def test_features_that_wait_for_each_other_are_refused() -> None:
    with pytest.raises(InvalidProblem, match="needs itself"):
        Problem([Binary("a", needs=["b"]), Binary("b", needs=["c"]), Binary("c", needs=["a"])], labels=[0, 1])


def test_every_term_survives_a_model_file(tmp_path: Path) -> None:
    import ufodt

    learner = learner_of(
        [
            Binary("a", price={"euro": np.float32(2)}, group="g", later_price=np.int64(1)),  # type: ignore[dict-item, arg-type]
            Categorical("b", ["x", 2], surcharge={2: {"euro": 1.5}, "x": 0.25}, mandatory=np.bool_(True)),  # type: ignore[arg-type]
            Continuous("c", cuts=np.array([1, 2]), needs=["a"], computed_from=["a", "b"]),  # type: ignore[arg-type]
        ],
        currencies={"euro": np.float64(2.0)},
    )
    rows, labels = [[1, "x", 0.5], [0, 2, 1.5], [0, 2, 2.5]] * 5, [0, 1, 1] * 5
    learner.run(rows, labels)
    learner.save(tmp_path / "m")
    loaded = ufodt.load(tmp_path / "m")
    assert loaded.problem == learner.problem and state(loaded) == state(learner)
    np.testing.assert_array_equal(loaded.run(rows, labels).cost, learner.run(rows, labels).cost)


# --- prices of a case --------------------------------------------------------------------------------

THREE: list[Feature] = [Binary("a", price=1.0), Binary("b", price=2.0, group="g"), Binary("c", price=4.0, group="g")]


def test_a_case_may_have_prices_of_its_own() -> None:
    learner = learner_of(THREE)
    session = learner.open(prices={"a": 5.0, "c": np.float32(0.5)})  # type: ignore[dict-item]
    assert prices(session) == {"a": 5.0, "b": 2.0, "c": 0.5}
    assert prices(learner.open()) == {"a": 1.0, "b": 2.0, "c": 4.0}
    assert prices(learner.open(prices={})) == {"a": 1.0, "b": 2.0, "c": 4.0}


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
        (lambda u: u.run([[0, 0, 0]], [0], prices=[[1.0, 2.0, -3.0]]), InvalidValue, "negative"),
        (lambda u: u.run([[0, 0, 0]], [0], prices=[[1.0, 2.0, math.nan]]), InvalidValue, "finite"),
        (lambda u: u.run([[0, 0, 0]], [0], prices=[[1.0, 2.0, math.inf]]), InvalidValue, "finite"),
        (lambda u: u.run([[0, 0, 0]], [0], prices=[["x", 2.0, 3.0]]), InvalidValue, "numbers"),
        (lambda u: u.run([[0, 0, 0]], [0], prices=[[1.0], [2.0, 3.0]]), InvalidValue, "numbers"),
    ],
)
def test_terms_of_a_case_that_make_no_sense_leave_the_learner_untouched(call: Any, error: Any, says: str) -> None:
    learner = learner_of(THREE)
    before = state(learner)
    with pytest.raises(error, match=says):
        call(learner)
    assert state(learner) == before


# --- what failed -------------------------------------------------------------------------------------


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


# --- price files -------------------------------------------------------------------------------------

TABLE = {
    "_note": "in the shape of a section of a price file",
    "chol": {"price": 7.27, "later": 5.17, "group": "blood", "result": "delayed"},
    "fbs": {"price": 5.20, "later": 3.10, "group": "blood", "result": "delayed"},
    "others": {"price": 1.00},
}


def test_a_section_of_a_price_file_prices_features() -> None:
    features = with_prices([Continuous("chol"), Binary("fbs"), Binary("sex", mandatory=True)], TABLE)
    assert [(f.price, f.group, f.later_price) for f in features] == [
        (7.27, "blood", 5.17),
        (5.20, "blood", 3.10),
        (1.0, None, None),
    ]
    assert features[2].mandatory
    session = learner_of(features).open()
    session.tell("fbs", 1)
    session.tell("chol", 240.0)
    assert session.cost == pytest.approx(5.20 + 5.17)


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ({"a": {"price": 1.0}}, "b: no price came"),
        ({"a": {"price": 1.0}, "b": {"price": 1.0}, "c": {"price": 1.0}}, r"\['c'\]"),
        ({"a": {"later": 1.0}, "b": {"price": 1.0}}, "a: {'later': 1.0} came"),
        ({"a": 3.0, "b": {"price": 1.0}}, "a: 3.0 came"),
        ([1.0, 2.0], "table of prices"),
    ],
)
def test_a_price_table_that_does_not_fit_is_refused_by_name(table: Any, says: str) -> None:
    with pytest.raises(InvalidProblem, match=says):
        with_prices([Binary("a"), Binary("b")], table)


@pytest.mark.skipif(not TURNEY.exists(), reason="no price file: ../shared/costs is not beside the checkout")
def test_the_price_file_of_turney_loads_as_it_is() -> None:
    sections = json.loads(TURNEY.read_text())
    del sections["source"]
    assert len(sections) == 5
    for section in sections.values():
        names = [name for name in section if name != "others" and not name.startswith("_")]
        features = with_prices([Continuous(name) for name in names], section)
        session = learner_of(features).open()
        assert prices(session) == {name: section[name]["price"] for name in names}
        for name in names:
            session.tell(name, 1.0)
        groups = {section[name].get("group", name) for name in names}
        assert session.cost < sum(section[name]["price"] for name in names) or len(groups) == len(names)


# --- bad input besides -------------------------------------------------------------------------------


def test_a_category_never_seen_is_refused_by_name_and_one_never_met_is_no_trouble() -> None:
    learner = UFODT(Problem([Categorical("c", ["x", "y", "z"])], labels=[0, 1]), stop=NEVER, criterion="ig")
    learner.run([["x"], ["y"]] * 10, [0, 1] * 10)
    before = state(learner)
    with pytest.raises(InvalidValue, match="c: value 'new' came; expected one of 'x', 'y', 'z'"):
        learner.run([["x"], ["new"]], [0, 1])
    assert state(learner) == before
    answer = learner.open(known={"c": "z"}).predict()
    assert sum(answer.probabilities.values()) == pytest.approx(1.0)


def test_a_free_problem_costs_nothing() -> None:
    learner = learner_of([Binary(name, price=0.0) for name in "ab"], rule=stop.cost_benefit())
    record = learner.run(np.random.default_rng(1).integers(0, 2, (50, 2)), [0, 1] * 25)
    assert (record.cost == 0).all() and record.n_asked.sum() > 0
