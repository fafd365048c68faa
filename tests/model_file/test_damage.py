"""What is damaged, foreign or hostile is refused as no model file, and nothing of it is used."""

import io
import pickle
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ufodt
from ufodt import UFODT, Binary, Problem, load
from ufodt.errors import InvalidModelFile, NotSaved

from ..cases import state
from .archive import edit, members, npy, rewrite


def test_a_file_survives_being_taken_apart_and_put_together(path: Path) -> None:
    """So that the refusals below are due to what they change."""
    before = state(ufodt.load(path))
    edit(path, lambda manifest: None)
    rewrite(path, belief_counts=members(path)["belief_counts.npy"])
    assert state(ufodt.load(path)) == before


@pytest.mark.parametrize("share", np.linspace(0, 1, 50, endpoint=False))
def test_a_truncated_file_is_refused(path: Path, saved: bytes, share: float) -> None:
    path.write_bytes(saved[: int(share * len(saved))])
    with pytest.raises(InvalidModelFile, match="model.npz"):
        ufodt.load(path)


def test_a_file_cut_just_before_its_end_is_refused(path: Path, saved: bytes) -> None:
    path.write_bytes(saved[:-1])
    with pytest.raises(InvalidModelFile):
        ufodt.load(path)


def positions(path: Path, mask: int) -> list[int]:
    """Every byte; but single bits only outside the packed data, of which a checksum is kept."""
    data: set[int] = set()
    if mask != 0xFF:
        with zipfile.ZipFile(path) as archive:
            for member in archive.infolist():
                start = member.header_offset + 30 + len(member.filename)
                data |= set(range(start, start + member.compress_size))
    return [at for at in range(path.stat().st_size) if at not in data]


@pytest.mark.parametrize("mask", [0x01, 0x04, 0x06, 0x40, 0xFF])
def test_a_flipped_byte_is_refused_or_makes_no_difference(path: Path, saved: bytes, mask: int) -> None:
    """Bytes that nobody reads, such as dates, may change; what was learned may not."""
    expected = state(ufodt.load(path))
    refused, flipped = 0, positions(path, mask)
    for at in flipped:
        damaged = bytearray(saved)
        damaged[at] ^= mask
        path.write_bytes(damaged)
        try:
            assert state(ufodt.load(path)) == expected, f"byte {at}"
        except InvalidModelFile:
            refused += 1
        except Exception as error:
            pytest.fail(f"byte {at}: {error!r}")
    assert refused > (0.8 if mask == 0xFF else 0.4) * len(flipped)


@pytest.mark.parametrize("content", [b"", b"\0" * 5000, b"PK", b"PK\5\6" + b"\0" * 18, b"{}", bytes(range(256)) * 9])
def test_bytes_that_are_no_archive_are_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "m").write_bytes(content)
    with pytest.raises(InvalidModelFile):
        ufodt.load(tmp_path / "m")


@pytest.mark.parametrize("path", [None, 3])
def test_what_is_no_path_is_refused(path: Any) -> None:
    with pytest.raises(InvalidModelFile, match=f"{path} came to be read; expected the path"):
        load(path)
    with pytest.raises(NotSaved, match=f"{path} came to save to; expected the path"):
        UFODT(Problem([Binary("a")], labels=[0, 1])).save(path)


def test_a_foreign_archive_is_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "arrays.npz", counts=np.zeros((3, 2)), label_counts=np.zeros(2))
    with pytest.raises(InvalidModelFile, match="no ufodt model.*manifest.json"):
        ufodt.load(tmp_path / "arrays.npz")


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidModelFile, match="no file.*nowhere"):
        ufodt.load(tmp_path / "nowhere.npz")


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidModelFile):
        ufodt.load(tmp_path)


def test_another_version_is_refused_by_its_number(path: Path) -> None:
    edit(path, lambda manifest: manifest.update(version=2))
    with pytest.raises(InvalidModelFile, match="version 2.*reads version 1"):
        ufodt.load(path)


@pytest.mark.parametrize("missing", ["manifest", "belief_counts", "belief_label_counts", "belief_cuts", "weights"])
def test_a_missing_member_is_refused(path: Path, missing: str) -> None:
    rewrite(path, **{missing: None})
    with pytest.raises(InvalidModelFile, match=missing):
        ufodt.load(path)


@pytest.mark.parametrize(
    "counts",
    [
        np.zeros((3, 2)),
        np.zeros((3, 15)),
        np.zeros(45),
        np.zeros((15, 3), dtype=np.float32),
        np.full((15, 3), -1.0),
        np.full((15, 3), np.nan),
        np.full((15, 3), np.inf),
    ],
    ids=lambda a: f"{a.shape}-{a.dtype}-{a.flat[0]}",
)
def test_counts_that_do_not_fit_are_refused(path: Path, counts: np.ndarray) -> None:
    assert ufodt.load(path).belief.counts.shape == (15, 3)
    rewrite(path, belief_counts=npy(counts))
    with pytest.raises(InvalidModelFile):
        ufodt.load(path)


