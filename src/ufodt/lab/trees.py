"""Figures of river's trees, which do not depend on our code: computed once, then remembered."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from importlib.metadata import version

import numpy as np

from ufodt.lab import baselines
from ufodt.lab.baselines import GRID, Kind, Setting
from ufodt.lab.datasets import Dataset
from ufodt.lab.datasets.dataset import FloatArray
from ufodt.lab.remember import remember
from ufodt.lab.scores import UTILITIES
from ufodt.lab.verdict import Spread, spread


def best_setting(kind: Kind, streams: Sequence[Dataset]) -> Setting:
    """Return the setting of the declared grid that does best on streams of seeds of their own."""
    key = {"what": "tune", "kind": kind, "grid": [asdict(setting) for setting in GRID], **facts(streams)}
    return Setting(**remember(key, lambda: asdict(baselines.tune(kind, streams).setting)))


def on_holdout(kind: Kind, setting: Setting, stream: Dataset, holdout: Dataset, *, metric: str = "accuracy") -> float:
    """Return the hold-out utility of a tree that has read the whole stream."""

    def compute() -> float:
        tree = baselines.build(kind, stream, setting=setting)
        for row, label in zip(stream.X, stream.y.tolist(), strict=True):
            tree.learn(row, label)
        return UTILITIES[metric](holdout.y, baselines.holdout(tree, holdout.X))

    key = {"what": "tree", "kind": kind, "setting": asdict(setting), "metric": metric}
    return float(remember(key | facts([stream, holdout]), compute))


def lead(ours: FloatArray, trees: Mapping[str, FloatArray]) -> tuple[str, Spread]:
    """Return the best tree, on average over these very runs, and how far above it ours is, paired by run."""
    best = max(trees, key=lambda who: float(trees[who].mean()))
    return best, spread(ours - trees[best])


def facts(parts: Iterable[Dataset]) -> dict[str, object]:
    """Return what a figure of others depends on besides its settings: the rows, and the packages."""
    rows = hashlib.sha256()
    for part in parts:
        rows.update(np.ascontiguousarray(part.X).tobytes() + np.ascontiguousarray(part.y).tobytes())
    return {"rows": rows.hexdigest(), **{package: version(package) for package in ("river", "scikit-learn")}}
