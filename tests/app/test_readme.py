"""What the README says of its own example is so. That it runs at all is checked by `test_docs.py`."""

import re
from pathlib import Path
from typing import Any

import pytest

import ufodt
from ufodt.app import demo
from ufodt.lab import datasets

README = Path(__file__).parents[2] / "README.md"


@pytest.fixture(scope="module")
def example() -> dict[str, Any]:
    """The names that the example leaves behind."""
    code = re.search(r"^```python\n(.*?)^```", README.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert code is not None
    names: dict[str, Any] = {}
    exec(code[1], names)
    return names


def test_by_now_it_looks_for_antibodies_when_in_doubt_and_hardly_ever_at_the_rhythm(example: dict[str, Any]) -> None:
    asked = []
    for temperature in [37.2, 37.6, 38.0] * 20:
        question = example["learner"].open(known={"temperature": temperature}).ask()
        asked.append(None if question is None else question.feature)
    assert asked.count("antibodies") > 40
    assert asked.count("rhythm") < 6


def test_information_gain_is_the_default(example: dict[str, Any]) -> None:
    assert example["learner"].policy.criterion == ufodt.Criterion.IG


def test_the_demonstration_ends_as_it_is_shown() -> None:
    n_cases, seed = 10_000, 0  # as `ufodt demo` has them
    data = datasets.led(n_cases + demo.N_HOLDOUT, seed=seed)
    learner = ufodt.UFODT(datasets.to_problem(data), criterion="ec2", seed=seed)
    record = learner.run(data.X[:n_cases], data.y[:n_cases])
    online = (record.predicted == data.y[:n_cases]).mean()
    held_out = learner.evaluate(data.X[n_cases:], data.y[n_cases:]).accuracy
    row = next(line for line in README.read_text(encoding="utf-8").splitlines() if "ufodt (EC2)" in line)
    assert row.split()[2:5] == [f"{online:.3f}", f"{held_out:.3f}", f"{record.n_asked.mean():.2f}"]
