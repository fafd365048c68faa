"""Every experiment runs, at toy size."""

import importlib.util
from pathlib import Path

import pytest

EXPERIMENTS = sorted((Path(__file__).parents[1] / "experiments").glob("*.py"))


@pytest.mark.parametrize("file", EXPERIMENTS, ids=lambda file: file.stem)
def test_an_experiment_runs_at_toy_size(
    file: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(file.parent)  # as it is where a script is run; one may build on another
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None and spec.loader is not None
    experiment = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(experiment)
    experiment.main(1)
    lines = capsys.readouterr().out.splitlines()
    assert all(any(variant in line and "nan" not in line for line in lines) for variant in experiment.VARIANTS)
