"""The store as users see it: each file under its readable name, and what a config wants.

No rule makes a readable name. It is a link to the version of a file that the config and the code
imply. If that version is not made yet, there is no link: an old picture is never shown under a new
config.
"""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from repatlas.artifacts.versions import link
from repatlas.operations.expected import Expected
from repatlas.plan.plan import Plan

WANTED = ".wanted"
"""The suffix of a list of the files that a config wants, in the store."""


def show(expected: Mapping[Path, Expected]) -> None:
    """Link the name of each file to its place in the store. Remove the link if the file is not made
    yet."""
    for name, wanted in expected.items():
        if wanted.is_stored:
            if wanted.path.is_file():
                link(name, wanted.path)
            elif name.is_symlink():
                name.unlink()


def keep(plan: Plan, wanted: Iterable[Path]) -> None:
    """Write what this config wants, so that `clean-unused` leaves it in the store."""
    store = Path(plan.store)
    store.mkdir(parents=True, exist_ok=True)
    edition = "-".join(Path(plan.results).relative_to(store.parent).parts) or "all"
    paths = sorted({path.relative_to(store) for path in wanted if path.is_relative_to(store)})
    new = store / f".{edition}{WANTED}.{os.getpid()}"
    new.write_text("".join(f"{path}\n" for path in paths), encoding="utf-8")
    new.replace(store / f"{edition}{WANTED}")


def move_in(expected: Mapping[Path, Expected]) -> list[str]:
    """Move files that have a readable name into the store. They are of a release that had no store,
    or somebody put them there. The header of a file says which version it is. A file without such a
    header is set aside. Return a sentence on each file that was set aside, and on the rest."""
    # Only here, since it takes a second.
    from repatlas.artifacts.files import Unreadable, set_aside
    from repatlas.operations.freshness import check_place, stated

    said, moved = [], 0
    for name, wanted in expected.items():
        if not wanted.is_stored or name.is_symlink() or not os.path.lexists(name):
            continue
        try:
            header = stated(name, wanted.stage)
            check_place(name, header, wanted)
            place = wanted.path.with_name(f"{header['identity']}{name.suffix}")
            if place.exists():
                raise Unreadable(name, f"is there already, as {place}")
        except Unreadable as error:
            said.append(f"{name}: {error.reason}; set aside as {set_aside(name).name}")
            continue
        place.parent.mkdir(parents=True, exist_ok=True)
        name.rename(place)
        moved += 1
    return [*said, *([f"Moved into the store: {moved} files"] if moved else [])]
