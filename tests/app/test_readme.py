"""What the README says of its own example is so. That it runs at all is checked by `test_docs.py`."""

import re
from pathlib import Path
from typing import Any

import pytest

import ufodt

README = Path(__file__).parents[2] / "README.md"


@pytest.fixture(scope="module")
def example() -> dict[str, Any]:
    """The names that the example leaves behind."""
    code = re.search(r"^```python\n(.*?)^```", README.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert code is not None
    names: dict[str, Any] = {}
    exec(code[1], names)
    return names


def first_questions(example: dict[str, Any], criterion: str) -> list[str]:
    """What a learner that knows 500 old cases of the example asks first, in cases with a high temperature."""
    chance, rows, labels = example["random"].Random(3), [], []
    for _ in range(500):
        ill = chance.random() < 0.3
        temperature, antibodies = chance.gauss(38.2 if ill else 37.0, 0.7), ill ^ (chance.random() < 0.05)
        rows.append([temperature, chance.choice(["sinus", "flutter", "other"]), int(antibodies)])
        labels.append("ill" if ill else "healthy")
    learner = ufodt.UFODT(example["problem"], criterion=criterion, seed=1)
    learner.learn_many(rows, labels)
    questions = [learner.open(known={"temperature": 38.0}).ask() for _ in range(50)]
    return [question.feature for question in questions if question is not None]


def test_by_now_it_looks_for_antibodies_when_in_doubt_and_hardly_ever_at_the_rhythm(example: dict[str, Any]) -> None:
    asked = []
    for temperature in [37.2, 37.6, 38.0] * 20:
        question = example["learner"].open(known={"temperature": temperature}).ask()
        asked.append(None if question is None else question.feature)
    assert asked.count("antibodies") > 40
    assert asked.count("rhythm") < 6


def test_information_gain_is_the_default(example: dict[str, Any]) -> None:
    assert example["learner"].policy.criterion == ufodt.Criterion.IG


def test_ec2_pays_for_the_rhythm_where_information_gain_does_not(example: dict[str, Any]) -> None:
    assert first_questions(example, "ec2").count("rhythm") > 25
    assert first_questions(example, "ig").count("rhythm") < 5
