"""Where results lie: each version under its identity, and the links that lead to it.

    store/NAME/IDENTITY.suffix        a version; it is written once
    store/made/NAME.IDENTITY.suffix   a link to it: what the rules of Snakemake have as output
    NAME.suffix                       a link to the version that the config and the code ask for
    store/networks/.../*.safetensors  checkpoint files: some trained networks each, written once

Whatever Snakemake removes is a link, and the job that sets it again finds the version.
"""

import errno
import filecmp
import os
import re
import secrets
from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

from repatlas.artifacts.files import Arrays, Unreadable, write_arrays
from repatlas.artifacts.headers import identities_stated
from repatlas.record import Refused
from repatlas.runs import CURVES, STATE, Run, curves_of, run_arrays
from repatlas.workflow.code import package_versions

IDENTITY = re.compile("[0-9a-f]{16}")
MADE = "made"
NETWORKS = "networks"
NO_RESULTS = ("store", "preview", "own", "partial", "logs", "benchmarks")
"""Parts of a folder of results that have no readable names of its config"""


def version(store: Path, name: str, identity: str) -> Path:
    """Return the place of a version of a file.

    >>> version(Path("store"), "gating/figures/fig02.pdf", "3f9ac1d2e4b5a697").as_posix()
    'store/gating/figures/fig02/3f9ac1d2e4b5a697.pdf'
    """
    stem, dot, suffix = name.rpartition(".")
    return store / stem / f"{identity}{dot}{suffix}"


def made(store: Path, name: str, identity: str) -> Path:
    """Return the place of the link to a version, which a rule has as output.

    >>> made(Path("store"), "gating/figures/fig02.pdf", "3f9ac1d2e4b5a697").as_posix()
    'store/made/gating/figures/fig02.3f9ac1d2e4b5a697.pdf'
    """
    stem, dot, suffix = name.rpartition(".")
    return store / MADE / f"{stem}.{identity}{dot}{suffix}"


def name_of(store: Path, made: str) -> tuple[str, str]:
    """Return the name and the identity of a link that a rule has as output.

    >>> name_of(Path("store"), "store/made/gating/figures/fig02.3f9ac1d2e4b5a697.pdf")
    ('gating/figures/fig02.pdf', '3f9ac1d2e4b5a697')
    """
    stem, identity, suffix = Path(made).relative_to(store / MADE).as_posix().rsplit(".", 2)
    return f"{stem}.{suffix}", identity


def is_there(path: Path) -> bool:
    """Return True for a version whose file says that it is this one."""
    return path.is_file() and path.stem in identities_stated(path)


def versions_of(path: Path) -> list[Path]:
    """Return the versions of a file that are there, the newest first. path: any of them."""
    found = [each for each in path.parent.glob(f"*{path.suffix}") if IDENTITY.fullmatch(each.stem)]
    return sorted(filter(Path.is_file, found), key=lambda each: -each.stat().st_mtime_ns)


def leads_to(name: Path, to: Path) -> bool:
    """Return True for a link that leads to this version."""
    return name.is_symlink() and os.readlink(name) == _target(name, to)


def is_of_user(name: Path, to: Path) -> bool:
    """Return True for what a user has saved under a name that should lead to a version. It is
    neither a link nor a copy of a version, which `cp -rL` makes of a link."""
    if name.is_symlink() or not name.is_file():
        return not name.is_symlink() and name.exists()
    copied = [to.with_name(f"{each}{to.suffix}") for each in identities_stated(name)]
    return not any(each.is_file() and filecmp.cmp(name, each, shallow=False) for each in copied)


def set_link(name: Path, to: Path) -> None:
    """Set a link in one step. A file that a user has saved under this name stays."""
    if is_of_user(name, to):
        return
    name.parent.mkdir(parents=True, exist_ok=True)
    new = name.with_name(f".{name.name}.{secrets.token_hex(4)}")
    try:
        new.symlink_to(_target(name, to))
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.ENOTSUP):
            raise
        raise Refused(
            f"{name}: this disk has no symbolic links, and results need them: clone to another disk"
        ) from error
    new.replace(name)


def _target(name: Path, to: Path) -> str:
    """Return the way from the real folder of a name: the folder may be a link."""
    return os.path.relpath(to.resolve().parent / to.name, name.parent.resolve())


def set_aside(path: Path) -> str:
    """Rename a damaged file, and return what became of it. Another job may have done so."""
    aside = path.with_name(f"{path.name}.damaged-{secrets.token_hex(4)}")
    try:
        path.rename(aside)
    except FileNotFoundError:
        return "it was set aside already"
    return f"set aside as {aside.name}"


