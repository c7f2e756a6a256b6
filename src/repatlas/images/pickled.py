"""The two arrays of a batch of CIFAR-10's Python archive, without executing its pickle.

A pickle is a program; unpickling runs it, and a forged one runs anything. `pickletools.genops`
lists a pickle's instructions with their arguments and executes none. A batch has one text that is
long, the pixels, and after the text "labels" a list of small integers: they are read off the list.
"""

import pickletools
from pathlib import Path

import numpy as np

from repatlas.images.content import BadImages

INTEGERS = {"BININT", "BININT1", "BININT2", "INT", "LONG", "LONG1"}
"""Instructions whose argument is an integer of the data; others have places in a memo."""


def read_batch(path: Path, content: bytes, pixels: int) -> tuple[np.ndarray, np.ndarray]:
    """Return pixels (n, pixels) and labels (n,), both uint8, of a pickled dictionary that has
    "data", an array of uint8, and "labels", a list."""
    longest, labels, among_labels = b"", [], False
    try:
        for instruction, argument, _ in pickletools.genops(content):
            if isinstance(argument, str | bytes):
                # Python 2's texts are bytes, which pickletools shows as if they were Latin-1.
                text = argument if isinstance(argument, bytes) else _latin(argument)
                longest = max(longest, text, key=len)
                among_labels = text == b"labels"
            elif among_labels and instruction.name in INTEGERS:
                labels.append(argument)
    except ValueError as error:
        raise BadImages(f"{path}: damaged, or no pickle ({error})") from None
    if not labels or len(longest) != len(labels) * pixels:
        raise BadImages(
            f"{path}: found {len(labels)} labels and {len(longest):,} pixels, allowed: {pixels:,}"
            " pixels for each label"
        )
    # A label beyond a byte is out of range, too: 255 will be refused as such.
    clipped = np.clip(labels, 0, 255).astype(np.uint8)
    return np.frombuffer(longest, np.uint8).reshape(-1, pixels), clipped


def _latin(text: str) -> bytes:
    return text.encode("latin-1", errors="replace")
