from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Outcomes = NDArray[np.int16]
Seen = tuple[int, int, float, int]  # feature, outcome, value, view
DriftState = tuple[float, float, float, float, float, float, int, int, list[tuple[list[Seen], int]]]
RecordArrays = tuple[Ints, Floats, Floats, Ints, Ints]
Expected = tuple[float, float, float, float]  # price, loss, accuracy, number of questions
Nodes = tuple[Ints, Floats]  # rows of (parent, branch, feature, answer); probability of coming there

variant: str
MAX_LABELS: int
MAX_OUTCOMES: int
MAX_STATES: int
SKETCH_CELLS: int

class Problem:
    def __init__(
        self,
        n_outcomes: Sequence[int],
        n_labels: int,
        price: Sequence[float],
        later_price: Sequence[float],
        group: Sequence[int],
        loss: Floats,
        *,
        surcharge: Sequence[float] = ...,
        mandatory: Sequence[int] = ...,
        needs: Sequence[Sequence[int]] = ...,
        computed_from: Sequence[Sequence[int]] = ...,
        continuous: Sequence[int] = ...,
        cuts: Sequence[Sequence[float]] = ...,
    ) -> None: ...
    @property
    def n_outcomes(self) -> list[int]: ...
    @property
    def n_features(self) -> int: ...
    @property
    def n_labels(self) -> int: ...
    @property
    def has_one_loss(self) -> bool: ...
    @property
    def n_rows(self) -> int: ...
    @property
    def continuous(self) -> list[int]: ...

class Policy:
    def __init__(
        self,
        *,
        criterion: str,
        stop: Sequence[tuple[str, float, int]],
        budget: float,
        n_hypotheses: int,
        distinct: bool,
        redraw_below: int,
        predict_theta: bool,
        plan: str,
        lookahead: int = ...,
        greedy: bool = ...,
        spend_to_learn: float = ...,
    ) -> None: ...

class Drift:
    def __init__(self, *, gamma: float = 0.0, automatic: bool = False, threshold: float = 2.0) -> None: ...
    @property
    def n_alarms(self) -> int: ...
    @property
    def reserve(self) -> Belief | None: ...
    def state(self) -> DriftState: ...
    def restore(self, belief: Belief, state: DriftState, reserve: Belief | None) -> None: ...

class Selection:
    def __init__(
        self,
        problem: Problem,
        *,
        size: int = 0,
        by: str = "information",
        epsilon: float = 0.05,
        step: float = 0.05,
        radius: float = 10.0,
    ) -> None: ...
    @property
    def on(self) -> bool: ...
    @property
    def weights(self) -> Floats: ...
    def set_weights(self, weights: Floats) -> None: ...
    def merge(self, other: Selection) -> None: ...
    def update_many(
        self,
        belief: Belief,
        problem: Problem,
        outcomes: Outcomes,
        labels: Ints,
        values: Floats | None = None,
        weights: Floats | None = None,
    ) -> None: ...

class Belief:
    def __init__(
        self,
        problem: Problem,
        prior: Floats,
        label_prior: Floats,
        learns_labels: bool,
        *,
        thresholds: str = "bins",
        n_thresholds: int = 0,
        teach_all: bool = True,
        average: bool = False,
        normalise: bool = True,
        eta: float = 0.01,
        view_prior: float = 1.0,
        spread: float = 0.0,
    ) -> None: ...
    # One row for each outcome of each feature in turn, one column for each label; of a label, one entry for each.
    @property
    def prior(self) -> Floats: ...
    @property
    def counts(self) -> Floats: ...  # without the prior
    @property
    def label_prior(self) -> Floats: ...
    @property
    def label_counts(self) -> Floats: ...
    @property
    def learns_labels(self) -> bool: ...
    @property
    def overlap(self) -> float: ...
    @property
    def temper(self) -> Floats: ...
    def learn_temper(self) -> None: ...
    def set_temper(self, sums: Floats) -> None: ...
    def learn_pairs(self) -> None: ...
    @property
    def is_paired(self) -> bool: ...
    def pool(self, features: Sequence[int]) -> None: ...
    def using_pairs(self, uses: bool) -> Belief: ...
    @property
    def n_pairs(self) -> int: ...
    @property
    def pairs(self) -> Floats: ...
    def set_pairs(self, counts: Floats) -> None: ...
    def add_pairs(
        self, problem: Problem, outcomes: Outcomes, labels: Ints, values: Floats, weights: Floats
    ) -> None: ...
    @property
    def cuts(self) -> list[list[float]]: ...  # of each feature; a value on a cut is below it
    def sketch(self, feature: int) -> tuple[Floats, Floats, int]: ...
    def restore_sketch(
        self, feature: int, cuts: Sequence[float], values: Floats, counts: Floats, n_seen: int
    ) -> None: ...
    def views(self) -> tuple[Floats, Floats, Floats]: ...
    def restore_views(self, counts: Floats, uses: Floats, sums: Floats) -> None: ...
    def first_view(self, feature: int) -> int: ...
    @property
    def promises(self) -> tuple[Floats, Floats]: ...
    def set_counts(self, counts: Floats, label_counts: Floats) -> None: ...
    def copy(self) -> Belief: ...
    def update(self, evidence: Sequence[tuple[int, int]], label: int) -> None: ...
    def update_many(self, problem: Problem, outcomes: Outcomes, labels: Ints, values: Floats | None = None) -> None: ...
    def merge(self, other: Belief) -> None: ...
    def discount(self, gamma: float) -> None: ...
    def inject(self, prior: Floats, label_prior: Floats, *, view_prior: float) -> None: ...
    @property
    def is_injected(self) -> bool: ...
    @property
    def kept(self) -> float: ...
    def set_kept(self, kept: float) -> None: ...
    def posteriors(self, problem: Problem, outcomes: Outcomes, values: Floats, views: Sequence[int]) -> Floats: ...
    def mean(self) -> tuple[Floats, Floats]: ...  # P(outcome | label), in rows and columns as `counts`, and P(label)
    def draw(self, *, seed: int, stream: int = 0) -> Floats: ...  # of P(outcome | label)

