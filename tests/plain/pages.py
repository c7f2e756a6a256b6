"""The paragraphs of a page in Markdown or reStructuredText."""

import re
from collections.abc import Iterator

PUBLISHED = r"<!-- claims of \w+:.*?<!-- end of claims -->"
HIDDEN = (
    PUBLISHED,
    r"<!--.*?-->",
    r"\{#.*?#\}",
    r"\{%.*?%\}",
    r"^(```+|~~~+).*?^\1",
    r"\A---\n.*?\n---\n",
)
"""Claims in the words of papers, comments, templates, code, and the header of a page."""


def paragraphs(source: str) -> Iterator[list[tuple[int, str]]]:
    """Yield the paragraphs, list items and cells of a page as lines with their numbers."""
    block: list[tuple[int, str]] = []
    for number, line in enumerate([*without_markup(source).split("\n"), ""], 1):
        bare = line.strip()
        item = re.match(r"([-*+]|\d+\.)\s+", bare)
        if not bare or item or bare.startswith(("|", "#", "!", ">", "..", "(", ":::")):
            yield block
            block = []
        if bare.startswith("|"):
            yield from ([(number, cell)] for cell in bare.strip("|").split("|"))
        elif bare and not bare.startswith(("#", "!", "..", ":::")):
            block.append((number, bare[item.end() :] if item else bare))


def without_markup(source: str) -> str:
    """Return a page without code, tags and the targets of links, with the same number of lines."""
    for hidden in HIDDEN:
        source = re.sub(hidden, _lines, source, flags=re.DOTALL | re.MULTILINE)
    source = re.sub(r"</?[a-z][^>\n]*>", " ", re.sub(r"\{\{.*?\}\}", "x", source))
    return re.sub(r"\[([^\]]*)\]\([^)]*\)", lambda found: found[1] + _lines(found), source)


def _lines(found: re.Match[str]) -> str:
    return "\n" * found[0].count("\n")
