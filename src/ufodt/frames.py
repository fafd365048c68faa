"""Data frames of pandas, polars and pyarrow, through narwhals: columns are found by name, and dtypes say what they are.

What a column becomes in `to_problem`:

- truth values, or whole numbers that are only 0 and 1: binary;
- other numbers: continuous;
- texts and categories: categorical.

A null, a NaN and an NA are the same: the value could not be had.
"""

from collections.abc import Mapping, Sequence, Set
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ufodt.amount import is_missing, plain
from ufodt.errors import InvalidProblem, InvalidValue, MissingPackage
from ufodt.features import MAX_OUTCOMES, Binary, Categorical, Continuous, Feature, some, with_prices
from ufodt.problem import Problem

if TYPE_CHECKING:
    import narwhals as nw

_KINDS = ("Boolean", "String", "Categorical", "Enum", "Object", "Unknown")  # unknown: nothing but nulls, as a rule


def is_frame(X: Any) -> bool:
    """Whether something is a data frame, as far as can be seen without narwhals."""
    if isinstance(X, np.ndarray | list | tuple):
        return False
    signs = ("__arrow_c_stream__", "__dataframe__", "__narwhals_dataframe__", "collect_schema")  # the last: a lazy one
    return any(hasattr(X, name) for name in signs)


def to_problem(
    frame: Any,
    *,
    label: str,
    prices: Mapping[str, Any] | None = None,
    loss: Any = None,
    currencies: Mapping[str, float] | None = None,
) -> Problem:
    """Return the problem of telling one column of a frame from all others.

    Parameters
    ----------
    frame
        A frame of pandas, polars or pyarrow. Leave out the columns that are no features, such as a case number.
    label
        The column to be told; its values, sorted, are the labels. Where it declares its categories, as one of pandas'
        may, these are, all of them and in their order: `Problem.labels` says what the rows of `loss` stand for.
    prices
        For each column a price, or a table with `price` and, where there is one, `group` and `later`; every column
        is named, or `others` stands for those that are not. Without prices everything costs 1.
    loss, currencies
        As in `Problem`.

    Examples
    --------
    >>> import polars
    >>> frame = polars.DataFrame({"age": [31, None, 50], "smokes": [True, False, True], "ill": ["no", "yes", "no"]})
    >>> problem = to_problem(frame, label="ill", prices={"age": 0.5, "others": 2.0})
    >>> [(type(feature).__name__, feature.name, feature.price) for feature in problem.features]
    [('Continuous', 'age', 0.5), ('Binary', 'smokes', 2.0)]
    >>> problem.labels
    ('no', 'yes')
    """
    data = _read(frame)
    names = [name for name in data.columns if name != label]
    if len(names) == len(data.columns):
        raise InvalidProblem(f"No column is called {label!r}; the frame has {some(data.columns)}.")
    labels = _different(data.get_column(label))
    features = with_costs([_feature(str(name), data.get_column(name)) for name in names], prices)
    return Problem(features, labels, loss, currencies)


def with_costs(features: Sequence[Feature], costs: Any) -> list[Feature]:
    """Return the features with what each costs: the same amount for all, one amount each, or a table by name.

    >>> [f.price for f in with_costs([Binary("a"), Binary("b")], {"a": 7.5, "others": 2.0})]
    [7.5, 2.0]
    """
    if costs is None:
        return list(features)
    if isinstance(costs, Mapping) or _has_names(costs, {feature.name for feature in features}):
        entries = {str(name): entry for name, entry in costs.items()}
        if len(entries) < len(costs):
            raise InvalidProblem(f"Costs came for {some(costs.keys())}, a name twice; give one for each.")
    else:
        amounts = np.asarray(costs)
        if amounts.shape not in ((), (len(features),)):
            raise InvalidProblem(
                f"Costs of shape {amounts.shape} came; expected one for each of {len(features)} columns."
            )
        amounts = np.broadcast_to(amounts, len(features))
        entries = {feature.name: plain(amount) for feature, amount in zip(features, amounts, strict=True)}
    table = {name: entry if _is_entry(entry) else {"price": entry} for name, entry in entries.items()}
    return with_prices(features, table)


def table(frame: Any, names: Sequence[str] | None = None) -> NDArray[Any]:
    """Return the named columns of a frame, or all, as a table of raw values; what is missing is NaN or None."""
    data = _read(frame)
    found = {str(name): name for name in data.columns}
    wanted = list(found) if names is None else names
    absent = [name for name in wanted if name not in found]
    if absent:
        raise InvalidValue(f"The frame has no column for {some(absent)}; it has {some(found)}.")
    columns = [_values(_checked(name, data.get_column(found[name]))) for name in wanted]
    if not columns:
        return np.empty((len(data), 0))
    if all(column.dtype.kind in "biuf" for column in columns):
        return np.column_stack(columns)
    mixed = np.empty((len(data), len(columns)), dtype=object)
    for j, values in enumerate(columns):
        mixed[:, j] = values
    return mixed


def by_name(X: Any, features: Sequence[Feature]) -> Any:
    """Return the columns of a frame that are called as the features are; what is no frame comes back as it is."""
    return table(X, [feature.name for feature in features]) if is_frame(X) else X


def labels(frame: Any, y: Any) -> Any:
    """Return the labels of the rows of a frame, None where one is missing: a column by its name, or a series.

    What is neither comes back as it is.
    """
    data, y = _read(frame), plain(y)
    if isinstance(y, str | int):
        found = {str(name): name for name in data.columns}
        if str(y) not in found:
            raise InvalidValue(f"The frame has no column {y!r}; it has {some(data.columns)}.")
        series = data.get_column(found[str(y)])
    else:
        import narwhals as nw

        series = nw.from_native(y, series_only=True, pass_through=True)
        if not isinstance(series, nw.Series):
            return y
    return [None if is_missing(value) else plain(value) for value in _cells(series)]


