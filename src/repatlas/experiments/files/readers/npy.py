"""NumPy's own files of one array, mapped into memory."""

from pathlib import Path

import numpy as np

from repatlas.experiments.files.declared import needed_bytes
from repatlas.experiments.files.opened import check_declared
from repatlas.record import Refused


def keys(path: Path) -> None:
    """Return None: the file is one array."""


def array(path: Path, key: None) -> np.ndarray:
    """Return the array, mapped into memory. Raises Refused."""
    with path.open("rb") as file:
        shape, fortran_order, dtype = header(path, None, file)
        offset = file.tell()
    lacking = offset + needed_bytes(shape, dtype.itemsize) - path.stat().st_size
    if lacking > 0:
        raise Refused(f"{path}: cut short, {lacking:,} bytes are missing: save it again")
    return np.memmap(path, dtype, "r", offset, shape, "F" if fortran_order else "C")


def header(path: Path, key: str | None, file) -> tuple[tuple[int, ...], bool, np.dtype]:
    """Read a header, and return shape, order and type; the next bytes of the file are the numbers.
    Raises Refused for anything except real numbers, before memory is taken."""
    version = np.lib.format.read_magic(file)
    read = {
        (1, 0): np.lib.format.read_array_header_1_0,
        (2, 0): np.lib.format.read_array_header_2_0,
    }.get(version)
    if read is None:  # 3.0: names of fields that are not Latin
        raise ValueError(f"format {version}")
    shape, fortran_order, dtype = read(file)
    check_declared(path, key, dtype, shape)
    return shape, fortran_order, dtype
