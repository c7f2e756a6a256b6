"""Arrays and tables in files, by the suffix of the file, and what is refused as an array."""

from pathlib import Path
from typing import Any, Protocol

import numpy as np

from repatlas.experiments.files.declared import check_numbers
from repatlas.experiments.files.pickled import LINES, conversion, object_conversion
from repatlas.experiments.files.reading import reading
from repatlas.named import module_of, named, names
from repatlas.record import Refused

PACKAGE = "experiments.files.readers"
PACKAGES = {"h5py", "pyarrow", "safetensors", "zarr"}
"""Packages of the extra `files`."""
FOLDERS = ("zarr",)
"""The suffixes of folders that are read as a file is."""


class Stored(Protocol):
    """An array on disk, whose rows are read when they are needed."""

    shape: tuple[int, ...]
    dtype: Any

    def __getitem__(self, rows: slice) -> np.ndarray: ...


def reader_name(path: Path | str) -> str:
    """Return the suffix by which the module of a file is found, without the dot."""
    return str(path).rpartition(".")[2].lower() if "." in Path(path).name else ""


def is_file_type(name: str) -> bool:
    """Return whether a part of a path is a file that is read, and no folder, by its suffix.

    >>> is_file_type("{seed}.npz"), is_file_type("features.12"), is_file_type("net.pt")
    (True, False, False)
    """
    return reader_name(name) in names(PACKAGE)


def reader_module(path: Path | str) -> str:
    """Return the name of the module that reads such a file."""
    return module_of(PACKAGE, reader_name(path))


def keys_of(path: Path) -> list[str] | None:
    """Return the names of the arrays in a file, in its own order; None where a file is one array.
    Raises Refused for a file that is damaged, or of a type that is not read."""
    return _called(path, "keys", path)


def array_of(path: Path, key: str | None = None) -> Stored:
    """Return an array of a file, whose rows are read later, in slices.

    Compressed arrays of npz and MATLAB files are read here, and the checksum of an npz file is
    compared. Raises Refused for anything except real numbers in at least one axis, and where
    keys_of does.
    """
    found = _called(path, "array", path, key)
    check_declared(path, key, found.dtype, found.shape)
    return found


def nodes_of(path: Path) -> dict[str, Any]:
    """Return the data sets of an HDF5 file by name, texts included. Raises Refused for a data set
    that reads from files in other folders, and for other types of files."""
    if reader_name(path) not in HDF5:
        raise Refused(f"{path}: found no HDF5 file, allowed: {', '.join(HDF5)}")
    return _called(path, "nodes", path)


def columns_of(path: Path) -> dict[str, list]:
    """Return the columns of a table, by name: values of one type each, None where a cell is empty.
    Raises Refused, also for a file that is no table."""
    if reader_name(path) not in TABLES:
        raise Refused(f"{path}: found no table, allowed: {', '.join(TABLES)}")
    return _called(path, "columns", path)


HDF5 = ("h5", "hdf5", "nc")
"""The suffixes of HDF5 files."""
TABLES = ("csv", "parquet")
"""The suffixes of tables."""


def refuse_objects(path: Path, key: str | None, shape: tuple[int, ...]) -> None:
    """Refuse an array of Python objects, which is stored as a pickle."""
    name = str(path) if key is None else f"{path}/{key}"
    raise Refused(
        f"{name}: holds Python objects, which are pickled and never read here; convert it with:"
        f' python -c "{object_conversion(str(path), key, shape)}"'
    )


def check_declared(path: Path, key: str | None, dtype: Any, shape: tuple[int, ...]) -> None:
    """Raise Refused for anything except real numbers in at least one axis."""
    if dtype.hasobject:
        refuse_objects(path, key, shape)
    check_numbers(str(path) if key is None else f"{path}/{key}", dtype, shape)


def _called(path: Path, function: str, *arguments: Any) -> Any:
    """Call a function of the module that reads a file. Raises Refused, whatever goes wrong."""
    suffix = reader_name(path)
    if suffix in LINES:
        raise Refused(
            f"{path}: is a pickle, which may run any code and is never read here; if you trust it,"
            f' convert it with: python -c "{conversion(str(path), suffix)}"'
        )
    if suffix not in names(PACKAGE):
        raise Refused(f"{path}: found suffix {suffix!r}, allowed: {', '.join(names(PACKAGE))}")
    with reading(path):
        _check_kind(path, suffix in FOLDERS)
    try:
        with reading(path):
            return getattr(named(PACKAGE, suffix), function)(*arguments)
    except ModuleNotFoundError as error:
        if error.name not in PACKAGES:
            raise
        raise Refused(
            f'{path}: reading .{suffix} needs {error.name}: pip install "repatlas[files]"'
        ) from None


def _check_kind(path: Path, folder: bool) -> None:
    """Raise Refused for a missing path, and for anything except a file, or a folder if `folder`."""
    if not path.exists():
        raise Refused(f"{path}: no such file")
    if path.is_dir() != folder or not (folder or path.is_file()):
        found = "a folder" if path.is_dir() else "a file"
        if not path.is_dir() and not path.is_file():  # reading a pipe would wait for ever
            found = "a pipe, a socket or a device"
        raise Refused(f"{path}: is {found}, allowed: a {'folder' if folder else 'file'}")
