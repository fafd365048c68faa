"""A file as text: what separates its cells, how it is written, and which cells say nothing."""

from pathlib import Path

import numpy as np
import pytest

from ufodt.app.reading import read_stream_for
from ufodt.lab import datasets
from ufodt.lab.datasets import BadTable, DatasetUnavailable, read_table

from .written import account_of, write


def test_rows_of_another_width_are_left_out_with_their_lines(tmp_path: Path) -> None:
    told = account_of("a,y\n1,p\n2\n3,q\n4,p,9\n\n5,q\n", tmp_path)
    assert "2 rows were left out: they do not have 2 cells but 1 or 3 (lines 3, 5)." in told
    assert "1 empty line was skipped." in told


def test_other_delimiters_and_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(b"\xef\xbb\xbfa;y\r\n1,5;p\r\n2;q\r\n")
    assert read_table(path).feature_names == ("a",)
    assert read_table(write(tmp_path / "t.tsv", "a,b\ty\n1\tp\n2\tq\n")).feature_names == ("a,b",)


def test_what_stands_in_quotes_separates_nothing(tmp_path: Path) -> None:
    table = read_table(write(tmp_path / "t.csv", '"a,b,c";"one\nor, ""two"", lines";label\n1;5;p\n2;7;q\n'))
    assert table.feature_names == ("a,b,c", 'one\nor, "two", lines') and table.X.tolist() == [[1, 5], [2, 7]]
    table = read_table(write(tmp_path / "t.csv", 'size 5";weight, a;label\n1;5;p\n2;7;q\n'))
    assert table.feature_names == ('size 5"', "weight, a")


def test_a_quote_left_open_is_refused_with_its_line(tmp_path: Path) -> None:
    rows = [f"{i},{'west' if i % 3 else 'east'},{'pq'[i % 2]}" for i in range(200)]
    rows[40] = '40,"west,p'
    for later in (rows[50], '50,5" pipe,p', '50,"east",p', '50,"",q'):
        rows[50] = later
        with pytest.raises(BadTable, match=r"t\.csv, line 42: a quote that opens here is not closed"):
            read_table(write(tmp_path / "t.csv", "\n".join(["a,b,y", *rows])))


def test_rows_between_two_quotes_are_told_whether_they_fit_or_not(tmp_path: Path) -> None:
    rows = [f"{i % 7},{'west' if i % 3 else 'east'},{'pq'[i % 2]}" for i in range(20)]
    rows[4], rows[11] = '4,"west,p', '11,5",q'
    told = account_of("\n".join(["a,b,y", *rows]), tmp_path)
    assert "1 row was read from several lines, which quotes hold together (line 6-13)." in told
    rows[11] = '11,5"'
    told = account_of("\n".join(["a,b,y", *rows]), tmp_path)
    assert "1 row was left out: it does not have 3 cells but 2 (line 6-13)." in told


def test_an_inch_mark_is_no_quote(tmp_path: Path) -> None:
    table = read_table(write(tmp_path / "t.csv", 'pipe,y\n5" pipe,p\n7" pipe,q\n5" pipe,p\n'))
    assert table.categories == (('5" pipe', '7" pipe'),) and len(table.y) == 3


@pytest.mark.parametrize(
    "coding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be", "utf-8-sig"]
)
@pytest.mark.parametrize("text", ["größe,y\n1.5,p\n2.5,q\n", '{"größe": 1.5, "y": "p"}\n{"größe": 2.5, "y": "q"}'])
def test_a_byte_order_mark_says_how_a_file_is_written(coding: str, text: str, tmp_path: Path) -> None:
    path = tmp_path / ("t.jsonl" if text.startswith("{") else "t.csv")
    path.write_bytes((text if coding in ("utf-16", "utf-32", "utf-8-sig") else f"\ufeff{text}").encode(coding))
    table = read_table(path, label="y")
    assert table.feature_names == ("größe",) and table.X.tolist() == [[1.5], [2.5]] and table.account == ()


