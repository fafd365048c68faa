"""Speed and memory of the installed package through its public names, each figure against a bar.

Times are CPU times of this process, taken side by side with river's in the same run, so that a ratio survives
a busy machine and another one. A stream is cut into chunks; all contestants do a chunk before any does the
next, the whole is repeated with fresh learners, and of each chunk the fastest round counts. The learner has
the default policy but for the criterion, the paper's EC2, and the number of hypotheses.

>>> exponent([8, 16, 32], [1.0, 2.0, 4.0])
1.0
"""

import math
import os
import platform
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

import ufodt
from ufodt import core
from ufodt.lab import baselines, datasets
from ufodt.lab.datasets.dataset import Dataset, FloatArray, IntArray
from ufodt.lab.verdict import Measurements, Result, at_least, at_most

Work = Callable[[slice], object]
Start = Callable[[], Work]
"""Makes a fresh learner and returns what takes it through some rows of the stream."""

N_LED, N_NB30 = 128, 512  # hypotheses
_STATUS = Path("/proc/self/status")


@dataclass(frozen=True, slots=True)
class Effort:
    """How long to measure."""

    n_cases: int
    n_rounds: int
    n_sizes: int  # of each sweep, the smallest ones
    n_starts: int  # of a fresh interpreter
    n_holdout: int = 100_000
    n_chunks: int = 8
    n_sweep_cases: int = 300
    n_sweeps: int = 3


FULL = Effort(n_cases=4000, n_rounds=5, n_sizes=6, n_starts=9)
QUICK = Effort(n_cases=400, n_rounds=2, n_sizes=3, n_starts=2, n_chunks=2, n_sweep_cases=50, n_sweeps=1)


def measure(*, quick: bool = False) -> Measurements:
    """Give the measurements in order: what each is about, and the call that takes it."""
    effort = QUICK if quick else FULL
    yield (
        "LED next to river",
        lambda: next_to_river("led", datasets.led(effort.n_cases, seed=1), N_LED, effort),
    )
    yield (
        "nb30 next to river",
        lambda: next_to_river("nb30", datasets.nb30(effort.n_cases, seed=1), N_NB30, effort),
    )
    yield "hold-out", lambda: [holdout(effort)]
    for sweep in SWEEPS:
        yield f"growth with {sweep.of}", lambda sweep=sweep: [growth(sweep, effort)]  # type: ignore[misc]
    yield "memory", lambda: [memory()]
    yield "start", lambda: starts(effort)


def next_to_river(name: str, stream: Dataset, n_hypotheses: int, effort: Effort) -> list[Result]:
    """Return how many times faster than river's VFDT a case is: by `run`, by ask/tell, by river's own two calls."""
    contestants: dict[str, Start] = {
        "run": whole_stream(stream, lambda: _learner(stream, n_hypotheses)),
        "ask_tell": _ask_tell(stream, n_hypotheses),
    }
    has_river = find_spec("river") is not None
    if has_river:
        contestants["river"] = _as_in_river(stream, n_hypotheses)
        contestants["vfdt"] = vfdt(stream)
    seconds = fastest(contestants, len(stream.y), effort)
    micros = {who: 1e6 * s / len(stream.y) for who, s in seconds.items()}
    results = []
    ways = (("run", "run", 10.0), ("ask_tell", "ask/tell", 2.0), ("river", "predict_one + learn_one", 3.0))
    for way, what, bar in ways:
        note = f"{micros[way]:.1f} µs a case, VFDT {micros['vfdt']:.0f} µs" if has_river else "river is not installed"
        results.append(
            at_least(
                name=f"{way}_{name}",
                claim=f"{what}, {name} (N={n_hypotheses}), against VFDT",
                unit="times",
                bar=bar,
                measured=micros["vfdt"] / micros[way] if has_river else None,
                note=note,
                detail={"micros_per_case": micros, "n_cases": len(stream.y), "n_hypotheses": n_hypotheses},
            )
        )
    return results


def holdout(effort: Effort = FULL) -> Result:
    """Return the rows a second of `evaluate`, tables in and accuracy out."""
    stream = datasets.led(3000, seed=1)
    fresh = datasets.led(effort.n_holdout, seed=2)
    learner = _learner(stream, N_LED)
    learner.run(stream.X, stream.y)
    report = learner.evaluate(fresh.X, fresh.y)
    seconds = min(_cpu(lambda: learner.evaluate(fresh.X, fresh.y)) for _ in range(effort.n_rounds))
    return at_least(
        name="evaluate_led",
        claim=f"evaluate, {effort.n_holdout:,} led rows",
        unit="rows/s",
        bar=300_000,
        measured=effort.n_holdout / seconds,
        note=f"accuracy {report.accuracy:.3f}, {report.n_asked:.2f} questions a row",
        detail={"seconds": seconds, "accuracy": report.accuracy, "n_asked": report.n_asked},
    )


@dataclass(frozen=True, slots=True)
class Sweep:
    """A series of problems in which one size doubles."""

    of: str
    sizes: tuple[int, ...]
    shape: Callable[[int], tuple[int, int, int]]  # size to features, labels, hypotheses


