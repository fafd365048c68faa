"""How to plan: settings that exist, checked once, and how they reach the core."""

import math
from typing import Any

import numpy as np
import pytest

from ufodt import (
    UFODT,
    Binary,
    Continuous,
    Criterion,
    Expert,
    Policy,
    Prior,
    Problem,
    Selection,
    certificate,
    core,
    policy,
    stop,
    thresholds,
)
from ufodt.compiled import compile_problem, work
from ufodt.errors import InvalidPolicy, InvalidProblem, InvalidValue
from ufodt.lab import worlds
from ufodt.lab.datasets import led, to_problem
from ufodt.lab.optimal import optimum
from ufodt.policy import settled

TWO = Problem([Binary("a"), Binary("b")], labels=[0, 1])


@pytest.mark.parametrize("criterion", ["ec2", "ig", "us", "random", "rig", "gini", "eced", Criterion.IG])
def test_a_criterion_may_be_named(criterion: str) -> None:
    assert Policy(criterion=criterion).criterion is Criterion(criterion)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("setting", "bad"),
    [
        ("criterion", "EC2"),
        ("criterion", None),
        ("stop", "region"),
        ("stop", None),
        ("n_hypotheses", 0),
        ("n_hypotheses", 1_000_001),
        ("n_hypotheses", 1.5),
        ("n_hypotheses", "128"),
        ("n_hypotheses", True),
        ("redraw_below", -1),
        ("redraw_below", 0.25),
        ("redraw_below", "some"),
        ("spend_to_learn", -0.1),
        ("spend_to_learn", 1.5),
        ("spend_to_learn", float("nan")),
        ("spend_to_learn", "an eighth"),
        ("spend_to_learn", True),
        ("plan", "Draw"),
        ("predict", "mode"),
    ],
)
def test_a_setting_that_does_not_exist_is_refused_by_name(setting: str, bad: Any) -> None:
    with pytest.raises(InvalidPolicy) as caught:
        Policy(**{setting: bad})
    assert repr(bad) in str(caught.value)


@pytest.mark.parametrize("criterion", ["EC2", "voi", ""])
def test_the_paper_preset_refuses_unknown_criteria_too(criterion: str) -> None:
    with pytest.raises(InvalidPolicy, match="choose from"):
        UFODT.paper(TWO, criterion=criterion, n_hypotheses=10)


def test_a_whole_policy_and_single_settings_do_not_mix() -> None:
    with pytest.raises(InvalidPolicy, match="criterion"):
        UFODT(TWO, policy=Policy(), criterion="ig")


@pytest.mark.parametrize("seed", [-1, 2**63, 1.5, "7", None, True])
def test_a_seed_is_a_whole_number(seed: Any) -> None:
    with pytest.raises(InvalidPolicy, match="seed"):
        UFODT(TWO, seed=seed)


def test_a_seed_may_come_from_numpy() -> None:
    assert UFODT(TWO, seed=np.int64(5)).seed == 5  # type: ignore[arg-type]


def test_a_worth_left_open_is_one_when_the_loss_is_in_the_currency_of_the_prices() -> None:
    loss = [[0, 5], [5, 0]]
    priced = Problem([Binary("a"), Binary("b"), Binary("c")], labels=[0, 1], loss=loss)
    open_, said = (
        UFODT(priced, stop=rule, n_hypotheses=64, seed=1)
        for rule in (stop.cost_benefit(), stop.cost_benefit(worth=1.0))
    )
    X, y = np.random.default_rng(1).integers(0, 2, (100, 3)), np.random.default_rng(2).integers(0, 2, 100)
    np.testing.assert_array_equal(open_.run(X, y).asked, said.run(X, y).asked)


