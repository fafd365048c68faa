"""The printed algorithm against the authors' published runs: within 10 % of the questions and 0.03 of the utility."""

from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import f1_score

from ufodt.lab import fidelity, scores


@pytest.mark.parametrize("criterion", ["ec2", "ig"])
@pytest.mark.parametrize("name", fidelity.REPETITIONS)
def test_the_paper_preset_measures_what_was_published(name: str, criterion: str, paper_folder: Path) -> None:
    found = fidelity.compare(name, criterion)
    assert found.questions == pytest.approx(found.published_questions, rel=fidelity.QUESTIONS_BAR)
    assert found.utility == pytest.approx(found.published_utility, abs=fidelity.UTILITY_BAR)


def test_utilities_agree_with_scikit_learn() -> None:
    rng = np.random.default_rng(5)
    for _ in range(20):
        truth, predicted = rng.integers(0, 2, 30), rng.integers(0, 2, 30)
        assert scores.binary_f1(truth, predicted) == pytest.approx(f1_score(truth, predicted, zero_division=0))
        truth, predicted = rng.integers(0, 4, 30), rng.integers(0, 4, 30)
        weighted = f1_score(truth, predicted, average="weighted", zero_division=0)
        assert scores.weighted_f1(truth, predicted) == pytest.approx(weighted)
