"""A manifest that describes no learner is refused."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import ufodt
from ufodt import model_file
from ufodt.errors import InvalidModelFile

from .archive import edit, rewrite

CHANGES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "no problem": lambda m: m.pop("problem"),
    "problem is a list": lambda m: m.update(problem=[]),
    "no features": lambda m: m["problem"].update(features=[]),
    "features are numbers": lambda m: m["problem"].update(features=[1, 2]),
    "feature of no kind": lambda m: m["problem"]["features"][0].pop("kind"),
    "feature of another kind": lambda m: m["problem"]["features"][0].update(kind="Ternary"),
    "feature with a field too many": lambda m: m["problem"]["features"][0].update(colour="red"),
    "negative price": lambda m: m["problem"]["features"][0].update(price=-1),
    "one label": lambda m: m["problem"].update(labels=["one"]),
    "loss not square": lambda m: m["problem"].update(loss=[[0, 1]]),
    "unknown criterion": lambda m: m["policy"].update(criterion="voi"),
    "no stop": lambda m: m["policy"].pop("stop"),
    "stop is a word": lambda m: m["policy"].update(stop="region"),
    "stop without children": lambda m: m["policy"]["stop"].pop("children"),
    "too many hypotheses": lambda m: m["policy"].update(n_hypotheses=10**9),
    "distinct is a word": lambda m: m["policy"].update(distinct="no"),
    "unknown setting": lambda m: m["policy"].update(colour="red"),
    "prior of nothing": lambda m: m["prior"].update(count=0),
    "prior is null": lambda m: m.update(prior=None),
    "unknown expert": lambda m: m["prior"].update(experts=[["nobody", "flu", 0.5, 1]]),
    "seed is a word": lambda m: m.update(seed="7"),
    "negative seed": lambda m: m.update(seed=-7),
    "no n_opened": lambda m: m.pop("n_opened"),
    "negative n_opened": lambda m: m.update(n_opened=-1),
    "other format": lambda m: m.update(format="npz"),
    "other thresholds": lambda m: m["thresholds"].update(kind="quantiles"),
    "no thresholds": lambda m: m.pop("thresholds"),
    "drift of 2": lambda m: m["drift"].update(gamma=2),
    "selection of -1": lambda m: m["selection"].update(size=-1),
    "currencies are a list": lambda m: m["problem"].update(currencies=["euro"]),
    "surcharge is a number": lambda m: m["problem"]["features"][0].update(surcharge=3),
    "mandatory is a word": lambda m: m["problem"]["features"][0].update(mandatory="yes"),
    "needs itself": lambda m: m["problem"]["features"][0].update(needs=["fever"]),
    "labels are a word": lambda m: m["problem"].update(labels="abc"),
    "label is null": lambda m: m["problem"].update(labels=["healthy", "flu", None]),
    "no sketches": lambda m: m.pop("sketches"),
    "sketches are a list": lambda m: m.update(sketches=[]),
    "sketches of nothing": lambda m: m.update(sketches={}),
    "a sketch is missing": lambda m: m["sketches"]["belief"].pop(),
    "a sketch is a number": lambda m: m["sketches"]["belief"].__setitem__(0, 3),
    "a sketch of -1 cells": lambda m: m["sketches"]["belief"].__setitem__(0, [0, -1, 0]),
    "a sketch without end": lambda m: m["sketches"]["belief"].__setitem__(0, [0, 10**15, 0]),
    "a sketch with half a cut": lambda m: m["sketches"]["belief"].__setitem__(0, [0.5, 0, 0]),
    "no drift state": lambda m: m.pop("drift_state"),
    "drift state is null": lambda m: m.update(drift_state=None),
    "drift state of no feature": lambda m: m.update(drift_state=[0.0] * 5 + [0, 0, [[[[99, 0, 0.0, -1]], 0]]]),
    "drift state of no label": lambda m: m.update(drift_state=[0.0] * 5 + [0, 0, [[[[0, 0, 0.0, -1]], 99]]]),
    "drift state of no outcome": lambda m: m.update(drift_state=[0.0] * 5 + [0, 0, [[[[0, 9, 0.0, -1]], 0]]]),
    "unknown stop rule": lambda m: m["policy"].update(stop={"kind": "soon", "value": None, "children": []}),
    "any of nothing": lambda m: m["policy"].update(stop={"kind": "any", "value": None, "children": []}),
    "confidence of 7": lambda m: m["policy"].update(stop={"kind": "confidence", "value": 7, "children": []}),
    "budget of null": lambda m: m["policy"].update(stop={"kind": "budget", "value": None, "children": []}),
    "short expert": lambda m: m["prior"].update(experts=[["fever"]]),
    "odd label shares": lambda m: m["prior"].update(labels=[["flu"]]),
    "missing cells are a text": lambda m: m.update(missing="-9"),
    "a missing cell is a number": lambda m: m.update(missing=[-9]),
    "price without end": lambda m: m["problem"]["features"][0].update(price=10**400),
}


@pytest.mark.parametrize("change", [pytest.param(change, id=name) for name, change in CHANGES.items()])
def test_a_manifest_that_describes_no_learner_is_refused(path: Path, change: Callable[[dict[str, Any]], Any]) -> None:
    edit(path, change)
    with pytest.raises(InvalidModelFile, match="model.npz"):
        ufodt.load(path)


def test_a_manifest_of_a_giant_is_refused_before_it_is_made(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_file, "MAX_ARRAY_BYTES", 8 * 15 * 3 - 1)
    with pytest.raises(InvalidModelFile, match="manifest does not describe a learner.*no model is that big"):
        ufodt.load(path)


@pytest.mark.parametrize("text", [b"[]", b"7", b'"ufodt model"', b"null"])
def test_a_manifest_that_is_no_table_is_refused(path: Path, text: bytes) -> None:
    rewrite(path, manifest=text)
    with pytest.raises(InvalidModelFile):
        ufodt.load(path)


@pytest.mark.parametrize("text", [b"", b"<html>", b"\xff\xfe{", b"[" * 100_000], ids=["empty", "html", "bytes", "deep"])
def test_a_manifest_that_is_no_json_is_refused(path: Path, text: bytes) -> None:
    rewrite(path, manifest=text)
    with pytest.raises(InvalidModelFile):
        ufodt.load(path)
