"""The command line: what it says of itself, what it refuses, and what it costs to start."""

import subprocess
import sys

import pytest
from click.testing import CliRunner

import ufodt
from ufodt.app import cli
from ufodt.app.commands import commands
from ufodt.errors import InvalidPolicy


def test_help_names_every_command() -> None:
    result = CliRunner().invoke(commands, ["--help"])
    assert result.exit_code == 0
    for name in commands.commands:
        assert f"  {name}" in result.output


def test_version_is_that_of_the_package() -> None:
    result = CliRunner().invoke(commands, ["--version"])
    assert result.output.strip() == f"ufodt, version {ufodt.__version__}"


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["demo", "--cases", "0"], "0 is not in the range x>=1"),
        (["demo", "--seed", "-1"], "-1 is not in the range x>=0"),
        (["bench", "sped"], "No such command 'sped'"),
    ],
)
def test_bad_arguments_are_refused_in_words(arguments: list[str], complaint: str) -> None:
    result = CliRunner().invoke(commands, arguments)
    assert result.exit_code == 2
    assert complaint in result.output


@pytest.mark.parametrize("missing", ["click", "rich"])
def test_without_its_extra_the_command_says_how_to_get_it(missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli, "find_spec", lambda name: None if name == missing else name)
    with pytest.raises(SystemExit) as end:
        cli.main()
    assert end.value.code == f'The ufodt command needs {missing}: pip install "ufodt[cli]"'


def test_our_errors_end_as_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**_: object) -> None:
        raise InvalidPolicy("There is no such thing.")

    monkeypatch.setattr("ufodt.app.commands.commands", refuse)
    with pytest.raises(SystemExit) as end:
        cli.main()
    assert end.value.code == "ufodt: There is no such thing."


def test_a_package_that_is_missing_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "river.drift", None)

    def need(**_: object) -> None:
        import river.drift  # noqa: F401

    monkeypatch.setattr("ufodt.app.commands.commands", need)
    with pytest.raises(SystemExit) as end:
        cli.main()
    assert end.value.code == 'ufodt: this command needs river, which is not installed: pip install "ufodt[all]"'


def test_a_module_of_ours_that_is_missing_is_no_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    def need(**_: object) -> None:
        raise ModuleNotFoundError("gone", name="ufodt.gone")

    monkeypatch.setattr("ufodt.app.commands.commands", need)
    with pytest.raises(ModuleNotFoundError, match="gone"):
        cli.main()


def test_help_imports_nothing_that_only_a_command_needs() -> None:
    code = (
        "import sys; from ufodt.app.commands import commands\n"
        "commands(['--help'], standalone_mode=False)\n"
        "print({'numpy', 'rich', 'river', 'sklearn', 'pandas', 'ufodt.lab'} & set(sys.modules), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stderr.strip() == "set()"


def test_the_library_imports_nothing_heavy_but_numpy() -> None:
    code = "import sys; before = set(sys.modules); from ufodt import UFODT; print(*(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    packages = {name.partition(".")[0] for name in done.stdout.split()} - sys.stdlib_module_names
    assert packages == {"numpy", "ufodt"}
