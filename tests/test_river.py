"""The adapter to river: river's own checks, its pipelines and wrappers, and bad input."""

import copy
import math
import pickle
import re
import subprocess
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from river import base, checks, compose, evaluate, metrics, preprocessing, stream, tree
from river.datasets import Phishing

from ufodt import UFODT, Binary, Categorical, Continuous, Expert, Prior, Problem, drift, stop, thresholds
from ufodt.errors import InvalidPolicy, InvalidProblem, InvalidValue, UnknownLabel
from ufodt.prior import paper as printed_prior
from ufodt.river import LazyRow, UFODTClassifier

from .cases import learned_of
from .river_cases import led, mixed, run

MODELS = {
    "default": UFODTClassifier(),
    "printed": UFODTClassifier.paper(n_hypotheses=40, thresholds=thresholds.paper("exp3", 5)),
}
CHECKS = [(name, check) for name, model in MODELS.items() for check in checks.yield_checks(model)]


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


def test_a_lazy_row_needs_no_river_and_one_in_a_pickle_neither() -> None:
    row = LazyRow({"a": 1, "b": 2}, prices={"a": 3.0})
    assert row["a"] == 1
    code = (
        "import pickle, sys; row = pickle.load(sys.stdin.buffer); "
        "print(row.fetched, row['b'], row.prices, {'river', 'ufodt.river'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], input=pickle.dumps(row), capture_output=True, check=True)
    assert done.stdout.decode().strip() == "{'a': 1, 'b': 2} 2 {'a': 3.0} set()"


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


def test_a_value_that_pandas_calls_missing_is_missing() -> None:
    def after(missing: Any) -> UFODTClassifier:
        model = UFODTClassifier(seed=1)
        for i in range(30):
            for x in ({"x": 0.1 * i, "z": "a"}, {"x": missing, "z": "b"}, {"x": 0.1, "z": missing}):
                model.predict_one(x)
                model.predict_one({"x": 1.0, "z": "a"})
                model.learn_one(dict(x), i % 2)
        refilled = {"x": 0.1, "z": "a"}
        model.predict_one(refilled)
        refilled.update(x=missing, z=missing)
        model.learn_one(refilled, 1)
        return model

    pandas, plain = after(pd.NA), after(None)
    assert pandas.ledger == plain.ledger and pandas.ledger.n_questions > 0
    assert learned_of(pandas.learner) == learned_of(plain.learner)


@pytest.mark.parametrize("value", [2**60 + 1, Decimal("0.1")])
def test_a_case_is_paid_for_once_though_its_number_is_no_float(value: Any) -> None:
    problem = Problem([Continuous("x"), Binary("b")], labels=[0, 1])
    model = UFODTClassifier(problem=problem, seed=1)
    for i in range(60):
        x = {"x": value + i, "b": i % 2}
        model.predict_one(x)
        model.predict_proba_one(x)
        model.learn_one(x, i % 2)
    assert model.ledger.n_cases == 60


def test_the_printed_algorithm_takes_a_prior() -> None:
    prior = Prior(count=2.0, learns_labels=False)
    assert UFODTClassifier.paper(n_hypotheses=16, prior=prior).prior == prior
    assert UFODTClassifier.paper(n_hypotheses=16).prior == printed_prior()
