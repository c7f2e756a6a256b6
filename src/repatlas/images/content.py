"""What files of images hold, once they are known to be what was published.

Sizes and MD5 sums are those that the data sets' own pages state. A file that was cut
short has neither. It is used, unchecked, only where the config says `subset: true`.
"""

import hashlib
import tarfile
import zlib
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from repatlas.record import Refused

CLASSES = 10
"""The number of classes of every data set here."""
SCHEMES = ("http://", "https://")
"""How the addresses of files begin."""


class BadImages(Refused):
    """A file of images is not what was published; the message names it."""


class Split(NamedTuple):
    """The training or the test images of a data set."""

    images: np.ndarray
    """(n, channels, height, width) uint8"""
    labels: np.ndarray
    """(n,) uint8: classes 0 .. 9"""


def file_content(path: Path, size: int, md5: str | None, subset: bool) -> bytes:
    """Return the bytes of a file of this published size and MD5 (None where none is published), or
    of its beginning where `subset` allows that. Raises BadImages for a file that is missing, too
    long, too short without `subset`, or of another MD5."""
    if (found := _existing(path).stat().st_size) > size:
        raise BadImages(f"{path}: found {found:,} bytes, allowed: {size:,}")
    content = path.read_bytes()
    if len(content) < size:
        if not subset:
            raise BadImages(
                f"{path}: cut short, found {len(content):,} of {size:,} bytes:"
                " fetch it again, or set `subset: true` to use the images that are in it"
            )
        return content
    if md5:
        _check_md5(path, hashlib.md5(content).hexdigest(), md5)
    return content


def content_digests(folder: Path, names: tuple[str, ...]) -> dict[str, str]:
    """Return, by name, the first 32 hex digits of the SHA-256 of each of these files in a folder.
    Files that are not there are left out."""
    found = {}
    for name in names:
        if (path := folder / name).is_file():
            stat = path.stat()
            found[name] = _sha256(path, stat.st_size, stat.st_mtime_ns)
    return found


@cache
def _sha256(path: Path, size: int, changed: int) -> str:
    """Read once by a process, as long as the file stays as it is: it may be large."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:32]


def whole_content(path: Path, md5: str) -> bytes:
    """Return the bytes of a file with this MD5. Formats for which half a file is useless are read
    in this way."""
    _check_file(path, md5)
    return path.read_bytes()


def archive_content(path: Path, md5: str, members: list[str]) -> dict[str, bytes]:
    """Return the bytes of these members of a .tar.gz with this MD5. Nothing is unpacked to disk,
    and there is no cut form: which members a torn archive still holds is chance."""
    _check_file(path, md5)
    with tarfile.open(path, "r:gz") as archive:
        return {name: archive.extractfile(name).read() for name in members}


def unzipped(path: Path, content: bytes, most: int) -> bytes:
    """Return a .gz file unpacked, or the readable part of one that was cut. It has at most the
    published number of bytes, since a forged megabyte may inflate to a gigabyte. Raises BadImages
    for content that is no gzip file, is damaged, or has more bytes."""
    try:
        unpacked = zlib.decompressobj(wbits=31).decompress(content, most + 1)
    except zlib.error as error:
        raise BadImages(
            f"{path}: no gzip file, or a damaged one ({error}); fetch it again"
        ) from None
    if len(unpacked) > most:
        raise BadImages(
            f"{path}: has more than {most:,} bytes after decompression, the published size"
        )
    return unpacked


def checked_labels(path: Path, labels: np.ndarray) -> np.ndarray:
    if len(wrong := np.flatnonzero(labels >= CLASSES)):
        raise BadImages(
            f"{path}: found label {labels[wrong[0]]} at image {wrong[0]}, allowed: 0 to 9"
        )
    return labels


def _existing(path: Path) -> Path:
    if not path.is_file():
        raise BadImages(f"{path}: no such file")
    return path


def _check_file(path: Path, md5: str) -> None:
    """Check the MD5 of a file without reading it into memory: its size may be anything."""
    with _existing(path).open("rb") as file:
        _check_md5(path, hashlib.file_digest(file, "md5").hexdigest(), md5)


def _check_md5(path: Path, found: str, published: str) -> None:
    if found != published:
        raise BadImages(
            f"{path}: damaged, found MD5 {found}, published is {published}: fetch it again"
        )
