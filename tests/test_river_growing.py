"""The adapter to river: features, values and labels that join on the way."""

import random

import numpy as np
import pytest

from ufodt import drift, growing, stop, thresholds
from ufodt.growing import OTHER
from ufodt.river import UFODTClassifier

from .river_cases import Counting, mixed, run, share_right


def test_features_values_and_labels_join_and_are_learned() -> None:
    cases = mixed(1500)
    model = UFODTClassifier(seed=1)
    predicted = run(model, cases)
    assert share_right(predicted[1000:], cases[1000:]) > 0.75
    assert model.learner is not None
    kinds = {f.name: type(f).__name__ for f in model.learner.problem.features}
    assert kinds == {
        "bit": "Binary",
        "late": "Categorical",
        "noise": "Continuous",
        "number": "Continuous",
        "text": "Categorical",
    }
    assert set(model.predict_proba_one(cases[0][0])) == {"a", "b", "c"}


def test_what_joins_while_cases_are_open_is_learned_in_the_right_place() -> None:
    """A feature is yes or no when it is bought, and a text by the time the label comes."""
    model = UFODTClassifier(stop=stop.budget(1), seed=1)
    for y in "ab":
        model.learn_one({"x": None}, y)
    first, second, third = {"x": 1}, {"x": "red"}, {"x": "blue"}
    for x in (first, second, third):
        model.predict_one(x)
    model.learn_one(second, "a")
    model.learn_one(third, "b")
    model.learn_one(first, "b")
    assert model.learner is not None
    (feature,) = model.learner.problem.features
    counts = dict(zip(feature.values, model.learner.belief.counts.tolist(), strict=True))  # type: ignore[union-attr]
    assert counts == {"(any other)": [0, 0], "red": [1, 0], "blue": [0, 1], 1: [0, 1]}


def test_the_order_of_a_dictionary_makes_no_difference() -> None:
    cases = mixed(300)
    shuffled = [(dict(random.Random(i).sample(list(x.items()), len(x))), y) for i, (x, y) in enumerate(cases)]
    models = [UFODTClassifier(seed=1), UFODTClassifier(seed=1)]
    assert run(models[0], cases) == run(models[1], shuffled)
    assert models[0].ledger == models[1].ledger


def test_an_identifier_takes_a_bounded_place() -> None:
    model = UFODTClassifier(stop=stop.budget(2), seed=1)
    for i in range(600):
        model.learn_one({"id": f"case {i}", "x": i % 2}, i % 2)
    assert model.learner is not None
    assert max(model.learner._compiled.n_outcomes) == 128


def test_nothing_is_asked_while_there_is_one_label() -> None:
    model = UFODTClassifier(seed=1)
    assert model.predict_one({"x": 1}) is None and model.predict_proba_one({"x": 1}) == {}
    row = Counting({"x": 1})
    for _ in range(5):
        model.learn_one(row, "only")
    assert model.predict_one(row) == "only" and model.predict_proba_one(row) == {"only": 1.0}
    assert not row.reads


def test_cases_without_features_are_answered_from_the_labels() -> None:
    model = UFODTClassifier(seed=1)
    for y in ("a", "b", "b"):
        model.learn_one({}, y)
    assert model.predict_one({}) == "b"
    assert model.predict_proba_one({}) == {"a": 0.4, "b": 0.6}
    model.learn_one({"x": 1}, "b")
    assert model.learner is not None
    assert model.learner.belief.label_counts.tolist() == [1, 3]


def test_a_case_that_is_refused_leaves_nothing_that_it_brought() -> None:
    model, rng = UFODTClassifier(seed=1), np.random.default_rng(1)
    for i in range(60):
        model.learn_one({"n": float(rng.normal(3 * (i % 2)))}, i % 2)
    before, learned = model.learner.problem, model.learner.belief.counts
    for case in ({"n": "text", "new": 1}, {"n": "text"}):
        with pytest.raises(ValueError, match="'text' came"):
            model.predict_one(case)
        assert model.learner.problem == before
        np.testing.assert_array_equal(model.learner.belief.counts, learned)
    model.learn_one({"n": 3.0, "new": 1}, 1)
    assert [feature.name for feature in model.learner.problem.features] == ["n", "new"]


def test_what_exp3_gained_in_a_case_goes_to_the_same_threshold_after_growing() -> None:
    model, rng = UFODTClassifier(thresholds=thresholds.exp3(3), seed=1), np.random.default_rng(2)
    for i in range(40):
        model.learn_one({"z": float(rng.normal(3 * (i % 2)))}, i % 2)
    waiting = {"z": 1.0}
    model.predict_one(waiting)
    before, (view, amount) = model.learner, model._open[id(waiting)].rewards[0]
    for i in range(40):  # a number that joins in front of nothing, and a label that widens every threshold
        model.learn_one({"a": float(rng.normal(3 * (i % 2))), "z": 1.0}, i % 3)
    after = model.learner
    to = after.belief.first_view(0) + view - before.belief.first_view(0)
    sums = after.belief.views()[2][to]
    model.learn_one(waiting, 1)
    assert model.learner.belief.views()[2][to] == pytest.approx(sums + amount) and amount > 0


def test_features_beyond_the_most_that_may_join_are_never_on_offer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(growing, "MAX_FEATURES", 3)
    model = UFODTClassifier(seed=1)
    for i in range(20):
        model.learn_one({f"f{i}": i % 2, "always": i % 2}, i % 2)
    assert model.learner.problem.n_features == 3
    learner = model.learner
    model.predict_one({"yet another": 1})
    assert model.learner is learner  # nothing is built anew for what cannot join


class Nested(dict[str, int]):
    """A case whose value leads to other cases before it turns out that it cannot be read."""

    def __init__(self, model: UFODTClassifier) -> None:
        super().__init__(a=1, new=1)
        self.model = model

    def __getitem__(self, key: str) -> int:
        for i in range(50):
            self.model.learn_one({"a": i % 2}, i % 2)
        raise TimeoutError


def test_what_is_learned_while_a_case_is_read_is_not_lost_with_it() -> None:
    model = UFODTClassifier(seed=1)
    for i in range(40):
        model.learn_one({"a": i % 2}, i % 2)
    counts = model.learner.belief.label_counts.sum()
    with pytest.raises(TimeoutError):
        model.predict_one(Nested(model))
    assert model.learner.belief.label_counts.sum() == counts + 50
    model.learn_one({"a": 1, "new": 0}, 1)


def test_what_an_alarm_would_learn_again_is_not_forgotten_when_a_feature_grows() -> None:
    model = UFODTClassifier(drift=drift.auto(), seed=1, stop=stop.confidence(1.0))
    for i in range(30):
        model.learn_one({"a": i % 2, "b": i // 2 % 2}, i // 2 % 2)
    assert model.learner is not None
    model.learner.discount(1.0)
    model.learn_one({"a": "red", "b": 1}, 1)
    assert model.learner.problem.features[0].values == (OTHER, 0, 1, "red")
