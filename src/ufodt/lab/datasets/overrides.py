"""What a user says about a table in a small TOML file, checked entry by entry."""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, get_args

import numpy as np

from ufodt.lab.datasets.dataset import BadTable, DatasetUnavailable, Kind, Price


@dataclass(frozen=True)
class Override:
    """What the user said about one feature."""

    kind: Kind | None = None
    categories: tuple[str, ...] = ()
    price: Price | None = None


@dataclass(frozen=True)
class Overrides:
    """What the user said about the table."""

    label: str | None = None
    missing: frozenset[str] = frozenset()
    drop: tuple[str, ...] = ()
    features: dict[str, Override] = field(default_factory=dict)
    loss: float | dict[str, dict[str, float]] | None = None  # of any mistake, or of each: truth, then answer


def read_overrides(path: Path) -> Overrides:
    """Return the overrides in a TOML file; its entries are shown under `table.read_table`."""
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError:
        raise DatasetUnavailable(f"there is no file {str(path)!r} with overrides; check the path.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadTable(f"{path.name} is not TOML: {error}") from None
    number = (int, float)
    top = {"label": str, "missing": list, "drop": list, "features": dict, "prices": dict, "loss": (dict, *number)}
    _check_keys(raw, top, path.name)
    features: dict[str, Override] = {}
    for name, entry in raw.get("features", {}).items():
        if not isinstance(entry, dict):
            raise BadTable(f"{path.name}: expected a section [features.{name}], found {entry!r}.")
        features[name] = _override(entry, f"{path.name}, [features.{name}]")
    for name, entry in raw.get("prices", {}).items():
        where = f"{path.name}, [prices], {name}"
        said = features.get(name, Override())
        if said.price is not None:
            raise BadTable(f"{where}: its price stands under [features.{name}] too; leave one of the two out.")
        entry = entry if isinstance(entry, dict) else {"price": entry}
        _check_keys(entry, {"price": number, "later": number, "group": str}, where)
        features[name] = replace(said, price=_price(entry, where))
    return Overrides(
        loss=_loss(raw.get("loss"), path.name),
        label=raw.get("label"),
        missing=frozenset(str(cell) for cell in raw.get("missing", [])),
        drop=tuple(str(name) for name in raw.get("drop", [])),
        features=features,
    )


def loss_table(overrides: Overrides, labels: Sequence[str]) -> list[list[float]] | None:
    """Return what was said of mistakes as `loss[truth][answer]` for these labels; None where nothing was said."""
    said = overrides.loss
    if said is None:
        return None
    if not isinstance(said, dict):
        return [[0.0 if truth == answer else said for answer in labels] for truth in labels]
    for name in [*said, *(answer for answers in said.values() for answer in answers)]:
        if name not in labels:
            raise BadTable(f"[loss] names {name!r}, which is no label; expected one of {', '.join(labels)}.")
    table = [[0.0 if truth == answer else said.get(truth, {}).get(answer) for answer in labels] for truth in labels]
    for truth, row in zip(labels, table, strict=True):
        for answer, amount in zip(labels, row, strict=True):
            if amount is None:
                raise BadTable(
                    f"[loss] does not say what it costs to call {truth!r} {answer!r}; add it to [loss.{truth}]."
                )
    return [[float(amount or 0.0) for amount in row] for row in table]


def _loss(given: Any, where: str) -> float | dict[str, dict[str, float]] | None:
    if given is None or not isinstance(given, dict):
        return None if given is None else _amount(given, f"{where}, loss")
    table = {}
    for truth, answers in given.items():
        if not isinstance(answers, dict):
            raise BadTable(f"{where}: expected a section [loss.{truth}] with an amount for each answer.")
        table[truth] = {answer: _amount(amount, f"{where}, [loss.{truth}]") for answer, amount in answers.items()}
    return table


def _amount(given: Any, where: str) -> float:
    if isinstance(given, bool) or not isinstance(given, int | float) or not 0 <= given < float("inf"):
        raise BadTable(f"{where}: {given!r} came; expected a finite number of at least 0.")
    return float(given)


def _override(entry: dict[str, Any], where: str) -> Override:
    number = (int, float)
    _check_keys(entry, {"kind": str, "categories": list, "price": number, "later": number, "group": str}, where)
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
    return Override(kind or ("categorical" if categories else None), categories, _price(entry, where))


def _price(entry: dict[str, Any], where: str) -> Price | None:
    if "price" not in entry:
        if "later" in entry or "group" in entry:
            raise BadTable(f"{where}: 'later' and 'group' need a 'price' beside them.")
        return None
    amounts = [float(entry[key]) for key in ("price", "later") if key in entry]
    if not all(np.isfinite(amount) and amount >= 0 for amount in amounts):
        raise BadTable(f"{where}: a price is {amounts}; expected finite numbers of at least 0.")
    return Price(amounts[0], amounts[1] if len(amounts) > 1 else None, entry.get("group"))


def _check_keys(raw: dict[str, Any], expected: dict[str, Any], where: str) -> None:
    for key, value in raw.items():
        if key not in expected:
            raise BadTable(f"{where}: unknown entry {key!r}; expected one of {', '.join(expected)}.")
        if not isinstance(value, expected[key]) or isinstance(value, bool):
            raise BadTable(f"{where}: {key!r} is {value!r}, which is of the wrong type; see read_table.")
