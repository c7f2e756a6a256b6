"""Sentences and their length."""

import re
from collections.abc import Iterator

from plain.texts import Text

ABBREVIATED = re.compile(r"\b(e\.g|i\.e|et al|vs|cf|[Ff]ig|[Ee]q|No|approx)\.$|\b[A-Z]\.$|\.\.\.$")


def sentences(each: Text) -> Iterator[tuple[int, str]]:
    """Yield the sentences of a text, each with its line. A `literal` becomes the word CODE."""
    hidden = re.sub(
        r"``[^`]*``|`[^`]*`", lambda found: "CODE".ljust(len(found[0]), "\0"), each.words
    )
    start = 0
    for end in [
        *(found.end() for found in re.finditer(r"[.!?][)\"'*]*(?=\s|$)", hidden)),
        len(hidden),
    ]:
        piece, rest = hidden[start:end], hidden[end:]
        # A lower-case letter continues the sentence, unless it begins a name.
        goes_on = rest and not re.match(r"\s+([^a-z\s]|nan\b|\w+=|[a-z]\w*_\w+|\w+: )", rest)
        if rest and (ABBREVIATED.search(piece) or goes_on):
            continue
        if clean := re.sub(r"[\0*]|\b_+|_+\b", "", piece).strip():
            offset = start + len(piece) - len(piece.lstrip())
            yield each.lines[min(offset, len(each.lines) - 1)], clean
        start = end


def length(sentence: str) -> int:
    """Return the number of words. In a list "name: text; name: text" the longest item counts."""
    items = re.split(r";\s+(?=[\w, ]{1,40}: )", sentence)
    return max(len(re.findall(r"[A-Za-z][A-Za-z'-]*", item)) for item in items)
