"""The outer loop: open a case, learn from its evidence when the label comes, and run whole streams."""

import math
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ufodt import belief as beliefs
from ufodt import certificate, core, frames, manifest, model_file
from ufodt import policy as policies
from ufodt.amount import number, plain
from ufodt.belief import Prior
from ufodt.certificate import Gap
from ufodt.drift import Drift
from ufodt.errors import InvalidModelFile, InvalidPolicy, InvalidProblem, InvalidValue, UfodtError
from ufodt.features import Continuous
from ufodt.policy import Policy
from ufodt.problem import Label, LabelIndices, Outcomes, Problem, Values
from ufodt.selection import Selection
from ufodt.session import Evidence, Session
from ufodt.stop import Stop
from ufodt.thresholds import Thresholds
from ufodt.thresholds import paper as printed_thresholds

if TYPE_CHECKING:
    from ufodt.tree import Tree

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
    calibration: float = math.nan  # expected calibration error of the answers: 0 where as many are right as it is sure


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
    thresholds
        How continuous features become outcomes; see `ufodt.thresholds`.
    drift
        How fast to forget; see `ufodt.drift`.
    selection
        How many features are candidates in a case, where there are too many.
    seed
        Every case draws from a stream of its own made of the seed and its number.

    Examples
    --------
    >>> from ufodt import Binary
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
        thresholds: Thresholds | None = None,
        drift: Drift | None = None,
        selection: Selection | None = None,
        seed: int = 0,
    ) -> None:
        shortcuts = {"criterion": criterion, "stop": stop, "n_hypotheses": n_hypotheses}
        given = {name: value for name, value in shortcuts.items() if value is not None}
        if policy is not None and given:
            raise InvalidPolicy(f"{list(given)} came together with a whole policy; set them inside the policy.")
        self.problem = problem
        self.policy = policy or Policy(**given)  # type: ignore[arg-type]
        self.prior = prior or Prior()
        self.thresholds = thresholds or Thresholds()
        self.drift = drift or Drift()
        self.selection = selection or Selection()
        self.seed = _checked_seed(seed)
        self._n_opened = 0
        self._compiled = policies.problem_to_core(problem, self.thresholds)
        self._policy = policies.to_core(self.policy, problem)
        self._budget = policies.hard_budget(self.policy.stop)
        self._belief = self._fresh_belief()
        self._drift = core.Drift(**self.drift.watch())
        self._selection = core.Selection(self._compiled, **asdict(self.selection))
        self._spare: core.Plan | None = None  # a plan whose case is over, for the memory it holds

    @classmethod
    def paper(
        cls,
        problem: Problem,
        *,
        criterion: str = "ec2",
        n_hypotheses: int,
        thresholds: Thresholds | None = None,
        drift: Drift | None = None,
        selection: Selection | None = None,
        seed: int = 0,
    ) -> "UFODT":
        """Return the algorithm exactly as printed: uniform fixed P(Y), distinct hypotheses, region stop."""
        return cls(
            problem,
            policy=policies.paper(criterion=criterion, n_hypotheses=n_hypotheses),
            prior=Prior(learns_labels=False, learns_trust=False),
            thresholds=thresholds or printed_thresholds(),
            drift=drift,
            selection=selection,
            seed=seed,
        )

    @property
    def belief(self) -> core.Belief:
        """A copy of what is believed now."""
        return self._belief.copy()

    @property
    def n_opened(self) -> int:
        """How many cases were opened, by `open` or by `run`."""
        return self._n_opened

    def open(
        self,
        case: str | int | None = None,
        *,
        known: Mapping[str, Any] | None = None,
        unavailable: Iterable[str] = (),
        prices: Mapping[str, float] | None = None,
        budget: float = math.inf,
        explore: bool = True,
    ) -> Session:
        """Begin a case. Many sessions may be open at once.

        Parameters
        ----------
        case
            A name for the case, kept in its evidence.
        known
            Values that are known already; they are free.
        unavailable
            Features that cannot be had in this case.
        prices
            What features cost in this case, where it differs.
        budget
            What the case may cost at most.
        explore
            Plan under a draw from the belief, so that what is not known yet is tried now and then. With False the
            case goes the way of `evaluate` and of `tree()`, the same whenever it is opened, and is not counted.
        """
        if not isinstance(plain(case), str | int | None):
            raise InvalidValue(f"{case!r} came as the name of a case; expected a string or a whole number.")
        if not number(budget) >= 0:
            raise InvalidValue(f"A budget of {budget!r} came; expected an amount, zero or more.")
        plan = core.Plan(
            self._compiled,
            self._policy if explore else self._settled(),
            self._belief,
            seed=self.seed,
            number=self._n_opened if explore else _TREE,
            selection=self._selection,
            drift=self._drift,
            price=[] if prices is None else self._prices_of(prices),
            budget=number(budget),
        )
        session = Session(
            plain(case),
            self.problem,
            plan,
            known={} if known is None else known,
            unavailable=unavailable,
            scores=self.thresholds.kind == "exp3",
            budget=min(number(budget), self._budget),
        )
        self._n_opened += explore
        return session

    def learn(self, evidence: Evidence, label: Label) -> None:
        """Learn from a case once its label is known; cases may come in any order."""
        try:
            values, thresholds = evidence["values"].items(), dict(evidence.get("thresholds", {}))
            rewards = [(int(view), float(amount)) for view, amount in evidence.get("rewards", ())]
        except (TypeError, ValueError, KeyError, AttributeError, OverflowError):
            raise InvalidValue(f"{evidence!r} is no evidence; give `session.evidence`.") from None
        seen = []
        for name, value in values:
            index = self.problem.feature_index(name)
            feature = self.problem.features[index]
            if isinstance(feature, Continuous):
                seen.append((index, 0, feature.number(value), self._view(index, thresholds.get(name, -1))))
            else:
                seen.append((index, feature.outcome(value), 0.0, -1))
        at = self.problem.label_index(label)
        try:
            core.learn(self._belief, self._drift, self._selection, seen, at, rewards)
        except (IndexError, ValueError, TypeError) as error:
            raise InvalidValue(f"The evidence does not fit this learner: {error}.") from None

    def learn_many(self, X: Any, y: Any, *, weights: Any = None) -> None:
        """Learn from a table of old cases whose cells are already paid for; missing cells teach nothing.

        With `weights`, one per case, the table is counted as a whole: the order of its rows makes no difference,
        a weight of 2 is the same as two rows, and 0 as none. Without, cut points are found row by row.

        A feature selection learns from the table too, every cell as it is, since all were sure to be had: row by row,
        or with `weights` from all rows at once. Exp3's sums stay as they are: they add up the gains that plans saw when
        they chose a threshold, and a table comes without plans; all thresholds are counted, however.
        """
        outcomes, values, labels = self._cases(X, y)
        if weights is None:
            given = None
            self._belief.update_many(self._compiled, outcomes, labels, values)
        else:
            given = _checked_weights(weights, len(labels))
            cases = beliefs.Weighted(labels, given)
            table = beliefs.from_table(self._fresh_belief(), self.problem, self._compiled, (outcomes, values), cases)
            self._belief.merge(table)
        self._selection.update_many(self._belief, self._compiled, outcomes, labels, values, given)

    def run(self, X: Any, y: Any, *, prices: Any = None, progress: Progress | None = None) -> Record:
        """Go through a stream case by case: plan, pay, answer, then learn from the label.

        Parameters
        ----------
        X
            Raw values, shape `(n_cases, n_features)`, or a frame (pandas, polars, pyarrow) with a column for each
            feature. NaN or None: could not be had. The whole table is checked; only cells that the plan asks for
            are used.
        y
            True labels, shape `(n_cases,)`, or the name of a column of the frame; None or NaN where the label
            never comes.
        prices
            What each feature costs in each case, shape `(n_cases, n_features)`, where it changes.
        progress
            Called with (cases done, cases in all) every thousand cases. An exception in it, or Ctrl-C,
            leaves a learner that has learned exactly the cases done.
        """
        outcomes, values, labels = self._cases(X, y)
        table = None if prices is None else _checked_prices(prices, outcomes.shape)

        def run(rows: slice) -> _Arrays:
            part = core.run(
                self._compiled,
                self._policy,
                self._belief,
                seed=self.seed,
                number=self._n_opened,
                outcomes=outcomes[rows],
                labels=labels[rows],
                values=values[rows],
                drift=self._drift,
                selection=self._selection,
                prices=None if table is None else table[rows],
            )
            self._n_opened += len(part[0])
            return part

        return self._record(_in_chunks(run, len(outcomes), progress))

    def evaluate(self, X: Any, y: Any = None, *, progress: Progress | None = None) -> Report:
        """Answer a hold-out from paid features only, by the tree of the mean belief; nothing is learned."""
        outcomes, values, truth = self._cases(X, y, held_out=True)
        tree = self._tree()
        parts = _in_chunks(lambda rows: tree.evaluate(outcomes[rows], values[rows]), len(outcomes), progress)
        record = self._record(parts)
        accuracy = loss = calibration = math.nan
        if (truth >= 0).any():
            answers = np.concatenate([predicted for predicted, *_ in parts])[truth >= 0]
            calibration = certificate.calibration_error(record.probability[truth >= 0], answers == truth[truth >= 0])
            truth = truth[truth >= 0]
            accuracy = float((truth == answers).mean())
            loss = float(self.problem.losses[truth, answers].mean())
        cost, n_asked = (float(a.mean()) if len(a) else math.nan for a in (record.cost, record.n_asked))
        return Report(record, accuracy, loss, cost, n_asked, calibration)

    def gap(self, *, depth: int | None = None) -> Gap:
        """Return what a case is expected to cost, prices and loss, beside the least that any policy could reach.

        The policy is that of `evaluate`, and both figures hold if the mean belief is true. Exact for up to 15 binary
        features or 9 of five values; beyond that, the least is a lower bound by information relaxation which rises
        with `depth`, up to 4 (see `ufodt.certificate`). A budget is not asked of the optimum.

        >>> from ufodt import Binary
        >>> learner = UFODT(Problem([Binary("fever"), Binary("cough")], labels=["healthy", "ill"]), seed=7)
        >>> learner.learn_many([[1, 0], [1, 1], [0, 1], [0, 0]] * 10, ["ill", "ill", "healthy", "healthy"] * 10)
        >>> gap = learner.gap()
        >>> gap.exact, round(gap.ratio, 9)
        (True, 1.0)
        """
        if self.thresholds.kind != "bins":
            raise InvalidPolicy(
                f"The optimum is known for bins only; this learner has {self.thresholds.kind} thresholds. "
                "Use thresholds.bins()."
            )
        worth = policies.worth(self.policy, self.problem)
        who = certificate.Follower(self._compiled, self.belief, self._tree(), worth, self.problem.losses)
        return certificate.gap(who, seed=self.seed, depth=depth)

    def probabilities(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of every label, shape `(n_cases, n_labels)`, from what `evaluate` would pay for."""
        outcomes, values, _ = self._cases(X, None, held_out=True)
        return self._tree().posteriors(outcomes, values)

    def tree(
        self,
        *,
        max_depth: int | None = None,
        min_share: float = 0.0,
        max_missing: int | None = 1,
        max_nodes: int = 20_000,
    ) -> "Tree":
        """Return the policy under the mean belief as a frozen tree: to read, to draw, to run elsewhere.

        The likeliest nodes are unrolled first. A node beyond a limit asks nothing and answers where it stands; when
        there is none, `tree.complete` is true and `tree.predict` answers every case that misses no more than
        `max_missing` of its values as `evaluate` does.

        Parameters
        ----------
        max_depth
            Questions on a path at most.
        min_share
            A node that a smaller share of cases reaches asks nothing.
        max_missing
            For how many values on a path it is planned what to do when they cannot be had; a case that misses more
            is answered where it stands. None: for all.
        max_nodes
            Nodes in all.
        """
        from ufodt.tree import unroll  # here, since not every program looks at its tree

        return unroll(
            self._tree(),
            self.problem,
            self._compiled.n_outcomes,
            max_depth=max_depth,
            min_share=min_share,
            max_missing=max_missing,
            max_nodes=max_nodes,
        )

    def merge(self, other: "UFODT") -> None:
        """Add what another learner of the same problem and prior has learned; the counts add exactly.

        Merging the same learner twice counts its cases twice. Where drift leads to a prior of its own, that must be the
        same too; what both have forgotten of the prior of the start adds up.
        """
        if not isinstance(other, UFODT):
            raise InvalidValue(f"{other!r} came to be merged; expected another learner.")
        parts = ("problem", "prior", "thresholds", "drift.prior")
        differ = [part for part in parts if attrgetter(part)(self) != attrgetter(part)(other)]
        if differ:
            raise InvalidValue(
                "Learners merge only when problem and prior and thresholds are the same; "
                f"these differ in {', '.join(differ)}."
            )
        self._belief.merge(other._belief)

    def discount(self, gamma: float) -> None:
        """Forget a fraction `gamma` of everything learned (paper, algorithm 5): the prior gains weight."""
        if not 0 <= number(gamma) <= 1:
            raise InvalidValue(f"A discount of {gamma!r} came; expected a fraction from 0 to 1.")
        self._belief.discount(number(gamma))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the learner to a file; a loaded learner goes on exactly as this one would."""
        model_file.write(path, *self._written())

    def __getstate__(self) -> tuple[dict[str, Any], dict[str, NDArray[np.float64]]]:
        return self._written()

    def __setstate__(self, state: tuple[dict[str, Any], dict[str, NDArray[np.float64]]]) -> None:
        described, arrays = state
        learner, sketches = _described(described)
        _fill(learner, described, sketches, arrays)
        self.__dict__.update(learner.__dict__)

    def _written(self) -> tuple[dict[str, Any], dict[str, NDArray[np.float64]]]:
        """Everything about the learner: what JSON can hold, and arrays."""
        settings = manifest.Settings(self.problem, self.policy, self.prior, self.thresholds, self.drift, self.selection)
        description = {
            **manifest.describe(settings),
            "drift_state": self._drift.state(),
            "seed": self.seed,
            "n_opened": self._n_opened,
            "sketches": {name: beliefs.sketch_sizes(belief) for name, belief in self._beliefs().items()},
        }
        arrays = {"weights": self._selection.weights}
        for name, belief in self._beliefs().items():
            arrays |= {f"{name}_{key}": array for key, array in beliefs.to_arrays(belief).items()}
        return description, arrays

    def _cases(self, X: Any, y: Any, *, held_out: bool = False) -> tuple[Outcomes, Values, LabelIndices]:
        """A table as outcomes, values and label indices; a hold-out may come without labels."""
        if frames.is_frame(X):
            y = None if y is None else frames.labels(X, y)
            X = frames.table(X, [feature.name for feature in self.problem.features])
        outcomes, values = self.problem.outcomes(X)
        if y is None and held_out:
            return outcomes, values, np.full(len(outcomes), -1, dtype=np.int32)
        return outcomes, values, self.problem.label_indices(y, len(outcomes))

    def _settled(self) -> core.Policy:
        """The policy under the mean belief; the paper plans and answers under one draw."""
        plan = None if self.policy.predict == "theta" else "mean"
        return policies.to_core(self.policy, self.problem, plan=plan)  # type: ignore[arg-type]

    def _tree(self) -> core.Tree:
        return core.Tree(
            self._compiled, self._settled(), self._belief, seed=self.seed, number=_TREE, selection=self._selection
        )

    def _prices_of(self, given: Mapping[str, float]) -> list[float]:
        if not isinstance(given, Mapping):
            raise InvalidValue(f"{given!r} came for the prices of a case; expected a price for each feature's name.")
        prices = self.problem.prices.copy()
        for name, price in given.items():
            index = self.problem.feature_index(name)
            try:
                prices[index] = self.problem.amount(price, name)
            except InvalidProblem as error:
                raise InvalidValue(str(error)) from None
        return [float(price) for price in prices]

    def _view(self, feature: int, threshold: Any) -> int:
        """The threshold of a feature by its number among all thresholds; -1 where there is none."""
        if self.thresholds.kind == "bins" or threshold == -1:
            return -1
        kind = self.problem.features[feature]
        n = len(kind.cuts) or self.thresholds.n if isinstance(kind, Continuous) else 0
        if isinstance(threshold, bool) or not isinstance(threshold, int) or not 0 <= threshold < n:
            raise InvalidValue(f"{kind.name}: threshold {threshold!r} came; expected a number from 0 to {n - 1}.")
        return self._belief.first_view(feature) + threshold

    def _fresh_belief(self) -> core.Belief:
        """The belief before the first case."""
        return beliefs.from_prior(self.prior, self.problem, self._compiled, self.thresholds, injected=self.drift.prior)

    def _beliefs(self) -> dict[str, core.Belief]:
        """What is believed, and what is kept in reserve while an alarm is on trial."""
        reserve = self._drift.reserve
        return {"belief": self._belief} if reserve is None else {"belief": self._belief, "reserve": reserve}

    def _record(self, parts: list[_Arrays]) -> Record:
        predicted, probability, cost, n_asked, asked = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
        return Record(self.problem.labels_at(predicted), probability, cost, n_asked, asked)


def load(path: str | os.PathLike[str]) -> UFODT:
    """Return the learner that was saved to a file."""
    described = model_file.read_manifest(path)
    try:
        learner, sketches = _described(described)
        shapes = {"weights": learner._selection.weights.shape}
        for name, sizes in sketches.items():
            shapes |= {f"{name}_{key}": shape for key, shape in beliefs.shapes(learner._belief, sizes).items()}
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError, UfodtError) as error:
        raise InvalidModelFile(f"{path}: the manifest does not describe a learner ({error!r}).") from error
    arrays = model_file.read_arrays(path, shapes)
    try:
        _fill(learner, described, sketches, arrays)
    except (LookupError, ValueError, TypeError, ArithmeticError) as error:
        raise InvalidModelFile(f"{path}: {error}.") from error
    return learner


