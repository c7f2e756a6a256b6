"""Fashion-MNIST (Xiao, Rasul and Vollgraf 2017): 70,000 grey images of 28 x 28 in ten classes.

https://github.com/zalandoresearch/fashion-mnist. A folder holds its four .gz files, in the idx
format: two zero bytes, the type (8: bytes), the number of axes, their lengths, and the values.
"""

import math
import struct
from pathlib import Path

import numpy as np

from repatlas.images.content import (
    BadImages,
    Split,
    checked_labels,
    file_content,
    unzipped,
)

SHAPE = (1, 28, 28)
SIZES = {"train": 60_000, "test": 10_000}
FILES = {
    "train-images-idx3-ubyte.gz": (26_421_880, "8d4fb7e6c68d591d4c3dfef9ec88bf0d"),
    "train-labels-idx1-ubyte.gz": (29_515, "25c81989df183df01b3e8a0aad5dffbe"),
    "t10k-images-idx3-ubyte.gz": (4_422_102, "bef4ecab320f06d8554ea6380940ec79"),
    "t10k-labels-idx1-ubyte.gz": (5_148, "bb300cfdad3c16e7a12a480ee83cd310"),
}
"""Size and MD5 of each file."""
PREFIXES = {"train": "train", "test": "t10k"}
OTHER_FORMS = ()
CUTTABLE = tuple(FILES)
DOWNLOADS = {
    name: ("https://fashion-mnist.s3.eu-central-1.amazonaws.com/", *about)
    for name, about in FILES.items()
}
"""The authors' bucket, which their page names by its website without encryption, under the address
that S3 gives each bucket. Not tried by us."""


def read(folder: Path, subset: bool) -> dict[str, Split]:
    found = {}
    for split, prefix in PREFIXES.items():
        images, labels = (
            _values(folder / name, name, subset, (SIZES[split], *axes))
            for name, axes in (
                (f"{prefix}-images-idx3-ubyte.gz", SHAPE[1:]),
                (f"{prefix}-labels-idx1-ubyte.gz", ()),
            )
        )
        number = min(len(images), len(labels))
        labels = checked_labels(folder / f"{prefix}-labels-idx1-ubyte.gz", labels[:number])
        found[split] = Split(images[:number].reshape(number, *SHAPE), labels)
    return found


def _values(path: Path, name: str, subset: bool, published: tuple[int, ...]) -> np.ndarray:
    """Return (n, *axes) uint8, as many whole items as the file holds, of `published` (all,
    *axes)."""
    dimensions, axes = len(published), published[1:]
    start = 4 + 4 * dimensions
    packed = file_content(path, *FILES[name], subset)
    content = unzipped(path, packed, start + math.prod(published))
    header = content[:start]
    if len(header) < start or header[:4] != bytes([0, 0, 8, dimensions]):
        raise BadImages(f"{path}: no idx file of bytes with {dimensions} axes")
    number, *found = struct.unpack(f">{dimensions}I", header[4:])
    if tuple(found) != axes:
        raise BadImages(f"{path}: found items of {found}, allowed: {list(axes)}")
    each = math.prod(axes)
    values = np.frombuffer(content, np.uint8, offset=start)
    whole = min(number, len(values) // each)
    return values[: whole * each].reshape(whole, *axes)
