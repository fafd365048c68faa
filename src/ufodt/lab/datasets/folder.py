"""The authors' files in a local data folder, and the two sets that are downloaded when it is absent.

The folder is `UFODT_DATA`, or `../shared/data` beside the checkout. Every file is checked against the
SHA-256 of its tidy form: header row, features first, last column `label`, labels from 0.
"""

import csv
import hashlib
import io
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ufodt.lab.datasets.dataset import Column, Dataset, DatasetUnavailable, assemble, encode_rows
from ufodt.lab.datasets.generated import STAGGER_COLUMNS

_CC_BY = "CC BY 4.0 (not checked)"
_MIT_CODE = "no formal licence known for the data"


@dataclass(frozen=True)
class PaperFile:
    """One file of the authors: its checksum, how to read its columns, and where it came from."""

    sha256: str
    kind: str
    label_names: tuple[str, ...]
    source: str
    licence: str
    notes: tuple[str, ...] = ()


FILES: dict[str, PaperFile] = {
    "led": PaperFile(
        "059e911eb4910adf951f5731abe5c3aea90da08a955416866becf15b9a29b694", "binary",
        tuple("0123456789"), "LED Display Domain, UCI 57, authors' file", _CC_BY,
        ("the trees of the paper were scored on the first 500 hold-out rows only",),
    ),
    "zoo": PaperFile(
        "f17409132e3f754f668004e44106e130435bbd3b9bbbe3145cb45f84934982b7", "binary",
        ("mammal", "bird", "reptile", "fish", "amphibian", "insect", "invertebrate"),
        "Zoo, UCI 111, authors' file", _CC_BY,
        ("the authors dropped `legs`; 47 of 101 rows repeat an earlier row, so stream and hold-out overlap",),
    ),
    "spect_heart": PaperFile(
        "0df182c8778ecfe71a2290da7b70255a0fc2e1bdadba6d5e13207c4ca34ccafa", "binary",
        ("normal", "abnormal"), "SPECT Heart, UCI 95, authors' file", _CC_BY,
    ),
    "compas": PaperFile(
        "d5bf3bcfcf1b9bc2582e5093d75716a20f20967887a36d713e7975e37831ccca", "binary",
        ("no", "yes"), "ProPublica recidivism data, binarised by OSDT", _MIT_CODE,
        ("concerns real persons",),
    ),
    "fico": PaperFile(
        "7457d31323b28bb1a053322eddbb5df8f86e7d189610c44fcf00dde905fcf6ba", "binary",
        ("0", "1"), "FICO Explainable ML Challenge (HELOC), binarised by OSDT",
        "the original comes under terms that restrict redistribution (not checked)",
        ("do not pass this file on",),
    ),
    "pima_diabetes": PaperFile(
        "faa96c7df6baad5a52c97015edf5d9dac7eea1743c7004f73a3ebd82fbfbeea1", "continuous",
        ("negative", "positive"), "Pima Indians Diabetes, authors' file",
        "copies circulate as CC0 (not checked)",
        ("zeros in glucose, blood_pressure, skin_thickness, insulin and bmi mean missing; kept as numbers",),
    ),
    "wdbc": PaperFile(
        "51a2529982b519a7b3bfbbaa67a2452dbe021b001f3a49723105015ace856d8e", "continuous",
        ("benign", "malignant"), "Breast Cancer Wisconsin (Diagnostic), UCI 17, authors' file", _CC_BY,
    ),
    "fetal_health": PaperFile(
        "c8ce9763ee9c5edd378993c4cf545b25f3967e5e7c7aeeb67c35dab82c63a2bd", "continuous",
        ("normal", "suspect", "pathological"), "Cardiotocography, UCI 193 (Ayres de Campos et al. 2000)",
        _CC_BY,
    ),
    "stagger": PaperFile(
        "57ac0484f987693c54baba5c9917679483b66d91c1d4f2a322cac24eabde24c4", "categorical",
        ("negative", "positive"), "one Stagger stream, generated with seed 2023 (not the authors')",
        "none needed",
    ),
    "stagger_binary4": PaperFile(
        "a0e3d619727eb959f2740eb2d4b25a6a6816a7d941c479764d299864d4e7484f", "binary",
        ("negative", "positive"), "the same Stagger stream as four indicators", "none needed",
    ),
}  # fmt: skip

FETAL_COLUMNS = {
    "LB": "baseline_value",
    "AC": "accelerations",
    "FM": "fetal_movement",
    "UC": "uterine_contractions",
    "DL": "light_decelerations",
    "DS": "severe_decelerations",
    "DP": "prolongued_decelerations",
    "ASTV": "abnormal_short_term_variability",
    "MSTV": "mean_value_of_short_term_variability",
    "ALTV": "percentage_of_time_with_abnormal_long_term_variability",
    "MLTV": "mean_value_of_long_term_variability",
    "Width": "histogram_width",
    "Min": "histogram_min",
    "Max": "histogram_max",
    "Nmax": "histogram_number_of_peaks",
    "Nzeros": "histogram_number_of_zeroes",
    "Mode": "histogram_mode",
    "Mean": "histogram_mean",
    "Median": "histogram_median",
    "Variance": "histogram_variance",
    "Tendency": "histogram_tendency",
}
_FICO_ADDRESS = (
    "https://raw.githubusercontent.com/xiyanghu/OSDT/5d69bad82ddf297d1a05de0a34152356f1da6444/"
    "data/preprocessed/fico_binary.csv"
)
_FETAL_ADDRESS = "https://archive.ics.uci.edu/static/public/193/data.csv"


