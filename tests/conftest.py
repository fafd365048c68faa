"""Fixtures shared by all tests, and how property tests are run: the same examples every time, without a clock."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "ufodt", deadline=None, derandomize=True, max_examples=60, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("ufodt")


@pytest.fixture(scope="session")
def paper_folder() -> Path:
    """The authors' files; a test that needs them skips without, or fails if UFODT_REQUIRE_DATA=1."""
    from ufodt.lab.datasets import data_folder  # here, so that tests/core needs no data sets

    folder = data_folder()
    if folder is not None:
        return folder
    reason = "no data folder: set UFODT_DATA, or put the authors' files into ../shared/data"
    if os.environ.get("UFODT_REQUIRE_DATA") == "1":
        pytest.fail(reason)
    pytest.skip(reason)
