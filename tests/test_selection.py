"""Too many features: a few candidates per case, of which the useful ones come to be chosen."""

import math
import pickle
from typing import Any

import numpy as np
import pytest

from ufodt import (
    UFODT,
    Binary,
    Categorical,
    Continuous,
    Expert,
    Prior,
    Problem,
    Selection,
    drift,
    stop,
    thresholds,
)
from ufodt.errors import InvalidPolicy

MANY = Problem([Binary(f"f{i}") for i in range(40)], labels=[0, 1])


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"size": -1}, "-1 candidates"),
        ({"size": 2.0}, "2.0 candidates"),
        ({"size": True}, "True candidates"),
        ({"size": "5"}, "'5' candidates"),
        ({"by": "luck"}, "by 'luck'"),
        ({"by": None}, "by None"),
        ({"epsilon": -0.1}, "epsilon=-0.1"),
        ({"epsilon": 1.1}, "epsilon=1.1"),
        ({"epsilon": math.nan}, "epsilon=nan"),
        ({"epsilon": "some"}, "epsilon='some'"),
        ({"step": 0.0}, "step=0.0"),
        ({"step": math.inf}, "step=inf"),
        ({"step": 1e308}, "step=1e\\+308"),
        ({"radius": -1.0}, "radius=-1.0"),
        ({"radius": math.nan}, "radius=nan"),
    ],
)
def test_settings_that_make_no_sense_are_refused_by_name(fields: dict[str, Any], says: str) -> None:
    with pytest.raises(InvalidPolicy, match=says):
        Selection(**fields)


