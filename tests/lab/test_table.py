"""The user's own tables: what a column is, and an account of everything that was done."""

from pathlib import Path

import numpy as np
import pytest

from ufodt.features import Priced
from ufodt.lab import datasets
from ufodt.lab.datasets import BadTable, read_table
from ufodt.problem import MAX_LABELS

from .written import PLAIN, account_of, write


def test_a_heading_that_may_be_a_case_is_remarked(tmp_path: Path) -> None:
    told = "The first line was taken as the heading; if it is a case, put names above it."
    assert told in account_of("5.1,3.5,ill\n4.9,3,well\n6,3.1,ill\n", tmp_path, label="ill")
    assert told in account_of("5.1,3.5,1\n4.9,3,0\n6,3.1,2\n", tmp_path, label="1")
    assert told not in account_of("5.1,b,y\n4.9,3,well\n6,3.1,ill\n", tmp_path)
    lines = write(tmp_path / "t.jsonl", '{"1": 4.5, "y": "y"}\n{"1": 2.5, "y": "n"}\n')
    assert told not in read_table(lines, label="y").account


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


def test_rows_without_a_label_are_left_out(tmp_path: Path) -> None:
    assert "1 row was left out: no label in 'y'." in account_of("a,y\n1,p\n2,\n3,q\n", tmp_path)


def test_five_percent_unparsable_cells_become_missing_not_categories(tmp_path: Path) -> None:
    rows = [f"{i / 4},{'##' if i % 20 == 0 else i / 2},{'pq'[i % 2]},{'x!' if i == 30 else i % 2}" for i in range(100)]
    data = read_table(write(tmp_path / "t.csv", "i,a,y,b\n" + "\n".join(rows)), label="y")
    assert data.kinds == ("continuous", "continuous", "binary")
    assert np.isnan(data.X).sum(axis=0).tolist() == [0, 5, 1] and len(data.y) == 100
    told = "\n".join(data.account)
    assert "5 cells of 'a' were taken as missing: not a number ('##')." in told
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


def test_a_label_column_without_a_label_is_called_blank(tmp_path: Path) -> None:
    with pytest.raises(BadTable, match="'y' is blank in every row; name another label column"):
        read_table(write(tmp_path / "t.csv", "a,y\n1,\n2,\n"), label="y")


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


def test_a_path_works_where_a_name_works(tmp_path: Path) -> None:
    path = write(tmp_path / "mine.csv", "label,a\np,1\nq,2\n")
    write(tmp_path / "mine.toml", "[features.a]\nprice = 3\n")
    data = datasets.load(str(path))
    assert data.name == "mine" and data.label_names == ("p", "q") and data.prices == (Priced(price=3.0),)
    assert "The column 'label' was taken as the label." in data.account


def test_advice_names_a_column_as_toml_does(tmp_path: Path) -> None:
    rows = "".join(f"text {i},{i * 7 % 5},{i % 2}\n" for i in range(40))
    account = account_of(f"iso date,a,y\n{rows}", tmp_path)
    assert 'under [features."iso date"] in a TOML file' in account
