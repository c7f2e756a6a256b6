"""NumPy's files of several arrays. One that is not compressed is mapped into memory."""

import struct
import zipfile
from pathlib import Path

import numpy as np

from repatlas.experiments.files.opened import refuse_objects
from repatlas.experiments.files.readers.npy import header
from repatlas.record import Refused

LOCAL_HEADER = 30
"""Bytes of a member's own header, before its name."""


def keys(path: Path) -> list[str]:
    """The names of the arrays."""
    with _archive(path) as archive:
        return [name.removesuffix(".npy") for name in archive.namelist()]


def array(path: Path, key: str) -> np.ndarray:
    """One of them. Raises Refused."""
    with _archive(path) as archive:
        if f"{key}.npy" not in archive.namelist():
            raise Refused(f"{path}: has no array {key!r}, found: {', '.join(keys(path))}")
        member = archive.getinfo(f"{key}.npy")
        with archive.open(member) as file:
            shape, fortran_order, dtype = header(path, file)
            if dtype.hasobject:
                refuse_objects(path, key, shape)
            offset = file.tell()
            if member.compress_type != zipfile.ZIP_STORED or 0 in shape or not shape:
                return _unpacked(path, key, file, dtype, shape, fortran_order)
    with path.open("rb") as file:
        file.seek(member.header_offset)
        name, extra = struct.unpack("<26xHH", file.read(LOCAL_HEADER))
    offset += member.header_offset + LOCAL_HEADER + name + extra
    return np.memmap(path, dtype, "r", offset, shape, "F" if fortran_order else "C")


def _archive(path: Path) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(path)
    except zipfile.BadZipFile as error:
        raise Refused(f"{path}: damaged, or no npz file ({error})") from None


def _unpacked(path: Path, key: str, file, dtype, shape, fortran_order) -> np.ndarray:
    try:
        content = file.read()
    except zipfile.BadZipFile as error:
        raise Refused(f"{path}/{key}: damaged ({error})") from None
    return np.frombuffer(content, dtype).reshape(shape, order="F" if fortran_order else "C")
