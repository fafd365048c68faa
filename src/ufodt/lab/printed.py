"""The printed algorithm on continuous features, beside the published figures: no bars, since their program has faults.

The authors' splits, numbers of hypotheses and metrics are taken over. Cut points are theirs too: 0.1, 0.2, … 0.9 of the
range of the whole file, so that hold-out extremes leak into them. The variants are exhaustive thresholds, Exp3, and
exhaustive thresholds with online feature selection (OFS).
"""

from dataclasses import dataclass, replace

import numpy as np

from ufodt import UFODT, Continuous, Problem, Selection, thresholds
from ufodt.lab import all_features
from ufodt.lab.datasets import PAPER, load_paper, paper_split, to_problem
from ufodt.lab.datasets.dataset import Dataset, IntArray
from ufodt.lab.published import PUBLISHED, Published
from ufodt.lab.scores import UTILITIES
from ufodt.lab.verdict import Measurements, Result, Spread, at_most, spread

N_SELECTED = {"pima_diabetes": 6, "wdbc": 15, "fetal_health": 12}  # B, inferred from the published runs
PAPER_GAMMA = 0.05  # forgotten before each case where the world moves; not stated in the paper
VARIANTS = ("", "-Exp3", "-OFS")
N_LOOKS = 8  # at the hold-out with all features, over the last quarter of the stream


def measure(*, quick: bool = False) -> Measurements:
    """Give one measurement per data set, criterion and variant; a quick look takes one seed of the shortest stream."""
    for name in ("wdbc",) if quick else N_SELECTED:
        seeds = PAPER[name].seeds[:1] if quick else PAPER[name].seeds
        for method in (f"UFODT-{criterion}{variant}" for criterion in ("EC2", "IG") for variant in VARIANTS):
            yield (
                f"{name}, {method}",
                lambda name=name, method=method, seeds=seeds: [compare(name, method, seeds)],  # type: ignore[misc]
            )


@dataclass(frozen=True, slots=True)
class Run:
    """One stream and its hold-out under the printed algorithm."""

    questions: float  # per case of the stream
    online: float  # utility of the answers on the stream
    paid: float  # utility on the hold-out, from the features the policy pays for
    paid_questions: float
    everything: float  # utility on the hold-out with all features, as the paper has it


def compare(name: str, method: str, seeds: tuple[int, ...]) -> Result:
    """Return the questions per case of one method, with its utilities and the published figures in the note."""
    data, published = load_paper(name), PUBLISHED[name, method]
    runs = [run(data, method, published.n_hypotheses or 0, *paper_split(name, seed), seed=seed) for seed in seeds]
    found = {field: spread(getattr(run, field) for run in runs) for field in Run.__dataclass_fields__}
    return at_most(
        name=f"{name}_{method}".lower(),
        claim=f"{name}, {method} (N={published.n_hypotheses})",
        unit="questions",
        bar=None,
        measured=found["questions"],
        note=_note(found, published),
        detail={"ours": {k: v._asdict() for k, v in found.items()}, "published": published._asdict(), "seeds": seeds},
    )


def run(data: Dataset, method: str, n_hypotheses: int, stream: IntArray, holdout: IntArray, *, seed: int) -> Run:
    """Take the printed algorithm through one stream, and ask it about the hold-out in both ways."""
    criterion, _, variant = method.removeprefix("UFODT-").partition("-")
    learner = UFODT.paper(
        printed_problem(data),
        criterion=criterion.lower(),
        n_hypotheses=n_hypotheses,
        thresholds=thresholds.paper("exp3" if variant == "Exp3" else "exhaustive"),
        selection=Selection.paper(N_SELECTED[data.name]) if variant == "OFS" else None,
        seed=seed,
    )
    utility = UTILITIES[PAPER[data.name].metric]
    X, y = data.X[holdout], data.y[holdout]
    rng = np.random.default_rng(seed)
    begin, *rest = np.split(stream, np.linspace(0.75 * len(stream), len(stream), N_LOOKS + 1).astype(int)[:-1])
    records = [learner.run(data.X[begin], data.y[begin])]
    with_all = []
    for rows in rest:
        records.append(learner.run(data.X[rows], data.y[rows]))
        with_all += [utility(y, all_features.answer(learner, X, rng=rng)) for _ in range(all_features.N_DRAWS)]
    report = learner.evaluate(X)
    return Run(
        questions=float(np.concatenate([record.n_asked for record in records]).mean()),
        online=utility(data.y[stream], np.concatenate([record.predicted for record in records])),
        paid=utility(y, report.record.predicted),
        paid_questions=report.n_asked,
        everything=float(np.mean(with_all)),
    )


def printed_problem(data: Dataset, n_thresholds: int = 9) -> Problem:
    """Return the problem of numbers with cut points at equal steps of each one's range over the whole file."""
    problem = to_problem(data)
    low, high = data.X.min(axis=0), data.X.max(axis=0)
    steps = np.arange(1, n_thresholds + 1) / (n_thresholds + 1)
    features = [
        replace(feature, cuts=(low[j] + steps * (high[j] - low[j])).tolist())
        for j, feature in enumerate(problem.features)
        if isinstance(feature, Continuous)
    ]
    return replace(problem, features=features)


def _note(found: dict[str, Spread], published: Published) -> str:
    return (
        f"published {published.questions:.2f}; online {found['online']} (published {published.online:.3f}); "
        f"hold-out: paid features {found['paid']} at {found['paid_questions'].mean:.2f}, "
        f"all features {found['everything']} (published {published.test:.3f})"
    )
