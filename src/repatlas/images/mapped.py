"""Arrays that stay on disk, since a data set may be larger than what a job should hold."""

import json

import numpy as np

from repatlas.artifacts.files import Arrays


def mapped(arrays: Arrays, name: str) -> np.ndarray:
    """Return one uint8 array of a safetensors file, mapped into memory, after a check that the file
    is complete.

    The format: 8 bytes for the length of a JSON header, that header, the bytes of the arrays.
    Raises Unreadable.
    """
    shape = arrays[name].shape  # checks its digest
    with arrays.path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        first, _ = json.loads(file.read(length))[name]["data_offsets"]
    return np.memmap(arrays.path, np.uint8, mode="r", offset=8 + length + first, shape=shape)
