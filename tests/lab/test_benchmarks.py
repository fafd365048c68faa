"""Every benchmark but speed, at toy size: it measures what it says. Whether bars hold is asked of `ufodt bench`."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from ufodt import UFODT, Binary, Prior, Problem, thresholds
from ufodt.app.bench import BENCHMARKS
from ufodt.app.commands import bench, commands
from ufodt.lab import all_features, continuous, datasets, moving, priced, printed, subsets, wide
from ufodt.lab.datasets.dataset import assemble
from ufodt.lab.datasets.dataset import continuous as numbers
from ufodt.lab.published import PUBLISHED


def quick_report(name: str) -> dict[str, Any]:
    done = CliRunner().invoke(commands, ["bench", name, "--quick", "--json"], catch_exceptions=False)
    assert done.exit_code == 0
    report: dict[str, Any] = json.loads(done.stdout)
    assert report["benchmark"] == name and report["quick"] is True
    names = [result["name"] for result in report["results"]]
    assert len(set(names)) == len(names)
    assert all(np.isfinite(result["measured"]) for result in report["results"])
    return {result["name"]: result for result in report["results"]}


def test_every_benchmark_has_its_command() -> None:
    assert set(bench.commands) == set(BENCHMARKS)


@pytest.mark.parametrize("name", ["fidelity", "continuous", "drift", "prices", "selection", "frontier"])
def test_a_quick_look_reports_every_figure(
    name: str, paper_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UFODT_CACHE", str(tmp_path))
    found = quick_report(name)
    expected = {
        "fidelity": {"questions_zoo_ec2", "utility_spect_heart_ig"},
        "continuous": {"wdbc_ufodt-ec2-exp3", "wdbc_ufodt-ig-ofs", "accuracy_wdbc", "lead_wdbc", "run_wdbc"},
        "drift": {"questions_paper_preset_ec2", "auto_against_gamma", "price_ddm_more_ig", "auto_led"},
        "prices": {
            "cost_cleveland_400",
            "saved_pima_400_best_subset_in_hindsight",
            "known_world_pima_400",
        },
        "selection": {"selection_speed_ig", "selection_accuracy_ec2"},
        "frontier": {
            "gap_unit_2",
            "worst_gap_heart_6",
            "led_gap",
            "utility_zoo",
            "certificate_zoo",
            "lead_zoo",
            "lookahead_led",
        },
    }[name]
    assert expected <= set(found)


# --- the printed algorithm ---------------------------------------------------------------------------


def test_printed_cut_points_are_tenths_of_the_range(paper_folder: Path) -> None:
    data = datasets.load_paper("wdbc")
    cuts = np.array([feature.cuts for feature in printed.printed_problem(data).features])  # type: ignore[union-attr]
    scaled = (cuts - data.X.min(axis=0)[:, None]) / np.ptp(data.X, axis=0)[:, None]
    np.testing.assert_allclose(scaled, np.tile(np.arange(1, 10) / 10, (30, 1)))


def test_every_method_that_is_run_was_published() -> None:
    for name in printed.N_SELECTED:
        for method in (f"UFODT-{c}{v}" for c in ("EC2", "IG") for v in printed.VARIANTS):
            published = PUBLISHED[name, method]
            assert published.n_hypotheses and published.test and published.online


def test_with_all_features_every_column_counts() -> None:
    """A learner that has seen one informative number answers by it, whatever it would have paid for."""
    rng = np.random.default_rng(3)
    y = rng.integers(2, size=400)
    X = np.column_stack([y + 0.05 * rng.random(400), rng.random(400)])
    problem = printed.printed_problem(
        assemble("toy", numbers("told", "noise"), X, y, ("0", "1"), source="", licence="")
    )
    learner = UFODT.paper(problem, n_hypotheses=4, thresholds=thresholds.paper(), seed=1)
    learner.run(X, y)
    answers = all_features.answer(learner, X, rng=rng)
    assert (answers == y).mean() > 0.95


# --- continuous --------------------------------------------------------------------------------------


def test_the_lead_is_over_the_best_tree_and_paired_by_split() -> None:
    ours, weak, strong = ([continuous.Holdout(a, 1.0) for a in accuracies] for accuracies in PAIRED)
    lead = continuous._lead("toy", {"ufodt": ours, "vfdt": weak, "efdt": strong})
    assert lead.measured == pytest.approx(-0.1) and lead.error == pytest.approx(0.0)
    assert "best is efdt" in lead.note and not lead.holds


PAIRED = ([0.7, 0.5], [0.2, 0.2], [0.8, 0.6])


# --- drift -------------------------------------------------------------------------------------------


def test_recovery_counts_from_the_drift() -> None:
    assert moving.cases_to_recover(np.ones(60)) == 0
    assert moving.cases_to_recover(np.repeat([0.0, 0.8], [20, 40])) == 22  # four of five are not enough
    assert moving.cases_to_recover(np.linspace(0.0, 1.0, 60)) > 30


def test_what_is_chosen_is_chosen_on_other_streams() -> None:
    assert not set(moving.TUNING_SEEDS) & {*moving.SEEDS, *moving.MANY_SEEDS}
    assert not set(wide.TUNING_SEEDS) & set(wide.SEEDS)
    assert continuous.TUNING_SEED not in continuous.SEEDS


# --- prices ------------------------------------------------------------------------------------------


def test_a_subset_costs_what_a_session_pays_in_the_cheapest_order() -> None:
    problem = datasets.to_problem(datasets.load("cleveland"), priced=True)
    found = subsets.all_subsets(problem)
    names = [feature.name for feature in problem.features]
    for wanted in (("chol", "fbs"), ("exang", "slope", "oldpeak", "cp"), ("thal", "thalach", "ca")):
        member = np.isin(names, wanted)
        row = int((found.members == member).all(axis=1).argmax())
        session = UFODT(problem).open()
        values = dict(zip(names, datasets.load("cleveland").X[0], strict=True))
        for name in wanted:
            session.tell(name, values[name])
        assert found.prices[row] == pytest.approx(session.predict().cost)
    assert found.prices[0] == 0.0 and found.members[-1].all()


def test_fixed_subsets_answer_as_the_learner_that_knows_all_does() -> None:
    data = datasets.load("cleveland")
    problem = datasets.to_problem(data, priced=True, loss=400 * (1 - np.eye(2)))
    found, by_subset = priced.costs(data, problem, seed=0)
    assert found[priced.BEST] == by_subset.mean.min() <= min(found["all tests"], found["no tests"])
    assert found[priced.BEST] <= min(found["subset picked on the stream"], found[priced.BEST + priced.ON_OTHERS])
    stream, holdout = datasets.split(data, seed=0)
    learner = UFODT(problem, prior=Prior(learns_trust=False))
    learner.learn_many(stream.X, stream.y)
    wrong = 0
    names = [feature.name for feature in problem.features]
    for row, truth in zip(holdout.X.tolist(), holdout.y.tolist(), strict=True):
        session = learner.open(known=dict(zip(names, row, strict=True)))
        wrong += session.predict().label != truth
    tests = subsets.all_subsets(problem).prices[-1]
    assert found["all tests"] == pytest.approx(tests + 400 * wrong / len(holdout.y))


# --- selection ---------------------------------------------------------------------------------------


def test_wide_has_ten_features_that_matter_and_is_its_seeds_own() -> None:
    data = datasets.wide(4000, seed=3)
    leaning = np.abs((data.X.T == data.y).mean(axis=1) - 0.5)
    assert data.X.shape == (4000, 1000)
    assert (leaning > 0.25).sum() == 10 and (np.sort(leaning)[:-10] < 0.05).all()
    np.testing.assert_array_equal(data.X, datasets.wide(4000, seed=3).X)
    assert (data.X != datasets.wide(4000, seed=4).X).any()


# --- data sets as problems ---------------------------------------------------------------------------


def test_a_data_set_becomes_its_problem() -> None:
    data = datasets.load("cleveland")
    problem = datasets.to_problem(data, priced=True, loss=[[0, 5], [9, 0]])
    assert [feature.name for feature in problem.features] == list(data.feature_names)
    chol = problem.features[data.feature_names.index("chol")]
    assert (chol.price, chol.later_price, chol.group) == (7.27, 5.17, "blood")
    assert problem.losses.tolist() == [[0, 5], [9, 0]]
    outcomes, _ = problem.outcomes(data.X)
    j = data.feature_names.index("thal")
    np.testing.assert_array_equal(outcomes[:, j], data.X[:, j])
    assert set(datasets.to_problem(data).prices.tolist()) == {1.0}


def test_features_computed_from_others_stay_so() -> None:
    problem = datasets.to_problem(datasets.load("thyroid"), priced=True)
    assert tuple(problem.features[-1].computed_from) == ("TT4", "T4U")


def test_prices_that_are_not_known_are_refused() -> None:
    with pytest.raises(datasets.BadTable, match="no prices are known"):
        datasets.to_problem(datasets.led(5, seed=1), priced=True)


def test_a_table_of_indicators_is_a_problem_of_binary_features() -> None:
    assert datasets.to_problem(datasets.led(5, seed=1)) == Problem(
        [Binary(name) for name in datasets.led(5, seed=1).feature_names], labels=range(10)
    )
