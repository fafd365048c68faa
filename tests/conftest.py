"""Fixtures shared by all tests."""

import os
from pathlib import Path

import pytest

from ufodt.lab.datasets import data_folder


@pytest.fixture(scope="session")
def paper_folder() -> Path:
    """The authors' files; a test that needs them skips without, or fails if UFODT_REQUIRE_DATA=1."""
    folder = data_folder()
    if folder is not None:
        return folder
    reason = "no data folder: set UFODT_DATA, or put the authors' files into ../shared/data"
    if os.environ.get("UFODT_REQUIRE_DATA") == "1":
        pytest.fail(reason)
    pytest.skip(reason)
