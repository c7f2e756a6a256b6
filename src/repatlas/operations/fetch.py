"""Results are fetched from the sources of the config before a run computes what is missing.

A file that a source has needs nothing that it is made from: for a finished figure no network is
fetched. If no source has a file, what it is made from is looked for. Of networks and numbers of
another version, the job takes those that it needs, and so other versions are fetched then.

Each file is whole and what its name says, or it is not kept. If a source does not answer, the run
computes as it would without it. A wrong byte ends the run: somebody should know.
"""

import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from repatlas.artifacts.files import Unreadable, set_aside, whole_file
from repatlas.operations.blocks import Blocks
from repatlas.operations.expected import Expectations, Expected, is_there
from repatlas.operations.freshness import check_place, read_whole
from repatlas.operations.sources import INDEX, SECONDS, Failed, Source
from repatlas.plan.plan import Plan
from repatlas.record import Refused

CONNECTIONS = 4
"""Files that are fetched at a time."""
ENOUGH = 3
"""Failures after which a source is asked for no more files."""
IN_PARTS = ("train", "measure", "compare_networks", "compare_files")
"""The stages whose jobs take what they can from other versions of their file."""


def fetch(
    plan: Plan,
    expected: Expectations,
    names: Iterable[Path],
    say: Callable[[str], None],
    dry_run: bool = False,
    seconds: float = SECONDS,
) -> None:
    """Fetch what the sources of the config have of these files, or of what they are made from. A
    dry run only says how much that is. Raises Refused for a file that is not what was written."""
    jobs = {expected[name].job for name in names}
    # A job makes all of its files, though not all of them may have been asked for.
    asked = [name for name, wanted in expected.items() if wanted.job in jobs]
    waiting = _missing(expected, asked)
    if not waiting:
        return
    # A job also makes what else is missing in its block.
    sources, blocks = Sources(plan, seconds, say), Blocks(expected, lambda n: is_there(expected[n]))
    sizes: dict[Path, int] = {}
    while waiting:
        offered = {path: name for name in waiting for path in sources.of(expected[name])}
        wanted = {path: expected[name] for path, name in offered.items()}
        sizes |= sources.sizes(wanted) if dry_run else sources.save_all(wanted)
        left = [name for name in waiting if expected[name].path not in sizes]
        needed = dict.fromkeys(
            each for name in left for each in (*expected[name].inputs, *blocks.together(name))
        )
        waiting = _missing(expected, [name for name in needed if name not in asked])
        asked += waiting
    if sizes:
        told = f"{len(sizes)} of the files that are missing, {sum(sizes.values()) / 1e6:,.1f} MB"
        say(f"A run would first fetch {told}." if dry_run else f"Fetched {told}.")
    for source in sources.sources:
        if source.failures:
            say(
                f"{source.place}: {len(source.failures)} of its files did not arrive, such as"
                f" {source.failures[0]}; without another source they are computed"
            )


def _missing(expected: Mapping[Path, Expected], names: Iterable[Path]) -> list[Path]:
    return [name for name in names if not is_there(expected[name])]


class Sources:
    """The sources of a config that answer, and where in the store their files belong."""

    def __init__(self, plan: Plan, seconds: float, say: Callable[[str], None]):
        self.sources = []
        self._by_path: dict[Path, list[Source]] = defaultdict(list)
        self._versions: dict[tuple[Path, str], set[Path]] = defaultdict(set)
        self._store = plan.store
        for place in plan.config.sources:
            source = Source(place, seconds)
            try:
                source.read_index()
            except Failed as error:
                say(f"{source.place}/{INDEX}: {error}; this source is not used")
                continue
            self.sources.append(source)
            for path in map(plan.store.joinpath, source.files):
                self._by_path[path].append(source)
                self._versions[path.parent, path.suffix].add(path)

    def of(self, wanted: Expected) -> list[Path]:
        """Return the places of what the sources have of a file: itself, or else the other versions
        that help to make it."""
        if wanted.path in self._by_path:
            return [wanted.path]
        if wanted.stage not in IN_PARTS:
            return []
        found = self._versions[wanted.path.parent, wanted.path.suffix]
        return sorted(path for path in found if not path.exists())

    def sizes(self, wanted: Iterable[Path]) -> dict[Path, int]:
        return {path: self._by_path[path][0].files[self._name(path)].size for path in wanted}

    def save_all(self, wanted: Mapping[Path, Expected]) -> dict[Path, int]:
        """Fetch files, and return the sizes of those that arrived. Raises Refused."""
        with ThreadPoolExecutor(CONNECTIONS) as pool:
            try:
                arrived = list(pool.map(self._save, wanted, wanted.values()))
            except BaseException:  # also an interrupt by the user
                for source in self.sources:
                    source.is_closed = True
                raise
        return self.sizes(path for path, whole in zip(wanted, arrived, strict=True) if whole)

    def _name(self, path: Path) -> str:
        return path.relative_to(self._store).as_posix()

    def _save(self, path: Path, wanted: Expected) -> bool:
        """Fetch a file from the first source that gives it. Return False if none does."""
        name = self._name(path)
        for source in self._by_path[path]:
            if len(source.failures) >= ENOUGH:
                continue
            try:
                with whole_file(path) as temporary:
                    source.save(name, temporary)
                    _check(temporary, path.stem, wanted)
                    if os.path.lexists(path):
                        set_aside(path)
                return True
            except Failed as error:
                source.failures.append(f"{name} ({error})")
            except Unreadable as error:
                raise Refused(
                    f"{source.place}/{name}: {error.reason}: not kept; take the source out of the"
                    " config's `sources` to compute the file here, and tell its owner"
                ) from None
        return False


def _check(path: Path, identity: str, wanted: Expected) -> None:
    """Read a file as a whole. Raises Unreadable if it is not the version with this identity."""
    header = read_whole(path, wanted)
    check_place(path, header, wanted)
    if header["identity"] != identity:
        raise Unreadable(path, "is not what its name says")
