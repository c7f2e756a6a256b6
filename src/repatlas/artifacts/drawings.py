"""Figures in files, PDF and PNG: their keywords hold a header like every other file."""

import hashlib
import io
import json
from pathlib import Path
from typing import Any

from PIL import Image

from repatlas.artifacts.files import Unreadable, open_file, whole_file

UNSIGNED = "0" * 64
KEYWORDS = b"/Keywords ("


def write_drawing(figure: Any, path: Path, header: dict) -> None:
    """Write a matplotlib figure in the format of the path's suffix, with a title, and its label as
    description, for readers who cannot see it.

    A PNG contains checksums. A PDF gets a digest of itself, with zeros in its place.
    """
    keywords = json.dumps(header | {"digest": UNSIGNED}, sort_keys=True)
    # In a PDF a parenthesis ends a text.
    keywords = keywords.replace("(", "\\u0028").replace(")", "\\u0029")
    said = {"Keywords": keywords, "Title": _title(header["job"])}
    if path.suffix == ".pdf":
        # No date: the same figure gives the same bytes.
        said |= {"CreationDate": None, "Subject": figure.get_label()}
    else:
        said["Description"] = figure.get_label()
    # In memory: matplotlib trips over itself when the disk is full in the middle of a PDF.
    drawn = io.BytesIO()
    figure.savefig(drawn, format=path.suffix[1:], metadata=said)
    content = drawn.getvalue()
    if path.suffix == ".pdf":
        content = content.replace(UNSIGNED.encode(), _digest(content), 1)
    with whole_file(path) as temporary:
        temporary.write_bytes(content)


def _title(job: dict) -> str:
    return " ".join(["repatlas", *(job[key] for key in ("study", "figure") if key in job)])


def read_drawing(path: Path) -> dict:
    """Return the header of a figure, after all of its bytes were checked. Raises Unreadable."""
    open_file(path).close()  # raises what is no fault of the bytes
    try:
        text = _png_keywords(path) if path.suffix == ".png" else _pdf_keywords(path)
        header = json.loads(text)
        if not {"identity", "job"} <= header.keys():
            raise ValueError("no header")
        return header
    except Exception as error:  # damaged bytes raise what they will, in Pillow and here
        raise Unreadable(path, f"damaged, or not written by repatlas ({error})") from error


def _png_keywords(path: Path) -> str:
    with Image.open(path) as image:
        image.verify()
    with Image.open(path) as image:
        image.load()
        return image.text["Keywords"]


def _pdf_keywords(path: Path) -> str:
    content = path.read_bytes()
    # The text has no parentheses, and PDF doubles its backslashes.
    text = content.split(KEYWORDS, 1)[1].split(b")", 1)[0].replace(rb"\\", b"\\").decode()
    digest = json.loads(text)["digest"].encode()
    if _digest(content.replace(digest, UNSIGNED.encode(), 1)) != digest:
        raise ValueError("its digest differs")
    return text


def _digest(content: bytes) -> bytes:
    return hashlib.sha256(content).hexdigest().encode()
