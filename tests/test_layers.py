"""Imports go one way: a module imports only from modules that stand before it in `ORDER`."""

import ast
from importlib.util import resolve_name
from pathlib import Path

import pytest

SRC = Path(__file__).parents[1] / "src"
ORDER = (
    "errors amount stop thresholds selection model_file features words encode problem core compiled".split()
    + "prior belief drift policy certificate evidence session manifest state frames stream tree".split()
    + "memory learner growing".split()
    + [""]  # ufodt itself, which exports the names above
    + "lazy_row river sklearn".split()
    + "lab.datasets lab.scores lab.all_features lab.till lab.subsets lab.baselines lab.published lab.verdict".split()
    + "lab.whole lab.remember lab.trees lab.fidelity lab.printed lab.speed lab.continuous lab.moving".split()
    + "lab.optimal lab.hindsight lab.priced lab.wide lab.worlds lab.nine lab.frontier".split()
    + "lab.expert lab.contestants lab.methods lab.regret lab.material lab.evaluate lab.records".split()
    + "lab.declared lab.experiment lab.campaign lab.claims lab.tables lab.styles lab.plots lab.report".split()
    + "lab.tradeoff lab".split()
    + "app.demo app.bench app.reproduce app.compare".split()
    + "app.target app.reading app.run app.explain app.ask app.lines app.model app.commands app.cli app".split()
)
FILES = sorted(SRC.rglob("*.py"))


def name(file: Path) -> str:
    """`lab.plots` for src/ufodt/lab/plots.py, `lab` for its folder, the empty name for ufodt."""
    return ".".join(file.relative_to(SRC / "ufodt").with_suffix("").parts).removesuffix("__init__").strip(".")


def imported(file: Path) -> set[str]:
    """Full names of what `file` imports, at any depth of the file."""
    package = ".".join(file.relative_to(SRC).parent.parts)
    found = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            module = resolve_name("." * node.level + (node.module or ""), package)
            found |= {f"{module}.{alias.name}" for alias in node.names}
    return found


def place(module: str) -> int:
    """Where the longest listed start of `module` stands: what a file or folder holds counts as the whole."""
    _, *parts = module.split(".")
    starts = (".".join(parts[:n]) for n in range(len(parts), -1, -1))
    return next(ORDER.index(start) for start in starts if start in ORDER)


@pytest.mark.parametrize("file", FILES, ids=name)
def test_a_module_imports_only_from_above(file: Path) -> None:
    here = place(f"ufodt.{name(file)}")
    assert ORDER[here] not in {"", "lab", "app"} - {name(file)}, "not in ORDER: say between which it stands"
    below = {m for m in imported(file) if m.split(".")[0] == "ufodt" and place(m) > here}
    assert not below, f"{name(file)} stands above what it imports"