def has_texts(frame: Any) -> bool:
    """Whether a frame holds anything besides numbers and truth values."""
    return not all(dtype.is_numeric() or _kind(dtype) == "Boolean" for dtype in _read(frame).schema.values())


def _read(frame: Any) -> "nw.DataFrame[Any]":
    try:
        import narwhals as nw
    except ImportError:
        raise MissingPackage("Frames are read through narwhals: pip install 'ufodt[frames]'.") from None
    same = InvalidValue("Two columns of the frame have the same name; every column needs one of its own.")
    try:
        data = nw.from_native(frame, eager_only=True)
        names = [str(name) for name in data.columns]
    except nw.exceptions.DuplicateError:
        raise same from None
    except TypeError:
        raise InvalidValue(
            f"A {type(frame).__name__} came; expected a frame of pandas, polars or pyarrow (a lazy one: collect it)."
        ) from None
    if len(set(names)) < len(names):
        raise same
    return data  # type: ignore[no-any-return]


def _kind(dtype: Any) -> str:
    """The name of a dtype of narwhals without its details."""
    return str(dtype).partition("(")[0]


def _checked(name: str, series: "nw.Series[Any]") -> "nw.Series[Any]":
    """The column, if its dtype is one that features have; a column of nulls has none and is missing throughout."""
    dtype = series.dtype
    if not dtype.is_numeric() and _kind(dtype) not in _KINDS:
        raise InvalidProblem(
            f"{name}: a column of {dtype} came; expected truth values, numbers, texts or categories. "
            "Convert it, or leave it out."
        )
    return series


def _feature(name: str, series: "nw.Series[Any]") -> Feature:
    dtype = _checked(name, series).dtype
    if _kind(dtype) == "Boolean":
        return Binary(name)
    if dtype.is_numeric():
        return Binary(name) if dtype.is_integer() and set(_different(series)) <= {0, 1} else Continuous(name)
    values = _different(series)
    if not values:
        raise InvalidProblem(f"{name}: no cell of the column holds a value; leave it out.")
    if set(values) <= {0, 1}:
        return Binary(name)
    is_category = _kind(dtype) in ("Categorical", "Enum")
    if not is_category and all(isinstance(value, int | float) for value in values):  # objects, none of them a text
        return Continuous(name)
    if not is_category:
        check_texts(name, _cells(series))
    if len(values) == 1:
        raise InvalidProblem(f"{name}: the column never holds anything but {values[0]!r}; leave it out.")
    if len(values) > MAX_OUTCOMES:
        raise InvalidProblem(
            f"{name}: {len(values)} different values came; expected {MAX_OUTCOMES} at most. "
            "Leave it out if it names cases, or group its values."
        )
    return Categorical(name, values)


def check_texts(name: str, cells: Sequence[Any]) -> None:
    """Refuse a column of numbers with a few texts in it, which would make a category of every number."""
    texts = [row for row, cell in enumerate(cells) if isinstance(cell, str)]
    others = [cell for cell in map(plain, cells) if not isinstance(cell, bool) and not is_missing(cell)]
    n_numbers = sum(isinstance(cell, int | float) for cell in others)
    if texts and n_numbers > len(texts):
        raise InvalidProblem(
            f"{name}: {plain(cells[texts[0]])!r} came in row {texts[0]}, where most cells are numbers; make it missing "
            "(None), or make texts of all if they are names."
        )


def _different(series: "nw.Series[Any]") -> list[Any]:
    """The different values of a column that are not missing, sorted; where its dtype declares them, all of these."""
    if hasattr(series.dtype, "categories"):
        return list(series.dtype.categories)
    if series.implementation.is_pandas_like() and hasattr(series.to_native().dtype, "categories"):
        return [plain(value) for value in series.to_native().dtype.categories]
    try:
        found = {plain(value) for value in _cells(series) if not is_missing(value)}
    except TypeError:
        raise InvalidProblem(f"{series.name}: a cell holds several values; expected one in each.") from None
    try:
        return sorted(found)
    except TypeError:
        return sorted(found, key=str)


def _cells(series: "nw.Series[Any]") -> list[Any]:
    """A column as a list, missing cells in it; whole numbers stay whole where some are missing."""
    found: list[Any] = series.to_list() if series.dtype.is_integer() else _values(series).tolist()
    return found


def _values(series: "nw.Series[Any]") -> NDArray[Any]:
    """A column as an array of numbers with NaN, or of objects with None."""
    if _kind(series.dtype) in ("Int128", "UInt128"):  # NumPy has none
        import narwhals as nw

        series = series.cast(nw.Float64)
    null = series.is_null().to_numpy().astype(bool)
    if series.dtype.is_numeric() or (_kind(series.dtype) == "Boolean" and not null.any()):
        if not null.any():
            found = series.to_numpy()
            return found.astype(np.float64) if found.dtype == object else found  # decimals
        numbers = np.full(len(series), np.nan)
        numbers[~null] = series.filter(~series.is_null()).to_numpy()
        return numbers
    values = np.empty(len(series), dtype=object)
    values[:] = series.to_list()
    values[null] = None
    return values


def _has_names(costs: Any, names: Set[str]) -> bool:
    """Whether a series names its entries, and does not just number them: a whole number may name a column too."""
    if not hasattr(costs, "keys") or np.ndim(costs) != 1:
        return False
    keys = [plain(key) for key in costs.keys()]
    return any(str(key) in names or not isinstance(key, int) for key in keys)


def _is_entry(entry: Any) -> bool:
    return isinstance(entry, Mapping) and "price" in entry
