"""What grows keeps everything it learned, and is what it would have been had all been named from the start."""

import copy
import pickle
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ufodt import UFODT, Binary, Categorical, Continuous, Prior, Problem, Selection, drift, thresholds
from ufodt.drift import Drift
from ufodt.errors import InvalidProblem, InvalidValue
from ufodt.features import Feature
from ufodt.growing import MAX_VALUES, OTHER, Growing, grow, is_blank, widen

from .cases import LEARNERS, digest, go_through, learned_of, make, state, stream_of

every_learner = pytest.mark.parametrize("name", LEARNERS)
LARGER = [Binary("late"), Categorical("later", ["a", "b", "c"], price=2.0), Continuous("latest", price=0.5)]


def larger(problem: Problem, labels: Sequence[Any] = ()) -> Problem:
    """The problem with three features and some labels more."""
    return Problem([*problem.features, *LARGER], [*problem.labels, *labels])


def without_loss(problem: Problem) -> Problem:
    return Problem(problem.features, problem.labels)


def learn(learner: UFODT, X: np.ndarray, y: Sequence[Any], told: Sequence[int]) -> UFODT:
    """Teach some features of each case, as sessions would."""
    for values, label in zip(X, y, strict=True):
        known = {learner.problem.features[f].name: values[f] for f in told}
        learner.learn({"case": None, "values": known, "prices": {}, "skipped": []}, label)
    return learner


# --- growing a learner ---------------------------------------------------------------------------------


@every_learner
def test_growing_into_the_same_problem_changes_nothing(name: str) -> None:
    learner = make(name)
    learner.run(*stream_of(name, 3, 120))
    grown = grow(learner, learner.problem)
    assert state(grown) == state(learner)
    assert digest(grown) == digest(learner)


@pytest.mark.parametrize("name", [name for name in LEARNERS if make(name).drift == Drift()])  # a surprise depends on m
def test_what_grows_knows_as_much_as_what_was_large_from_the_start(name: str) -> None:
    small = make(name)
    X, y = stream_of(name, 3, 120)
    problem = without_loss(small.problem)
    settings = {key: getattr(small, key) for key in ("policy", "prior", "thresholds", "seed")}
    grown = grow(learn(UFODT(problem, **settings), X, y, range(5)), larger(problem, ["unheard of"]))
    large = learn(UFODT(larger(problem, ["unheard of"]), **settings), X, y, range(5))
    assert learned_of(grown, trust=False) == learned_of(large, trust=False)


def test_a_drift_under_way_is_carried_along() -> None:
    learner = make("auto-ec2")
    X, y = stream_of("auto-ec2", 3, 100)
    learner.run(X, y)
    turned = dict(zip(learner.problem.labels, ["flu", "worse", "healthy"], strict=True))
    for values, label in zip(X, y, strict=True):
        learn(learner, values[None], [turned[label]], range(6))  # the world has moved
        if learner._drift.reserve is not None:
            break
    problem = without_loss(learner.problem)
    grown = grow(learner, larger(problem, ["new"]))
    before, after = learner._drift.reserve, grown._drift.reserve
    assert before is not None and after is not None
    np.testing.assert_array_equal(after.counts[: len(before.counts), :3], before.counts)
    assert grown._drift.state()[:-1] == learner._drift.state()[:-1]


def test_what_is_forgotten_of_the_prior_is_carried_along() -> None:
    problem = Problem([Binary("a")], labels=["x", "y"])
    learner = UFODT(problem, drift=drift.discount(0.25, prior=Prior(count=9)), seed=1)
    learner.learn({"values": {"a": 1}}, "x")
    grown = grow(learner, Problem([*problem.features, Binary("b")], ["x", "y"]))
    assert grown.belief.kept == learner.belief.kept == 0.75
    np.testing.assert_array_equal(grown.belief.prior[:2], learner.belief.prior)


