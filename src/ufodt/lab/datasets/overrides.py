"""What a user says about a table in a small TOML file, checked entry by entry."""

import tomllib
from dataclasses import dataclass, field
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


def read_overrides(path: Path) -> Overrides:
    """Return the overrides in a TOML file; its entries are shown under `table.read_table`."""
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError:
        raise DatasetUnavailable(f"there is no file {str(path)!r} with overrides; check the path.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadTable(f"{path.name} is not TOML: {error}") from None
    _check_keys(raw, {"label": str, "missing": list, "drop": list, "features": dict}, path.name)
    features = {}
    for name, entry in raw.get("features", {}).items():
        if not isinstance(entry, dict):
            raise BadTable(f"{path.name}: expected a section [features.{name}], found {entry!r}.")
        features[name] = _override(entry, f"{path.name}, [features.{name}]")
    return Overrides(
        label=raw.get("label"),
        missing=frozenset(str(cell) for cell in raw.get("missing", [])),
        drop=tuple(str(name) for name in raw.get("drop", [])),
        features=features,
    )


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
