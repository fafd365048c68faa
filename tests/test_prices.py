"""Prices as they are: groups, surcharges, duties, prerequisites, computed features, currencies."""

import itertools
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ufodt import UFODT, Binary, Categorical, Continuous, Policy, Problem, Selection, stop
from ufodt.errors import InvalidPolicy, InvalidProblem, InvalidValue
from ufodt.features import Feature

from .cases import state, walk
from .priced import learner_of, prices


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


def test_a_question_says_what_it_costs_for_sure_and_at_most() -> None:
    learner = learner_of([Categorical("x", ["fine", "odd"], price=1.0, surcharge={"odd": 4.0})])
    for _ in range(5):
        session = learner.open()
        question = session.ask()
        assert question is not None and (question.price, question.most) == (1.0, 5.0)
        session.tell("x", "odd")
        assert session.cost == question.most


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
        (Binary("a", price={}), None, ["a: price {} came"]),
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


def test_a_free_problem_costs_nothing() -> None:
    learner = learner_of([Binary(name, price=0.0) for name in "ab"], rule=stop.cost_benefit())
    record = learner.run(np.random.default_rng(1).integers(0, 2, (50, 2)), [0, 1] * 25)
    assert (record.cost == 0).all() and record.n_asked.sum() > 0


@pytest.mark.parametrize("planner", ["lookahead", "optimal", "greedy"])
def test_a_prerequisite_that_tells_nothing_is_bought_for_what_it_leads_to(planner: Any) -> None:
    X = np.random.default_rng(2).permutation(np.tile(list(itertools.product([0, 1], repeat=3)), (125, 1)))
    y = X[:, 2]
    features = [Binary("form"), Binary("referral", needs=["form"]), Binary("scan", needs=["referral"])]
    problem = Problem(features, labels=[0, 1], loss=[[0, 100], [100, 0]])
    record = UFODT(problem, policy=Policy(planner=planner), seed=1).run(X, y)
    assert (record.predicted[500:] == y[500:]).mean() > 0.95
    learner = UFODT(problem, policy=Policy(planner=planner), seed=1)
    learner.learn_many(X, y)
    report = learner.evaluate(X, y)
    assert report.accuracy == 1.0 and report.cost == 3.0
    assert learner.gap().ratio == pytest.approx(1.0, abs=1e-6)
    assert learner.open(budget=2.0, explore=False).ask() is None, "not within the budget"
    assert learner.open(unavailable=["referral"], explore=False).ask() is None, "it cannot be had at all"


def test_a_surcharge_is_paid_on_a_feature_of_no_price_but_not_on_one_that_is_computed() -> None:
    learner = learner_of(
        [Binary("a", price=0.0, surcharge={1: 50.0}), Binary("b", computed_from=["a"], surcharge={1: 7.0})]
    )
    session = learner.open()
    session.tell("a", 1)
    assert session.cost == 50.0
    session.tell("b", 1)
    assert session.cost == 50.0
    assert [question.feature for question in walk(learner.open(budget=49.0), {"a": 1, "b": 1})] == ["b"]


def test_a_prerequisite_whose_surcharge_may_not_fit_opens_nothing() -> None:
    features: list[Feature] = [
        Binary("key", price=1.0, surcharge={1: 8.0}),
        Binary("inside", price=1.0, needs=["key"]),
        Binary("beside", price=1.0),
    ]
    problem = Problem(features, labels=[0, 1], loss=[[0, 100], [100, 0]])
    learner = UFODT(problem, seed=1)
    rows = np.array(list(itertools.product([0, 1], repeat=3)) * 20)
    learner.learn_many(rows, rows[:, 1])
    assert learner.open(explore=False).ask().feature == "key"  # type: ignore[union-attr]
    assert learner.open(explore=False, budget=6.0).ask() is None, "it may cost 9"
    assert learner.open(budget=6.0, unavailable=["key"], explore=False).ask() is None


def chain(n: int, last: Feature, others: Sequence[Feature] = ()) -> tuple[Problem, np.ndarray, np.ndarray]:
    """A decisive feature behind a chain of useless ones, among others that are useless too; cells and labels."""
    links = [Binary(f"p{i}", price=0.1, needs=[f"p{i - 1}"] if i else []) for i in range(n)]
    problem = Problem([*links, last, *others], labels=[0, 1], loss=[[0, 100], [100, 0]])
    rng = np.random.default_rng(n)
    y = np.tile([0, 1], 200)
    half = rng.integers(0, 2, (200, problem.n_features))  # each row with either label, so that only the last one tells
    X = np.repeat(half, 2, axis=0)
    X[:, n] = y
    return problem, X, y


