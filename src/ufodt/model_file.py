"""Model files: a manifest and arrays in one `.npz`, written whole or not at all, checked before they are used."""

import io
import json
import math
import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from ufodt.errors import InvalidModelFile, NotSaved

FORMAT = "ufodt model"
VERSION = 1
MAX_MANIFEST_BYTES = 64 * 2**20
MAX_ARRAY_BYTES = 2 * 2**30
_BEGINNING = b"PK\x03\x04"
_HEADER_BYTES = 4096  # more than any header of an array file

Floats = NDArray[np.float64]


def place(path: str | os.PathLike[str]) -> str:
    """Return where a model is to be written: behind a link the file that it leads to, never a folder or a device."""
    if os.path.exists(path) and not os.path.isfile(path):
        raise InvalidModelFile(f"{path} is a folder or a device; a model is written to a file, so name one.")
    if os.path.exists(path) and not os.access(path, os.W_OK):
        raise NotSaved(f"{path} is write-protected; allow writing to it, or name another file.")
    return os.path.realpath(os.fsdecode(path))


def may_be_replaced(path: str | os.PathLike[str]) -> bool:
    """Whether a file is not there yet, is empty, or begins as a model does."""
    if not os.path.exists(path):
        return True
    with open(path, "rb") as file:
        return file.read(len(_BEGINNING)) in (_BEGINNING, b"")


def write(path: str | os.PathLike[str], manifest: Mapping[str, Any], arrays: Mapping[str, Floats]) -> None:
    """Write a model file; an existing file is replaced only when the new one is complete, and keeps its permissions."""
    if not isinstance(path, str | os.PathLike):
        raise NotSaved(f"{path!r} came to save to; expected the path of a file.")
    text = json.dumps({"format": FORMAT, "version": VERSION, **manifest}, allow_nan=False)
    target = place(path)
    part = f"{target}.{os.urandom(6).hex()}.part"
    try:
        mode = stat.S_IMODE(os.stat(target).st_mode) if os.path.exists(target) else None
        handle = os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666 if mode is None else 0o600)
        try:
            with os.fdopen(handle, "wb") as file:
                _pack(file, text, arrays)
                file.flush()
                os.fsync(file.fileno())
            if mode is not None:
                os.chmod(part, mode)
            os.replace(part, target)
        except BaseException:
            os.unlink(part)
            raise
    except OSError as error:  # a full disk, a folder that may not be written to
        raise NotSaved(
            f"Nothing was saved: {path} could not be written ({error.strerror or error}); what was there is as it was."
        ) from error


def _pack(file: IO[bytes], text: str, arrays: Mapping[str, Floats]) -> None:
    """Write the members of a model file, without a date: the same model is the same bytes."""
    import zipfile  # here, since it takes its time and not every program writes a model

    with zipfile.ZipFile(file, "w") as archive:

        def add(name: str, content: str | bytes) -> None:
            member = zipfile.ZipInfo(name)
            member.external_attr = 0o600 << 16  # who unpacks it may read it
            archive.writestr(member, content, zipfile.ZIP_DEFLATED)

        add("manifest.json", text)
        for key, array in arrays.items():
            buffer = io.BytesIO()
            np.lib.format.write_array(buffer, array, allow_pickle=False)
            add(f"{key}.npy", buffer.getvalue())


class Reader:
    """A model file that is read: opened once, so that what somebody saves there meanwhile is not mixed in."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        import zipfile

        self.path = path
        if not isinstance(path, str | os.PathLike):
            raise InvalidModelFile(f"{path!r} came to be read; expected the path of a saved model.")
        if not os.path.exists(path):
            raise InvalidModelFile(f"There is no file {path}; give the path of a saved model.")
        if not os.path.isfile(path):
            raise InvalidModelFile(f"{path} is a folder or a device; give the path of a saved model.")
        with self._reading():
            self._archive = zipfile.ZipFile(path)

    def __enter__(self) -> "Reader":
        return self

    def __exit__(self, *_: object) -> None:
        self._archive.close()

    def manifest(self) -> dict[str, Any]:
        """Return what the file says about the model."""
        text = self._members({"manifest.json": MAX_MANIFEST_BYTES})["manifest.json"]
        try:
            manifest = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise InvalidModelFile(f"{self.path} holds no ufodt model: its manifest is no JSON ({error}).") from None
        if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
            raise InvalidModelFile(f"{self.path} holds no ufodt model; expected a file written by `learner.save`.")
        if manifest.get("version") != VERSION:
            raise InvalidModelFile(
                f"{self.path} has format version {manifest.get('version')!r}; this release reads version {VERSION}. "
                "Load it with the release that wrote it."
            )
        return manifest

    def arrays(self, shapes: Mapping[str, tuple[int, ...]]) -> dict[str, Floats]:
        """Return the named arrays, each of the shape expected."""
        limits = {f"{key}.npy": 8 * math.prod(shape) + _HEADER_BYTES for key, shape in shapes.items()}
        if sum(limits.values()) > MAX_ARRAY_BYTES:
            raise InvalidModelFile(
                f"{self.path} declares arrays of more than {MAX_ARRAY_BYTES:,} bytes; no model is that big."
            )
        members = self._members(limits)
        return {key: self._array(key, members[f"{key}.npy"], shape) for key, shape in shapes.items()}

    def _array(self, key: str, data: bytes, shape: tuple[int, ...]) -> Floats:
        """The array in an `.npy`, once its header is found to say what is expected."""
        file = io.BytesIO(data)
        try:
            version = np.lib.format.read_magic(file)
            if version != (1, 0):
                raise ValueError(f"array format {version} came, (1, 0) is expected")
            found, by_column, dtype = np.lib.format.read_array_header_1_0(file)
        except Exception as error:  # numpy parses a header as Python, which fails in many ways
            raise self._damaged(f"{key}: {error}") from error
        content = data[file.tell() :]
        if found != shape or dtype != np.float64 or len(content) != 8 * math.prod(shape):
            raise self._damaged(f"{key} has shape {found} of {dtype}, expected {shape} of float64")
        array = np.frombuffer(content).reshape(shape, order="F" if by_column else "C")
        return np.array(array, order="C")

    def _members(self, limits: Mapping[str, int]) -> dict[str, bytes]:
        import zipfile

        found = {}
        with self._reading():
            for name, limit in limits.items():
                member = self._archive.getinfo(name)
                size = member.file_size
                if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                    raise InvalidModelFile(
                        f"{self.path}: {name} is packed in a way that no model is; use another copy."
                    )
                if size > limit:
                    raise InvalidModelFile(f"{self.path}: {name} holds {size:,} bytes, at most {limit:,} are expected.")
                found[name] = self._archive.read(name)
        return found

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """Whatever goes wrong, the file is to blame."""
        import zipfile
        import zlib

        try:
            yield
        except InvalidModelFile:
            raise
        except KeyError as error:
            raise InvalidModelFile(f"{self.path} holds no ufodt model: {error.args[0]}.") from None
        except (zipfile.BadZipFile, zlib.error, OSError, EOFError, RuntimeError, ValueError) as error:
            raise self._damaged(str(error)) from error

    def _damaged(self, reason: str) -> InvalidModelFile:
        return InvalidModelFile(f"{self.path} is damaged or no model file ({reason}); use another copy.")
