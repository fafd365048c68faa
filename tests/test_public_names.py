"""The public names, changed only on purpose."""

import subprocess
import sys

import ufodt


def test_the_public_names_are_these() -> None:
    assert ufodt.__all__ == [
        "UFODT",
        "Binary",
        "Categorical",
        "Continuous",
        "Criterion",
        "Expert",
        "Policy",
        "Prior",
        "Problem",
        "Selection",
        "Session",
        "drift",
        "errors",
        "load",
        "stop",
        "thresholds",
    ]


def test_every_public_name_exists() -> None:
    assert all(hasattr(ufodt, name) for name in ufodt.__all__)


def in_a_fresh_interpreter(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_numpy_is_not_loaded_before_it_is_needed() -> None:
    code = "import sys, ufodt; before = 'numpy' in sys.modules; ufodt.UFODT; print(before, 'numpy' in sys.modules)"
    assert in_a_fresh_interpreter(code) == "False True"


def test_modules_are_attributes_too_without_an_import_of_their_own() -> None:
    code = "import ufodt; print(ufodt.frames.to_problem.__name__, ufodt.tree.Tree.__name__, ufodt.drift.auto.__name__)"
    assert in_a_fresh_interpreter(code) == "to_problem Tree auto"


def test_a_name_that_is_not_there_is_missing_as_in_any_module() -> None:
    assert not hasattr(ufodt, "nothing") and not hasattr(ufodt, "_nothing")
    assert set(ufodt.__all__) <= set(dir(ufodt))
