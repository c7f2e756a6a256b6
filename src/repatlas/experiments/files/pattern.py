"""Patterns of files, such as data/net/{seed}/{epoch}/{layer}.npy: braces are columns of results."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from repatlas.experiments.files.opened import array_name, keys_of
from repatlas.own.read import is_read
from repatlas.own.tables import typed
from repatlas.own.texts import Value, listed, natural
from repatlas.record import Refused

BRACES = re.compile(r"{([^{}]*)}")


class Place(NamedTuple):
    """Where one array is."""

    path: Path
    key: str | None
    """The name of the array in the file; None where a file is one array"""
    columns: dict[str, Value]
    """What the braces stand for"""
    texts: dict[str, str]
    """The values as texts of the path, for example "007" for epoch 7"""


def braces(pattern: str) -> list[str]:
    """Return the names in the braces of a pattern, in order, each once. Raises Refused for a brace
    that is not the name of a column.

    >>> braces("net/{seed}/net-{seed}-{epoch}.npz/{layer}")
    ['seed', 'epoch', 'layer']
    """
    names = BRACES.findall(pattern)
    if wrong := [name for name in names if not name.isidentifier()]:
        raise Refused(
            f"pattern {pattern!r}: found {{{wrong[0]}}}, allowed in braces: the name of a column,"
            " of letters, digits and _"
        )
    if BRACES.sub("", pattern).count("{") or BRACES.sub("", pattern).count("}"):
        raise Refused(f"pattern {pattern!r}: found a brace that is not closed or not opened")
    return list(dict.fromkeys(names))


def filled(pattern: str, texts: dict[str, str]) -> str:
    """Return a pattern with these texts instead of its braces.

    >>> filled("data/{session}.csv", {"session": "07", "epoch": "3"})
    'data/07.csv'
    """
    return BRACES.sub(lambda brace: texts[brace[1]], pattern)


def places(pattern: str) -> list[Place]:
    """Return every array that a pattern stands for, in the natural order of its columns.

    A pattern is a path, and any part of it may have braces. In a file of several arrays, such as
    npz, the name of an array follows the suffix, as in data/{seed}.npz/{layer}. Without such a name
    the file must hold one array. The values of a brace are numbers where all are plain numbers,
    else texts: 1.10 is not 1.1. Raises Refused if nothing matches, if a file can be read in two
    ways, and if two arrays have the same values.
    """
    names, (file, key) = braces(pattern), _split(pattern)
    expressions = [_expression(array_name(file, key), lazy) for lazy in ("", "?")]
    found = []
    try:
        files = [*_files(Path(), Path(file).parts)]
    except OSError as error:  # a folder that may not be read, for example
        raise Refused(f"arrays: {error.filename}: {error.strerror}") from None
    for path in files:
        keys = (
            [None]
            if key is None
            else keys_of(path)
            if _expression(file).fullmatch(str(path))
            else []
        )
        if keys is None:
            raise Refused(
                f"pattern {pattern!r}: {path} is one array, allowed after its name: nothing"
            )
        for each in keys:
            name = array_name(path, each)
            one, other = (expression.fullmatch(name) for expression in expressions)
            if one and one.groups() != other.groups():
                said = [
                    ", ".join(f"{k}={v}" for k, v in m.groupdict().items()) for m in (one, other)
                ]
                raise Refused(
                    f"pattern {pattern!r}: {name!r} can be read in two ways, as {said[0]} and as"
                    f" {said[1]}: put a / or another sign between the braces"
                )
            if one:
                found.append((path, each, one.groupdict()))
    if not found:
        raise Refused(f"arrays: no array matches {pattern!r}; {_what_there_is(file)}")
    values = {name: typed([texts[name] for *_, texts in found]) for name in names}
    all_places = [
        Place(path, key, {name: values[name][number] for name in values}, texts)
        for number, (path, key, texts) in enumerate(found)
    ]
    ordered = sorted(all_places, key=lambda place: [*map(natural, place.columns.values())])
    for one, other in pairwise(ordered):
        if one.columns == other.columns:
            which = ", ".join(f"{name}={value}" for name, value in one.columns.items())
            raise Refused(
                f"arrays: {array_name(one.path, one.key)} and {array_name(other.path, other.key)}"
                f" both stand for {which or 'the same array'}; allowed: one array for each"
            )
    return ordered


def _split(pattern: str) -> tuple[str, str | None]:
    """Return the pattern of the file, and what stands for the name of an array in it."""
    parts = [part for part in pattern.split("/") if part not in ("", ".")]
    start = "/" if pattern.startswith("/") else ""
    for number, part in enumerate(parts[:-1], 1):
        if is_read(part):
            return start + "/".join(parts[:number]), "/".join(parts[number:])
    return start + "/".join(parts), None


def _files(folder: Path, parts: Sequence[str]) -> Iterator[Path]:
    """Yield the files below a folder that may match the parts of a pattern. Hidden ones do not."""
    if not parts:
        yield folder
        return
    first, rest = parts[0], parts[1:]
    if not BRACES.search(first):
        found = [folder / first] if (folder / first).exists() else []
    else:
        every = sorted(folder.iterdir()) if folder.is_dir() else []
        found = [path for path in every if not path.name.startswith(".")]
    for path in found:
        if path.is_dir() or not rest:
            yield from _files(path, rest)


def _expression(pattern: str, lazy: str = "") -> re.Pattern:
    """Return the expression of a pattern. A brace that stands again has the same text. lazy: "?"
    for braces that stand for as little as they can."""
    parts, seen = BRACES.split(pattern), set()
    for number, part in enumerate(parts):
        if number % 2 == 0:
            parts[number] = re.escape(part)
        else:
            parts[number] = f"(?P={part})" if part in seen else f"(?P<{part}>[^/]+{lazy})"
            seen.add(part)
    return re.compile("".join(parts))


def _what_there_is(file: str) -> str:
    """Return the folder where the search ended, for a pattern that nothing matches."""
    folder = Path(BRACES.split(file)[0] + "x").parent
    while not folder.is_dir():
        folder = folder.parent
    names = sorted(path.name for path in folder.iterdir() if not path.name.startswith("."))
    return f"the folder {folder.absolute()} holds {listed(names) or 'nothing'}"
