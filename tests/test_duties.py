"""What is mandatory, and what that needs: what comes first, in which order, and what is let go."""

import itertools
import math
from typing import Any

import numpy as np
import pytest

from ufodt import UFODT, Binary, Policy, Problem, stop
from ufodt.features import Feature

from .priced import bought, learner_of


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


def test_what_a_mandatory_feature_needs_is_mandatory_too() -> None:
    learner = learner_of([Binary("n", price=50.0), Binary("m", mandatory=True, needs=["n"]), Binary("other")])
    assert bought(learner)[:2] == [("n", 50.0), ("m", 1.0)]


def test_mandatory_features_come_in_their_cheapest_order() -> None:
    computed = [Binary("sum", price=3.0, mandatory=True, computed_from=["a"]), Binary("a", price=5.0, mandatory=True)]
    assert bought(learner_of(computed)) == [("a", 5.0), ("sum", 0.0)]
    group = [
        Binary("dear", price=10.0, group="g", later_price=1.0, mandatory=True),
        Binary("cheap", price=2.0, group="g", later_price=2.0, mandatory=True),
    ]
    assert bought(learner_of(group)) == [("cheap", 2.0), ("dear", 1.0)]


def test_a_discount_that_nothing_else_earns_does_not_put_a_duty_off() -> None:
    features: list[Feature] = [
        Binary("f0", price=5.0, group="g", later_price=2.0, mandatory=True),
        Binary("f1", price=2.0, computed_from=["f0"], mandatory=True),
    ]
    assert bought(learner_of(features)) == [("f0", 5.0), ("f1", 0.0)]


def test_why_not_names_duties_that_others_imply_and_the_worst_price() -> None:
    features: list[Feature] = [Binary("p"), Binary("m", mandatory=True, needs=["p"]), Binary("z", price=1e5)]
    assert learner_of(features).open().why_not("z") == "z comes later: p is mandatory."
    dear = learner_of([Binary("f", price=1.0, surcharge={1: 5.0})]).open(budget=4.0)
    assert dear.why_not("f") == "f may cost 6, and 4 is left of the budget."


def test_duties_that_do_not_all_fit_the_budget_are_planned_where_a_plan_is_exact() -> None:
    features: list[Feature] = [Binary("weak", mandatory=True), Binary("strong", price=2.0, mandatory=True)]
    policy = Policy(stop=stop.any_of(stop.cost_benefit(), stop.budget(2.0)))
    learner = UFODT(Problem(features, labels=[0, 1], loss=[[0, 100], [100, 0]]), policy=policy, seed=1)
    rows = [[0, 0]] * 85 + [[1, 0]] * 10 + [[1, 1]] * 5 + [[1, 1]] * 85 + [[0, 1]] * 10 + [[0, 0]] * 5
    learner.learn_many(rows, [0] * 100 + [1] * 100)
    question, gap = learner.open(explore=False).ask(), learner.gap()
    assert question is not None and question.feature == "strong"
    assert gap.exact and gap.ratio == pytest.approx(1.0)


def test_what_a_duty_may_add_to_its_price_counts_when_it_could_follow_from_others() -> None:
    features: list[Feature] = [
        Binary("base", mandatory=True),
        Binary("derived", price=0.0, surcharge={1: 0.5}, computed_from=["base"], mandatory=True),
    ]
    learner = UFODT(Problem(features, labels=[0, 1], loss=[[0, 100], [100, 0]]), seed=1)
    learner.learn_many([[0, 0], [1, 1], [0, 1], [1, 0]] * 50, [0, 1, 1, 0] * 50)
    assert bought(learner) == [("base", 1.0), ("derived", 0.0)]
    assert learner.gap().ratio == pytest.approx(1.0)


def test_what_follows_from_other_duties_comes_last() -> None:
    lab = {"group": "lab", "later_price": 0.5, "mandatory": True}
    problem = Problem(
        [
            Binary("a", price=3.0, **lab),
            Binary("b", price=5.0, **lab),
            Binary("ratio", price=1.5, mandatory=True, computed_from=["a", "b"]),
        ],
        labels=[0, 1],
    )
    session, paid = UFODT(problem, seed=1).open(), []
    while (question := session.ask()) is not None:
        paid.append((question.feature, question.price))
        session.tell(question.feature, 0)
    assert paid == [("a", 3.0), ("b", 0.5), ("ratio", 0.0)]


def test_an_exact_plan_says_in_which_order_duties_come() -> None:
    terms: dict[str, Any] = {"group": "g", "mandatory": True}
    problem = Problem(
        [Binary("a", price=1.0, later_price=0.0, **terms), Binary("b", price=0.5, computed_from=["a"], **terms)],
        labels=[0, 1],
    )
    gap = UFODT(problem).gap()
    assert gap.exact and gap.cost == pytest.approx(gap.least)


