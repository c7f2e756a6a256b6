"""STL-10 (Coates, Ng and Lee 2011): 13,000 labelled colour images of 96 x 96 in ten classes.

https://cs.stanford.edu/~acoates/stl10. A folder holds the published archive, or stl10_binary
unpacked from it; the 100,000 images without labels are not used.
"""

from pathlib import Path

import numpy as np

from repatlas.images.content import (
    BadImages,
    Split,
    archive_content,
    file_content,
)

SHAPE = (3, 96, 96)
PIXELS = 27_648
SIZES = {"train": 5_000, "test": 8_000}
ARCHIVE = ("stl10_binary.tar.gz", "91f7769df0f17e558f3565bffb0c7dfb")
FILES = {
    "train_X.bin": (5_000 * PIXELS, "918c2871b30a85fa023e0c44e0bee87f"),
    "train_y.bin": (5_000, "5a34089d4802c674881badbb80307741"),
    "test_X.bin": (8_000 * PIXELS, "7f263ba9f9e0b06b93213547f721ac82"),
    "test_y.bin": (8_000, "36f9794fa4beb8a2c72628de14fa638e"),
}
"""Size and MD5 of each file."""
OTHER_FORMS = ("stl10_binary",)
CUTTABLE = tuple(f"stl10_binary/{name}" for name in FILES)
DOWNLOADS = {
    ARCHIVE[0]: ("https://ai.stanford.edu/~acoates/stl10/", 2_640_397_119, ARCHIVE[1]),
}
"""The authors' page, which names itself without encryption; others fetch it with. Not tried by us.
"""


def read(folder: Path, subset: bool) -> dict[str, Split]:
    inside, archive = folder / "stl10_binary", folder / ARCHIVE[0]
    if inside.is_dir():
        content = {
            name: file_content(inside / name, *about, subset) for name, about in FILES.items()
        }
    elif archive.exists():
        places = {name: f"stl10_binary/{name}" for name in FILES}
        found = archive_content(archive, ARCHIVE[1], list(places.values()))
        content = {name: found[place] for name, place in places.items()}
        inside = archive / "stl10_binary"
    else:
        raise BadImages(f"{folder}: holds no STL-10, allowed: {ARCHIVE[0]} or stl10_binary")
    return {split: _split(inside, split, content) for split in SIZES}


def _split(inside: Path, split: str, content: dict[str, bytes]) -> Split:
    pixels = np.frombuffer(content[f"{split}_X.bin"], np.uint8)
    stored = np.frombuffer(content[f"{split}_y.bin"], np.uint8)
    number = min(len(pixels) // PIXELS, len(stored))
    # Planes are stored column after column.
    images = pixels[: number * PIXELS].reshape(number, *SHAPE).swapaxes(2, 3)
    if len(wrong := np.flatnonzero((stored < 1) | (stored > 10))):
        raise BadImages(
            f"{inside / f'{split}_y.bin'}: found label {stored[wrong[0]]} at image {wrong[0]},"
            " allowed: 1 to 10"
        )
    return Split(images, stored[:number] - 1)
