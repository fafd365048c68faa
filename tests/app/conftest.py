"""A folder with a table, its prices and a model of it."""

import csv
import json
from pathlib import Path

import pytest

from .calling import call, rows

PRICES = """
[prices]
fever = 1.0
age = { price = 9.0, group = "desk", later = 0.5 }
rhythm = 15.5
[loss.ill]
healthy = 400
[loss.healthy]
ill = 200
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table, its prices and a model of it."""
    folder = tmp_path_factory.mktemp("model")
    cases = rows(900)
    with open(folder / "cases.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, cases[0])
        writer.writeheader()
        writer.writerows(cases)
    (folder / "cases.jsonl").write_text("\n".join(json.dumps(case) for case in cases))
    (folder / "prices.toml").write_text(PRICES)
    done = call(
        "run", str(folder / "cases.csv"), "--label", "state", "--price", str(folder / "prices.toml"),
        "--save", str(folder / "model.npz"),
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    return folder
