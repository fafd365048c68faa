"""The door of the command line: it opens without click and rich too, if only to say how to get them."""

import sys
from importlib.util import find_spec
from io import TextIOWrapper

from ufodt.errors import UfodtError


def main() -> None:
    """Run `ufodt` with the arguments of the process."""
    missing = [name for name in ("click", "rich") if find_spec(name) is None]
    if missing:
        sys.exit(f'The ufodt command needs {" and ".join(missing)}: pip install "ufodt[cli]"')
    from ufodt.app.commands import commands

    for stream in (sys.stdin, sys.stdout):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # a sign that a terminal does not know is no reason to end
    try:
        commands(prog_name="ufodt")
    except UfodtError as error:
        sys.exit(f"ufodt: {error}")
    except ModuleNotFoundError as error:
        name = (error.name or "").partition(".")[0]
        if name in ("", "ufodt"):
            raise
        sys.exit(f'ufodt: this command needs {name}, which is not installed: pip install "ufodt[all]"')
    except OSError as error:  # a full disk, a folder that may not be written to
        sys.exit(f"ufodt: {error.strerror or error}{f': {error.filename}' if error.filename else ''}")
