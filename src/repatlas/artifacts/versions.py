"""The versions of a file in the store, and the links to those that a config wants.

No version is ever rewritten: its name is its identity.
"""

import os
import re
from contextlib import suppress
from pathlib import Path

IDENTITY = re.compile("[0-9a-f]{16}")


def is_version(path: Path) -> bool:
    """Return True if the name of a file is an identity, as in the store."""
    return bool(IDENTITY.fullmatch(path.stem))


def versions(path: Path) -> list[Path]:
    """Return the files in a file's folder that have an identity as name and the same suffix, the
    newest first. The file itself need not exist. Files that are half written, or were set aside,
    are left out."""
    found = [each for each in path.parent.glob(f"*{path.suffix}") if is_version(each)]
    return sorted(filter(Path.is_file, found), key=lambda each: -each.stat().st_mtime_ns)


def link(name: Path, to: Path) -> None:
    """Set a link from a name in the results to a file of the store, and remove an older link."""
    if name.is_symlink() and os.path.normpath(name.parent / os.readlink(name)) == str(to):
        return
    target = os.path.relpath(to, name.parent)
    name.parent.mkdir(parents=True, exist_ok=True)
    new = name.with_name(f".{name.name}.{os.getpid()}")
    new.unlink(missing_ok=True)
    new.symlink_to(target)
    if name.is_symlink():
        _touch(to)
    new.replace(name)


def _touch(path: Path) -> None:
    """Set the time of a file (utime) to now, since other workflows go by times."""
    with suppress(OSError):  # somebody else's file
        os.utime(path)
