"""ufodt decides, case by case, what to ask next, when to stop and what to answer, and learns from every outcome."""

from ufodt import drift, errors, stop, thresholds
from ufodt.belief import Expert, Prior
from ufodt.learner import UFODT, load
from ufodt.policy import Criterion, Policy
from ufodt.problem import Binary, Categorical, Continuous, Problem
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
