"""A look at what a run would do, for example a dry run: no name and no file is changed.

Snakemake decides by the names in the results what is missing. A run first lets them lead to what
the config and the code imply (`view.show`). A look leaves them as they are, and tells Snakemake
what would be there.
"""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from repatlas.artifacts.access import NO_FILE
from repatlas.operations.expected import Expected, is_there


def look(expected: Mapping[Path, Expected]) -> tuple[dict[Path, Path | None], dict[Path, str]]:
    """Return where each name would lead, None if to no file; and, for each file that is not what it
    should be, what would be done with it."""
    leads: dict[Path, Path | None] = {}
    wrong: dict[Path, str] = {}
    for name, wanted in expected.items():
        path, is_name = wanted.path, os.path.lexists(name) and not name.is_symlink()
        if is_name:
            wrong[name] = f"{name}: is a file and no link; to be moved"
        if os.path.lexists(path) and not is_there(wanted):
            reason = "is not what its name says" if path.is_file() else NO_FILE
            wrong[name] = f"{path} {reason}; to be set aside"
        # A run moves it into the store, if it is the version that is wanted and the only one.
        place = name if is_name and not os.path.lexists(path) else path
        leads[name] = place if is_there(wanted._replace(path=place)) else None
    return leads, wrong


def tell_snakemake(leads: Mapping[Path, Path | None], absent: Iterable[Path]) -> None:
    """Let Snakemake in this process find these names there, with the times of the files to which
    they lead, and others absent."""
    from snakemake.io import Mtime, _IOFile

    places = {str(name): place for name, place in leads.items()} | dict.fromkeys(map(str, absent))
    exists, mtime, protected = _IOFile.exists_local, _IOFile.mtime_uncached, _IOFile.protected

    async def exists_local(file: _IOFile) -> bool:
        return bool(places[file]) if file in places else await exists(file)

    async def mtime_uncached(file: _IOFile, skip_storage: bool = False) -> Mtime:
        if place := places.get(file):
            return Mtime(local=place.stat().st_mtime)
        return await mtime(file, skip_storage)

    async def is_protected(file: _IOFile) -> bool:
        return file not in places and await protected(file)

    _IOFile.exists_local, _IOFile.mtime_uncached = exists_local, mtime_uncached
    _IOFile.protected = is_protected