@pytest.mark.parametrize("n", [5, 16, 40])
@pytest.mark.parametrize("planner", ["lookahead", "greedy"])
def test_a_long_chain_of_prerequisites_is_bought_without_planning_it_all(n: int, planner: Any) -> None:
    problem, X, y = chain(n, Binary("f", price=0.1, needs=[f"p{n - 1}"]))
    learner = UFODT(problem, policy=Policy(planner=planner), seed=1)
    learner.learn_many(X, y)
    report = learner.evaluate(X, y)
    assert report.accuracy == 1.0 and report.cost == pytest.approx(0.1 * (n + 1))
    learner.run(X[:20], y[:20])


def test_a_long_chain_that_the_budget_does_not_allow_is_not_begun() -> None:
    problem, X, y = chain(12, Binary("f", price=0.1, needs=["p11"]))
    for budget, cost in ((1.3, 1.3), (1.29, 0.0)):
        learner = UFODT(problem, stop=stop.cost_benefit() | stop.budget(budget), seed=1)
        learner.learn_many(X, y)
        assert learner.evaluate(X, y).cost == pytest.approx(cost), budget


def test_what_prerequisites_open_is_seen_beside_many_cheap_questions() -> None:
    cheap = [Binary(f"z{i}", price=0.001) for i in range(12)]
    problem, X, y = chain(4, Binary("f", price=0.1, needs=["p3"]), cheap)
    learner = UFODT(problem, seed=1)
    learner.learn_many(X, y)
    assert learner.evaluate(X, y).accuracy == 1.0


def test_candidates_of_a_selection_come_with_what_they_need() -> None:
    problem, X, y = chain(2, Binary("f", price=0.1, needs=["p1"]), [Binary(f"z{i}") for i in range(30)])
    learner = UFODT(problem, selection=Selection(5), seed=1)
    learner.learn_many(X, y)
    assert learner.evaluate(X, y).accuracy == 1.0


@pytest.mark.parametrize(
    ("features", "budget", "needed"),
    [
        ([Binary("p", price=0.1), Binary("f", price=0.2, needs=["p"])], 0.3, True),
        ([Binary("p", price=0.1), Binary("f", price=0.2, needs=["p"])], 0.29, False),
        (
            [
                Binary("p", price=10.0, group="g", later_price=1.0),
                Binary("f", price=10.0, group="g", later_price=1.0, needs=["p"]),
            ],
            11.0,
            True,
        ),
        ([Binary("p", price=10.0), Binary("f", price=10.0, needs=["p"], computed_from=["p"])], 10.0, True),
        ([Binary("p", price=10.0), Binary("f", price=50.0, computed_from=["p"])], 10.0, True),
        ([Binary("p", price=10.0), Binary("f", price=50.0, computed_from=["p"])], 9.0, False),
        ([Binary("p", price=10.0, group="g"), Binary("f", price=50.0, group="g", later_price=1.0)], 11.0, True),
        ([Binary("p", price=10.0, group="g"), Binary("f", price=50.0, group="g", later_price=1.0)], 10.5, False),
    ],
)
def test_what_must_come_first_is_bought_if_both_fit_the_budget(
    features: list[Feature], budget: float, needed: bool
) -> None:
    learner = UFODT(Problem(features, labels=[0, 1], loss=[[0, 1000], [1000, 0]]), seed=1)
    rows = np.array(list(itertools.product([0, 1], repeat=2)) * 5000)
    learner.learn_many(rows, rows[:, 1])
    for explore in (False, True) if budget > 1 else (False,):  # at a tenth a draw may hope for something of p itself
        question = learner.open(budget=budget, explore=explore).ask()
        assert (question is not None and question.feature == "p") == needed


