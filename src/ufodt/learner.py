"""The outer loop: open a case, run whole streams, answer hold-outs; what is learned of them is in `memory`."""

import math
import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ufodt import certificate, core, stream
from ufodt import policy as policies
from ufodt import state as states
from ufodt.amount import number, plain
from ufodt.certificate import Gap
from ufodt.drift import Drift
from ufodt.errors import InvalidPolicy, InvalidValue
from ufodt.features import Continuous
from ufodt.manifest import Settings
from ufodt.memory import TREE, Memory
from ufodt.policy import Policy
from ufodt.prior import Prior
from ufodt.prior import paper as printed_prior
from ufodt.problem import Problem
from ufodt.selection import Selection
from ufodt.session import Session
from ufodt.stop import Stop
from ufodt.stream import Arrays, Progress, Record, Report
from ufodt.thresholds import Thresholds
from ufodt.thresholds import paper as printed_thresholds

if TYPE_CHECKING:
    from ufodt.tree import Tree

_KINDS: dict[str, tuple[type, str]] = {
    "problem": (Problem, "a Problem"),
    "policy": (Policy, "a Policy; a criterion goes to criterion="),
    "prior": (Prior, "a Prior, such as Prior(count=0.5) or what read_prior returns"),
    "thresholds": (Thresholds, "thresholds, such as thresholds.bins(6) or thresholds.exp3()"),
    "drift": (Drift, "a Drift, such as drift.auto() or drift.discount(0.05)"),
    "selection": (Selection, "a Selection, such as Selection(20)"),
}


