"""Any user's table: types inferred, overridable, and an account of everything that was done.

What a column becomes, unless a TOML file says otherwise:

- two truth values (`0 1`, `true false`, `yes no`, …): binary;
- numbers: continuous;
- at most 20 different texts: categorical;
- more texts than that (an identifier, a date), a single text, the number of the row: left out, and the account says so.

A cell that does not fit an otherwise clear column becomes missing. Nothing is dropped silently.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from math import isfinite, isnan, nan
from pathlib import Path
from typing import Any

import numpy as np

from ufodt.amount import as_number
from ufodt.features import Priced
from ufodt.lab.datasets.cells import CLEAR_SHARE, TEXT_SUFFIXES, Cells, examples, read_cells, toml_key, were
from ufodt.lab.datasets.dataset import BadTable, Column, Dataset, FloatArray, Kind, assemble
from ufodt.lab.datasets.overrides import Override, Overrides, read_overrides
from ufodt.problem import MAX_LABELS
from ufodt.words import TRUTH, TRUTH_VALUES, have_commas, meant, with_point

MAX_CATEGORIES = 20
_ENOUGH_TO_COUNT, _GAPS = 20, 1.25  # rows that a column must count to be their number; how many may have been left out
_BITS = ("0", "1")


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
            categories = ["sinus", "flutter"]  # anything else becomes missing; a number may have cuts = [40, 60]
            price = 15.5
            later = 1.0                        # price once another of its group was bought
            group = "ecg"
            surcharge = { flutter = 20 }       # what a value adds to the price when it comes
            needs = ["pulse"]                  # must be known before
            [prices]                           # the same, where only prices are to be said
            age = 1.0
            pulse = { price = 0.5, mandatory = true }        # asked in every case
            others = 2.0                       # of every feature without an entry
            glucose = { price = { dollars = 17.61, minutes = 5 }, later = 15.51, group = "blood" }
            risk = { price = 20, computed_from = ["age", "glucose"] }  # free once both are known
            [currencies]                       # what one unit of each is worth, where prices are in several
            dollars = 1
            minutes = 0.5
            [loss.ill]                         # what mistakes cost: to call an ill one healthy
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
    (('continuous', 'binary'), '1 row was left out: it does not have 3 cells but 4 (line 4).')
    """
    path = Path(path)
    said = read_overrides(Path(overrides)) if overrides is not None else Overrides()
    named = label or said.label
    cells = read_cells(path, label=named, missing=said.missing)
    known = labelled(cells, label_column(cells.header, named))
    n_unlabelled = len(cells.rows) - len(known.rows)
    if n_unlabelled:
        known.account.append(
            f"{were(n_unlabelled, 'row')} left out: no label in {label_column(cells.header, named)!r}."
        )
    return understand(known, said, path, label=named, price_source=None if overrides is None else Path(overrides).name)


def label_column(header: Sequence[str], named: str | None) -> str:
    """Return the name of the label column: the one that was named, else the one called `label`, else the last."""
    if named is not None and named not in header:
        raise BadTable(f"no column is called {named!r}; expected one of {', '.join(header)}.")
    return named or ("label" if "label" in header else header[-1])


def labelled(cells: Cells, label: str) -> Cells:
    """Return the rows that have a label."""
    at = cells.header.index(label)
    return Cells(cells.header, [row for row in cells.rows if row[at]], list(cells.account))


def understand(
    cells: Cells, said: Overrides, path: Path, *, label: str | None = None, price_source: str | None = None
) -> Dataset:
    """Return rows that all have a label as a data set: the columns by what they hold, and by what the user said."""
    account, name = list(cells.account), label_column(cells.header, label)
    if label is None:
        account.append(f"The column {name!r} was taken as the label.")
    at = cells.header.index(name)
    are_numbers = not any(isnan(as_number(column)) for column in cells.header)
    if path.suffix.lower() in TEXT_SUFFIXES and (are_numbers or any(row[at] == name for row in cells.rows)):
        account.append("The first line was taken as the heading; if it is a case, put names above it.")
    y, label_names = _labels([row[at] for row in cells.rows], f"{path.name}: {name!r}", account)
    _check_named(cells.header, name, said, path)
    columns, values = _features(cells.header, cells.rows, at, said, account)
    if not columns:
        raise BadTable(
            f"{path.name}: no column is left as a feature; give a table with at least one besides the label. "
            f"{' '.join(account)}"
        )
    prices = _prices(columns, said, account)
    _check_kept(cells.header, name, prices or {}, account, path)
    return assemble(
        path.stem, columns, np.column_stack(values), y, label_names,
        source=f"the user's file {path.name}", licence="the user's own",
        prices=prices, currencies=said.currencies, price_source=price_source, account=account,
        cuts={name: entry.cuts for name, entry in said.features.items() if entry.cuts},
    )  # fmt: skip


