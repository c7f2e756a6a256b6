"""MATLAB files up to version 7 (the default of `save`), read by scipy."""

import struct
import zlib
from pathlib import Path

import numpy as np
from scipy.io import loadmat, whosmat
from scipy.io.matlab import matfile_version

from repatlas.experiments.files.columns import listed, refuse_equal_names
from repatlas.experiments.files.declared import check_stored
from repatlas.record import Refused

BYTES = {
    **{"double": 8, "single": 4, "logical": 1},
    **{f"{sign}int{8 * size}": size for sign in ("", "u") for size in (1, 2, 4, 8)},
}
"""The types of numbers, and how many bytes one has."""
STORED_TYPES = (1, 2, 3, 4, 5, 6, 7, 9, 12, 13)
"""Numbers of the types, in version 5 and later: integers of 8 to 64 bits, floats and doubles."""
MATRIX, COMPRESSED = 14, 15
COMPLEX = 0x800
HEADER_BYTES = 4096
"""More than the size, the name (63 characters) and the type of a matrix take in a file."""


def keys(path: Path) -> list[str]:
    """Return the names of the matrices of numbers. Text, cells and structures are ignored. Raises
    Refused if there is no matrix, or if two have one name."""
    return list(_matrices(path))


def array(path: Path, key: str) -> np.ndarray:
    """Return the matrix of this name, with at least two axes, as in MATLAB. Raises Refused."""
    if key not in (found := _matrices(path)):
        raise Refused(f"{path}: has no matrix {key!r}, found: {listed(found)}")
    shape, kind = found[key]
    if min(shape) >= 0:
        check_stored(f"{path}/{key}", shape, BYTES[kind], path.stat().st_size)
    if matfile_version(path)[0] == 1:
        _check_type(path, key)
    read = loadmat(path, variable_names=[key])[key]
    if read.shape != shape:
        raise Refused(f"{path}/{key}: damaged, declares shape {shape} and has {read.shape}")
    return read


def _matrices(path: Path) -> dict[str, tuple[tuple[int, ...], str]]:
    """Return shape and type of each matrix of numbers."""
    try:
        variables = whosmat(path)
    except NotImplementedError:
        raise Refused(
            f"{path}: is a MATLAB file of version 7.3, allowed: up to 7; in MATLAB:"
            f" save('{path.name}', '-v7')"
        ) from None
    for name, *_ in variables:
        if not name.isprintable():
            raise Refused(f"{path}: damaged, found a matrix with the name {name!a}")
    found = {
        name: (tuple(map(int, shape)), kind) for name, shape, kind in variables if kind in BYTES
    }
    if not found:
        others = ", ".join(f"{name} ({kind})" for name, _, kind in variables)
        sparse = all(kind == "sparse" for *_, kind in variables)
        function = "full" if sparse else "cell2mat"
        raise Refused(
            f"{path}: found {others or 'nothing'}, allowed: matrices of numbers; in MATLAB:"
            f" x = {function}(...); save('{path.name}', 'x')"
        )
    refuse_equal_names(path, "matrices", [name for name, _, kind in variables if kind in BYTES])
    return found


def _check_type(path: Path, key: str) -> None:
    """Raise Refused for a matrix of complex numbers, or of numbers of a type that does not exist.

    scipy looks such a type up behind the end of a table, which ends Python with a segmentation
    fault.
    """
    with path.open("rb") as file:
        order = "<" if file.read(128)[126:] == b"IM" else ">"
        while tag := file.read(8):
            kind, size = struct.unpack(f"{order}2I", tag)
            end = file.tell() + size
            content = file.read(min(size, HEADER_BYTES))
            if kind == COMPRESSED:
                content = zlib.decompressobj().decompress(content, HEADER_BYTES)
                (kind,), content = struct.unpack(f"{order}I", content[:4]), content[8:]
            if kind == MATRIX:
                (flags,) = struct.unpack(f"{order}I", content[8:12])
                _, _, after_shape = _element(content, 16, order)
                _, name, after_name = _element(content, after_shape, order)
                if name.decode("latin1") == key:
                    break
            file.seek(end)
        else:
            raise Refused(f"{path}: damaged, the matrix {key!r} is not where the file says")
    if flags & COMPLEX:
        raise Refused(
            f"{path}/{key}: found complex numbers, allowed: real numbers (float, int or bool)"
        )
    kind, *_ = _element(content, after_name, order)
    if kind not in STORED_TYPES:
        raise Refused(f"{path}/{key}: damaged, found numbers of type {kind}, which does not exist")


def _element(content: bytes, start: int, order: str) -> tuple[int, bytes, int]:
    """Return type and bytes of the element at `start`, and where the next one begins. An element of
    up to four bytes has its size in the upper half of its type."""
    kind, size = struct.unpack(f"{order}2I", content[start : start + 8])
    if kind >> 16:
        size = kind >> 16
        return kind & 0xFFFF, content[start + 4 : start + 4 + size], start + 8
    return kind, content[start + 8 : start + 8 + size], start + 8 + -(-size // 8) * 8
