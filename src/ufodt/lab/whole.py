"""Files that appear whole or not at all, though a process is killed or another one writes the same file."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """Give the path to write to; once that is done, the file stands under its own name."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    yield unfinished
    unfinished.replace(path)


def sweep(folder: Path) -> None:
    """Remove what killed processes left half written."""
    for path in folder.rglob("*.tmp"):
        owner = path.suffixes[-2].removeprefix(".") if len(path.suffixes) > 1 else ""
        if not (owner.isdigit() and _is_alive(int(owner))):
            path.unlink(missing_ok=True)


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except OSError:
        return False
    return True
