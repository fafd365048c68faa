"""Every method by name: ours are `ufodt…`, the algorithm as printed is `paper-…`, the rest are peers.

>>> from ufodt.lab import datasets
>>> digits = datasets.led(300, seed=1)
>>> who = build("ufodt", digits, seed=1)
>>> online = who.run(digits.X, digits.y)
>>> bool(online.n_asked.mean() < build("bernoulli_nb", digits).run(digits.X, digits.y).n_asked.mean())
True
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ufodt import UFODT, Continuous, Problem, Selection, drift, stop, thresholds
from ufodt import policy as policies
from ufodt.errors import InvalidPolicy
from ufodt.lab import baselines, subsets, till
from ufodt.lab.contestants import Ceiling, Contestant, Ours, Peer, Renewed, Restricted
from ufodt.lab.datasets import PAPER, Dataset, to_problem
from ufodt.lab.datasets.generated import STAGGER_LENGTH
from ufodt.lab.expert import expert_prior
from ufodt.lab.printed import N_SELECTED, PAPER_GAMMA, printed_problem
from ufodt.lab.published import PUBLISHED

Settings = Mapping[str, Any]
N_HYPOTHESES = 128  # of the printed algorithm, on data that the paper does not have
ASK_ALL = stop.budget(1e15)


@dataclass(frozen=True, slots=True)
class Method:
    """A method's name for people, its name in the published figures, and how it is made."""

    label: str
    build: Callable[["Setup"], Contestant]
    published: str | None = None
    tuned: str | None = None  # the baseline whose setting is looked up
    knows: tuple[str, ...] = ()  # settings; the first trades accuracy for price


@dataclass(frozen=True, slots=True)
class Setup:
    """What a method is made from."""

    data: Dataset
    problem: Problem
    settings: Settings
    seed: int
    stream: Dataset | None  # to choose a fixed subset on, or to train offline
    everything: Dataset | None  # for the oracle alone

    def get(self, name: str, default: Any = None) -> Any:
        return self.settings.get(name, default)


def build(
    name: str,
    data: Dataset,
    *,
    problem: Problem | None = None,
    settings: Settings | None = None,
    seed: int = 0,
    stream: Dataset | None = None,
    everything: Dataset | None = None,
) -> Contestant:
    """Return a fresh contestant for rows such as those of `data`.

    Parameters
    ----------
    problem
        What may be asked and its prices; every feature costs 1 without it.
    settings
        `worth`, `n_hypotheses`, `gamma`, `k`, `prior` (share of the expert's), `setting` (of a tree), as far as the
        method knows them.
    stream, everything
        Rows that only methods with hindsight are shown: a fixed subset is chosen on the first, the ceiling trained on
        it, and the oracle takes its parameters from the second.
    """
    if name not in METHODS:
        raise InvalidPolicy(f"no method is called {name!r}; expected one of {', '.join(METHODS)}.")
    setup = Setup(data, problem or to_problem(data), settings or {}, seed, stream, everything)
    return METHODS[name].build(setup)


# --- how each is made ----------------------------------------------------------------------------------


