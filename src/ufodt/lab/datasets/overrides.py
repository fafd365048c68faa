"""What a user says about a table in a small TOML file, checked entry by entry."""

import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar, get_args

from ufodt.amount import number
from ufodt.features import Amount, Priced
from ufodt.lab.datasets.cells import toml_key
from ufodt.lab.datasets.dataset import BadTable, DatasetUnavailable, Kind
from ufodt.words import meant

_Entry = TypeVar("_Entry")
OTHERS = "others"  # under [prices], every feature without an entry
_AMOUNT = (int, float, dict)  # one in several currencies, or one for each value, is a table
_TERMS: dict[str, Any] = {
    "price": _AMOUNT,
    "later": _AMOUNT,
    "group": str,
    "surcharge": dict,
    "mandatory": bool,
    "needs": list,
    "computed_from": list,
}
_KINDS = {
    str: "a text in quotes",
    list: "a list in brackets",
    dict: "a table, one entry for each",
    bool: "true or false",
    _AMOUNT: "a number, or a table of numbers",
}


@dataclass(frozen=True)
class Override:
    """What the user said about one feature."""

    kind: Kind | None = None
    categories: tuple[str, ...] = ()
    cuts: tuple[float, ...] = ()  # fixed cut points of a number
    terms: Priced | None = None  # with a price of None where none was said


@dataclass(frozen=True)
class Overrides:
    """What the user said about the table."""

    label: str | None = None
    missing: frozenset[str] = frozenset()
    drop: tuple[str, ...] = ()
    features: dict[str, Override] = field(default_factory=dict)
    others: Priced | None = None  # on what terms features are had that have no entry
    currencies: dict[str, float] | None = None
    loss: float | dict[str, dict[str, float]] | None = None  # of any mistake, or of each: truth, then answer


