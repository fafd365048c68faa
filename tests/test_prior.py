"""What is believed before the first case: flat counts, experts, label shares."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ufodt import UFODT, Binary, Categorical, Continuous, Expert, Prior, Problem, drift, thresholds
from ufodt.errors import InvalidProblem, UfodtError, UnknownFeature, UnknownLabel
from ufodt.prior import interpolate, read_prior

PROBLEM = Problem([Binary("fever"), Categorical("rhythm", ["sinus", "flutter", "other"])], labels=["healthy", "ill"])


def mean(prior: Prior) -> tuple[np.ndarray, np.ndarray]:
    return UFODT(PROBLEM, prior=prior).belief.mean()


def test_a_flat_prior_is_uniform() -> None:
    p, labels = mean(Prior(count=3.0))
    np.testing.assert_allclose(p, np.array([[1 / 2] * 2] * 2 + [[1 / 3] * 2] * 3))
    np.testing.assert_allclose(labels, [0.5, 0.5])


def test_an_expert_is_worth_as_many_cases_as_it_says() -> None:
    learner = UFODT(PROBLEM, prior=Prior(experts=[Expert("fever", "ill", 0.9, strength=50)]))
    np.testing.assert_allclose(learner.belief.prior[:2], [[1.0, 5.0], [1.0, 45.0]])
    for _ in range(50):
        learner.learn({"values": {"fever": 0}}, "ill")  # type: ignore[typeddict-item]
    assert learner.belief.mean()[0][1, 1] == pytest.approx(0.45)


@pytest.mark.parametrize(
    "probability",
    [(0.7, 0.2, 0.1), [0.7, 0.2, 0.1], {"other": 0.1, "sinus": 0.7, "flutter": 0.2}, np.array([0.7, 0.2, 0.1])],
    ids=repr,
)
def test_an_expert_may_give_one_probability_for_each_value(probability: Any) -> None:
    p, _ = mean(Prior(experts=[Expert("rhythm", "healthy", probability, strength=10)]))
    np.testing.assert_allclose(p[2:, 0], [0.7, 0.2, 0.1])
    np.testing.assert_allclose(p[2:, 1], 1 / 3)


def test_label_shares_have_their_strength() -> None:
    learner = UFODT(PROBLEM, prior=Prior(labels={"ill": 0.2, "healthy": 0.8}, label_strength=20))
    np.testing.assert_allclose(learner.belief.label_prior, [16.0, 4.0])


@pytest.mark.parametrize(
    ("fields", "error", "says"),
    [
        ({"count": 0.0}, InvalidProblem, ["0.0", "count"]),
        ({"count": -1.0}, InvalidProblem, ["-1.0", "count"]),
        ({"count": math.nan}, InvalidProblem, ["nan"]),
        ({"count": math.inf}, InvalidProblem, ["inf"]),
        ({"count": "1"}, InvalidProblem, ["'1'"]),
        ({"experts": [Expert("fewer", "ill", 0.5, 1)]}, UnknownFeature, ["'fewer'", "'fever'"]),
        ({"experts": [Expert("fever", "sick", 0.5, 1)]}, UnknownLabel, ["'sick'", "'ill'"]),
        ({"experts": [Expert("fever", "ill", 0.5, 0)]}, InvalidProblem, ["0 came", "'fever' given 'ill'"]),
        ({"experts": [Expert("fever", "ill", 0.5, math.inf)]}, InvalidProblem, ["inf", "'fever'"]),
        ({"experts": [Expert("fever", "ill", 1.0, 5)]}, InvalidProblem, ["'ill'", "1.0", "below 1"]),
        ({"experts": [Expert("fever", "ill", 1.5, 5)]}, InvalidProblem, ["1.5", "above 0"]),
        ({"experts": [Expert("fever", "ill", math.nan, 5)]}, InvalidProblem, ["nan"]),
        ({"experts": [Expert("rhythm", "ill", 0.5, 5)]}, InvalidProblem, ["rhythm", "3 values"]),
        ({"experts": [Expert("rhythm", "ill", [0.5, 0.5], 5)]}, InvalidProblem, ["2 probabilities", "3 values"]),
        ({"experts": [Expert("rhythm", "ill", [0.5, 0.4, 0.2], 5)]}, InvalidProblem, ["0.2", "sum to 1"]),
        ({"experts": [Expert("rhythm", "ill", {"sinus": 1.0}, 5)]}, InvalidProblem, ["sinus", "flutter"]),
        (
            {"experts": [Expert("fever", "ill", 0.9, 100), Expert("fever", "Ill", 0.1, 5)]},
            InvalidProblem,
            ["fever given 'ill' came twice"],
        ),
        (
            {"experts": [Expert("rhythm", "ill", {"sinus": 0.1, "Sinus": 0.7, "flutter": 0.1, "other": 0.2}, 5)]},
            InvalidProblem,
            ["'sinus', 'Sinus'", "one for each"],
        ),
        ({"labels": {"ill": 0.5, "ILL": 0.2, "healthy": 0.8}}, InvalidProblem, ["'ILL'", "one for each"]),
        ({"labels": {"ill": 1.0}}, InvalidProblem, ["ill", "healthy"]),
        ({"labels": {"ill": 0.5, "healthy": 0.6}}, InvalidProblem, ["0.6", "the labels"]),
        ({"labels": {"ill": 0.5, "healthy": 0.5}, "label_strength": 0}, InvalidProblem, ["0 came", "labels"]),
    ],
)
def test_a_prior_that_makes_no_sense_is_refused_by_name(
    fields: dict[str, Any], error: type[UfodtError], says: list[str]
) -> None:
    with pytest.raises(error) as caught:
        UFODT(PROBLEM, prior=Prior(**fields))
    assert all(word in str(caught.value) for word in says), str(caught.value)


# --- priors from a file ------------------------------------------------------------------------------

GOOD = """
count = 0.5
strength = 20

