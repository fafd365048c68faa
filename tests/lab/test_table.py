"""The user's own tables: types, overrides, and an account of everything that was done."""

import re
from pathlib import Path

import numpy as np
import pytest

from ufodt import UFODT
from ufodt.app.reading import read_stream_for
from ufodt.errors import UfodtError
from ufodt.features import Priced
from ufodt.lab import datasets
from ufodt.lab.datasets import BadTable, DatasetUnavailable, read_table
from ufodt.lab.datasets.overrides import loss_table, read_overrides
from ufodt.prior import read_prior
from ufodt.problem import MAX_LABELS

PLAIN = "age,sex,sick,smokes,rhythm\n30,m,no,1,sinus\n41,f,yes,0,other\n52,f,no,0,sinus\n63,m,yes,1,flutter\n"


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def account_of(text: str, tmp_path: Path, *, label: str = "y") -> str:
    return "\n".join(read_table(write(tmp_path / "t.csv", text), label=label).account)


def test_types_are_inferred_and_the_label_may_stand_in_the_middle(tmp_path: Path) -> None:
    data = read_table(write(tmp_path / "t.csv", PLAIN), label="sick")
    assert data.feature_names == ("age", "sex", "smokes", "rhythm")
    assert data.kinds == ("continuous", "categorical", "binary", "categorical")
    assert data.categories == ((), ("f", "m"), ("0", "1"), ("flutter", "other", "sinus"))
    assert data.label_names == ("no", "yes") and data.y.tolist() == [0, 1, 0, 1]
    assert data.X[0].tolist() == [30.0, 1.0, 1.0, 2.0]
    assert data.account == () and data.prices is None


def test_missing_cells_become_nan_and_are_told(tmp_path: Path) -> None:
    data = read_table(write(tmp_path / "t.csv", "a,b,y\n1.5,?,p\nNA,x,q\n,z,p\n2.5,x,q\n"), label="y")
    np.testing.assert_array_equal(np.isnan(data.X), [[0, 1], [1, 0], [1, 0], [0, 0]])
    assert "2 cells of 'a' were missing in the file." in data.account
    assert "1 cell of 'b' was missing in the file." in data.account


def test_rows_of_another_width_are_left_out_with_their_lines(tmp_path: Path) -> None:
    told = account_of("a,y\n1,p\n2\n3,q\n4,p,9\n\n5,q\n", tmp_path)
    assert "2 rows were left out: they do not have 2 cells but 1 or 3 (lines 3, 5)." in told
    assert "1 empty line was skipped." in told


def test_rows_without_a_label_are_left_out(tmp_path: Path) -> None:
    assert "1 row was left out: no label in 'y'." in account_of("a,y\n1,p\n2,\n3,q\n", tmp_path)


def test_five_percent_unparsable_cells_become_missing_not_categories(tmp_path: Path) -> None:
    rows = [f"{i / 4},{'##' if i % 20 == 0 else i / 2},{'pq'[i % 2]},{'x!' if i == 30 else i % 2}" for i in range(100)]
    data = read_table(write(tmp_path / "t.csv", "i,a,y,b\n" + "\n".join(rows)), label="y")
    assert data.kinds == ("continuous", "continuous", "binary")
    assert np.isnan(data.X).sum(axis=0).tolist() == [0, 5, 1] and len(data.y) == 100
    told = "\n".join(data.account)
    assert "5 cells of 'a' were taken as missing: not a number ('##', '##', '##', '##', '##')." in told
    assert "1 cell of 'b' was taken as missing: not one of 0, 1 ('x!')." in told


def test_an_infinite_number_is_missing(tmp_path: Path) -> None:
    rows = "".join(f"{i},{'pq'[i % 2]}\n" for i in range(20))
    assert "1 cell of 'a' was taken as missing: not a number ('inf')." in account_of(f"a,y\n{rows}inf,p\n", tmp_path)


def test_an_identifier_is_left_out_and_the_way_to_keep_it_is_told(tmp_path: Path) -> None:
    rows = "".join(f"case-{i},{i / 4},{'pq'[i % 2]}\n" for i in range(30))
    path = write(tmp_path / "t.csv", "id,a,y\n" + rows)
    data = read_table(path, label="y")
    assert data.feature_names == ("a",)
    assert any("[features.id]" in sentence for sentence in data.account)
    kept = read_table(path, label="y", overrides=write(tmp_path / "o.toml", '[features.id]\nkind = "categorical"\n'))
    assert kept.feature_names == ("id", "a") and len(kept.categories[0]) == 30


