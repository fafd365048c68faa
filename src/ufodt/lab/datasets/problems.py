"""A data set as a problem: its columns become features with prices, its labels stay indices."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ufodt import Binary, Categorical, Continuous, Problem
from ufodt.features import Feature, Priced, some, terms
from ufodt.lab.datasets.dataset import BadTable, Dataset
from ufodt.words import from_text, meant


def to_problem(data: Dataset, *, priced: bool = False, loss: Any = None) -> Problem:
    """Return what may be asked of `data.X` and answered as `data.y`.

    Parameters
    ----------
    priced
        Take the data set's real prices; otherwise every feature costs 1.
    loss
        `loss[truth][answer]` in the currency of the prices, as in `Problem`.

    Examples
    --------
    >>> from ufodt.lab import datasets
    >>> problem = to_problem(datasets.load("cleveland"), priced=True)
    >>> problem.features[2]
    Categorical(price=1.0, group=None, later_price=None, surcharge=None, mandatory=False, needs=(), computed_from=(), \
name='cp', values=(0, 1, 2, 3))
    """
    columns = zip(data.feature_names, data.kinds, data.categories, _prices(data, priced), strict=True)
    features = [
        _feature(data, name, kind, range(len(categories)), _terms(name, price, categories, range(len(categories))))
        for name, kind, categories, price in columns
    ]
    return Problem(features, range(len(data.label_names)), loss, data.currencies if priced else None)


def to_named(data: Dataset, *, priced: bool = False, loss: Any = None) -> tuple[Problem, NDArray[Any], list[str]]:
    """Return problem, values and labels under their names, as people read them, rather than as indices.

    >>> from ufodt.lab import datasets
    >>> problem, X, y = to_named(datasets.load("zoo"))
    >>> problem.labels[:2], y[0], X[0, :3].tolist()
    (('mammal', 'bird'), 'mammal', [1, 0, 0])
    """
    indexed = to_problem(data, priced=priced)
    features: list[Feature] = []
    X = np.full(data.X.shape, None, dtype=object)
    for j, (feature, names) in enumerate(zip(indexed.features, data.categories, strict=True)):
        known = np.flatnonzero(~np.isnan(data.X[:, j]))
        cells = data.X[known, j].tolist()
        if isinstance(feature, Continuous):
            X[known, j] = cells
        elif isinstance(feature, Binary) and names == ("0", "1"):
            X[known, j] = [int(cell) for cell in cells]
        else:
            X[known, j] = np.array([names[int(cell)] for cell in cells], dtype=object)
            feature = Categorical(feature.name, names, **_terms(feature.name, _prices(data, priced)[j], names, names))
        features.append(feature)
    problem = Problem(features, data.label_names, loss, indexed.currencies)
    return problem, X, [data.label_names[label] for label in data.y.tolist()]


def _feature(data: Dataset, name: str, kind: str, values: Sequence[Any], given: dict[str, Any]) -> Feature:
    if kind == "continuous":
        return Continuous(name, data.cuts.get(name, ()), **given)
    if kind == "binary":
        return Binary(name, **given)
    return Categorical(name, values, **given)


def _terms(name: str, price: Priced, categories: Sequence[str], values: Sequence[Any]) -> dict[str, Any]:
    """The terms of a feature as its arguments; what a category adds to the price, by its value."""
    given = terms(price)
    if price.surcharge:
        places = [_place(str(said), categories, name) for said in price.surcharge]
        if len(set(places)) < len(places):
            raise BadTable(f"{name}: surcharges came for {some(price.surcharge)}; expected one for each value.")
        given["surcharge"] = dict(zip((values[i] for i in places), price.surcharge.values(), strict=True))
    return given


def _place(said: str, categories: Sequence[str], name: str) -> int:
    """Which category is meant; of 0 and 1 also by the usual words."""
    if tuple(categories) == ("0", "1"):
        return int(from_text(Binary(name), said))
    found = meant(categories, said)
    if len(found) != 1:
        expected = f"one of {', '.join(categories)}" if categories else "no surcharge, since it is a number"
        raise BadTable(f"{name}: a surcharge came for {said!r}; expected {expected}.")
    return list(categories).index(str(found[0]))


def _prices(data: Dataset, priced: bool) -> tuple[Priced, ...]:
    if priced and data.prices is None:
        raise BadTable(f"{data.name}: no prices are known; leave out `priced`, or give prices in a TOML file.")
    return data.prices if priced and data.prices is not None else (Priced(),) * len(data.feature_names)
