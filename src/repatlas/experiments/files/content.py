"""What identifies an array or a table: its numbers, and not the file that holds them."""

import hashlib
import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from repatlas.artifacts.files import whole_file
from repatlas.experiments.files.matrix import Matrix
from repatlas.experiments.files.opened import array_of, columns_of
from repatlas.record import Refused

LENGTH = 32
"""Hexadecimal digits of a digest."""
SETTLED = 2.0
"""Seconds after which a file that changes again has another time of change, on any file system."""


class ArrayDigest:
    """The digest of an array that is read block by block. It covers type, shape and values, in C
    order and with the least significant byte first, whatever the order in the file."""

    def __init__(self, dtype: np.dtype, shape: tuple[int, ...]):
        self.dtype = np.dtype(dtype).newbyteorder("<")
        about = f"{self.dtype.kind}{self.dtype.itemsize} {tuple(shape)}"
        self._digest = hashlib.sha256(about.encode())

    def update(self, block: np.ndarray) -> None:
        """Add the next rows to the digest."""
        plain = np.ascontiguousarray(block, self.dtype)
        self._digest.update(plain.data.cast("B"))

    def text(self) -> str:
        return self._digest.hexdigest()[:LENGTH]


def array_digest(path: Path, key: str | None = None) -> str:
    """Return the digest of an array in a file, with 16 MB of it in memory at a time.

    It is the same for npy, npz, HDF5 or any other file with the same type, shape and values, and
    another after one number changed.
    """
    stored = array_of(path, key)
    digest = ArrayDigest(stored.dtype, stored.shape)
    for _, block in Matrix(str(path), stored, "flat", None).raw_blocks():
        digest.update(block)
    return digest.text()


def table_digest(path: Path, columns: list[str]) -> str:
    """Return the digest of these columns of a table. Other columns may change."""
    table = columns_of(path)
    content = {name: table.get(name) for name in sorted(columns)}
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()[:LENGTH]


def model_digest(model: str, weights: list[str]) -> str:
    """Return the digest of a torch model that is not built yet.

    The digest covers the source of the module that has its function, "my_package:build". It also
    covers the bytes of the files that this function reads, but not the modules that it imports.
    Raises Refused if a file is missing."""
    digest = hashlib.sha256()
    name = model.partition(":")[0]
    found = _spec_of(name)
    if found is None or not found.origin or not Path(found.origin).is_file():
        raise Refused(f"model: found no module {name!r}; is it here, or on PYTHONPATH?")
    for path in (found.origin, *weights):
        if not Path(path).is_file():
            raise Refused(f"weights: {path}: no such file")
        with open(path, "rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()[:LENGTH]


def _spec_of(name: str) -> ModuleSpec | None:
    """Return the location of a module, here or on the path, without importing anything."""
    places: Sequence[str] | None = [os.getcwd(), *sys.path]
    found = None
    for depth in range(name.count(".") + 1):
        part = ".".join(name.split(".")[: depth + 1])
        found = PathFinder.find_spec(part, places) if places else None
        places = found.submodule_search_locations if found else None
    return found


class Digests:
    """Digests that are stored in a file, and used as long as the files that they describe do not
    change. A workflow asks for them each time, and reading a hundred gigabytes takes minutes.

    Two types of files have no stored digest. A file that changed in the last two seconds may change
    again without a new time. A file may also have its numbers in other files.
    """

    def __init__(self, path: Path | None, believed: bool = True):
        """Open stored digests. path: the file with the digests; None keeps them only in this
        process. believed: True if digests in that file are used; False reads each array again."""
        self._path = path
        self._known = _remembered(path) if path else {}
        self._believed = {*self._known} if believed else set()
        self._changed = False

    def array(self, path: Path, key: str | None) -> str:
        """Return the digest of an array."""
        return self._of(
            *(path, f"array {key or ''}"),
            lambda: array_digest(path, key),
            lambda: not reads_other_files(array_of(path, key)),
        )

    def table(self, path: Path, columns: list[str]) -> str:
        """Return the digest of columns of a table."""
        return self._of(
            *(path, f"table {sorted(columns)}"), lambda: table_digest(path, columns), lambda: True
        )

    def once(self, content: str, check: Callable[[], None]) -> None:
        """Run a check whose outcome follows from this content alone, unless it has passed before.
        What the check raises is raised."""
        name = f"checked {hashlib.sha256(content.encode()).hexdigest()[:LENGTH]}"
        if name not in self._believed:
            check()
            self._known[name] = ["", ""]
            self._believed.add(name)
            self._changed = True

    def save(self) -> None:
        """Write the file for another process, where that is possible: it only saves time."""
        if self._path and self._changed:
            with suppress(OSError), whole_file(self._path) as temporary:
                temporary.write_text(json.dumps(self._known, indent=1), encoding="utf-8")

    def _of(
        self, path: Path, what: str, make: Callable[[], str], is_whole: Callable[[], bool]
    ) -> str:
        name = f"{path.absolute()} {what}"
        state = state_of(path)
        if name in self._believed and self._known[name][0] == state.text:
            return self._known[name][1]
        digest = make()
        if time.time() - state.changed > SETTLED and is_whole() and state_of(path) == state:
            self._known[name] = [state.text, digest]
            self._believed.add(name)
            self._changed = True
        return digest


def reads_other_files(stored: Any) -> bool:
    """Return whether an HDF5 array has its numbers in other files: a virtual array, or an array
    with external storage. The state of its file then says nothing about the numbers."""
    return getattr(stored, "is_virtual", False) or bool(getattr(stored, "external", None))


def _remembered(path: Path) -> dict[str, list[str]]:
    """Return the state and the digest of each array or table, as a file has them; nothing where it
    is damaged, since it only saves time."""
    try:
        found = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    except (OSError, ValueError):
        return {}
    known = found.items() if isinstance(found, dict) else ()
    return {
        name: value
        for name, value in known
        if isinstance(value, list) and [type(each) for each in value] == [str, str]
    }


class State(NamedTuple):
    """What shows that a file, or a file in a folder, has changed."""

    text: str
    changed: float
    """When that was for the last time, in seconds"""


def state_of(path: Path) -> State:
    """Return the state of a file, or of all files in a folder: their names, sizes, inodes and
    times. The time of a change of content can be set back, as `cp -p`, `rsync -t` and `tar` do; the
    time of any change (ctime) cannot. A missing file has a state, too; reading it says that it is
    missing."""
    lines, times = [], [0]
    for file in _files(path) if path.is_dir() else [path]:
        try:
            found = file.stat()
        except OSError:
            lines.append(f"{file} missing")
            continue
        both = (found.st_mtime_ns, found.st_ctime_ns)
        lines.append(f"{file} {found.st_size} {found.st_ino} {both}")
        times += both
    text = hashlib.sha256("\n".join(sorted(lines)).encode(errors="surrogateescape")).hexdigest()
    return State(text[:LENGTH], max(times) / 1e9)


def _files(folder: Path) -> Iterator[Path]:
    """Yield all files in a folder, and in the folders that links in it lead to, each folder
    once."""
    seen = set()
    for at, folders, names in os.walk(folder, followlinks=True):
        found = os.stat(at)
        if (found.st_dev, found.st_ino) in seen:
            folders.clear()
            continue
        seen.add((found.st_dev, found.st_ino))
        yield from (Path(at, name) for name in names)
