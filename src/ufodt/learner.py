"""The outer loop: open a case, learn from its evidence when the label comes, and run whole streams."""

import math
import os
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ufodt import belief as beliefs
from ufodt import core, model_file
from ufodt import policy as policies
from ufodt.belief import Expert, Prior
from ufodt.errors import InvalidModelFile, InvalidPolicy, InvalidValue, UfodtError
from ufodt.policy import Policy
from ufodt.problem import Binary, Categorical, Feature, Label, Problem
from ufodt.session import Evidence, Session
from ufodt.stop import Stop

Progress = Callable[[int, int], None]
_Arrays = tuple[
    NDArray[np.int32], NDArray[np.float64], NDArray[np.float64], NDArray[np.int32], NDArray[np.int32]
]  # the fields of a record, in order
_CHUNK = 1000  # cases between two calls of a progress callback
_TREE = 2**62  # stream of random numbers for the tree of the mean belief, far from any case's


class Learner(Protocol):
    """What every learner offers: open a case, learn from its evidence."""

    def open(self, case: str | int | None = None, *, known: Mapping[str, Any] | None = None) -> Session: ...

    def learn(self, evidence: Evidence, label: Label) -> None: ...


@dataclass(frozen=True, slots=True)
class Record:
    """What happened in each case of a stream: one entry per case, in order.

    `asked` lists the questions of all cases one after the other, as feature indices; case i owns
    `asked[ends[i] - n_asked[i] : ends[i]]` with `ends = n_asked.cumsum()`.
    """

    predicted: NDArray[Any]
    probability: NDArray[np.float64]  # that the belief gave to the predicted label
    cost: NDArray[np.float64]
    n_asked: NDArray[np.int32]
    asked: NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Report:
    """A hold-out answered from paid features only."""

    record: Record
    accuracy: float  # over the cases whose label is known
    loss: float  # mean loss of the answers
    cost: float  # mean price paid
    n_asked: float  # mean number of questions


