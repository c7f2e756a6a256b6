"""NumPy's files of several arrays. One that is not compressed is mapped into memory."""

import struct
import zipfile
from pathlib import Path

import numpy as np

from repatlas.experiments.files.columns import listed, refuse_equal_names
from repatlas.experiments.files.declared import check_stored, needed_bytes
from repatlas.experiments.files.pickled import sparse_conversion
from repatlas.experiments.files.readers.npy import header
from repatlas.record import Refused

BLOCK_BYTES = 16 * 2**20
"""Bytes that are read at a time for a checksum."""
LOCAL_HEADER = 30
"""Bytes of a member's own header, before its name."""
SPARSE = {"data", "format", "shape"}
"""Names in every file that scipy.sparse.save_npz writes."""


def keys(path: Path) -> list[str]:
    """Return the names of the arrays. Raises Refused where there is none, where two have one name,
    and for a sparse matrix."""
    with zipfile.ZipFile(path) as archive:
        names = [name for name in archive.namelist() if name.endswith(".npy")]
    found = [name.removesuffix(".npy") for name in names]
    if not found:
        raise Refused(f"{path}: found no array in it")
    refuse_equal_names(path, "arrays", found)
    if {*found} >= SPARSE:
        raise Refused(
            f"{path}: holds a sparse matrix of scipy, allowed: arrays with all their numbers;"
            f' convert it with: python -c "{sparse_conversion(str(path))}"'
        )
    return found


def array(path: Path, key: str) -> np.ndarray:
    """Return the array of this name. It is read once, to compare its checksum. Raises Refused."""
    if key not in (found := keys(path)):
        raise Refused(f"{path}: has no array {key!r}, found: {listed(found)}")
    with zipfile.ZipFile(path) as archive:
        member = archive.getinfo(f"{key}.npy")
        with archive.open(member) as file:
            shape, fortran_order, dtype = header(path, key, file)
            offset = file.tell()
            size = needed_bytes(shape, dtype.itemsize)
            if offset + size != member.file_size:
                raise Refused(
                    f"{path}/{key}: damaged, shape {shape} needs {size:,} bytes, found"
                    f" {member.file_size - offset:,}: save it again"
                )
            check_stored(f"{path}/{key}", shape, dtype.itemsize, member.compress_size)
            if member.compress_type == zipfile.ZIP_STORED:
                while file.read(BLOCK_BYTES):  # compares the checksum at the end
                    pass
        if member.compress_type != zipfile.ZIP_STORED:
            with archive.open(member) as file:
                return np.lib.format.read_array(file, allow_pickle=False)
    with path.open("rb") as file:
        file.seek(member.header_offset)
        name, extra = struct.unpack("<26xHH", file.read(LOCAL_HEADER))
    offset += member.header_offset + LOCAL_HEADER + name + extra
    return np.memmap(path, dtype, "r", offset, shape, "F" if fortran_order else "C")
