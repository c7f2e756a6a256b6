"""What exists at the path of a file, and whether it may be read."""

import os
import pwd
from pathlib import Path

NO_FILE = "is no file but a folder, a pipe, a device or a link to nothing"


def why_closed(path: Path) -> str | None:
    """Return why a file that is there may not be read, with the owner and the mode; None where it
    may be read, and where nothing is there."""
    if os.access(path, os.R_OK, effective_ids=True):
        return None
    try:
        path.stat()
    except PermissionError:
        above = _closed(path) or _closed(Path(os.path.realpath(path)))  # it may be a link
        return f"is in {above}, which may not be entered ({_owner_and_mode(above)})"
    except OSError:
        return None
    return f"may not be read ({_owner_and_mode(path)})"


def _closed(path: Path) -> Path | None:
    """Return the uppermost folder above a path that may not be entered, so its content is
    unknown."""
    above = [
        folder for folder in path.parents if not os.access(folder, os.X_OK, effective_ids=True)
    ]
    return above[-1] if above else None


def _owner_and_mode(path: Path) -> str:
    found = path.stat()
    try:
        owner = pwd.getpwuid(found.st_uid).pw_name
    except KeyError:  # of another machine
        owner = str(found.st_uid)
    return f"owner {owner}, mode {found.st_mode & 0o7777:04o}"
