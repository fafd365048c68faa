"""Model files: written whole or not at all; whatever is not one of ours is refused as such."""

import io
import json
import pickle
import resource
import stat
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ufodt
from ufodt import UFODT, Binary, Categorical, Expert, Policy, Prior, Problem, model_file, stop
from ufodt.errors import InvalidModelFile

from .cases import digest, draw_stream, make, state


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


def test_a_file_survives_being_taken_apart_and_put_together(path: Path) -> None:
    """So that the refusals below are due to what they change."""
    before = state(ufodt.load(path))
    edit(path, lambda manifest: None)
    rewrite(path, belief_counts=members(path)["belief_counts.npy"])
    assert state(ufodt.load(path)) == before


# --- saving ------------------------------------------------------------------------------------------

RICH = Problem(
    [
        Binary("a", price=0.1, group="g", later_price=0.0),
        Categorical("ä/\n", ["x", 2, 2.5, True], price=1e-300),
        Categorical("c", [0.1 + 0.2, "0.3"]),
    ],
    labels=["ja", 7, "né"],
    loss=[[0, 1 / 3, 1], [1, 0, 1], [1e10, 1, 0.5]],
)


@pytest.mark.parametrize(
    "settings",
    [
        {"stop": stop.region() | stop.budget(3) & (stop.confidence(0.9) | stop.cost_benefit(2.5))},
        {"policy": Policy(stop=stop.cost_benefit(), criterion="us", plan="mean", predict="theta", distinct=True)},
        {"criterion": "rig", "n_hypotheses": 17},
        {"criterion": "gini"},
        {"policy": Policy(criterion="eced", planner="lookahead")},
        {"prior": Prior(count=0.3, labels={7: 0.2, "ja": 0.3, "né": 0.5}, label_strength=4.5, learns_labels=False)},
        {"prior": Prior(experts=(Expert("a", 7, 0.9, 50), Expert("c", "ja", {"0.3": 0.25, 0.1 + 0.2: 0.75}, 4)))},
        {"seed": 2**63 - 1},
    ],
    ids=repr,
)
def test_every_setting_comes_back(settings: dict[str, Any], tmp_path: Path) -> None:
    learner = UFODT(RICH, **settings)
    learner.learn_many([[1, 2.5, "0.3"], [None, "x", None]], np.array([7, "ja"], dtype=object))
    learner.discount(1 / 3)
    learner.open()
    learner.save(tmp_path / "m")
    loaded = ufodt.load(tmp_path / "m")
    assert (loaded.problem, loaded.policy, loaded.seed) == (learner.problem, learner.policy, learner.seed)
    assert state(loaded) == state(learner)
    np.testing.assert_array_equal(loaded.belief.prior, learner.belief.prior)
    np.testing.assert_array_equal(loaded.belief.label_prior, learner.belief.label_prior)
    assert loaded.belief.learns_labels == learner.belief.learns_labels
    assert loaded.open().predict() == learner.open().predict()


@pytest.mark.parametrize(
    "make_learner",
    [
        lambda: UFODT(Problem([Binary("a", price=np.float32(1))], labels=[0, 1])),  # type: ignore[arg-type]
        lambda: UFODT(Problem([Binary("a", price=np.int64(1))], labels=[0, 1])),  # type: ignore[arg-type]
        lambda: UFODT(RICH, prior=Prior(experts=[Expert("a", 7, 0.5, np.int64(3))])),  # type: ignore[arg-type]
        lambda: UFODT(RICH, prior=Prior(experts=[Expert("a", 7, np.array([0.5, 0.5]), 3)])),  # type: ignore[arg-type]
    ],
)
def test_what_makes_a_learner_can_be_saved(make_learner: Callable[[], UFODT], tmp_path: Path) -> None:
    learner = make_learner()
    learner.save(tmp_path / "m")
    np.testing.assert_array_equal(ufodt.load(tmp_path / "m").belief.prior, learner.belief.prior)


def test_a_learner_merges_with_its_loaded_copy(tmp_path: Path) -> None:
    learner = UFODT(RICH, prior=Prior(experts=[Expert("a", 7, (0.5, 0.5), 3)]))
    learner.save(tmp_path / "m")
    learner.merge(ufodt.load(tmp_path / "m"))


def test_saving_replaces_a_file_and_leaves_nothing_else(path: Path) -> None:
    learner = make("paper-ig")
    learner.save(path)
    learner.save(str(path))
    assert digest(ufodt.load(path)) == digest(make("paper-ig"))
    assert [file.name for file in path.parent.iterdir()] == ["model.npz"]


def test_a_model_has_the_permissions_of_any_new_file(tmp_path: Path) -> None:
    (tmp_path / "plain").touch()
    make("ours-ig").save(tmp_path / "model")
    modes = {stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("plain", "model")}
    assert len(modes) == 1