def _labels(cells: Sequence[str], where: str, account: list[str]) -> tuple[Any, tuple[str, ...]]:
    """Return the labels as indices, and their names."""
    label = _spellings(cells)
    for cell, name in sorted(label.items()):
        if cell != name:
            account.append(f"The label {cell!r} is read as {name!r}.")
    names = _sorted_values(label.values())
    if not names:
        raise BadTable(f"{where} is blank in every row; name another label column.")
    if not 2 <= len(names) <= MAX_LABELS:
        raise BadTable(
            f"{where} holds {len(names)} different labels in {len(cells)} rows; "
            f"expected 2 to {MAX_LABELS}. Name another label column, or group its values."
        )
    if 2 * len(names) > len(cells) >= _ENOUGH_TO_COUNT:
        account.append(f"There are {len(names)} labels in {len(cells)} rows: is that the label, or a measurement?")
    index = {name: i for i, name in enumerate(names)}
    return np.array([index[label[cell]] for cell in cells], dtype=np.int64), names


def _spellings(cells: Sequence[str]) -> dict[str, str]:
    """Return the label of every cell: as in features, numbers are one by value, truth values in any case.

    The spelling that comes most often stands for all.

    >>> _spellings(["1", "1.0", "1", "0"]), _spellings(["Yes", "yes", "no", "yes"])["Yes"], _spellings(["A", "a"])
    ({'1': '1', '0': '0', '1.0': '1'}, 'yes', {'A': 'A', 'a': 'a'})
    """
    known = [cell for cell, _ in sorted(Counter(cells).items(), key=lambda item: (-item[1], len(item[0]), item[0]))]
    chosen: dict[object, str] = {}
    if not any(isnan(_number(cell)) for cell in known):
        return {cell: chosen.setdefault(_number(cell), cell) for cell in known}
    if any(all(_plain(cell) in pair for cell in known) for pair in TRUTH_VALUES):
        return {cell: chosen.setdefault(_plain(cell), cell) for cell in known}
    return {cell: cell for cell in known}


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
            f'categories. To keep it, write kind = "categorical" under [features.{toml_key(name)}] in a TOML file.'
        )
        return None, np.empty(0)
    if column.kind == "categorical" and len(column.categories) < 2:
        account.append(f"The column {name!r} was left out: it never holds anything but {column.categories[0]!r}.")
        return None, np.empty(0)
    if column.kind == "continuous" and have_commas(known):
        written = {cell: with_point(cell) for cell in known}
        if any(cell != point for cell, point in written.items()):
            account.append(f"The commas in {name!r} were read as decimal points.")
        cells = [written.get(cell, "") for cell in cells]
    read = _reader(column)
    values = np.array([read(cell) if cell else nan for cell in cells])
    if said == Override() and column.kind == "continuous" and _counts_rows(values):
        account.append(
            f'The column {name!r} was left out: it counts the rows. To keep it, write kind = "continuous" '
            f"under [features.{toml_key(name)}] in a TOML file."
        )
        return None, np.empty(0)
    unfit = [cell for cell, value in zip(cells, values.tolist(), strict=True) if cell and isnan(value)]
    if unfit:
        account.append(
            f"{were(len(unfit), 'cell', f' of {name!r}')} taken as missing: not {_expected(column)} "
            f"({examples('', [repr(cell) for cell in dict.fromkeys(unfit)])})."
        )
    n_missing = len(cells) - len(known)
    if n_missing:
        account.append(f"{were(n_missing, 'cell', f' of {name!r}')} missing in the file.")
    if len(np.unique(values[~np.isnan(values)])) < 2:
        account.append(f"The column {name!r} never varies; it is kept, though it can tell nothing.")
    return column, values


