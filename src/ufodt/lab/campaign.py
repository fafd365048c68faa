"""Many runs, on several processes, that may be killed at any moment and go on where they were.

A finished run is a file that appeared whole; what is left to do is what has no file. Nothing else is remembered.
"""

import json
import os
import signal
import threading
from collections.abc import Callable, Container, Generator, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import closing
from dataclasses import asdict, dataclass, field
from multiprocessing import get_context
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import Any

from ufodt.errors import InvalidPolicy, UfodtError
from ufodt.lab import experiment
from ufodt.lab.datasets import DatasetUnavailable
from ufodt.lab.experiment import Declaration, Run, Tuning
from ufodt.lab.material import material, seeds_of
from ufodt.lab.records import read_manifest
from ufodt.lab.regret import WORLDS
from ufodt.lab.whole import sweep

Job = Run | Tuning
Report = Callable[[str, float, float], None]
"""Called with what was finished, the effort done and the effort in all."""
_MANIFEST = "manifest.json"


@dataclass
class Outcome:
    """What a campaign did: how many jobs it took, found done, and which failed and why."""

    n_taken: int = 0
    n_found: int = 0
    failures: dict[str, str] = field(default_factory=dict)


def carry_out(
    runs: Iterable[Run],
    results: Path,
    *,
    n_jobs: int = 1,
    report: Report | None = None,
) -> Outcome:
    """Take all runs that were not taken before, the searches they need first, and return what happened."""
    wanted = list(dict.fromkeys(runs))
    outcome = Outcome()
    sweep(results)
    phases: list[list[Job]] = [list(experiment.tunings_of(wanted)), list(wanted)]
    left = [[job for job in phase if not experiment.is_done(job, results)] for phase in phases]
    outcome.n_found = sum(map(len, phases)) - sum(map(len, left))
    total = sum(job.effort for phase in left for job in phase)
    done = 0.0
    for phase in left:
        phase.sort(key=lambda job: -job.effort)
        with closing(_taken(phase, results, n_jobs)) as taken:
            for job, error in taken:
                done += job.effort
                if error is None:
                    outcome.n_taken += 1
                else:
                    outcome.failures[described(job)] = error
                if report is not None:
                    report(described(job), done, total)
    return outcome


def described(job: Job) -> str:
    """Return a job in a few words.

    >>> described(Tuning("led", "vfdt"))
    'led, tuning vfdt'
    """
    if isinstance(job, Tuning):
        return f"{job.dataset}, tuning {job.kind}"
    swept = "".join(f", {name} {value}" for name, value in job.settings)
    late = f", delay {job.protocol.delay}" if job.protocol.delay else ""
    return f"{Path(job.dataset).stem}, {job.method}{swept}{late}, seed {job.seed}"


def _taken(jobs: Sequence[Job], results: Path, n_jobs: int) -> Generator[tuple[Job, str | None]]:
    """Take the jobs and give each with its error, None if it went well."""
    if n_jobs == 1 or len(jobs) < 2:
        for job in jobs:
            yield job, _attempt(job, results)
        return
    context = get_context("spawn")
    stopped = context.Event()
    pool = ProcessPoolExecutor(n_jobs, mp_context=context, initializer=_prepare, initargs=(os.getpid(), stopped))
    try:
        waiting: dict[Future[str | None], Job] = {pool.submit(_attempt, job, results): job for job in jobs}
        while waiting:
            finished, _ = wait(waiting, return_when=FIRST_COMPLETED)
            for future in finished:
                yield waiting.pop(future), future.result()
    except BaseException:  # Ctrl-C: whatever is half done is taken again next time
        stopped.set()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _attempt(job: Job, results: Path) -> str | None:
    try:
        if isinstance(job, Tuning):
            experiment.tune(job, results)
        else:
            experiment.take(job, results)
    except (UfodtError, ArithmeticError, LookupError, TypeError, ValueError, FileNotFoundError) as error:
        return f"{type(error).__name__}: {error}" if not isinstance(error, UfodtError) else str(error)
    return None