def test_a_text_that_never_varies_is_left_out_and_told(tmp_path: Path) -> None:
    table = read_table(write(tmp_path / "t.csv", "a,ward,y\n1.5,west,0\n2.5,west,1\n3.5,,0\n"))
    assert table.feature_names == ("a",)
    assert "The column 'ward' was left out: it never holds anything but 'west'." in table.account
    assert datasets.to_problem(table).n_features == 1


def test_the_number_of_the_row_is_left_out_and_told(tmp_path: Path) -> None:
    rows = [f"{i + i // 9},{i * 7 % 40},{i % 2}" for i in range(40)]
    table = read_table(write(tmp_path / "t.csv", "\n".join(["id,a,y", *rows])))
    assert table.feature_names == ("a",) and any("'id' was left out: it counts the rows" in s for s in table.account)
    (tmp_path / "keep.toml").write_text('[features.id]\nkind = "continuous"\n')
    kept = read_table(tmp_path / "t.csv", overrides=tmp_path / "keep.toml")
    assert kept.feature_names == ("id", "a")


def test_a_column_that_never_varies_is_kept_and_told(tmp_path: Path) -> None:
    assert "The column 'a' never varies" in account_of("a,b,y\n7,1,p\n7,2,q\n", tmp_path)


@pytest.mark.parametrize("cells, names", [
    (("True", "false"), ("false", "true")), (("Yes", "no"), ("no", "yes")), (("1.0", "0.0"), ("0", "1")),
])  # fmt: skip
def test_truth_values_are_binary_however_spelled(
    cells: tuple[str, str], names: tuple[str, str], tmp_path: Path
) -> None:
    data = read_table(write(tmp_path / "t.csv", f"a,y\n{cells[0]},p\n{cells[1]},q\n"), label="y")
    assert data.kinds == ("binary",) and data.categories == (names,)
    assert data.X[:, 0].tolist() == [1.0, 0.0]


def test_numeric_labels_sort_as_numbers(tmp_path: Path) -> None:
    data = read_table(write(tmp_path / "t.csv", "a,y\n1,10\n2,9\n3,10\n"), label="y")
    assert data.label_names == ("9", "10")


@pytest.mark.parametrize("cells, names, told", [
    (["1", "1.0", "0", "1"], ("0", "1"), "The label '1.0' is read as '1'."),
    (["Yes", "no", "yes", "yes"], ("no", "yes"), "The label 'Yes' is read as 'yes'."),
    (["A", "a", "b", "b"], ("A", "a", "b"), ""),
])  # fmt: skip
def test_labels_are_one_where_cells_of_features_are(
    cells: list[str], names: tuple[str, ...], told: str, tmp_path: Path
) -> None:
    rows = "".join(f"{i},{cell}\n" for i, cell in enumerate(cells))
    data = read_table(write(tmp_path / "t.csv", f"a,y\n{rows}"), label="y")
    assert data.label_names == names and data.account == ((told,) if told else ())
    assert [names[label].lower()[0] for label in data.y] == [cell.lower()[0] for cell in cells]


def test_there_may_be_as_many_labels_as_in_a_problem(tmp_path: Path) -> None:
    rows = [f"{i % 7},{i}" for i in range(MAX_LABELS)]
    assert len(read_table(write(tmp_path / "t.csv", "\n".join(["a,y", *rows])), label="y").label_names) == MAX_LABELS
    with pytest.raises(BadTable, match=f"{MAX_LABELS + 1} different labels .* expected 2 to {MAX_LABELS}"):
        read_table(write(tmp_path / "t.csv", "\n".join(["a,y", *rows, "1,more"])), label="y")


def test_a_number_beside_0_and_1_is_a_number(tmp_path: Path) -> None:
    cells = ["0", "1"] * 20 + ["2", "5"]
    rows = "".join(f"{cell},{'pq'[i % 2]}\n" for i, cell in enumerate(cells))
    data = read_table(write(tmp_path / "t.csv", f"a,y\n{rows}"), label="y")
    assert data.kinds == ("continuous",) and data.X[-2:, 0].tolist() == [2, 5] and data.account == ()


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


@pytest.mark.parametrize("coding", ["utf-16", "utf-16-le", "utf-16-be", "utf-8-sig"])
@pytest.mark.parametrize("text", ["größe,y\n1.5,p\n2.5,q\n", '{"größe": 1.5, "y": "p"}\n{"größe": 2.5, "y": "q"}'])
def test_a_byte_order_mark_says_how_a_file_is_written(coding: str, text: str, tmp_path: Path) -> None:
    path = tmp_path / ("t.jsonl" if text.startswith("{") else "t.csv")
    path.write_bytes((text if coding in ("utf-16", "utf-8-sig") else f"\ufeff{text}").encode(coding))
    table = read_table(path, label="y")
    assert table.feature_names == ("größe",) and table.X.tolist() == [[1.5], [2.5]] and table.account == ()


