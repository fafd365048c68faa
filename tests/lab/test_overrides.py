"""What a TOML file says of a table: types, terms and losses, each read as the cells are."""

import re
from pathlib import Path

import numpy as np
import pytest

from ufodt import UFODT
from ufodt.errors import UfodtError
from ufodt.features import Priced
from ufodt.lab import datasets
from ufodt.lab.datasets import BadTable, read_table
from ufodt.lab.datasets.overrides import loss_table, read_overrides
from ufodt.prior import read_prior

from .written import PLAIN, write


def test_a_byte_order_mark_before_toml_is_no_entry(tmp_path: Path) -> None:
    (tmp_path / "o.toml").write_text("drop = ['sex']", encoding="utf-8-sig")
    data = read_table(write(tmp_path / "t.csv", PLAIN), label="sick", overrides=tmp_path / "o.toml")
    assert "sex" not in data.feature_names


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


@pytest.mark.parametrize("terms", ["needs = ['date']", "computed_from = ['a', 'date']", "needs = ['y']"])
def test_what_hangs_on_a_column_that_is_no_feature_is_told_why_it_is_none(terms: str, tmp_path: Path) -> None:
    rows = "".join(f"day {i},{i * 7 % 5},{i % 3},{i % 2}\n" for i in range(40))
    path = write(tmp_path / "t.csv", f"date,a,b,y\n{rows}")
    message = {
        "y": r"t\.csv: needs of 'b' in the TOML file names 'y', which is the label\.$",
        "date": r"names 'date', which is no feature\. The column 'date' was left out: 40 different texts .* To keep it",
    }["y" if "'y'" in terms else "date"]
    with pytest.raises(BadTable, match=message):
        read_table(path, label="y", overrides=write(tmp_path / "o.toml", f"[prices]\nb = {{ {terms} }}\n"))


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
