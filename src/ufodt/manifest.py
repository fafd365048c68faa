"""What a model file says of its learner, in values that JSON can hold, and the way back through the checks."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, NamedTuple

from ufodt.drift import Drift
from ufodt.features import Binary, Categorical, Continuous, Feature
from ufodt.policy import Policy
from ufodt.prior import Expert, Prior
from ufodt.problem import Problem
from ufodt.selection import Selection
from ufodt.stop import Stop
from ufodt.thresholds import Thresholds

_KINDS: dict[str, type[Feature]] = {"Binary": Binary, "Categorical": Categorical, "Continuous": Continuous}


class Settings(NamedTuple):
    """Everything that a learner is made of besides its seed."""

    problem: Problem
    policy: Policy
    prior: Prior
    thresholds: Thresholds
    drift: Drift
    selection: Selection
    missing: tuple[str, ...] = ()  # what stands for "not known" in the tables that it is made for, besides the usual


def describe(settings: Settings) -> dict[str, Any]:
    """Return the settings as JSON can hold them; `read` makes settings of them again."""
    return {
        "problem": describe_problem(settings.problem),
        "policy": asdict(settings.policy),
        "prior": _describe_prior(settings.prior),
        "thresholds": asdict(settings.thresholds),
        "drift": {**asdict(settings.drift), "prior": settings.drift.prior and _describe_prior(settings.drift.prior)},
        "selection": asdict(settings.selection),
        **({"missing": list(settings.missing)} if settings.missing else {}),
    }


def read(manifest: Mapping[str, Any]) -> Settings:
    """Return the settings that a manifest describes; what is wrong with it comes out as one error or another."""
    return Settings(
        read_problem(manifest["problem"]),
        Policy(**{"spend_to_learn": 0.0, **manifest["policy"], "stop": _read_stop(manifest["policy"]["stop"])}),
        _read_prior({"learns_pairs": False, "learns_values": False, **manifest["prior"]}),
        Thresholds(**{"spread": 0.0, **manifest["thresholds"]}),  # as it was before bins shared
        _read_drift(manifest["drift"]),
        Selection(**{"by": "weights", **manifest["selection"]}),
        _read_missing(manifest.get("missing", [])),
    )


def describe_problem(problem: Problem) -> dict[str, Any]:
    """Return the problem as JSON can hold it; `read_problem` makes a problem of it again."""
    return {
        "features": [{"kind": type(f).__name__, **_fields(f)} for f in problem.features],
        "labels": problem.labels,
        "loss": problem.loss,
        "currencies": problem.currencies,
    }


def read_problem(described: Mapping[str, Any]) -> Problem:
    """Return the problem that a description holds; what is wrong with it comes out as one error or another."""
    features = [
        _KINDS[f["kind"]](**{**{k: v for k, v in f.items() if k != "kind"}, "surcharge": _from_pairs(f["surcharge"])})
        for f in described["features"]
    ]
    return Problem(features, described["labels"], described["loss"], described["currencies"])


def _fields(feature: Feature) -> dict[str, Any]:
    fields = {name: getattr(feature, name) for name in feature.__dataclass_fields__ if not name.startswith("_")}
    return {**fields, "surcharge": _to_pairs(feature.surcharge)}


def _to_pairs(mapping: Mapping[Any, Any] | None) -> list[list[Any]] | None:
    """A mapping as JSON can hold it whatever its keys are."""
    return None if mapping is None else [[key, value] for key, value in mapping.items()]


def _from_pairs(pairs: list[list[Any]] | None) -> dict[Any, Any] | None:
    return None if pairs is None else {key: value for key, value in pairs}


def _describe_prior(prior: Prior) -> dict[str, Any]:
    experts = []
    for e in prior.experts:
        given = _to_pairs(e.probability) if isinstance(e.probability, Mapping) else e.probability
        experts.append([e.feature, e.label, given, e.strength])
    return {**asdict(prior), "experts": experts, "labels": _to_pairs(prior.labels)}


def _read_prior(prior: Mapping[str, Any]) -> Prior:
    experts = []
    for feature, label, given, strength in prior["experts"]:
        pairs = isinstance(given, list) and bool(given) and isinstance(given[0], list)
        experts.append(Expert(feature, label, dict(given) if pairs else given, strength))
    return Prior(**{**prior, "experts": tuple(experts), "labels": _from_pairs(prior["labels"])})


def _read_drift(rule: Mapping[str, Any]) -> Drift:
    prior = rule.get("prior")  # files written before there was one have none
    return Drift(**{**rule, "prior": None if prior is None else _read_prior(prior)})


def _read_missing(cells: Any) -> tuple[str, ...]:
    if not isinstance(cells, list) or not all(isinstance(cell, str) for cell in cells):
        raise ValueError(f"a list of texts is expected of what is missing, {cells!r} came")
    return tuple(cells)


def _read_stop(rule: Mapping[str, Any]) -> Stop:
    return Stop(rule["kind"], rule["value"], tuple(_read_stop(child) for child in rule["children"]))
