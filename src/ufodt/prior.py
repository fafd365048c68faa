"""What is believed before the first case: a flat prior, what experts say, and both from a file."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ufodt import core
from ufodt.amount import MOST, number, plain
from ufodt.errors import InvalidProblem
from ufodt.features import Binary, Continuous, Feature, Value
from ufodt.problem import Label, Problem
from ufodt.thresholds import Thresholds
from ufodt.words import TRUTH, meant


@dataclass(frozen=True, slots=True)
class Expert:
    """What an expert says of one feature under one label: "0.9, worth 50 cases".

    `probability` is that of value 1 of a binary feature, or one number per value of a categorical one, or per bin of a
    continuous one whose cut points are given.

    >>> Expert("fever", "ill", probability=0.9, strength=50)
    Expert(feature='fever', label='ill', probability=0.9, strength=50)
    """

    feature: str
    label: Label
    probability: float | Sequence[float] | Mapping[Value, float]
    strength: float

    def __post_init__(self) -> None:
        given = self.probability
        if isinstance(given, Mapping):
            said: Any = {plain(value): plain(p) for value, p in given.items()}
        elif isinstance(given, Iterable) and not isinstance(given, str):
            said = tuple(plain(p) for p in given)
        else:
            said = plain(given)
        object.__setattr__(self, "probability", said)
        object.__setattr__(self, "label", plain(self.label))
        object.__setattr__(self, "strength", plain(self.strength))


@dataclass(frozen=True, slots=True, kw_only=True)
class Prior:
    """What is believed before the first case.

    `read_prior` in this module reads one from a file that a person wrote, and `interpolate` finds those between
    the uniform prior and an informed one.

    Parameters
    ----------
    count
        Cases that every outcome, and every label, is taken to have been seen already; 1 is the uniform prior.
    experts
        What is known of single features; replaces `count` where given.
    labels
        Probability of every label, with `label_strength` cases behind it.
    learns_labels
        Whether label counts grow; in the paper they are uniform and fixed.
    learns_trust
        Whether it is learned how far several answers together are to be trusted. Features that share news make naive
        Bayes too sure; for the answer n of them then count as fewer, as the labels revealed so far call for. Not in
        the paper.
    learns_values
        Whether the prior of a yes-or-no or a named value follows how often each of its values comes, whatever the
        label: then it says that the feature tells nothing, and not that its values are equally likely. As strong as
        `count` has it; where an expert speaks of a feature, what he says holds. Not in the paper.
    learns_pairs
        Whether it is counted which outcomes come together under a label, and learned whether answers do better with
        that than with naive Bayes; until then nothing changes. Then questions go by it too, but for the hypotheses of
        EC2, US and region information, which still take features to be independent. Needs `learns_trust`, bins, and a
        problem whose outcomes squared times labels are no more than half a million. Not in the paper.
    """

    count: float = 1.0
    experts: Sequence[Expert] = ()
    labels: Mapping[Label, float] | None = None
    label_strength: float = 10.0
    learns_labels: bool = True
    learns_values: bool = True
    learns_trust: bool = True
    learns_pairs: bool = True

    def __post_init__(self) -> None:
        if not isinstance(self.experts, Iterable) or not all(isinstance(e, Expert) for e in self.experts):
            raise InvalidProblem(f"{self.experts!r} came for what experts say; expected a list of Expert(...).")
        if not isinstance(self.labels, Mapping | None):
            raise InvalidProblem(f"{self.labels!r} came for the labels; expected a probability for each.")
        for name in ("learns_labels", "learns_values", "learns_trust", "learns_pairs"):
            object.__setattr__(self, name, plain(getattr(self, name)))
            if not isinstance(getattr(self, name), bool):
                raise InvalidProblem(f"{name}={getattr(self, name)!r} came; expected True or False.")
        object.__setattr__(self, "experts", tuple(self.experts))
        if self.labels is not None:
            object.__setattr__(self, "labels", {plain(label): plain(p) for label, p in self.labels.items()})
        for name in ("count", "label_strength"):
            object.__setattr__(self, name, plain(getattr(self, name)))


def paper(said: Prior | Sequence[Expert] = ()) -> Prior:
    """Return the prior of the paper: flat but for what is said, P(label) stays as it is, answers are trusted in full.

    >>> paper(Prior(labels={"healthy": 0.9, "ill": 0.1})).learns_labels
    False
    """
    prior = said if isinstance(said, Prior) else Prior(experts=said)
    return replace(prior, learns_labels=False, learns_values=False, learns_trust=False, learns_pairs=False)


def read_prior(path: str | os.PathLike[str]) -> Prior:
    """Return a prior from a TOML file that a person can write.

    ```toml
    count = 1.0                     # what is not mentioned: seen this often already
    strength = 20                   # cases behind a statement, unless it says otherwise

    [labels]                        # optional
    healthy = 0.9
    ill = 0.1

    [features.fever.ill]            # feature, then label
    probability = 0.8               # of value 1; or a table: probability = {sinus = 0.7, other = 0.3}
    strength = 50
    ```
    """
    import tomllib  # here, since few need it and it takes its time

    try:
        with open(path, "rb") as file:
            text = tomllib.loads(file.read().decode("utf-8-sig"))
    except OSError as error:
        raise InvalidProblem(f"{path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise InvalidProblem(f"{path} is not written in UTF-8; save it so.") from error
    except tomllib.TOMLDecodeError as error:
        raise InvalidProblem(f"{path} cannot be read as a prior: {error}.") from error
    unknown = sorted(set(text) - {"count", "strength", "labels", "label_strength", "features"})
    if unknown:
        raise InvalidProblem(f"{path}: {unknown} came; expected count, strength, labels, label_strength, features.")
    strength = text.get("strength", 20)
    said_of = text.get("features", {})
    if not isinstance(said_of, dict):
        raise InvalidProblem(f"{path}: features = {said_of!r} came; expected tables [features.FEATURE.LABEL].")
    experts = []
    for feature, by_label in said_of.items():
        for label, said in by_label.items() if isinstance(by_label, dict) else [("", None)]:
            if not isinstance(said, dict) or "probability" not in said or set(said) - {"probability", "strength"}:
                raise InvalidProblem(
                    f"{path}: features.{feature} holds {by_label!r}; "
                    f"expected a table [features.{feature}.LABEL] with probability and, if wanted, strength."
                )
            experts.append(Expert(feature, label, said["probability"], said.get("strength", strength)))
    return Prior(
        count=text.get("count", 1.0),
        experts=tuple(experts),
        labels=text.get("labels"),
        label_strength=text.get("label_strength", strength),
    )


def interpolate(prior: Prior, share: float) -> Prior:
    """Return a prior between the uniform one (share 0, which says nothing) and an informed one (share 1).

    The counts of both are mixed: what is said and how many cases stand behind it both grow with the share.

    >>> interpolate(Prior(experts=[Expert("fever", "ill", 0.9, strength=50)]), 0.5).experts[0]
    Expert(feature='fever', label='ill', probability=0.884..., strength=26.0)
    """
    if not 0 <= number(share) <= 1:
        raise InvalidProblem(f"A share of {share!r} came; expected a number from 0 to 1.")
    if number(share) == 0:
        return replace(prior, experts=(), labels=None)

    def between(said: Sequence[float], strength: float) -> tuple[list[float], float]:
        """What is said, and the cases behind it, once its counts are mixed with those of the uniform prior."""
        uniform, informed = (1 - number(share)) * number(prior.count), number(share) * number(strength)
        mixed = [uniform + informed * number(p) for p in said]
        behind = len(said) * uniform + informed
        return [each / behind for each in mixed], behind

    experts = []
    for expert in prior.experts:
        given = expert.probability
        if isinstance(given, Mapping):
            mixed, strength = between(list(given.values()), expert.strength)
            moved: Any = dict(zip(given, mixed, strict=True))
        elif isinstance(given, tuple):
            moved, strength = between(given, expert.strength)
        else:
            (moved, _), strength = between([number(given), 1.0 - number(given)], expert.strength)
        experts.append(replace(expert, probability=moved, strength=strength))
    if not prior.labels:
        return replace(prior, experts=tuple(experts))
    mixed, strength = between(list(prior.labels.values()), prior.label_strength)
    labels = dict(zip(prior.labels, mixed, strict=True))
    return replace(prior, experts=tuple(experts), labels=labels, label_strength=strength)


def counts(
    prior: Prior, problem: Problem, compiled: core.Problem, cutting: Thresholds
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return what a prior says as counts: of every outcome under each label, and of the labels."""
    _check_amount("the prior's count", prior.count)
    outcomes = np.full((compiled.n_rows, problem.n_labels), float(prior.count))
    first_row = np.cumsum([0, *compiled.n_outcomes])
    heard = set()
    for expert in prior.experts:
        index = problem.feature_index(expert.feature)
        label = problem.label_index(_known_as(problem.labels, expert.label))
        if (index, label) in heard:
            raise InvalidProblem(f"{expert.feature} given {problem.labels[label]!r} came twice; say it once.")
        heard.add((index, label))
        _check_amount(f"the strength behind {expert.feature!r} given {expert.label!r}", expert.strength)
        if isinstance(problem.features[index], Continuous) and cutting.kind != "bins":
            raise InvalidProblem(
                f"{expert.feature}: what an expert says of a continuous feature is of its bins; "
                f"with {cutting.kind} thresholds it has none."
            )
        rows = slice(first_row[index], first_row[index + 1])
        outcomes[rows, label] = _probabilities(expert, problem.features[index]) * expert.strength
    label_counts = np.full(problem.n_labels, float(prior.count))
    _check_amount("the strength behind the labels", prior.label_strength)
    if prior.labels is not None:
        said = {problem.label_index(_known_as(problem.labels, label)): p for label, p in prior.labels.items()}
        if not len(said) == len(prior.labels) == problem.n_labels:
            raise InvalidProblem(
                f"Probabilities came for {list(prior.labels)}; expected one for each of {list(problem.labels)}."
            )
        label_counts = _checked([said[i] for i in range(problem.n_labels)], "the labels") * prior.label_strength
    return outcomes, label_counts


