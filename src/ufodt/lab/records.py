"""Records of a run as a Parquet file, with the manifest of the run inside."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ufodt.lab.datasets import DatasetUnavailable
from ufodt.lab.whole import whole

PARTS = ("stream", "paid", "all")  # what a case is of: the stream, the hold-out from paid features, from all


def write(path: Path, cases: Mapping[str, npt.NDArray[Any]], manifest: Mapping[str, Any]) -> None:
    """Write the records of a run and its manifest as one Parquet file, which appears whole or not at all.

    Every record says which run it is of, so that the files of many runs are one table.
    """
    arrow, parquet = _pyarrow()
    n, run = len(next(iter(cases.values()))), manifest.get("run", {})
    same = arrow.array(np.zeros(n, dtype=np.int8))
    columns = {
        name: arrow.DictionaryArray.from_arrays(same, [str(run[name])]) for name in ("dataset", "method") if name in run
    }
    if "seed" in run:
        columns["seed"] = arrow.array(np.full(n, run["seed"], dtype=np.int64))
    columns |= {name: arrow.array(values) for name, values in cases.items()}
    if "part" in columns:
        columns["part"] = arrow.DictionaryArray.from_arrays(columns["part"], list(PARTS))
    table = arrow.table(columns).replace_schema_metadata({"ufodt": json.dumps(manifest, sort_keys=True)})
    repeating = [name for name in columns if name != "case"]
    with whole(path) as unfinished:
        parquet.write_table(
            table,
            unfinished,
            compression="zstd",
            use_dictionary=repeating,
            column_encoding={"case": "DELTA_BINARY_PACKED"} if "case" in columns else None,
        )


def read_manifest(path: Path) -> dict[str, Any] | None:
    """Return the manifest inside a file of records; None if there is no such file or it is damaged."""
    arrow, parquet = _pyarrow()
    try:
        manifest: dict[str, Any] = json.loads(parquet.read_schema(path).metadata[b"ufodt"])
    except (OSError, arrow.ArrowException, KeyError, TypeError, ValueError):
        return None
    return manifest


def _pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise DatasetUnavailable('Records are written by pyarrow: pip install "ufodt[lab]"') from None
    return pyarrow, pyarrow.parquet
