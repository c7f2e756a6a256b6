"""The versions of a file: the files of its folder in the store, each named by its identity.

None is ever rewritten. Names in the results that a user reads are links to those that the config
wants now.
"""

import os
from pathlib import Path


def versions(path: Path) -> list[Path]:
    """Return the files of the same folder and suffix, the newest first. Files that are half written
    or were set aside are left out."""
    found = path.parent.glob(f"[0-9a-f]*{path.suffix}")
    return sorted(filter(Path.is_file, found), key=lambda each: -each.stat().st_mtime_ns)


def link(name: Path, to: Path) -> None:
    """Link a name in the results to a file of the store, and remove the link that it was."""
    target = os.path.relpath(to, name.parent)
    if name.is_symlink() and os.readlink(name) == target:
        return
    name.parent.mkdir(parents=True, exist_ok=True)
    new = name.with_name(f".{name.name}.{os.getpid()}")
    new.unlink(missing_ok=True)
    new.symlink_to(target)
    new.replace(name)
