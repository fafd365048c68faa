"""Experiments: what a declaration says, what is run for it, and that a killed campaign ends as an undisturbed one."""

import json
import multiprocessing
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from ufodt.app.reproduce import show
from ufodt.errors import InvalidPolicy
from ufodt.lab import campaign, claims, declared, experiment, plots, report
from ufodt.lab.campaign import Found
from ufodt.lab.experiment import Declaration, Run
from ufodt.lab.methods import METHODS

from ..test_layers import imported

TINY = """
title = "Tiny"
about = "Some words."
kind = "curves"
measures = ["paid"]
datasets = ["stagger"]
methods = ["paper-ec2", "ufodt", "ufodt-auto", "constant", "nb_ddm"]
n_seeds = 3

[[claims]]
says = "UFODT is better than a constant answer."
where = "nowhere"
test = "better"
ours = ["ufodt", "ufodt-auto"]
others = ["constant"]
measure = "mean"

[[claims]]
says = "It asks less than naive Bayes."
where = "nowhere"
test = "cheaper"
ours = ["ufodt-auto"]
others = ["nb_ddm"]
"""


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("declared") / "tiny.toml"
    path.write_text(TINY)
    return path


@pytest.fixture(scope="module")
def undisturbed(tiny: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """Results and page of a campaign that nothing came in the way of."""
    results = tmp_path_factory.mktemp("undisturbed")
    return results, carried_out(tiny, results)


def carried_out(path: Path, results: Path, *, n_jobs: int = 1) -> str:
    """Run one declaration and return its page without times."""
    declared = [experiment.read(path)]
    runs = list(experiment.runs_of(declared[0], quick=True))
    outcome = campaign.carry_out(runs, results, n_jobs=n_jobs)
    assert not outcome.failures
    page = report.write(declared, Found(results, quick=True), results)
    return without_times(page.read_text())


def without_times(page: str) -> str:
    """Return a page without what depends on the clock.

    >>> without_times("a<!-- times --> 3 s <!-- /times -->b")
    'ab'
    """
    return re.sub(r"<!-- times -->.*?<!-- /times -->", "", page, flags=re.DOTALL)


# --- declarations ------------------------------------------------------------------------------------


def test_every_figure_and_table_of_the_paper_is_declared() -> None:
    names = {one.name for one in experiment.declarations()}
    assert {
        "figure2_test_utility", "figure3_cost", "figure4_continuous", "figure5_stagger", "table2_stagger_cost",
        "appendix_ofs", "appendix_hypotheses", "appendix_train_utility", "appendix_stagger_hypotheses",
        "appendix_prior", "theory_regret", "nine_data_sets",
    } <= names  # fmt: skip


@pytest.mark.parametrize("declared", experiment.declarations(), ids=lambda one: one.name)
def test_a_declaration_names_what_it_runs(declared: Declaration) -> None:
    run = {m for dataset in declared.datasets for m in declared.methods_on(dataset)}
    assert set(declared.draw) <= run
    for claim in declared.claims:
        assert {*claim.ours, *claim.others} <= run, claim.says
        assert claim.test in claims.TESTS and set(claim.datasets) <= set(declared.datasets)


def test_the_nine_data_sets_have_seeds_enough() -> None:
    (nine,) = experiment.declarations(["nine_data_sets"])
    assert len(nine.datasets) == 9
    for dataset in nine.datasets:
        assert len(experiment.seeds_for(nine, dataset)) >= (5 if dataset in ("led", "compas", "fico") else 10)
    for name in (
        "bernoulli_nb",
        "gaussian_nb",
        "nb_ddm",
        "amf",
        "hat",
        "vfdt-tuned",
        "efdt-tuned",
        "boosting",
        "oracle",
    ):
        assert name in nine.methods


def test_a_file_may_name_every_test_and_measure_there_is() -> None:
    assert set(declared.TESTS) == set(claims.TESTS)
    drawn = {measure for kind, known in declared.MEASURES.items() if kind != "regret" for measure in known}
    assert drawn == set(plots.MEASURES) and set(declared.MEASURES["sweep"]) == drawn


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (("kind = \"curves\"", "kind = \"pie\""), "kind = 'pie' came; expected one of curves"),
        (("\"constant\", \"nb_ddm\"", "\"const\""), "no method is called 'const'"),
        (("title =", "titel ="), "'titel' is not known"),
        (("title = \"Tiny\"", ""), "'title' is missing; write title = a text in quotes"),
        (("title = \"Tiny\"", "title = 3"), "title = 3 came; expected a text in quotes"),
        (("[\"paid\"]", "[\"payed\"]"), "measures of curves = 'payed' came; expected one of questions, online"),
        (("[\"paid\"]", "[\"total_questions\"]"), "measures of curves = 'total_questions' came"),
        (("[\"paid\"]", "[]"), "measures is empty"),
        (("[\"stagger\"]", "\"stagger\""), "datasets = 'stagger' came; expected a list of texts"),
        (("n_seeds = 3", "n_seeds = 0"), "n_seeds = 0 came; expected a whole number of at least 1"),
        (("n_seeds = 3", "n_seeds = \"ten\""), "n_seeds = 'ten' came; expected a whole number"),
        (("n_seeds = 3", "n_seeds = true"), "n_seeds = True came"),
        (("n_seeds = 3", "extra = {stagger = \"ufodt\"}"), "extra = .* came; expected methods for single data sets"),
        (("\"better\"", "\"beter\""), "claim 1: test = 'beter' came; expected one of no_worse"),
        (("\"better\"", "\"better_each\""), "claim 1: better_each goes pair by pair; 2 ours came and 1 others"),
        (("\"better\"", "\"rises\""), "claim 1: rises is about a sweep"),
        (("\"better\"", "\"bends\""), "is for kind = 'regret'"),
        (("\"mean\"", "\"means\""), "claim 1: measure = 'means' came"),
        (("others = [\"constant\"]\n", ""), "claim 1: better compares ours with others; name methods"),
        (("test = \"cheaper\"", "test = \"cheaper\"\nmargin = \"small\""), "margin = 'small' came; expected a number"),
        (("test = \"cheaper\"", "test = \"cheaper\"\ndatasets = [\"zoo\"]"), "claim 2: datasets = 'zoo' came"),
        (("\"curves\"", "\"sweep\"\nsweep = {setting = \"gama\", values = [1]}"), "setting = 'gama' came"),
        (("\"curves\"", "\"sweep\"\nsweep = {setting = \"gamma\", values = {zoo = [1]}}"), "values = a list"),
        (("\"curves\"", "\"sweep\"\nsweep = {setting = \"gamma\", values = [0.1]}"), "no method here heeds 'gamma'"),
        (("about = ", "about "), "not a readable TOML file"),
        (("n_seeds = 3", "n_seeds = 3\nsweep = {setting = \"gamma\", values = [0.1]}"), "only a sweep, has"),
    ],
)  # fmt: skip
def test_a_bad_declaration_is_refused_in_words(change: tuple[str, str], complaint: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(TINY.replace(*change))
    with pytest.raises(InvalidPolicy, match=complaint):
        experiment.read(path)


def test_an_unknown_experiment_is_refused_with_those_known() -> None:
    with pytest.raises(InvalidPolicy, match="no experiment is called 'figure9'; expected one of appendix_hypotheses"):
        experiment.declarations(["figure9"])
    with pytest.raises(InvalidPolicy, match="there is no file 'mine.toml'; check the path"):
        experiment.declarations(["mine.toml"])


# --- runs --------------------------------------------------------------------------------------------


def test_runs_that_experiments_share_are_the_same() -> None:
    second, third = experiment.declarations(["figure3_cost", "figure2_test_utility"])
    assert {run.key for run in experiment.runs_of(third)} <= {run.key for run in experiment.runs_of(second)}


def test_a_method_is_told_only_settings_that_it_knows() -> None:
    (prior,) = experiment.declarations(["appendix_prior"])
    runs = list(experiment.runs_of(prior))
    assert len({run.key for run in runs if run.method == "efdt"}) == 10
    assert len({run.key for run in runs if run.method == "paper-ec2-adaptive"}) == 60


def test_a_run_is_known_by_what_decides_its_result(tmp_path: Path) -> None:
    run = Run("led", "ufodt", 102, (), experiment.Protocol())
    others = [
        replace(run, seed=103), replace(run, settings=(("worth", 20),)), replace(run, limit=10),
        replace(run, protocol=experiment.Protocol(delay=3)), replace(run, priced=True),
    ]  # fmt: skip
    assert len({one.key for one in (run, *others)}) == 6
    table = tmp_path / "t.csv"
    keys = set()
    for text in ("a,label\n1,0\n", "a,label\n2,0\n"):
        table.write_text(text)
        experiment._table_digest.cache_clear()
        keys.add(replace(run, dataset=str(table)).key)
    assert len(keys) == 2


def test_results_depend_on_what_a_run_imports_and_on_nothing_else_of_the_lab() -> None:
    lab = experiment.PACKAGE / "lab"
    files = {file.stem: file for file in lab.glob("*.py") if file.stem != "__init__"}
    part, left = set[str](), {"baselines", "contestants", "evaluate", "material", "methods", "records", "regret"}
    while left:
        part.add(name := left.pop())
        modules = (module.split(".") for module in imported(files[name]) if module.startswith("ufodt.lab."))
        left |= {found for _, _, found, *_ in modules if found in files} - part
    part -= {"verdict"}  # figures beside bars, by which no run goes
    assert set(files) - part == {Path(name).stem for name in experiment._NOT_PART_OF_A_RUN}


def test_tuned_trees_wait_for_their_search(tmp_path: Path) -> None:
    run = Run("zoo", "vfdt-tuned", 102, (), experiment.Protocol(n_looks=2), limit=30)
    (search,) = experiment.tunings_of([run, replace(run, seed=103)])
    outcome = campaign.carry_out([run], tmp_path)
    assert (outcome.n_taken, outcome.failures) == (2, {})
    found = json.loads(search.path(tmp_path).read_text())
    assert len(found["scores"]) == 36 and found["accuracy"] == max(accuracy for _, accuracy in found["scores"])
    manifest = experiment.read_manifest(run.path(tmp_path))
    assert manifest is not None and manifest["settings"]["setting"] == found["setting"]


def test_a_run_that_fails_is_named_and_the_others_go_on(tmp_path: Path) -> None:
    fine = Run("stagger", "ufodt", 1, (), experiment.Protocol(n_looks=2), limit=20)
    bad = Run("led", "paper-ec2", 102, (("prior", 0.5),), experiment.Protocol(n_looks=2), limit=20)
    outcome = campaign.carry_out([bad, fine], tmp_path)
    assert outcome.n_taken == 1
    assert list(outcome.failures) == ["led, paper-ec2, prior 0.5, seed 102"]
    assert "known for Stagger" in outcome.failures["led, paper-ec2, prior 0.5, seed 102"]


# --- interruption ------------------------------------------------------------------------------------


class Interrupted(Exception):
    """What stops a campaign in these tests."""


def test_an_interrupted_campaign_goes_on_where_it_was(
    tiny: Path, undisturbed: tuple[Path, str], tmp_path: Path
) -> None:
    runs = list(experiment.runs_of(experiment.read(tiny), quick=True))
    taken: dict[Path, int] = {}
    for after in (1, 3, 4):  # runs, then the campaign is stopped
        count = 0

        def stop(*_: object, after: int = after) -> None:
            nonlocal count
            count += 1
            if count == after:
                raise Interrupted

        with pytest.raises(Interrupted):
            campaign.carry_out(runs, tmp_path, report=stop)
        files = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.parquet")}
        assert len(files) == len(taken) + after
        assert {path: files[path] for path in taken} == taken, "a finished run was taken again"
        taken = files
    assert carried_out(tiny, tmp_path) == undisturbed[1]


def test_a_campaign_on_several_processes_stops_at_once(tiny: Path, tmp_path: Path) -> None:
    declared = replace(experiment.read(tiny), n_seeds=20)
    runs = list(experiment.runs_of(declared))

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        campaign.carry_out(runs, tmp_path, n_jobs=2, report=stop)
    n_taken = len(list(tmp_path.rglob("*.parquet")))
    assert 1 <= n_taken <= 10 < len(runs)
    assert not multiprocessing.active_children(), "workers go on though the campaign has stopped"


def test_a_long_run_is_not_waited_for_when_a_campaign_stops(tiny: Path, tmp_path: Path) -> None:
    declared = replace(experiment.read(tiny), datasets=("led", "stagger"), methods=("efdt",), draw=(), n_seeds=1)

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        campaign.carry_out(
            list(experiment.runs_of(replace(declared, n_seeds_large=1))), tmp_path, n_jobs=2, report=stop
        )
    assert {path.parent.name for path in tmp_path.rglob("*.parquet")} == {"stagger"}  # LED would take ten seconds


def test_a_damaged_record_is_taken_again(tiny: Path, undisturbed: tuple[Path, str], tmp_path: Path) -> None:
    shutil.copytree(undisturbed[0], tmp_path, dirs_exist_ok=True)
    left = tmp_path / "records" / "stagger" / "half.4000000.tmp"
    left.write_text("half")
    victims = sorted(tmp_path.rglob("*.parquet"))[:2]
    victims[0].write_bytes(victims[0].read_bytes()[:100])
    victims[1].unlink()
    assert carried_out(tiny, tmp_path) == undisturbed[1]
    assert not left.exists()


def test_the_records_of_all_runs_are_one_table(undisturbed: tuple[Path, str]) -> None:
    import pyarrow.parquet

    results, _ = undisturbed
    table = pyarrow.parquet.read_table(results / "records").to_pandas()
    assert len(table) == 5 * 2 * (180 + 2 * 27)
    ours = table[(table.method == "ufodt") & (table.part == "stream")]
    assert ours.groupby("seed").size().tolist() == [180, 180]


def test_killed_at_any_moment_the_report_is_the_same(tiny: Path, undisturbed: tuple[Path, str], tmp_path: Path) -> None:
    command = [sys.executable, "-c", "from ufodt.app.cli import main; main()", "reproduce", str(tiny), "--quick"]
    command += ["--jobs", "2", "--out", str(tmp_path)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 120
    while process.poll() is None and not list(tmp_path.rglob("*.parquet")) and time.monotonic() < deadline:
        time.sleep(0.01)
    workers = [int(pid) for pid in _children(process.pid)]
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    deadline = time.monotonic() + 30
    while any(_is_alive(pid) for pid in workers):
        assert time.monotonic() < deadline, "a killed campaign left workers behind"
        time.sleep(0.1)
    n_before = len(list(tmp_path.rglob("*.parquet")))
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert f"{n_before} found finished" in done.stdout
    assert _without_absent((tmp_path / "report.html").read_text()) == undisturbed[1]


def test_ctrl_c_says_how_to_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(campaign, "carry_out", interrupt)
    console = Console(file=StringIO(), width=200)
    with pytest.raises(SystemExit) as ended:
        show(console, ["table2_stagger_cost"], quick=True, n_jobs=1, results=tmp_path)
    assert ended.value.code == 130
    assert "the same command goes on from there" in console.file.getvalue()  # type: ignore[attr-defined]


def _without_absent(page: str) -> str:
    """A page of the command without times, and without the list of experiments that were not asked for."""
    return re.sub(r'<div class="warn">Not on this page.*?</div>\n', "", without_times(page))


def _children(pid: int) -> list[str]:
    path = Path(f"/proc/{pid}/task/{pid}/children")
    return path.read_text().split() if path.exists() else []


def _is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


# --- the page ----------------------------------------------------------------------------------------


def test_the_page_is_whole_in_itself_and_says_what_was_decided(undisturbed: tuple[Path, str]) -> None:
    results, page = undisturbed
    words, pictures = re.subn(r"data:image/png;base64,[\w+/=]+", "", page)
    assert "http" not in words and pictures > 0
    assert "UFODT is better than a constant answer." in page and "holds" in page
    assert "A quick look" in page
    for suffix in ("png", "svg"):
        assert (results / "figures" / f"tiny.{suffix}").stat().st_size > 1000


def test_the_page_keeps_what_other_calls_have_finished_and_names_what_is_not_there(
    tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, results = tmp_path / "declared", tmp_path / "results"
    folder.mkdir()
    text = TINY.replace("n_seeds = 3", "n_seeds = 1")
    (folder / "first.toml").write_text(text.replace('"Tiny"', '"The first"'))
    (folder / "second.toml").write_text(text.replace('"Tiny"', '"The second"').replace('"nb_ddm"', '"gaussian_nb"'))
    (tmp_path / "mine.toml").write_text(text.replace('"Tiny"', '"My own"'))
    monkeypatch.setattr(experiment, "FOLDERS", (folder,))
    monkeypatch.chdir(tmp_path)

    def page(*names: str) -> str:
        assert show(Console(quiet=True), names, quick=True, n_jobs=1, results=results)
        return (results / "report.html").read_text()

    alone = page("second")
    assert 'id="second"' in alone and 'id="first"' not in alone
    assert re.search(r"Not on this page.*The first <small>\(\d+ of \d+ runs are there", alone)
    mine = page("mine.toml")
    assert 'id="mine"' in mine and 'id="second"' in mine
    assert 'id="first"' in mine, "it needs the same runs as mine, so it is there"
    last = page("second")
    assert all(f'id="{name}"' in last for name in ("first", "second", "mine")) and "Not on this page" not in last
    listed = json.loads((results / "manifest.json").read_text())
    assert {run["method"] for run in listed["runs"]} >= {"nb_ddm", "gaussian_nb"}
    (tmp_path / "mine.toml").write_text("no experiment any more")
    assert 'id="mine"' not in page("first"), "what was named earlier and cannot be read is in nobody's way"


def test_data_that_cannot_be_had_is_named(tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from ufodt.lab.datasets import DatasetUnavailable

    def refuse(*_: object, **__: object) -> None:
        raise DatasetUnavailable("there is no network; set UFODT_DATA.")

    monkeypatch.setattr(campaign, "material", refuse)
    missing = campaign.unavailable([experiment.read(tiny)])
    assert missing == {"stagger": "there is no network; set UFODT_DATA."}
    page = report.write([experiment.read(tiny)], Found(tmp_path / "r"), tmp_path / "r", missing=missing)
    assert "Stagger was not run: there is no network" in page.read_text()
    said = StringIO()
    show(Console(file=said, width=200), [str(tiny)], quick=True, n_jobs=1, results=tmp_path / "s")
    assert "It asks less than naive Bayes. (without stagger)" in said.getvalue()


@pytest.mark.parametrize("declared", experiment.declarations(), ids=lambda one: one.name)
def test_every_experiment_runs_at_toy_size(
    declared: Declaration, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, paper_folder: Path
) -> None:
    monkeypatch.setattr(experiment, "QUICK_CASES", 24)
    monkeypatch.setattr(experiment, "QUICK_SEEDS", 1)
    monkeypatch.setattr(experiment, "QUICK_LOOKS", 2)
    monkeypatch.setattr(experiment, "QUICK_WORLD_CASES", 150)
    monkeypatch.setattr(report, "QUICK_SEEDS", 1)
    names = tuple(n for n in declared.datasets if n not in ("compas", "fico"))
    toy = replace(declared, datasets=names[-1:])
    if declared.sweep:
        values = declared.values_on(toy.datasets[0])
        kept = tuple(dict.fromkeys((values[0], *(v for v in values if v == 9 or v == 1.0), values[-1])))
        toy = replace(toy, sweep={**declared.sweep, "values": kept})
    toy = replace(toy, claims=tuple(replace(claim, datasets=()) for claim in toy.claims))
    outcome = campaign.carry_out(experiment.runs_of(toy, quick=True), tmp_path)
    assert not outcome.failures
    found = Found(tmp_path, quick=True)
    page = report.write([toy], found, tmp_path).read_text()
    assert f'id="{toy.name}"' in page and "No run of this experiment" not in page
    decided = claims.decide(toy, found)
    assert all(verdict.comparisons for verdict in decided if not _needs_tuning(verdict.claim))


def _needs_tuning(claim: experiment.Claim) -> bool:
    return all(METHODS[m].tuned for m in claim.others) and bool(claim.others)