def _probabilities(expert: Expert, feature: Feature) -> NDArray[np.float64]:
    given = expert.probability
    if isinstance(feature, Continuous):
        if not feature.cuts or isinstance(given, Mapping | int | float):
            raise InvalidProblem(
                f"{expert.feature}: what an expert says of a continuous feature needs fixed `cuts` "
                f"and one probability for each bin; {given!r} came."
            )
        values: Sequence[Value] = range(len(feature.cuts) + 1)
    else:
        values = feature.values
    if isinstance(given, Mapping):
        words = TRUTH if isinstance(feature, Binary) else {}
        said = {words.get(str(value).lower(), _known_as(values, value)): p for value, p in given.items()}
        if set(said) != set(values) or len(said) != len(given):
            raise InvalidProblem(
                f"{expert.feature}: probabilities came for {list(given)}; expected one for each of {list(values)}."
            )
        given = [said[value] for value in values]
    elif isinstance(given, int | float):
        if len(values) != 2:
            raise InvalidProblem(f"{expert.feature}: one probability came for {len(values)} values; give one for each.")
        if not 0 < number(given) < 1:
            raise InvalidProblem(
                f"{expert.feature} given {expert.label!r}: probability {given!r} came; expected a number above 0 and "
                "below 1 (what is given probability 0 could never be learned)."
            )
        given = [1.0 - number(given), number(given)]
    elif not isinstance(given, tuple):
        raise InvalidProblem(f"{expert.feature}: probability {given!r} came; expected a number, or one for each value.")
    if len(given) != len(values):
        raise InvalidProblem(
            f"{expert.feature}: {len(given)} probabilities came for {len(values)} values; give one for each."
        )
    return _checked(given, f"{expert.feature!r} given {expert.label!r}")


def _known_as(known: Sequence[Any], name: Any) -> Any:
    """The label or value that a name stands for: a file writes every key as text, `true` for True and 1 for 1.0 too."""
    if name in known or not isinstance(name, str):
        return name
    found = meant(known, name)
    return found[0] if len(found) == 1 else name


def _checked(probabilities: Sequence[float], what: str) -> NDArray[np.float64]:
    p: NDArray[np.float64] = np.array([number(x) for x in probabilities])
    if not np.isfinite(p).all() or (p <= 0).any() or abs(p.sum() - 1) > 1e-6:
        raise InvalidProblem(
            f"Probabilities {list(probabilities)} came for {what}; expected numbers above 0 that sum to 1 "
            "(what is given probability 0 could never be learned)."
        )
    p /= p.sum()
    return p


def _check_amount(what: str, amount: float) -> None:
    if not 1 / MOST <= number(amount) <= MOST:
        raise InvalidProblem(f"{amount!r} came for {what}; expected a finite number of cases above 0.")
