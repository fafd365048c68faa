"""Data sets by name, the authors' own files and splits, and any table of the user.

>>> from ufodt.lab import datasets
>>> digits = datasets.load("led", seed=7)
>>> digits.X.shape, digits.label_names[:3]
((10000, 7), ('0', '1', '2'))

`load` takes a name from `NAMES` or the path of a CSV, TSV, Parquet or JSON Lines file. Packages that carry data are
imported only by the loader that needs them.
"""

from collections.abc import Callable
from pathlib import Path

from ufodt.lab.datasets.cells import TABLE_SUFFIXES
from ufodt.lab.datasets.dataset import BadTable, Card, Column, Dataset, DatasetUnavailable, take
from ufodt.lab.datasets.folder import data_folder, fetal_health, fico, load_paper
from ufodt.lab.datasets.generated import led, nb30, stagger, stagger_holdout, wide
from ufodt.lab.datasets.packaged import (
    bupa,
    car,
    cleveland,
    compas,
    hepatitis,
    pima,
    spect_heart,
    thyroid,
    wdbc,
    zoo,
)
from ufodt.lab.datasets.paper import PAPER, PaperRun, paper_split, split, split_rows
from ufodt.lab.datasets.prices import TURNEY
from ufodt.lab.datasets.problems import to_named, to_problem
from ufodt.lab.datasets.table import read_table

__all__ = [
    "NAMES",
    "PAPER",
    "TABLE_SUFFIXES",
    "TURNEY",
    "BadTable",
    "Card",
    "Column",
    "Dataset",
    "DatasetUnavailable",
    "PaperRun",
    "data_folder",
    "led",
    "load",
    "load_paper",
    "nb30",
    "paper_split",
    "read_table",
    "split",
    "split_rows",
    "stagger",
    "stagger_holdout",
    "take",
    "to_named",
    "to_problem",
    "wide",
]

_GENERATED: dict[str, Callable[[int], Dataset]] = {
    "led": lambda seed: led(seed=seed),
    "stagger": lambda seed: stagger(seed=seed),
    "stagger_binary4": lambda seed: stagger(seed=seed, form="binary4"),
    "nb30": lambda seed: nb30(seed=seed),
}
_FIXED: dict[str, Callable[[], Dataset]] = {
    "zoo": zoo,
    "spect_heart": spect_heart,
    "pima": pima,
    "wdbc": wdbc,
    "cleveland": cleveland,
    "hepatitis": hepatitis,
    "bupa": bupa,
    "thyroid": thyroid,
    "car": car,
    "compas": compas,
    "fico": fico,
    "fetal_health": fetal_health,
}
NAMES: tuple[str, ...] = (*_GENERATED, *_FIXED)


def load(name: str, *, seed: int = 0, label: str | None = None) -> Dataset:
    """Return the data set called `name`, or the user's table at that path.

    Parameters
    ----------
    name
        One of `NAMES`, or a path ending in `.csv`, `.tsv`, `.parquet` or `.jsonl`: then the label is the column
        called `label`, else the last one, and a file of the same name ending in `.toml` overrides the
        inferred types (see `read_table`).
    seed
        Makes a fresh stream of a generated set; the others are fixed and ignore it.
    label
        Name of the label column of a table, wherever it stands.

    Examples
    --------
    >>> load("stagger", seed=1).account
    ()
    >>> load("leds")
    Traceback (most recent call last):
    ...
    ufodt.lab.datasets.dataset.DatasetUnavailable: no data set is called 'leds'; expected one of led, \
stagger, stagger_binary4, nb30, zoo, spect_heart, pima, wdbc, cleveland, hepatitis, bupa, thyroid, car, \
compas, fico, fetal_health, or the path of a .csv, .tsv, .parquet or .jsonl file.
    """
    if label is not None and name in NAMES:
        raise BadTable(f"{name} is no table, and what its label is cannot be chosen; leave the label {label!r} out.")
    if name in _GENERATED:
        return _GENERATED[name](seed)
    if name in _FIXED:
        return _FIXED[name]()
    path = Path(name)
    if path.suffix.lower() in TABLE_SUFFIXES:
        overrides = path.with_suffix(".toml")
        return read_table(path, label=label, overrides=overrides if overrides.is_file() else None)
    raise DatasetUnavailable(
        f"no data set is called {name!r}; expected one of {', '.join(NAMES)}, "
        "or the path of a .csv, .tsv, .parquet or .jsonl file."
    )