@pytest.mark.parametrize("planner", ["lookahead", "optimal", "greedy"])
def test_what_is_mandatory_and_out_of_reach_makes_nothing_else_a_duty(planner: Any) -> None:
    scan = Binary("scan", price=3.0, mandatory=True, needs=["dye"])
    problem = Problem([Binary("dye", price=1.0), scan, Binary("pulse", price=1.0)], labels=[0, 1])
    learner = UFODT(problem, policy=Policy(planner=planner), seed=1)
    learner.learn_many([[0, 0, 0], [1, 1, 1], [0, 1, 0], [1, 0, 1]] * 20, [0, 1, 0, 1] * 20)

    def first(**terms: Any) -> str | None:
        session = learner.open(explore=False, **terms)
        question = session.ask()
        if question is not None and question.feature == "dye":
            assert session.why_not("dye") == "dye is the next question: what needs it is mandatory."
            assert session.evidence["values"] or session.why_not("pulse") == "pulse comes later: dye is mandatory."
        return None if question is None else question.feature

    assert first() == first(budget=4.0) == "dye"
    assert first(budget=3.5, unavailable=["dye"]) == "pulse"
    assert first(budget=3.5, known={"dye": 1}) == "scan"
    settled = {"pulse": 1}
    assert first(budget=3.5, known=settled) is None and first(unavailable=["scan"], known=settled) is None
    assert first(known=settled) == "dye", "a duty is a duty, whatever is known"


@pytest.mark.parametrize("planner", ["lookahead", "optimal", "greedy"])
def test_what_only_something_known_needs_is_no_duty(planner: Any) -> None:
    """A scan needs a dye, which needs a blood test: once the dye is given, the scan needs no blood test."""
    scan = Binary("scan", price=20.0, mandatory=True, needs=["dye"])
    problem = Problem([Binary("blood", price=5.0), Binary("dye", needs=["blood"]), scan], labels=[0, 1])
    learner = UFODT(problem, policy=Policy(planner=planner), seed=1)
    learner.learn_many([[0, 0, 0], [1, 1, 1], [0, 1, 0], [1, 0, 1]] * 20, [0, 1, 0, 1] * 20)
    session = learner.open(known={"dye": 1}, budget=22.0, explore=False)
    assert session.why_not("blood") == "blood comes later: scan is mandatory."
    question = session.ask()
    assert question is not None and question.feature == "scan"
    record = learner.evaluate([[1, 1, 1]] * 5, known=["dye"], budget=22.0).record
    assert record.asked.tolist() == [2] * 5 and record.cost.tolist() == [20.0] * 5


@pytest.mark.parametrize("planner", ["lookahead", "optimal", "greedy"])
def test_of_duties_that_do_not_all_fit_the_budget_what_was_begun_is_finished(planner: Any) -> None:
    rest = Binary("blood", price=1.0), Binary("titre", price=2.0, needs=["blood"], mandatory=True)
    scan = Binary("scan", price=3.0, needs=["dye"], mandatory=True)
    problem = Problem([Binary("dye", price=1.0), scan, *rest], labels=[0, 1], loss=[[0, 0.01], [0.01, 0]])
    learner = UFODT(problem, policy=Policy(planner=planner), seed=1)
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (200, 4)), rng.integers(0, 2, 200)
    learner.learn_many(X, y)
    for record in (learner.run(X, y, budget=5.0), learner.evaluate(X, budget=5.0).record):
        parts = np.split(record.asked, record.n_asked.cumsum()[:-1])
        assert {tuple(part) for part in parts} <= {(0, 1), (2, 3)}


def test_the_gap_knows_that_nothing_is_bought_for_a_duty_out_of_reach() -> None:
    features = [Binary("dye", price=1.0), Binary("scan", price=3.0, mandatory=True, needs=["dye"])]
    learner = UFODT(Problem(features, labels=[0, 1]), stop=stop.cost_benefit() | stop.budget(3.0), seed=1)
    learner.learn_many([[0, 0], [1, 1], [1, 0], [0, 1]] * 20, [0, 1] * 40)  # nothing tells
    gap = learner.gap()
    assert gap.exact and gap.ratio == pytest.approx(1.0)
    assert gap.least == pytest.approx(100.0), "half of what a mistake is worth, 100 mean prices, and no price"


def test_of_duties_that_do_not_all_fit_the_budget_what_was_paid_for_first_is_finished() -> None:
    """`b` is a duty of its own, and begins `c`; that does not put off `a`, for which something was paid before."""
    features = [
        Binary("s", price=1.0),
        Binary("a", price=3.0, needs=["s"], mandatory=True),
        Binary("b", price=0.3, mandatory=True),
        Binary("c", price=3.0, needs=["b"], mandatory=True),
    ]
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (500, 4)), rng.integers(0, 2, 500)
    record = UFODT(Problem(features, [0, 1], loss=[[0, 0.01], [0.01, 0]])).run(X, y, budget=6.0)
    ways = {tuple(sorted(asked.tolist())) for asked in np.split(record.asked, record.n_asked.cumsum()[:-1])}
    assert ways == {(0, 1, 2), (2, 3)}


def test_what_follows_from_others_is_bought_after_them_and_after_cheaper_ways_to_the_same() -> None:
    """Whatever the order of needs: both of the group, then what is free by then; and a chain, each free after the last.

    The budget is the least that holds the duty, so a dearer order would leave it out.
    """
    group = {"price": 5.0, "group": "g", "later_price": 1.0}
    in_group = [Binary("g1", **group), Binary("g2", **group), Binary("c", price=1.0, computed_from=["g1"])]
    chain = [Binary("b"), Binary("c", price=3.0, computed_from=["b"]), Binary("d", computed_from=["c"])]
    for features, least in ((in_group, 7.0), (chain, 2.0)):
        for needs in itertools.permutations(feature.name for feature in features):
            problem = Problem([*features, Binary("m", needs=needs, mandatory=True)], [0, 1])
            session = UFODT(problem, stop=stop.confidence(0.01)).open(budget=least)
            while (question := session.ask()) is not None:
                session.tell(question.feature, 0)
            assert "m" in session.evidence["values"] and session.predict().cost == least
