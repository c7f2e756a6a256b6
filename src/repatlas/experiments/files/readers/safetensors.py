"""safetensors files, mapped into memory.

The format: 8 bytes for the length of a JSON header, that header, the numbers of the arrays. It is
read here since the library has no bfloat16 for numpy, and most language models are stored so.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np

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
    """The names of the arrays."""
    return [name for name in _header(path)[0] if name != "__metadata__"]


def array(path: Path, key: str) -> Any:
    """One of them, mapped into memory. Raises Refused."""
    header, start = _header(path)
    if key not in header:
        raise Refused(f"{path}: has no array {key!r}, found: {', '.join(keys(path))}")
    kind, shape, (first, last) = (header[key][n] for n in ("dtype", "shape", "data_offsets"))
    dtype = "<u2" if kind == "BF16" else TYPES.get(kind)
    if dtype is None:
        raise Refused(f"{path}/{key}: found the type {kind}, allowed: BF16, {', '.join(TYPES)}")
    if start + last > path.stat().st_size:
        raise Refused(f"{path}: cut short, the numbers of {key!r} are not all there")
    if first == last:
        return np.empty(shape, dtype)
    found = np.memmap(path, dtype, "r", start + first, tuple(shape))
    return Brain16(found) if kind == "BF16" else found


def _header(path: Path) -> tuple[dict[str, Any], int]:
    """The header, and the byte at which the numbers begin."""
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        if length > path.stat().st_size:
            raise Refused(f"{path}: damaged, or no safetensors file")
        try:
            return json.loads(file.read(length)), 8 + length
        except (UnicodeDecodeError, json.JSONDecodeError):
            raise Refused(f"{path}: damaged, or no safetensors file") from None