def test_json_lines_end_only_where_lines_end_and_blanks_around_keys_are_none(tmp_path: Path) -> None:
    lines = ['{" ward ": "a\u2028b", "y": 1}', '{"ward": "c\u0085", "y ": 0}', '{"ward": "a\u2028b", "y": 1}\r']
    table = read_table(write(tmp_path / "t.jsonl", "\n".join(lines)), label="y")
    assert table.feature_names == ("ward",) and table.categories == (("a\u2028b", "c"),)
    assert table.X[:, 0].tolist() == [0, 1, 0] and table.y.tolist() == [1, 0, 1]
    with pytest.raises(BadTable, match="line 1: two keys differ only in blanks"):
        read_table(write(tmp_path / "t.jsonl", '{"a": 1, " a": 2, "y": 0}'), label="y")


def test_a_byte_order_mark_before_toml_is_no_entry(tmp_path: Path) -> None:
    (tmp_path / "o.toml").write_text("drop = ['sex']", encoding="utf-8-sig")
    data = read_table(write(tmp_path / "t.csv", PLAIN), label="sick", overrides=tmp_path / "o.toml")
    assert "sex" not in data.feature_names


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
    with pytest.raises(BadTable, match="The heading has 2 cells, the rows have 3 or 4"):
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


def test_a_path_works_where_a_name_works(tmp_path: Path) -> None:
    path = write(tmp_path / "mine.csv", "label,a\np,1\nq,2\n")
    write(tmp_path / "mine.toml", "[features.a]\nprice = 3\n")
    data = datasets.load(str(path))
    assert data.name == "mine" and data.label_names == ("p", "q") and data.prices == (Priced(price=3.0),)
    assert "The column 'label' was taken as the label." in data.account


OVERRIDES = """
label = "sick"
missing = ["52"]
drop = ["sex"]
[features.smokes]
kind = "continuous"
[features.rhythm]
categories = ["sinus", "flutter"]
price = 15.5
later = 1
group = "ecg"
"""


def test_the_user_has_the_last_word(tmp_path: Path) -> None:
    data = read_table(write(tmp_path / "t.csv", PLAIN), overrides=write(tmp_path / "o.toml", OVERRIDES))
    assert data.feature_names == ("age", "smokes", "rhythm")
    assert data.kinds == ("continuous", "continuous", "categorical")
    np.testing.assert_array_equal(data.X, [[30, 1, 0], [41, 0, np.nan], [np.nan, 0, 0], [63, 1, 1]])
    assert data.prices == (Priced(), Priced(), Priced(price=15.5, later_price=1.0, group="ecg"))
    told = "\n".join(data.account)
    assert "'sex' was left out, as the TOML file says" in told
    assert "not one of sinus, flutter ('other')" in told
    assert "No price was given for age, smokes; 1.0 was taken." in told


def test_a_price_of_others_is_that_of_every_feature_without_one(tmp_path: Path) -> None:
    said = write(tmp_path / "o.toml", "[prices]\nage = 3\nothers = 2.5\n[features.sex]\nprice = 7\n")
    data = read_table(write(tmp_path / "t.csv", PLAIN), label="sick", overrides=said)
    assert data.prices is not None and [terms.price for terms in data.prices] == [3, 7, 2.5, 2.5]
    assert data.account == ()


def test_a_group_of_one_is_told_as_its_name_may_be_mistyped(tmp_path: Path) -> None:
    toml = "\n".join(
        f"{name} = {{ price = 9, later = 1, group = '{group}' }}"
        for name, group in (("age", "blood"), ("sex", "blood"), ("smokes", "blod"))
    )
    data = read_table(
        write(tmp_path / "t.csv", PLAIN), label="sick", overrides=write(tmp_path / "o.toml", f"[prices]\n{toml}")
    )
    alone = [sentence for sentence in data.account if "alone" in sentence]
    assert alone == ["smokes is alone in the group 'blod', so its later price is never asked."]


TERMS = """
[currencies]
dollars = 1
minutes = 0.5
[prices]
age = { price = { dollars = 3, minutes = 4 }, mandatory = true }
rhythm = { price = 15.5, later = 1, group = "ecg", surcharge = { flutter = 20 }, needs = ["smokes"] }
sex = { price = 7, computed_from = ["age", "smokes"] }
"""


