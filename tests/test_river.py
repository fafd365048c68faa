"""The adapter to river: river's own checks, and what is read is what is paid."""

import copy
import math
import pickle
import random
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from river import base, checks, compose, evaluate, metrics, preprocessing, stream, tree
from river.datasets import Phishing

from ufodt import UFODT, Binary, Categorical, Expert, Prior, Problem, drift, stop, thresholds
from ufodt.errors import InvalidPolicy, InvalidProblem, InvalidValue, UnknownLabel
from ufodt.lab import datasets
from ufodt.river import LazyRow, Ledger, UFODTClassifier

from .cases import LEARNERS, NAMES, learned_of, make, stream_of

MODELS = {
    "default": UFODTClassifier(),
    "printed": UFODTClassifier.paper(n_hypotheses=40, thresholds=thresholds.paper("exp3", 5)),
}
CHECKS = [(name, check) for name, model in MODELS.items() for check in checks.yield_checks(model)]
SETTINGS = ("policy", "prior", "thresholds", "drift", "selection", "seed")
Cases = list[tuple[dict[str, Any], Any]]


class Counting(Mapping[str, Any]):
    """A case that notes every value that is read."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.values_, self.reads = dict(values), list[str]()

    def __getitem__(self, name: str) -> Any:
        self.reads.append(name)
        return self.values_[name]

    def __contains__(self, name: object) -> bool:
        return name in self.values_

    def __iter__(self) -> Iterator[str]:
        return iter(self.values_)

    def __len__(self) -> int:
        return len(self.values_)

    def __deepcopy__(self, memo: object) -> "Counting":
        return self


def led(n: int, seed: int = 1) -> Cases:
    data = datasets.led(n, seed=seed)
    rows = data.X.astype(int).tolist()
    return [(dict(zip(data.feature_names, row, strict=True)), y) for row, y in zip(rows, data.y.tolist(), strict=True)]


def mixed(n: int, seed: int = 0) -> Cases:
    """Cases with features of every kind, of which some appear late and some values are missing."""
    chance, cases = random.Random(seed), []
    for i in range(n):
        y = chance.choice("abc" if i > n // 3 else "ab")
        x: dict[str, Any] = {
            "text": chance.choice(["red", "green"]) if y == "a" else chance.choice(["blue", "green"]),
            "number": chance.gauss(2.0 * (y == "b"), 1),
            "bit": int(chance.random() < (0.9 if y == "c" else 0.2)),
            "noise": chance.random(),
        }
        if i > n // 2:
            x["late"] = chance.choice([y, "?"])
        if chance.random() < 0.1:
            x[chance.choice(list(x))] = chance.choice([None, math.nan])
        cases.append((x, y))
    return cases


def run(model: UFODTClassifier, cases: Cases) -> list[Any]:
    predicted = []
    for x, y in cases:
        predicted.append(model.predict_one(x))
        model.learn_one(x, y)
    return predicted


def share_right(predicted: list[Any], cases: Cases) -> float:
    return float(np.mean([p == y for p, (_, y) in zip(predicted, cases, strict=True)]))


# --- river's own checks ------------------------------------------------------------------------------


def test_no_check_is_skipped_and_there_are_as_many_as_river_has() -> None:
    assert all(model._unit_test_skips() == set() for model in MODELS.values())
    assert len(CHECKS) >= 2 * 53


@pytest.mark.parametrize(("name", "check"), CHECKS, ids=[f"{name}-{check.__name__}" for name, check in CHECKS])
def test_every_check_of_river_passes(name: str, check: Any) -> None:
    check(MODELS[name].clone())


def test_it_is_a_classifier_of_river_with_several_labels() -> None:
    model = UFODTClassifier()
    assert isinstance(model, base.Classifier) and model._multiclass
    metrics.Accuracy().works_with(model)


# --- what is read is what is paid ----------------------------------------------------------------------


@pytest.mark.parametrize("name", LEARNERS)
def test_reads_are_what_the_record_says_was_paid_for_every_criterion_and_preset(name: str) -> None:
    learner = make(name)
    X, y = stream_of(name, 4, 150, missing=0.1)
    model = UFODTClassifier(problem=learner.problem, **{key: getattr(learner, key) for key in SETTINGS})
    rows = [Counting({n: v for n, v in zip(NAMES, row, strict=True) if v is not None}) for row in X]
    predicted = []
    for row, label in zip(rows, y, strict=True):
        predicted.append(model.predict_one(row))
        model.predict_proba_one(row)
        model.learn_one(row, label)
    record = learner.run(X, y)
    ends = record.n_asked.cumsum()
    asked = [[NAMES[f] for f in record.asked[e - n : e]] for e, n in zip(ends, record.n_asked, strict=True)]
    assert [row.reads for row in rows] == asked
    assert predicted == record.predicted.tolist()
    assert model.ledger.n_cases == 150
    assert model.ledger.n_questions == record.n_asked.sum()
    assert model.ledger.spent == pytest.approx(record.cost.sum())
    assert model.learner is not None
    assert learned_of(model.learner) == learned_of(learner)


@pytest.mark.parametrize("name", LEARNERS)
def test_reads_are_what_the_ledger_says_when_everything_joins_on_the_way(name: str) -> None:
    settings = {key: getattr(make(name), key) for key in SETTINGS}
    prices = {"text": 0.02, "late": 0.005, "others": 0.01}  # the stop rule of some takes a mistake to be worth 1
    model = UFODTClassifier(prices, **settings)
    n_reads, spent = 0, 0.0
    for x, y in mixed(150):
        row = Counting({name: value for name, value in x.items() if value is not None and value == value})
        model.predict_one(row)
        model.learn_one(row, y)
        assert len(set(row.reads)) == len(row.reads)
        n_reads, spent = n_reads + len(row.reads), spent + sum(prices.get(name, 0.01) for name in row.reads)
        assert model.ledger[1:] == (n_reads, pytest.approx(spent))
    assert n_reads > 0


@pytest.mark.parametrize("name", ["text", "number", "bit", "late"])
@pytest.mark.parametrize("missing", [None, math.nan, np.float64("nan"), "absent"])
def test_what_is_missing_is_not_paid_and_teaches_nothing(name: str, missing: Any) -> None:
    model = UFODTClassifier(stop=stop.budget(9), seed=1)
    run(model, mixed(200))
    before = model.ledger
    x = {n: v for n, v in mixed(200)[-1][0].items() if n == name}
    x[name] = missing
    if missing == "absent":
        del x[name]
    assert sum(model.predict_proba_one(x).values()) == pytest.approx(1)
    model.learn_one(x, "a")
    assert model.ledger == (before.n_cases + 1, before.n_questions, before.spent)


def test_a_row_can_have_prices_of_its_own() -> None:
    model = UFODTClassifier(stop=stop.budget(100), seed=1)
    run(model, led(50))
    before = model.ledger.spent
    row = LazyRow(led(1)[0][0], prices={name: 7.0 for name in led(1)[0][0]} | {"unknown": 1.0})
    model.predict_one(row)
    assert model.ledger.spent - before == 7.0 * len(row.fetched) > 0
    dear = LazyRow(led(1)[0][0], prices=dict.fromkeys(led(1)[0][0], 101.0))
    model.predict_one(dear)
    assert not dear.fetched


def test_a_group_shares_its_price() -> None:
    costs = {name: {"price": 3.0, "group": "lab", "later": 1.0} for name in led(1)[0][0]}
    model = UFODTClassifier(costs, stop=stop.confidence(1.0), seed=1)
    run(model, led(30))
    before = model.ledger
    model.predict_one(led(1)[0][0])
    after = model.ledger
    assert after.spent - before.spent == 3.0 + (after.n_questions - before.n_questions - 1)


# --- one case, one payment -----------------------------------------------------------------------------


def paid_by(model: UFODTClassifier, work: Any) -> int:
    before = model.ledger.n_questions
    work()
    return model.ledger.n_questions - before


@pytest.fixture
def model() -> UFODTClassifier:
    model = UFODTClassifier(stop=stop.budget(4), seed=3)
    run(model, led(60))
    return model


@pytest.mark.parametrize("kind", [dict, LazyRow, Counting])
def test_predicting_twice_and_learning_pay_once(model: UFODTClassifier, kind: Any) -> None:
    x, y = led(70)[-1]
    row = kind(x)
    assert paid_by(model, lambda: model.predict_one(row)) == 4
    assert paid_by(model, lambda: model.predict_proba_one(row)) == 0
    assert paid_by(model, lambda: model.learn_one(row, y)) == 0
    assert paid_by(model, lambda: model.predict_one(row)) == 4  # the case is closed; this is another one


def test_what_was_never_predicted_is_paid_for_as_a_prediction_would_be(model: UFODTClassifier) -> None:
    twin = copy.deepcopy(model)
    x, y = led(70)[-1]
    twin.predict_one(x)
    twin.learn_one(x, y)
    assert paid_by(model, lambda: model.learn_one(x, y)) == 4
    assert model.ledger == twin.ledger and model.learner is not None and twin.learner is not None
    assert learned_of(model.learner) == learned_of(twin.learner)


def test_a_dictionary_that_is_filled_anew_is_another_case(model: UFODTClassifier) -> None:
    x = dict(led(70)[-1][0])
    model.predict_one(x)
    for name in x:
        x[name] = 1 - x[name]
    assert paid_by(model, lambda: model.predict_one(x)) == 4
    for name in x:
        x[name] = 1 - x[name]
    assert paid_by(model, lambda: model.learn_one(x, 3)) == 4


def test_a_copy_is_the_same_case(model: UFODTClassifier) -> None:
    x, y = led(70)[-1]
    model.predict_one(copy.deepcopy(x))
    assert paid_by(model, lambda: model.learn_one(x, y)) == 0
    assert not model._open


def test_a_ticket_names_a_case_whatever_comes(model: UFODTClassifier) -> None:
    (x, y), (other, _) = led(70)[-2:]
    assert paid_by(model, lambda: model.predict_one(x, ticket="case 1")) == 4
    assert paid_by(model, lambda: model.predict_one(x, ticket="case 2")) == 4
    assert paid_by(model, lambda: model.learn_one(other, y, ticket="case 1")) == 0
    assert paid_by(model, lambda: model.learn_one({}, y, ticket="case 2")) == 0


@pytest.mark.parametrize("delay", [None, 1, 20, "random"])
@pytest.mark.parametrize("way", ["dict", "lazy", "ticket"])
def test_a_case_is_paid_once_whenever_its_label_comes(delay: Any, way: str) -> None:
    cases = led(300)
    if way == "lazy":
        rows: Any = [(LazyRow(x), y) for x, y in cases]
    else:
        rows = [(x, y, {"ticket": i}) if way == "ticket" else (x, y) for i, (x, y) in enumerate(cases)]
    chance = random.Random(5)
    model = UFODTClassifier(seed=1)
    wait = (lambda *_: chance.randrange(40)) if delay == "random" else delay
    evaluate.progressive_val_score(iter(rows), model, metrics.Accuracy(), delay=wait)
    assert model.ledger.n_cases == 300
    assert not model._open
    if way == "lazy":
        assert model.ledger.n_questions == sum(len(row.fetched) for row, _ in rows)


def test_a_delay_costs_little_accuracy() -> None:
    cases = led(3000)
    scores = [
        evaluate.progressive_val_score(iter(cases), UFODTClassifier(seed=1), metrics.Accuracy(), delay=delay).get()
        for delay in (None, 50)
    ]
    assert scores[0] > 0.70 and scores[1] > 0.67


def test_predictions_that_wait_are_bounded() -> None:
    model = UFODTClassifier(max_open=10, seed=1)
    run(model, led(50))
    for x, _ in led(100, seed=2):
        model.predict_one(LazyRow(x))
    assert len(model._open) == 10


def test_the_ledger_is_read_beside_any_metric() -> None:
    model = UFODTClassifier(seed=1)
    spent = [
        model.ledger.spent / step["Step"]
        for step in evaluate.iter_progressive_val_score(iter(led(900)), model, metrics.MacroF1(), step=300)
    ]
    assert len(spent) == 3 and all(0 < s < 7 for s in spent)
    assert isinstance(model.ledger, Ledger)


# --- inside river ----------------------------------------------------------------------------------------


def test_it_works_behind_transformers_and_pays_once_there_too() -> None:
    cases = led(400)
    model = UFODTClassifier(seed=1)
    chosen = list(cases[0][0])[:5]
    pipeline = compose.Select(*chosen) | model
    evaluate.progressive_val_score(iter(cases), pipeline, metrics.Accuracy())
    assert model.ledger.n_cases == 400 and not model._open
    assert model.learner is not None
    assert [f.name for f in model.learner.problem.features] == sorted(chosen)
    scaled = preprocessing.StandardScaler() | UFODTClassifier(seed=1)
    assert evaluate.progressive_val_score(Phishing().take(600), scaled, metrics.Accuracy()).get() > 0.8


@pytest.mark.parametrize("criterion", ["ig", "ec2"])
def test_reading_a_value_may_lead_to_another_case_of_the_same_model(criterion: str) -> None:
    cases = mixed(120, seed=5)
    plain, nested = UFODTClassifier(criterion=criterion, seed=3), UFODTClassifier(criterion=criterion, seed=3)
    assert run(plain, cases) == run(nested, cases)
    asked: list[Any] = []

    def fetch(name: str) -> Any:
        asked.append((name, nested.predict_one(dict(cases[len(asked)][0]))))
        return cases[0][0].get(name)

    row = LazyRow(fetch, names=cases[0][0])
    probabilities = plain.predict_proba_one(LazyRow(cases[0][0]))
    assert nested.predict_proba_one(row) == probabilities and asked
    assert list(row.fetched) == [name for name, _ in asked]


def test_it_needs_no_scaler() -> None:
    score = evaluate.progressive_val_score(Phishing(), UFODTClassifier(seed=1), metrics.ROCAUC())
    assert score.get() > 0.9


def test_wrappers_clone_it_without_what_it_learned() -> None:
    model = UFODTClassifier(costs={"a": 2.0}, stop=stop.budget(3.0), drift=drift.auto(), seed=4)
    run(model, led(50))
    fresh = model.clone({"seed": 5})
    assert (fresh.costs, fresh.stop, fresh.drift, fresh.seed) == ({"a": 2.0}, stop.budget(3.0), drift.auto(), 5)
    assert fresh.learner is None and fresh.ledger == (0, 0, 0.0)


def test_a_pickle_goes_on_as_the_original_would_with_cases_still_open() -> None:
    cases = mixed(300)
    model = UFODTClassifier(thresholds=thresholds.exp3(3), drift=drift.auto(), seed=1)
    run(model, cases[:200])
    waiting = cases[200:220]
    for i, (x, _) in enumerate(waiting):
        model.predict_one(x, **({"ticket": i} if i % 2 else {}))
    twin = pickle.loads(pickle.dumps(model))
    for one in (model, twin):
        for i, (x, y) in enumerate(waiting):
            one.learn_one(dict(x), y, **({"ticket": i} if i % 2 else {}))
    assert model.ledger == twin.ledger and not twin._open
    assert run(model, cases[220:]) == run(twin, cases[220:])
    assert learned_of(model.learner) == learned_of(twin.learner)


# --- what joins on the way -------------------------------------------------------------------------------


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


# --- bad input ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("work", "error", "says"),
    [
        (lambda: UFODTClassifier(max_open=0), InvalidPolicy, "max_open=0"),
        (lambda: UFODTClassifier(criterion="best"), InvalidPolicy, "no criterion 'best'"),
        (lambda: UFODTClassifier(costs=-1.0), InvalidProblem, "price -1.0 came"),
        (lambda: UFODTClassifier(costs={"others": "dear"}), InvalidProblem, "price 'dear' came"),
        (lambda: UFODTClassifier(costs={"fever": -1}), InvalidProblem, "fever: price -1 came"),
        (lambda: UFODTClassifier(seed=-1), InvalidPolicy, "seed of -1"),
        (lambda: UFODTClassifier(prior=Prior(experts=[Expert("a", 0, 0.5, 1)])), InvalidProblem, "`problem=`"),
        (lambda: UFODTClassifier(problem="x"), InvalidProblem, "'x' came as the problem"),
        (lambda: UFODTClassifier().predict_one([1]), InvalidValue, "expected a mapping"),
        (lambda: UFODTClassifier().learn_one({}, None), InvalidValue, "None came as a label"),
        (lambda: UFODTClassifier().learn_one({}, math.nan), InvalidValue, "nan came as a label"),
        (lambda: UFODTClassifier().learn_one({}, [1]), InvalidValue, r"\[1\] came as a label"),
        (lambda: LazyRow(len), InvalidValue, "together with the `names`"),
    ],
)
def test_bad_input_is_refused_in_words(work: Any, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        work()


@pytest.mark.parametrize("value", ["text", math.inf, [1], np.array([1, 2])])
def test_a_number_that_is_none_is_refused_and_costs_nothing(value: Any) -> None:
    model = UFODTClassifier(stop=stop.budget(9), seed=1)
    for i in range(40):
        model.learn_one({"x": i / 7}, i % 2)
    before = pickle.dumps(model)
    with pytest.raises(InvalidValue, match="x: value"):
        model.predict_one({"x": value})
    assert pickle.dumps(model) == before


def test_a_closed_problem_stays_as_it_is() -> None:
    problem = Problem([Binary("bit"), Categorical("text", ["a", "b"])], labels=["x", "y"])
    model = UFODTClassifier(problem=problem, stop=stop.budget(9), seed=1)
    model.learn_one({"bit": 1, "text": "a", "more": 3}, "x")
    assert model.learner is not None and model.learner.problem == problem
    with pytest.raises(UnknownLabel, match="no label 'z'"):
        model.learn_one({"bit": 1}, "z")
    with pytest.raises(InvalidValue, match="text: value 'c' came"):
        model.predict_one({"bit": 1, "text": "c"})
    with pytest.raises(InvalidValue, match="bit: value 2 came"):
        model.predict_one({"bit": 2, "text": "a"})


def test_a_lazy_row_fetches_what_is_read_and_nothing_after_it_is_closed() -> None:
    fetched: list[str] = []
    row = LazyRow(lambda name: fetched.append(name) or len(fetched), names=["a", "b"])
    assert "a" in row and len(row) == 2 and set(row) == {"a", "b"} and not fetched
    assert row["b"] == row["b"] == 1 and fetched == ["b"]
    assert copy.deepcopy(row) is row
    row.close()
    assert list(row) == ["b"] and "a" not in row
    with pytest.raises(KeyError):
        row["a"]


# --- the demonstration -------------------------------------------------------------------------------------


def test_trees_that_are_given_only_what_they_read_stay_at_chance_and_ours_learns_as_the_readme_says() -> None:
    readme = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
    code = re.search(r"^```python\n(from river import tree\n.*?)^```", readme, re.MULTILINE | re.DOTALL)
    assert code is not None
    names: dict[str, Any] = {}
    exec(code[1].partition("print(")[0], names)
    trees = {
        "VFDT": tree.HoeffdingTreeClassifier(),
        "VFDT with majority leaves": tree.HoeffdingTreeClassifier(leaf_prediction="mc"),
        "EFDT": tree.ExtremelyFastDecisionTreeClassifier(),
        "HAT": tree.HoeffdingAdaptiveTreeClassifier(seed=1),
    }
    assert {name: round(names["accuracy"](model), 1) for name, model in trees.items()} == dict.fromkeys(trees, 0.1)
    assert round(names["accuracy"](UFODTClassifier(seed=7)), 2) == 0.74
    assert "# 0.10:" in code[1] and "# 0.74:" in code[1]


def test_the_dataset_may_be_a_stream_of_river() -> None:
    X, y = np.array([[0, 1], [1, 0]] * 50), np.array([0, 1] * 50)
    score = evaluate.progressive_val_score(stream.iter_array(X, y), UFODTClassifier(seed=1), metrics.Accuracy())
    assert score.get() > 0.9


def test_the_learner_behind_it_can_be_saved(tmp_path: Any) -> None:
    from ufodt import load

    model = UFODTClassifier(seed=1)
    run(model, mixed(200))
    assert isinstance(model.learner, UFODT)
    model.learner.save(tmp_path / "model.npz")
    assert learned_of(load(tmp_path / "model.npz")) == learned_of(model.learner)