@pytest.mark.parametrize("labels", [("a", "b"), ("a", "b", "c")])
def test_the_weights_of_a_selection_are_carried_along(labels: tuple[str, ...]) -> None:
    problem = Problem([Binary(f"x{i}") for i in range(6)], labels)
    learner = UFODT(problem, selection=Selection.paper(2), seed=1)
    rng = np.random.default_rng(0)
    y = rng.integers(len(labels), size=200)
    learner.run(np.column_stack([(y == i % len(labels)) for i in range(6)]).astype(int), [labels[i] for i in y])
    weights = learner._selection.weights.reshape(-1, 6)
    assert weights.any()
    grown = grow(learner, Problem([*problem.features, Binary("new")], [*labels, "more"]))
    carried = grown._selection.weights.reshape(len(labels) + 1, 7)
    expected = np.vstack([-weights, weights]) if len(labels) == 2 else weights
    np.testing.assert_array_equal(carried[:-1, :6], expected)
    assert not carried[-1].any() and not carried[:, 6].any()


@pytest.mark.parametrize("cutting", [thresholds.bins(4), thresholds.exhaustive(3), thresholds.exp3(3)], ids=str)
@pytest.mark.parametrize("n", [3, 8, 21, 40])
def test_a_yes_or_no_that_turns_out_a_number_was_a_number_all_along(n: int, cutting: Any) -> None:
    X, y = [[i % 2, i % 3 == 0] for i in range(n)], [str(i % 5 > 1) for i in range(n)]
    before = Problem([Binary("x"), Binary("b")], labels=["True", "False"])
    after = Problem([Continuous("x"), Binary("b")], labels=["True", "False"])
    grown, numeric = UFODT(before, thresholds=cutting, seed=1), UFODT(after, thresholds=cutting, seed=1)
    for learner in (grown, numeric):
        learner.learn_many(X, y)
    grown = grow(grown, after)
    assert learned_of(grown, trust=False, pairs=False) == learned_of(numeric, trust=False, pairs=False)


def test_a_yes_or_no_that_turns_out_a_text_keeps_its_counts() -> None:
    learner = UFODT(Problem([Binary("x")], labels=[0, 1]), drift=drift.auto(), seed=1)
    learner.learn_many([[0], [1], [1]], [0, 1, 1])
    learner.run([[1]] * 5, [0] * 5)
    wide = widen(learner.problem.features[0], ["maybe"])
    grown = grow(learner, Problem([wide], labels=[0, 1]))
    before, after = learner._belief.counts, grown._belief.counts
    assert wide.values == (OTHER, 0, 1, "maybe")
    np.testing.assert_array_equal(after[1:3], before)
    assert not after[[0, 3]].any()
    grown.run([["maybe"], [0], [1]], [0, 1, 0])


# --- what a value calls for ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("feature", "values", "becomes"),
    [
        (Binary("x"), [0, 1, True, 0.0, np.float32(1), np.bool_(False)], Binary("x")),
        (Binary("x", price=3.0), [np.int64(2)], Continuous("x", price=3.0)),
        (Continuous("x"), [7.0], Continuous("x")),
        (Continuous("x"), ["told elsewhere"], Continuous("x")),
        (Categorical("x", [OTHER, "a"], group="g"), ["b", "a", 3], Categorical("x", [OTHER, "a", 3, "b"], group="g")),
    ],
)
def test_a_feature_becomes_what_its_values_call_for(feature: Feature, values: list[Any], becomes: Feature) -> None:
    assert widen(feature, values) == becomes


@pytest.mark.parametrize("value", [float("inf"), (1, 2), [1], {"a": 1}, b"bytes"])
def test_a_value_that_is_no_name_of_anything_is_refused(value: Any) -> None:
    with pytest.raises(InvalidValue, match="x: value .* came; expected a finite number, a text"):
        widen(Binary("x"), [value])


def test_values_beyond_the_last_place_share_one() -> None:
    feature = widen(Binary("x"), [f"v{i}" for i in range(1000)], blank=True)
    assert isinstance(feature, Categorical) and len(feature.values) == MAX_VALUES
    assert widen(feature, ["yet another"]) is feature


