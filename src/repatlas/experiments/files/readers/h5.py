"""HDF5 files. What is in a group has the name group/array."""

from pathlib import Path

import h5py

from repatlas.record import Refused


def keys(path: Path) -> list[str]:
    """The names of the arrays of numbers with at least one axis. Raises Refused where there is
    none."""
    found: list[str] = []

    def visit(name: str, node: h5py.Group | h5py.Dataset) -> None:
        if isinstance(node, h5py.Dataset) and node.shape and node.dtype.kind in "fiub":
            found.append(name)

    with _file(path) as file:
        file.visititems(visit)
    if not found:
        raise Refused(f"{path}: found no array of numbers in it")
    return found


def array(path: Path, key: str) -> h5py.Dataset:
    """One of them, of which what is asked for is read. Raises Refused."""
    if key not in keys(path):
        raise Refused(f"{path}: has no array {key!r}, found: {', '.join(keys(path))}")
    return _file(path)[key]


def _file(path: Path) -> h5py.File:
    try:
        return h5py.File(path, "r")
    except OSError as error:
        raise Refused(f"{path}: damaged, or no HDF5 file ({error})") from None
