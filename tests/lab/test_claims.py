"""Verdicts: what the runs must show for a claim to hold."""

from typing import Any

import pytest

from ufodt.lab import claims, tables
from ufodt.lab.claims import FAILS, HOLDS, ONLY_ALL, OPEN
from ufodt.lab.experiment import Claim, Declaration


class Told:
    """Stands for finished runs: figures by data set, method, swept value and seed."""

    quick = False

    def __init__(self, figures: dict[tuple[Any, ...], list[dict[str, Any]]]) -> None:
        self.figures = figures

    def runs(self, declared: Declaration, dataset: str, method: str, value: Any = None) -> dict[int, dict[str, Any]]:
        summaries = self.figures.get((dataset, method, value), [])
        return {
            seed: {"metric": "accuracy", "summary": s, "cpu_seconds": s.get("cpu", 1.0)}
            for seed, s in enumerate(summaries)
        }


def utility(paid: list[float], whole: list[float], questions: float = 3.0, cpu: float = 1.0) -> list[dict[str, Any]]:
    return [
        {
            "paid": {"accuracy": p}, "all": {"accuracy": a}, "paid_mean": {"accuracy": p}, "all_mean": {"accuracy": a},
            "questions": questions, "cpu": cpu,
        }
        for p, a in zip(paid, whole, strict=True)
    ]  # fmt: skip


def declared(*, claim: Claim, sweep: dict[str, Any] | None = None, datasets: tuple[str, ...] = ("zoo",)) -> Declaration:
    return Declaration("x", "X", "", "sweep" if sweep else "curves", datasets, (), sweep=sweep or {}, claims=(claim,))


def decide(claim: Claim, figures: dict[tuple[Any, ...], list[dict[str, Any]]], **more: Any) -> claims.Verdict:
    (verdict,) = claims.decide(declared(claim=claim, **more), Told(figures))  # type: ignore[arg-type]
    return verdict


def say(test: str, **more: Any) -> Claim:
    return Claim("It is so.", "here", test, **{"ours": ("ufodt",), "others": ("vfdt",), **more})


OTHERS = utility([0.80, 0.82], [0.80, 0.82])


@pytest.mark.parametrize(
    ("paid", "whole", "outcome"),
    [
        ([0.79, 0.81], [0.85, 0.87], HOLDS),
        ([0.70, 0.72], [0.80, 0.82], ONLY_ALL),
        ([0.70, 0.72], [0.70, 0.72], FAILS),
    ],
)
def test_a_claim_is_decided_from_paid_features_first(paid: list[float], whole: list[float], outcome: str) -> None:
    figures = {("zoo", "ufodt", None): utility(paid, whole), ("zoo", "vfdt", None): OTHERS}
    assert decide(say("no_worse", margin=0.02), figures).outcome == outcome


def test_better_means_clearly_better() -> None:
    clear = {("zoo", "ufodt", None): utility([0.85, 0.86], [0.85, 0.87]), ("zoo", "vfdt", None): OTHERS}
    chance = {("zoo", "ufodt", None): utility([0.95, 0.79], [0.95, 0.79]), ("zoo", "vfdt", None): OTHERS}
    assert decide(say("better"), clear).outcome == HOLDS
    assert decide(say("better"), chance).outcome == FAILS


def test_every_data_set_must_show_it() -> None:
    figures = {(d, "ufodt", None): utility([p] * 2, [p] * 2) for d, p in (("zoo", 0.9), ("led", 0.5))}
    figures |= {(d, "vfdt", None): OTHERS for d in ("zoo", "led")}
    verdict = decide(say("no_worse"), figures, datasets=("zoo", "led"))
    assert verdict.outcome == FAILS and verdict.counts("paid") == (1, 2)


def test_the_best_of_each_side_stands_for_it() -> None:
    figures = {
        ("zoo", "ufodt", None): utility([0.5, 0.5], [0.5, 0.5]),
        ("zoo", "ufodt-ec2", None): utility([0.9, 0.9], [0.9, 0.9]),
        ("zoo", "vfdt", None): OTHERS,
        ("zoo", "efdt", None): utility([0.1, 0.1], [0.1, 0.1]),
    }
    (first, _) = decide(say("better", ours=("ufodt", "ufodt-ec2"), others=("efdt", "vfdt")), figures).comparisons
    assert (first.ours, first.others) == ("ufodt-ec2", "vfdt")


def test_cheaper_counts_every_pair() -> None:
    figures = {
        ("zoo", "paper-ec2", None): utility([0.5] * 2, [0.5] * 2, questions=5.0),
        ("zoo", "paper-ig", None): utility([0.5] * 2, [0.5] * 2, questions=6.0),
        ("zoo", "paper-us", None): utility([0.5] * 2, [0.5] * 2, questions=4.0),
    }
    verdict = decide(say("cheaper", ours=("paper-ec2",), others=("paper-ig", "paper-us")), figures)
    assert verdict.outcome == FAILS and verdict.counts("") == (1, 2)
    each = say("cheaper_each", ours=("paper-ec2", "paper-us"), others=("paper-ig", "paper-ec2"))
    assert decide(each, figures).outcome == HOLDS


def test_faster_is_told_in_times_and_marked_as_such() -> None:
    figures = {
        ("zoo", "paper-ec2-exp3", None): utility([0.5] * 2, [0.5] * 2, cpu=1.0),
        ("zoo", "paper-ec2", None): utility([0.5] * 2, [0.5] * 2, cpu=3.0),
    }
    verdict = decide(say("faster", ours=("paper-ec2-exp3",), others=("paper-ec2",)), figures)
    assert verdict.outcome == HOLDS and verdict.is_timed
    assert tables.difference(verdict.comparisons[0]) == "3.0 ± 0.0 times faster"


@pytest.mark.parametrize(("at_nine", "outcome"), [(0.80, HOLDS), (0.70, FAILS), (0.50, FAILS)])
def test_saturation_needs_growth_before_and_none_after(at_nine: float, outcome: str) -> None:
    figures = {
        ("zoo", "ufodt", n): utility([u] * 2, [u] * 2) for n, u in ((1, 0.5), (9, at_nine), (16, max(at_nine, 0.81)))
    }
    claim = say("saturates", others=(), measure="mean", at=9, margin=0.02)
    assert decide(claim, figures, sweep={"setting": "n_hypotheses", "values": [1, 9, 16]}).outcome == outcome


def test_rising_compares_the_ends_of_a_sweep() -> None:
    sweep = {"setting": "prior", "values": [0.0, 1.0]}
    up = {("zoo", "ufodt", v): utility([u] * 2, [u] * 2) for v, u in ((0.0, 0.5), (1.0, 0.6))}
    assert decide(say("rises", others=(), measure="mean"), up, sweep=sweep).outcome == HOLDS
    down = {("zoo", "ufodt", v): utility([u] * 2, [u] * 2) for v, u in ((0.0, 0.6), (1.0, 0.5))}
    assert decide(say("rises", others=(), measure="mean"), down, sweep=sweep).outcome == FAILS


@pytest.mark.parametrize(("slope", "outcome"), [(0.5, HOLDS), (0.9, FAILS)])
def test_regret_must_bend(slope: float, outcome: str) -> None:
    figures = {("world-led", "ufodt", None): [{"exponent": {"cost": slope}}, {"exponent": {"cost": slope}}]}
    claim = say("bends", others=(), measure="cost", at=0.8)
    assert decide(claim, figures, datasets=("world-led",)).outcome == outcome


def test_without_runs_nothing_is_decided() -> None:
    assert decide(say("no_worse"), {}).outcome == OPEN
