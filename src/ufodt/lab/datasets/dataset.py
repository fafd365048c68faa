"""What a data set is: rows, labels, what each column means, real prices, and where it all comes from.

Errors of this folder::

    DatasetUnavailable   a source is missing: install, download or point UFODT_DATA at it
    BadTable             what was read is not a table of features and one label: mend the file
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from ufodt.errors import InvalidValue, UfodtError
from ufodt.features import Priced

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
Kind = Literal["binary", "categorical", "continuous"]

MISSING = "?"


class DatasetUnavailable(UfodtError, RuntimeError):
    """A data set cannot be had here; the message names the ways to get it."""


class BadTable(InvalidValue):
    """A table, or the file that describes it, does not fit; the message says where and what was expected."""


@dataclass(frozen=True)
class Column:
    """Name and meaning of one feature.

    `categories` names the values 0, 1, … of a binary or categorical feature; `spelled` is how the source
    writes them, where that differs.
    """

    name: str
    kind: Kind
    categories: tuple[str, ...] = ()
    spelled: tuple[str, ...] = ()


@dataclass(frozen=True)
class Card:
    """Where a data set comes from and what is in it, for people."""

    source: str
    licence: str
    n_rows: int
    n_features: int
    kinds: tuple[tuple[str, int], ...]
    label_counts: tuple[tuple[str, int], ...]
    n_missing: int
    price_source: str | None
    notes: tuple[str, ...]

    def to_text(self) -> str:
        """Return the card as a few lines of text."""
        lines = [
            f"source:   {self.source}",
            f"licence:  {self.licence}",
            f"shape:    {self.n_rows} rows x {self.n_features} features ({self.n_missing} cells missing)",
            "kinds:    " + ", ".join(f"{count} {kind}" for kind, count in self.kinds),
            "labels:   " + ", ".join(f"{label} {count}" for label, count in self.label_counts),
            f"prices:   {self.price_source or 'none known'}",
        ]
        return "\n".join(lines + [f"note:     {note}" for note in self.notes])


@dataclass(frozen=True)
class Dataset:
    """A table of cases whose cells are not paid for yet.

    Attributes
    ----------
    X
        Values, shape `(n_rows, n_features)`; NaN is missing; a binary or categorical cell holds the index
        of its value in `categories`.
    y
        Label indices, shape `(n_rows,)`.
    kinds, categories
        Per feature; `categories` is empty for a continuous feature.
    prices
        The terms of each feature where real prices are published, else None; a surcharge is by category.
    currencies
        What one unit of each currency is worth, where prices are in several.
    cuts
        Fixed cut points of continuous features, by name, where there are any.
    account
        One sentence for everything that was done to the source on the way here.
    """

    name: str
    X: FloatArray
    y: IntArray
    feature_names: tuple[str, ...]
    label_names: tuple[str, ...]
    kinds: tuple[Kind, ...]
    categories: tuple[tuple[str, ...], ...]
    prices: tuple[Priced, ...] | None
    card: Card
    account: tuple[str, ...] = ()
    currencies: Mapping[str, float] | None = None
    cuts: Mapping[str, tuple[float, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.X.shape != (len(self.y), len(self.feature_names)):
            raise BadTable(
                f"{self.name}: X has shape {self.X.shape}, expected {(len(self.y), len(self.feature_names))} "
                "from the labels and feature names."
            )
        if len(self.y) and not 0 <= self.y.min() <= self.y.max() < len(self.label_names):
            raise BadTable(
                f"{self.name}: label indices run from {self.y.min()} to {self.y.max()}, "
                f"expected 0 to {len(self.label_names) - 1}."
            )
        if np.isinf(self.X).any():
            raise BadTable(f"{self.name}: X holds an infinite value; give a number, or NaN for missing.")
        for j, names in enumerate(self.categories):
            known = self.X[~np.isnan(self.X[:, j]), j]
            if names and not np.isin(known, np.arange(len(names))).all():
                raise BadTable(
                    f"{self.name}: {self.feature_names[j]!r} holds a value that is not an index "
                    f"of its {len(names)} categories."
                )
        self.X.flags.writeable = False
        self.y.flags.writeable = False


def assemble(
    name: str,
    columns: Sequence[Column],
    X: FloatArray,
    y: IntArray,
    label_names: Sequence[str],
    *,
    source: str,
    licence: str,
    prices: Mapping[str, Priced] | None = None,
    currencies: Mapping[str, float] | None = None,
    price_source: str | None = None,
    notes: Sequence[str] = (),
    account: Sequence[str] = (),
    cuts: Mapping[str, tuple[float, ...]] | None = None,
) -> Dataset:
    """Return a `Dataset` with its card filled in from the arrays."""
    card = Card(
        source=source,
        licence=licence,
        n_rows=X.shape[0],
        n_features=X.shape[1],
        kinds=tuple(Counter(column.kind for column in columns).items()),
        label_counts=_label_counts(y, label_names),
        n_missing=int(np.isnan(X).sum()),
        price_source=price_source if prices else None,
        notes=tuple(notes),
    )
    return Dataset(
        name=name,
        X=X,
        y=y,
        feature_names=tuple(column.name for column in columns),
        label_names=tuple(label_names),
        kinds=tuple(column.kind for column in columns),
        categories=tuple(column.categories for column in columns),
        prices=None if prices is None else tuple(prices[column.name] for column in columns),
        card=card,
        account=tuple(account),
        currencies=currencies,
        cuts=cuts or {},
    )


def take(data: Dataset, rows: IntArray) -> Dataset:
    """Return the chosen rows, in the order given, with a card that counts them.

    >>> from ufodt.lab.datasets import stagger_holdout
    >>> take(stagger_holdout(3), np.array([0, 26])).card.label_counts
    (('negative', 1), ('positive', 1))
    """
    X, y = data.X[rows], data.y[rows]
    card = replace(
        data.card,
        n_rows=len(y),
        label_counts=_label_counts(y, data.label_names),
        n_missing=int(np.isnan(X).sum()),
    )
    return replace(data, X=X, y=y, card=card)


def _label_counts(y: IntArray, label_names: Sequence[str]) -> tuple[tuple[str, int], ...]:
    counts = np.bincount(y, minlength=len(label_names)).tolist()
    return tuple(zip(label_names, counts, strict=False))  # a label out of range is refused by Dataset


def binary(*names: str) -> list[Column]:
    """Return one 0/1 column per name."""
    return [Column(name, "binary", ("0", "1")) for name in names]


def continuous(*names: str) -> list[Column]:
    """Return one column of numbers per name."""
    return [Column(name, "continuous") for name in names]


def encode(cells: Sequence[str], column: Column) -> FloatArray:
    """Return the cells of one column as numbers; `?` becomes NaN.

    >>> encode(["red", "?", "blue"], Column("colour", "categorical", ("red", "blue")))
    array([ 0., nan,  1.])
    """
    if column.kind == "continuous":
        return np.array([np.nan if cell == MISSING else float(cell) for cell in cells])
    codes: dict[str, float] = {cell: float(i) for i, cell in enumerate(column.spelled or column.categories)}
    codes[MISSING] = np.nan
    unknown = sorted(set(cells) - set(codes))
    if unknown:
        raise BadTable(
            f"{column.name!r} holds {unknown[0]!r}; expected one of {', '.join(codes)}. "
            "The source has changed: compare it with its card."
        )
    return np.array([codes[cell] for cell in cells])


def encode_rows(rows: Sequence[Sequence[str]], columns: Sequence[Column]) -> FloatArray:
    """Return the rows of text as numbers, shape `(n_rows, n_columns)`."""
    cells = list(zip(*rows, strict=True))
    return np.column_stack([encode(c, column) for c, column in zip(cells, columns, strict=True)])
