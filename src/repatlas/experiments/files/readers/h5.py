"""HDF5 files. What is in a group has the name group/array."""

import math
from functools import cache
from pathlib import Path

import h5py

from repatlas.experiments.files.columns import listed
from repatlas.experiments.files.declared import check_stored
from repatlas.experiments.files.probe import probe
from repatlas.record import Refused


def keys(path: Path) -> list[str]:
    """Return the names of the arrays of numbers with at least one axis. Raises Refused where there
    is none."""
    found = [
        name for name, node in _all(_file(path)).items() if node.shape and node.dtype.kind in "fiub"
    ]
    if not found:
        raise Refused(f"{path}: found no array of numbers in it")
    return found


def array(path: Path, key: str) -> h5py.Dataset:
    """Return the array of this name; its rows are read later. Raises Refused, also for numbers that
    are in files elsewhere or were never written."""
    file = _file(path)
    if not _is_there(file, key):
        raise Refused(f"{path}: has no array {key!r}, found: {listed(keys(path))}")
    stored = _stored_bytes(f"{path}/{key}", file[key], frozenset())
    check_stored(f"{path}/{key}", file[key].shape or (), file[key].dtype.itemsize, stored)
    return file[key]


def nodes(path: Path) -> dict[str, h5py.Dataset]:
    """Return every data set that has content by name, texts included. Raises Refused, as array
    does."""
    found = {
        name: node
        for name, node in _all(_file(path)).items()
        if node.external or node.is_virtual or node.id.get_storage_size()
    }
    for name, node in found.items():
        _stored_bytes(f"{path}/{name}", node, frozenset())
    return found


def _file(path: Path) -> h5py.File:
    """Open a file, which HDF5 has survived in another process."""
    # HDF5 looks for the sources of a virtual data set in the folder of the name that it was given.
    state = path.stat()
    _survived(path, state.st_size, state.st_mtime_ns)
    return h5py.File(path.resolve(), "r")


@cache
def _survived(path: Path, size: int, changed: int) -> None:
    """Raise Refused for a file that HDF5 hangs or crashes on; tried once for each state of it."""
    probe(path, _tried, path)


def _tried(path: Path) -> None:
    """Read what HDF5 states of each data set."""
    with h5py.File(path.resolve(), "r") as file:
        for node in _all(file).values():
            if not node.external:
                node.id.get_storage_size()
                if node.chunks:
                    node.id.get_num_chunks()


def _all(file: h5py.File) -> dict[str, h5py.Dataset]:
    """Return every data set by name. HDF5 follows neither soft nor external links here."""
    found: dict[str, h5py.Dataset] = {}

    def visit(name: str, node: h5py.Group | h5py.Dataset) -> None:
        if isinstance(node, h5py.Dataset):
            found[name] = node

    file.visititems(visit)
    return found


def _is_there(file: h5py.File, key: str) -> bool:
    """Return whether a data set is in this file itself, and not behind a soft or external link."""
    parts = key.strip("/").split("/")
    for depth in range(1, len(parts) + 1):
        link = file.get("/".join(parts[:depth]), getlink=True)
        if not isinstance(link, h5py.HardLink):
            return False
    return isinstance(file[key], h5py.Dataset)


def _stored_bytes(name: str, node: h5py.Dataset, behind: frozenset[tuple[str, str]]) -> int:
    """Return how many bytes are stored of a data set, or of the sources of a virtual one.

    HDF5 fills blocks that it does not find with a constant, and reads from any file that a data set
    names. Raises Refused for missing blocks, for external storage, and for virtual sources outside
    of the file's own folder.

    Parameters
    ----------
    behind: the virtual data sets that read from this one.
    """
    if node.external:
        files = [str(file) for file, *_ in node.external]
        raise Refused(
            f"{name}: keeps its numbers outside of the file, in {listed(files)}, which is never"
            " read; allowed: numbers in the file itself"
        )
    if node.is_virtual:
        return _stored_in_sources(name, node, behind | {(node.file.filename, node.name)})
    if not node.size:
        return 0
    stored = node.id.get_storage_size()
    whole, written = 1, int(stored > 0)
    if node.chunks:
        whole = math.prod(-(-n // step) for n, step in zip(node.shape, node.chunks, strict=True))
        written = node.id.get_num_chunks()
    if written < whole:
        raise Refused(
            f"{name}: {written:,} of its {whole:,} blocks were written, HDF5 would read the others"
            f" as {node.fillvalue}; allowed: an array that is whole"
        )
    return stored


def _stored_in_sources(name: str, node: h5py.Dataset, behind: frozenset[tuple[str, str]]) -> int:
    own = Path(node.file.filename)
    sources = {(source.file_name, source.dset_name) for source in node.virtual_sources()}
    stored = 0
    for file_name, dataset in sorted(sources):
        path = own if file_name == "." else (own.parent / file_name)
        where = f"{name}: reads from {file_name}/{dataset.strip('/')}"
        if "%" in file_name + dataset:
            raise Refused(f"{where}, a pattern; allowed: the names of its sources")
        if not path.is_file():
            raise Refused(f"{where}, which is not there: copy it into the folder of the file")
        if not path.resolve().is_relative_to(own.parent):
            raise Refused(f"{where}, outside of the file's folder, which is never read")
        file = node.file if path.resolve() == own else _file(path)
        if not _is_there(file, dataset):
            raise Refused(f"{where}, and no such array is there: copy the whole file again")
        source = file[dataset]
        if (file.filename, source.name) in behind:
            raise Refused(f"{where}, which reads from it in turn")
        stored += _stored_bytes(name, source, behind)
    return stored