def data_folder() -> Path | None:
    """Return the folder of `UFODT_DATA`, else `../shared/data` beside the checkout, else None."""
    named = os.environ.get("UFODT_DATA")
    if named:
        if not Path(named).is_dir():
            raise DatasetUnavailable(
                f"UFODT_DATA is {named!r}, which is no folder; expected one with files such as led.csv. "
                "Correct it or unset it."
            )
        return Path(named)
    beside = Path(__file__).resolve().parents[4].parent / "shared" / "data"
    return beside if beside.is_dir() else None


def load_paper(name: str) -> Dataset:
    """Return the authors' own file of a data set, values and row order as they used them.

    Raises
    ------
    DatasetUnavailable
        If the folder or the file is absent, or the bytes are not the published ones.
    """
    entry = _entry(name)
    data = data_folder()
    if data is None or not (data / f"{name}.csv").is_file():
        raise DatasetUnavailable(
            f"{name}.csv is not in {_folder_name(data)}; set UFODT_DATA to the folder that holds the authors' files."
        )
    return _parse(name, _checked(name, (data / f"{name}.csv").read_bytes(), str(data / f"{name}.csv")), entry)


def fico() -> Dataset:
    """Return the HELOC credit records in OSDT's binary form, from the data folder or by download."""
    return _local_or_download("fico", _FICO_ADDRESS, tidy_fico)


def fetal_health() -> Dataset:
    """Return the cardiotocograms with their three states, from the data folder or by download."""
    return _local_or_download("fetal_health", _FETAL_ADDRESS, tidy_fetal_health)


def tidy_fico(raw: str) -> str:
    """Return OSDT's file with commas, bare headings and the last column called `label`."""
    return raw.replace('"', "").replace(";", ",").replace(",RiskPerform\n", ",label\n", 1)


def tidy_fetal_health(raw: str) -> str:
    """Return UCI's file with the 21 long headings, three decimals and labels from 0."""
    reader = csv.DictReader(io.StringIO(raw))
    lines = [",".join([*FETAL_COLUMNS.values(), "label"])]
    for row in reader:
        cells = [repr(round(float(row[short]), 3)) for short in FETAL_COLUMNS]
        lines.append(",".join([*cells, str(int(float(row["NSP"])) - 1)]))
    return "\n".join(lines) + "\n"


def _local_or_download(name: str, address: str, tidy: Callable[[str], str]) -> Dataset:
    data = data_folder()
    if data is not None and (data / f"{name}.csv").is_file():
        return load_paper(name)
    try:
        text = tidy(_download(name, address).decode("utf-8"))
    except (OSError, ImportError, KeyError, ValueError) as error:
        raise DatasetUnavailable(
            f"{name} is not in {_folder_name(data)} and could not be downloaded ({type(error).__name__}): "
            f"either set UFODT_DATA to a folder that holds {name}.csv, or install pooch and try again with a "
            "network."
        ) from error
    return _parse(name, _checked(name, text.encode("utf-8"), f"the download from {address}"), _entry(name))


def _download(name: str, address: str) -> bytes:
    import pooch

    path = pooch.retrieve(
        address,
        known_hash=None,  # the tidy form is checked instead
        fname=f"{name}.raw.csv",
        path=pooch.os_cache("ufodt"),
        downloader=pooch.HTTPDownloader(timeout=30),
    )
    return Path(path).read_bytes()


def _entry(name: str) -> PaperFile:
    if name not in FILES:
        raise DatasetUnavailable(f"the paper has no file {name!r}; expected one of {', '.join(FILES)}.")
    return FILES[name]


def _checked(name: str, content: bytes, origin: str) -> bytes:
    found = hashlib.sha256(content).hexdigest()
    if found != FILES[name].sha256:
        raise DatasetUnavailable(
            f"{origin} has sha256 {found[:12]}…, expected {FILES[name].sha256[:12]}…: it was cut short or "
            "changed. Put the original file in its place."
        )
    return content


def _parse(name: str, content: bytes, entry: PaperFile) -> Dataset:
    header, *rows = csv.reader(io.StringIO(content.decode("utf-8")))
    columns = _columns(header[:-1], entry.kind)
    return assemble(
        name, columns, encode_rows([row[:-1] for row in rows], columns),
        np.array([int(row[-1]) for row in rows], dtype=np.int64), entry.label_names,
        source=entry.source, licence=entry.licence, notes=entry.notes,
    )  # fmt: skip


def _columns(names: Sequence[str], kind: str) -> list[Column]:
    if kind == "categorical":
        return list(STAGGER_COLUMNS)
    if kind == "binary":
        return [Column(name, "binary", ("0", "1")) for name in names]
    return [Column(name, "continuous") for name in names]


def _folder_name(data: Path | None) -> str:
    return "'../shared/data' (no such folder)" if data is None else repr(str(data))
