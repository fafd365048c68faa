"""The printed algorithm against the authors' published runs: within 10 % of the questions and 0.03 of the utility."""

from pathlib import Path

import pytest

from ufodt.lab import fidelity


@pytest.mark.parametrize("criterion", ["ec2", "ig"])
@pytest.mark.parametrize("name", fidelity.REPETITIONS)
def test_the_paper_preset_measures_what_was_published(name: str, criterion: str, paper_folder: Path) -> None:
    found = fidelity.compare(name, criterion)
    assert found.questions == pytest.approx(found.published_questions, rel=fidelity.QUESTIONS_BAR)
    assert found.utility == pytest.approx(found.published_utility, abs=fidelity.UTILITY_BAR)
