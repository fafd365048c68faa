"""The adapter to river: what is read is what is paid, once for each case."""

import copy
import math
import pickle
import random
from collections import Counter, OrderedDict, defaultdict
from typing import Any

import numpy as np
import pytest
from river import evaluate, metrics

from ufodt import Binary, Problem, stop
from ufodt.errors import InvalidValue, UnknownFeature
from ufodt.river import LazyRow, Ledger, UFODTClassifier

from .cases import LEARNERS, NAMES, learned_of, make, stream_of
from .river_cases import Counting, led, mixed, run

SETTINGS = ("policy", "prior", "thresholds", "drift", "selection", "seed")


@pytest.mark.parametrize("name", LEARNERS)
def test_reads_are_what_the_record_says_was_paid_for_every_criterion_and_preset(name: str) -> None:
    learner = make(name)
    X, y = stream_of(name, 4, 150, missing=0.1)
    model = UFODTClassifier(problem=learner.problem, **{key: getattr(learner, key) for key in SETTINGS})
    assert model.learner is not None
    model.learner._belief.set_temper(learner.belief.temper)  # is no setting, and not zero where pairs are in use
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


def test_prices_of_a_row_that_cannot_be_meant_are_refused() -> None:
    with pytest.raises(InvalidValue, match="3 came for the prices of a case"):
        LazyRow({"a": 1}, prices=3)  # type: ignore[arg-type]
    model = UFODTClassifier(problem=Problem([Binary("a")], labels=[0, 1]), seed=1)
    model.learn_one({"a": 1}, 1)
    with pytest.raises(UnknownFeature, match="There is no feature 'A'; the problem has 'a'"):
        model.predict_one(LazyRow({"a": 1}, prices={"A": 100.0}))


def test_a_group_shares_its_price() -> None:
    costs = {name: {"price": 3.0, "group": "lab", "later": 1.0} for name in led(1)[0][0]}
    model = UFODTClassifier(costs, stop=stop.confidence(1.0), seed=1)
    run(model, led(30))
    before = model.ledger
    model.predict_one(led(1)[0][0])
    after = model.ledger
    assert after.spent - before.spent == 3.0 + (after.n_questions - before.n_questions - 1)


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


@pytest.mark.parametrize("kind", [OrderedDict, Counter, lambda x: defaultdict(int, x)])
def test_a_copy_of_any_dictionary_that_holds_its_values_is_the_same_case(model: UFODTClassifier, kind: Any) -> None:
    x, y = led(70)[-1]
    model.predict_one(kind(x))
    assert paid_by(model, lambda: model.learn_one(dict(reversed(x.items())), y)) == 0
    assert not model._open


def test_a_case_that_waits_may_have_come_in_a_dictionary_that_cannot_be_copied(model: UFODTClassifier) -> None:
    x, y = led(70)[-1]
    model.predict_one(defaultdict(lambda: 0, x))
    twin = pickle.loads(pickle.dumps(model))
    assert paid_by(twin, lambda: twin.learn_one(dict(x), y)) == 0


def test_a_dictionary_that_may_fetch_its_values_is_known_by_itself_alone(model: UFODTClassifier) -> None:
    class Fetching(dict):  # type: ignore[type-arg]
        pass

    x, y = led(70)[-1]
    model.predict_one(Fetching(x))
    assert paid_by(model, lambda: model.learn_one(Fetching(x), y)) == 4
    for predicted, learned in ((Fetching, dict), (dict, Fetching)):
        model.predict_one(predicted(x))
        assert paid_by(model, lambda kind=learned: model.learn_one(kind(x), y)) > 0  # type: ignore[misc]


def test_a_lazy_row_stays_itself_in_any_copy() -> None:
    row = LazyRow({"a": 1})
    assert copy.copy(row) is row and copy.deepcopy(row) is row


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
