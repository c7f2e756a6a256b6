"""The results as they are found before anything is planned.

Snakemake goes by names, times and its own records. To these a file looks up to date that was put
there by hand, from a backup or by a wrong copy, and so does all that was made from it. Here every
file is asked what it is: its identity is looked for in its header, which takes 0.2 ms.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from repatlas.plan import Expected

IDENTITY = re.compile(rb'"identity\\*": \\*"([0-9a-f]{16})\\*"')
"""As it stands in a header; safetensors and PDF put backslashes before its quotation marks."""
LENGTH = 8
"""Bytes for the length of a safetensors header, and at the end of Parquet, with a mark."""
NO_FILE = "is a folder, or a link to nothing"


def no_files(paths: Iterable[Path]) -> dict[Path, str]:
    """What is in the place of a file and none, with the reason why it has to go."""
    wrong = (path for path in paths if os.path.lexists(path) and not path.is_file())
    return dict.fromkeys(wrong, NO_FILE)


def sort_out(expected: dict[Path, Expected]) -> tuple[dict[Path, str], list[Path]]:
    """The files that are not what their places say, each with the reason why it has to go; and
    those that are, but of another config or other code, or damaged: their jobs keep what they can.
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


def identity_stated(path: Path) -> str | None:
    """The identity that a file states, as it stands in its header; None if it states none."""
    with open(path, "rb") as file:
        content = _header(file, path.suffix)
    found = IDENTITY.search(content)
    return found and found[1].decode()


def _header(file, suffix: str) -> bytes:
    """The bytes of a file in which its header is."""
    size = os.fstat(file.fileno()).st_size
    match suffix:
        case ".safetensors":
            return file.read(min(int.from_bytes(file.read(LENGTH), "little"), size))
        case ".parquet" if size > LENGTH:
            file.seek(-LENGTH, os.SEEK_END)
            length = int.from_bytes(file.read(4), "little")
            file.seek(-min(LENGTH + length, size), os.SEEK_END)
            return file.read(length)
        case _:
            return file.read()
