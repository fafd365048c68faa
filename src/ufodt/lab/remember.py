"""Figures that take long and never change, kept on disk: one small JSON file per figure, named by what it depends on.

The folder is `UFODT_CACHE`, or that of the user's caches. Whatever a figure depends on belongs into its key: data,
settings, versions of the packages. A file that cannot be read is as good as none.
"""

import hashlib
import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ufodt.lab.whole import whole


def remember(key: Mapping[str, Any], compute: Callable[[], Any]) -> Any:
    """Return what `compute` gives, from disk if it was computed before; key and value are what JSON can hold."""
    text = json.dumps(key, sort_keys=True)
    file = folder() / f"{hashlib.sha256(text.encode()).hexdigest()[:24]}.json"
    try:
        kept = json.loads(file.read_text())
        if kept["key"] == json.loads(text):
            return kept["value"]
    except (OSError, ValueError, KeyError, TypeError):
        pass
    value = compute()
    with whole(file) as unfinished:
        unfinished.write_text(json.dumps({"key": json.loads(text), "value": value}, indent=1))
    return json.loads(json.dumps(value))


def folder() -> Path:
    """Return where figures are kept."""
    given = os.environ.get("UFODT_CACHE")
    if given:
        return Path(given)
    import pooch

    return Path(pooch.os_cache("ufodt")) / "figures"
