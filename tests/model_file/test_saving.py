"""Model files are written whole or not at all, and every setting comes back."""

import os
import resource
import stat
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ufodt
from ufodt import UFODT, Binary, Categorical, Expert, Policy, Prior, Problem, stop
from ufodt.errors import InvalidModelFile, NotSaved
from ufodt.model_file import Reader

from ..cases import digest, draw_stream, make, state

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
    learner.learn({"values": {"a": RICH.features[0].values[0]}}, RICH.labels[0])
    learner.save(tmp_path / "m")
    before = learner.belief.counts
    learner.merge(ufodt.load(tmp_path / "m"))
    assert before.sum() == 1 and (learner.belief.counts == 2 * before).all()


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


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o666])
def test_a_model_that_is_replaced_keeps_its_permissions(mode: int, path: Path) -> None:
    path.chmod(mode)
    ufodt.load(path).save(path)
    assert stat.S_IMODE(path.stat().st_mode) == mode


def test_a_model_that_is_write_protected_is_not_replaced(
    path: Path, saved: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    path.chmod(0o444)
    monkeypatch.setattr(os, "access", lambda name, mode: Path(name) != path)  # as for anybody but root
    with pytest.raises(NotSaved, match=r"model\.npz is write-protected; allow writing to it, or name another file\."):
        ufodt.load(path).save(path)
    assert path.read_bytes() == saved


def test_the_same_model_is_the_same_bytes_at_any_time(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ufodt.load(path).save(path)
    before = path.read_bytes()
    monkeypatch.setattr(time, "time", lambda: 2e9)
    ufodt.load(path).save(path)
    assert path.read_bytes() == before


def test_a_save_that_fails_leaves_the_old_file_and_nothing_else(path: Path, saved: bytes) -> None:
    learner = ufodt.load(path)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (len(saved) // 2, limits[1]))  # as on a full disk
        with pytest.raises(NotSaved, match=r"model\.npz could not be written \(File too large\); what was there is as"):
            learner.save(path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert path.read_bytes() == saved
    assert [file.name for file in path.parent.iterdir()] == ["model.npz"]


def test_only_a_file_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    for name in ("folder", "pipe"):
        with pytest.raises(InvalidModelFile, match=f"{name} is a folder or a device"):
            make("ours-ig").save(tmp_path / name)
    assert (tmp_path / "folder").is_dir() and (tmp_path / "pipe").is_fifo()
    assert sorted(file.name for file in tmp_path.iterdir()) == ["folder", "pipe"]


@pytest.mark.parametrize("there", [True, False])
def test_a_link_stays_one_and_leads_to_the_model(there: bool, tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "models" / "today")
    if there:
        (tmp_path / "models" / "today").write_text("older")
    make("ours-ig").save(tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert digest(ufodt.load(tmp_path / "models" / "today")) == digest(make("ours-ig"))
    assert [file.name for file in (tmp_path / "models").iterdir()] == ["today"]


def test_a_model_saved_while_another_is_read_is_not_mixed_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, learners = tmp_path / "model.npz", [make("ours-ec2") for _ in range(2)]
    learners[1].run(*draw_stream(1, 30))
    learners[0].save(path)
    arrays = Reader.arrays

    def saved_meanwhile(reader: Reader, shapes: Any) -> Any:
        learners[1].save(path)
        return arrays(reader, shapes)

    monkeypatch.setattr(Reader, "arrays", saved_meanwhile)
    assert state(ufodt.load(path)) == state(learners[0])


def test_what_is_no_file_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InvalidModelFile, match="folder or a device"):
        ufodt.load(tmp_path / "pipe")
