"""The places that a config fetches results from: folders, and addresses that serve such a folder.

`make bundle` writes the folder: files under their names in the store, and an index with the size
and the SHA-256 of each. Nothing else that a source has is read. An answer that is slow, cut short
or too long is given up.
"""

import hashlib
import re
from collections.abc import Iterator
from http.client import HTTPException
from pathlib import Path
from ssl import SSLCertVerificationError
from time import monotonic
from typing import BinaryIO
from urllib.parse import quote
from urllib.request import (
    HTTPDefaultErrorHandler,
    HTTPErrorProcessor,
    HTTPHandler,
    HTTPRedirectHandler,
    HTTPSHandler,
    OpenerDirector,
    ProxyHandler,
    UnknownHandler,
)

from pydantic import Field, ValidationError

from repatlas.artifacts.files import Unreadable, open_file
from repatlas.images.content import SCHEMES
from repatlas.record import Record

INDEX = "index.json"
LARGEST_INDEX = 2**26
"""Bytes; a thousand files are a fifth of a megabyte."""
NAME = re.compile(r"([A-Za-z0-9_-]+/)+[0-9a-f]{16}\.[a-z]+")
"""What the name of a file in the store looks like. None leads out of a folder."""
BLOCK = 2**20
"""Bytes that are read at most at a time."""
SECONDS = 30.0
"""How long a source may be silent. A file may take as long, and the time that it takes at the
slowest speed."""
SLOWEST = 50_000
"""Bytes per second."""
TRUSTED = "SSL_CERT_FILE may name a file with a certificate that you trust"


class Failed(Exception):
    """A source did not give a file. What the file has is not known."""


class Entry(Record):
    """What an index says of a file."""

    size: int = Field(ge=0)
    sha256: str = Field(pattern="^[0-9a-f]{64}$")


class Index(Record):
    """The files of a source by their names in the store."""

    files: dict[str, Entry]


class Source:
    """A folder or an address, and what its index lists."""

    def __init__(self, place: str, seconds: float = SECONDS):
        self.place, self.seconds = place.rstrip("/"), seconds
        self.files: dict[str, Entry] = {}
        self.failures: list[str] = []
        """What did not arrive, and why"""
        self.is_closed = False
        """Whether to end what is being read"""

    def read_index(self) -> None:
        """Read which files the source has. Raises Failed."""
        content = b"".join(self._blocks(INDEX, LARGEST_INDEX))
        try:
            files = Index.model_validate_json(content).files
        except ValidationError:
            raise Failed("not an index that `make bundle` writes") from None
        if strange := [name for name in files if not NAME.fullmatch(name)]:
            raise Failed(f"lists {strange[0]!r}, which is no name in a store")
        self.files = files

    def save(self, name: str, path: Path) -> None:
        """Write a file to `path`. Raises Failed if it does not arrive as a whole, and Unreadable if
        it is not what the index says."""
        entry, found, size = self.files[name], hashlib.sha256(), 0
        with path.open("wb") as file:
            for block in self._blocks(name, entry.size):
                file.write(block)
                found.update(block)
                size += len(block)
        if size < entry.size:
            raise Failed(f"broke off {entry.size - size:,} bytes early")
        if found.hexdigest() != entry.sha256:
            raise Unreadable(path, f"its SHA-256 is not what {INDEX} says")

    def _blocks(self, name: str, most: int) -> Iterator[bytes]:
        """Yield the bytes of a file. Raises Failed; also after more than `most` bytes."""
        end = monotonic() + self.seconds + most / SLOWEST
        try:
            with self._open(name) as file:
                while block := file.read1(BLOCK):  # read would wait for a whole block
                    most -= len(block)
                    if most < 0:
                        raise Failed("longer than it should be")
                    if monotonic() > end or self.is_closed:
                        raise Failed("too slow")
                    yield block
        # A ValueError is about the address.
        except (OSError, HTTPException, ValueError) as error:
            reason = getattr(error, "reason", error)
            if isinstance(reason, SSLCertVerificationError):
                raise Failed(f"{reason.verify_message.rstrip('.')}; {TRUSTED}") from None
            raise Failed(str(getattr(reason, "strerror", None) or reason)) from None

    def _open(self, name: str) -> BinaryIO:
        if self.place.startswith(SCHEMES):
            return _OPENER.open(f"{self.place}/{quote(name)}", timeout=self.seconds)
        return open_file(Path(self.place, name))


_OPENER = OpenerDirector()
"""Speaks http and https alone. urllib's own would follow a server to ftp, too."""
for _handler in (
    *(ProxyHandler, UnknownHandler, HTTPHandler, HTTPSHandler, HTTPDefaultErrorHandler),
    *(HTTPRedirectHandler, HTTPErrorProcessor),
):
    _OPENER.add_handler(_handler())
