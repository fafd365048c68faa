"""A good model file, a fresh copy for every test."""

from pathlib import Path

import pytest

from ..cases import draw_stream, make


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The bytes of a good model file."""
    learner = make("ours-ec2")
    learner.run(*draw_stream(1, 30))
    path = tmp_path_factory.mktemp("model") / "model.npz"
    learner.save(path)
    return path.read_bytes()


@pytest.fixture
def path(saved: bytes, tmp_path: Path) -> Path:
    path = tmp_path / "model.npz"
    path.write_bytes(saved)
    return path
