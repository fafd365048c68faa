"""Any user's table: types inferred, overridable, and an account of everything that was done.

What a column becomes, unless a TOML file says otherwise:

- two truth values (`0 1`, `true false`, `yes no`, …): binary;
- numbers: continuous;
- at most 20 different texts: categorical;
- more texts than that (an identifier, a date), a single text, the number of the row: left out, and the account says so.

A cell that does not fit an otherwise clear column becomes missing. Nothing is dropped silently.
"""

import csv
import io
import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isfinite, isnan, nan
from pathlib import Path
from typing import Any

import numpy as np

from ufodt.features import TRUTH_VALUES, Priced
from ufodt.lab.datasets.dataset import (
    BadTable,
    Column,
    Dataset,
    DatasetUnavailable,
    FloatArray,
    Kind,
    assemble,
)
from ufodt.lab.datasets.overrides import Override, Overrides, read_overrides

TABLE_SUFFIXES = (".csv", ".tsv", ".parquet", ".jsonl")
MISSING_CELLS = frozenset({"", "?", "na", "n/a", "nan", "null"})
CLEAR_SHARE = 0.9  # of the known cells must fit, for the rest to be taken as slips
MAX_CATEGORIES = 20
MAX_LABELS = 50
_ENOUGH_TO_COUNT, _GAPS = 20, 1.25  # rows that a column must count to be their number; how many may have been left out
_SHOWN = 5  # examples in a sentence of the account


@dataclass(frozen=True)
class Cells:
    """A table as text: heading, rows, and what had to be done to get there."""

    header: list[str]
    rows: list[list[str]]
    account: list[str]


def read_table(path: str | Path, *, label: str | None = None, overrides: str | Path | None = None) -> Dataset:
    """Return a CSV, TSV, Parquet or JSON Lines file as a data set.

    Parameters
    ----------
    label
        Name of the label column, wherever it stands. Without it: the one of the TOML file, the column
        called `label`, or the last column.
    overrides
        A TOML file in which everything is optional::

            label = "outcome"
            missing = ["-9", "unknown"]        # further cells that mean "not known"
            drop = ["patient_id"]
            [features.rhythm]
            kind = "categorical"               # binary, categorical or continuous
            categories = ["sinus", "flutter"]  # anything else becomes missing
            price = 15.5
            later = 1.0                        # price once another of its group was bought
            group = "ecg"
            surcharge = { flutter = 20 }       # what a value adds to the price when it comes
            needs = ["pulse"]                  # must be known before
            [prices]                           # the same, where only prices are to be said
            age = 1.0
            pulse = { price = 0.5, mandatory = true }        # asked in every case
            glucose = { price = { dollars = 17.61, minutes = 5 }, later = 15.51, group = "blood" }
            risk = { price = 20, computed_from = ["age", "glucose"] }  # free once both are known
            [currencies]                       # what one unit of each is worth, where prices are in several
            dollars = 1
            minutes = 0.5
            [loss.ill]                         # what mistakes cost: of the ill, to call one healthy
            healthy = 400

    Returns
    -------
    A `Dataset` whose `account` says which rows, columns and cells were left out or changed.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "t.csv")
    ...     _ = path.write_text("age,ill,smokes\\n31,no,1\\n?,yes,0\\n50,no,1,9\\n44,yes,1\\n")
    ...     table = read_table(path, label="ill")
    >>> table.X
    array([[31.,  1.],
           [nan,  0.],
           [44.,  1.]])
    >>> table.kinds, table.account[0]
    (('continuous', 'binary'), '1 row was left out: it does not have 3 cells (line 4).')
    """
    path = Path(path)
    said = read_overrides(Path(overrides)) if overrides is not None else Overrides()
    cells = read_cells(path, missing=said.missing)
    account = list(cells.account)
    at = _label_index(cells.header, label or said.label, account)
    rows, y, label_names = _labelled(cells, at, path, account)
    _check_named(cells.header, cells.header[at], said, path)
    columns, values = _features(cells.header, rows, at, said, account)
    if not columns:
        raise BadTable(f"{path.name}: no column is left as a feature. {' '.join(account)}")
    prices = _prices(columns, said, account)
    return assemble(
        path.stem, columns, np.column_stack(values), y, label_names,
        source=f"the user's file {path.name}", licence="the user's own",
        prices=prices, currencies=said.currencies,
        price_source=None if overrides is None else Path(overrides).name, account=account,
    )  # fmt: skip


