"""Regret: exact under a known theta, and bending."""

import numpy as np
import pytest

from ufodt import UFODT
from ufodt.errors import InvalidPolicy
from ufodt.lab import regret
from ufodt.lab.optimal import optimum


def test_the_stream_of_a_world_has_its_parameters() -> None:
    world, stream = regret.world_of("world-random", 5, 20_000)
    for label in range(regret.N_LABELS):
        seen = stream.X[stream.y == label].mean(axis=0)
        np.testing.assert_allclose(seen, world.theta[1::2, label], atol=0.03)


def test_what_a_case_is_expected_to_pay_is_what_many_cases_pay() -> None:
    world, stream = regret.world_of("world-random", 2, 40_000)
    learner = UFODT(world.problem, seed=1, policy=None)
    learner.run(stream.X[:300], stream.y[:300])
    told = regret.expected(learner, world, 50.0)
    paid = []
    for row, label in zip(stream.X[300:2300].tolist(), stream.y[300:2300].tolist(), strict=True):
        session = learner.open()
        learner._n_opened = 300  # the same draw of theta in every case
        values = dict(zip(stream.feature_names, row, strict=True))
        while (question := session.ask()) is not None:
            session.tell(question.feature, values[question.feature])
        answer = session.predict()
        paid.append(answer.cost + 50.0 * (answer.label != label))
    assert told.cost == pytest.approx(np.mean(paid), abs=4 * np.std(paid) / np.sqrt(len(paid)))


@pytest.mark.parametrize("name", regret.WORLDS)
@pytest.mark.parametrize("method", ["ufodt", "paper-ec2"])
def test_nobody_pays_less_than_the_optimum(name: str, method: str) -> None:
    record, summary = regret.follow(name, method, {}, seed=4, n_cases=150)
    assert (record["cost"] > -1e-9).all() and (record["utility"] > -1e-9).all()
    assert np.all(np.diff(summary["regret"]["cost"]) > -1e-9)


def test_regret_bends() -> None:
    slopes = [regret.follow("world-random", "ufodt", {}, seed=s, n_cases=2000)[1]["exponent"]["cost"] for s in range(4)]
    assert np.mean([slope for slope in slopes if slope is not None]) < 0.8


def test_the_optimum_of_led_is_the_known_one() -> None:
    world, _ = regret.world_of("world-led", 0, 1)
    assert optimum(world, worth=regret.ALL_THERE_IS).accuracy == pytest.approx(0.740, abs=5e-4)


def test_worlds_and_methods_without_an_optimum_are_refused() -> None:
    with pytest.raises(InvalidPolicy, match="no world is called 'world-flat'"):
        regret.world_of("world-flat", 0, 1)
    with pytest.raises(InvalidPolicy, match="learners of this package only"):
        regret.follow("world-random", "vfdt", {}, seed=0, n_cases=10)
