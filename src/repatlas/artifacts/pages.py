"""Markdown pages. A comment at their end holds a header like every other file."""

from pathlib import Path

from repatlas.artifacts.digests import digest
from repatlas.artifacts.files import Unreadable, header_of, metadata_of, open_file, whole_file


def write_page(path: Path, header: dict, text: str) -> None:
    """Write a Markdown page, with its header and a digest in a comment at its end."""
    text = text.rstrip() + "\n\n"
    described = metadata_of("page", header | {"digest": digest(text.encode())})["repatlas"]
    with whole_file(path) as temporary:
        temporary.write_text(f"{text}<!-- {described} -->\n", encoding="utf-8")


def read_page(path: Path) -> dict:
    """Return the header of a page, after all of it was checked. Raises Unreadable."""
    with open_file(path) as file:
        content = file.read()
    text, mark, described = content.rpartition(b"<!-- ")
    if not mark or not described.endswith(b" -->\n"):
        raise Unreadable(path, "damaged, or not written by repatlas")
    described = described.removesuffix(b" -->\n").decode(errors="replace")
    header = header_of(path, "page", {"repatlas": described})
    if digest(text) != header["digest"]:
        raise Unreadable(path, "damaged, its text is not what was written")
    return header
