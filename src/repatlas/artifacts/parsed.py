"""What earlier processes found when they parsed modules and claims files, in a file in the folder
`__pycache__`.

An entry has the hash of the text as its key, and of the code that parses it, so it cannot be out of
date. A process without the right to write, or which is told to write no compiled modules, parses
again.
"""

import atexit
import hashlib
import json
import os
import sys
from contextlib import suppress
from functools import cache
from importlib.util import cache_from_source
from pathlib import Path
from typing import Any

LARGEST = 4_000_000
"""Characters. A larger file, which has many versions of the code, begins again."""
_added: dict[str, Any] = {}


def key(kind: str, text: str) -> str:
    """Return the key of a text. kind: the file of the code that parses it."""
    return hashlib.sha256(f"{_hash_of(kind)} {text}".encode()).hexdigest()


def get(key: str) -> Any:
    """Return what was found for a text, given its hash; None if no process has parsed it."""
    return _added.get(key) or _stored().get(key)


def add(key: str, found: Any) -> None:
    """Keep what was found for a text. It is written when the process ends."""
    if not _added and not sys.dont_write_bytecode:
        atexit.register(_write)
    _added[key] = found


@cache
def _stored() -> dict[str, Any]:
    try:
        found = json.loads(_place().read_bytes())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


@cache
def _place() -> Path:
    return Path(cache_from_source(__file__)).with_suffix(".json")


@cache
def _hash_of(file: str) -> str:
    return hashlib.sha256(Path(file).read_bytes()).hexdigest()


def _write() -> None:
    """Write the entries of this process and of others, or remove what was written in vain."""
    _stored.cache_clear()
    entries = _stored() | _added
    new = _place().with_suffix(f".{os.getpid()}")
    try:
        new.parent.mkdir(exist_ok=True)
        text = json.dumps(entries)
        new.write_text(text if len(text) <= LARGEST else json.dumps(_added), encoding="utf-8")
        new.replace(_place())
    except OSError:
        with suppress(OSError):  # on a disk that is read-only
            new.unlink()
