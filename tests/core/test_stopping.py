"""When asking stops, against a direct evaluation of the rules."""

import math

import numpy as np
import pytest

from ufodt import core

from . import oracle
from .small import CRITERIA, Small, draw_small, open_features, small, walk

Rule = tuple[str, float, list["Rule"]]


def prefix(rule: Rule) -> list[tuple[str, float, int]]:
    kind, value, children = rule
    return [(kind, value, len(children)), *(leaf for child in children for leaf in prefix(child))]


def hard_budget(rule: Rule) -> float:
    kind, value, children = rule
    if kind == "budget":
        return value
    return min((hard_budget(child) for child in children), default=math.inf) if kind == "any" else math.inf


def draw_rule(rng: np.random.Generator, depth: int = 0) -> Rule:
    kinds = ["region", "confidence", "budget", "cost_benefit"] + ["any", "all"] * (depth < 2)
    kind = str(rng.choice(kinds))
    if kind in ("any", "all"):
        return kind, math.nan, [draw_rule(rng, depth + 1) for _ in range(int(rng.integers(1, 4)))]
    value = {
        "region": math.nan,
        "confidence": rng.uniform(0.4, 1.0),
        "budget": rng.choice([0.0, 1.0, 2.5, 4.0, 10.0]),
        "cost_benefit": rng.choice([0.5, 3.0, 20.0, 100.0]),
    }[kind]
    return kind, float(value), []


def pays(
    left: list[int],
    worth: float,
    case: Small,
    plan: core.Plan,
    evidence: dict[int, int],
    lookahead: int,
    budget: float = math.inf,
) -> bool | None:
    """Whether some plan over `left` (without look-ahead: one question) pays; None where rounding decides."""
    theta, label = plan.theta()
    p = oracle.posterior(case, theta, label, evidence)
    stop, paid = worth * oracle.expected_loss(case, p).min(), {case.group[f] for f in evidence} - {-1}
    plans = [left] if lookahead else [[f] for f in left]
    costs = oracle.Recursion(case, theta, worth)
    left_over = budget - plan.spent
    least = min((costs.asking(f, p, some, paid, left_over) for some in plans for f in some), default=math.inf)
    return None if abs(least - stop) < 1e-6 * stop else least < stop


def says_stop(
    rule: Rule, case: Small, plan: core.Plan, evidence: dict[int, int], budget: float, lookahead: int
) -> bool | None:
    """Whether the rule stops; None where rounding decides."""
    kind, value, children = rule
    still_open = open_features(case, evidence)
    if kind == "region":
        return len(np.unique(plan.hypotheses()[1])) <= 1
    if kind == "confidence":
        surest = max(plan.predict()[1])
        return None if abs(surest - value) < 1e-9 else surest >= value
    if kind == "budget":
        return all(plan.spent + plan.price(f) > value for f in still_open)
    if kind == "cost_benefit":
        affordable = [f for f in still_open if plan.spent + plan.price(f) <= budget]
        asks = pays(affordable, value, case, plan, evidence, lookahead, budget)
        return None if asks is None else not asks
    said = [says_stop(child, case, plan, evidence, budget, lookahead) for child in children]
    decisive = kind == "any"
    return decisive if decisive in said else None if None in said else not decisive


@pytest.mark.parametrize("kind", ["region", "confidence", "budget", "cost_benefit", "any", "all"])
@pytest.mark.parametrize("distinct", [False, True], ids=["equal", "distinct"])
def test_a_plan_stops_exactly_when_its_rule_says_so(kind: str, distinct: bool) -> None:
    rng = np.random.default_rng(31)
    said = {True: 0, False: 0, None: 0}
    for i in range(200):
        case = draw_small(rng, priced=True, loss=bool(rng.random() < 0.5), max_labels=4)
        rule = next(rule for rule in iter(lambda: draw_rule(rng), None) if rule[0] == kind)
        budget, lookahead = hard_budget(rule), int(rng.choice([0, core.MAX_STATES]))
        if budget < math.inf and lookahead and max(case.group) >= 0:
            continue  # what is spent on a group depends on the order, which a plan does not see
        plan = case.plan(
            seed=i,
            lookahead=lookahead,
            greedy=lookahead == 0 or bool(rng.random() < 0.5),
            criterion=str(rng.choice(CRITERIA)),
            stop=prefix(rule),
            budget=budget,
            n_hypotheses=30,
            distinct=distinct,
            redraw_below=0 if distinct else 8,
        )
        for evidence in walk(rng, case, plan):
            affordable = [f for f in open_features(case, evidence) if plan.spent + plan.price(f) <= budget]
            stops = says_stop(rule, case, plan, evidence, budget, lookahead) if affordable else True
            said[stops] += 1
            if stops is not None:
                assert (plan.next() is None) == stops, f"problem {i}: {rule}, {evidence}"
    assert said[True] > 100 and said[False] > 40 and said[None] < 10, said


