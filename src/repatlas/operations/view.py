"""The results as users see them: each file of the store under its readable name.

A name is a link to the version of a file that the config and the code imply. A version that is
missing has no link, so an old picture is never shown under a new config, and Snakemake makes what
has no link.

`show` sets the links once, while Snakemake reads the Snakefile and before it builds its graph. It
must be this early: Snakemake decides by the links what is missing. No rule and no function of a
rule changes a link before its job runs. A dry run changes none (`operations.look`).

A user may replace a link by another file, or copy a file onto it. The header of a file states its
identity, which takes 0.2 ms to read.
"""

import filecmp
import os
import time
from collections.abc import Iterable, Mapping
from pathlib import Path

from repatlas.artifacts.access import NO_FILE, why_closed
from repatlas.artifacts.headers import identity_stated
from repatlas.artifacts.layout import OF_STUDY, SHARED
from repatlas.artifacts.versions import link
from repatlas.named import names
from repatlas.operations.expected import Expected
from repatlas.plan.plan import Plan
from repatlas.record import Refused


def show(plan: Plan, expected: Mapping[Path, Expected]) -> dict[Path, str]:
    """Let each name lead to its file of the store, and remove the names of files that are not
    there, or that the whole config does not imply. Return the names whose files are not what they
    should be, with what was done: these are renamed or moved into the store."""
    wrong: dict[Path, str] = {}
    others = names_in(Path(plan.results)) - expected.keys() if plan.is_whole else set()
    for name in filter(Path.is_symlink, others):
        name.unlink()
    for name, wanted in expected.items():
        path = wanted.path
        if not name.is_symlink() and os.path.lexists(name):
            both = name.is_file() and path.is_file()
            if both and filecmp.cmp(name, path, shallow=False):
                name.unlink()  # of a folder that was copied without its links
            else:
                wrong[name] = _taken_in(name, wanted)
        try:
            is_right = path.is_file() and identity_stated(path) == wanted.identity
        except OSError:  # it may not be read, which `check_access` says
            continue
        if is_right:
            link(name, path)
            continue
        if os.path.lexists(path):
            reason = "is not what its name says" if path.is_file() else NO_FILE
            wrong[name] = _moved(path, reason)
        if name.is_symlink():
            name.unlink()
    return wrong


def old_pages(pages: Mapping[Path, str]) -> list[Path]:
    """Return the report pages that do not state these identities."""
    return [page for page in pages if page.is_file() and identity_stated(page) != pages[page]]


def names_in(results: Path) -> set[Path]:
    """Return every name of a file in the results: links into the store, and what else is there."""
    of_studies = [f"{study}/{folder}" for study in names("studies") for folder in OF_STUDY]
    return {
        Path(folder, name)
        for part in (*SHARED, *of_studies)
        for folder, _, files in os.walk(results / part)
        for name in files
        if not name.startswith(".")
    }


def _moved(path: Path, reason: str) -> str:
    """Rename a file of the store out of the way, and return a sentence on it."""
    from repatlas.artifacts.files import set_aside

    return f"{path}: {reason}; set aside as {set_aside(path).name}"


def _taken_in(name: Path, wanted: Expected) -> str:
    """Move a file that has the readable name itself into the store: a release without a store made
    it, or somebody put it there. Its header says which version it is. A file of another place, or
    of a version that is there, is set aside."""
    # Only here, since it takes a second.
    from repatlas.artifacts.files import Unreadable, set_aside
    from repatlas.operations.freshness import check_place, stated

    try:
        if not name.is_file():
            raise Unreadable(name, NO_FILE)
        header = stated(name, wanted.stage)
        check_place(name, header, wanted)
        place = wanted.path.with_name(f"{header['identity']}{name.suffix}")
        if place.exists():
            raise Unreadable(name, f"is in the store already, as {place.name}")
    except Unreadable as error:
        return f"{name}: {error.reason}; set aside as {set_aside(name).name}"
    place.parent.mkdir(parents=True, exist_ok=True)
    name.rename(place)
    return f"{name}: moved into the store"


def check_access(paths: Iterable[Path]) -> None:
    """Check that files that are there may be read. Raises Refused."""
    closed = {path: reason for path in paths if (reason := why_closed(path))}
    if closed:
        path, reason = next(iter(closed.items()))
        more = f", and {len(closed) - 1} more files" if len(closed) > 1 else ""
        raise Refused(
            f"{path} {reason}{more}: get the right to read them, or move them out of the way;"
            " `make verify` names each file"
        )


def clamp_future_times(folders: Iterable[Path]) -> None:
    """Give files from the future, by another machine's clock, the time of now: Snakemake fails a
    job whose output is older than its input."""
    now = time.time()
    for folder in folders:
        for path in filter(Path.is_file, folder.rglob("*")):
            if path.stat().st_mtime > now:
                os.utime(path, (now, now))