class UFODT:
    """An online decision tree that pays for what it asks (UFODT, IJCAI 2023).

    Parameters
    ----------
    problem
        What may be asked and answered.
    criterion, stop, n_hypotheses
        Shortcuts for the fields of `policy` of the same name.
    policy
        How to plan a case, in full.
    prior
        What is believed before the first case.
    seed
        Every case draws from a stream of its own made of the seed and its number.

    Examples
    --------
    >>> problem = Problem([Binary("fever"), Binary("cough")], labels=["healthy", "ill"])
    >>> learner = UFODT(problem, seed=7)
    >>> session = learner.open("patient-17", known={"fever": 1})
    >>> while (question := session.ask()) is not None:
    ...     session.tell(question.feature, 1)
    >>> learner.learn(session.evidence, label="ill")
    >>> learner.open("patient-18", known={"fever": 1, "cough": 1}).predict().label
    'ill'
    """

    def __init__(
        self,
        problem: Problem,
        *,
        criterion: str | None = None,
        stop: Stop | None = None,
        n_hypotheses: int | None = None,
        policy: Policy | None = None,
        prior: Prior | None = None,
        seed: int = 0,
    ) -> None:
        shortcuts = {"criterion": criterion, "stop": stop, "n_hypotheses": n_hypotheses}
        given = {name: value for name, value in shortcuts.items() if value is not None}
        if policy is not None and given:
            raise InvalidPolicy(f"{list(given)} came together with a whole policy; set them inside the policy.")
        self.problem = problem
        self.policy = policy or Policy(**given)  # type: ignore[arg-type]
        self.prior = prior or Prior()
        self.seed = _checked_seed(seed)
        self._n_opened = 0
        self._compiled = policies.problem_to_core(problem)
        self._policy = policies.to_core(self.policy, problem)
        self._belief = beliefs.from_prior(self.prior, problem, self._compiled)

    @classmethod
    def paper(cls, problem: Problem, *, criterion: str = "ec2", n_hypotheses: int, seed: int = 0) -> "UFODT":
        """Return the algorithm exactly as printed: uniform fixed P(Y), distinct hypotheses, region stop."""
        policy = policies.paper(criterion=criterion, n_hypotheses=n_hypotheses)
        return cls(problem, policy=policy, prior=Prior(learns_labels=False), seed=seed)

    @property
    def belief(self) -> core.Belief:
        """A copy of what is believed now."""
        return self._belief.copy()

    @property
    def n_opened(self) -> int:
        """How many cases were opened, by `open` or by `run`."""
        return self._n_opened

    def open(self, case: str | int | None = None, *, known: Mapping[str, Any] | None = None) -> Session:
        """Begin a case; values in `known` are free. Many sessions may be open at once."""
        plan = core.Plan(self._compiled, self._policy, self._belief, seed=self.seed, number=self._n_opened)
        session = Session(case, self.problem, plan, known or {})
        self._n_opened += 1
        return session

    def learn(self, evidence: Evidence, label: Label) -> None:
        """Learn from a case once its label is known; cases may come in any order."""
        try:
            values = evidence["values"].items()
        except (TypeError, KeyError, AttributeError):
            raise InvalidValue(f"{evidence!r} is no evidence; give `session.evidence`.") from None
        problem = self.problem
        pairs = []
        for name, value in values:
            index = problem.feature_index(name)
            pairs.append((index, problem.features[index].outcome(value)))
        self._belief.update(pairs, problem.label_index(label))

    def learn_many(self, X: Any, y: Any) -> None:
        """Learn from a table of old cases whose cells are already paid for; missing cells teach nothing."""
        outcomes = self.problem.outcomes(X)
        self._belief.update_many(outcomes, self.problem.label_indices(y, len(outcomes)))

    def run(self, X: Any, y: Any, *, progress: Progress | None = None) -> Record:
        """Go through a stream case by case: plan, pay, answer, then learn from the label.

        Parameters
        ----------
        X
            Raw values, shape `(n_cases, n_features)`; only cells the plan asks for are read. NaN or None:
            could not be had.
        y
            True labels, shape `(n_cases,)`; None or NaN where the label never comes.
        progress
            Called with (cases done, cases in all) every thousand cases. An exception in it, or Ctrl-C,
            leaves a learner that has learned exactly the cases done.
        """
        outcomes = self.problem.outcomes(X)
        labels = self.problem.label_indices(y, len(outcomes))

        def run(rows: slice) -> _Arrays:
            part = core.run(
                self._compiled,
                self._policy,
                self._belief,
                seed=self.seed,
                number=self._n_opened,
                outcomes=outcomes[rows],
                labels=labels[rows],
            )
            self._n_opened += len(part[0])
            return part

        return self._record(_in_chunks(run, len(outcomes), progress))

    def evaluate(self, X: Any, y: Any = None, *, progress: Progress | None = None) -> Report:
        """Answer a hold-out from paid features only, by the tree of the mean belief; nothing is learned."""
        outcomes = self.problem.outcomes(X)
        plan = None if self.policy.predict == "theta" else "mean"  # the paper plans and answers under one draw
        policy = policies.to_core(self.policy, self.problem, plan=plan)  # type: ignore[arg-type]
        tree = core.Tree(self._compiled, policy, self._belief, seed=self.seed, number=_TREE)
        record = self._record(_in_chunks(lambda rows: tree.evaluate(outcomes[rows]), len(outcomes), progress))
        accuracy = loss = math.nan
        if y is not None:
            truth = self.problem.label_indices(y, len(outcomes))
            answers = self.problem.label_indices(record.predicted, len(outcomes))[truth >= 0]
            truth = truth[truth >= 0]
            if len(truth):
                accuracy = float((truth == answers).mean())
                loss = float(self.problem.losses[truth, answers].mean())
        cost, n_asked = (float(a.mean()) if len(a) else math.nan for a in (record.cost, record.n_asked))
        return Report(record, accuracy, loss, cost, n_asked)

    def merge(self, other: "UFODT") -> None:
        """Add what another learner of the same problem and prior has learned; the counts add exactly.

        Merging the same learner twice counts its cases twice.
        """
        if other.problem != self.problem or other.prior != self.prior:
            raise InvalidValue("Learners merge only when problem and prior are the same; these differ.")
        self._belief.merge(other._belief)

    def discount(self, gamma: float) -> None:
        """Forget a fraction `gamma` of everything learned (paper, algorithm 5)."""
        if not 0 <= gamma <= 1:
            raise InvalidValue(f"A discount of {gamma!r} came; expected a fraction from 0 to 1.")
        self._belief.discount(gamma)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the learner to a file; a loaded learner goes on exactly as this one would."""
        manifest = {
            "problem": {
                "features": [{"kind": type(f).__name__, **_fields(f)} for f in self.problem.features],
                "labels": self.problem.labels,
                "loss": self.problem.loss,
            },
            "policy": asdict(self.policy),
            "prior": _prior_to_json(self.prior),
            "seed": self.seed,
            "n_opened": self._n_opened,
        }
        model_file.write(path, manifest, {"counts": self._belief.counts, "label_counts": self._belief.label_counts})

    def _record(self, parts: list[_Arrays]) -> Record:
        predicted, probability, cost, n_asked, asked = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
        return Record(np.asarray(self.problem.labels)[predicted], probability, cost, n_asked, asked)


def load(path: str | os.PathLike[str]) -> UFODT:
    """Return the learner that was saved to a file."""
    manifest = model_file.read_manifest(path)
    try:
        kinds: dict[str, type[Feature]] = {"Binary": Binary, "Categorical": Categorical}
        problem = Problem(
            [kinds[f.pop("kind")](**f) for f in manifest["problem"]["features"]],
            manifest["problem"]["labels"],
            manifest["problem"]["loss"],
        )
        policy = Policy(**{**manifest["policy"], "stop": _stop_from_json(manifest["policy"]["stop"])})
        learner = UFODT(problem, policy=policy, prior=_prior_from_json(manifest["prior"]), seed=manifest["seed"])
        learner._n_opened = _checked_seed(manifest["n_opened"])
    except (KeyError, TypeError, AttributeError, UfodtError) as error:
        raise InvalidModelFile(f"{path}: the manifest does not describe a learner ({error!r}).") from error
    shape = (learner._compiled.n_rows, problem.n_labels)
    arrays = model_file.read_arrays(path, {"counts": shape, "label_counts": shape[1:]})
    try:
        learner._belief.set_counts(arrays["counts"], arrays["label_counts"])
    except ValueError as error:
        raise InvalidModelFile(f"{path}: {error}.") from error
    return learner


def _in_chunks(work: Callable[[slice], _Arrays], n_cases: int, progress: Progress | None) -> list[_Arrays]:
    parts = [work(slice(0, 0))]
    for start in range(0, n_cases, _CHUNK):
        parts.append(work(slice(start, start + _CHUNK)))
        if progress is not None:
            progress(min(start + _CHUNK, n_cases), n_cases)
    return parts


def _checked_seed(seed: Any) -> int:
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or not 0 <= seed < 2**63:
        raise InvalidPolicy(f"A seed of {seed!r} came; expected a whole number from 0 to 2**63 - 1.")
    return int(seed)


def _fields(feature: Feature) -> dict[str, Any]:
    fields = {"name": feature.name, "price": feature.price, "group": feature.group, "later_price": feature.later_price}
    return fields if isinstance(feature, Binary) else {**fields, "values": feature.values}


def _prior_to_json(prior: Prior) -> dict[str, Any]:
    experts = []
    for e in prior.experts:
        given = list(e.probability.items()) if isinstance(e.probability, Mapping) else e.probability
        experts.append([e.feature, e.label, given, e.strength])
    labels = None if prior.labels is None else list(prior.labels.items())
    return {**asdict(prior), "experts": experts, "labels": labels}


def _prior_from_json(prior: dict[str, Any]) -> Prior:
    experts = []
    for feature, label, given, strength in prior["experts"]:
        pairs = isinstance(given, list) and bool(given) and isinstance(given[0], list)
        experts.append(Expert(feature, label, dict(given) if pairs else given, strength))
    labels = None if prior["labels"] is None else dict(prior["labels"])
    return Prior(**{**prior, "experts": tuple(experts), "labels": labels})


def _stop_from_json(rule: dict[str, Any]) -> Stop:
    return Stop(rule["kind"], rule["value"], tuple(_stop_from_json(child) for child in rule["children"]))
