"""A data set as a problem: its columns become features with prices, its labels stay indices."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ufodt import Binary, Categorical, Continuous, Problem
from ufodt.lab.datasets.dataset import BadTable, Dataset, Price


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
    features = [_feature(name, kind, len(categories), price) for name, kind, categories, price in columns]
    return Problem(features, labels=range(len(data.label_names)), loss=loss)


def to_named(data: Dataset, *, priced: bool = False, loss: Any = None) -> tuple[Problem, NDArray[Any], list[str]]:
    """Return problem, values and labels under their names, as people read them, rather than as indices.

    >>> from ufodt.lab import datasets
    >>> problem, X, y = to_named(datasets.load("zoo"))
    >>> problem.labels[:2], y[0], X[0, :3].tolist()
    (('mammal', 'bird'), 'mammal', [1, 0, 0])
    """
    indexed = to_problem(data, priced=priced)
    features: list[Binary | Categorical | Continuous] = []
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
            feature = Categorical(feature.name, names, **_terms(_prices(data, priced)[j]))
        features.append(feature)
    return Problem(features, data.label_names, loss), X, [data.label_names[label] for label in data.y.tolist()]


def _feature(name: str, kind: str, n_categories: int, price: Price) -> Binary | Categorical | Continuous:
    terms = _terms(price)
    if kind == "continuous":
        return Continuous(name, **terms)
    if kind == "binary":
        return Binary(name, **terms)
    return Categorical(name, range(n_categories), **terms)


def _terms(price: Price) -> dict[str, Any]:
    return {
        "price": price.first,
        "group": price.group,
        "later_price": price.later,
        "computed_from": price.computed_from,
    }


def _prices(data: Dataset, priced: bool) -> tuple[Price, ...]:
    if priced and data.prices is None:
        raise BadTable(f"{data.name}: no prices are known; leave out `priced`, or give prices in a TOML file.")
    return data.prices if priced and data.prices is not None else (Price(1.0),) * len(data.feature_names)
