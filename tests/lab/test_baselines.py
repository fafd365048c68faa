"""Other learners: one protocol, honest order of predicting and learning, and the known faults of river."""

import numpy as np
import pytest

from ufodt.lab import baselines, datasets
from ufodt.lab.baselines import DEFAULT, GRID, Kind, Setting, build, holdout, prequential, tune
from ufodt.lab.datasets import Dataset
from ufodt.lab.datasets.dataset import FloatArray


def accuracy(kind: str, stream: Dataset, setting: Setting = DEFAULT) -> float:
    predicted, _ = prequential(build(kind, stream, setting=setting), stream.X, stream.y)
    return float((predicted == stream.y).mean())


@pytest.fixture(scope="module")
def mixed() -> Dataset:
    """Continuous and binary features, missing cells, 60 rows."""
    return datasets.take(datasets.load("hepatitis"), np.arange(60))


# --- laws of every baseline ---------------------------------------------------------------------------


@pytest.mark.parametrize("kind", Kind)
def test_a_fresh_baseline_answers_and_reads_every_feature(kind: Kind, mixed: Dataset) -> None:
    baseline = build(kind, mixed)
    assert baseline.predict(mixed.X[0]) in (0, 1)
    assert baseline.n_read == mixed.X.shape[1]


@pytest.mark.parametrize("kind", Kind)
def test_the_same_seed_gives_the_same_run(kind: Kind, mixed: Dataset) -> None:
    first, _ = prequential(build(kind, mixed, seed=3), mixed.X, mixed.y)
    again, _ = prequential(build(kind, mixed, seed=3), mixed.X, mixed.y)
    np.testing.assert_array_equal(first, again)


@pytest.mark.parametrize("kind", Kind)
def test_a_holdout_teaches_nothing(kind: Kind) -> None:
    stream, other = datasets.led(200, seed=1), datasets.led(100, seed=2)
    asked, quiet = build(kind, stream), build(kind, stream)
    prequential(asked, stream.X[:100], stream.y[:100])
    prequential(quiet, stream.X[:100], stream.y[:100])
    np.testing.assert_array_equal(holdout(asked, other.X), holdout(asked, other.X))
    after_asking, _ = prequential(asked, stream.X[100:], stream.y[100:])
    undisturbed, _ = prequential(quiet, stream.X[100:], stream.y[100:])
    np.testing.assert_array_equal(after_asking, undisturbed)


@pytest.mark.parametrize("kind", Kind)
def test_a_prepared_row_is_answered_like_the_row_itself(kind: Kind, mixed: Dataset) -> None:
    baseline = build(kind, mixed)
    prequential(baseline, mixed.X, mixed.y)
    for row in mixed.X[:10]:
        assert baseline.predict(row) == baseline.predict(baseline.prepare(row))


@pytest.mark.parametrize("kind", [kind for kind in Kind if kind != Kind.CONSTANT])
def test_every_learner_learns_an_easy_rule(kind: Kind) -> None:
    rng = np.random.default_rng(0)
    objects = datasets.stagger_holdout(3)  # positive unless small
    stream = datasets.take(objects, rng.integers(27, size=1000))
    noisy = stream.y ^ (rng.random(1000) < 0.1)
    baseline = build(kind, stream)
    prequential(baseline, stream.X, noisy)
    assert (holdout(baseline, objects.X) == objects.y).mean() > 0.95


# --- the loop -----------------------------------------------------------------------------------------


class Recorder:
    """Remembers the order of calls."""

    n_read = 1
    notes: tuple[str, ...] = ()

    def __init__(self) -> None:
        self.calls: list[tuple[str, float]] = []

    def prepare(self, row: FloatArray) -> baselines.Row:
        return row

    def predict(self, row: baselines.Row) -> int:
        self.calls.append(("predict", row[0]))  # type: ignore[index]
        return 1

    def learn(self, row: baselines.Row, label: int) -> None:
        self.calls.append((f"learn {label}", row[0]))  # type: ignore[index]


def test_each_case_is_predicted_before_it_is_learned() -> None:
    recorder, told = Recorder(), []
    predicted, seconds = prequential(
        recorder, np.array([[5.0], [6.0]]), np.array([1, 0]), progress=lambda *now: told.append(now)
    )
    assert recorder.calls == [("predict", 5), ("learn 1", 5), ("predict", 6), ("learn 0", 6)]
    assert predicted.tolist() == [1, 1] and seconds >= 0
    assert told == [(1, 2), (2, 2)]


def test_rows_and_labels_must_match() -> None:
    with pytest.raises(ValueError, match="3 rows came with 2 labels"):
        prequential(Recorder(), np.zeros((3, 1)), np.array([0, 1]))


def test_an_unknown_baseline_is_refused(mixed: Dataset) -> None:
    with pytest.raises(ValueError, match="'svm'; expected one of vfdt"):
        build("svm", mixed)


