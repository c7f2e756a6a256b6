"""safetensors files, mapped into memory.

The library checks the header. The numbers are mapped here, since the library has no bfloat16 for
numpy, and most language models are stored so.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import safe_open

from repatlas.experiments.files.columns import listed
from repatlas.record import Refused

TYPES = {
    **{"F64": "<f8", "F32": "<f4", "F16": "<f2", "BOOL": "?"},
    **{f"I{8 * size}": f"<i{size}" for size in (1, 2, 4, 8)},
    **{f"U{8 * size}": f"<u{size}" for size in (1, 2, 4, 8)},
}


class Brain16:
    """An array of bfloat16, whose rows are read as the float32 numbers that they are."""

    dtype = np.dtype(np.float32)

    def __init__(self, bits: np.ndarray):
        self.bits, self.shape = bits, bits.shape

    def __getitem__(self, rows: Any) -> np.ndarray:
        return (self.bits[rows].astype(np.uint32) << 16).view(np.float32)


def keys(path: Path) -> list[str]:
    """Return the names of the arrays."""
    with safe_open(path, "numpy") as file:
        return list(file.keys())


def array(path: Path, key: str) -> Any:
    """Return the array of this name, mapped into memory. Raises Refused."""
    # The library refuses offsets that overlap, leave the file or do not fit a shape.
    with safe_open(path, "numpy") as file:
        if key not in (found := list(file.keys())):
            raise Refused(f"{path}: has no array {key!r}, found: {listed(found)}")
        shape, kind = tuple(file.get_slice(key).get_shape()), file.get_slice(key).get_dtype()
    dtype = "<u2" if kind == "BF16" else TYPES.get(kind)
    if dtype is None:
        raise Refused(
            f"{path}/{key}: found the type {kind}, allowed: BF16, {', '.join(TYPES)}; in torch:"
            " save x.float()"
        )
    if 0 in shape or not shape:
        return np.empty(shape, dtype)
    found = np.memmap(path, dtype, "r", _offset(path, key), shape)
    return Brain16(found) if kind == "BF16" else found


def _offset(path: Path, key: str) -> int:
    """Return the byte at which an array begins: after 8 bytes for the length of the header, and
    after the header, which the library has checked."""
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        return 8 + length + json.loads(file.read(length))[key]["data_offsets"][0]