def read_overrides(path: Path) -> Overrides:
    """Return the overrides in a TOML file; its entries are shown under `table.read_table`."""
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError:
        raise DatasetUnavailable(f"there is no file {str(path)!r} with overrides; check the path.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadTable(f"{path.name} is not TOML: {error}") from None
    top = {"label": str, "missing": list, "drop": list, "features": dict, "prices": dict, "currencies": dict}
    _check_keys(raw, top | {"loss": _AMOUNT}, path.name)
    weights = raw.get("currencies", {})
    currencies = {name: _amount(weight, f"{path.name}, [currencies], {name}") for name, weight in weights.items()}
    features: dict[str, Override] = {}
    for name, entry in raw.get("features", {}).items():
        if not isinstance(entry, dict):
            raise BadTable(f"{path.name}: expected a section [features.{toml_key(name)}], found {entry!r}.")
        features[name] = _override(entry, currencies, f"{path.name}, [features.{toml_key(name)}]")
    prices = {
        name: _priced(entry, currencies, f"{path.name}, [prices], {name}")
        for name, entry in raw.get("prices", {}).items()
    }
    others = prices.pop(OTHERS, None)
    for name, terms in prices.items():
        said = features.get(name, Override())
        if said.terms is not None:
            raise BadTable(
                f"{path.name}, [prices], {name}: its price stands under [features.{toml_key(name)}] too; "
                "leave one of the two out."
            )
        features[name] = replace(said, terms=terms)
    return Overrides(
        loss=_loss(raw.get("loss"), path.name),
        label=raw.get("label"),
        missing=frozenset(str(cell) for cell in raw.get("missing", [])),
        drop=tuple(str(name) for name in raw.get("drop", [])),
        features=features,
        others=others,
        currencies=currencies or None,
    )


def loss_table(overrides: Overrides, labels: Sequence[str]) -> list[list[float]] | None:
    """Return what was said of mistakes as `loss[truth][answer]` for these labels; None where nothing was said."""
    if overrides.loss is None:
        return None
    if not isinstance(overrides.loss, dict):
        return [[0.0 if truth == answer else overrides.loss for answer in labels] for truth in labels]
    said = {
        truth: _by_label(answers, labels, f"[loss.{toml_key(str(truth))}]")
        for truth, answers in _by_label(overrides.loss, labels, "[loss]").items()
    }
    right = {name: {name: 0.0} for name in labels}  # what a right answer costs, where nothing is said of it
    table = [[(right[truth] | said.get(truth, {})).get(answer) for answer in labels] for truth in labels]
    for truth, row in zip(labels, table, strict=True):
        for answer, amount in zip(labels, row, strict=True):
            if amount is None:
                raise BadTable(
                    f"[loss] does not say what it costs to call {truth!r} {answer!r}; "
                    f"add it to [loss.{toml_key(str(truth))}]."
                )
    return [[float(amount or 0.0) for amount in row] for row in table]


def _by_label(entries: Mapping[str, _Entry], labels: Sequence[str], where: str) -> dict[str, _Entry]:
    """The entries under the labels that their names stand for, as in the cells of the table."""
    found: dict[str, _Entry] = {}
    for name, entry in entries.items():
        same = meant(labels, name)
        if len(same) != 1:
            raise BadTable(f"{where} names {name!r}, which is no label; expected one of {', '.join(labels)}.")
        if str(same[0]) in found:
            raise BadTable(f"{where} names the label {same[0]!r} twice, once as {name!r}; leave one of the two out.")
        found[str(same[0])] = entry
    return found


def _loss(given: Any, where: str) -> float | dict[str, dict[str, float]] | None:
    if given is None or not isinstance(given, dict):
        return None if given is None else _amount(given, f"{where}, loss")
    table = {}
    for truth, answers in given.items():
        if not isinstance(answers, dict):
            raise BadTable(f"{where}: expected a section [loss.{toml_key(str(truth))}] with an amount for each answer.")
        table[truth] = {
            answer: _amount(amount, f"{where}, [loss.{toml_key(str(truth))}]") for answer, amount in answers.items()
        }
    return table


def _amount(given: Any, where: str) -> float:
    if isinstance(given, bool) or not isinstance(given, int | float) or not 0 <= given < float("inf"):
        raise BadTable(f"{where}: {given!r} came; expected a finite number of at least 0.")
    return float(given)


def _override(entry: dict[str, Any], currencies: dict[str, float], where: str) -> Override:
    _check_keys(entry, {"kind": str, "categories": list, "cuts": list} | _TERMS, where)
    kind = entry.get("kind")
    if kind is not None and kind not in get_args(Kind):
        raise BadTable(f"{where}: kind is {kind!r}; expected binary, categorical or continuous.")
    categories = tuple(str(name) for name in entry.get("categories", []))
    if categories and (len(set(categories)) != len(categories) or len(categories) < 2):
        raise BadTable(f"{where}: expected at least two different categories, found {list(categories)}.")
    if categories and kind == "continuous":
        raise BadTable(f"{where}: a continuous feature has no categories; leave one of the two out.")
    if kind == "binary" and len(categories) > 2:
        raise BadTable(f"{where}: a binary feature has two categories, found {len(categories)}.")
    cuts = tuple(number(cut) for cut in entry.get("cuts", []))
    if cuts and (categories or kind not in (None, "continuous")):
        raise BadTable(f"{where}: cuts belong to a number; leave out its kind and categories.")
    if not all(map(math.isfinite, cuts)) or any(a >= b for a, b in pairwise(cuts)):
        raise BadTable(f"{where}: cuts are {entry['cuts']!r}; expected finite numbers that rise.")
    inferred: Kind | None = "categorical" if categories else "continuous" if cuts else None
    return Override(kind or inferred, categories, cuts, _terms(entry, currencies, where))


def _priced(entry: Any, currencies: dict[str, float], where: str) -> Priced | None:
    """Return the terms of an entry under [prices]: a price, or a table with one."""
    entry = entry if isinstance(entry, dict) else {"price": entry}
    _check_keys(entry, _TERMS, where)
    return _terms(entry, currencies, where)


def _terms(entry: dict[str, Any], currencies: dict[str, float], where: str) -> Priced | None:
    """Return the terms of a feature, or None where nothing was said of them."""
    said = {key: entry[key] for key in _TERMS if key in entry}
    if not said:
        return None
    if "price" not in said and ("later" in said or "group" in said):
        raise BadTable(f"{where}: 'later' and 'group' need a 'price' beside them.")
    for key in ("price", "later"):
        if key in said:
            said[key] = _price(said[key], currencies, f"{where}, {key}")
    if "surcharge" in said:
        extra = said["surcharge"]
        said["surcharge"] = {v: _price(extra[v], currencies, f"{where}, surcharge of {v}") for v in extra}
    for key in ("needs", "computed_from"):
        if not all(isinstance(name, str) for name in said.get(key, ())):
            raise BadTable(f"{where}: {key} is {said[key]!r}; expected a list of names.")
    if "later" in said:
        said["later_price"] = said.pop("later")
    return Priced(**{"price": None, **said})


def _price(given: Any, currencies: dict[str, float], where: str) -> Amount:
    if not isinstance(given, dict):
        return _amount(given, where)
    for name in given:
        if name not in currencies:
            raise BadTable(f"{where}: {name!r} has no weight; say under [currencies] what one of it is worth.")
    return {name: _amount(amount, where) for name, amount in given.items()}


def _check_keys(raw: dict[str, Any], expected: dict[str, Any], where: str) -> None:
    for key, value in raw.items():
        if key not in expected:
            raise BadTable(f"{where}: unknown entry {key!r}; expected one of {', '.join(expected)}.")
        if not isinstance(value, expected[key]) or (isinstance(value, bool) and expected[key] is not bool):
            raise BadTable(f"{where}: {key!r} is {value!r}; expected {_KINDS[expected[key]]}.")