def test_a_table_may_be_had_on_any_terms(tmp_path: Path) -> None:
    path, said = write(tmp_path / "t.csv", PLAIN), write(tmp_path / "o.toml", TERMS)
    data = read_table(path, label="sick", overrides=said)
    named, _, _ = datasets.to_named(data, priced=True)
    for problem, flutter in ((named, "flutter"), (datasets.to_problem(data, priced=True), 0)):
        age, rhythm, sex = (problem.features[problem.feature_index(name)] for name in ("age", "rhythm", "sex"))
        assert problem.prices[problem.feature_index("age")] == 5.0 and age.mandatory
        assert rhythm.surcharge == {flutter: 20.0} and rhythm.needs == ("smokes",) and rhythm.later_price == 1.0
        assert sex.computed_from == ("age", "smokes")
    assert datasets.to_problem(data).prices.tolist() == [1.0] * 4


def test_the_file_of_prices_in_the_documentation_is_one(tmp_path: Path) -> None:
    text = (Path(__file__).parents[2] / "docs" / "tree.md").read_text(encoding="utf-8")
    block = re.search(r"```toml\n(.*?)```", text, re.DOTALL)
    assert block is not None
    rows = ["patient,age,pulse,ecg,chol,sugar,risk,smokes,disease"]
    for i in range(12):
        ecg, sugar, disease = "sinus" if i % 3 else "flutter", -9 if i == 4 else 90 + i, "ill" if i % 2 else "healthy"
        rows.append(f"p{i},{30 + i},{60 + i},{ecg},{180 + i},{sugar},{i / 9},{i % 2},{disease}")
    said = write(tmp_path / "o.toml", block[1])
    data = read_table(write(tmp_path / "t.csv", "\n".join(rows) + "\n"), overrides=said)
    problem, _, _ = datasets.to_named(data, priced=True, loss=loss_table(read_overrides(said), data.label_names))
    assert problem.prices.tolist() == [0, 0.5, 15.5, 7.27 + 2, 5.2 + 2, 12.5, 1.0]
    assert problem.loss == ((0, 50), (400, 0)) and problem.features[2].surcharge == {"flutter": 20}
    assert np.isnan(data.X[4, 4]) and data.feature_names[-1] == "smokes"
    expert = write(tmp_path / "p.toml", re.findall(r"```toml\n(.*?)```", text, re.DOTALL)[1])
    learner = UFODT(problem, prior=read_prior(expert))
    assert learner.open().predict().probabilities == pytest.approx({"healthy": 0.9, "ill": 0.1})
    assert learner.open(known={"ecg": "flutter"}).predict().probabilities["ill"] > 0.1


def test_terms_without_a_price_cost_what_others_do(tmp_path: Path) -> None:
    path = write(tmp_path / "t.csv", PLAIN)
    for others, price, told in (("others = 2.0\n", 2.0, False), ("", 1.0, True)):
        said = write(tmp_path / "o.toml", f"[prices]\n{others}age = {{ needs = ['sex'] }}\nsex = 5\n")
        data = read_table(path, label="sick", overrides=said)
        assert data.prices is not None
        assert data.prices[data.feature_names.index("age")] == Priced(price=price, needs=["sex"])
        assert any("No price was given for age" in sentence for sentence in data.account) == told


def test_names_in_the_file_are_read_as_cells_are(tmp_path: Path) -> None:
    rows = "".join(
        f"{g},{s},{y}\n"
        for g, s, y in zip(["10", "10.0", "20", "20.0"] * 3, [0, 1] * 6, ["Yes", "No"] * 6, strict=True)
    )
    said = write(
        tmp_path / "o.toml",
        "[features.g]\ncategories = ['10', '20']\nsurcharge = {'20.0' = 3}\n"
        "[features.s]\nsurcharge = {yes = 5}\n[loss.yes]\nno = 7\n[loss.NO]\nYES = 2\n",
    )
    data = read_table(write(tmp_path / "t.csv", "g,s,y\n" + rows), label="y", overrides=said)
    assert not np.isnan(data.X).any()
    loss = loss_table(read_overrides(said), data.label_names)
    problem, _, _ = datasets.to_named(data, priced=True, loss=loss)
    assert problem.features[0].surcharge == {"20": 3} and problem.features[1].surcharge == {1: 5}
    assert dict(zip(problem.labels, problem.loss or (), strict=True)) == {"No": (0, 2), "Yes": (7, 0)}


