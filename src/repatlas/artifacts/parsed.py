"""What earlier processes found when they parsed modules, in a file in the folder `__pycache__`.

An entry has the hash of a module's text as its key, so it cannot be out of date. The name of the
file has the hash of the code that parses. A process without the right to write, or which is told
to write no compiled modules, parses again.
"""

import atexit
import hashlib
import json
import os
import sys
from functools import cache
from importlib.util import cache_from_source
from pathlib import Path
from typing import Any

MOST = 5_000
"""Entries. After more, which are from many versions of the code, the file begins again."""
_added: dict[str, list[Any]] = {}


def get(key: str) -> list[Any] | None:
    """Return what was found for a text, given its hash; None if no process has parsed it."""
    return _added.get(key) or _stored().get(key)


def add(key: str, found: list[Any]) -> None:
    """Keep what was found for a text. It is written when the process ends."""
    if not _added and not sys.dont_write_bytecode:
        atexit.register(_write)
    _added[key] = found


@cache
def _stored() -> dict[str, list[Any]]:
    try:
        found = json.loads(_place().read_bytes())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


@cache
def _place() -> Path:
    parser = Path(__file__).with_name("provenance.py")
    version = hashlib.sha256(parser.read_bytes()).hexdigest()[:12]
    return Path(cache_from_source(str(parser))).with_suffix(f".{version}.json")


def _write() -> None:
    """Write the entries of this process and of others, or remove what was written in vain."""
    _stored.cache_clear()
    entries = _stored() | _added
    new = _place().with_suffix(f".{os.getpid()}")
    try:
        new.parent.mkdir(exist_ok=True)
        new.write_text(json.dumps(entries if len(entries) <= MOST else _added), encoding="utf-8")
        new.replace(_place())
    except OSError:
        new.unlink(missing_ok=True)