def test_a_small_problem_is_planned_over_every_way_to_keep_to_the_budget() -> None:
    features: list[Feature] = [
        Binary("opens", price=5.0, group="g"),
        Binary("input", price=20.0, group="g", later_price=1.0),
        Binary("tells", price=50.0, computed_from=["input"]),
    ]
    learner = UFODT(Problem(features, labels=[0, 1], loss=[[0, 1000], [1000, 0]]), seed=1)
    rows = np.array(list(itertools.product([0, 1], repeat=3)) * 50)
    learner.learn_many(rows, rows[:, 2])
    asked = walk(learner.open(budget=6.0, explore=False), {"opens": 0, "input": 1, "tells": 1})
    assert [(question.feature, question.price) for question in asked] == [
        ("opens", 5.0),
        ("input", 1.0),
        ("tells", 0.0),
    ]


def test_sums_that_round_differently_harm_no_plan() -> None:
    features = [
        Binary("a", price=0.1),
        Binary("b", price=0.2),
        Binary("c", price=0.3),
        Binary("g", price=0.0, needs=["a", "b", "c"]),
        Binary("f", price=0.0, needs=["b", "c", "g"]),
    ]
    rows = np.array(list(itertools.product([0, 1], repeat=5)) * 5)
    learner = UFODT(Problem(features, labels=[0, 1], loss=[[0, 100], [100, 0]]), seed=1)
    learner.learn_many(rows, rows[:, 4])
    asked = walk(learner.open(budget=0.6, explore=False), dict.fromkeys("abcgf", 1))
    assert [question.feature for question in asked][-1:] == ["f"]


def test_evidence_says_what_was_paid_to_the_digit() -> None:
    prices = {"a": 0.1, "b": 0.2, "c": 0.3, "d": 1e20, "e": 5.0}
    features: list[Feature] = [Binary(name, price=price, surcharge={1: 0.7}) for name, price in prices.items()]
    session = learner_of(features).open()
    for name in prices:
        session.tell(name, 0)
    assert session.evidence["prices"] == prices
    session.undo()
    session.skip("e", charged=True)
    assert session.evidence["prices"] == prices
    session.undo()
    session.tell("e", 1)
    assert session.evidence["prices"]["e"] == 5.7


def test_amounts_beyond_all_bounds_are_refused_wherever_they_come() -> None:
    problem = Problem([Binary("a"), Binary("b")], labels=[0, 1])
    learner = UFODT(problem)
    for call in (learner.run, learner.evaluate):
        with pytest.raises(InvalidValue, match=r"1e\+100 at most"):
            call([[0, 1]] * 2, [0, 1], prices=[[1.0, 1e101]] * 2)
    with pytest.raises(InvalidPolicy, match="worth"):
        stop.cost_benefit(1e101)
    for loss in (1e101, 10**400):
        with pytest.raises(InvalidProblem, match="loss"):
            Problem([Binary("a")], labels=[0, 1], loss=[[0, loss], [1, 0]])
    most = UFODT(Problem([Binary("a", price=1e100)], labels=[0, 1], loss=[[0, 1e100], [1e100, 0]]))
    most = UFODT(most.problem, stop=stop.cost_benefit(1e100))
    record = most.run([[0], [1]] * 20, [0, 1] * 20)
    assert np.isfinite(record.cost).all() and math.isfinite(most.gap().ratio)


@pytest.mark.parametrize("needs", [["a", "b"], ["b", "a"]], ids=str)
@pytest.mark.parametrize("planner", ["lookahead", "greedy", "optimal"])
@pytest.mark.parametrize("mandatory", [False, True])
@pytest.mark.parametrize("cheaper", [{"computed_from": ["b"]}, {"group": "g", "later_price": 0.0}], ids=str)
def test_in_which_order_needs_are_listed_makes_no_difference(
    needs: list[str], planner: Any, mandatory: bool, cheaper: dict[str, Any]
) -> None:
    group = {name: value for name, value in cheaper.items() if name == "group"}
    features = [
        Binary("a", price=3.0, **cheaper),
        Binary("b", price=0.5, **group),
        Binary("m", price=0.5, needs=needs, mandatory=mandatory),
    ]
    learner = UFODT(Problem(features, [0, 1], loss=[[0, 10], [10, 0]]), policy=Policy(planner=planner), seed=1)
    y = np.arange(200) % 2
    learner.learn_many(np.column_stack([y // 2, np.arange(200) // 2 % 2, y]), y)
    session = learner.open(budget=2.0)
    told = []
    while (question := session.ask()) is not None:
        told.append(question.feature)
        session.tell(question.feature, 0)
    assert told == ["b", "a", "m"] and session.predict().cost == 1.0
