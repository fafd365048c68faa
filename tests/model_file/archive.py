"""Model files taken apart, changed and put together again."""

import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np


def members(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def rewrite(path: Path, **changed: bytes | None) -> None:
    """Replace or remove members, named by their stem."""
    names = {"manifest": "manifest.json"}
    kept = members(path) | {names.get(stem, f"{stem}.npy"): content for stem, content in changed.items()}  # type: ignore[dict-item]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in kept.items():
            if content is not None:
                archive.writestr(name, content)


def edit(path: Path, change: Callable[[dict[str, Any]], Any]) -> None:
    manifest = json.loads(members(path)["manifest.json"])
    change(manifest)
    rewrite(path, manifest=json.dumps(manifest).encode())


def npy(array: np.ndarray) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()