def _described(described: Mapping[str, Any]) -> tuple[UFODT, dict[str, list[list[int]]]]:
    """The learner that is described, before its first case, and the sizes of the sketches of each of its beliefs."""
    settings = manifest.read(described)
    _check_size(settings.problem, settings.thresholds)
    learner = UFODT(**settings._asdict(), seed=described["seed"])
    learner._n_opened = _checked_seed(described["n_opened"])
    return learner, {name: _checked_sizes(sizes, settings.problem) for name, sizes in described["sketches"].items()}


def _fill(
    learner: UFODT,
    described: Mapping[str, Any],
    sketches: Mapping[str, list[list[int]]],
    arrays: Mapping[str, NDArray[np.float64]],
) -> None:
    """Give a learner everything that was learned."""
    restored = {
        name: beliefs.from_arrays(
            learner.belief, sizes, {key: arrays[f"{name}_{key}"] for key in beliefs.shapes(learner._belief, sizes)}
        )
        for name, sizes in sketches.items()
    }
    learner._belief = restored["belief"]
    learner._selection.set_weights(arrays["weights"])
    learner._drift.restore(learner._belief, described["drift_state"], restored.get("reserve"))


def _check_size(problem: Problem, cutting: Thresholds) -> None:
    """Refuse a description of a few bytes that would take all memory, before anything is made of it."""
    most = [max(len(f.cuts), cutting.n) + 1 if isinstance(f, Continuous) else len(f.values) for f in problem.features]
    if 8 * sum(most) * problem.n_labels > model_file.MAX_ARRAY_BYTES:
        raise ValueError("no model is that big")


def _checked_sizes(sizes: Any, problem: Problem) -> list[list[int]]:
    """Of each feature: cut points, cells of its sketch, values seen."""
    fine = all(len(size) == 3 and all(type(n) is int and 0 <= n < 2**62 for n in size) for size in sizes)
    if not fine or len(sizes) != problem.n_features:
        raise ValueError("three whole numbers per feature are expected of the sketches")
    return [list(size) for size in sizes]


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


def _checked_prices(prices: Any, shape: tuple[int, ...]) -> NDArray[np.float64]:
    try:
        table = np.ascontiguousarray(prices, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidValue("The prices must be numbers, one for each case and feature.") from None
    if table.shape != shape or not np.isfinite(table).all() or (table < 0).any():
        raise InvalidValue(f"Prices of shape {table.shape} came; expected {shape}, all finite and none negative.")
    return table


def _checked_weights(weights: Any, n_cases: int) -> NDArray[np.float64]:
    try:
        given = np.array(weights, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidValue("The weights must be numbers, one for each case.") from None
    if given.shape != (n_cases,) or not np.isfinite(given).all() or (given < 0).any():
        raise InvalidValue(f"Weights of shape {given.shape} came; expected {(n_cases,)}, all finite and none negative.")
    return given
