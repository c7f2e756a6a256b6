"""zarr folders, of one array or of groups with several. What is in a group is group/array."""

import math
import os
from pathlib import Path

import zarr

from repatlas.experiments.files.columns import listed
from repatlas.experiments.files.declared import check_stored
from repatlas.record import Refused

FREE_CHUNKS = 10_000
"""Chunks that an array may lack; zarr does not store chunks of zeros. Reading them takes 2 s."""
MOST_TIMES = 100
"""Chunks that an array may have in addition for each of its files."""


def keys(path: Path) -> list[str] | None:
    """Return the names of the arrays of numbers; None where the folder is one array. Raises Refused
    where there is none."""
    _files(path)
    opened = zarr.open(path, mode="r")
    if isinstance(opened, zarr.Array):
        return None
    members = opened.members(max_depth=None)
    found = sorted(
        name for name, node in members if isinstance(node, zarr.Array) and node.dtype.kind in "fiub"
    )
    if not found:
        raise Refused(f"{path}: found no array of numbers in it")
    return found


def array(path: Path, key: str | None) -> zarr.Array:
    """Return the array of this name; its rows are read later. Raises Refused, also for an array
    that is almost entirely missing."""
    names = [] if key is None else key.split("/")
    for depth in range(len(names)):
        _files(path.joinpath(*names[:depth]), below=False)
    sizes = _files(path.joinpath(*names)) if path.joinpath(*names).is_dir() else []
    opened = zarr.open(path, mode="r")
    node = opened if key is None else opened.get(key)
    if not isinstance(node, zarr.Array):
        raise Refused(f"{path}: has no array {key!r}, found: {listed(keys(path) or [])}")
    name = str(path) if key is None else f"{path}/{key}"
    check_stored(name, node.shape, node.dtype.itemsize, sum(sizes))
    steps = node.shards or node.chunks
    chunks = math.prod(-(-n // step) for n, step in zip(node.shape, steps, strict=True))
    if chunks > FREE_CHUNKS + MOST_TIMES * len(sizes):
        raise Refused(
            f"{name}: declares {chunks:,} chunks and has {len(sizes):,} files: it is damaged, or"
            " most of it was never written; allowed: an array that is there"
        )
    return node


def _files(folder: Path, below: bool = True) -> list[int]:
    """Return the sizes of the files in a folder, and in the folders below it. Raises Refused for
    links, which may lead to any other file of the user, and for pipes, where reading waits for
    ever."""
    sizes = []
    for entry in os.scandir(folder):
        if entry.is_symlink() or not (entry.is_file() or entry.is_dir()):
            raise Refused(
                f"{entry.path}: is a link or no file, allowed in a zarr folder: files; copy the"
                f" folder with what its links lead to: cp -rL {folder} COPY"
            )
        if entry.is_file():
            sizes.append(entry.stat().st_size)
        elif below:
            sizes += _files(Path(entry.path))
    return sizes