def test_json_lines_end_only_where_lines_end_and_blanks_around_keys_are_none(tmp_path: Path) -> None:
    lines = ['{" ward ": "a\u2028b", "y": 1}', '{"ward": "c\u0085", "y ": 0}', '{"ward": "a\u2028b", "y": 1}\r']
    table = read_table(write(tmp_path / "t.jsonl", "\n".join(lines)), label="y")
    assert table.feature_names == ("ward",) and table.categories == (("a\u2028b", "c"),)
    assert table.X[:, 0].tolist() == [0, 1, 0] and table.y.tolist() == [1, 0, 1]
    for twice in ('{"a": 1, "a": 2, "y": 0}', '{"a": {"b": 1, "b": 2}, "y": 0}'):
        with pytest.raises(BadTable, match=r"^t\.jsonl, line 2: two keys are called '[ab]'; give each its own name\.$"):
            read_table(write(tmp_path / "t.jsonl", '{"a": 1, "y": 0}\n' + twice), label="y")
    with pytest.raises(BadTable, match="line 1: two keys differ only in blanks"):
        read_table(write(tmp_path / "t.jsonl", '{"a": 1, " a": 2, "y": 0}'), label="y")


def test_what_is_not_utf_8_is_read_as_excel_writes_it_and_told(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes("größe,y\n1,5 €\n2,q\n".encode("cp1252"))
    table = read_table(path, label="y")
    assert table.feature_names == ("größe",) and table.label_names == ("5 €", "q")
    assert "The file is not UTF-8; it was read as cp1252, as Excel writes it." in table.account
    path.write_bytes(b"a,y\n1,p\x81\n2,q\xe9\n")
    assert "1 bytes are not cp1252 and were replaced." in read_table(path, label="y").account
    path.write_bytes(b"\xef\xbb\xbfa,y\n1,p\xff\n2,q\n")
    assert read_table(path, label="y").account == ("1 bytes are not UTF-8 and were replaced.",)


@pytest.mark.parametrize("name, mark", [("t.csv", ";"), ("t.tsv", "\t"), ("t.csv", "|")])
def test_commas_are_decimal_points_where_something_else_separates(name: str, mark: str, tmp_path: Path) -> None:
    rows = ["1,5;2,3;x,1;p", "-2;NA;y;q", "3,25E+02;1_0,5;x,1;p", "4;7;y;-9,0"]
    rows += [f"{i},5;1;y;{'pq'[i % 2]}" for i in range(20)]
    path = write(tmp_path / name, "\n".join(["a;b;c;y", *rows]).replace(";", mark))
    about = write(tmp_path / "o.toml", "missing = ['-9,0', 'y']\n")
    table = read_table(path, label="y", overrides=about)
    assert table.X[:3, 0].tolist() == [1.5, -2, 325] and table.X[0, 1] == 2.3 and table.kinds[0] == "continuous"
    told = [sentence for sentence in table.account if "commas" in sentence]
    assert told == [f"The commas in {name!r} were read as decimal points." for name in "ab"]
    stream = read_stream_for(datasets.to_named(table)[0], str(path), label=None)
    assert stream.X[:3, 0].tolist() == [1.5, -2, 325]
    plain = read_table(write(tmp_path / "t.csv", 'a,y\n"1,5",p\n"2,5",q\n'))
    assert plain.categories == (("1,5", "2,5"),)


def test_a_first_line_may_name_the_delimiter(tmp_path: Path) -> None:
    for line in ("sep=;", '"sep=;"', "SEP=;;;"):
        table = read_table(write(tmp_path / "t.csv", f"{line}\r\na, b, c;y\r\n1;p\r\n2;q\r\n3\r\n"), label="y")
        assert table.feature_names == ("a, b, c",) and "(line 5)" in table.account[0]
    assert read_table(write(tmp_path / "t.csv", "sep=a,y\n1,p\n2,q\n")).feature_names == ("sep=a",)


@pytest.mark.parametrize("cell", ["#N/A", "#NA", "<NA>", "-nan", "#n/a"])
def test_what_programs_write_for_nothing_is_missing(cell: str, tmp_path: Path) -> None:
    told = account_of(f"a,y\n1,p\n{cell},q\n2,p\n", tmp_path)
    assert told == "1 cell of 'a' was missing in the file."


def test_columns_without_a_name_or_a_cell_are_left_out(tmp_path: Path) -> None:
    for rows in ("1.5,2,p,,\n2.5,3,q,,\n", "1.5,2,p\n2.5,3,q,,,\n", "1.5,2,p,\n2.5,3,q\n"):
        table = read_table(write(tmp_path / "t.csv", f"a,b,label,,\n{rows}"))
        assert table.feature_names == ("a", "b") and table.label_names == ("p", "q")
        told = [sentence for sentence in table.account if sentence.startswith("Column")]
        assert told == [f"Column {n} was left out: it has neither a name nor a cell." for n in (4, 5)]
    table = read_table(write(tmp_path / "t.csv", ",a,,y,\nx,1,,p,7\ny,2,,q\n"), label="y")
    assert table.feature_names == ("column_1", "a", "column_5")
    assert "Column 3 was left out: it has neither a name nor a cell." in table.account


def test_a_delimiter_at_the_end_of_the_rows_is_cut_and_told(tmp_path: Path) -> None:
    table = read_table(write(tmp_path / "t.csv", "a,b,y\n1.5,2,p,\n2.5,3,q,\n3.5,4,p\n"), label="y")
    assert table.X.tolist() == [[1.5, 2], [2.5, 3], [3.5, 4]]
    assert table.account == ("2 rows were cut after 3 cells: only empty ones came after.",)
    with pytest.raises(BadTable, match="The first line, the heading, has 2 cells, the rows have 3 or 4"):
        read_table(write(tmp_path / "t.csv", "a,y\n1,2,p\n1,2,3,q\n"))


def test_parquet_reads_like_csv(tmp_path: Path) -> None:
    import pyarrow
    import pyarrow.parquet

    table = pyarrow.table(
        {"age": [30.5, None, 52.0], "ok": [True, False, None], "kind": ["a", "b", "a"], "y": [1, 0, 1]}
    )
    pyarrow.parquet.write_table(table, tmp_path / "t.parquet")
    data = read_table(tmp_path / "t.parquet", label="y")
    assert data.kinds == ("continuous", "binary", "categorical")
    np.testing.assert_array_equal(data.X, [[30.5, 1, 0], [np.nan, 0, 1], [52.0, np.nan, 0]])
    assert data.y.tolist() == [1, 0, 1]


def test_the_index_of_a_frame_is_no_column_of_a_parquet_file(tmp_path: Path) -> None:
    import pandas

    frame = pandas.DataFrame({"a": [1.5, 2.5, 3.5, 4.5], "y": [0, 0, 1, 1]})
    frame.sample(frac=1.0, random_state=0).to_parquet(tmp_path / "shuffled.parquet")
    frame.set_index(pandas.Index([7, 8, 9, 10], name="case")).to_parquet(tmp_path / "named.parquet")
    for name, index in (("shuffled", "__index_level_0__"), ("named", "case")):
        table = read_table(tmp_path / f"{name}.parquet", label="y")
        assert table.feature_names == ("a",)
        left_out = f"The column '{index}' was left out: it is the index of a frame of pandas."
        assert table.account == (f"{left_out} To keep it, call reset_index() before the frame is written.",)


@pytest.mark.parametrize(("index", "named"), [("label", None), ("label", "label"), ("state", "state")])
def test_the_index_of_a_frame_may_be_the_label(index: str, named: str | None, tmp_path: Path) -> None:
    import pandas

    frame = pandas.DataFrame({"a": [1.5, 2.5, 3.5, 4.5]}, index=pandas.Index(["p", "p", "q", "q"], name=index))
    frame.to_parquet(tmp_path / "t.parquet")
    table = read_table(tmp_path / "t.parquet", label=named)
    assert table.feature_names == ("a",) and table.y.tolist() == [0, 0, 1, 1] and table.label_names == ("p", "q")
    problem = datasets.to_named(table)[0]
    assert read_stream_for(problem, str(tmp_path / "t.parquet"), label=index).y == ["p", "p", "q", "q"]


def test_bytes_in_a_parquet_file_are_text_or_left_out(tmp_path: Path) -> None:
    import pyarrow
    import pyarrow.parquet

    table = pyarrow.table({"kind": [b"\xc3\xa4", b"b", None], "picture": [b"\xff\xd8", b"x", b"y"], "y": [1, 0, 1]})
    pyarrow.parquet.write_table(table, tmp_path / "t.parquet")
    data = read_table(tmp_path / "t.parquet", label="y")
    assert data.feature_names == ("kind",) and data.categories == (("b", "ä"),)
    assert "The column 'picture' was left out: it holds bytes that are no text." in data.account


def test_two_columns_of_one_name_are_refused_in_a_parquet_file_too(tmp_path: Path) -> None:
    import pyarrow
    import pyarrow.parquet

    table = pyarrow.Table.from_arrays([pyarrow.array([1, 2])] * 3, names=["a", "a", "y"])
    pyarrow.parquet.write_table(table, tmp_path / "t.parquet")
    with pytest.raises(BadTable, match=r"^t\.parquet: two columns are called 'a'; give each its own name\.$"):
        read_table(tmp_path / "t.parquet", label="y")


@pytest.mark.parametrize(("said", "taken"), [(b"no JSON", None), (b'{"index_columns": null}', ("a",))])
def test_a_parquet_file_may_say_nothing_of_its_index_but_must_say_it_well(
    tmp_path: Path, said: bytes, taken: tuple[str, ...] | None
) -> None:
    import pyarrow
    import pyarrow.parquet

    table = pyarrow.table({"a": [1.5, 2.5, 3.5, 4.5], "y": [0, 0, 1, 1]}).replace_schema_metadata({b"pandas": said})
    pyarrow.parquet.write_table(table, tmp_path / "t.parquet")
    if taken is None:
        with pytest.raises(BadTable, match="t.parquet: not a readable Parquet file"):
            read_table(tmp_path / "t.parquet", label="y")
    else:
        assert read_table(tmp_path / "t.parquet", label="y").feature_names == taken


@pytest.mark.parametrize("text, message", [
    ("", "expected a heading"),
    ("a,y\n", "expected a heading and at least one row"),
    ("a,a,y\n1,2,p\n3,4,q\n", "two columns are called 'a'"),
    ("a,b\n1,p\n2,q\n", "no column is called 'y'"),
    ("a,y\n1,p\n2,p\n", "holds 1 different labels"),
    ("y\np\nq\n", "no column is left as a feature"),
])  # fmt: skip
def test_what_is_no_table_is_refused(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(BadTable, match=message):
        read_table(write(tmp_path / "t.csv", text), label="y")


def test_a_missing_or_foreign_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(DatasetUnavailable, match=r"no file '.*gone\.csv'"):
        read_table(tmp_path / "gone.csv")
    with pytest.raises(BadTable, match=r"ending in \.csv"):
        read_table(write(tmp_path / "t.xlsx", "a"))
    with pytest.raises(BadTable, match="not a readable Parquet file"):
        read_table(write(tmp_path / "t.parquet", "a,y\n"))


def test_a_cell_that_means_nothing_is_no_number_though_it_has_a_decimal_comma(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a;y\n-9,0;p\n1,5;q\n2,5;p\n")
    (tmp_path / "t.toml").write_text('missing = ["-9,0"]\n')
    table = read_table(tmp_path / "t.csv", overrides=tmp_path / "t.toml")
    assert np.isnan(table.X[0, 0]) and table.X[1:, 0].tolist() == [1.5, 2.5]


def test_thousands_between_tabs_are_not_taken_for_decimals(tmp_path: Path) -> None:
    rows = "".join(f"{number}\t{'pq'[i % 2]}\n" for i, number in enumerate(["950", "1,234", "12,500", "875"] * 8))
    (tmp_path / "t.tsv").write_text("a\tb\ty\n" + rows.replace("\t", "\t1\t"))
    assert not any("decimal points" in sentence for sentence in read_table(tmp_path / "t.tsv").account)


def test_points_between_thousands_are_none_of_decimals_where_others_have_commas(tmp_path: Path) -> None:
    costs, rest = ["0", "710", "8.115", "-1.234.567"] * 5, ["1,5", "2", "17,25", "3"] * 5
    rows = "".join(f"{cost};{other};{'pq'[i % 2]}\n" for i, (cost, other) in enumerate(zip(costs, rest, strict=True)))
    table = read_table(write(tmp_path / "t.csv", "cost;crp;y\n" + rows))
    assert table.X[:4].tolist() == [[0, 1.5], [710, 2], [8115, 17.25], [-1234567, 3]]
    told = "The points in 'cost' were read as those between thousands, since other columns have decimal commas"
    assert any(sentence.startswith(told) for sentence in table.account)
    for decimal, with_point in (("0.115", 0.115), ("8115.5", 8115.5), ("8.15", 8.15), ("8.1150", 8.115)):
        table = read_table(write(tmp_path / "t.csv", "cost;crp;y\n" + rows.replace("-1.234.567", decimal)))
        assert table.X[2:4, 0].tolist() == [8.115, with_point]
        assert not any("thousands" in sentence for sentence in table.account)
    table = read_table(write(tmp_path / "t.csv", "cost;crp;y\n" + rows.replace(",", ".").replace("1.234.567", "1")))
    assert table.X[2].tolist() == [8.115, 17.25]  # no column has commas


def test_a_broken_byte_costs_one_letter_and_not_the_rest(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes("größe,y\nweiß,p\nsüß,q\nweiß,q\ns".encode() + b"\xc3,p\n")
    table = read_table(tmp_path / "t.csv")
    assert table.feature_names == ("größe",) and "1 bytes are not UTF-8 and were replaced." in table.account


def test_a_blank_after_a_quoted_cell_is_nothing(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text('a,y\n"west" ,p\n"so ""far"" , so good" ,q\n"west" ,q\n')
    assert read_table(tmp_path / "t.csv").categories[0] == ('so "far" , so good', "west")


def test_a_cell_without_end_is_refused_as_such(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(f"a,y\nx,p\n{'x' * 140_000},q\n")
    with pytest.raises(BadTable, match=r"t\.csv, line 3: a cell has more than 131,072 signs"):
        read_table(tmp_path / "t.csv")


@pytest.mark.parametrize("coding", ["utf-16-le", "utf-16-be", "utf-16"])
def test_two_bytes_for_a_sign_need_no_mark(coding: str, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes("größe,y\n1.5,p\n2,q\n".encode(coding))
    assert read_table(tmp_path / "t.csv").feature_names == ("größe",)


@pytest.mark.parametrize("content", [b"PAR1\x15\x04PAR1", b"\x1f\x8b\x08", b"PK\x03\x04", b"a,y\n1\x00\x00,p\n"])
@pytest.mark.parametrize("name", ["t.csv", "t.jsonl"])
def test_what_is_no_text_is_refused(content: bytes, name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(BadTable, match="What came is no text; expected a CSV, TSV or JSON Lines file"):
        read_table(tmp_path / name)


def test_blank_lines_may_stand_above_the_heading_and_blanks_behind_an_empty_cell(tmp_path: Path) -> None:
    table = read_table(write(tmp_path / "t.csv", '\n,,\na,b,y\n1,"" ,p\n2,"k" ,q\n"" ,"x",p\n'))
    assert table.feature_names == ("a", "b")
    assert np.isnan(table.X).tolist() == [[False, True], [False, False], [True, False]]
    for above in ("\n\n", "  \n", " ; \n\t\n"):
        assert read_table(write(tmp_path / "t.csv", f"{above}a;PAR1;y\n1;2;p\n2;3;q\n")).feature_names == ("a", "PAR1")


def test_a_column_may_be_called_as_other_files_begin(tmp_path: Path) -> None:
    assert read_table(write(tmp_path / "t.csv", "PAR1,PAR2,y\n1,2,p\n2,3,q\n")).feature_names == ("PAR1", "PAR2")


def test_a_label_of_its_own_for_nearly_every_row_is_remarked(tmp_path: Path) -> None:
    told = account_of("a,y\n" + "".join(f"{i % 3},{i / 7:.3f}\n" for i in range(40)), tmp_path)
    assert "There are 40 labels in 40 rows: is that the label, or a measurement?" in told
    assert "is that the label" not in account_of("a,y\n" + "".join(f"{i % 3},{i % 20}\n" for i in range(40)), tmp_path)