# --- what each is known for -----------------------------------------------------------------------------


def test_the_constant_predictor_follows_the_majority() -> None:
    stream = datasets.load("spect_heart")
    baseline = build("constant", stream)
    prequential(baseline, stream.X, stream.y)
    assert set(holdout(baseline, stream.X).tolist()) == {1}


def test_naive_bayes_nears_the_ceiling_of_led() -> None:
    stream, fresh = datasets.led(1000, seed=1), datasets.led(2000, seed=2)
    baseline = build("bernoulli_nb", stream)
    prequential(baseline, stream.X, stream.y)
    assert abs((holdout(baseline, fresh.X) == fresh.y).mean() - 0.74) < 0.03


def test_a_restart_by_ddm_is_worth_much_on_stagger() -> None:
    streams = [datasets.stagger(seed=seed, form="binary4") for seed in range(10)]
    plain = np.mean([accuracy("bernoulli_nb", stream) for stream in streams])
    restarted = np.mean([accuracy("nb_ddm", stream) for stream in streams])
    assert restarted > plain + 0.15


def test_ddm_counts_its_restarts_and_late_labels_change_nothing() -> None:
    stream = datasets.stagger(seed=0, form="binary4")
    prompt, late = build("nb_ddm", stream), build("nb_ddm", stream)
    for row, label in zip(stream.X, stream.y, strict=True):
        prompt.predict(row)
        prompt.learn(row, int(label))
        late.predict(row)
        late.predict(stream.X[0])  # another case comes in between
        late.learn(row, int(label))
    assert prompt.notes == late.notes and "restarted 2 times by DDM" in prompt.notes
    np.testing.assert_array_equal(holdout(prompt, stream.X), holdout(late, stream.X))


def test_trees_are_given_text_for_binary_values() -> None:
    data = datasets.load("cleveland")
    row = build("vfdt", data).prepare(data.X[0])
    assert isinstance(row, dict)
    assert row["sex"] == "male" and row["age"] == 63.0 and row["thal"] == "fixed"


FAULTY = Setting(grace_period=1, delta=1e-5, tau=1.0, leaf="mc", reevaluate=1)


def test_river_still_fails_on_nominal_features_of_three_values() -> None:
    """If this test fails, river was mended: give EFDT nominal features and drop its note."""
    stream = datasets.stagger(seed=0)
    naive = baselines.RiverBaseline(baselines._tree(Kind.EFDT, FAULTY, 0), baselines.nominal(stream), 3)
    with pytest.raises((TypeError, IndexError)):
        prequential(naive, stream.X, stream.y)


def test_efdt_runs_where_river_fails_and_says_how() -> None:
    stream = datasets.stagger(seed=0)
    baseline = build("efdt", stream, setting=FAULTY)
    prequential(baseline, stream.X, stream.y)
    assert baseline.notes == (baselines.EFDT_NOTE,)
    assert build("efdt", datasets.stagger(seed=0, form="binary4")).notes == ()


def test_boosting_reads_categories_and_missing_cells() -> None:
    rng = np.random.default_rng(0)
    objects = datasets.stagger_holdout(2)
    stream = datasets.take(objects, rng.integers(27, size=600))
    assert (baselines.offline_boosting(stream)(objects.X) == objects.y).all()
    assert len(baselines.offline_boosting(stream)(np.full((2, 3), np.nan))) == 2


# --- tuning ---------------------------------------------------------------------------------------------


def test_the_grid_is_the_declared_one() -> None:
    assert len(set(GRID)) == 2 * 3 * 2 * 3
    assert all(setting.reevaluate == setting.grace_period for setting in GRID)


def test_tuning_takes_the_best_mean_over_the_streams(monkeypatch: pytest.MonkeyPatch) -> None:
    grid = (DEFAULT, FAULTY, Setting(1, 0.5, 1.0, "nba", 1))
    monkeypatch.setattr(baselines, "GRID", grid)
    streams = [datasets.stagger(seed=seed) for seed in (1000, 1001)]
    told: list[tuple[int, int]] = []
    tuned = tune("vfdt", streams, progress=lambda *now: told.append(now))
    means = [np.mean([accuracy("vfdt", stream, setting) for stream in streams]) for setting in grid]
    assert [score for _, score in tuned.scores] == pytest.approx(means)
    assert tuned.setting == grid[int(np.argmax(means))] and tuned.accuracy == max(means)
    assert tuned.setting != DEFAULT
    assert told == [(1, 3), (2, 3), (3, 3)]


def test_naive_bayes_has_nothing_to_tune() -> None:
    tuned = tune("bernoulli_nb", [datasets.led(50, seed=1)])
    assert tuned.setting == DEFAULT and len(tuned.scores) == 1


def test_tuning_needs_a_stream() -> None:
    with pytest.raises(ValueError, match="no stream to tune on"):
        tune("vfdt", [])
