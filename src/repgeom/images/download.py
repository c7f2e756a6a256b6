"""Fetch a published file: goes on where it stopped, and keeps nothing with a wrong MD5."""

import hashlib
import shutil
from collections.abc import Callable
from http.client import HTTPException
from pathlib import Path
from urllib.error import URLError
from urllib.request import Request, urlopen

from repgeom.images.content import BadImages

TIMEOUT = 30
"""Seconds without a byte, after which the network counts as gone."""
PARTIAL = 206
"""The status of an answer that begins where it was asked to; a server may send all instead."""
COMPLETE = 416
"""That where nothing is left to send."""


def download(url: str, path: Path, md5: str, log: Callable[[str], None]) -> None:
    """The file of a URL, under `path`. What arrived before a break stays beside it, as .part."""
    if not url.startswith(("http://", "https://")):
        raise BadImages(f"url: found {url!r}, allowed: an address with http:// or https://")
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.part")
    begun = part.stat().st_size if part.exists() else 0
    log(f"fetch {url}" + (f", from byte {begun:,} on" if begun else ""))
    try:
        request = Request(url, headers={"Range": f"bytes={begun}-"} if begun else {})
        with urlopen(request, timeout=TIMEOUT) as answer:
            promised = answer.length  # None where the server does not say
            with part.open("ab" if answer.status == PARTIAL else "wb") as file:
                before = file.tell()
                shutil.copyfileobj(answer, file)
                arrived = file.tell() - before
    # A ValueError is about the address.
    except (URLError, HTTPException, TimeoutError, ConnectionError, ValueError) as error:
        if getattr(error, "code", None) != COMPLETE or not begun:
            raise BadImages(
                f"{url}: can't be fetched ({getattr(error, 'reason', error)})"
            ) from None
    else:
        if promised is not None and arrived < promised:
            raise BadImages(
                f"{url}: broke off {promised - arrived:,} bytes early:"
                " start the same command again to go on"
            )
    with part.open("rb") as file:
        found = hashlib.file_digest(file, "md5").hexdigest()
    if found != md5:
        part.unlink()
        raise BadImages(f"{url}: found MD5 {found}, published is {md5}: not kept")
    part.replace(path)
