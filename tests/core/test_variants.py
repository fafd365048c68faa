"""The core is compiled more than once and described by hand: all copies agree to the bit, the stub with the module."""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from ufodt import core

ROOT = Path(__file__).parents[2]
STUB = Path(core.__file__).with_suffix(".pyi")
RUN = """
import hashlib, math, sys
import numpy as np
from ufodt import core

assert core.variant == sys.argv[1], core.variant
rng, digest = np.random.default_rng(1), hashlib.sha256()
for i in range(56):
    binary = i % 4 == 3  # with two labels and many hypotheses: what is counted and drawn by blocks
    n_outcomes, m = ([2] * 9, 2) if binary else (rng.integers(2, 5, 9).tolist(), int(rng.integers(2, 14)))
    loss = rng.uniform(0, 3, (m, m)) * (1 - np.eye(m)) if i % 2 else 1 - np.eye(m)
    problem = core.Problem(n_outcomes, m, rng.uniform(1, 2, 9).tolist(), [1.0] * 9, [-1] * 9, loss)
    belief = core.Belief(problem, rng.gamma(1, 1, (sum(n_outcomes), m)) + 0.1, np.ones(m), True)
    policy = core.Policy(
        criterion="ec2" if binary else ["ec2", "ig", "us", "random", "rig", "gini", "eced"][i % 7],
        stop=[("any", 0, 2), ("region", 0, 0), ("cost_benefit", 40.0, 0)],
        budget=math.inf,
        n_hypotheses=int(rng.integers(500, 1400) if binary else rng.integers(1, 300)),
        distinct=i % 5 == 0 and not binary,
        redraw_below=0 if i % 5 == 0 else 20,
        predict_theta=i % 3 == 0,
        plan="draw",
    )
    table = np.stack([rng.integers(-1, k, 60) for k in n_outcomes], axis=1).astype(np.int16)
    labels = rng.integers(0, m, 60).astype(np.int32)
    arrays = [*core.run(problem, policy, belief, seed=i, number=0, outcomes=table, labels=labels)]
    arrays += core.Tree(problem, policy, belief, seed=i, number=0).evaluate(table)
    plan = core.Plan(problem, policy, belief, seed=i, number=77)
    arrays += [*plan.hypotheses(), np.array(plan.gains()), *plan.theta(), belief.draw(seed=i), belief.counts]
    for array in arrays:
        digest.update(np.ascontiguousarray(array).tobytes())
digest.update(core.draw_gamma(0.3, 5000, seed=1).tobytes() + core.draw_normal(5000, seed=2).tobytes())
print(digest.hexdigest())
"""


LEARN = """
import sys
from ufodt import core
from tests.cases import LEARNERS, digest, make, stream_of

assert core.variant == sys.argv[1], core.variant
for name in LEARNERS:
    learner = make(name)
    learner.run(*stream_of(name, 3, 150, missing=0.1))
    learner.learn_many(*stream_of(name, 4, 50))
    print(name, digest(learner))
"""


def said(program: str, variant: str) -> str:
    environment = {**os.environ, "UFODT_CORE": variant}
    done = subprocess.run(
        [sys.executable, "-c", program, variant], env=environment, cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.skipif(os.sep in os.environ.get("UFODT_CORE", ""), reason="a module built apart has no variants")
@pytest.mark.parametrize("program", [RUN, LEARN], ids=["run", "learn"])
@pytest.mark.parametrize("variant", ["v3", "v4"])
def test_all_compiled_variants_give_the_same_bits(variant: str, program: str) -> None:
    from ufodt.core import _core_baseline

    if _core_baseline.best_variant() < variant:  # "baseline" < "v3" < "v4"
        pytest.skip(f"this processor cannot run {variant}")
    assert said(program, "baseline") == said(program, variant)


def declared() -> dict[str, set[str] | None]:
    """Public names of the stub; for a class, those of its members."""
    names: dict[str, set[str] | None] = {}
    for node in ast.parse(STUB.read_text()).body:
        if isinstance(node, ast.ClassDef):
            names[node.name] = {n.name for n in node.body if isinstance(n, ast.FunctionDef)} - {"__init__"}
        elif isinstance(node, ast.FunctionDef):
            names[node.name] = None
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names[node.target.id] = None
    return names


def test_the_stub_names_exactly_what_the_core_exports() -> None:
    own = {name for name, value in vars(core).items() if getattr(value, "__module__", "") == core._module.__name__}
    constants = {name for name, value in vars(core).items() if isinstance(value, int | str) and name[0] != "_"}
    assert set(declared()) == own | constants


def test_the_core_passes_on_all_that_the_module_offers() -> None:
    compiled = {name for name in vars(core._module) if name[0] != "_"}
    assert set(declared()) - {"variant"} == compiled - {"best_variant"}


@pytest.mark.parametrize("name", [name for name, members in declared().items() if members is not None])
def test_the_stub_names_exactly_the_members_of_a_class(name: str) -> None:
    assert declared()[name] == {member for member in vars(getattr(core, name)) if member[0] != "_"}


def parameters(name: str) -> dict[str, list[str]]:
    """Of every function of a class of the stub, the names of its parameters."""
    body = next(n for n in ast.parse(STUB.read_text()).body if isinstance(n, ast.ClassDef) and n.name == name).body
    functions = [n for n in body if isinstance(n, ast.FunctionDef) and not n.decorator_list]
    return {f.name: [arg.arg for arg in (*f.args.args, *f.args.kwonlyargs) if arg.arg != "self"] for f in functions}


@pytest.mark.parametrize("name", [name for name, members in declared().items() if members is not None])
def test_the_stub_names_the_parameters_that_the_core_takes(name: str) -> None:
    for function, names in parameters(name).items():
        signature = getattr(getattr(core, name), function).__doc__.splitlines()[0]
        for parameter in names:
            assert re.search(rf"\b{parameter}: ", signature), f"{name}.{function}: {signature}"
