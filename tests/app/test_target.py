"""The file that a program saves to: what somebody else writes there meanwhile is found out."""

from pathlib import Path

from ufodt import UFODT, Binary, Problem
from ufodt.app.target import Target


def test_who_comes_back_to_a_file_finds_it_as_it_was_left(tmp_path: Path) -> None:
    learner = UFODT(Problem([Binary("a")], labels=[0, 1]))
    first, other = str(tmp_path / "m.npz"), str(tmp_path / "other.npz")
    learner.save(first)
    target = Target(f"{tmp_path}/./m.npz")
    assert not target.taken
    target.move(other)
    target.move(f"{tmp_path}/./m.npz")
    target.save(learner)
    target.move(other)
    target.save(learner)
    learner.save(first)  # somebody else
    target.move(first)
    assert target.taken