SWEEPS = (
    Sweep("features", (16, 32, 64, 128, 256, 512), lambda size: (size, 4, 512)),
    Sweep("hypotheses", (1024, 2048, 4096, 8192, 16384, 32768), lambda size: (32, 4, size)),
    Sweep("labels", (4, 8, 16, 32, 64, 128), lambda size: (32, size, 512)),
)


def growth(sweep: Sweep, effort: Effort = FULL) -> Result:
    """Return the exponent with which the time of a whole case grows in one size.

    The source draws P(feature | label) uniformly, as `nb30` does, and the learner starts from nothing. What a
    case costs whatever its size flatters an exponent, and so does a larger source that happens to need fewer
    questions. Therefore each range begins where the fixed part has become small, and the steepest of three
    fits counts: over all sizes, over the upper half of them, and of the time per question. More labels need
    more questions; that stays in the first two.
    """
    sizes = sweep.sizes[: effort.n_sizes]
    tables = [_source(effort.n_sweep_cases, *sweep.shape(size)[:2], seed=3) for size in sizes]
    seconds = [math.inf] * len(sizes)
    n_asked = [0.0] * len(sizes)
    for _ in range(effort.n_sweeps):
        for i, (size, (X, y)) in enumerate(zip(sizes, tables, strict=True)):
            n_features, n_labels, n_hypotheses = sweep.shape(size)
            problem = _problem(n_features, n_labels)
            learner = ufodt.UFODT(problem, criterion="ec2", n_hypotheses=n_hypotheses, seed=1)
            start = time.process_time()
            record = learner.run(X, y)
            seconds[i] = min(seconds[i], time.process_time() - start)
            n_asked[i] = float(record.n_asked.mean())
    micros = [1e6 * s / effort.n_sweep_cases for s in seconds]
    half = len(sizes) // 2
    fits = {
        "all": exponent(sizes, micros),
        "upper_half": exponent(sizes[half:], micros[half:]),
        "per_question": exponent(sizes, [t / q for t, q in zip(micros, n_asked, strict=True)]),
    }
    return at_most(
        name=f"growth_{sweep.of}",
        claim=f"growth with {sweep.of}, {sizes[0]} to {sizes[-1]}",
        unit="exponent",
        bar=1.1,
        measured=max(fits.values()),
        note=f"{micros[0]:.0f} to {micros[-1]:.0f} µs, {n_asked[0]:.1f} to {n_asked[-1]:.1f} questions",
        detail={"sizes": list(sizes), "micros_per_case": micros, "n_asked": n_asked, "exponents": fits},
    )


def memory(n_features: int = 1000, n_labels: int = 20) -> Result:
    """Return by how many megabytes a fresh process grows for a learner at work."""
    code = f"from ufodt.lab import speed; print(speed.grown_by_a_learner({n_features}, {n_labels}))"
    if _STATUS.exists():
        done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
        megabytes, note = int(done.stdout) / 1e6, "growth of a fresh process at its peak"
    else:
        megabytes, note = None, f"needs {_STATUS}, which this system has not"
    return at_most(
        name="memory",
        claim=f"memory, {n_features:,} features, {n_labels} labels",
        unit="MB",
        bar=20,
        measured=megabytes,
        note=note,
    )


def grown_by_a_learner(n_features: int, n_labels: int) -> int:
    """Return the bytes by which this process grows, at its peak, for a learner at work.

    Everything counts: the problem with its names, the learner, a run, the tree of a hold-out and an open
    session; only the table of cases is there before. Call it in a fresh process (Linux). The peak counts from
    the start of the process, so the figure is an upper bound.
    """
    X, y = _source(20, n_features, n_labels, seed=3)
    _work(ufodt.UFODT(_problem(3, 2), criterion="ec2", seed=1), X[:, :3], y % 2)
    before = _resident("VmRSS")
    _work(ufodt.UFODT(_problem(n_features, n_labels), criterion="ec2", seed=1), X, y)
    return _resident("VmHWM") - before


def starts(effort: Effort = FULL) -> list[Result]:
    """Return the CPU seconds of `import ufodt` and `ufodt --help`, the start of Python and NumPy included."""
    programs = {
        "python": ["-c", "pass"],
        "numpy": ["-c", "import numpy"],
        "import": ["-c", "import ufodt"],
        "learner": ["-c", "from ufodt import UFODT"],
        "help": ["-c", "from ufodt.app.cli import main; main()", "--help"],
    }
    seconds = dict.fromkeys(programs, math.inf)
    for _ in range(effort.n_starts):
        for name, arguments in programs.items():
            seconds[name] = min(seconds[name], child_cpu(arguments))
    note = "Python {python:.3f} s, with NumPy {numpy:.3f} s, with the learner {learner:.3f} s".format_map(seconds)
    return [
        Result(f"start_{name}", claim, "s", "at most", bar, seconds[name], note, {"seconds": seconds})
        for name, claim, bar in (("import", "import ufodt", 0.25), ("help", "ufodt --help", 0.3))
    ]