class Plan:
    def __init__(
        self,
        problem: Problem,
        policy: Policy,
        belief: Belief,
        *,
        seed: int,
        number: int,
        selection: Selection | None = None,
        drift: Drift | None = None,
        price: Sequence[float] = ...,
        budget: float = ...,
        explore: bool = True,
    ) -> None: ...
    def begin(
        self,
        belief: Belief,
        *,
        seed: int,
        number: int,
        selection: Selection | None = None,
        drift: Drift | None = None,
        price: Sequence[float] = ...,
        budget: float = ...,
        explore: bool = True,
    ) -> None: ...
    def reset(self) -> None: ...
    def next(self) -> tuple[int, float, float] | None: ...
    def observe(self, feature: int, outcome: int, paid: bool = True) -> bytes: ...  # P(label) and trust before
    def skip(self, feature: int, charged: bool = False) -> None: ...
    def is_duty(self, feature: int) -> bool: ...
    def outcome(self, feature: int, value: float) -> int: ...
    def threshold(self, feature: int) -> int: ...
    def cuts(self, feature: int) -> list[float]: ...
    def rewards(self) -> list[tuple[int, float]]: ...
    def price(self, feature: int) -> float: ...
    def charge(self, feature: int, outcome: int) -> float: ...  # -1: without what an outcome may add
    def most(self, feature: int) -> float: ...
    def fits(self, feature: int) -> bool: ...
    @property
    def left(self) -> float: ...
    @property
    def spent(self) -> float: ...
    @property
    def asks_to_learn(self) -> bool: ...
    @property
    def trust(self) -> float: ...
    def predict(self) -> tuple[int, list[float]]: ...
    def gains(self) -> list[tuple[int, float, float]]: ...
    def paying(self) -> list[int]: ...
    def outlook(self, feature: int) -> Floats: ...
    def answer(self, p: list[float]) -> int: ...  # of least expected loss
    def theta(self) -> tuple[Floats, Floats]: ...
    def hypotheses(self) -> tuple[Ints, Ints, Floats]: ...

class Tree:
    def __init__(
        self,
        problem: Problem,
        policy: Policy,
        belief: Belief,
        *,
        seed: int,
        number: int,
        selection: Selection | None = None,
    ) -> None: ...
    @property
    def n_nodes(self) -> int: ...
    @property
    def cuts(self) -> list[list[float]]: ...
    @property
    def has_thresholds(self) -> bool: ...
    def unroll(self, *, max_depth: int, max_missing: int, min_share: float, max_nodes: int, n_steps: int) -> bool: ...
    def unrolled(self) -> tuple[Ints, Floats, Floats]: ...
    def evaluate(self, outcomes: Outcomes, values: Floats | None = None) -> RecordArrays: ...
    def posteriors(self, outcomes: Outcomes, values: Floats | None = None) -> Floats: ...
    def expected(self, theta: Floats, label: Floats) -> tuple[Expected, Nodes]: ...

class Optimal:
    def __init__(
        self,
        problem: Problem,
        theta: Floats,
        label: Floats,
        *,
        worth: float = 1.0,
        open: Sequence[int] | None = None,
        paid: Sequence[int] = (),
        known: Sequence[int] = (),
        price: Sequence[float] = (),
        budget: float = ...,
    ) -> None: ...
    @property
    def expected(self) -> Expected: ...
    @property
    def tree(self) -> Nodes: ...
    def question(self, evidence: Sequence[tuple[int, int]]) -> int | None: ...

def relaxed_bound(
    problem: Problem,
    theta: Floats,
    label: Floats,
    *,
    worth: float,
    depth: int,
    n_cases: int,
    seed: int,
    keeps_duties: bool = True,
) -> float: ...
def learn(
    belief: Belief,
    drift: Drift,
    selection: Selection,
    evidence: Sequence[Seen],
    label: int,
    rewards: Sequence[tuple[int, float]] = ...,
) -> None: ...
def learn_trust(
    belief: Belief,
    tree: Tree,
    outcomes: Outcomes,
    labels: Ints,
    values: Floats | None = None,
    weights: Floats | None = None,
    *,
    share: float = 1.0,
) -> None: ...
def run(
    problem: Problem,
    policy: Policy,
    belief: Belief,
    *,
    seed: int,
    number: int,
    outcomes: Outcomes,
    labels: Ints,
    values: Floats | None = None,
    drift: Drift | None = None,
    selection: Selection | None = None,
    prices: Floats | None = None,
    budgets: Floats | None = None,
    marks: NDArray[np.uint8] | None = None,
    explore: bool = True,
) -> RecordArrays: ...
def score_masses(criterion: str, mass: Floats) -> float: ...
def draw_gamma(shape: float, n: int, *, seed: int) -> Floats: ...
def draw_normal(n: int, *, seed: int) -> Floats: ...
def draw_words(n: int, *, seed: int, stream: int = 0) -> NDArray[np.uint64]: ...