def _printed(
    criterion: str,
    *,
    cut: str = "exhaustive",
    selects: bool = False,
    adapts: bool = False,
    concepts: tuple[int, ...] = (1, 2, 3),
) -> Any:
    def make(setup: Setup) -> Contestant:
        data, seed = setup.data, setup.seed
        name = published_name(criterion, cut=cut, selects=selects)
        known = PUBLISHED.get((data.name, name)) or PUBLISHED.get((data.name, name.removesuffix("-Exp3")))
        default = known.n_hypotheses if known is not None else None
        if default is None and data.name in PAPER:
            default = PAPER[data.name].n_hypotheses
        problem = setup.problem
        if data.name in PAPER and any(isinstance(f, Continuous) for f in problem.features):
            problem = printed_problem(setup.everything or data)  # cut points from the whole file, as printed
        share = setup.get("prior")
        prior = None if share is None else expert_prior(problem, share, concepts=concepts)
        size = setup.get("k", N_SELECTED.get(data.name, max(1, problem.n_features // 2))) if selects else 0
        learner = UFODT.paper(
            problem,
            criterion=criterion,
            n_hypotheses=setup.get("n_hypotheses", default or N_HYPOTHESES),
            prior=prior,
            thresholds=thresholds.paper("exp3" if cut == "exp3" else "exhaustive"),
            drift=drift.discount(setup.get("gamma", PAPER_GAMMA)) if adapts else None,
            selection=Selection.paper(size) if selects else None,
            seed=seed,
        )
        return Ours(learner)

    return make


def _informed(criterion: str) -> Any:
    """A learner that starts anew at each drift of Stagger, with what an expert knows of the concept to come."""

    def make(setup: Setup) -> Contestant:
        def of_the_day(n: int) -> Contestant:
            made: Contestant = _printed(criterion, adapts=True, concepts=(min(n, 2) + 1,))(setup)
            return made

        return Renewed(of_the_day, STAGGER_LENGTH, of_the_day(0))

    return make


def published_name(criterion: str, *, cut: str = "exhaustive", selects: bool = False) -> str:
    """Return the name of a printed variant in the published figures.

    >>> published_name("ig", cut="exp3")
    'UFODT-IG-Exp3'
    """
    spelled = criterion if criterion == "random" else criterion.upper()
    return f"UFODT-{spelled}{'-Exp3' if cut == 'exp3' else '-OFS' if selects else ''}"


def _ours(*, criterion: str | None = None, adapts: bool = False, rule: stop.Stop | None = None) -> Any:
    def make(setup: Setup) -> Contestant:
        return Ours(
            UFODT(
                setup.problem,
                criterion=criterion,
                stop=rule or _stop(setup),
                n_hypotheses=setup.get("n_hypotheses"),
                drift=drift.auto() if adapts else None,
                seed=setup.seed,
            )
        )

    return make


def _stop(setup: Setup) -> stop.Stop:
    """What a mistake is worth, in mean prices where no loss was given."""
    worth = setup.get("worth")
    if worth is None:
        return stop.cost_benefit()
    mean_price = float(setup.problem.prices.mean()) or 1.0
    return stop.cost_benefit(worth if setup.problem.has_currency else worth * mean_price)


def _oracle(setup: Setup) -> Contestant:
    """Parameters from all rows, hold-out included, for nothing: what is left to gain by knowing the world."""
    if setup.everything is None:
        raise InvalidPolicy("the oracle needs all rows of the data set; give `everything`.")
    policy = policies.Policy(stop=_stop(setup), plan="mean")
    learner = UFODT(setup.problem, policy=policy, seed=setup.seed)
    learner.learn_many(setup.everything.X, setup.everything.y)
    return Ours(learner, frozen=True)


def _peer(kind: str) -> Any:
    def make(setup: Setup) -> Contestant:
        setting = baselines.Setting(**setup.get("setting")) if setup.get("setting") else baselines.DEFAULT
        k = setup.get("k")
        if k is None or k >= setup.problem.n_features:
            price = 0.0 if kind == "constant" else _price(setup)
            baseline = baselines.build(kind, setup.data, setting=setting, seed=setup.seed)
            if kind == "constant":
                baseline.n_read = 0
            return Peer(baseline, price)
        columns = _columns(setup, k)
        narrow = narrowed(setup.data, columns)
        baseline = baselines.build(kind, narrow, setting=setting, seed=setup.seed)
        return Restricted(Peer(baseline, _price(setup, columns)), columns)

    return make


def _static(setup: Setup) -> Contestant:
    """Naive Bayes of ours on the k features that did best in hindsight, all of them bought in every case.

    Without k there are as many as the default learner asks for, on average, on the same stream.
    """
    k = setup.get("k")
    if k is None and setup.stream is not None:
        asked = UFODT(setup.problem, seed=setup.seed).run(setup.stream.X, setup.stream.y).n_asked
        k = max(1, round(float(asked.mean())))
    columns = _columns(setup, k)
    bought = [setup.problem.features[j] for j in columns]
    names = {feature.name for feature in bought}
    features = []
    for f in bought:
        if f.computed_from and names.issuperset(f.computed_from):  # it follows from the others, which are bought anyway
            f = replace(f, price=0.0, group=None, later_price=None)
        features.append(replace(f, computed_from=()))
    problem = replace(setup.problem, features=features)
    return Restricted(Ours(UFODT(problem, stop=ASK_ALL, seed=setup.seed)), columns)


def _ceiling(setup: Setup) -> Contestant:
    if setup.stream is None:
        raise InvalidPolicy("offline boosting needs the whole stream; give `stream`.")
    model = baselines.offline_boosting(setup.stream, seed=setup.seed)
    return Ceiling(model, _price(setup))


def _columns(setup: Setup, k: int | None) -> list[int]:
    if setup.stream is None or k is None:
        raise InvalidPolicy("a fixed subset is chosen on the stream; give `stream`.")
    best = np.isin(np.arange(setup.problem.n_features), subsets.ranked(setup.problem, setup.stream, n_best=k))
    columns: list[int] = np.flatnonzero(till.with_needs(setup.problem, best[None, :])[0]).tolist()
    return columns


def _price(setup: Setup, columns: list[int] | None = None) -> float:
    """What some features cost in a case, or all, with what their values add on average."""
    every = np.arange(setup.problem.n_features)
    members = np.isin(every, every if columns is None else columns)
    surcharges = till.mean_surcharges(setup.problem, setup.data.X)
    return float(till.prices_of(setup.problem, members[None, :], surcharges)[0])


def narrowed(data: Dataset, columns: list[int]) -> Dataset:
    """Return the data set with the chosen columns alone."""
    return replace(
        data,
        X=data.X[:, columns],
        feature_names=tuple(data.feature_names[j] for j in columns),
        kinds=tuple(data.kinds[j] for j in columns),
        categories=tuple(data.categories[j] for j in columns),
        prices=None if data.prices is None else tuple(data.prices[j] for j in columns),
    )


_OURS, _PEERS, _PRINTED = ("worth",), ("k",), ("n_hypotheses", "prior")
_OURS_DRAWN = (*_OURS, "n_hypotheses")  # criteria that draw hypotheses
METHODS: dict[str, Method] = {
    "ufodt": Method("ufodt (IG, default)", _ours(), knows=_OURS),
    "ufodt-ec2": Method("ufodt, EC2", _ours(criterion="ec2"), knows=_OURS_DRAWN),
    "ufodt-us": Method("ufodt, US", _ours(criterion="us"), knows=_OURS_DRAWN),
    "ufodt-rig": Method("ufodt, region information", _ours(criterion="rig"), knows=_OURS_DRAWN),
    "ufodt-gini": Method("ufodt, Gini", _ours(criterion="gini"), knows=_OURS),
    "ufodt-eced": Method("ufodt, ECED", _ours(criterion="eced"), knows=_OURS),
    "ufodt-auto": Method("ufodt, drift detected", _ours(adapts=True), knows=_OURS),
    "ufodt-random": Method("ufodt, random order", _ours(criterion="random"), knows=_OURS),
    "ufodt-all": Method("ufodt, all features", _ours(rule=ASK_ALL)),
    "static": Method("fixed subset, naive Bayes", _static, knows=_PEERS),
    "oracle": Method("oracle, parameters known", _oracle, knows=("worth",)),
    "constant": Method("constant answer", _peer("constant")),
    "vfdt": Method("VFDT", _peer("vfdt"), "VFDT", knows=_PEERS),
    "vfdt-tuned": Method("VFDT, tuned", _peer("vfdt"), "VFDT", tuned="vfdt", knows=_PEERS),
    "efdt": Method("EFDT", _peer("efdt"), "EFDT", knows=_PEERS),
    "efdt-tuned": Method("EFDT, tuned", _peer("efdt"), "EFDT", tuned="efdt", knows=_PEERS),
    "hat": Method("HAT", _peer("hat"), knows=_PEERS),
    "hat-tuned": Method("HAT, tuned", _peer("hat"), tuned="hat", knows=_PEERS),
    "amf": Method("AMF", _peer("amf"), knows=_PEERS),
    "bernoulli_nb": Method("Bernoulli naive Bayes", _peer("bernoulli_nb"), knows=_PEERS),
    "gaussian_nb": Method("Gaussian naive Bayes", _peer("gaussian_nb"), knows=_PEERS),
    "nb_ddm": Method("naive Bayes + DDM", _peer("nb_ddm"), knows=_PEERS),
    "boosting": Method("boosting, offline ceiling", _ceiling),
}
for _criterion in ("ec2", "ig", "us", "random"):
    for _suffix, _cut, _selects, _adapts in (
        ("", "exhaustive", False, False),
        ("-adaptive", "exhaustive", False, True),
        ("-exp3", "exp3", False, False),
        ("-ofs", "exhaustive", True, False),
    ):
        _name = published_name(_criterion, cut=_cut, selects=_selects)
        METHODS[f"paper-{_criterion}{_suffix}"] = Method(
            f"{_name}{' (adaptive)' if _adapts else ''}, printed",
            _printed(_criterion, cut=_cut, selects=_selects, adapts=_adapts),
            _name,
            knows=(*_PRINTED, *(("gamma",) if _adapts else ()), *(("k",) if _selects else ())),
        )
    METHODS[f"paper-{_criterion}-informed"] = Method(
        f"{published_name(_criterion)} (told of each drift), printed", _informed(_criterion), knows=(*_PRINTED, "gamma")
    )
