"""The type, shape and size that a file declares are checked before memory is taken for them."""

import math
from typing import Any

from repatlas.record import Refused

FREE_BYTES = 2**28
"""Bytes that an array may have, however few of them are stored."""
MOST_TIMES = 1000
"""A larger array has at most this number of times the bytes that are stored. Deflate, which most
formats use, cannot compress more than 1032 times; only fill values and constants come near."""


def check_numbers(name: str, dtype: Any, shape: tuple[Any, ...]) -> None:
    """Raise Refused for anything except real numbers in at least one axis."""
    if dtype.kind not in "fiub":
        what = "complex numbers" if dtype.kind == "c" else f"the type {dtype}"
        hint = ""
        if dtype.kind == "V" and dtype.itemsize == 2:
            hint = "; bfloat16 becomes float32 with .float() in torch, .astype('float32') in numpy"
        raise Refused(f"{name}: found {what}, allowed: real numbers (float, int or bool){hint}")
    if not all(type(length) is int and length >= 0 for length in shape):
        raise Refused(f"{name}: damaged, found shape {shape}, allowed: whole numbers from 0 on")
    if not shape:
        raise Refused(f"{name}: found a single number, allowed: one row for each item")
    if 0 in shape:
        raise Refused(f"{name}: is empty, found shape {shape}")


def needed_bytes(shape: tuple[int, ...], itemsize: int) -> int:
    """Return the bytes of an array. Python's integers do not overflow, as numpy's do."""
    return math.prod(shape) * itemsize


def check_stored(name: str, shape: tuple[int, ...], itemsize: int, stored: int) -> None:
    """Raise Refused for an array that is far larger than what is stored of it.

    Parameters
    ----------
    stored: bytes of it in the file, compressed or not.
    """
    needed = needed_bytes(shape, itemsize)
    if needed > max(FREE_BYTES, MOST_TIMES * stored):
        raise Refused(
            f"{name}: declares {needed:,} bytes, shape {shape}, and stores {stored:,}: it is"
            f" damaged, or most of it was never written; allowed: {MOST_TIMES:,} times what is"
            " stored"
        )