[labels]
healthy = 0.9
ill = 0.1

[features.fever.ill]
probability = 0.8
strength = 50

[features.fever.healthy]
probability = {0 = 0.7, 1 = 0.3}

[features.rhythm.ill]
probability = {other = 0.1, sinus = 0.7, flutter = 0.2}

[features.rhythm.healthy]
probability = [0.5, 0.25, 0.25]
strength = 4.0
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "prior.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_prior_may_be_read_from_a_file(tmp_path: Path) -> None:
    belief = UFODT(PROBLEM, prior=read_prior(write(tmp_path, GOOD))).belief
    np.testing.assert_allclose(belief.prior[:2], [[14.0, 10.0], [6.0, 40.0]])
    np.testing.assert_allclose(belief.prior[2:], [[2.0, 14.0], [1.0, 4.0], [1.0, 2.0]])
    np.testing.assert_allclose(belief.label_prior, [18.0, 2.0])


def test_a_byte_order_mark_before_a_prior_is_no_entry(tmp_path: Path) -> None:
    path = tmp_path / "prior.toml"
    path.write_text(GOOD, encoding="utf-8-sig")
    assert read_prior(path) == read_prior(write(tmp_path, GOOD))


def test_a_prior_in_another_coding_is_told_to_be_saved_as_utf_8(tmp_path: Path) -> None:
    path = tmp_path / "prior.toml"
    path.write_bytes("[features.größe.ill]".encode("cp1252"))
    with pytest.raises(InvalidProblem, match="prior.toml is not written in UTF-8; save it so"):
        read_prior(path)


def test_an_empty_file_is_the_uniform_prior(tmp_path: Path) -> None:
    np.testing.assert_array_equal(
        UFODT(PROBLEM, prior=read_prior(write(tmp_path, ""))).belief.prior, UFODT(PROBLEM).belief.prior
    )


def test_a_file_writes_labels_that_are_numbers_as_text(tmp_path: Path) -> None:
    problem = Problem([Binary("a")], labels=[0, 1])
    text = "[labels]\n0 = 0.25\n1 = 0.75\n[features.a.1]\nprobability = 0.9\n"
    belief = UFODT(problem, prior=read_prior(write(tmp_path, text))).belief
    np.testing.assert_allclose(belief.prior, [[1.0, 2.0], [1.0, 18.0]])
    np.testing.assert_allclose(belief.label_prior, [5.0, 15.0])


