"""The compiled core: the one implementation of planning, in C++20.

The same source is compiled once for any processor and, on x86-64, once more each for those with AVX2 and with
AVX-512; the fastest that this processor can run is loaded. All give the same bits.
`UFODT_CORE` may name a variant (`baseline`, `v3`, `v4`) or the path of a module built apart, such as one with
sanitizers.
"""

import importlib
import importlib.machinery
import importlib.util
import os
from types import ModuleType


def _load() -> ModuleType:
    wanted = os.environ.get("UFODT_CORE", "")
    if os.sep in wanted:
        name = os.path.basename(wanted).split(".")[0]
        loader = importlib.machinery.ExtensionFileLoader(name, wanted)
        spec = importlib.util.spec_from_file_location(name, wanted, loader=loader)
        assert spec is not None
        module = importlib.util.module_from_spec(spec)
        loader.exec_module(module)
        return module
    if wanted:
        return importlib.import_module(f"ufodt.core._core_{wanted}")
    baseline = importlib.import_module("ufodt.core._core_baseline")
    best = baseline.best_variant()
    return baseline if best == "baseline" else importlib.import_module(f"ufodt.core._core_{best}")


_module = _load()
variant = _module.__name__.rpartition("_core_")[2]

MAX_LABELS = _module.MAX_LABELS
MAX_OUTCOMES = _module.MAX_OUTCOMES
MAX_STATES = _module.MAX_STATES
SKETCH_CELLS = _module.SKETCH_CELLS
Belief = _module.Belief
Drift = _module.Drift
Optimal = _module.Optimal
Plan = _module.Plan
Policy = _module.Policy
Problem = _module.Problem
Selection = _module.Selection
Tree = _module.Tree
draw_gamma = _module.draw_gamma
draw_normal = _module.draw_normal
draw_words = _module.draw_words
learn = _module.learn
learn_trust = _module.learn_trust
relaxed_bound = _module.relaxed_bound
run = _module.run
score_masses = _module.score_masses