@pytest.mark.parametrize("toml, message", [
    ("[loss.ILL]\nwell = 400\n[loss.ill]\nwell = 4\n", r"\[loss\] names the label 'ill' twice, once as 'ill'"),
    ("[loss.ill]\nwell = 4\nWell = 5\n", r"\[loss.ill\] names the label 'well' twice, once as 'Well'"),
    ("[loss.ill]\nsick = 4\n", r"\[loss.ill\] names 'sick', which is no label"),
])  # fmt: skip
def test_what_a_mistake_costs_is_said_once(toml: str, message: str, tmp_path: Path) -> None:
    said = read_overrides(write(tmp_path / "o.toml", toml))
    with pytest.raises(BadTable, match=message):
        loss_table(said, ["ill", "well"])


def test_a_number_may_have_fixed_cut_points(tmp_path: Path) -> None:
    said = write(tmp_path / "o.toml", "[features.age]\ncuts = [40, 60.5]\n")
    data = read_table(write(tmp_path / "t.csv", PLAIN), label="sick", overrides=said)
    assert datasets.to_problem(data).features[0].cuts == (40.0, 60.5)  # type: ignore[union-attr]
    assert datasets.to_named(data)[0].features[0].cuts == (40.0, 60.5)  # type: ignore[union-attr]


@pytest.mark.parametrize("missing", ["-9", "-9.0"])
def test_a_missing_number_is_missing_however_it_is_written(missing: str, tmp_path: Path) -> None:
    path = write(tmp_path / "t.csv", "a,y\n1,p\n-9,q\n-9.0,p\n2.5,q\n")
    data = read_table(path, label="y", overrides=write(tmp_path / "o.toml", f"missing = ['{missing}']\n"))
    assert np.isnan(data.X[:, 0]).tolist() == [False, True, True, False]


@pytest.mark.parametrize("toml, message", [
    ("[prices]\nrhythm = { surcharge = { fluter = 2 } }", "a surcharge came for 'fluter'; expected one of flutter"),
    ("[prices]\nage = { surcharge = { old = 2 } }", "expected no surcharge, since it is a number"),
    ("[prices]\nrhythm = { surcharge = { flutter = 2, Flutter = 3 } }", "surcharges came for 'flutter', 'Flutter'"),
    ("[prices]\nage = { needs = ['pulse'] }", "age: needs names 'pulse', which is no other feature"),
])  # fmt: skip
def test_terms_that_do_not_fit_the_table_are_refused(toml: str, message: str, tmp_path: Path) -> None:
    data = read_table(write(tmp_path / "t.csv", PLAIN), label="sick", overrides=write(tmp_path / "o.toml", toml))
    with pytest.raises(UfodtError, match=message):
        datasets.to_problem(data, priced=True)


@pytest.mark.parametrize("toml, message", [
    ("label = 3", "'label' is 3; expected a text in quotes"),
    ("labels = 'y'", "unknown entry 'labels'"),
    ("[features.nope]\nkind = 'binary'", "'nope', which is no column"),
    ("drop = ['sick']", "'sick', which is the label"),
    ("[features.age]\nkind = 'number'", "expected binary, categorical or continuous"),
    ("[features.age]\nkind = 'binary'", "4 different values"),
    ("[features.age]\nprice = -1", "age.*price: -1 came; expected a finite number of at least 0"),
    ("[features.age]\nprice = inf", "finite number of at least 0"),
    ("[features.age]\nprice = true", "'price' is True; expected a number, or a table of numbers"),
    ("[features.age]\nneeds = 'sex'", "expected a list in brackets"),
    ("[features.age]\nneeds = [1]", "expected a list of names"),
    ("[features.age]\ncuts = [2, 1]", "expected finite numbers that rise"),
    ("[features.sex]\nkind = 'binary'\ncuts = [1]", "cuts belong to a number"),
    ("[features.age]\nmandatory = 1", "expected true or false"),
    ("[features.smokes]\nsurcharge = {yes = -2}", "surcharge of yes: -2 came"),
    ("[prices]\nage = {price = {minutes = 3}}", r"'minutes' has no weight; say under \[currencies\]"),
    ("[currencies]\nminutes = -1", "minutes: -1 came"),
    ("[features.age]\nlater = 1", "need a 'price'"),
    ("[features.age]\ncategories = ['a']", "at least two different"),
    ("[features.age]\nkind = 'continuous'\ncategories = ['a', 'b']", "has no categories"),
    ("features = {age = 3}", r"expected a section \[features.age\]"),
    ("kind = ", "is not TOML"),
])  # fmt: skip
def test_a_wrong_override_is_refused(toml: str, message: str, tmp_path: Path) -> None:
    path = write(tmp_path / "t.csv", PLAIN)
    with pytest.raises(BadTable, match=message):
        read_table(path, label="sick", overrides=write(tmp_path / "o.toml", toml))


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