def _prepare(parent: int, stopped: Event) -> None:
    """End this process when it is told to stop, or the one that started it is gone: no workers are left behind."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C goes to all; what to do about it is said by `stopped`

    def watch() -> None:
        while os.getppid() == parent and not stopped.wait(1.0):
            pass
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


# --- reading what was found ----------------------------------------------------------------------------


class Found:
    """The manifests of finished runs, read once each."""

    def __init__(self, results: Path, *, quick: bool = False) -> None:
        self.results = results
        self.quick = quick
        self._read: dict[Path, dict[str, Any] | None] = {}

    def of(self, run: Run) -> dict[str, Any] | None:
        """Return the manifest of a run, None if it was not finished."""
        path = run.path(self.results)
        if path not in self._read:
            self._read[path] = read_manifest(path)
        return self._read[path]

    def runs(self, declared: Declaration, dataset: str, method: str, value: Any = None) -> dict[int, dict[str, Any]]:
        """Return manifests by seed."""
        seeds = experiment.seeds_for(declared, dataset, quick=self.quick)
        jobs = {s: experiment.run_for(declared, dataset, method, s, value, quick=self.quick) for s in seeds}
        read = {seed: self.of(run) for seed, run in jobs.items()}
        return {seed: manifest for seed, manifest in read.items() if manifest is not None}

    def tuned(self, dataset: str, kind: str) -> dict[str, Any] | None:
        """Return the outcome of a search, None if there was none."""
        path = Tuning(dataset, kind).path(self.results)
        return json.loads(path.read_text()) if path.is_file() else None


def progress_of(declared: Declaration, found: Found, *, without: Container[str] = ()) -> tuple[int, int]:
    """Return how many runs of an experiment are finished, and of how many, `without` some data sets."""
    runs = [run for run in experiment.runs_of(declared, quick=found.quick) if run.dataset not in without]
    n_there = sum(run.path(found.results).is_file() for run in runs)
    if n_there == len(runs):  # then they are going to be read anyway
        n_there = sum(found.of(run) is not None for run in runs)
    return n_there, len(runs)


def own_files(names: Iterable[str], results: Path) -> list[str]:
    """Return the experiments of one's own that are named now, or were here before and can still be read."""
    own = [str(Path(name).resolve()) for name in names if name.endswith(".toml")]
    try:
        before = json.loads((results / _MANIFEST).read_text(encoding="utf-8"))["own"]
    except (OSError, ValueError, KeyError, TypeError):
        before = []
    return sorted({*own, *(path for path in before if _is_readable(path))})


def _is_readable(path: str) -> bool:
    try:
        experiment.read(Path(path))
    except (InvalidPolicy, TypeError):
        return False
    return True


def write_manifest(runs: Iterable[Run], results: Path, *, own: Sequence[str] = ()) -> Path:
    """Write down which file holds the records of which run, and return where; finished runs only.

    With the files of experiments that do not come with the package, so that they stay in the report.
    """
    entries = [
        {"records": str(run.path(results).relative_to(results)), **asdict(run)}
        for run in dict.fromkeys(runs)
        if run.path(results).is_file()
    ]
    path = results / _MANIFEST
    about = {"code": experiment.code(), "versions": experiment.versions(), "own": [*own], "n_runs": len(entries)}
    experiment.write_text(path, json.dumps({**about, "runs": entries}, indent=1))
    return path


def unavailable(declared: Iterable[Declaration]) -> dict[str, str]:
    """Return the data sets that cannot be had here, each with its sentence."""
    missing = {}
    for dataset in dict.fromkeys(name for one in declared for name in one.datasets if name not in WORLDS):
        try:
            material(dataset, seeds_of(dataset, 1)[0], limit=1)
        except DatasetUnavailable as error:
            missing[dataset] = str(error)
    return missing