def stream(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Forty bits, of which the eighth is the label nine times in ten."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (n, 40))
    return X, X[:, 7] ^ (rng.random(n) < 0.1)


def test_only_candidates_are_asked() -> None:
    learner = UFODT(MANY, selection=Selection(3, epsilon=1.0), stop=stop.confidence(1.0), seed=1)
    record = learner.run(*stream(100, 1))
    assert record.n_asked.max() == 3
    assert len(set(record.asked.tolist())) == 40, "by chance, every feature is a candidate some time"


@pytest.mark.parametrize("size", [0, 40, 1000])
def test_a_selection_of_all_makes_no_difference(size: int) -> None:
    plain, selecting = UFODT(MANY, seed=1), UFODT(MANY, selection=Selection(size), seed=1)
    first, second = plain.run(*stream(50, 2)), selecting.run(*stream(50, 2))
    np.testing.assert_array_equal(first.asked, second.asked)


@pytest.mark.parametrize("selection", [Selection(4), Selection.paper(4, epsilon=0.2)], ids=["information", "weights"])
def test_the_feature_that_matters_becomes_a_candidate(selection: Selection) -> None:
    learner = UFODT(MANY, selection=selection, stop=stop.confidence(1.0), seed=2)
    learner.run(*stream(800, 3))
    merit = learner.belief.promises[0] if selection.by == "information" else np.abs(learner._selection.weights)
    assert merit.argmax() == 7
    report = learner.evaluate(*stream(300, 4))
    assert report.accuracy > 0.85 and report.n_asked <= 4


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("by", ["information", "weights"])
def test_what_explores_no_more_has_the_best_candidates(by: Any, seed: int) -> None:
    learner = UFODT(MANY, selection=Selection(2, by, epsilon=1.0), stop=stop.confidence(1.0), seed=seed)
    best = np.isin(np.arange(40), [7, 30])
    if by == "weights":
        learner._selection.set_weights(np.where(best, 1.0, 0.0))
    else:  # all were seen as often, those two with the label
        learner.learn_many(*(np.repeat(np.array(table), 5, axis=0) for table in ([best, ~best], [1, 0])))
        learner.learn_many(*(np.repeat(np.array(table), 5, axis=0) for table in ([best | ~best, ~best & best], [1, 0])))
    expected = {MANY.features[7].name, MANY.features[30].name}
    assert {reason.feature for reason in learner.open(explore=False).why()} == expected
    assert set(learner.evaluate(*stream(20, 4)).record.asked.tolist()) <= {7, 30}


def test_what_is_told_beside_the_candidates_is_paid_for_and_learned() -> None:
    learner = UFODT(MANY, selection=Selection(2), stop=stop.confidence(1.0), seed=2)
    session = learner.open("c")
    offered = {reason.feature for reason in session.why()}
    assert len(offered) == 2
    beside = next(f.name for f in MANY.features if f.name not in offered)
    session.tell(beside, 1)
    assert session.cost == session.predict().cost == 1.0
    assert session.evidence["prices"] == {beside: 1.0}
    learner.learn(session.evidence, 1)
    index = MANY.feature_index(beside)
    assert learner.belief.counts[2 * index + 1].tolist() == [0.0, 1.0]
    assert session.undo() == beside and session.cost == 0.0


def test_what_is_mandatory_is_always_a_candidate() -> None:
    problem = Problem([Binary(f"f{i}", mandatory=i == 3) for i in range(10)], labels=[0, 1])
    record = UFODT(problem, selection=Selection(2), seed=1).run(np.ones((50, 10)), [0, 1] * 25)
    assert (record.asked == 3).sum() == 50


def test_what_is_known_counts_as_known_though_it_is_no_candidate() -> None:
    problem = Problem([Binary("scan"), *(Binary(f"f{i}", needs=["scan"]) for i in range(9))], labels=[0, 1])
    learner = UFODT(problem, selection=Selection(2), stop=stop.confidence(1.0), seed=1)
    assert all(learner.open(known={"scan": 1}).ask() is not None for _ in range(20))


def test_history_teaches_the_weights_as_printed_with_every_cell_sure() -> None:
    """w += step y x where y w x <= 1, then |w| <= radius; x is -1 or 1, and 0 where a cell is missing."""
    rng = np.random.default_rng(5)
    X = rng.integers(0, 2, (30, 40)).astype(float)
    X[rng.random(X.shape) < 0.2] = math.nan
    y = rng.integers(0, 2, 30)
    learner = UFODT(MANY, selection=Selection.paper(4, step=0.3, radius=2.0))
    learner.learn_many(X, y)
    w = np.zeros(40)
    for x, sign in zip(np.nan_to_num(2 * X - 1), 2 * y - 1, strict=True):
        if sign * (w @ x) <= 1:
            w += 0.3 * sign * x
            w *= min(1.0, 2.0 / np.linalg.norm(w))
    np.testing.assert_allclose(learner._selection.weights, w, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("by", ["information", "weights"])
def test_history_finds_the_candidates_before_the_first_case(by: Any) -> None:
    learner = UFODT(MANY, selection=Selection(3, by, epsilon=0.0), stop=stop.confidence(1.0), seed=1)
    learner.learn_many(*stream(400, 6))
    assert "f7" in {reason.feature for reason in learner.open().why()}
    assert learner.evaluate(*stream(300, 7)).accuracy > 0.85


def test_a_table_with_weights_is_fitted_as_a_whole() -> None:
    """Along the mean of y x over the cases that are not sure yet, again and again."""
    X, y = stream(50, 8)
    weights = np.arange(50) % 3
    learner = UFODT(MANY, selection=Selection.paper(4, step=0.37, radius=1.0))
    learner.learn_many(X, y, weights=weights)
    w, x, sign = np.zeros(40), 2.0 * X - 1, 2.0 * y - 1
    for _ in range(20):
        asks = weights * (sign * (x @ w) <= 1)
        w += 0.37 * (asks * sign) @ x / weights.sum()
        w *= min(1.0, 1.0 / np.linalg.norm(w))
    np.testing.assert_allclose(learner._selection.weights, w, rtol=1e-9, atol=1e-12)
    assert np.abs(w).argmax() == 7


def test_history_of_numbers_teaches_by_their_place_between_the_cuts() -> None:
    rng = np.random.default_rng(9)
    X = rng.normal(size=(300, 12))
    y = (X[:, 4] > 0).astype(int)
    problem = Problem([Continuous(f"v{i}") for i in range(12)], labels=[0, 1])
    for cutting in (thresholds.bins(), thresholds.exp3(5)):
        learner = UFODT(problem, thresholds=cutting, selection=Selection.paper(3), seed=1)
        learner.learn_many(X, y)
        assert np.abs(learner._selection.weights).argmax() == 4


def test_history_leaves_the_sums_of_exp3_alone() -> None:
    X = np.random.default_rng(3).normal(size=(100, 2))
    problem = Problem([Continuous("a"), Continuous("b")], labels=[0, 1])
    learner = UFODT(problem, thresholds=thresholds.exp3(5), seed=1)
    learner.learn_many(X, (X[:, 0] > 0).astype(int))
    counts, _, sums = learner.belief.views()
    assert counts.any() and not sums.any()


def test_candidates_are_the_largest_weights_and_ties_fall_evenly() -> None:
    """Weights 5, 4, 3 and many of 1, the rest 0: the three are in, the fourth is any of those that tie."""
    weights = np.zeros(40)
    weights[[3, 20, 33]] = [5.0, -4.0, 3.0]
    weights[10:18] = [1.0, -1.0] * 4
    learner = UFODT(MANY, selection=Selection.paper(4, epsilon=0.0, radius=100.0), seed=1)
    learner._selection.set_weights(weights)
    offered = [{int(r.feature[1:]) for r in learner.open().why()} for _ in range(400)]
    assert all({3, 20, 33} < one and len(one) == 4 for one in offered)
    fourth = np.bincount([(one - {3, 20, 33}).pop() for one in offered], minlength=40)
    assert fourth[10:18].sum() == 400 and fourth[10:18].min() > 25


def test_random_candidates_are_all_as_likely() -> None:
    learner = UFODT(MANY, selection=Selection(10, epsilon=1.0), seed=2)
    times = np.zeros(40)
    for _ in range(800):
        times[[int(r.feature[1:]) for r in learner.open().why()]] += 1
    assert times.sum() == 8000 and abs(times - 200).max() < 5 * np.sqrt(800 * 0.25 * 0.75)


def test_candidates_follow_weights_that_rise_and_fall() -> None:
    """However the weights moved before, the candidates are those of a learner that starts with these weights."""
    X, y = stream(300, 10)
    moved = UFODT(
        MANY, selection=Selection.paper(5, epsilon=0.0, step=1.0, radius=1.5), stop=stop.confidence(1.0), seed=3
    )
    moved.run(X, y)
    fresh = UFODT(MANY, selection=moved.selection, stop=stop.confidence(1.0), seed=3)
    fresh._selection.set_weights(moved._selection.weights)
    largest = set(np.argsort(-np.abs(moved._selection.weights))[:5].tolist())
    fresh._n_opened = moved._n_opened
    for learner in (moved, fresh):
        assert {int(r.feature[1:]) for r in learner.open().why()} == largest


def test_a_hold_out_with_prices_of_its_own_has_the_best_candidates() -> None:
    rng = np.random.default_rng(5)
    y = rng.integers(2, size=600)
    X = rng.integers(2, size=(600, 30))
    X[:, 17] = y
    learner = UFODT(Problem([Binary(f"x{i}") for i in range(30)], labels=[0, 1]), selection=Selection(2), seed=1)
    learner.run(X[:500], y[:500])
    prices = np.ones((100, 30))
    prices[:, :5] = 0.0  # free, but never among the candidates
    report = learner.evaluate(X[500:], y[500:], prices=prices)
    assert report.accuracy == 1.0 and set(report.record.asked.tolist()) == {17}


@pytest.mark.parametrize("takes_turns", [False, True])
@pytest.mark.parametrize("criterion", ["ig", "ec2"])
def test_what_is_had_of_no_candidate_counts_in_the_plan_too(criterion: str, takes_turns: bool) -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 2000)
    noise = rng.integers(0, 2, (2000, 6))
    X = np.column_stack([y ^ (rng.random(2000) < 0.1), y ^ (rng.random(2000) < 0.001), noise])
    problem = Problem([Binary(f"x{j}") for j in range(8)], labels=[0, 1], loss=[[0, 50], [50, 0]])
    learner = UFODT(problem, criterion=criterion, selection=Selection.paper(2), seed=1)
    learner.learn_many(X, y)
    learner._selection.set_weights(np.array([1.0, 0, 0, 0, 0, 0, 0, 0.9]))  # so that x1, which all but tells, is none
    if takes_turns:  # as after an alarm
        learner._drift.restore(learner.belief, (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1, 0, []), learner.belief)
    for explore in (False, True):
        session = learner.open(explore=explore)
        assert session.ask() is not None
        before = max(reason.gain for reason in session.why())
        session.tell("x1", 1)
        assert session.ask() is None  # what is left is worth a tenth
        assert max(reason.gain for reason in session.why()) < before / 10
        assert learner.open(known={"x1": 1}, explore=explore).ask() is None


# --- candidates by what they promise to tell -----------------------------------------------------------


def information(p: np.ndarray) -> np.ndarray:
    """I(answer; label) in nats, labels weighing the same; `p` ends with outcomes and labels."""
    logs = np.log(np.maximum(p, 1e-300))
    mixed = p.mean(axis=-1)
    return (p * logs).sum(axis=-2).mean(axis=-1) - (mixed * np.log(np.maximum(mixed, 1e-300))).sum(axis=-1)


@pytest.mark.parametrize("n_labels", [2, 3, 5])
@pytest.mark.parametrize("n_outcomes", [2, 4])
def test_at_most_it_tells_the_mean_over_theta_of_what_an_answer_does(n_outcomes: int, n_labels: int) -> None:
    """Against many draws of theta; the second order is all that is told apart by some ten observations per label."""
    rng = np.random.default_rng(n_outcomes + n_labels)
    problem = Problem([Categorical("x", range(n_outcomes))], labels=list(range(n_labels)))
    for _ in range(20):
        learner = UFODT(problem, prior=Prior(learns_values=False), seed=1)
        chances = rng.dirichlet(np.ones(n_outcomes), n_labels)
        y = np.repeat(np.arange(n_labels), 12)
        x = np.array([rng.choice(n_outcomes, p=chances[label]) for label in y])
        learner.learn_many(x[:, None], y)
        counts = learner.belief.counts + learner.belief.prior
        drawn = np.stack([rng.dirichlet(counts[:, label], 20_000) for label in range(n_labels)], axis=-1)
        least, most = (promise[0] for promise in learner.belief.promises)
        assert most == pytest.approx(information(drawn).mean(), abs=0.012)
        mean = information(counts / counts.sum(axis=0))
        assert least == pytest.approx(
            max(2 * mean - most, 0.0), abs=1e-12
        )  # as far below the mean belief's as that above


def test_who_was_not_asked_promises_more_than_who_told_nothing_and_less_than_who_tells() -> None:
    """A coin that was never asked: variances 1/12, half of the curvature, less half for the mixture."""
    problem = Problem([Binary("new"), Binary("vain"), Binary("good")], labels=[0, 1])
    learner = UFODT(problem, seed=1)
    y = np.arange(20) % 2
    learner.learn_many(np.column_stack([np.full(20, np.nan), np.arange(20) // 2 % 2, y]), y)
    (new, vain, good), most = learner.belief.promises
    assert new == vain == 0 < good <= math.log(2)
    assert most[0] == pytest.approx(1 / 12) and most[1] == pytest.approx(1 / 52) and good < most[2] <= math.log(2)


def test_an_expert_who_says_that_a_feature_tells_makes_it_a_candidate() -> None:
    prior = Prior(experts=[Expert("f11", 0, 0.9, strength=40.0), Expert("f11", 1, 0.1, strength=40.0)])
    learner = UFODT(MANY, prior=prior, selection=Selection(1, epsilon=0.0), seed=1)
    assert learner.belief.promises[0].argmax() == 11
    assert [reason.feature for reason in learner.open().why()] == ["f11"]


def test_prices_count_between_candidates_by_their_root() -> None:
    """Of two that promise the same the cheaper one, of two as far from each other in promise as in price the better."""
    prices = {"twin": 1.0, "dear twin": 1.1, "poor": 1.0, "good": 4.0, "free": 0.0}
    problem = Problem([Binary(name, price=price) for name, price in prices.items()], labels=[0, 1])
    y = np.arange(40) % 2
    wrong = np.arange(40) // 2  # the case of each label
    X = np.column_stack([y ^ (wrong < n) for n in (5, 5, 7, 1, 10)])
    ranked = []
    for size in (1, 2, 3, 4):
        learner = UFODT(problem, selection=Selection(size, epsilon=0.0), stop=stop.confidence(1.0), seed=1)
        learner.learn_many(X, y)
        ranked.append({reason.feature for reason in learner.open(explore=False).why()})
    promises = learner.belief.promises[0]
    assert promises[0] == promises[1] and promises[2] < promises[3] / 4 and promises[4] == promises.min() == 0
    assert ranked == [{"good"}, {"good", "twin"}, {"good", "twin", "dear twin"}, {"good", "twin", "dear twin", "poor"}]


@pytest.mark.parametrize("n_labels", [2, 3])
def test_the_promise_of_a_number_is_that_of_its_bins_or_of_its_best_threshold(n_labels: int) -> None:
    """Bins that cannot come promise nothing."""
    rng = np.random.default_rng(2)
    y = rng.integers(0, n_labels, 300)
    X = np.column_stack([rng.normal(size=300) + y, rng.integers(0, 2, 300)])
    problem = Problem([Continuous("many"), Continuous("two")], labels=list(range(n_labels)))
    binned = UFODT(problem, thresholds=thresholds.bins(6), seed=1)
    flat = Prior(learns_values=False)  # as that of bins is, and of thresholds
    as_named = UFODT(Problem([Binary("two")], labels=list(range(n_labels))), prior=flat, seed=1)
    binned.learn_many(X, y)
    as_named.learn_many(X[:, 1:], y)
    for binned_promise, named_promise in zip(binned.belief.promises, as_named.belief.promises, strict=True):
        assert binned_promise[1] == pytest.approx(named_promise[0], rel=1e-9)
    cut = UFODT(problem, thresholds=thresholds.exhaustive(5), seed=1)
    cut.learn_many(X, y)
    one = UFODT(as_named.problem, prior=flat, seed=1).belief
    single = []
    for counts in cut.belief.views()[0].reshape(-1, 2, n_labels)[:5]:  # of the first number
        one.set_counts(counts, np.zeros(n_labels))
        single.append([promise[0] for promise in one.promises])
    assert len({tuple(one) for one in single}) > 1
    assert [promise[0] for promise in cut.belief.promises] == pytest.approx(np.max(single, axis=0).tolist(), rel=1e-9)


@pytest.mark.parametrize("cutting", [thresholds.bins(4), thresholds.exp3(3)], ids=str)
def test_promises_are_those_of_the_counts_whatever_happened_before(cutting: thresholds.Thresholds) -> None:
    """A belief that learned, forgot and merged promises what one with the same counts does, read from a file."""
    rng = np.random.default_rng(4)
    problem = Problem([Continuous("a"), Binary("b"), Categorical("c", list("xyz")), Binary("d")], labels=["u", "v"])

    def table(n: int) -> tuple[list[list[Any]], list[str]]:
        rows = [[rng.normal(), rng.integers(2), "xyz"[rng.integers(3)], rng.integers(2)] for _ in range(n)]
        return rows, ["uv"[i] for i in rng.integers(0, 2, n)]

    learner, other = (UFODT(problem, thresholds=cutting, selection=Selection(2), seed=s) for s in (1, 2))
    other.run(*table(30))
    steps = [
        lambda: learner.run(*table(7)),
        lambda: learner.learn_many(*table(5)),
        lambda: learner.learn_many(*table(5), weights=np.arange(5)),
        lambda: learner.discount(0.3),
        lambda: learner.merge(other),
        lambda: learner.learn({"values": {"a": 0.1, "c": "x"}}, "v"),
    ]
    for _ in range(60):
        learner._belief.promises  # noqa: B018 (so that they are remembered)
        steps[rng.integers(len(steps))]()
        again = pickle.loads(pickle.dumps(learner))
        np.testing.assert_array_equal(learner._belief.promises, again.belief.promises)


def test_thresholds_that_are_restored_promise_what_they_say() -> None:
    X, y = np.random.default_rng(6).normal(size=(100, 2)), np.arange(100) % 2
    X[:, 0] += y
    problem = Problem([Continuous("a"), Continuous("b")], labels=[0, 1])
    learner = UFODT(problem, thresholds=thresholds.exhaustive(3), seed=1)
    learner.learn_many(X, y)
    belief = learner.belief
    before = belief.promises[1]
    counts, uses, sums = belief.views()
    belief.restore_views(0 * counts, uses, sums)
    assert (belief.promises[1] == pytest.approx(1 / 12)) and (before != belief.promises[1]).all()


def test_a_tiny_or_huge_prior_promises_finite_things() -> None:
    problem = Problem([Categorical("x", range(50)), Binary("y")], labels=[0, 1, 2])
    for count in (1e-100, 1e-6, 1e6, 1e100):
        learner = UFODT(problem, prior=Prior(count=count), selection=Selection(1), seed=1)
        learner.run([[3, 1], [4, 0], [3, 1]], [0, 1, 0])
        least, most = learner.belief.promises
        assert ((least >= 0) & (least <= most) & (most <= np.log([3, 2]) + 1e-12)).all(), count


def test_learners_that_select_in_different_ways_merge_what_they_have_in_common() -> None:
    informed, weighed = (UFODT(MANY, selection=s, seed=1) for s in (Selection(3), Selection.paper(3)))
    weighed.run(*stream(60, 1))
    informed.merge(weighed)
    assert informed.belief.label_counts.sum() == 60 and informed._selection.weights.size == 0
    weights = weighed._selection.weights
    weighed.merge(informed)
    np.testing.assert_array_equal(weighed._selection.weights, weights)


def test_a_model_of_before_there_was_a_choice_goes_on_by_weights() -> None:
    learner = UFODT(MANY, selection=Selection.paper(3), seed=1)
    learner.run(*stream(60, 1))
    description, arrays = learner.__getstate__()
    del description["selection"]["by"]
    old = UFODT.__new__(UFODT)
    old.__setstate__((description, arrays))
    assert old.selection == learner.selection
    np.testing.assert_array_equal(old.run(*stream(30, 2)).asked, learner.run(*stream(30, 2)).asked)


def test_a_prior_that_all_but_vanishes_beside_another_ends_a_case() -> None:
    forgetting = drift.discount(0.05, prior=Prior(count=1.0))
    learner = UFODT(MANY, prior=Prior(count=1e-20), drift=forgetting, selection=Selection(3), seed=2)
    learner.run(*stream(40, 1))
    assert np.isfinite(learner.belief.promises).all() and learner.open(explore=False).predict().label in (0, 1)


def world(kind: str, seed: int) -> tuple[Problem, np.ndarray, np.ndarray]:
    """A hundred and twenty coins, ten of which lean 3 to 1, and forty columns that would take all places."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, 3000)
    X = rng.integers(0, 2, (3000, 160)).astype(float)
    X[:, :10] = np.where(rng.random((3000, 10)) < 0.75, y[:, None], 1 - y[:, None])
    features: list[Any] = [Binary(f"x{j}", price=0.01) for j in range(160)]
    if kind == "missing":
        X[:, 120:] = np.nan
    elif kind == "many values":
        X[:, 120:] = rng.integers(0, 20, (3000, 40))
        features[120:] = [Categorical(f"x{j}", range(20), price=0.01) for j in range(120, 160)]
    else:
        features[120:] = [Binary(f"x{j}", price=0.0 if kind == "free" else 5.0) for j in range(120, 160)]
    return Problem(features, labels=[0, 1], loss=[[0, 1], [1, 0]]), X, y


@pytest.mark.parametrize("kind", ["missing", "many values", "free", "dear"])
def test_what_promises_for_ever_does_not_take_all_places(kind: str) -> None:
    problem, X, y = world(kind, 1)
    learner = UFODT(problem, selection=Selection(20), seed=1)
    learner.run(X[:2000], y[:2000])
    assert learner.evaluate(X[2000:], y[2000:]).accuracy > 0.85  # all ten know 0.92


def test_what_is_drawn_to_be_tried_out_is_drawn_by_what_it_promises() -> None:
    """Half of the places are for what tells most; the others fall to the rest as their promises are."""
    X, y = stream(60, 11)
    seen = X.astype(float)
    seen[:, 20:] = np.nan  # so that half of the coins were never asked
    learner = UFODT(MANY, selection=Selection(4, epsilon=0.0), stop=stop.confidence(1.0), seed=1)
    learner.learn_many(seen, y)
    least, most = learner.belief.promises
    best = set(np.argsort(-least)[:2].tolist())
    offered = [{int(r.feature[1:]) for r in learner.open().why()} for _ in range(2000)]
    assert all(best < one and len(one) == 4 for one in offered)
    new = np.mean([len([f for f in one - best if f >= 20]) / 2 for one in offered])
    others = [f for f in range(20) if f not in best]
    expected = most[20:].sum() / (most[20:].sum() + most[others].sum())
    assert new == pytest.approx(expected, abs=0.04)


def test_where_everything_is_free_candidates_are_those_that_tell_most() -> None:
    problem = Problem([Binary(f"f{i}", price=0.0) for i in range(40)], labels=[0, 1])
    learner = UFODT(problem, selection=Selection(3), seed=1)
    learner.run(*stream(1000, 3))
    assert "f7" in {reason.feature for reason in learner.open(explore=False).why()}


def test_counts_beyond_all_measure_promise_nothing() -> None:
    belief = UFODT(Problem([Binary("a"), Binary("b")], labels=[0, 1]), seed=1).belief
    counts = np.array([[1e150, 0.0], [1e150, 0.0], [1.0, 0.0], [0.0, 1.0]])
    belief.set_counts(counts, np.zeros(2))
    least, most = belief.promises
    assert np.isfinite([least, most]).all() and most[1] > 0


def test_what_is_free_does_not_come_before_what_tells_much_more() -> None:
    """Less than a tenth of the mean price counts as that, so that being free helps by a factor and not by any."""
    problem = Problem([Binary("free", price=0.0), Binary("good"), Binary("noise")], labels=[0, 1])
    y = np.arange(400) % 2
    case = np.arange(400) // 2
    X = np.column_stack([y ^ (case < 70), y ^ (case < 20), case % 2])
    learner = UFODT(problem, selection=Selection(1), seed=1)
    learner.learn_many(X, y)
    least = learner.belief.promises[0]
    assert 0 < 6 * least[0] < least[1]
    assert [reason.feature for reason in learner.open(explore=False).why()] == ["good"]


@pytest.mark.parametrize("n_values", [2, 3])
def test_numbers_of_few_values_are_told_apart_as_categories_are(n_values: int) -> None:
    """A number has as many bins as it has values, fewer than it could have: the last of them counts as 1."""
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=1500)
    X = rng.integers(n_values, size=(1500, 60)).astype(float)
    X[:, :3] = np.where(rng.random((1500, 3)) < 0.2, X[:, :3], (n_values - 1) * y[:, None])
    learner = UFODT(Problem([Continuous(f"f{j}") for j in range(60)], [0, 1]), selection=Selection.paper(10), seed=0)
    learner.run(X, y)
    largest = np.argsort(-np.abs(learner._selection.weights).reshape(-1, 60).max(axis=0))[:10]
    assert {0, 1, 2} <= set(largest.tolist())
