"""What identifies an array or a table: its numbers, and not the file that holds them."""

import hashlib
import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from typing import Any

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
    """The digest of an array that is read block by block: of type, shape and values, in the order
    of C and with the least byte first, however the file has them."""

    def __init__(self, dtype: np.dtype, shape: tuple[int, ...]):
        self.dtype = np.dtype(dtype).newbyteorder("<")
        about = f"{self.dtype.kind}{self.dtype.itemsize} {tuple(shape)}"
        self._digest = hashlib.sha256(about.encode())

    def update(self, block: np.ndarray) -> None:
        """The next rows."""
        plain = np.ascontiguousarray(block, self.dtype)
        self._digest.update(plain.data.cast("B"))

    def text(self) -> str:
        return self._digest.hexdigest()[:LENGTH]


def array_digest(path: Path, key: str | None = None) -> str:
    """The digest of an array in a file, of which 16 MB are in memory at a time.

    It is the same for npy, npz, HDF5 or any other file with the same type, shape and values, and
    another after one number changed.
    """
    stored = array_of(path, key)
    digest = ArrayDigest(stored.dtype, stored.shape)
    for _, block in Matrix(str(path), stored, "flat", None).raw_blocks():
        digest.update(block)
    return digest.text()


def table_digest(path: Path, columns: list[str]) -> str:
    """The digest of these columns of a table; others may change."""
    table = columns_of(path)
    content = {name: table.get(name) for name in sorted(columns)}
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()[:LENGTH]


def model_digest(model: str, weights: list[str]) -> str:
    """The digest of a torch model that is not built yet: of the source of the module that has its
    function, "my_package:build", and of the bytes of the files that this reads. Modules that it
    imports are not in it. Raises Refused if one is not there."""
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
    """Where a module is, here or on the path, told without importing anything."""
    places: Sequence[str] | None = [os.getcwd(), *sys.path]
    found = None
    for depth in range(name.count(".") + 1):
        part = ".".join(name.split(".")[: depth + 1])
        found = PathFinder.find_spec(part, places) if places else None
        places = found.submodule_search_locations if found else None
    return found


class Digests:
    """Digests that are remembered in a file, as long as the files that they are of stay as they
    are: a workflow asks for them each time, and reading a hundred gigabytes takes minutes.

    A file that changed in the last two seconds is not remembered, since it may change again without
    another time of change.
    """

    def __init__(self, path: Path | None):
        """path: of the file with the digests; None to remember them in this process alone."""
        self._path = path
        self._known: dict[str, list] = {}
        if path and path.exists():
            try:
                self._known = json.loads(path.read_text(encoding="utf-8"))
            except json.JSONDecodeError:  # it only saves time: they are made again
                self._known = {}

    def array(self, path: Path, key: str | None) -> str:
        """The digest of an array."""
        return self._of(path, f"array {key or ''}", lambda: array_digest(path, key))

    def table(self, path: Path, columns: list[str]) -> str:
        """The digest of columns of a table."""
        return self._of(path, f"table {sorted(columns)}", lambda: table_digest(path, columns))

    def once(self, content: str, check: Callable[[], None]) -> None:
        """Run a check whose outcome follows from this content alone, unless it has passed before.
        What the check raises is raised."""
        name = f"checked {hashlib.sha256(content.encode()).hexdigest()[:LENGTH]}"
        if name not in self._known:
            check()
            self._known[name] = []

    def save(self) -> None:
        """Write the file, for another process."""
        if self._path:
            with whole_file(self._path) as temporary:
                temporary.write_text(json.dumps(self._known, indent=1), encoding="utf-8")

    def _of(self, path: Path, what: str, made: Any) -> str:
        name = f"{path.absolute()} {what}"
        state = _state(path)
        if name in self._known and self._known[name][:-1] == state:
            return self._known[name][-1]
        digest = made()
        if time.time() - state[1] / 1e9 > SETTLED and _state(path) == state:
            self._known[name] = [*state, digest]
        return digest


def _state(path: Path) -> list[int]:
    """Bytes and time of the last change, of a file or of all files of a folder, and their number.
    A missing file has none; reading it says so."""
    if not path.exists():
        return [0, 0, 0]
    files = [path]
    if path.is_dir():
        files = [Path(folder, name) for folder, _, names in os.walk(path) for name in names]
    found = [file.stat() for file in files]
    size = sum(stat.st_size for stat in found)
    return [size, max((stat.st_mtime_ns for stat in found), default=0), len(found)]