@pytest.mark.parametrize("greedy", [False, True])
def test_at_fixed_prices_no_plan_that_pays_is_given_up_early(greedy: bool) -> None:
    """Most of what pays here pays only in a plan, and barely: a rough bound may not stop what a plan would ask."""
    rng = np.random.default_rng(33)
    said = {True: 0, False: 0, None: 0}
    for i in range(300):
        n, n_labels = int(rng.integers(2, 6)), int(rng.integers(2, 4))
        loss = rng.uniform(0.5, 2.0, (n_labels, n_labels)) * (1.0 - np.eye(n_labels)) if rng.random() < 0.3 else None
        prior = rng.dirichlet([0.4, 0.4], (n, n_labels)).transpose(0, 2, 1).reshape(2 * n, n_labels) * 200 + 0.1
        case = small([2] * n, n_labels, price=rng.uniform(0.9, 1.1, n).tolist(), loss=loss, prior=prior)
        worth = float(rng.uniform(2.0, 6.0))
        plan = case.plan(
            seed=i, lookahead=core.MAX_STATES, greedy=greedy, criterion="ig", stop=[("cost_benefit", worth, 0)]
        )
        for evidence in walk(rng, case, plan):
            left = open_features(case, evidence)
            paid = pays(left, worth, case, plan, evidence, core.MAX_STATES) if left else False
            said[paid] += 1
            if paid is not None:
                assert (plan.next() is not None) == paid, f"problem {i}: {worth}, {evidence}"
    assert said[True] > 150 and said[False] > 150 and said[None] < 10, said


def test_looking_ahead_over_a_few_asks_only_what_some_plan_pays_for() -> None:
    rng = np.random.default_rng(32)
    asked = missed = 0
    for i in range(150):
        case = draw_small(rng, priced=True, loss=bool(rng.random() < 0.5), max_labels=3, max_outcomes=3)
        worth = float(rng.choice([3.0, 20.0, 100.0]))
        plan = case.plan(seed=i, lookahead=9, criterion="ig", stop=[("cost_benefit", worth, 0)])
        for evidence in walk(rng, case, plan):
            best = pays(open_features(case, evidence), worth, case, plan, evidence, 1)
            if plan.next() is not None:
                asked += 1
                assert best is not False
            else:
                missed += best is True
    assert asked > 100 and missed < asked / 10, (asked, missed)


def test_without_a_rule_everything_is_asked() -> None:
    plan = small([2, 2, 2]).plan(stop=[])
    for n in range(3):
        question = plan.next()
        assert question is not None, n
        plan.observe(question[0], 0)
    assert plan.next() is None


def test_a_hard_budget_is_never_passed() -> None:
    rng = np.random.default_rng(34)
    n_spent_to_the_end = 0
    for i in range(300):
        case = draw_small(rng, priced=True, max_features=8)
        budget = float(rng.choice([0.0, 1.0, 2.5, 6.0]))
        stop = [("budget", budget, 0)]
        plan = case.plan(seed=i, criterion=str(rng.choice(["ec2", "ig", "random"])), stop=stop, budget=budget)
        evidence: dict[int, int] = {}
        for evidence in walk(rng, case, plan):  # noqa: B007
            assert plan.spent <= budget + 1e-9
        left = open_features(case, evidence)
        assert all(plan.spent + plan.price(f) > budget for f in left), "something affordable was not asked"
        n_spent_to_the_end += plan.spent == budget
    assert n_spent_to_the_end > 20


def test_what_pays_does_not_depend_on_a_rule_that_looks_at_the_answer() -> None:
    rng = np.random.default_rng(41)
    some = 0
    for i in range(200):
        case = draw_small(rng, priced=True)
        weighs, sure = ("cost_benefit", 20.0, 0), ("confidence", 1.0, 0)
        settings = {"seed": i, "criterion": "ig", "lookahead": 9}
        alone = case.plan(stop=[weighs], **settings)
        beside = case.plan(stop=[("all", 0.0, 2), weighs, sure], **settings)
        first = alone.next()
        if first is None:
            continue
        for plan in (alone, beside):  # from the first answer on, theta and the mean see the labels differently
            plan.observe(first[0], 0)
        if alone.next() is not None:
            assert alone.paying() == beside.paying(), i
            some += len(alone.paying()) > 1
    assert some > 20
