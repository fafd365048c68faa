"""A file as text, cell by cell: CSV, TSV, Parquet and JSON Lines, and an account of what had to be done."""

import codecs
import csv
import io
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from math import isnan
from pathlib import Path

from ufodt.features import as_number
from ufodt.lab.datasets.dataset import BadTable, DatasetUnavailable

TABLE_SUFFIXES = (".csv", ".tsv", ".parquet", ".jsonl")
MISSING_CELLS = frozenset({"", "?", "na", "n/a", "nan", "null"})
_SHOWN = 5  # examples in a sentence of the account
_QUOTED = r'(?<![^,;\t|])"[^"]*(?:""[^"]*)*"'  # a whole cell in quotes; what separates cells may stand inside
_HEADING = re.compile(rf"(?:{_QUOTED}|[^\r\n])*")


@dataclass(frozen=True)
class Cells:
    """A table as text: heading, rows, and what had to be done to get there."""

    header: list[str]
    rows: list[list[str]]
    account: list[str]


def read_cells(path: str | Path, *, missing: frozenset[str] = frozenset()) -> Cells:
    """Return a file as text, cell by cell; empty where a value is not known."""
    return _blank_missing(_read_cells(Path(path)), missing)


def decode(content: bytes) -> tuple[str, list[str]]:
    """Return bytes as text, without a byte order mark, and what had to be done.

    >>> decode("é".encode("utf-16")), decode(b"\\xef\\xbb\\xbf\\xe9")[1]
    (('é', []), ['1 bytes are not UTF-8 and were replaced.'])
    """
    name = "UTF-16" if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "UTF-8"
    coding = {"UTF-16": "utf-16", "UTF-8": "utf-8-sig"}[name]
    try:
        return content.decode(coding), []
    except UnicodeDecodeError:
        text = content.decode(coding, errors="replace")
        return text, [f"{text.count(chr(0xFFFD))} bytes are not {name} and were replaced."]


def were(count: int, noun: str, of: str = "") -> str:
    """Return how many there were: the beginning of a sentence of an account."""
    return f"{count} {noun}{of} was" if count == 1 else f"{count} {noun}s{of} were"


def examples(noun: str, items: Sequence[object]) -> str:
    """Return the first of some things, for a sentence of an account."""
    shown = ", ".join(str(item) for item in items[:_SHOWN])
    word = f"{noun}{'s' if len(items) > 1 else ''} " if noun else ""
    return f"{word}{shown}{', …' if len(items) > _SHOWN else ''}"


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
    text, account = decode(path.read_bytes())
    delimiter = "\t" if path.suffix.lower() == ".tsv" else _delimiter(text)
    records = _records(text, delimiter, path.name)
    header = [name.strip() for name in next(records, ("", []))[1]]
    rows: list[list[str]] = []
    odd, empty, long = [], [], []
    for lines, row in records:
        if not any(cell.strip() for cell in row):
            empty.append(lines)
        elif len(row) != len(header):
            odd.append(lines)
        else:
            rows.append([cell.strip() for cell in row])
            long += [lines] if "-" in lines else []
    if not header or not rows:
        raise BadTable(f"{path.name}: expected a heading and at least one row of its width.")
    if odd:
        account.append(
            f"{were(len(odd), 'row')} left out: {'it does' if len(odd) == 1 else 'they do'} not have "
            f"{len(header)} cells ({examples('line', odd)})."
        )
    if empty:
        account.append(f"{were(len(empty), 'empty line')} skipped.")
    if long:
        account.append(
            f"{were(len(long), 'row')} read from several lines, which quotes hold together ({examples('line', long)})."
        )
    return Cells(header, rows, account)


def _records(text: str, delimiter: str, name: str) -> Iterator[tuple[str, list[str]]]:
    """Give every row after the lines that it takes up, such as `7` or `7-9`; a quote left open is refused."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    while True:
        first = reader.line_num + 1
        try:
            row = next(reader, None)
        except csv.Error as error:
            raise BadTable(
                f"{name}, line {first}: a quote that opens here is not closed as it should be ({error}); "
                "close it before the next delimiter, or leave it out."
            ) from None
        if row is None:
            return
        yield str(first) if first == reader.line_num else f"{first}-{reader.line_num}", row


def _delimiter(text: str) -> str:
    """Return what stands most often between the cells of the heading; what stands in quotes does not count.

    >>> _delimiter('"a,b,c";label')
    ';'
    """
    heading = _HEADING.match(text)
    bare = re.sub(_QUOTED, "", heading[0] if heading else "")
    return max(",;\t|", key=bare.count)


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
    text, account = decode(path.read_bytes())
    objects = []
    for i, line in enumerate(io.StringIO(text, newline=None)):  # other signs that end a line may stand in a string
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise BadTable(f"{path.name}, line {i + 1}: {error}; expected one JSON object per line.") from None
        if not isinstance(row, dict):
            raise BadTable(f"{path.name}, line {i + 1}: {line[:40]!r} came; expected one JSON object per line.")
        named = {key.strip(): cell for key, cell in row.items()}
        if len(named) < len(row):
            raise BadTable(f"{path.name}, line {i + 1}: two keys differ only in blanks; give each its own name.")
        objects.append(named)
    header = list(dict.fromkeys(key for row in objects for key in row))
    if not header:
        raise BadTable(f"{path.name}: expected at least one line with a JSON object.")
    rows = [["" if (cell := row.get(name)) is None else str(cell).strip() for name in header] for row in objects]
    return Cells(header, rows, account)


def _blank_missing(cells: Cells, further: frozenset[str]) -> Cells:
    """Return the table with every cell that means "not known" empty."""
    numbers = {number for cell in further if not isnan(number := as_number(cell))}  # -9 is -9.0 too

    @cache
    def means_nothing(cell: str) -> bool:
        return cell.lower() in MISSING_CELLS or cell in further or (bool(numbers) and as_number(cell) in numbers)

    rows = [["" if means_nothing(cell) else cell for cell in row] for row in cells.rows]
    return Cells(cells.header, rows, cells.account)