def test_a_worth_left_open_does_not_depend_on_the_unit_of_the_prices() -> None:
    """Without a loss, prices in cents or in euros ask the same questions."""
    X, y = np.random.default_rng(3).integers(0, 2, (100, 3)), np.random.default_rng(4).integers(0, 2, 100)
    records = []
    for unit in (1.0, 100.0):
        problem = Problem([Binary(n, price=p * unit) for n, p in (("a", 1.0), ("b", 2.0), ("c", 4.0))], labels=[0, 1])
        records.append(UFODT(problem, stop=stop.cost_benefit(), n_hypotheses=64, seed=1).run(X, y))
    np.testing.assert_array_equal(records[0].asked, records[1].asked)
    np.testing.assert_allclose(100 * records[0].cost, records[1].cost)


def test_a_higher_worth_asks_more() -> None:
    rng = np.random.default_rng(5)
    X, y = rng.integers(0, 2, (300, 2)), rng.integers(0, 2, 300)
    asked = [
        UFODT(TWO, stop=stop.cost_benefit(worth), n_hypotheses=64, seed=1).run(X, y).n_asked.mean()
        for worth in (1.0, 10.0, 1000.0)
    ]
    assert asked[0] < asked[1] < asked[2]


def test_planning_under_the_mean_too_costs_less_while_learning_than_a_draw_alone() -> None:
    """In fifty worlds with streams of 100 cases, and with a tree that is none the worse for it."""
    learning: dict[str, list[float]] = {"both": [], "draw": []}
    learned: dict[str, list[float]] = {"both": [], "draw": []}
    for i, world in enumerate(worlds.worlds("unit", 3, seed=5, n=50)):
        rng = np.random.default_rng(i)
        y = rng.choice(3, 100, p=world.label)
        X = (rng.random((100, worlds.N_TESTS)) < world.theta[1::2][:, y].T).astype(float)
        least = optimum(world).cost
        for plan in learning:
            learner = UFODT(world.problem, policy=Policy(plan=plan), seed=i)  # type: ignore[arg-type]
            record = learner.run(X, y)
            lost = world.problem.losses[y, np.asarray(record.predicted)]
            learning[plan].append((record.cost + lost).mean() / least)
            planned = settled(learner.policy, world.problem, world.compiled, learner.belief)
            tree = core.Tree(world.compiled, planned, learner.belief, seed=i, number=0)
            learned[plan].append(certificate.of_tree(tree, world.theta, world.label, worth=1.0).cost / least)
    gain = np.array(learning["draw"]) - learning["both"]
    assert gain.mean() > 3 * gain.std() / np.sqrt(len(gain)) > 0
    loss = np.array(learned["both"]) - learned["draw"]
    assert loss.mean() < 2 * loss.std() / np.sqrt(len(loss))


@pytest.mark.parametrize("settings", [{"predict": "theta"}, {"criterion": "us"}, {"stop": stop.region()}])
def test_where_one_theta_plans_both_is_the_draw(settings: dict[str, Any]) -> None:
    rng = np.random.default_rng(6)
    X, y = rng.integers(0, 2, (60, 2)).astype(float), rng.integers(0, 2, 60)
    both, draw = (UFODT(TWO, policy=Policy(plan=p, **settings), seed=1).run(X, y) for p in ("both", "draw"))  # type: ignore[arg-type]
    np.testing.assert_array_equal(both.asked, draw.asked)
    np.testing.assert_array_equal(both.probability, draw.probability)


def test_a_cheap_feature_that_does_as_well_as_a_dear_one_is_found_out() -> None:
    """Planned under the mean belief first, the dear one would settle each case before the cheap one was ever tried."""
    problem = Problem([Binary("dear", price=9.0), Binary("cheap", price=1.0)], labels=[0, 1], loss=[[0, 90], [90, 0]])
    prior = Prior(experts=[Expert("dear", label, 0.01 + 0.98 * label, 200.0) for label in (0, 1)])
    for seed in range(10):
        rng = np.random.default_rng(seed)
        y = rng.integers(2, size=400)
        X = (rng.random((400, 2)) < np.where(y == 1, 0.99, 0.01)[:, None]).astype(float)
        learner = UFODT(problem, prior=prior, seed=seed)
        learner.run(X, y)
        question = learner.open(explore=False).ask()
        assert question is not None and question.feature == "cheap", seed


