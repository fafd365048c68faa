"""ufodt decides, case by case, what to ask next, when to stop and what to answer, and learns from every outcome."""

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ufodt import drift, errors, stop, thresholds
    from ufodt.features import Binary, Categorical, Continuous
    from ufodt.learner import UFODT, load
    from ufodt.policy import Criterion, Policy
    from ufodt.prior import Expert, Prior
    from ufodt.problem import Problem
    from ufodt.selection import Selection
    from ufodt.session import Session

__version__ = "0.1.0"

__all__ = [
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

# A name, or a module such as `ufodt.frames`, is fetched when it is first used: who only asks for help or the version
# need not wait for NumPy.
_HOMES = {
    "UFODT": "learner",
    "Binary": "features",
    "Categorical": "features",
    "Continuous": "features",
    "Criterion": "policy",
    "Expert": "prior",
    "Policy": "policy",
    "Prior": "prior",
    "Problem": "problem",
    "Selection": "selection",
    "Session": "session",
    "load": "learner",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        globals()[name] = value = getattr(import_module(f"ufodt.{_HOMES[name]}"), name)
        return value
    if name.startswith("_") or find_spec(f"ufodt.{name}") is None:
        raise AttributeError(f"module 'ufodt' has no attribute {name!r}")
    return import_module(f"ufodt.{name}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