def test_a_save_that_fails_leaves_the_old_file_and_nothing_else(path: Path, saved: bytes) -> None:
    learner = ufodt.load(path)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (len(saved) // 2, limits[1]))  # as on a full disk
        with pytest.raises(OSError, match="File too large"):
            learner.save(path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert path.read_bytes() == saved
    assert [file.name for file in path.parent.iterdir()] == ["model.npz"]


def test_saving_over_a_folder_fails_and_leaves_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError):
        make("ours-ig").save(tmp_path / "folder")
    assert [file.name for file in tmp_path.iterdir()] == ["folder"]


# --- loading what is damaged -------------------------------------------------------------------------


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


CHANGES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "no problem": lambda m: m.pop("problem"),
    "problem is a list": lambda m: m.update(problem=[]),
    "no features": lambda m: m["problem"].update(features=[]),
    "features are numbers": lambda m: m["problem"].update(features=[1, 2]),
    "feature of no kind": lambda m: m["problem"]["features"][0].pop("kind"),
    "feature of another kind": lambda m: m["problem"]["features"][0].update(kind="Ternary"),
    "feature with a field too many": lambda m: m["problem"]["features"][0].update(colour="red"),
    "negative price": lambda m: m["problem"]["features"][0].update(price=-1),
    "one label": lambda m: m["problem"].update(labels=["one"]),
    "loss not square": lambda m: m["problem"].update(loss=[[0, 1]]),
    "unknown criterion": lambda m: m["policy"].update(criterion="voi"),
    "no stop": lambda m: m["policy"].pop("stop"),
    "stop is a word": lambda m: m["policy"].update(stop="region"),
    "stop without children": lambda m: m["policy"]["stop"].pop("children"),
    "too many hypotheses": lambda m: m["policy"].update(n_hypotheses=10**9),
    "distinct is a word": lambda m: m["policy"].update(distinct="no"),
    "unknown setting": lambda m: m["policy"].update(colour="red"),
    "prior of nothing": lambda m: m["prior"].update(count=0),
    "prior is null": lambda m: m.update(prior=None),
    "unknown expert": lambda m: m["prior"].update(experts=[["nobody", "flu", 0.5, 1]]),
    "seed is a word": lambda m: m.update(seed="7"),
    "negative seed": lambda m: m.update(seed=-7),
    "no n_opened": lambda m: m.pop("n_opened"),
    "negative n_opened": lambda m: m.update(n_opened=-1),
    "other format": lambda m: m.update(format="npz"),
    "other thresholds": lambda m: m["thresholds"].update(kind="quantiles"),
    "no thresholds": lambda m: m.pop("thresholds"),
    "drift of 2": lambda m: m["drift"].update(gamma=2),
    "selection of -1": lambda m: m["selection"].update(size=-1),
    "currencies are a list": lambda m: m["problem"].update(currencies=["euro"]),
    "surcharge is a number": lambda m: m["problem"]["features"][0].update(surcharge=3),
    "mandatory is a word": lambda m: m["problem"]["features"][0].update(mandatory="yes"),
    "needs itself": lambda m: m["problem"]["features"][0].update(needs=["fever"]),
    "labels are a word": lambda m: m["problem"].update(labels="abc"),
    "label is null": lambda m: m["problem"].update(labels=["healthy", "flu", None]),
    "no sketches": lambda m: m.pop("sketches"),
    "sketches are a list": lambda m: m.update(sketches=[]),
    "sketches of nothing": lambda m: m.update(sketches={}),
    "a sketch is missing": lambda m: m["sketches"]["belief"].pop(),
    "a sketch is a number": lambda m: m["sketches"]["belief"].__setitem__(0, 3),
    "a sketch of -1 cells": lambda m: m["sketches"]["belief"].__setitem__(0, [0, -1, 0]),
    "a sketch without end": lambda m: m["sketches"]["belief"].__setitem__(0, [0, 10**15, 0]),
    "a sketch with half a cut": lambda m: m["sketches"]["belief"].__setitem__(0, [0.5, 0, 0]),
    "no drift state": lambda m: m.pop("drift_state"),
    "drift state is null": lambda m: m.update(drift_state=None),
    "drift state of no feature": lambda m: m.update(drift_state=[0.0] * 5 + [0, 0, [[[[99, 0, 0.0, -1]], 0]]]),
    "drift state of no label": lambda m: m.update(drift_state=[0.0] * 5 + [0, 0, [[[[0, 0, 0.0, -1]], 99]]]),
    "drift state of no outcome": lambda m: m.update(drift_state=[0.0] * 5 + [0, 0, [[[[0, 9, 0.0, -1]], 0]]]),
    "unknown stop rule": lambda m: m["policy"].update(stop={"kind": "soon", "value": None, "children": []}),
    "any of nothing": lambda m: m["policy"].update(stop={"kind": "any", "value": None, "children": []}),
    "confidence of 7": lambda m: m["policy"].update(stop={"kind": "confidence", "value": 7, "children": []}),
    "budget of null": lambda m: m["policy"].update(stop={"kind": "budget", "value": None, "children": []}),
    "short expert": lambda m: m["prior"].update(experts=[["fever"]]),
    "odd label shares": lambda m: m["prior"].update(labels=[["flu"]]),
    "price without end": lambda m: m["problem"]["features"][0].update(price=10**400),
}


@pytest.mark.parametrize("change", [pytest.param(change, id=name) for name, change in CHANGES.items()])
def test_a_manifest_that_describes_no_learner_is_refused(path: Path, change: Callable[[dict[str, Any]], Any]) -> None:
    edit(path, change)
    with pytest.raises(InvalidModelFile, match="model.npz"):
        ufodt.load(path)


def test_a_manifest_of_a_giant_is_refused_before_it_is_made(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_file, "MAX_ARRAY_BYTES", 8 * 15 * 3 - 1)
    with pytest.raises(InvalidModelFile, match="manifest does not describe a learner.*no model is that big"):
        ufodt.load(path)


@pytest.mark.parametrize("text", [b"[]", b"7", b'"ufodt model"', b"null"])
def test_a_manifest_that_is_no_table_is_refused(path: Path, text: bytes) -> None:
    rewrite(path, manifest=text)
    with pytest.raises(InvalidModelFile):
        ufodt.load(path)


@pytest.mark.parametrize("text", [b"", b"<html>", b"\xff\xfe{", b"[" * 100_000], ids=["empty", "html", "bytes", "deep"])
def test_a_manifest_that_is_no_json_is_refused(path: Path, text: bytes) -> None:
    rewrite(path, manifest=text)
    with pytest.raises(InvalidModelFile):
        ufodt.load(path)
