"""How far from the optimum: the bound never exceeds it, and a learner's gap is what it says."""

import math
from typing import Any

import numpy as np
import pytest

from ufodt import UFODT, Binary, Categorical, Continuous, Prior, Problem, certificate, core, stop, stream, thresholds
from ufodt.compiled import compile_problem
from ufodt.errors import InvalidPolicy, InvalidValue, TooLarge
from ufodt.lab.datasets import led, to_problem
from ufodt.lab.optimal import World, optimum
from ufodt.lab.worlds import worlds


def draw_world(rng: np.random.Generator) -> World:
    """Up to five features of two or three values, with groups, surcharges, an order, a duty, and any loss."""
    n, m = int(rng.integers(2, 6)), int(rng.integers(2, 5))
    features, rows = [], []
    for j in range(n):
        k = int(rng.integers(2, 4))
        features.append(
            Categorical(
                f"f{j}",
                range(k),
                price=float(rng.choice([0.5, 1.0, 4.0])),
                group=str(rng.integers(2)),
                later_price=float(rng.choice([0.2, 0.5])),
                surcharge={0: 0.7} if rng.random() < 0.3 else None,
                mandatory=bool(rng.random() < 0.1),
                needs=(f"f{j - 1}",) if j and rng.random() < 0.2 else (),
            )
        )
        rows.append(rng.dirichlet(np.ones(k), m).T + 0.01)
    theta = np.concatenate([block / block.sum(axis=0) for block in rows])
    loss = rng.uniform(1.0, 30.0, (m, m)) * (1 - np.eye(m))
    return World(Problem(features, labels=range(m), loss=loss), theta, rng.dirichlet(np.ones(m) * 2))


def bound(world: World, depth: int, n_cases: int = 200, seed: int = 1) -> float:
    return core.relaxed_bound(
        world.compiled, world.theta, world.label, worth=1.0, depth=depth, n_cases=n_cases, seed=seed
    )


def exact_bound(world: World, depth: int) -> float:
    """The same clairvoyant by recursion, with every outcome of what is left weighed instead of drawn."""
    problem, losses = world.compiled, world.problem.losses
    first = np.cumsum([0, *problem.n_outcomes])

    def likelihoods(known: dict[int, int]) -> np.ndarray:
        return math.prod([world.theta[first[f] + k] for f, k in known.items()], start=world.label)

    def seen_all(known: dict[int, int], joint: np.ndarray) -> float:
        left = [f for f in range(problem.n_features) if f not in known]
        if not left:
            return float((joint @ losses).min())
        f = left[0]
        return sum(seen_all({**known, f: k}, joint * world.theta[first[f] + k]) for k in range(problem.n_outcomes[f]))

    def cost(known: dict[int, int], left: int) -> float:
        joint = likelihoods(known)
        mass = joint.sum()
        features = [
            f
            for f, feature in enumerate(world.problem.features)
            if f not in known and all(world.problem.feature_index(name) in known for name in feature.needs)
        ]
        duties = [f for f in features if world.problem.features[f].mandatory]
        found = [] if duties else [float((joint @ losses).min())]
        for f in duties or features:
            feature = world.problem.features[f]
            shared = any(world.problem.features[other].group == feature.group for other in known)
            price = min(feature.later_price or 0.0, world.problem.prices[f]) if shared else world.problem.prices[f]
            if left == 0:
                found.append(mass * price + seen_all(known, joint))
                continue
            added = sum((feature.surcharge or {}).get(k, 0.0) * likelihoods({**known, f: k}).sum() for k in range(2))
            then = sum(cost({**known, f: k}, left - 1) for k in range(problem.n_outcomes[f]))
            found.append(mass * price + added + then)
        return min(found)

    return cost({}, depth)


@pytest.mark.parametrize("depth", [0, 1, 2])
def test_the_bound_is_that_of_a_clairvoyant_by_recursion(depth: int) -> None:
    rng = np.random.default_rng(depth)
    for i in range(12):
        world = draw_world(rng)
        assert bound(world, depth, n_cases=3000) == pytest.approx(exact_bound(world, depth), rel=0.03), f"world {i}"


