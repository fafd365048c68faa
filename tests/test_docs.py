"""Documentation that runs: the Python of each page is executed from top to bottom, errors are drawn as they are."""

import re
from pathlib import Path

import pytest

from ufodt import errors

ROOT = Path(__file__).parents[1]
PAGES = ("README.md", "docs/adapters.md")
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", PAGES)
def test_the_python_of_a_page_runs(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    blocks = list(BLOCK.finditer(text))
    assert blocks, f"{page} shows no ```python block"
    monkeypatch.chdir(tmp_path)  # what the examples write does not stay
    namespace: dict[str, object] = {"__name__": "page"}
    for block in blocks:
        before = "\n" * text[: block.start(1)].count("\n")  # so that a traceback names the line of the page
        exec(compile(before + block[1], page, "exec"), namespace)


def test_the_error_tree_is_drawn_as_it_is() -> None:
    drawn = set(re.findall(r"^[│ ]*[├└]── (\w+)", errors.__doc__ or "", re.MULTILINE)) | {"UfodtError"}
    defined = {name for name, value in vars(errors).items() if isinstance(value, type)}
    assert drawn == defined
    assert all(issubclass(getattr(errors, name), errors.UfodtError) for name in defined)
