"""Where a program saves its model, beside others that may write there too."""

import os
from itertools import count

import ufodt
from ufodt.errors import NotSaved


class Target:
    """The file that one program saves its model to, as long as nobody else writes there."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._seen = {os.path.realpath(path): _stamp(path)}

    @property
    def taken(self) -> bool:
        """Whether somebody else has written to the file since it was looked at, or saved to from here."""
        return _stamp(self.path) not in (None, self._seen.get(os.path.realpath(self.path)))

    def save(self, learner: ufodt.UFODT) -> None:
        """Save a learner; what somebody else has written is left as it is, and `NotSaved` raised."""
        if self.taken:
            raise NotSaved(f"{self.path} was written by somebody else and is left as it is; name another file.")
        learner.save(self.path)
        self._seen[os.path.realpath(self.path)] = _stamp(self.path)

    def move(self, path: str) -> None:
        """Save to another file from now on: one that was looked at before, or that is not there yet."""
        self.path = path

    def step_aside(self) -> None:
        """Save beside the file from now on: to `model.1.npz`, or the next that is free."""
        stem, ending = os.path.splitext(self.path)
        self.move(next(name for n in count(1) if not os.path.lexists(name := f"{stem}.{n}{ending}")))


def _stamp(path: str) -> tuple[int, int, int] | None:
    """What changes when a file is written; None where there is none."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
