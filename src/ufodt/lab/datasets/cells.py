"""A file as text, cell by cell: CSV, TSV, Parquet and JSON Lines, and an account of what had to be done."""

import codecs
import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from math import isnan
from pathlib import Path
from typing import Any

from ufodt.amount import as_number
from ufodt.lab.datasets.dataset import BadTable, DatasetUnavailable
from ufodt.words import DECIMAL_COMMA, THOUSANDS

TEXT_SUFFIXES = (".csv", ".tsv")  # with a heading in the first line
TABLE_SUFFIXES = (*TEXT_SUFFIXES, ".parquet", ".jsonl")
MISSING_CELLS = frozenset({"", "?", "na", "n/a", "nan", "-nan", "null", "#n/a", "#na", "<na>"})
CLEAR_SHARE = 0.9  # of the known cells of a column must fit, for the rest to be taken as slips
_SHOWN = 5  # examples in a sentence of the account
_QUOTED = r'(?<![^,;\t|])"[^"]*(?:""[^"]*)*"'  # a whole cell in quotes; what separates cells may stand inside
_HEADING = re.compile(rf"(?:{_QUOTED}|[^\r\n])*")
_SEPARATOR = re.compile(r'"?sep=([^\w"\r\n])[",;\t|]*[\r\n]', re.IGNORECASE)  # what Excel may write in the first line
_MARKS = (  # the first of UTF-32 begins with one of UTF-16
    (codecs.BOM_UTF32_LE, "UTF-32"),
    (codecs.BOM_UTF32_BE, "UTF-32"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"),
)
_NO_TEXT = (b"\x1f\x8b", b"PK\x03\x04")  # how files of gzip and zip (Excel) begin
_ABOVE = re.compile(r"(?:[ \t,;|]*[\r\n]+)*")  # lines without a word
_WHOLE = re.compile(r"[+-]?\d+")
_WHOLE_WITH_POINTS = re.compile(r"[+-]?(?:0|[1-9]\d{0,2}(?:\.\d{3})*)")  # as 1.234.567
_BLANKS_AFTER_QUOTE = re.compile(r'(?:(?<=[^"]")|(?<=[,;\t|\r\n]"")) +(?=[,;\t|\r\n])')


@dataclass(frozen=True)
class Cells:
    """A table as text: heading, rows, and what had to be done to get there."""

    header: list[str]
    rows: list[list[str]]
    account: list[str]


def read_cells(path: str | Path, *, label: str | None = None, missing: frozenset[str] = frozenset()) -> Cells:
    """Return a file as text, cell by cell; empty where a value is not known.

    The index of a frame is no column, unless it is the label: the one that was named, else one called `label`.
    """
    unknown = _means_nothing(missing)
    table = _read_cells(Path(path), label or "label", unknown)
    return Cells(table.header, [["" if unknown(cell) else cell for cell in row] for row in table.rows], table.account)


def decode(content: bytes) -> tuple[str, list[str]]:
    """Return bytes as text, without a byte order mark, and what had to be done.

    >>> decode("é".encode("utf-16")), decode(b"\\xef\\xbb\\xbf\\xe9")[1]
    (('é', []), ['1 bytes are not UTF-8 and were replaced.'])
    >>> decode(b"\\xe9")
    ('é', ['The file is not UTF-8; it was read as cp1252, as Excel writes it.'])
    """
    name = next((name for mark, name in _MARKS if content.startswith(mark)), None) or _unmarked(content)
    coding, account = "utf-8-sig" if content.startswith(codecs.BOM_UTF8) else name, []
    try:
        return content.decode(coding), []
    except UnicodeDecodeError:
        is_mostly_utf8 = not content.decode("utf-8", errors="ignore").isascii()  # a few bytes are broken
        if coding == "UTF-8" and not is_mostly_utf8:
            account.append("The file is not UTF-8; it was read as cp1252, as Excel writes it.")
            coding = name = "cp1252"
        text = content.decode(coding, errors="replace")
        n_replaced = text.count("\ufffd")
        return text, account + ([f"{n_replaced} bytes are not {name} and were replaced."] if n_replaced else [])


def _unmarked(content: bytes) -> str:
    """Return how bytes without a mark are written: text has no NUL, but in UTF-16 every second byte is one."""
    start = content[:1000]
    n_even, n_odd = start[::2].count(0), start[1::2].count(0)
    if 3 * max(n_even, n_odd) > len(start) and min(n_even, n_odd) == 0:
        return "UTF-16-BE" if n_even else "UTF-16-LE"
    is_parquet = content.startswith(b"PAR1") and content.endswith(b"PAR1")
    if is_parquet or start.startswith(_NO_TEXT) or 0 in start:
        raise BadTable("What came is no text; expected a CSV, TSV or JSON Lines file, or a Parquet file by its name.")
    return "UTF-8"


def toml_key(name: str) -> str:
    """Return a name as a key of TOML, quoted where it must be.

    >>> toml_key("age"), toml_key("WBC [10^9]")
    ('age', '"WBC [10^9]"')
    """
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else json.dumps(name, ensure_ascii=False)


def were(count: int, noun: str, of: str = "") -> str:
    """Return how many there were: the beginning of a sentence of an account."""
    return f"{count} {noun}{of} was" if count == 1 else f"{count} {noun}s{of} were"


def examples(noun: str, items: Sequence[object]) -> str:
    """Return the first of some things, for a sentence of an account."""
    shown = ", ".join(str(item) for item in items[:_SHOWN])
    word = f"{noun}{'s' if len(items) > 1 else ''} " if noun else ""
    return f"{word}{shown}{', …' if len(items) > _SHOWN else ''}"


def _read_cells(path: Path, label: str, unknown: Callable[[str], bool]) -> Cells:
    if path.suffix.lower() not in TABLE_SUFFIXES:
        raise BadTable(f"{path.name}: expected a file ending in {', '.join(TABLE_SUFFIXES)}.")
    if not path.is_file():
        raise DatasetUnavailable(f"there is no file {str(path)!r}; check the path.")
    if path.suffix.lower() == ".parquet":
        table = _read_parquet(path, label)
    else:
        table = _read_json_lines(path) if path.suffix.lower() == ".jsonl" else _read_text(path, unknown)
    table = _without_blank_columns(table)
    _check_differ(table.header, path)
    return table


def _check_differ(names: Sequence[str], path: Path) -> None:
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise BadTable(f"{path.name}: two columns are called {repeated[0]!r}; give each its own name.")


def _without_blank_columns(table: Cells) -> Cells:
    """Return the table without columns that have neither a name nor a cell; those with cells get a name."""
    kept, account = [], list(table.account)
    for j, name in enumerate(table.header):
        if name or any(row[j] for row in table.rows):
            kept.append(j)
        else:
            account.append(f"Column {j + 1} was left out: it has neither a name nor a cell.")
        if not name and j in kept:
            account.append(f"Column {j + 1} has no name and is called 'column_{j + 1}'.")
    header = [table.header[j] or f"column_{j + 1}" for j in kept]
    return Cells(header, [[row[j] for j in kept] for row in table.rows], account)


def _read_text(path: Path, unknown: Callable[[str], bool]) -> Cells:
    text, account = decode(path.read_bytes())
    text = _BLANKS_AFTER_QUOTE.sub("", text)
    separator = _SEPARATOR.match(text)
    if separator is not None:
        delimiter = separator[1]
    else:
        delimiter = "\t" if path.suffix.lower() == ".tsv" else _delimiter(_ABOVE.sub("", text, count=1))
    records = islice(_records(text, delimiter, path.name), 0 if separator is None else 1, None)
    headings = ([name.strip() for name in row] for _, row in records)
    header = next((names for names in headings if any(names)), [])
    rows = _fitting(records, header, path.name, account)
    names = [name or f"column_{j + 1}" for j, name in enumerate(header)]
    decimal = set()
    for j, name in enumerate(names):
        if delimiter != "," and _read_decimal_commas(rows, j, unknown, may_be_thousands=delimiter != ";"):
            account.append(f"The commas in {name!r} were read as decimal points.")
            decimal.add(j)
    for j, name in enumerate(names):
        if decimal and j not in decimal and _read_thousands(rows, j, unknown):
            account.append(
                f"The points in {name!r} were read as those between thousands, since other columns have decimal "
                "commas; if they are decimal points, write commas there too."
            )
    return Cells(header, rows, account)


def _fitting(
    records: Iterable[tuple[str, list[str]]], header: Sequence[str], name: str, account: list[str]
) -> list[list[str]]:
    """Return the rows as wide as the heading; cells that are empty may be too many, or too few below no name."""
    n_named = max((j for j, name in enumerate(header, 1) if name), default=len(header))  # up to the last of them
    rows: list[list[str]] = []
    odd, empty, long, widths, n_cut = [], [], [], set(), 0
    for lines, row in records:
        cells = [cell.strip() for cell in row]
        rest = cells[len(header) :]
        if not any(cells):
            empty.append(lines)
        elif any(rest) or len(cells) < n_named:
            odd.append(lines)
            widths.add(len(cells))
        else:
            rows.append(cells[: len(header)] + [""] * (len(header) - len(cells)))
            long += [lines] if "-" in lines else []
            n_cut += bool(rest)
    found = " or ".join(map(str, sorted(widths)))
    if not rows:
        wide = f" The first line, the heading, has {len(header)} cells, the rows have {found}." if odd else ""
        raise BadTable(f"{name}: expected a heading and at least one row of its width.{wide}")
    if odd:
        account.append(
            f"{were(len(odd), 'row')} left out: {'it does' if len(odd) == 1 else 'they do'} not have "
            f"{len(header)} cells but {found} ({examples('line', odd)})."
        )
    if n_cut:
        account.append(f"{were(n_cut, 'row')} cut after {len(header)} cells: only empty ones came after.")
    if empty:
        account.append(f"{were(len(empty), 'empty line')} skipped.")
    if long:
        account.append(
            f"{were(len(long), 'row')} read from several lines, which quotes hold together ({examples('line', long)})."
        )
    return rows


def _read_decimal_commas(
    rows: list[list[str]], j: int, unknown: Callable[[str], bool], *, may_be_thousands: bool
) -> bool:
    """Write a column of numbers with points where it has commas; whether it is one."""
    known = [row for row in rows if not unknown(row[j])]
    decimal = [row for row in known if DECIMAL_COMMA.fullmatch(row[j])]
    n_whole = sum(_WHOLE.fullmatch(row[j]) is not None for row in known)
    if not decimal or len(decimal) + n_whole < CLEAR_SHARE * len(known):
        return False
    if may_be_thousands and all(THOUSANDS.fullmatch(row[j]) for row in decimal):
        return False
    for row in decimal:
        row[j] = row[j].replace(",", ".")
    return True


def _read_thousands(rows: list[list[str]], j: int, unknown: Callable[[str], bool]) -> bool:
    """Write a column of whole numbers without the points between their thousands; whether it is one."""
    known = [row for row in rows if not unknown(row[j])]
    if not any("." in row[j] for row in known) or not all(_WHOLE_WITH_POINTS.fullmatch(row[j]) for row in known):
        return False
    for row in known:
        row[j] = row[j].replace(".", "")
    return True


def _records(text: str, delimiter: str, name: str) -> Iterator[tuple[str, list[str]]]:
    """Give every row after the lines that it takes up, such as `7` or `7-9`; a quote left open is refused."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    while True:
        first = reader.line_num + 1
        try:
            row = next(reader, None)
        except csv.Error as error:
            if "field larger" in str(error):
                raise BadTable(
                    f"{name}, line {first}: a cell has more than {csv.field_size_limit():,} signs."
                ) from None
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


def _read_parquet(path: Path, label: str) -> Cells:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise DatasetUnavailable("Parquet files are read by pyarrow: pip install pyarrow") from None
    try:
        _check_differ(pyarrow.parquet.read_schema(path).names, path)
        table = pyarrow.parquet.read_table(path)
        said = (table.schema.pandas_metadata or {}).get("index_columns") or ()
    except BadTable:
        raise
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        raise BadTable(f"{path.name}: not a readable Parquet file ({error}); write it again.") from None
    index = [name for name in said if name in table.column_names and name != label]  # others number the rows
    table = table.drop_columns(index)
    account = [
        f"The column {name!r} was left out: it is the index of a frame of pandas. To keep it, call reset_index() "
        "before the frame is written."
        for name in index
    ]
    columns: dict[str, list[str]] = {}
    for name, column in zip(table.column_names, table.columns, strict=True):
        try:
            columns[name] = [_cell(value) for value in column.to_pylist()]
        except UnicodeDecodeError:
            account.append(f"The column {name!r} was left out: it holds bytes that are no text.")
    if not columns or not table.num_rows:
        raise BadTable(f"{path.name}: expected at least one column and one row, found {table.shape}.")
    rows = [list(row) for row in zip(*columns.values(), strict=True)]
    return Cells([str(name).strip() for name in columns], rows, account)


def _cell(value: Any) -> str:
    """What a cell of a Parquet file holds, as text; bytes are read as UTF-8."""
    if value is None:
        return ""
    return (value.decode() if isinstance(value, bytes) else str(value)).strip()


def _read_json_lines(path: Path) -> Cells:
    """One object per line; its keys are the columns, in the order in which they first come."""
    text, account = decode(path.read_bytes())
    objects = []
    for i, line in enumerate(io.StringIO(text, newline=None)):  # other signs that end a line may stand in a string
        if not line.strip():
            continue
        try:
            row = json.loads(line, object_pairs_hook=each_once)
        except BadTable as error:
            raise BadTable(f"{path.name}, line {i + 1}: {error}") from None
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


def one_of(codes: Iterable[str]) -> Callable[[str], bool]:
    """Return whether a cell is one of some codes, written just so or as the same number.

    >>> [one_of(["-9", "none"])(cell) for cell in ("-9.0", "none", "None")]
    [True, True, False]
    """
    texts = frozenset(codes)
    numbers = {number for cell in texts if not isnan(number := as_number(cell))}
    return lambda cell: cell in texts or (bool(numbers) and as_number(cell) in numbers)


def each_once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of JSON whose keys differ, for `json.loads`, which of two alike would keep the last.

    >>> json.loads('{"a": 1, "a": 2}', object_pairs_hook=each_once)
    Traceback (most recent call last):
    ...
    ufodt.lab.datasets.dataset.BadTable: two keys are called 'a'; give each its own name.
    """
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise BadTable(f"two keys are called {twice!r}; give each its own name.")
    return found


def _means_nothing(further: frozenset[str]) -> Callable[[str], bool]:
    """Return whether a cell means "not known"."""
    is_code = one_of(further)
    return cache(lambda cell: cell.lower() in MISSING_CELLS or is_code(cell))