def test_a_feature_is_blank_until_something_is_learned_of_it() -> None:
    learner = UFODT(Problem([Binary("x"), Binary("y")], labels=[0, 1]), seed=1)
    learner.learn_many([[0, None]], [1])
    assert [is_blank(learner, f) for f in (0, 1)] == [False, True]


# --- cases that bring what nobody named ------------------------------------------------------------------


def growing(**settings: Any) -> Growing:
    return Growing(problem=settings.pop("problem", None), costs=settings.pop("costs", None), seed=1, **settings)


def test_nothing_is_asked_before_two_labels_and_their_counts_are_kept() -> None:
    world = growing()
    world.meet({"b": 1, "a": 2})
    for label in ("x", "x", "y"):
        world.make_room([], label)
        if world.learner is None:
            world.count(label)
    assert world.learner is not None
    assert world.learner._belief.label_counts.tolist() == [2, 0]  # the third is learned by the learner
    assert [feature.name for feature in world.learner.problem.features] == ["a", "b"]


def test_names_of_any_kind_are_told_apart() -> None:
    world = growing(costs={1: 5.0, "1": 7.0, "others": 2.0})
    world.meet({1: 0, "1": 0, "": 0, ("a", 2): 0})
    names = [feature.name for feature in world.features]
    assert len(set(names)) == 4
    assert {key: feature.price for key, feature in zip(world.keys, world.features, strict=True)} == {
        1: 5.0,
        "1": 7.0,
        "": 2.0,
        ("a", 2): 2.0,
    }


def test_features_stop_joining_at_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ufodt.growing.MAX_FEATURES", 5)
    world = growing()
    world.meet({f"x{i}": i for i in range(9)})
    world.meet({"more": 1})
    assert len(world.features) == 5


def test_a_failure_leaves_everything_as_it_was() -> None:
    world = growing()
    world.meet({"x": 1})
    for i in range(256):
        world.make_room([], i)
    before, epoch = world.learner, world.epoch
    with pytest.raises(InvalidProblem, match="257 labels"):
        world.make_room([(0, "text")], 256)
    assert (world.learner, world.epoch, world.features[0]) == (before, epoch, Binary("x"))


def test_costs_and_a_problem_are_not_given_together() -> None:
    problem = Problem([Binary("x")], labels=[0, 1])
    with pytest.raises(InvalidProblem, match="costs came together with a problem"):
        growing(problem=problem, costs=2.0)
    with pytest.raises(InvalidProblem, match="'x' came as the problem"):
        growing(problem="x")


# --- copies ------------------------------------------------------------------------------------------------


@every_learner
def test_a_pickled_learner_goes_on_as_the_original_would(name: str) -> None:
    learner = make(name)
    learner.run(*stream_of(name, 3, 90))
    copies = [pickle.loads(pickle.dumps(learner)), copy.deepcopy(learner)]
    assert [state(one) for one in copies] == [state(learner)] * 2
    expected = digest(learner)
    assert [digest(one) for one in copies] == [expected] * 2


def test_a_pickled_learner_keeps_its_settings() -> None:
    learner = make("both-us")
    copied = pickle.loads(pickle.dumps(learner))
    for name in ("problem", "policy", "prior", "thresholds", "drift", "selection", "seed"):
        assert getattr(copied, name) == getattr(learner, name)


def test_growing_does_not_depend_on_what_else_is_open() -> None:
    """A session that was opened before goes on with what it knew."""
    learner = make("ours-ig")
    X, y = stream_of("ours-ig", 3, 60)
    learner.run(X, y)
    twin = copy.deepcopy(learner)
    grown = grow(learner, replace(larger(without_loss(learner.problem)), loss=None))
    assert go_through(learner, X[:5], y[:5]) == go_through(twin, X[:5], y[:5])
    assert grown.n_opened == 60
