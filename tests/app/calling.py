"""Commands called as a person would, and cases for them."""

import errno
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

import ufodt
from ufodt.app.commands import commands
from ufodt.belief import to_arrays


def call(*arguments: str, text: str | bytes | None = None) -> Result:
    return CliRunner().invoke(commands, list(arguments), input=text, catch_exceptions=False)


def rows(n: int, seed: int = 0) -> list[dict[str, Any]]:
    """Cases where any good planner asks fever first, as no fever settles it for 1, and age only after a yes."""
    rng = np.random.default_rng(seed)
    cases = []
    for _ in range(n):
        ill = rng.random() < 0.4
        cases.append(
            {
                "fever": "yes" if rng.random() < (0.98 if ill else 0.3) else "no",
                "age": round(float(rng.normal(60 if ill else 40, 8)), 1) if rng.random() < 0.95 else "",
                "rhythm": str(rng.choice(["sinus", "flutter"])),
                "state": "ill" if ill else "healthy",
            }
        )
    return cases


def model(folder: Path) -> str:
    return str(folder / "model.npz")


def counts(path: str | Path) -> list[bytes]:
    """All that a saved model has learned."""
    return [array.tobytes() for array in to_arrays(ufodt.load(path).belief).values()]


def fill_disk(monkeypatch: pytest.MonkeyPatch, n_saves: int) -> None:
    """Let the disk be full for the next saves."""
    left, sync = list(range(n_saves)), os.fsync

    def full(handle: int) -> None:
        if left:
            left.pop()
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        sync(handle)

    monkeypatch.setattr(os, "fsync", full)


def talk(folder: Path, *lines: Any, save: str | None = None) -> list[dict[str, Any]]:
    """What a model answers to lines of JSON, its first line included."""
    text = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
    done = call("ask", model(folder), "--json", *(["--save", save] if save else []), text=text)
    assert done.exit_code == 0, done.output
    return [json.loads(line) for line in done.stdout.splitlines()]