def _counts_rows(values: FloatArray) -> bool:
    """Whether a column is the number of a row, some rows perhaps left out: whole, rising, and hardly with gaps."""
    if len(values) < _ENOUGH_TO_COUNT or np.isnan(values).any():
        return False
    with np.errstate(over="ignore"):
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
            f"write categories = [first, second] under [features.{toml_key(name)}], or another kind."
        )
    return Column(name, kind, categories)


def _infer(known: Sequence[str]) -> Kind | None:
    if _truth_pair(known) is not None:
        return "binary"
    if sum(not isnan(_number(cell)) for cell in known) >= CLEAR_SHARE * len(known):
        return "continuous"
    return "categorical" if len(set(known)) <= MAX_CATEGORIES else None


def _truth_pair(known: Sequence[str]) -> tuple[str, str] | None:
    """Return the pair of truth values that nearly all cells are, if there is one; numbers are no slips for 0 and 1."""
    plain = [(_plain(cell), count) for cell, count in Counter(known).items()]
    for pair in TRUTH_VALUES:
        if known and sum(count for cell, count in plain if cell in pair) >= CLEAR_SHARE * len(known):
            others = [cell for cell, _ in plain if cell not in pair]
            return None if pair == _BITS and not all(isnan(_number(cell)) for cell in others) else pair
    return None


def _reader(column: Column) -> Callable[[str], float]:
    """Return the function from a cell to its value, NaN if it does not fit; it reads what `from_text` reads."""
    if column.kind == "continuous":
        return _number
    if column.kind == "binary" and column.categories == _BITS:
        return lambda cell: TRUTH.get(_plain(cell), nan)
    codes: dict[Any, float] = {name: float(i) for i, name in enumerate(column.categories)}

    @cache
    def read(cell: str) -> float:
        found = meant(column.categories, cell)
        return codes[found[0]] if len(found) == 1 else nan

    return read


def _expected(column: Column) -> str:
    return "a number" if column.kind == "continuous" else f"one of {', '.join(column.categories)}"


def _number(cell: str) -> float:
    value = as_number(cell)
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
    if not given and said.others is None:
        return None
    others = said.others or Priced()
    others = replace(others, price=1.0) if others.price is None else others
    rest = [column.name for column in columns if column.name not in given or given[column.name].price is None]
    if rest and said.others is None:
        account.append(f"No price was given for {', '.join(rest)}; 1.0 was taken.")
    prices = {column.name: given.get(column.name, others) for column in columns}
    prices |= {name: replace(prices[name], price=others.price) for name in rest}
    members = Counter(terms.group for terms in prices.values())
    for name, terms in prices.items():
        if terms.later_price is not None and members[terms.group] == 1:
            account.append(f"{name} is alone in the group {terms.group!r}, so its later price is never asked.")
    return prices


def _check_kept(
    header: Sequence[str], label: str, prices: Mapping[str, Priced], account: Sequence[str], path: Path
) -> None:
    """Complain of a feature that hangs on a column which is none."""
    for name, terms in prices.items():
        for what, others in (("needs", terms.needs), ("computed_from", terms.computed_from)):
            for other in others:
                if other == label or (other in header and other not in prices):
                    reason = "is the label" if other == label else "is no feature"
                    why = [sentence for sentence in account if sentence.startswith(f"The column {other!r} was left")]
                    said = f"{path.name}: {what} of {name!r} in the TOML file names {other!r}, which {reason}."
                    raise BadTable(" ".join([said, *why]))


def _check_named(header: Sequence[str], label: str, said: Overrides, path: Path) -> None:
    for name in (*said.drop, *said.features):
        if name not in header or name == label:
            reason = "is the label" if name == label else "is no column"
            raise BadTable(f"the TOML file names {name!r}, which {reason} of {path.name}; mend the name.")