class Stored(NamedTuple):
    """A network in a checkpoint file."""

    about: dict
    """What the file says of it: steps, diverged_step, and whether its training goes_on"""
    path: Path
    at_work: bool = False
    """Whether the job that wrote it was training it: that job may remove the file"""

    def serves(self, steps: list[int]) -> bool:
        """Return True if it has each wanted step that it passed, and can reach the others."""
        stored = self.about["steps"]
        passed = {step for step in steps if step <= stored[-1]}
        return passed <= {*stored} and (self.about["goes_on"] or stored[-1] >= steps[-1])

    def is_finished(self, steps: list[int]) -> bool:
        return {*steps} <= {*self.about["steps"]}


def longest(stored: list[Stored], steps: list[int]) -> Stored | None:
    """Return what serves these steps and is trained longest, of one network in several files: of
    those that stay, if one has all steps."""
    serving = [each for each in stored if each.serves(steps)]
    stay = [each for each in serving if each.is_finished(steps) and not each.at_work]
    return max(stay or serving, key=lambda each: each.about["steps"][-1], default=None)


class Networks:
    """The trained networks of a family and a seed, by their identities."""

    def __init__(self, store: Path, *place: str):
        self.folder = store.joinpath(NETWORKS, *place)
        self._files: dict[Path, Arrays | None] = {}
        self._stored: dict[str, list[Stored]] = {}
        self._own: dict[Path, dict[str, Run]] = {}
        self.look()

    def look(self) -> list[str]:
        """Find what has come since the last look. Set damaged files aside, and return what became
        of each."""
        said = []
        for path in sorted(self.folder.glob("[0-9a-f]*.safetensors")):
            if path not in self._files:
                try:
                    self._add(path)
                except FileNotFoundError:  # its job has written these networks again
                    del self._files[path]
                except Unreadable as error:
                    said.append(f"{error}; {set_aside(path)}")
        return said

    def _add(self, path: Path) -> None:
        self._files[path] = None
        file = self._files[path] = Arrays(path, NETWORKS)
        at_work = file.header.get("at_work", ())
        for name, about in file.header["runs"].items():
            self._stored.setdefault(name, []).append(Stored(about, path, name in at_work))

    def find(self, name: str, steps: list[int]) -> Stored | None:
        """Return the network that serves these steps, the one that is trained longest; or None."""
        return longest(self._stored.get(name, []), steps)

    def read(self, name: str, stored: Stored) -> Run:
        """Return a network at its checkpoints. Raises Unreadable."""
        arrays = run_arrays(self.file(stored), name)
        state = {n.removeprefix(STATE): a for n, a in arrays.items() if n.startswith(STATE)}
        parameters = {n: a for n, a in arrays.items() if not n.startswith((STATE, CURVES))}
        return Run(parameters, state, stored.about, curves_of(arrays))

    def file(self, stored: Stored) -> Arrays:
        return self._files[stored.path] or Arrays(stored.path, NETWORKS)

    def write(self, runs: dict[str, Run], at_work: Collection[str] = ()) -> None:
        """Write these networks as one more file, and remove files of this job whose networks were
        all at work, and are all in it, trained on."""
        arrays = {}
        for name, run in runs.items():
            arrays |= {f"{name}/{n}": values for n, values in run.parameters.items()}
            arrays |= {f"{name}/{STATE}{n}": values for n, values in run.state.items()}
            for curve, of_curve in run.curves.items():
                parts = of_curve._asdict().items()
                arrays |= {f"{name}/{CURVES}{curve}/{n}": values for n, values in parts}
        path = self.folder / f"{secrets.token_hex(8)}.safetensors"
        about = {"runs": {name: run.about for name, run in runs.items()}}
        about |= {"at_work": sorted(at_work), "versions": package_versions()}
        write_arrays(path, NETWORKS, about, arrays)
        self._add(path)
        for other, own in list(self._own.items()):
            if all(name in runs and _has_all(runs[name], run) for name, run in own.items()):
                self.forget(other)
        if {*at_work} == runs.keys():
            self._own[path] = runs

    def forget(self, path: Path) -> None:
        """Remove a file of this job, whose networks another file has."""
        path.unlink(missing_ok=True)
        self._own.pop(path, None)
        for found in self._stored.values():
            found[:] = [each for each in found if each.path != path]


def _has_all(run: Run, before: Run) -> bool:
    """Return True if a run has all that it had before, but a checkpoint that only served to go
    on."""
    return {*before.about["steps"][:-1]} <= {*run.about["steps"]}


def links_in(folder: Path) -> list[str]:
    """Return the names in a folder of results that are links, without links of another config."""
    parts = [part for part in folder.glob("*") if part.name not in NO_RESULTS]
    links = [path for part in parts for path in part.rglob("*") if path.is_symlink()]
    return [link.relative_to(folder).as_posix() for link in links]