def label_column(path: str | Path, *, label: str | None = None, overrides: str | Path | None = None) -> str:
    """Return the name of the column that `read_table` would take as the label."""
    said = read_overrides(Path(overrides)) if overrides is not None else Overrides()
    header = read_cells(path).header
    return header[_label_index(header, label or said.label, [])]


def read_cells(path: str | Path, *, missing: frozenset[str] = frozenset()) -> Cells:
    """Return a file as text, cell by cell; empty where a value is not known."""
    return _blank_missing(_read_cells(Path(path)), missing)


def _read_cells(path: Path) -> Cells:
    if path.suffix.lower() not in TABLE_SUFFIXES:
        raise BadTable(f"{path.name}: expected a file ending in {', '.join(TABLE_SUFFIXES)}.")
    if not path.is_file():
        raise DatasetUnavailable(f"there is no file {str(path)!r}; check the path.")
    readers = {".parquet": _read_parquet, ".jsonl": _read_json_lines}
    table = readers.get(path.suffix.lower(), _read_text)(path)
    for j, name in enumerate(table.header):
        if not name:
            table.header[j] = f"column_{j + 1}"
            table.account.append(f"Column {j + 1} has no name and is called 'column_{j + 1}'.")
    repeated = sorted({name for name in table.header if table.header.count(name) > 1})
    if repeated:
        raise BadTable(f"{path.name}: two columns are called {repeated[0]!r}; give each its own name.")
    return table


