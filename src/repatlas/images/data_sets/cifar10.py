"""CIFAR-10 (Krizhevsky 2009): 60,000 colour images of 32 x 32 in ten classes.

https://www.cs.toronto.edu/~kriz/cifar.html. A folder holds the binary or the Python form, unpacked
or as the published archive.
"""

from pathlib import Path

import numpy as np

from repatlas.images.content import (
    CLASSES,
    BadImages,
    Split,
    archive_content,
    checked_labels,
    file_content,
    whole_content,
)
from repatlas.images.pickled import read_batch

SHAPE = (3, 32, 32)
PIXELS = 3072
SIZES = {"train": 50_000, "test": 10_000}
BATCHES = {"train": [f"data_batch_{number}" for number in range(1, 6)], "test": ["test_batch"]}
BINARY_BYTES = 10_000 * (1 + PIXELS)
"""The size of each file of the binary form. An MD5 is published only for the archive."""
BINARY_ARCHIVE = ("cifar-10-binary.tar.gz", "c32a1d4ab5d03f1284b67883e8d87530")
PYTHON_ARCHIVE = ("cifar-10-python.tar.gz", "c58f30108f718f92721af3b95e74349a")
PYTHON_FILES = {
    "data_batch_1": "c99cafc152244af753f735de768cd75f",
    "data_batch_2": "d4bba439e000b95fd0a9bffe97cbabec",
    "data_batch_3": "54ebc095f3ab1f0389bbae665268c751",
    "data_batch_4": "634d18415352ddfa80567beed471001a",
    "data_batch_5": "482c414d41f54cd18b22e5b47cb7c3cb",
    "test_batch": "40351d587109b95175f43aff81a1287e",
}
"""MD5 of each file of the Python form, as torchvision checks them."""
OTHER_FORMS = ("cifar-10-batches-bin", "cifar-10-batches-py", PYTHON_ARCHIVE[0])
CUTTABLE = tuple(f"cifar-10-batches-bin/{name}.bin" for names in BATCHES.values() for name in names)
DOWNLOADS = {
    BINARY_ARCHIVE[0]: ("https://www.cs.toronto.edu/~kriz/", 170_052_171, BINARY_ARCHIVE[1]),
}


def read(folder: Path, subset: bool) -> dict[str, Split]:
    for form in (_binary, _binary_archive, _python, _python_archive):
        if (found := form(folder, subset)) is not None:
            splits = {
                split: Split(
                    np.concatenate([found[name][0] for name in names]).reshape(-1, *SHAPE),
                    np.concatenate([found[name][1] for name in names]),
                )
                for split, names in BATCHES.items()
            }
            _check_balance(folder, splits)
            return splits
    raise BadImages(
        f"{folder}: holds no CIFAR-10, allowed: {BINARY_ARCHIVE[0]}, {PYTHON_ARCHIVE[0]},"
        " cifar-10-batches-bin or cifar-10-batches-py"
    )


def _check_balance(folder: Path, splits: dict[str, Split]) -> None:
    """Refuse batches with unbalanced classes. A batch under the name of another has the same size,
    and binary batches have no published MD5. But classes are balanced in the test batch and in all
    training batches together."""
    for name, split in splits.items():
        counts = np.bincount(split.labels, minlength=CLASSES)
        if len(split.labels) == SIZES[name] and counts.min() < counts.max():
            raise BadImages(
                f"{folder}: found {counts.min()} to {counts.max()} {name} images of a class,"
                f" allowed: {SIZES[name] // CLASSES}; is one file a copy of another?"
            )


def _names() -> list[str]:
    return [name for names in BATCHES.values() for name in names]


def _binary(folder: Path, subset: bool):
    inside = folder / "cifar-10-batches-bin"
    if not inside.is_dir():
        return None
    paths = {name: inside / f"{name}.bin" for name in _names()}
    return {
        name: _records(path, file_content(path, BINARY_BYTES, None, subset))
        for name, path in paths.items()
    }


def _binary_archive(folder: Path, subset: bool):
    path = folder / BINARY_ARCHIVE[0]
    if not path.exists():
        return None
    members = {name: f"cifar-10-batches-bin/{name}.bin" for name in _names()}
    content = archive_content(path, BINARY_ARCHIVE[1], list(members.values()))
    return {name: _records(path / place, content[place]) for name, place in members.items()}


def _python(folder: Path, subset: bool):
    inside = folder / "cifar-10-batches-py"
    if not inside.is_dir():
        return None
    return {
        name: _batch(inside / name, whole_content(inside / name, PYTHON_FILES[name]))
        for name in _names()
    }


def _python_archive(folder: Path, subset: bool):
    path = folder / PYTHON_ARCHIVE[0]
    if not path.exists():
        return None
    members = {name: f"cifar-10-batches-py/{name}" for name in _names()}
    content = archive_content(path, PYTHON_ARCHIVE[1], list(members.values()))
    return {name: _batch(path / place, content[place]) for name, place in members.items()}


def _records(path: Path, content: bytes) -> tuple[np.ndarray, np.ndarray]:
    """Return the pixels and the labels of a file. Each record is a label and the planes of red,
    green and blue. A file that was cut short may end within a record."""
    records = np.frombuffer(content, np.uint8)
    records = records[: len(records) // (1 + PIXELS) * (1 + PIXELS)].reshape(-1, 1 + PIXELS)
    return records[:, 1:], checked_labels(path, records[:, 0])


def _batch(path: Path, content: bytes) -> tuple[np.ndarray, np.ndarray]:
    images, labels = read_batch(path, content, PIXELS)
    return images, checked_labels(path, labels)