def test_the_bound_does_not_exceed_the_optimum_and_reaches_it_when_every_question_is_blind() -> None:
    rng = np.random.default_rng(4)
    for i in range(30):
        world = draw_world(rng)
        least = optimum(world).cost
        for depth in range(5):
            assert bound(world, depth, n_cases=1000) <= least * 1.02, f"world {i}"
        if world.problem.n_features <= 4:
            assert bound(world, 4) == pytest.approx(least, rel=1e-9), f"world {i}"


def test_a_deeper_bound_is_closer() -> None:
    for world in worlds("unit", 3, seed=12, n=3):
        shallow, _, deep = (
            certificate.relaxed_bound(world.compiled, world.theta, world.label, worth=1.0, depth=depth, seed=0)[0]
            for depth in (0, 2, 4)
        )
        assert shallow < deep <= optimum(world).cost * 1.02


def test_a_learner_that_knows_the_display_is_certified() -> None:
    data = led(3000, seed=1)
    learner = UFODT(to_problem(data), seed=1)
    learner.run(data.X, data.y)
    gap = learner.gap()
    assert gap.exact and gap.error == 0.0
    assert 1.0 - 1e-9 <= gap.ratio < 1.1
    lazy = UFODT(to_problem(data), stop=stop.confidence(0.05), seed=1)
    lazy.learn_many(data.X, data.y)
    assert lazy.gap().ratio > 2.0


def test_what_a_gap_says_a_case_costs_is_what_it_costs_if_the_belief_is_true() -> None:
    world = next(iter(worlds("heart", 3, seed=13, n=1)))
    learner = UFODT(world.problem, seed=3)
    learner._belief = world.belief
    rng = np.random.default_rng(0)
    y = rng.choice(3, 20_000, p=world.label)
    X = (rng.random((20_000, 10)) < world.theta[1::2, y].T).astype(float)
    report = learner.evaluate(X, y)
    assert learner.gap().cost == pytest.approx(report.cost + report.loss, rel=0.05)


def test_beyond_the_exact_a_gap_is_measured_against_a_bound() -> None:
    rng = np.random.default_rng(2)
    features = [Binary(f"b{j}") for j in range(10)] + [Continuous(f"c{j}") for j in range(6)]
    learner = UFODT(Problem(features, labels=[0, 1]), seed=5)
    y = rng.integers(2, size=400)
    told = rng.random((400, 10)) < np.where(y, 0.7, 0.3)[:, None]
    learner.run(np.column_stack([told, rng.normal(y[:, None], 2.0, (400, 6))]), y)
    shallow, deep = learner.gap(depth=0), learner.gap()
    assert not deep.exact and deep.error > 0
    assert 0.97 < deep.ratio < shallow.ratio
    assert deep.cost == shallow.cost == learner.gap().cost  # the same cases are drawn


def test_a_feature_without_cuts_is_worth_nothing_yet() -> None:
    learner = UFODT(Problem([Continuous("x"), Binary("b", mandatory=True)], labels=[0, 1]), seed=1)
    learner.learn_many([[0.3, 1], [0.5, 0]], [1, 0])
    gap = learner.gap()
    assert gap.exact and gap.ratio == pytest.approx(1.0)


def test_what_has_no_certificate_is_refused() -> None:
    problem = Problem([Continuous("x"), Binary("b")], labels=[0, 1])
    with pytest.raises(InvalidPolicy, match="bins only"):
        UFODT(problem, thresholds=thresholds.exp3(9)).gap()
    small, large = (UFODT(Problem([Binary(f"b{j}") for j in range(n)], labels=[0, 1])) for n in (2, 16))
    for depth in (5, -1, 1.5, "2", True):  # whether the bound is asked for or not
        for learner in (small, large):
            with pytest.raises(InvalidValue, match="0 to 4"):
                learner.gap(depth=depth)  # type: ignore[arg-type]


