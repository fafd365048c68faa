"""The adapter to river: features, values and labels that join on the way."""

import random

from ufodt import stop
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
