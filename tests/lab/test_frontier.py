"""The frontier bench: figures are kept on disk, bars are those declared, LED is judged exactly."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from ufodt import UFODT, stop
from ufodt.lab import frontier, nine, worlds
from ufodt.lab.datasets import PAPER, led
from ufodt.lab.optimal import led_world
from ufodt.lab.remember import remember
from ufodt.stream import calibration_error


@pytest.fixture
def counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """A computation that says how often it was made."""
    monkeypatch.setenv("UFODT_CACHE", str(tmp_path / "not" / "yet"))
    calls: list[int] = []

    def compute() -> int:
        calls.append(1)
        return len(calls)

    return compute


def test_a_figure_is_computed_once_for_each_key(counted: Callable[[], int]) -> None:
    assert [remember({"a": 1, "b": [2.5]}, counted) for _ in range(3)] == [1, 1, 1]
    assert remember({"a": 2, "b": [2.5]}, counted) == 2


def test_a_damaged_figure_is_computed_again(counted: Callable[[], int], tmp_path: Path) -> None:
    remember({"a": 1}, counted)
    (file,) = (tmp_path / "not" / "yet").iterdir()
    file.write_text(file.read_text()[:-5])
    assert remember({"a": 1}, counted) == 2
    assert remember({"a": 1}, counted) == 2


def test_what_fails_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UFODT_CACHE", str(tmp_path))
    with pytest.raises(ZeroDivisionError):
        remember({"a": 1}, lambda: 1 // 0)
    assert not list(tmp_path.iterdir())


def test_every_data_set_has_many_seeds_and_those_of_the_authors() -> None:
    for name, run in PAPER.items():
        assert len(nine.seeds_of(name)) >= 25
        assert set(run.seeds) <= set(nine.seeds_of(name))


def test_the_bars_are_those_of_the_paper(paper_folder: Path) -> None:
    table = {
        "led": (4.92, 0.745), "zoo": (5.16, 0.781), "compas": (6.01, 0.639), "fico": (3.39, 0.706),
        "pima_diabetes": (3.53, 0.654), "wdbc": (5.36, 0.804), "fetal_health": (6.35, 0.778),
    }  # fmt: skip
    for name, (questions, utility) in table.items():
        found = {r.name: r for r in nine.ours(name, nine.seeds_of(name)[:1])}
        assert found[f"questions_{name}"].bar == questions
        assert found[f"utility_{name}"].bar == utility
        assert found[f"learning_{name}"].bar == (None if name == "zoo" else questions)
        assert found[f"calibration_{name}"].bar == (None if name == "zoo" else 0.05)


def test_heart_is_judged_against_the_constant_answer(paper_folder: Path) -> None:
    utility = nine.ours("spect_heart", nine.seeds_of("spect_heart")[:2])[0]
    assert utility.bar == utility.detail["constant"]


def test_the_holdout_is_answered_from_what_was_paid_for(paper_folder: Path) -> None:
    run = nine.run("zoo", 102)
    assert 0 < run.questions < 15 and 0 < run.learning < 15
    assert len(run.right) == nine.N_DRAWS * PAPER["zoo"].n_holdout


def test_a_certificate_is_exact_on_few_features_and_a_bound_on_many(paper_folder: Path) -> None:
    few, many = nine.certified("led", 101), nine.certified("spect_heart", 102)
    assert few.error is None and few.measured is not None and 1.0 - 1e-9 <= few.measured < 1.2
    assert many.error is not None and "or more" in many.note


def test_calibration_error_is_the_mean_distance_over_bins() -> None:
    rng = np.random.default_rng(0)
    p = rng.uniform(0.3, 1.0, 500)
    right = rng.random(500) < p**2
    by_hand = 0.0
    for low in np.arange(10) / 10:
        here = (p >= low) & (p < low + 0.1)
        by_hand += abs(p[here].sum() - right[here].sum()) / 500
    assert calibration_error(p, right) == pytest.approx(by_hand)
    assert calibration_error(np.ones(3), np.ones(3, dtype=bool)) == 0.0


def test_led_is_judged_as_a_long_holdout_would(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frontier, "N_LED", 500)
    measured = frontier.after_led((3,))
    stream, holdout = led(500, seed=3), led(40_000, seed=99)
    for (asked, accuracy, gap), worth in zip((measured[:3], measured[3:]), (None, frontier.LED_WORTH), strict=True):
        learner = UFODT(led_world().problem, stop=stop.cost_benefit(worth), seed=3)
        learner.run(stream.X, stream.y)
        report = learner.evaluate(holdout.X, holdout.y)
        assert accuracy.measured == pytest.approx(report.accuracy, abs=0.015)
        assert asked.measured == pytest.approx(report.n_asked, abs=0.3)
        assert gap.measured is not None and gap.measured >= 1.0


def test_worlds_are_judged_by_mean_and_worst(paper_folder: Path) -> None:
    mean, worst = worlds.compare("unit", 2, seed=worlds.QUICK_SEED, n=2)
    ratios = mean.detail[worlds.OURS]
    assert mean.measured == pytest.approx(np.mean(ratios)) and worst.measured == max(ratios)
    assert min(ratios) >= 1.0 - 1e-9
    assert worlds.VERDICT_SEED != worlds.QUICK_SEED