def test_a_gap_of_nothing_is_one() -> None:
    assert certificate.Gap(0.0, 0.0, exact=True).ratio == 1.0
    assert certificate.Gap(1.0, 0.0, exact=True).ratio == math.inf


def test_a_report_says_how_well_it_is_calibrated() -> None:
    data = led(6000, seed=2)
    learner = UFODT(to_problem(data), seed=2)
    learner.run(data.X[:3000], data.y[:3000])
    report = learner.evaluate(data.X[3000:], data.y[3000:])
    right = report.record.predicted == data.y[3000:]
    assert report.calibration == pytest.approx(stream.calibration_error(report.record.probability, right))
    assert report.calibration < 0.05
    assert math.isnan(learner.evaluate(data.X[3000:]).calibration)


@pytest.mark.parametrize("change", [{"depth": 5}, {"depth": -1}, {"n_cases": 0}, {"worth": 0.0}])
def test_a_bound_refuses_what_it_cannot_do(change: dict[str, float]) -> None:
    world = next(iter(worlds("unit", 2, seed=1, n=1)))
    given = {"worth": 1.0, "depth": 1, "n_cases": 10, "seed": 0, **change}
    with pytest.raises(ValueError, match=r"depth|worth"):
        core.relaxed_bound(world.compiled, world.theta, world.label, **given)  # type: ignore[arg-type]


def test_a_bound_needs_every_outcome_to_be_possible() -> None:
    problem = compile_problem(Problem([Binary("b")], labels=[0, 1]), thresholds.bins())
    with pytest.raises(ValueError, match="above zero"):
        core.relaxed_bound(
            problem, np.array([[1.0, 0.5], [0.0, 0.5]]), np.array([0.5, 0.5]), worth=1.0, depth=1, n_cases=5, seed=0
        )


def test_the_optimum_is_known_wherever_nothing_is_a_number() -> None:
    problem = Problem([Binary("a"), Binary("b")], labels=[0, 1])
    assert UFODT.paper(problem, n_hypotheses=16).gap().exact
    with pytest.raises(InvalidPolicy, match="bins only"):
        UFODT.paper(Problem([Continuous("a")], labels=[0, 1]), n_hypotheses=16).gap()


def test_in_a_known_world_numbers_have_cut_points() -> None:
    with pytest.raises(InvalidValue, match="x came without cut points"):
        World(Problem([Continuous("x")], labels=[0, 1]), np.full((4, 2), 0.25), [0.5, 0.5])


def test_a_bound_of_too_many_outcomes_is_refused_by_their_number() -> None:
    problem = Problem([Categorical(f"f{i}", list(range(1000))) for i in range(66)], labels=[0, 1])
    with pytest.raises(TooLarge, match="66,000 outcomes"):
        UFODT(problem).gap()


def test_many_labels_whose_mistakes_differ_are_left_to_the_bound() -> None:
    n = 60
    loss = 50.0 * (1 - np.eye(n)) + np.eye(n, k=1)
    features = [Binary(f"f{i}") for i in range(13)]
    assert not UFODT(Problem(features, labels=range(n), loss=loss)).gap(depth=0).exact


def test_a_budget_is_asked_of_the_optimum_too() -> None:
    rng = np.random.default_rng(8)
    for i in range(40):
        features = [
            Binary(f"f{j}", price=float(rng.choice([1.0, 2.0, 5.0])), mandatory=rng.random() < 0.15) for j in range(5)
        ]
        problem = Problem(features, labels=[0, 1, 2], loss=20 * (1 - np.eye(3)))
        y = rng.integers(3, size=300)
        X = (rng.random((300, 5)) < rng.uniform(0, 1, (5, 3))[:, y].T).astype(int)
        budget = float(rng.choice([0.0, 2.0, 4.0, 9.0]))
        alone = Prior(learns_pairs=False)  # what is certified reads features one by one
        learner = UFODT(problem, stop=stop.cost_benefit() | stop.budget(budget), prior=alone, seed=i)
        learner.learn_many(X, y)
        gap = learner.gap()
        assert gap.exact and gap.ratio == pytest.approx(1.0, rel=1e-9), f"problem {i}: {budget}, {features}"