@pytest.mark.parametrize(
    ("text", "error", "says"),
    [
        ("count = ", InvalidProblem, "prior.toml cannot be read"),
        ("colour = 'red'", InvalidProblem, "colour"),
        ("features = 5", InvalidProblem, "features = 5"),
        ("[features]\nfever = 0.5", InvalidProblem, "features.fever"),
        ("[features.fever]\nill = 0.5", InvalidProblem, "features.fever"),
        ("[features.fever.ill]\nstrength = 5", InvalidProblem, "features.fever"),
        ("[features.fever.ill]\nprobability = 0.5\ncolour = 1", InvalidProblem, "features.fever"),
        ("[features.fewer.ill]\nprobability = 0.5", UnknownFeature, "'fewer'"),
        ("[features.fever.sick]\nprobability = 0.5", UnknownLabel, "'sick'"),
        ("[features.fever.ill]\nprobability = 'half'", InvalidProblem, "fever"),
        ("[features.fever.ill]\nprobability = true", InvalidProblem, "fever"),
        ("[features.fever.ill]\nprobability = nan", InvalidProblem, "nan"),
        ("[features.fever.ill]\nprobability = 0.5\nstrength = 'x'", InvalidProblem, "'x'"),
        ("[features.rhythm.ill]\nprobability = ['a', 'b', 'c']", InvalidProblem, "rhythm"),
        ("[features.rhythm.ill]\nprobability = {sinus = 1.0}", InvalidProblem, "sinus"),
        ("count = 'many'", InvalidProblem, "'many'"),
        ("count = -1", InvalidProblem, "-1"),
        ("labels = 5", InvalidProblem, "5"),
        ("[labels]\nill = 1.0", InvalidProblem, "ill"),
        ("[labels]\nill = 0.5\nhealthy = 'x'", InvalidProblem, "'x'"),
    ],
)
def test_a_file_that_is_no_prior_is_refused_by_what_it_says(
    tmp_path: Path, text: str, error: type[UfodtError], says: str
) -> None:
    with pytest.raises(error) as caught:
        UFODT(PROBLEM, prior=read_prior(write(tmp_path, text)))
    assert says in str(caught.value)


def test_a_file_that_is_not_there_or_not_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidProblem, match="nowhere"):
        read_prior(tmp_path / "nowhere")
    (tmp_path / "bytes").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InvalidProblem, match="bytes"):
        read_prior(tmp_path / "bytes")


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_the_counts_of_a_uniform_and_an_informed_prior_are_mixed(tmp_path: Path, share: float) -> None:
    informed = read_prior(write(tmp_path, GOOD))
    priors = (interpolate(informed, share), Prior(count=0.5), informed)
    between, uniform, said = (UFODT(PROBLEM, prior=prior).belief for prior in priors)
    np.testing.assert_allclose(between.prior, (1 - share) * uniform.prior + share * said.prior)
    np.testing.assert_allclose(between.label_prior, (1 - share) * uniform.label_prior + share * said.label_prior)
    assert interpolate(informed, 0) == Prior(count=informed.count, label_strength=informed.label_strength)


@pytest.mark.parametrize("share", [-0.1, 1.1, math.nan, "half", None])
def test_a_share_is_a_number_from_0_to_1(share: Any) -> None:
    with pytest.raises(InvalidProblem, match="share"):
        interpolate(Prior(), share)


def test_an_expert_on_a_number_speaks_of_its_bins() -> None:
    fixed = Problem([Continuous("level", cuts=[1.0, 2.0])], labels=["low", "high"])
    said = Prior(experts=[Expert("level", "high", [0.1, 0.3, 0.6], 10)])
    np.testing.assert_allclose(UFODT(fixed, prior=said).belief.prior[:, 1], [1.0, 3.0, 6.0])
    with pytest.raises(InvalidProblem, match="level.*exp3"):
        UFODT(fixed, prior=said, thresholds=thresholds.exp3())
    with pytest.raises(InvalidProblem, match="level.*cuts"):
        UFODT(Problem([Continuous("level")], labels=["low", "high"]), prior=said)
    with pytest.raises(InvalidProblem, match="level.*each bin"):
        UFODT(fixed, prior=Prior(experts=[Expert("level", "high", 0.5, 10)]))


@pytest.mark.parametrize(
    "fields", [{"experts": 5}, {"experts": ["fever"]}, {"labels": ["ill"]}, {"learns_labels": "no"}], ids=repr
)
def test_a_prior_is_made_of_what_it_should_be(fields: dict[str, Any]) -> None:
    with pytest.raises(InvalidProblem):
        Prior(**fields)


