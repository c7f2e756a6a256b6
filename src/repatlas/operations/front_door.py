"""The results as they are found before anything is planned.

Snakemake goes by names, times and its own records. To these a file looks up to date that was put
there by hand, from a backup or by a wrong copy, and so does all that was made from it. Here every
file is asked what it is: its identity is looked for in its header, which takes 0.2 ms.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from repatlas.artifacts.access import NO_FILE, why_closed
from repatlas.artifacts.headers import identity_stated
from repatlas.record import Refused

if TYPE_CHECKING:
    from repatlas.operations.expected import Expected


def no_files(paths: Iterable[Path]) -> dict[Path, str]:
    """Return the paths that exist but are not files, with the reason for renaming them."""
    wrong = (path for path in paths if os.path.lexists(path) and not os.path.isfile(path))
    wrong = (path for path in wrong if not why_closed(path))  # it may be a link to a file
    return dict.fromkeys(wrong, NO_FILE)


def check_access(paths: Iterable[Path]) -> None:
    """Raises Refused where files that are there may not be read."""
    closed = {path: reason for path in paths if (reason := why_closed(path))}
    if closed:
        path, reason = next(iter(closed.items()))
        more = f", and {len(closed) - 1} more files" if len(closed) > 1 else ""
        raise Refused(
            f"{path} {reason}{more}: get the right to read them, or move them out of the way;"
            " `make verify` names each file"
        )


def sort_out(expected: Mapping[Path, Expected]) -> tuple[dict[Path, str], list[Path]]:
    """Return two groups of files. Files of the first belong elsewhere, and must be renamed for the
    given reason. Files of the second are damaged, or come from another config or other code: their
    jobs keep what they can.
    """
    foreign, stale = {}, []
    for path, wanted in expected.items():
        if not path.is_file() or identity_stated(path) == wanted.identity:
            continue
        # Only here, since it takes a second.
        from repatlas.artifacts.files import Unreadable
        from repatlas.operations.freshness import check_place, stated

        try:
            found = stated(path, wanted.stage)
        except Unreadable:
            stale.append(path)
            continue
        try:
            check_place(path, found, wanted)
        except Unreadable as error:
            foreign[path] = error.reason
        else:
            stale.append(path)
    return foreign, stale


def put_aside(wrong: dict[Path, str]) -> list[str]:
    """Rename them out of the way, not lost; a sentence on each."""
    from repatlas.artifacts.files import set_aside

    return [
        f"{path}: {reason}; set aside as {set_aside(path).name}" for path, reason in wrong.items()
    ]


def into_the_present(folders: Iterable[Path]) -> None:
    """Give files from the future, by another machine's clock, the time of now: Snakemake fails a
    job whose output is older than its input."""
    now = time.time()
    for folder in folders:
        for path in filter(Path.is_file, folder.rglob("*")):
            if path.stat().st_mtime > now:
                os.utime(path, (now, now))