def test_where_what_was_spent_depends_on_the_order_the_least_is_a_bound() -> None:
    features = [Binary("weight"), Binary("bmi", price=5.0, computed_from=["weight"]), Binary("blood", price=5.0)]
    rng = np.random.default_rng(3)
    y = rng.integers(2, size=400)
    X = (rng.random((400, 3)) < np.array([[0.4, 0.1, 0.1], [0.6, 0.8, 0.9]])[y]).astype(int)
    for order in ([0, 1, 2], [1, 0, 2], [2, 1, 0]):
        problem = Problem([features[j] for j in order], labels=[0, 1], loss=50 * (1 - np.eye(2)))
        learner = UFODT(problem, stop=stop.cost_benefit() | stop.budget(6), seed=1)
        learner.learn_many(X[:, order], y)
        gap = learner.gap()
        assert not gap.exact and gap.error == 0.0 and gap.ratio == pytest.approx(1.0, rel=1e-9)


@pytest.mark.parametrize("terms", [{"group": "g", "later_price": 0.5}, {"surcharge": {1: 2.0}}])
def test_groups_and_surcharges_make_a_bound_of_the_least_only_under_a_budget(terms: dict[str, Any]) -> None:
    problem = Problem([Binary("a", **terms), Binary("b")], labels=[0, 1])
    assert UFODT(problem).gap().exact
    assert not UFODT(problem, stop=stop.cost_benefit() | stop.budget(3)).gap().exact


def test_a_gap_is_the_same_however_far_from_zero_numbers_are() -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 2000)
    X = rng.normal(size=(2000, 12)) + y[:, None]
    costs = []
    for shift, scale in ((0.0, 1.0), (1.7e18, 1e9)):
        learner = UFODT(Problem([Continuous(f"c{j}") for j in range(12)], labels=[0, 1]), seed=1)
        learner.learn_many(shift + scale * X, y)
        costs.append(learner.gap().cost)
    assert costs[1] == pytest.approx(costs[0], rel=0.05)


def test_where_a_budget_cannot_hold_what_is_mandatory_the_bound_stays_below() -> None:
    features = [Binary("must", price=50.0, mandatory=True), *(Binary(f"b{i}") for i in range(16))]
    learner = UFODT(
        Problem(features, labels=[0, 1], loss=[[0, 20], [20, 0]]), stop=stop.cost_benefit() | stop.budget(5.0), seed=1
    )
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 400)
    learner.learn_many((rng.random((400, 17)) < np.where(y, 0.75, 0.25)[:, None]).astype(int), y)
    gap = learner.gap(depth=1)
    assert not gap.exact and 0 < gap.least < gap.cost < 20


def test_of_duties_that_a_budget_cannot_hold_the_plan_says_which() -> None:
    problem = Problem(
        [Binary("cheap", price=1.0, mandatory=True), Binary("dear", price=2.0, mandatory=True)],
        labels=[0, 1],
        loss=[[0, 0.1], [0.1, 0]],
    )
    learner = UFODT(problem, stop=stop.cost_benefit() | stop.budget(2.0), seed=1)
    X = np.array([[0, 0], [1, 0], [0, 1], [1, 1]] * 50)
    learner.learn_many(X, X[:, 1])
    question = learner.open(explore=False).ask()
    assert question is not None and question.feature == "cheap"
    assert learner.gap().cost == pytest.approx(learner.gap().least)


def test_a_gap_is_not_called_exact_where_a_budget_decides_between_duties_that_need_others() -> None:
    features = [
        Binary("s"),
        Binary("b", price=0.3),
        Binary("a", price=3.0, needs=["s", "b"], mandatory=True),
        Binary("c", price=3.0, needs=["b"], mandatory=True),
    ]
    problem = Problem(features, [0, 1], loss=[[0, 20], [20, 0]])
    assert not UFODT(problem, stop=stop.cost_benefit() | stop.budget(6.0)).gap().exact
    assert UFODT(problem).gap().exact