def machine() -> dict[str, Any]:
    """Return what a reader of the figures must know about where they were taken."""
    return {
        "cpu": _cpu_model(),
        "n_cpus": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "core": core.variant,
        "versions": {name: _version(name) for name in ("ufodt", "numpy", "river", "click", "rich")},
    }


def fastest(contestants: Mapping[str, Start], n_cases: int, effort: Effort) -> dict[str, float]:
    """Return the CPU seconds of each contestant over the stream: of each chunk the fastest round, summed."""
    edges = np.linspace(0, n_cases, effort.n_chunks + 1).astype(int).tolist()
    chunks = [slice(a, b) for a, b in zip(edges, edges[1:], strict=False)]
    best = {name: [math.inf] * len(chunks) for name in contestants}
    for _ in range(effort.n_rounds):
        works = {name: start() for name, start in contestants.items()}
        for i, rows in enumerate(chunks):
            for name, work in works.items():
                start = time.process_time()
                work(rows)
                best[name][i] = min(best[name][i], time.process_time() - start)
    return {name: sum(times) for name, times in best.items()}


def child_cpu(arguments: Sequence[str]) -> float:
    """Return the CPU seconds of a fresh interpreter with these arguments."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def exponent(sizes: Sequence[float], times: Sequence[float]) -> float:
    """Return b of the fit times ~ sizes**b, least squares on logarithms."""
    slope, _ = np.polyfit(np.log(sizes), np.log(times), 1)
    return round(float(slope), 3)


def _cpu(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def _learner(stream: Dataset, n_hypotheses: int) -> ufodt.UFODT:
    return ufodt.UFODT(datasets.to_problem(stream), criterion="ec2", n_hypotheses=n_hypotheses, seed=1)


def whole_stream(stream: Dataset, fresh: Callable[[], ufodt.UFODT]) -> Start:
    """Return a contestant that takes a fresh learner through the stream by `run`."""

    def start() -> Work:
        learner = fresh()
        return lambda rows: learner.run(stream.X[rows], stream.y[rows])

    return start


def _as_in_river(stream: Dataset, n_hypotheses: int) -> Start:
    """The adapter, told nothing of the stream beforehand: features and labels join as they appear."""
    from ufodt.river import UFODTClassifier

    names = stream.feature_names
    cases = [dict(zip(names, row, strict=True)) for row in stream.X.astype(int).tolist()]
    return _two_calls(lambda: UFODTClassifier(criterion="ec2", n_hypotheses=n_hypotheses, seed=1), cases, stream.y)


def _two_calls(fresh: Callable[[], Any], cases: Sequence[Mapping[str, Any]], y: IntArray) -> Start:
    """Return a contestant that predicts and learns one case after the other, as everything of river does."""
    labels = y.tolist()

    def start() -> Work:
        model = fresh()

        def work(rows: slice) -> None:
            for case, label in zip(cases[rows], labels[rows], strict=True):
                model.predict_one(case)
                model.learn_one(case, label)

        return work

    return start


def _ask_tell(stream: Dataset, n_hypotheses: int) -> Start:
    names = stream.feature_names
    cases = [dict(zip(names, row, strict=True)) for row in stream.X.astype(int).tolist()]
    labels = stream.y.tolist()

    def start() -> Work:
        learner = _learner(stream, n_hypotheses)

        def work(rows: slice) -> None:
            for case, label in zip(cases[rows], labels[rows], strict=True):
                session = learner.open()
                while (question := session.ask()) is not None:
                    session.tell(question.feature, case[question.feature])
                session.predict()
                learner.learn(session.evidence, label)

        return work

    return start


def vfdt(stream: Dataset) -> Start:
    """Return river's tree with its defaults, called directly, categories as text: so it is fastest and best."""
    from river import tree

    cases = [baselines.nominal(stream)(row) for row in stream.X]
    return _two_calls(tree.HoeffdingTreeClassifier, cases, stream.y)


def _problem(n_features: int, n_labels: int) -> ufodt.Problem:
    return ufodt.Problem([ufodt.Binary(f"x{j}") for j in range(n_features)], labels=range(n_labels))


def _source(n_cases: int, n_features: int, n_labels: int, *, seed: int) -> tuple[FloatArray, IntArray]:
    """Cases whose binary features are independent given the label, every P(feature | label) uniform."""
    rng = np.random.default_rng(seed)
    theta = rng.random((n_features, n_labels))
    y = rng.integers(n_labels, size=n_cases)
    return (rng.random((n_cases, n_features)) < theta[:, y].T).astype(np.float64), y


def _work(learner: ufodt.UFODT, X: FloatArray, y: IntArray) -> None:
    learner.run(X, y)
    learner.evaluate(X[:1], y[:1])
    session = learner.open()
    session.ask()
    session.predict()


def _resident(entry: str) -> int:
    """Bytes of an entry of the process's own status, such as VmRSS (now) or VmHWM (at its peak)."""
    line = next(line for line in _STATUS.read_text().splitlines() if line.startswith(f"{entry}:"))
    return 1024 * int(line.split()[1])


def _cpu_model() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.processor() or "unknown"


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
