"""What the file of an experiment may say: every entry is checked before anything is run.

>>> check({"title": "Mine", "kind": "curves"}, "mine.toml")
Traceback (most recent call last):
...
ufodt.errors.InvalidPolicy: mine.toml: 'about' is missing; write about = a text in quotes.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ufodt.amount import whole
from ufodt.errors import InvalidPolicy

_SUMMARIES = ("questions", "total_questions", "online", "paid", "all", "paid_mean", "all_mean")
MEASURES = {  # what can be drawn, by the kind of figure
    "curves": ("questions", "online", "paid", "all"),
    "sweep": _SUMMARIES,
    "totals": _SUMMARIES,
    "table": _SUMMARIES,
    "regret": ("utility", "cost"),
}
KINDS = tuple(MEASURES)
TESTS = (
    *("no_worse", "no_worse_each", "better", "better_each", "cheaper", "cheaper_each"),
    *("faster", "saturates", "rises", "bends"),
)
_PAIRED = ("no_worse_each", "better_each", "cheaper_each", "faster")  # each of ours against the same place of theirs
_SWEPT = ("saturates", "rises")  # ours against themselves, over a sweep
_ALONE = (*_SWEPT, "bends")


class _Form(NamedTuple):
    """What an entry must be, and how that is said."""

    fits: Callable[[Any], bool]
    words: str


_TEXT = _Form(lambda given: isinstance(given, str), "a text in quotes")
_NAMES = _Form(
    lambda given: isinstance(given, list) and all(isinstance(name, str) for name in given), "a list of texts in quotes"
)
_SEEDS = _Form(lambda given: whole(given, 1) is not None, "a whole number of at least 1")
_WHOLE = _Form(lambda given: whole(given, -math.inf) is not None, "a whole number")
_NUMBER = _Form(
    lambda given: isinstance(given, int | float) and not isinstance(given, bool) and math.isfinite(given), "a number"
)
_TABLE = _Form(lambda given: isinstance(given, dict), "a table")
_EXTRA = _Form(
    lambda given: isinstance(given, dict) and all(map(_NAMES.fits, given.values())), "methods for single data sets"
)
_CLAIMS = _Form(lambda given: isinstance(given, list) and all(map(_TABLE.fits, given)), "sections [[claims]]")
_DECLARATION = {
    **{"title": _TEXT, "about": _TEXT, "kind": _TEXT, "datasets": _NAMES, "methods": _NAMES, "name": _TEXT},
    **{"measures": _NAMES, "draw": _NAMES, "n_seeds": _SEEDS, "n_seeds_large": _SEEDS, "settings": _TABLE},
    **{"extra": _EXTRA, "sweep": _TABLE, "claims": _CLAIMS, "departures": _NAMES, "order": _WHOLE},
}
_CLAIM = {
    **{"says": _TEXT, "where": _TEXT, "test": _TEXT, "ours": _NAMES, "others": _NAMES, "datasets": _NAMES},
    **{"measure": _TEXT, "margin": _NUMBER, "at": _NUMBER, "note": _TEXT},
}


def check(said: Mapping[str, Any], where: str) -> None:
    """Refuse in words what does not fit; the names of methods are checked by whoever knows them."""
    _check_entries(said, _DECLARATION, ("title", "about", "kind", "datasets", "methods"), where)
    kind = said["kind"]
    _check_named("kind", kind, KINDS, where)
    for measure in said.get("measures", ()):
        _check_named(f"measures of {kind}", measure, MEASURES[kind], where)
    for entry in ("datasets", "methods", *(() if kind == "table" else ("measures",))):
        if not said.get(entry):
            raise InvalidPolicy(f"{where}: {entry} is empty; name at least one.")
    _check_sweep(said, where)
    for i, claim in enumerate(said.get("claims", ())):
        _check_claim(claim, said, f"{where}, claim {i + 1}")


def _check_sweep(said: Mapping[str, Any], where: str) -> None:
    sweep = said.get("sweep", {})
    if (said["kind"] == "sweep") != bool(sweep) or (sweep and set(sweep) != {"setting", "values"}):
        raise InvalidPolicy(f"{where}: a sweep, and only a sweep, has [sweep] with setting and values.")
    if not sweep:
        return
    values = sweep["values"]
    each = [values.get(name, []) for name in said["datasets"]] if isinstance(values, dict) else [values]
    if not isinstance(sweep["setting"], str) or not all(isinstance(one, list) and one for one in each):
        raise InvalidPolicy(
            f"{where}, [sweep]: {sweep!r} came; expected setting = a text in quotes, and values = a list, "
            "or one list for each data set."
        )
    if not all(_NUMBER.fits(value) for one in each for value in one):
        raise InvalidPolicy(f"{where}, [sweep]: values = {values!r} came; expected numbers.")


def _check_claim(claim: Mapping[str, Any], said: Mapping[str, Any], where: str) -> None:
    _check_entries(claim, _CLAIM, ("says", "where", "test"), where)
    test, ours, others = claim["test"], claim.get("ours", ()), claim.get("others", ())
    _check_named("test", test, TESTS, where)
    known = MEASURES["regret"] if said["kind"] == "regret" else ("test", "mean", *_SUMMARIES)
    if "measure" in claim or test == "bends":
        _check_named("measure", claim.get("measure", "test"), known, where)
    for dataset in claim.get("datasets", ()):
        _check_named("datasets", dataset, said["datasets"], where)
    if not ours or not (others or test in _ALONE):
        raise InvalidPolicy(f"{where}: {test} compares ours{'' if test in _ALONE else ' with others'}; name methods.")
    if test in _PAIRED and len(ours) != len(others):
        raise InvalidPolicy(f"{where}: {test} goes pair by pair; {len(ours)} ours came and {len(others)} others.")
    if test in _SWEPT and said["kind"] != "sweep":
        raise InvalidPolicy(f"{where}: {test} is about a sweep; write kind = 'sweep' and [sweep], or another test.")
    if (test == "bends") != (said["kind"] == "regret"):
        raise InvalidPolicy(f"{where}: test = 'bends', and no other, is for kind = 'regret'; {test!r} came.")


def _check_entries(said: Mapping[str, Any], forms: Mapping[str, _Form], needed: tuple[str, ...], where: str) -> None:
    for name, given in said.items():
        if name not in forms:
            raise InvalidPolicy(f"{where}: {name!r} is not known; expected {', '.join(forms)}.")
        if not forms[name].fits(given):
            raise InvalidPolicy(f"{where}: {name} = {given!r} came; expected {forms[name].words}.")
    for name in needed:
        if name not in said:
            raise InvalidPolicy(f"{where}: {name!r} is missing; write {name} = {forms[name].words}.")


def _check_named(entry: str, given: Any, known: Any, where: str) -> None:
    if given not in known:
        raise InvalidPolicy(f"{where}: {entry} = {given!r} came; expected one of {', '.join(known)}.")
