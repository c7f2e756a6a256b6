"""What identifies an array or a table: its numbers, and not the file that holds them."""

import hashlib
import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from typing import NamedTuple

import numpy as np

from repatlas.artifacts.files import whole_file
from repatlas.experiments.files.matrix import Matrix
from repatlas.experiments.files.opened import cells, table_in
from repatlas.own.annotated import row_names
from repatlas.record import Refused

LENGTH = 32
"""Hexadecimal digits of a digest."""
SETTLED = 2.0
"""Seconds after which a file that changes again has another time of change, on any file system."""


def digest_of(matrix: Matrix) -> str:
    """Return the digest of an array. It covers type, shape, values and names of rows, whatever the
    order of axes and bytes in the file."""
    dtype = matrix.dtype_in_file.newbyteorder("<")
    named = "" if matrix.names is None else f" {matrix.names}"
    about = f"{dtype.kind}{dtype.itemsize} {tuple(matrix.shape_in_file)}{named}"
    digest = hashlib.sha256(about.encode())
    for _, block in matrix.raw_blocks():
        digest.update(np.ascontiguousarray(block, dtype).data.cast("B"))
    return digest.hexdigest()[:LENGTH]


def array_digest(path: Path, key: str | None = None) -> str:
    """Return the digest of an array in a file, which no other type of file changes."""
    return digest_of(Matrix(str(path), key, "flat", None))


def table_digest(path: Path, columns: list[str]) -> str:
    """Return the digest of these columns of a table. Other columns may change."""
    table = table_in(path)
    content = {
        name: [cells(table.iloc[:, n]) for n, own in enumerate(table.columns) if str(own) == name]
        for name in sorted(columns)
    }
    names = row_names(table)
    about = [content, None if names is None else names.tolist()]
    return hashlib.sha256(json.dumps(about, default=str).encode()).hexdigest()[:LENGTH]


def model_digest(model: str, weights: list[str]) -> str:
    """Return the digest of a torch model that is not built yet.

    The digest covers the function, "my_package:build", and the source of its module. It also
    covers the bytes of the files that this function reads, but not the modules that it imports.
    Raises Refused if a file is missing."""
    digest = hashlib.sha256(model.encode())
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

    A file that changed in the last two seconds may change again without a new time, so that its
    digest is not stored.
    """

    def __init__(self, path: Path | None):
        """Open stored digests. path: the file with the digests; None keeps them only in this
        process."""
        self._path, self._known, self._changed = path, {}, False
        if path is not None:
            with suppress(OSError, ValueError, TypeError):  # it only saves time
                self._known = dict(json.loads(path.read_text(encoding="utf-8")))

    def array(self, path: Path, key: str | None) -> str:
        """Return the digest of an array."""
        return self._of(path, f"array {key or ''}", lambda: array_digest(path, key))

    def table(self, path: Path, columns: list[str]) -> str:
        """Return the digest of columns of a table."""
        return self._of(path, f"table {sorted(columns)}", lambda: table_digest(path, columns))

    def once(self, content: str, check: Callable[[], None]) -> None:
        """Run a check whose outcome follows from this content alone, unless it has passed before.
        What the check raises is raised."""
        name = f"checked {hashlib.sha256(content.encode()).hexdigest()[:LENGTH]}"
        if name not in self._known:
            check()
            self._known[name], self._changed = ["", ""], True

    def save(self) -> None:
        """Write the file for another process, where that is possible: it only saves time."""
        if self._path and self._changed:
            with suppress(OSError), whole_file(self._path) as temporary:
                temporary.write_text(json.dumps(self._known, indent=1), encoding="utf-8")

    def _of(self, path: Path, what: str, make: Callable[[], str]) -> str:
        name, state = f"{path.absolute()} {what}", state_of(path)
        known, digest = self._known.get(name, ["", ""])
        if known == state.text:
            return digest
        digest = make()
        if time.time() - state.changed > SETTLED and state_of(path) == state:
            self._known[name], self._changed = [state.text, digest], True
        return digest


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
    files = [path]
    if path.is_dir():
        files = [Path(at, n) for at, _, names in os.walk(path, followlinks=True) for n in names]
    lines, times = [], [0]
    for file in files:
        with suppress(OSError):
            found = file.stat()
            both = (found.st_mtime_ns, found.st_ctime_ns)
            lines.append(f"{file} {found.st_size} {found.st_ino} {both}")
            times += both
    text = hashlib.sha256("\n".join(sorted(lines)).encode(errors="surrogateescape")).hexdigest()
    return State(text[:LENGTH], max(times) / 1e9)
