"""The price of accuracy: frontiers, their figures, and a messy table from end to end."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from ufodt.app.commands import commands
from ufodt.errors import InvalidPolicy, UfodtError
from ufodt.lab import datasets, tradeoff
from ufodt.lab.methods import METHODS
from ufodt.lab.tradeoff import Point
from ufodt.lab.verdict import Spread


def at(price: float, accuracy: float, method: str = "ufodt") -> Point:
    return Point(method, None, None, Spread(price, 0.0), Spread(accuracy, 0.0))


def test_a_dearer_and_worse_setting_is_no_step() -> None:
    assert tradeoff.steps([at(2, 0.7), at(1, 0.8), at(3, 0.9)]) == [(1, 0.8), (3, 0.9)]


def test_the_area_is_the_mean_over_budgets() -> None:
    points = [at(0, 0.5), at(1, 0.7), at(3, 0.9)]
    assert tradeoff.area(points, 4.0) == pytest.approx((0.5 * 1 + 0.7 * 2 + 0.9 * 1) / 4)
    assert tradeoff.area([*points, at(9, 1.0)], 4.0) == pytest.approx(tradeoff.area(points, 4.0))


def test_the_price_close_to_the_best_is_the_least_one() -> None:
    points = [at(0, 0.5), at(1, 0.86), at(2, 0.895), at(5, 0.9)]
    assert tradeoff.price_within(points, 0.9, 0.05) == 1
    assert tradeoff.price_within(points, 0.9, 0.01) == 2
    assert tradeoff.price_within(points, 0.99, 0.05) is None


def test_every_method_is_swept_over_its_own_knob() -> None:
    assert [value for _, value in tradeoff.settings_of("ufodt", 9)] == list(tradeoff.WORTHS)
    assert tradeoff.settings_of("paper-ec2", 9)[0] == ("n_hypotheses", tradeoff.HYPOTHESES[0])
    assert tradeoff.settings_of("amf", 30)[-1] == ("k", 30)
    assert tradeoff.settings_of("boosting", 30) == [(None, None)]


def test_default_methods_are_those_that_matter_on_such_features() -> None:
    assert "bernoulli_nb" in tradeoff.default_methods(datasets.led(5, seed=1))
    assert "gaussian_nb" in tradeoff.default_methods(datasets.load("wdbc"))
    assert set(tradeoff.default_methods(datasets.load("wdbc"))) <= set(METHODS)


def test_unknown_methods_are_refused_in_words() -> None:
    with pytest.raises(InvalidPolicy, match="'nb' came; expected some of ufodt"):
        tradeoff.checked_methods(["ufodt", "nb"])
    assert tradeoff.checked_methods(["ufodt"]) == ("ufodt", "ufodt-all", "constant")


def test_a_table_must_have_rows_enough_and_only_a_table_has_a_label_column(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,label\n1,x\n2,y\n3,x\n")
    for wrong, says in (
        (["t.csv"], "t has 3 rows; .* expected 10 or more"),
        (["pima", "--label", "x"], "pima is no table"),
    ):
        with pytest.raises(UfodtError, match=says):
            data = str(tmp_path / wrong[0]) if wrong[0].endswith("csv") else wrong[0]
            arguments = ["compare", data, *wrong[1:], "--out", str(tmp_path / "out")]
            CliRunner().invoke(commands, arguments, catch_exceptions=False)
    assert not (tmp_path / "out").exists()


def messy(path: Path) -> Path:
    """A table with missing cells, the label in the middle, and one row in twenty that cannot be read."""
    lines = ["id,age,ill,smokes,glucose"]
    for i in range(120):
        ill = i % 3 == 0
        age = "" if i % 10 == 3 else str(40 + (i * 7) % 30 + 10 * ill)
        glucose = "high" if i % 30 == 5 else str(100 + (i * 13) % 40 + 45 * ill)
        cells = [f"p{i}", age, "yes" if ill else "no", "1" if i % 2 else "0", glucose]
        lines.append(",".join(cells[:3] if i % 20 == 7 else cells))
    path.write_text("\n".join(lines) + "\n")
    return path


def test_two_tables_of_one_name_are_compared_apart(tmp_path: Path) -> None:
    out, tables = tmp_path / "out", [tmp_path / name / "t.csv" for name in ("one", "other")]
    for table in tables:
        table.parent.mkdir()
        messy(table)

    def compared(table: Path) -> set[str]:
        arguments = ["compare", str(table), "--label", "ill", "--seeds", "1", "--jobs", "1", "--methods", "static"]
        done = CliRunner().invoke(commands, [*arguments, "--out", str(out)], catch_exceptions=False)
        assert done.exit_code == 0 and "1 split, " in done.output
        return {path.name for path in out.iterdir()}

    assert compared(tables[0]) == {"t"}
    first = (out / "t" / "frontier.json").read_bytes()
    both = compared(tables[1])
    assert len(both) == 2 and (out / "t" / "frontier.json").read_bytes() == first
    assert compared(tables[0]) == compared(tables[1]) == both


def test_a_messy_table_is_compared_and_accounted_for(tmp_path: Path) -> None:
    arguments = ["compare", str(messy(tmp_path / "clinic.csv")), "--label", "ill", "--seeds", "2", "--jobs", "1"]
    arguments += ["--methods", "ufodt,static,gaussian_nb,boosting", "--out", str(tmp_path / "out")]
    done = CliRunner().invoke(commands, [*arguments, "--json"], catch_exceptions=False)
    assert done.exit_code == 0
    found = json.loads(done.stdout)
    account = " ".join(found["account"])
    assert "6 rows were left out: they do not have 5 cells" in account
    assert "'id' was left out" in account and "of 'age' were missing" in account
    assert "of 'glucose' were taken as missing: not a number ('high'" in account
    assert found["n_rows"] == 114 and found["full_price"] == 3.0
    by_name = {method["method"]: method for method in found["methods"]}
    assert set(by_name) == {"ufodt", "static", "gaussian_nb", "boosting", "ufodt-all"}
    assert found["best_with_all_features"]["method"] in by_name
    assert len(by_name["ufodt"]["points"]) == len(tradeoff.WORTHS)
    assert [point["price"] for point in by_name["gaussian_nb"]["points"]] == [1.0, 2.0, 3.0]
    assert all(0 < method["area"] <= 1 for method in found["methods"])
    folder = tmp_path / "out" / "clinic"
    assert json.loads((folder / "frontier.json").read_text()) == found
    assert (folder / "frontier.png").stat().st_size > 1000 and (folder / "frontier.svg").stat().st_size > 1000
    again = CliRunner().invoke(commands, arguments, catch_exceptions=False)
    assert "at -5 points" in again.output and "6 rows were left out" in again.output


def test_real_prices_are_taken_where_they_are_known(tmp_path: Path) -> None:
    arguments = ["compare", "bupa", "--seeds", "1", "--jobs", "1", "--methods", "static", "--json"]
    out = ["--out", str(tmp_path)]
    prices = json.loads(CliRunner().invoke(commands, [*arguments, *out], catch_exceptions=False).stdout)
    plain = json.loads(CliRunner().invoke(commands, [*arguments, *out, "--no-prices"], catch_exceptions=False).stdout)
    assert prices["priced"] and not plain["priced"]
    assert plain["full_price"] == plain["n_features"] and prices["full_price"] > plain["full_price"]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["compare", "leds"], "no data set is called 'leds'"),
        (["compare", "led", "--prices"], "no prices are known"),
        (["compare", "missing.csv"], "there is no file 'missing.csv'"),
        (["reproduce", "figure9"], "no experiment is called 'figure9'"),
    ],
)
def test_bad_arguments_are_refused_in_words(arguments: list[str], complaint: str, tmp_path: Path) -> None:
    done = CliRunner().invoke(commands, [*arguments, "--out", str(tmp_path)])
    assert done.exit_code != 0 and complaint in str(done.exception)
