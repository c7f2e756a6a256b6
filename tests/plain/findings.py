"""What is hard to read in a file."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from plain.names import unclear_names
from plain.phrases import LEANING, PHRASES, PRONOUN
from plain.sentences import length, sentences
from plain.texts import Text, texts_of
from plain.verbs import VERBS

GENERATED = re.compile(r"Written by `make |Made by `make |^# (\w+: t|T)he claims, judged", re.M)
EXEMPT = "prose: ok"
LONGEST = 30


class Finding(NamedTuple):
    line: int
    code: str
    reason: str
    sentence: str


def check(path: Path) -> tuple[list[Finding], int, int]:
    """Return the findings of a file, the number of its texts and the number of its words."""
    source = path.read_text(encoding="utf-8")
    if path.suffix in (".md", ".rst") and GENERATED.search(source):
        return [], 0, 0
    texts = list(texts_of(path, source))
    found = [each for part in texts for each in findings_of(part)]
    if path.suffix == ".py":
        found += [Finding(*each) for each in unclear_names(ast.parse(source))]
    lines = source.split("\n")
    kept = [each for each in found if EXEMPT not in lines[each.line - 1]]
    return sorted(kept), len(texts), sum(length(part.words) for part in texts)


def findings_of(each: Text) -> Iterator[Finding]:
    """Yield what is hard to read in one text."""
    for place, (line, sentence) in enumerate(sentences(each)):
        if place == 0 and each.kind not in ("page", "message"):
            yield from start_of(each, line, sentence)
        if (count := length(sentence)) > LONGEST:
            yield Finding(line, "L1", f"{count} words", sentence)
        for code, phrases in PHRASES.items():
            for pattern, instead in phrases.items():
                for found in re.finditer(pattern, sentence, re.IGNORECASE):
                    yield Finding(line, code, f"{found[0].strip(' ,')!r}: {instead}", sentence)


def start_of(each: Text, line: int, sentence: str) -> Iterator[Finding]:
    """Yield what is wrong with the first sentence of a docstring or comment."""
    if found := LEANING.match(sentence):
        yield Finding(line, "S1", f"starts with {found[0]!r}: name the thing", sentence)
    elif PRONOUN.match(sentence):
        yield Finding(line, "P1", f"starts with {sentence.split()[0]!r}: name the noun", sentence)
    starts_with_verb = sentence.split()[0].strip(",:").lower() in VERBS
    if each.kind == "function" and not starts_with_verb:
        yield Finding(line, "D1", "no verb at its start: 'Return ...'", sentence)
    if each.kind in ("function", "class") and length(each.words) < 4 and not starts_with_verb:
        yield Finding(line, "D2", "fewer than four words", sentence)