def _read_text(path: Path) -> Cells:
    account: list[str] = []
    content = path.read_bytes()
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode("utf-8-sig", errors="replace")
        account.append(f"{text.count(chr(0xFFFD))} bytes are not UTF-8 and were replaced.")
    heading = text.split("\n", 1)[0]
    delimiter = "\t" if path.suffix.lower() == ".tsv" else max(",;\t|", key=heading.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        header = [name.strip() for name in next(reader, [])]
        rows, odd, empty = _sort_lines(reader, len(header))
    except csv.Error as error:
        raise BadTable(f"{path.name}, line {reader.line_num}: {error}; save the file as plain CSV.") from None
    if not header or not rows:
        raise BadTable(f"{path.name}: expected a heading and at least one row of its width.")
    if odd:
        account.append(
            f"{_were(len(odd), 'row')} left out: {'it does' if len(odd) == 1 else 'they do'} not have "
            f"{len(header)} cells ({_examples('line', odd)})."
        )
    if empty:
        account.append(f"{_were(len(empty), 'empty line')} skipped.")
    return Cells(header, rows, account)


def _sort_lines(reader: Any, width: int) -> tuple[list[list[str]], list[int], list[int]]:
    """Return the usable rows, then the line numbers of rows of another width and of empty lines."""
    rows, odd, empty = [], [], []
    for row in reader:
        if not any(cell.strip() for cell in row):
            empty.append(reader.line_num)
        elif len(row) != width:
            odd.append(reader.line_num)
        else:
            rows.append([cell.strip() for cell in row])
    return rows, odd, empty


def _read_parquet(path: Path) -> Cells:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise DatasetUnavailable("Parquet files are read by pyarrow: pip install pyarrow") from None
    try:
        table = pyarrow.parquet.read_table(path)
    except (pyarrow.ArrowException, OSError) as error:
        raise BadTable(f"{path.name}: not a readable Parquet file ({error}); write it again.") from None
    columns = [
        ["" if value is None else str(value).strip() for value in column.to_pylist()] for column in table.columns
    ]
    if not columns or not columns[0]:
        raise BadTable(f"{path.name}: expected at least one column and one row, found {table.shape}.")
    rows = [list(row) for row in zip(*columns, strict=True)]
    return Cells([str(name).strip() for name in table.column_names], rows, [])


def _read_json_lines(path: Path) -> Cells:
    """One object per line; its keys are the columns, in the order in which they first come."""
    objects: list[dict[str, Any]] = []
    lines = path.read_bytes().decode("utf-8-sig", errors="replace").splitlines()
    for i, line in enumerate(lines):
        try:
            row = json.loads(line) if line.strip() else None
        except (ValueError, RecursionError) as error:
            raise BadTable(f"{path.name}, line {i + 1}: {error}; expected one JSON object per line.") from None
        if row is not None and not isinstance(row, dict):
            raise BadTable(f"{path.name}, line {i + 1}: {line[:40]!r} came; expected one JSON object per line.")
        objects += [] if row is None else [row]
    header = list(dict.fromkeys(key.strip() for row in objects for key in row))
    if not header:
        raise BadTable(f"{path.name}: expected at least one line with a JSON object.")
    rows = [["" if (cell := row.get(name)) is None else str(cell).strip() for name in header] for row in objects]
    return Cells(header, rows, [])


def _blank_missing(cells: Cells, further: frozenset[str]) -> Cells:
    """Return the table with every cell that means "not known" empty."""
    rows = [["" if cell.lower() in MISSING_CELLS or cell in further else cell for cell in row] for row in cells.rows]
    return Cells(cells.header, rows, cells.account)


def _label_index(header: Sequence[str], label: str | None, account: list[str]) -> int:
    if label is None:
        label = "label" if "label" in header else header[-1]
        account.append(f"The column {label!r} was taken as the label.")
    if label not in header:
        raise BadTable(f"no column is called {label!r}; expected one of {', '.join(header)}.")
    return list(header).index(label)


def _labelled(cells: Cells, at: int, path: Path, account: list[str]) -> tuple[list[list[str]], Any, tuple[str, ...]]:
    rows = [row for row in cells.rows if row[at]]
    n_unlabelled = len(cells.rows) - len(rows)
    if n_unlabelled:
        account.append(f"{_were(n_unlabelled, 'row')} left out: no label in {cells.header[at]!r}.")
    names = _sorted_values(row[at] for row in rows)
    if not 2 <= len(names) <= MAX_LABELS:
        raise BadTable(
            f"{path.name}: {cells.header[at]!r} holds {len(names)} different labels in {len(rows)} rows; "
            f"expected 2 to {MAX_LABELS}. Name another label column, or group its values."
        )
    index = {name: i for i, name in enumerate(names)}
    return rows, np.array([index[row[at]] for row in rows], dtype=np.int64), names


def _features(
    header: Sequence[str], rows: Sequence[Sequence[str]], at: int, said: Overrides, account: list[str]
) -> tuple[list[Column], list[FloatArray]]:
    columns, values = [], []
    for j, name in enumerate(header):
        if j == at:
            continue
        if name in said.drop:
            account.append(f"The column {name!r} was left out, as the TOML file says.")
            continue
        column, numbers = _column(name, [row[j] for row in rows], said.features.get(name, Override()), account)
        if column is not None:
            columns.append(column)
            values.append(numbers)
    return columns, values


def _column(name: str, cells: Sequence[str], said: Override, account: list[str]) -> tuple[Column | None, FloatArray]:
    """Return the meaning and the values of one column, or no meaning if it cannot be a feature."""
    known = [cell for cell in cells if cell]
    column = _decide(name, known, said)
    if column is None:
        account.append(
            f"The column {name!r} was left out: {len(set(known))} different texts are neither numbers nor "
            f'categories. To keep it, write kind = "categorical" under [features.{name}] in a TOML file.'
        )
        return None, np.empty(0)
    if column.kind == "categorical" and len(column.categories) < 2:
        account.append(f"The column {name!r} was left out: it never holds anything but {column.categories[0]!r}.")
        return None, np.empty(0)
    read = _reader(column)
    values = np.array([read(cell) if cell else nan for cell in cells])
    if said == Override() and column.kind == "continuous" and _counts_rows(values):
        account.append(
            f'The column {name!r} was left out: it counts the rows. To keep it, write kind = "continuous" '
            f"under [features.{name}] in a TOML file."
        )
        return None, np.empty(0)
    unfit = [cell for cell, value in zip(cells, values.tolist(), strict=True) if cell and isnan(value)]
    if unfit:
        account.append(
            f"{_were(len(unfit), 'cell', f' of {name!r}')} taken as missing: not {_expected(column)} "
            f"({_examples('', [repr(cell) for cell in unfit])})."
        )
    n_missing = len(cells) - len(known)
    if n_missing:
        account.append(f"{_were(n_missing, 'cell', f' of {name!r}')} missing in the file.")
    if len(np.unique(values[~np.isnan(values)])) < 2:
        account.append(f"The column {name!r} never varies; it is kept, though it can tell nothing.")
    return column, values


def _counts_rows(values: FloatArray) -> bool:
    """Whether a column is the number of a row, some rows perhaps left out: whole, rising, and hardly with gaps."""
    if len(values) < _ENOUGH_TO_COUNT or np.isnan(values).any():
        return False
    steps = np.diff(values)
    return bool((steps >= 1).all() and (steps % 1 == 0).all() and values[-1] - values[0] < _GAPS * len(values))


def _decide(name: str, known: Sequence[str], said: Override) -> Column | None:
    kind = said.kind or _infer(known)
    if kind is None:
        return None
    if kind == "continuous":
        return Column(name, "continuous")
    if said.categories:
        return Column(name, kind, said.categories)
    pair = _truth_pair(known)
    if pair is not None and said.kind != "categorical":
        return Column(name, "binary", pair)
    categories = _sorted_values(known)
    if kind == "binary" and len(categories) != 2:
        raise BadTable(
            f"{name!r} is to be binary but holds {len(categories)} different values; "
            f"write categories = [first, second] under [features.{name}], or another kind."
        )
    return Column(name, kind, categories)


def _infer(known: Sequence[str]) -> Kind | None:
    if _truth_pair(known) is not None:
        return "binary"
    if sum(not isnan(_number(cell)) for cell in known) >= CLEAR_SHARE * len(known):
        return "continuous"
    return "categorical" if len(set(known)) <= MAX_CATEGORIES else None


def _truth_pair(known: Sequence[str]) -> tuple[str, str] | None:
    """Return the pair of truth values that nearly all cells are of, if there is one."""
    plain = [(_plain(cell), count) for cell, count in Counter(known).items()]
    for pair in TRUTH_VALUES:
        if known and sum(count for cell, count in plain if cell in pair) >= CLEAR_SHARE * len(known):
            return pair
    return None


def _reader(column: Column) -> Callable[[str], float]:
    """Return the function from a cell to its value, NaN if it does not fit."""
    if column.kind == "continuous":
        return _number
    codes = {name: float(i) for i, name in enumerate(column.categories)}
    if column.categories in TRUTH_VALUES:
        return lambda cell: codes.get(_plain(cell), nan)
    return lambda cell: codes.get(cell, nan)


def _expected(column: Column) -> str:
    return "a number" if column.kind == "continuous" else f"one of {', '.join(column.categories)}"


def _number(cell: str) -> float:
    try:
        value = float(cell)
    except ValueError:
        return nan
    return value if isfinite(value) else nan


def _plain(cell: str) -> str:
    """Return a truth value as it stands in `TRUTH_VALUES`: lower case, `1.0` as `1`."""
    return cell.lower().removesuffix(".0")


def _sorted_values(cells: Any) -> tuple[str, ...]:
    """Return the different cells, as numbers if all are, else by the alphabet."""
    different = set(cells)
    numeric = not any(isnan(_number(cell)) for cell in different)
    return tuple(sorted(different, key=(lambda cell: (_number(cell), cell)) if numeric else None))


def _prices(columns: Sequence[Column], said: Overrides, account: list[str]) -> dict[str, Priced] | None:
    given = {name: entry.terms for name, entry in said.features.items() if entry.terms is not None}
    if not given:
        return None
    rest = [column.name for column in columns if column.name not in given]
    if rest:
        account.append(f"No price was given for {', '.join(rest)}; 1.0 was taken.")
    return {column.name: given.get(column.name, Priced()) for column in columns}


def _check_named(header: Sequence[str], label: str, said: Overrides, path: Path) -> None:
    for name in (*said.drop, *said.features):
        if name not in header or name == label:
            reason = "is the label" if name == label else "is no column"
            raise BadTable(f"the TOML file names {name!r}, which {reason} of {path.name}; mend the name.")


def _were(count: int, noun: str, of: str = "") -> str:
    return f"{count} {noun}{of} was" if count == 1 else f"{count} {noun}s{of} were"


def _examples(noun: str, items: Sequence[object]) -> str:
    shown = ", ".join(str(item) for item in items[:_SHOWN])
    word = f"{noun}{'s' if len(items) > 1 else ''} " if noun else ""
    return f"{word}{shown}{', …' if len(items) > _SHOWN else ''}"