def test_counts_stored_column_by_column_are_read_right(path: Path) -> None:
    before = state(ufodt.load(path))
    rewrite(path, belief_counts=npy(np.asfortranarray(ufodt.load(path).belief.counts)))
    assert state(ufodt.load(path)) == before


@pytest.mark.parametrize(
    "changed",
    [
        {"belief_cuts": np.arange(300_000.0)},
        {"belief_cuts": np.arange(8.0)},
        {"belief_cuts": np.array([np.nan])},
        {"belief_cuts": np.array([2.0, 1.0])},
        {"belief_sketch_values": np.array([0.0] * 63 + [np.inf])},
        {"belief_sketch_values": np.arange(64.0)[::-1].copy()},
        {"belief_sketch_values": np.arange(64.0) // 2},
        {"belief_sketch_counts": np.full((64, 2), -1.0)},
        {"belief_sketch_counts": np.full((64, 2), np.nan)},
        {"belief_sketch_counts": np.full((64, 2), 1e308)},
    ],
    ids=lambda changed: f"{next(iter(changed))}-{len(next(iter(changed.values())))}",
)
def test_what_was_seen_of_a_number_must_fit(tmp_path: Path, changed: dict[str, np.ndarray]) -> None:
    rng, path = np.random.default_rng(0), tmp_path / "model.npz"
    learner = ufodt.UFODT(ufodt.Problem([ufodt.Continuous("c")], labels=[0, 1]), seed=1)
    X = rng.normal(size=(300, 1))
    learner.learn_many(X, (X[:, 0] > 0).astype(int))
    learner.save(path)
    rewrite(path, **{stem: npy(array) for stem, array in changed.items()})
    if "belief_cuts" in changed:
        edit(path, lambda manifest: manifest["sketches"]["belief"][0].__setitem__(0, len(changed["belief_cuts"])))
    with pytest.raises(InvalidModelFile):
        ufodt.load(path)


class Bomb:
    """Leaves a mark when a pickle of it is read."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (self.mark,)


@pytest.mark.parametrize("kind", ["plain", "object array"])
def test_a_pickle_inside_is_refused_and_never_read(path: Path, kind: str) -> None:
    mark = path.parent / "exploded"
    content = pickle.dumps(Bomb(mark))
    if kind == "object array":
        buffer = io.BytesIO()
        np.save(buffer, np.array([Bomb(mark)], dtype=object), allow_pickle=True)
        content = buffer.getvalue()
    rewrite(path, belief_counts=content)
    with pytest.raises(InvalidModelFile):
        ufodt.load(path)
    assert not mark.exists()


@pytest.mark.parametrize("member", ["belief_counts", "belief_label_counts", "weights"])
def test_an_oversized_member_is_refused_before_it_is_unpacked(path: Path, member: str) -> None:
    rewrite(path, **{member: b"\0" * 50_000_000})  # 50 kB on disk
    assert path.stat().st_size < 200_000
    with pytest.raises(InvalidModelFile, match=f"{member}.npy holds 50,000,000 bytes, at most"):
        ufodt.load(path)


def test_an_oversized_manifest_is_refused_before_it_is_unpacked(path: Path) -> None:
    rewrite(path, manifest=b" " * (64 * 2**20 + 1))
    with pytest.raises(InvalidModelFile, match="manifest.json holds 67,108,865 bytes"):
        ufodt.load(path)


@pytest.mark.parametrize(
    "shape",
    [
        b"(9**9,), }  ",
        b"(-15, 3), } ",
        b"(9999999999,)}",
    ],
)
def test_an_impossible_shape_in_a_header_is_refused_without_allocating_it(path: Path, shape: bytes) -> None:
    array = npy(np.zeros((15, 3)))
    assert b"(15, 3), }  " in array
    rewrite(path, belief_counts=array.replace(b"(15, 3), }  ", shape))
    with pytest.raises(InvalidModelFile):
        ufodt.load(path)


@pytest.mark.parametrize(
    "method",
    [
        zipfile.ZIP_STORED,
        zipfile.ZIP_BZIP2,
        zipfile.ZIP_LZMA,
    ],
)
def test_another_compression_is_read_exactly_or_refused(path: Path, method: int) -> None:
    content, before = members(path), state(ufodt.load(path))
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, data in content.items():
            archive.writestr(name, data)
    whole = path.read_bytes()
    for at in range(60, 200):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1 :])
        try:
            assert state(ufodt.load(path)) == before
        except InvalidModelFile as error:
            assert "model.npz" in str(error)


def test_counts_of_thresholds_that_would_overflow_are_refused(tmp_path: Path) -> None:
    rng, path = np.random.default_rng(0), tmp_path / "model.npz"
    problem = ufodt.Problem([ufodt.Continuous("a"), ufodt.Continuous("b")], labels=[0, 1])
    learner = ufodt.UFODT(problem, thresholds=ufodt.thresholds.exp3(1), seed=1)
    X = rng.normal(size=(40, 2))
    learner.learn_many(X, (X[:, 0] > 0).astype(int))
    learner.save(path)
    rewrite(path, belief_view_counts=npy(np.full_like(learner.belief.views()[0], 1e308)))
    with pytest.raises(InvalidModelFile):
        ufodt.load(path)
