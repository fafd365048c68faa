"""A learner at one moment: before its first case, after many, and on its way into a model file and back."""

import os
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ufodt import belief as beliefs
from ufodt import core, manifest, model_file, policy
from ufodt.amount import whole
from ufodt.compiled import compile_problem
from ufodt.errors import InvalidModelFile, InvalidPolicy, UfodtError
from ufodt.features import Continuous
from ufodt.manifest import Settings
from ufodt.problem import Problem
from ufodt.thresholds import Thresholds

_Arrays = Mapping[str, NDArray[np.float64]]
_UNFIT = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError, UfodtError)
_Sizes = list[list[int]]  # of each feature: cut points, cells of its sketch, values seen


class State(NamedTuple):
    """How a learner is set, and what the core holds of it."""

    settings: Settings
    seed: int
    n_opened: int
    compiled: core.Problem
    policy: core.Policy
    belief: core.Belief
    drift: core.Drift
    selection: core.Selection

    def beliefs(self) -> dict[str, core.Belief]:
        """Return what is believed, and what is kept in reserve while an alarm is on trial."""
        reserve = self.drift.reserve
        return {"belief": self.belief} if reserve is None else {"belief": self.belief, "reserve": reserve}


def begin(settings: Settings, seed: Any) -> State:
    """Return a learner before its first case."""
    checked = _checked_seed(seed)
    compiled = compile_problem(settings.problem, settings.thresholds)
    return State(
        settings,
        seed=checked,
        n_opened=0,
        compiled=compiled,
        policy=policy.to_core(settings.policy, settings.problem),
        belief=fresh_belief(settings, compiled),
        drift=settings.drift.to_core(),
        selection=core.Selection(compiled, **asdict(settings.selection)),
    )


def fresh_belief(settings: Settings, compiled: core.Problem) -> core.Belief:
    """Return the belief before the first case."""
    return beliefs.from_prior(
        settings.prior, settings.problem, compiled, settings.thresholds, injected=settings.drift.prior
    )


def read(path: str | os.PathLike[str]) -> State:
    """Return the learner in a model file."""
    with model_file.Reader(path) as file:
        described = file.manifest()
        try:
            fresh, sketches = _described(described)
            shapes = {"weights": fresh.selection.weights.shape}
            for name, sizes in sketches.items():
                shapes |= {f"{name}_{key}": shape for key, shape in beliefs.shapes(fresh.belief, sizes).items()}
        except _UNFIT as error:
            raise InvalidModelFile(f"{path}: the manifest does not describe a learner ({error!r}).") from error
        arrays = file.arrays(shapes)
    try:
        return _filled(fresh, described, sketches, arrays)
    except (LookupError, ValueError, TypeError, ArithmeticError) as error:
        raise InvalidModelFile(f"{path}: {error}.") from error


def describe(state: State) -> tuple[dict[str, Any], dict[str, NDArray[np.float64]]]:
    """Return everything about a learner: what JSON can hold, and arrays; `restore` makes a learner of them again."""
    description = {
        **manifest.describe(state.settings),
        "drift_state": state.drift.state(),
        "seed": state.seed,
        "n_opened": state.n_opened,
        "sketches": {name: beliefs.sketch_sizes(belief) for name, belief in state.beliefs().items()},
    }
    arrays = {"weights": state.selection.weights}
    for name, belief in state.beliefs().items():
        arrays |= {f"{name}_{key}": array for key, array in beliefs.to_arrays(belief).items()}
    return description, arrays


def restore(described: Mapping[str, Any], arrays: _Arrays) -> State:
    """Return the learner that `describe` described."""
    fresh, sketches = _described(described)
    return _filled(fresh, described, sketches, arrays)


def _described(described: Mapping[str, Any]) -> tuple[State, dict[str, _Sizes]]:
    """The learner that is described, before its first case, and the sizes of the sketches of each of its beliefs."""
    settings = manifest.read(described)
    _check_size(settings.problem, settings.thresholds)
    fresh = begin(settings, described["seed"])._replace(n_opened=_checked_seed(described["n_opened"]))
    return fresh, {name: _checked_sizes(sizes, settings.problem) for name, sizes in described["sketches"].items()}


def _filled(fresh: State, described: Mapping[str, Any], sketches: Mapping[str, _Sizes], arrays: _Arrays) -> State:
    """A learner with everything that was learned."""
    restored = {
        name: beliefs.from_arrays(
            fresh.belief.copy(), sizes, {key: arrays[f"{name}_{key}"] for key in beliefs.shapes(fresh.belief, sizes)}
        )
        for name, sizes in sketches.items()
    }
    fresh.selection.set_weights(arrays["weights"])
    fresh.drift.restore(restored["belief"], described["drift_state"], restored.get("reserve"))
    return fresh._replace(belief=restored["belief"])


def _check_size(problem: Problem, cutting: Thresholds) -> None:
    """Refuse a description of a few bytes that would take all memory, before anything is made of it."""
    most = [max(len(f.cuts), cutting.n) + 1 if isinstance(f, Continuous) else len(f.values) for f in problem.features]
    if 8 * sum(most) * problem.n_labels > model_file.MAX_ARRAY_BYTES:
        raise ValueError("no model is that big")


def _checked_sizes(sizes: Any, problem: Problem) -> _Sizes:
    fine = all(len(size) == 3 and all(type(n) is int and 0 <= n < 2**62 for n in size) for size in sizes)
    if not fine or len(sizes) != problem.n_features:
        raise ValueError("three whole numbers per feature are expected of the sketches")
    return [list(size) for size in sizes]


def _checked_seed(seed: Any) -> int:
    number = whole(seed, 0, 2**63 - 1)
    if number is None:
        raise InvalidPolicy(f"A seed of {seed!r} came; expected a whole number from 0 to 2**63 - 1.")
    return number