def test_a_settled_policy_is_the_optimum_on_a_small_problem_and_only_there() -> None:
    small, large = (Problem([Binary(f"x{j}") for j in range(n)], labels=range(3)) for n in (10, 11))
    rng = np.random.default_rng(1)
    ratios = []
    for problem in (small, large):
        y = rng.integers(3, size=400)
        X = rng.random((400, problem.n_features)) < rng.random((problem.n_features, 3))[:, y].T
        learner = UFODT(problem, seed=1)
        learner.run(X.astype(float), y)
        gap = learner.gap()
        assert gap.exact
        ratios.append(gap.ratio)
        by_hand = UFODT(problem, policy=Policy(plan="mean"), seed=1)
        by_hand.merge(learner)
        assert (by_hand.gap().ratio > gap.ratio + 1e-9) == (problem is small)
    assert abs(ratios[0] - 1) < 1e-9 < ratios[1] - 1


def test_a_small_problem_of_many_labels_is_too_much_work_to_plan_exactly(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = Problem([Binary(f"x{j}") for j in range(10)], labels=range(3))
    rng = np.random.default_rng(1)
    y = rng.integers(3, size=400)
    learner = UFODT(problem, seed=1)
    learner.run((rng.random((400, 10)) < rng.random((10, 3))[:, y].T).astype(float), y)
    work = 3**10 * 3  # states times labels, since all mistakes cost the same
    monkeypatch.setattr(policy, "_SMALL_WORK", work)
    exact = learner.gap().ratio
    monkeypatch.setattr(policy, "_SMALL_WORK", work - 1)
    assert abs(exact - 1) < 1e-9 < learner.gap().ratio - 1


def asked_of_twelve(n_labels: int, *, worth: float, criterion: str = "ig", dearer: float = 0.0) -> float:
    """Questions of a settled policy where many answers tell a little each, and pay only some of them together."""
    problem = Problem([Binary(f"x{j}", price=1.0 + dearer * j) for j in range(12)], labels=[0, 1])
    compiled = compile_problem(problem, thresholds.bins())
    theta, label = np.tile([[0.62, 0.38], [0.38, 0.62]], (12, 1)), np.array([0.75, 0.25])
    belief = core.Belief(compiled, np.ones((24, 2)), np.ones(2), True)
    belief.set_counts(theta * label * n_labels, label * n_labels)
    rule = Policy(criterion=Criterion(criterion), stop=stop.cost_benefit(worth))
    tree = core.Tree(compiled, settled(rule, problem, compiled, belief), belief, seed=0, number=0)
    return certificate.of_tree(tree, theta, label, worth=worth).n_asked


@pytest.mark.parametrize("criterion", ["ig", "ec2"])
def test_the_more_labels_have_come_the_further_a_settled_policy_looks_ahead(criterion: str) -> None:
    five = [asked_of_twelve(n, worth=80, criterion=criterion) > 3 for n in (400, 4 * 3**5 - 1, 4 * 3**5)]
    seven = [asked_of_twelve(n, worth=60, criterion=criterion) > 3 for n in (4 * 3**6, 4 * 3**7 - 1, 4 * 3**7)]
    assert five == seven == [False, False, True]
    assert asked_of_twelve(10**6, worth=57, criterion=criterion) == 0  # nine would pay, but have 19,683 states


def test_where_prices_differ_twice_as_many_states_are_looked_ahead_over() -> None:
    assert asked_of_twelve(400, worth=80) == 0  # four questions have 81 states, five have 243
    assert asked_of_twelve(400, worth=80, dearer=1e-6) > 3


def test_of_many_labels_whose_mistakes_differ_fewer_states_are_looked_ahead_over() -> None:
    """Each state is weighed for every label and every answer then; five questions that pay together are 243 states."""

    def asks(n_labelled: int, *, apart: float) -> bool:
        loss = (1 - np.eye(8)) * (1.0 + apart * np.arange(8))
        problem = Problem([Binary(f"x{j}") for j in range(12)], labels=range(8), loss=80.0 * loss)
        compiled = compile_problem(problem, thresholds.bins())
        of_two = np.array([[0.62, 0.38, *[0.5] * 6], [0.38, 0.62, *[0.5] * 6]])
        theta, label = np.tile(of_two, (12, 1)), np.array([0.75, 0.25, *[1e-9] * 6])
        belief = core.Belief(compiled, np.ones((24, 8)), np.full(8, 1e-6), True)
        belief.set_counts(theta * label * n_labelled, label * n_labelled)
        tree = core.Tree(compiled, settled(Policy(), problem, compiled, belief), belief, seed=0, number=0)
        return certificate.of_tree(tree, theta, label / label.sum(), worth=1.0).n_asked > 3

    assert [asks(n, apart=0.0) for n in (2 * 3**5 * 4 - 4, 2 * 3**5 * 4)] == [False, True]
    assert [asks(n, apart=1e-9) for n in (16 * 3**5 * 4 - 4, 16 * 3**5 * 4)] == [False, True]


def test_where_mistakes_differ_an_exact_plan_is_more_work() -> None:
    for added, power in ((0.0, 1), (1.0, 2)):
        loss = 7.0 * (1 - np.eye(20))
        loss[0, 1] += added
        problem = Problem([Binary(f"x{j}") for j in range(9)], labels=range(20), loss=loss)
        assert work(compile_problem(problem, thresholds.bins())) == 3**9 * 20**power


def test_numbers_and_truth_values_of_numpy_are_plain_settings() -> None:
    policy = Policy(n_hypotheses=np.int64(5), redraw_below=np.int32(2), distinct=np.bool_(True))  # type: ignore[arg-type]
    assert policy == Policy(n_hypotheses=5, redraw_below=2, distinct=True) and type(policy.n_hypotheses) is int
    assert Selection(np.int64(3)) == Selection(3) and type(Selection(np.int64(3)).size) is int  # type: ignore[arg-type]
    assert type(thresholds.exp3(np.int64(4)).n) is int  # type: ignore[arg-type]
    assert Prior(learns_trust=np.bool_(False)) == Prior(learns_trust=False)  # type: ignore[arg-type]


def test_random_orders_of_neighbouring_seeds_have_nothing_in_common() -> None:
    problem = Problem([Binary(f"x{j}") for j in range(6)], labels=[0, 1])
    random = Policy(criterion="random", stop=stop.confidence(1.0))
    seen: set[float] = set()
    for seed in (101, 102, 103):
        session = UFODT(problem, policy=random, seed=seed).open()
        for j in range(5):
            seen |= {reason.gain for reason in session.why()}
            session.tell(f"x{j}", 0)
    assert len(seen) == 3 * (6 + 5 + 4 + 3 + 2)


@pytest.mark.parametrize("n", [7, 40, 100])
def test_of_equal_questions_the_first_is_asked(n: int) -> None:
    """However many there are; the others come in the order of the problem too."""
    y = np.arange(60) % 2
    wrong = np.arange(60) // 2 < 4
    problem = Problem([Binary(f"x{j}") for j in range(n)], labels=[0, 1])
    learner = UFODT(problem, policy=Policy(plan="mean"), seed=1)
    learner.learn_many(np.tile((y ^ wrong)[:, None], (1, n)), y)
    session = learner.open()
    for j in range(2):
        question = session.ask()
        assert question is not None and question.feature == f"x{j}"
        session.tell(question.feature, j)


@pytest.mark.parametrize("n_labels", [60, 128, 256])
def test_of_very_many_labels_something_is_asked(n_labels: int) -> None:
    """No answer alone saves what it costs; a few together do."""
    rng = np.random.default_rng(1)
    p, y = rng.random((n_labels, 10)) ** 0.2, rng.integers(0, n_labels, 30 * n_labels)
    X = (rng.random((len(y), 10)) < np.where(rng.random((n_labels, 10)) < 0.5, p, 1 - p)[y]).astype(int)
    learner = UFODT(Problem([Binary(f"b{j}") for j in range(10)], labels=range(n_labels)), seed=1)
    learner.learn_many(X, y)
    report = learner.evaluate(X[:2000], y[:2000])
    assert report.n_asked > 5 and report.accuracy > 20 / n_labels


def test_settings_of_a_wrong_kind_are_refused_in_words() -> None:
    problem = Problem([Binary("a")], labels=[0, 1])
    for wrong in (
        lambda: Policy(planner=["greedy"]),  # type: ignore[arg-type]
        lambda: UFODT.paper(problem, criterion=["ig"], n_hypotheses=5),  # type: ignore[arg-type]
        lambda: Selection(2**31),
    ):
        with pytest.raises(InvalidPolicy):
            wrong()
    with pytest.raises(InvalidProblem, match="expected a number above 0 and below 1"):
        UFODT(problem, prior=Prior(experts=[Expert("a", 0, 10**400, 3)]))


def test_rewards_that_would_overflow_are_refused() -> None:
    learner = UFODT(Problem([Continuous("a")], labels=[0, 1]), thresholds=thresholds.exp3(3), seed=1)
    learner.learn_many(np.arange(20.0)[:, None], [0, 1] * 10)
    for amount in (1e308, -1e308, math.nan, math.inf):
        with pytest.raises(InvalidValue, match="expected finite numbers"):
            learner.learn({"case": None, "values": {}, "prices": {}, "skipped": [], "rewards": [[0, amount]]}, 0)


@pytest.mark.parametrize("price", [1.0, 1.0 + 1e-9], ids=["one price", "two prices"])
def test_a_criterion_chooses_among_what_pays(price: float) -> None:
    """Uncertainty sampling likes what varies most; where that tells nothing it is not asked, whatever others cost."""
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=2000)
    tells = (rng.random(2000) < np.where(y, 0.9, 0.1)) & (rng.random(2000) < 0.7)
    X = np.column_stack([tells, rng.random(2000) < 0.5]).astype(int)
    problem = Problem([Binary("tells"), Binary("noise", price=price)], labels=[0, 1], loss=[[0, 20], [20, 0]])
    learner = UFODT(problem, criterion="us", seed=1)
    learner.learn_many(X, y)
    session = learner.open(explore=False)
    assert session.ask().feature == "tells"  # type: ignore[union-attr]
    reasons = {reason.feature: reason for reason in session.why()}
    assert reasons["noise"].gain > reasons["tells"].gain
    assert reasons["tells"].pays and not reasons["noise"].pays
    assert learner.evaluate(X, y).n_asked == 1.0


@pytest.mark.parametrize("criterion", ["ig", "ec2", "gini"])
def test_mistakes_that_all_cost_the_same_are_worth_that(criterion: str) -> None:
    display = led(500, seed=1)
    records = [
        UFODT(to_problem(display, loss=loss), criterion=criterion, stop=stop.cost_benefit(worth), seed=1).run(
            display.X, display.y
        )
        for loss, worth in ((None, 100.0), (100.0 * (1 - np.eye(10)), 1.0), (0.5 * (1 - np.eye(10)), 200.0))
    ]
    for other in records[1:]:
        np.testing.assert_array_equal(other.asked, records[0].asked)
        np.testing.assert_array_equal(other.predicted, records[0].predicted)


def test_the_worth_of_a_mistake_is_bounded_as_amounts_are() -> None:
    dear = Problem([Binary("a", price=1e100)], labels=[0, 1])
    learner = UFODT(dear, seed=1)
    learner.run([[0], [1]] * 5, [0, 1] * 5)
    assert policy.worth(learner.policy, dear) == 1e100
