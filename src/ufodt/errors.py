"""What can go wrong, one class for each thing the caller can do about it.

UfodtError
├── InvalidProblem     the definition of features, prices, labels or loss: correct it
├── InvalidPolicy      criterion, stop rule or another setting: choose one that exists
├── InvalidValue       a value, label or table that does not fit the problem: send one that does
│   ├── UnknownFeature     the problem has no feature of that name
│   └── UnknownLabel       the problem has no such label
├── TooLarge           no exact answer for a problem of this size: make it smaller, or take the bound
├── AlreadyTold        the feature is settled in this session: undo, or open a new session
├── InvalidModelFile   the file is no model of ours, or is damaged: use another one
├── NotSaved           the model could not be written: free the disk, or name another file
└── MissingPackage     an optional package is not installed: install it as the message says

Every error leaves the object it came from as it was.
"""


class UfodtError(Exception):
    """Base of all errors that ufodt raises on purpose."""


class InvalidProblem(UfodtError, ValueError):
    """Features, prices, labels or loss do not make a problem."""


class InvalidPolicy(UfodtError, ValueError):
    """A setting of the planner does not exist or is out of range."""


class InvalidValue(UfodtError, ValueError):
    """A value, label or table does not fit the problem."""


class UnknownFeature(InvalidValue):
    """The problem has no feature of that name."""


class UnknownLabel(InvalidValue):
    """The problem has no such label."""


class TooLarge(UfodtError, ValueError):
    """The problem is too large for an exact answer."""


class AlreadyTold(UfodtError, RuntimeError):
    """A feature is paid for once in a session."""


class InvalidModelFile(UfodtError, ValueError):
    """The file is not a model of ours, or is damaged."""


class NotSaved(UfodtError, OSError):
    """A model could not be written; a file that was there is as it was."""


class MissingPackage(UfodtError, ImportError):
    """An optional package that is needed here is not installed."""
