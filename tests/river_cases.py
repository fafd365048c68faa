"""Cases as river gives them, and a row that notes what is read."""

import math
import random
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from ufodt.lab import datasets
from ufodt.river import UFODTClassifier

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
