"""Laws of learning and of repeating that every learner keeps, whatever its criterion, stop rule and preset."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ufodt
from ufodt import UFODT, Continuous, Problem
from ufodt.drift import Drift
from ufodt.errors import InvalidValue

from .cases import (
    COUNTING,
    LEARNERS,
    digest,
    every_learner,
    every_learner_that_counts,
    go_through,
    learned,
    learned_of,
    make,
    row_of,
    state,
    stream_of,
    walk,
)

ROOT = Path(__file__).parents[1]


def evidence_of(name: str, n: int = 40) -> list[tuple[Any, Any]]:
    learner, (X, y) = make(name), stream_of(name, 15, n, missing=0.1)
    pairs = []
    for values, label in zip(X, y, strict=True):
        session = learner.open()
        walk(session, row_of(values))
        pairs.append((session.evidence, label))
    return pairs


@every_learner_that_counts
def test_labels_may_arrive_in_any_order(name: str) -> None:
    """But for how far answers are trusted: that is judged by what was believed when a label came."""
    pairs = evidence_of(name)
    in_order, shuffled = make(name), make(name)
    for evidence, label in pairs:
        in_order.learn(evidence, label)
    for i in np.random.default_rng(16).permutation(len(pairs)):
        shuffled.learn(*pairs[i])
    assert learned_of(shuffled, trust=False) == learned_of(in_order, trust=False) != learned_of(make(name), trust=False)
    shuffled._belief.set_temper(in_order.belief.temper)
    assert digest(shuffled) == digest(in_order)


@every_learner
def test_replaying_the_evidence_through_json_restores_the_belief_bit_for_bit(name: str) -> None:
    learner, replayed, (X, y) = make(name), make(name), stream_of(name, 17, 40, missing=0.1)
    journal = []
    for values, label in zip(X, y, strict=True):
        session = learner.open(known={"stay": 1})
        walk(session, row_of(values))
        learner.learn(session.evidence, label)
        journal.append(json.dumps({"evidence": session.evidence, "label": label}))
    for line in journal:
        entry = json.loads(line)
        replayed.learn(entry["evidence"], entry["label"])
    assert learned_of(replayed) == learned_of(learner) != learned_of(make(name))


@pytest.mark.parametrize("name", [n for n in LEARNERS if make(n).drift == Drift() and not make(n).selection.size])
def test_learning_a_table_equals_learning_its_rows_one_by_one(name: str) -> None:
    """History has no order to forget by, nothing to select from, no threshold in use, and was answered by nobody.

    Pairs of a table are counted between the cut points that it leads to.
    """
    X, y = stream_of(name, 18, 60, missing=0.3)
    y[::6] = [None] * len(y[::6])
    in_bulk, one_by_one = make(name), make(name)
    in_bulk.learn_many(X, y)
    for values, label in zip(X, y, strict=True):
        if label is not None:
            known = {feature: value for feature, value in row_of(values).items() if value is not None}
            evidence = one_by_one.open(known=known).evidence
            one_by_one.learn({k: v for k, v in evidence.items() if k not in ("thresholds", "rewards")}, label)  # type: ignore
    pairs = name in COUNTING
    assert learned_of(in_bulk, trust=False, pairs=pairs) == learned_of(one_by_one, trust=False, pairs=pairs)


@every_learner_that_counts
def test_merging_two_halves_equals_learning_the_whole(name: str) -> None:
    """But for how far answers are trusted: each half was judged by what was believed then."""
    X, y = stream_of(name, 19, 60)
    whole, first, second = make(name), make(name), make(name, seed=8)
    whole.learn_many(X, y)
    first.learn_many(X[:20], y[:20])
    second.learn_many(X[20:], y[20:])
    first.merge(second)
    assert learned_of(first, trust=False) == learned_of(whole, trust=False)
    first._belief.set_temper(whole.belief.temper)
    assert digest(first) == digest(whole)


@every_learner_that_counts
def test_a_table_counted_as_a_whole_is_one_learned_row_by_row(name: str) -> None:
    X, y = stream_of(name, 25, 90, missing=0.2)
    labels = [None if i % 7 == 0 else label for i, label in enumerate(y)]
    whole, by_row = make(name), make(name)
    whole.learn_many(X, labels, weights=np.ones(90))
    by_row.learn_many(X, labels)
    assert learned_of(whole) == learned_of(by_row)


@every_learner
def test_a_weight_is_so_many_rows_in_any_order(name: str) -> None:
    X, y = stream_of(name, 26, 200, missing=0.1)
    weights = np.arange(200) % 4
    order = np.random.default_rng(3).permutation(200)
    weighted, repeated = make(name), make(name)
    for learner in (weighted, repeated):
        learner.learn_many(X[:50], y[:50], weights=np.ones(50))
    weighted.learn_many(X[order], [y[i] for i in order], weights=weights[order])
    labels = [label for label, n in zip(y, weights, strict=True) for _ in range(n)]
    repeated.learn_many(X.repeat(weights, axis=0), labels, weights=np.ones(weights.sum()))
    assert learned_of(weighted) == learned_of(repeated)


@pytest.mark.parametrize(
    "weights",
    [[1.0], [1.0, -1.0], [1.0, float("nan")], ["a", "b"], 1.0, ["1", "2"], [1j, 1.0], [1e19, 1e18], [1e308, 1e308]],
)
def test_weights_that_do_not_fit_are_refused_and_nothing_is_learned(weights: Any) -> None:
    learner = make("ours-ig")
    X, y = stream_of("ours-ig", 1, 2)
    before = state(learner)
    with pytest.raises(InvalidValue, match="[Ww]eight"):
        learner.learn_many(X, y, weights=weights)
    assert state(learner) == before


@every_learner
def test_a_saved_learner_goes_on_as_if_it_had_never_stopped(name: str, tmp_path: Path) -> None:
    learner, (X, y) = learned(name), stream_of(name, 20, 10)
    go_through(learner, X, y)
    learner.save(tmp_path / "model.npz")
    loaded = ufodt.load(tmp_path / "model.npz")
    for setting in ("problem", "policy", "prior", "thresholds", "drift", "selection", "seed"):
        assert getattr(loaded, setting) == getattr(learner, setting)
    assert state(loaded) == state(learner)
    assert digest(loaded) == digest(learner)


@pytest.mark.parametrize("name", sorted(set(LEARNERS) - {"ours-sure"}))  # under the mean belief nothing is drawn
def test_another_seed_gives_another_run(name: str) -> None:
    assert digest(make(name, seed=7)) != digest(make(name, seed=8))


FRESH = """
import json, sys
import ufodt
from ufodt import UFODT, Continuous, Problem
from tests.cases import LEARNERS, digest, make
print(json.dumps({
    "made": {name: digest(make(name)) for name in LEARNERS},
    "loaded": {name: digest(ufodt.load(f"{sys.argv[1]}/{name}.npz")) for name in LEARNERS},
}))
"""


def test_another_process_does_the_same_from_a_seed_and_from_a_file(tmp_path: Path) -> None:
    for name in LEARNERS:
        learned(name).save(tmp_path / f"{name}.npz")
    environment = {**os.environ, "PYTHONHASHSEED": "12345"}
    done = subprocess.run(
        [sys.executable, "-c", FRESH, str(tmp_path)], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    there = json.loads(done.stdout)
    assert there["made"] == {name: digest(make(name)) for name in LEARNERS}
    assert there["loaded"] == {name: digest(learned(name)) for name in LEARNERS}


def test_a_zero_is_a_zero_whatever_its_sign_and_place() -> None:
    problem = Problem([Continuous("a")], labels=[0, 1])
    one, other = UFODT(problem), UFODT(problem)
    one.learn_many([[0.0], [-0.0], [1.0]], [0, 1, 1], weights=[1, 1, 1])
    other.learn_many([[-0.0], [0.0], [1.0]], [1, 0, 1], weights=[1, 1, 1])
    assert learned_of(one) == learned_of(other)