def test_a_file_writes_truth_values_and_numbers_as_people_do(tmp_path: Path) -> None:
    text = "[labels]\ntrue = 0.7\nfalse = 0.3\n[features.dose.true]\nprobability = {1 = 0.25, 2 = 0.75}\n"
    problem = Problem([Categorical("dose", [1.0, 2.0])], labels=[False, True])
    theta, label = UFODT(problem, prior=read_prior(write(tmp_path, text))).belief.mean()
    np.testing.assert_allclose(label, [0.3, 0.7])
    np.testing.assert_allclose(theta[:, 1], [0.25, 0.75])


@pytest.mark.parametrize(
    "prior",
    [
        Prior(count=1.7e308),
        Prior(count=5e-324),
        Prior(label_strength=math.nan),
        Prior(label_strength=math.inf),
        Prior(experts=(Expert("a", "x", probability=0.5, strength=5e-324),)),
    ],
)
def test_strengths_beyond_all_bounds_are_refused(prior: Prior) -> None:
    with pytest.raises(InvalidProblem, match="cases above 0"):
        UFODT(Problem([Binary("a")], labels=["x", "y"]), prior=prior)


def test_what_is_no_probability_is_refused_also_halfway() -> None:
    problem = Problem([Binary("a")], labels=[0, 1])
    for probability in ("much", ("much", "little"), {0: None, 1: 1.0}):
        halfway = interpolate(Prior(experts=[Expert("a", 1, probability, strength=5)]), 0.5)  # type: ignore[arg-type]
        with pytest.raises(InvalidProblem):
            UFODT(problem, prior=halfway)


def test_a_prior_follows_how_often_values_come_unless_an_expert_speaks_of_them() -> None:
    """All who are healthy have a sinus rhythm: then it is also likely of the ill, of whom none has come."""
    said = Prior(experts=[Expert("fever", "ill", 0.9, strength=10)])
    learners = {
        name: UFODT(PROBLEM, prior=prior)
        for name, prior in (("ours", Prior()), ("expert", said), ("flat", Prior(learns_values=False)))
    }
    learners["paper"] = UFODT.paper(PROBLEM, n_hypotheses=10)
    for learner in learners.values():
        for _ in range(60):
            learner.learn({"values": {"fever": 0, "rhythm": "sinus"}}, "healthy")
    found = {name: learner.belief.mean()[0][:, 1] for name, learner in learners.items()}
    assert found["ours"][0] > 0.9 and found["ours"][2] > 0.8
    np.testing.assert_allclose(found["expert"][:2], [0.1, 0.9])
    np.testing.assert_array_equal(found["expert"][2:], found["ours"][2:])
    for name in ("flat", "paper"):
        np.testing.assert_allclose(found[name], [1 / 2] * 2 + [1 / 3] * 3)


def test_an_injected_prior_with_experts_is_not_bent_either() -> None:
    said = Prior(experts=[Expert("fever", "ill", 0.9, strength=10)])
    learner = UFODT(PROBLEM, drift=drift.discount(0.9, prior=said), seed=1)
    for _ in range(60):
        learner.learn({"values": {"fever": 0}}, "healthy")
    assert learner.belief.mean()[0][1, 1] == pytest.approx(0.9)


def test_a_model_from_before_keeps_its_flat_prior() -> None:
    learner = UFODT(PROBLEM, prior=Prior(learns_values=False), seed=1)
    learner.learn({"values": {"fever": 0}}, "healthy")
    described, arrays = learner.__getstate__()
    del described["prior"]["learns_values"]
    old = UFODT.__new__(UFODT)
    old.__setstate__((described, arrays))
    assert not old.prior.learns_values
    np.testing.assert_array_equal(old.belief.mean()[0], learner.belief.mean()[0])
    with pytest.raises(InvalidProblem, match="learns_values='often' came; expected True or False"):
        Prior(learns_values="often")  # type: ignore[arg-type]


def test_an_expert_may_say_yes_and_no(tmp_path: Path) -> None:
    problem = Problem([Binary("fever")], labels=["ill", "well"])
    text = "[features.fever.ill]\nprobability = { YES = 0.9, no = 0.1 }\nstrength = 10\n"
    belief = UFODT(problem, prior=read_prior(write(tmp_path, text))).belief
    np.testing.assert_allclose(belief.prior[:, 0], [1, 9])
