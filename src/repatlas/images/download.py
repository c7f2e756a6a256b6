"""Fetch a published file: goes on where it stopped, and keeps nothing with a wrong MD5."""

import hashlib
from collections.abc import Callable
from http.client import HTTPException
from pathlib import Path
from urllib.error import URLError
from urllib.request import HTTPRedirectHandler, Request, build_opener

from repatlas.images.content import SCHEMES, BadImages

TIMEOUT = 30
"""Seconds without a byte, after which the network counts as gone."""
BLOCK = 2**20
"""Bytes that are read at a time."""
PARTIAL = 206
"""The status of an answer that begins where it was asked to; a server may send all instead."""
COMPLETE = 416
"""The status with which a server says that it has nothing left to send."""


def download(url: str, path: Path, size: int, md5: str, log: Callable[[str], None]) -> None:
    """Write the file of a URL, of this published size, to `path`. After an interruption, the part
    that arrived is kept next to it, as .part. It is renamed when it is complete, and removed if it
    is not the published file."""
    _check_scheme(url, "url: found")
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.part")
    begun = part.stat().st_size if part.exists() else 0
    if begun > size:
        begun = 0
    log(f"fetch {url}" + (f", from byte {begun:,} on" if begun else ""))
    try:
        request = Request(url, headers={"Range": f"bytes={begun}-"} if begun else {})
        with build_opener(_Redirection).open(request, timeout=TIMEOUT) as answer:
            promised = answer.length  # the server need not say
            with part.open("ab" if answer.status == PARTIAL else "wb") as file:
                before = file.tell()
                while file.tell() <= size and (block := answer.read(BLOCK)):
                    file.write(block)
                arrived = file.tell() - before
    # A ValueError is about the address.
    except (URLError, HTTPException, TimeoutError, ConnectionError, ValueError) as error:
        if isinstance(error, BadImages):
            raise
        if getattr(error, "code", None) != COMPLETE or not begun:
            raise BadImages(
                f"{url}: can't be fetched ({getattr(error, 'reason', error)})"
            ) from None
    else:
        if before + arrived > size:
            part.unlink()
            raise BadImages(
                f"{url}: sends more than the {size:,} bytes that were published: not kept"
            )
        if promised is not None and arrived < promised:
            raise BadImages(
                f"{url}: broke off {promised - arrived:,} bytes early:"
                " start the same command again to continue"
            )
    with part.open("rb") as file:
        found = hashlib.file_digest(file, "md5").hexdigest()
    if found != md5:
        part.unlink()
        raise BadImages(f"{url}: found MD5 {found}, published is {md5}: not kept")
    part.replace(path)


class _Redirection(HTTPRedirectHandler):
    """Follows a server to another address on the web; urllib's own follows it to ftp, too."""

    def redirect_request(self, request, answer, code, message, headers, address):
        _check_scheme(address, f"{request.full_url}: leads to")
        return super().redirect_request(request, answer, code, message, headers, address)


def _check_scheme(url: str, found: str) -> None:
    if not url.startswith(SCHEMES):
        raise BadImages(f"{found} {url!r}, allowed: an address with http:// or https://")
