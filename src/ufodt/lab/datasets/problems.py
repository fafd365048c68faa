"""A data set as a problem: its columns become features with prices, its labels stay indices."""

from typing import Any

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
    if priced and data.prices is None:
        raise BadTable(f"{data.name}: no prices are known; leave out `priced`, or give prices in a TOML file.")
    prices = data.prices if priced and data.prices is not None else (Price(1.0),) * len(data.feature_names)
    columns = zip(data.feature_names, data.kinds, data.categories, prices, strict=True)
    features = [_feature(name, kind, len(categories), price) for name, kind, categories, price in columns]
    return Problem(features, labels=range(len(data.label_names)), loss=loss)


def _feature(name: str, kind: str, n_categories: int, price: Price) -> Binary | Categorical | Continuous:
    terms: dict[str, Any] = {
        "price": price.first,
        "group": price.group,
        "later_price": price.later,
        "computed_from": price.computed_from,
    }
    if kind == "continuous":
        return Continuous(name, **terms)
    if kind == "binary":
        return Binary(name, **terms)
    return Categorical(name, range(n_categories), **terms)
