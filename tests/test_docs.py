"""Documentation that runs: the Python of the README is executed from top to bottom, errors are drawn as they are."""

import re
from pathlib import Path

import pytest

from ufodt import errors

README = Path(__file__).parents[1] / "README.md"
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


def test_the_python_of_the_readme_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = README.read_text(encoding="utf-8")
    blocks = list(BLOCK.finditer(text))
    assert blocks, "the README shows no ```python block"
    monkeypatch.chdir(tmp_path)  # what the examples write does not stay
    namespace: dict[str, object] = {"__name__": "readme"}
    for block in blocks:
        before = "\n" * text[: block.start(1)].count("\n")  # so that a traceback names the line of the README
        exec(compile(before + block[1], str(README), "exec"), namespace)


def test_the_error_tree_is_drawn_as_it_is() -> None:
    drawn = set(re.findall(r"^[│ ]*[├└]── (\w+)", errors.__doc__ or "", re.MULTILINE)) | {"UfodtError"}
    defined = {name for name, value in vars(errors).items() if isinstance(value, type)}
    assert drawn == defined
    assert all(issubclass(getattr(errors, name), errors.UfodtError) for name in defined)