class UFODT(Memory):
    """An online decision tree that pays for what it asks (UFODT, IJCAI 2023).

    Threads may share a learner: what changes it waits its turn, and each session belongs to whoever opened it.

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
        settings = Settings(
            problem,
            policy or Policy(**given),  # type: ignore[arg-type]
            prior or Prior(),
            thresholds or Thresholds(),
            drift or Drift(),
            selection or Selection(),
        )
        for name, (kind, example) in _KINDS.items():
            if not isinstance(getattr(settings, name), kind):
                raise InvalidPolicy(f"{name}={getattr(settings, name)!r} came; expected {example}.")
        self._take(states.begin(settings, seed))

    def __repr__(self) -> str:
        problem = self.problem
        return f"<UFODT: {problem.n_features} features, {problem.n_labels} labels, {self.n_opened} cases opened>"

    @classmethod
    def paper(
        cls,
        problem: Problem,
        *,
        criterion: str = "ec2",
        n_hypotheses: int,
        prior: Prior | None = None,
        thresholds: Thresholds | None = None,
        drift: Drift | None = None,
        selection: Selection | None = None,
        seed: int = 0,
    ) -> "UFODT":
        """Return the algorithm as printed: uniform fixed P(Y), distinct hypotheses, region stop.

        What is given replaces what is printed; parts as printed are `ufodt.thresholds.paper` and `Selection.paper`. Of
        a prior that is given, what it says is taken, and nothing is learned besides counts (`ufodt.prior.paper`). Where
        print leaves a choice, `docs/decisions/0006-fidelity-of-the-paper-preset.md` says which was made.
        """
        return cls(
            problem,
            policy=policies.paper(criterion=criterion, n_hypotheses=n_hypotheses),
            prior=printed_prior(prior or ()),
            thresholds=thresholds or printed_thresholds(),
            drift=drift,
            selection=selection,
            seed=seed,
        )

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
        if not isinstance(plain(explore), bool):
            raise InvalidValue(f"explore={explore!r} came; expected True or False.")
        with self._alone:
            plan = core.Plan(
                self._compiled,
                self._policy if explore else self._settled(),
                self._belief,
                seed=self.seed,
                number=self._n_opened if explore else TREE,
                selection=self._selection,
                drift=self._drift,
                price=[] if prices is None else self.problem.prices_with(prices),
                budget=number(budget),
                explore=bool(explore),
            )
            session = Session(
                plain(case),
                self.problem,
                plan,
                known={} if known is None else known,
                unavailable=unavailable,
                scores=self.thresholds.kind == "exp3",
            )
            self._n_opened += bool(explore)
        return session

    def run(
        self,
        X: Any,
        y: Any,
        *,
        prices: Any = None,
        known: Any = None,
        unavailable: Any = None,
        charged: Any = None,
        budget: Any = math.inf,
        progress: Progress | None = None,
    ) -> Record:
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
        known, unavailable
            Which cells are known from the start, and free; which are known from the start not to be had.
            Truth values of shape `(n_cases, n_features)`, or names of features that are so in every case.
        charged
            Likewise: where a price is paid for a cell that is asked for and could not be had.
        budget
            What a case may cost at most, or each case.
        progress
            Called with (cases done, cases in all) every thousand cases or sooner. An exception in it, or Ctrl-C,
            leaves a learner that has learned exactly the cases done.
        """
        outcomes, values, labels = stream.cases(self.problem, X, y)
        terms = stream.terms(
            self.problem,
            outcomes,
            prices=prices,
            known=known,
            unavailable=unavailable,
            charged=charged,
            budget=budget,
        )

        def run(rows: slice) -> Arrays:
            part, its_labels, its_values, its_terms = outcomes[rows], labels[rows], values[rows], terms.of(rows)
            with self._alone:
                first, seed, n_cases = self._n_opened, self.seed, len(part)
                # Before the call, since Ctrl-C is heard once a call is over, and with no other call in between: what is
                # counted must be what is learned.
                self._n_opened = first + n_cases
                return core.run(
                    self._compiled,
                    self._policy,
                    self._belief,
                    seed=seed,
                    number=first,
                    outcomes=part,
                    labels=its_labels,
                    values=its_values,
                    drift=self._drift,
                    selection=self._selection,
                    **its_terms,
                )

        return stream.record(self.problem, stream.in_chunks(run, len(outcomes), progress))

    def evaluate(
        self,
        X: Any,
        y: Any = None,
        *,
        prices: Any = None,
        known: Any = None,
        unavailable: Any = None,
        charged: Any = None,
        budget: Any = math.inf,
        progress: Progress | None = None,
    ) -> Report:
        """Answer a hold-out from paid features only, by the tree of the mean belief; nothing is learned.

        Where cases come on terms of their own (`prices`, `known`, `unavailable`, `charged` and `budget` as in `run`),
        every case is planned anew.
        """
        outcomes, values, truth = stream.cases(self.problem, X, y, held_out=True)
        terms = stream.terms(
            self.problem,
            outcomes,
            prices=prices,
            known=known,
            unavailable=unavailable,
            charged=charged,
            budget=budget,
        )
        if terms.are_usual:
            tree = self._tree()
            arrays = stream.in_chunks(lambda r: tree.evaluate(outcomes[r], values[r]), len(outcomes), progress)
            return stream.report(self.problem, arrays, truth)
        with self._alone:
            policy, belief, selection = self._settled(), self.belief, self._copy_of_selection()
        unknown = np.full_like(truth, -1)

        def answer(rows: slice) -> Arrays:
            return core.run(
                self._compiled,
                policy,
                belief,
                seed=self.seed,
                number=TREE,
                outcomes=outcomes[rows],
                labels=unknown[rows],
                values=values[rows],
                selection=selection,
                explore=False,
                **terms.of(rows),
            )

        return stream.report(self.problem, stream.in_chunks(answer, len(outcomes), progress), truth)

    def gap(self, *, depth: int | None = None) -> Gap:
        """Return what a case is expected to cost, prices and loss, beside the least that any policy could reach.

        The policy is that of `evaluate`, and both figures hold if the mean belief of single features is true; pairs are
        not read. Exact for up to 15 binary features or 9 of five values (where mistakes differ, only with fewer than
        about ten labels), except where a budget meets groups, surcharges or computed features: then the least is a
        lower bound. Beyond that size it is a bound by information relaxation, which rises with `depth`, up to 4 (see
        `ufodt.certificate`), and takes no budget into account.

        >>> from ufodt import Binary
        >>> learner = UFODT(Problem([Binary("fever"), Binary("cough")], labels=["healthy", "ill"]), seed=7)
        >>> learner.learn_many([[1, 0], [1, 1], [0, 1], [0, 0]] * 10, ["ill", "ill", "healthy", "healthy"] * 10)
        >>> gap = learner.gap()
        >>> gap.exact, round(gap.ratio, 9)
        (True, 1.0)
        """
        if self.thresholds.kind != "bins" and any(isinstance(f, Continuous) for f in self.problem.features):
            raise InvalidPolicy(
                f"The optimum is known for bins only; this learner has {self.thresholds.kind} thresholds. "
                "Use thresholds.bins()."
            )
        with self._alone:
            belief, tree = self.belief, self._tree()
        who = certificate.Follower(
            self._compiled,
            belief,
            tree,
            policies.worth(self.policy, self.problem),
            self.problem.losses,
            budget=policies.hard_budget(self.policy.stop),
            is_orderless=_is_orderless(self.problem),
        )
        return certificate.gap(who, seed=self.seed, depth=depth)

    def probabilities(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of every label, shape `(n_cases, n_labels)`, from what `evaluate` would pay for."""
        outcomes, values, _ = stream.cases(self.problem, X, None, held_out=True)
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
            Questions on a path at most, apart from those whose value cannot be had.
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


def _is_orderless(problem: Problem) -> bool:
    """Whether what a feature costs, and which duties fit a budget, hangs on nothing that was bought before."""
    duties = [f for f in problem.features if f.mandatory]
    compete = len(duties) > 1 and any(f.needs for f in duties)
    return not compete and not any(f.group is not None or f.surcharge or f.computed_from for f in problem.features)


def load(path: str | os.PathLike[str]) -> UFODT:
    """Return the learner that was saved to a file."""
    learner = UFODT.__new__(UFODT)
    learner._take(states.read(path))
    return learner
