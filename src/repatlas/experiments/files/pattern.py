"""Patterns of files, such as data/net/{seed}/{epoch}/{layer}.npy: braces are columns of results."""

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from repatlas.experiments.files.columns import Value, listed, natural, typed
from repatlas.experiments.files.opened import is_file_type, keys_of, reader_name
from repatlas.record import Refused

BRACES = re.compile(r"{([^{}]*)}")
LONGEST_NAME = 255
"""Bytes of the name of a file or folder, in all usual file systems."""
LONGEST_PATH = 4000
"""Bytes of a path: Linux allows 4095 with the folder where the workflow runs."""


class Place(NamedTuple):
    """Where one array is."""

    path: Path
    key: str | None
    """The name of the array in the file; None where a file is one array"""
    columns: dict[str, Value]
    """What the braces stand for"""
    texts: dict[str, str]
    """The values as texts of the path, for example "007" for epoch 7"""

    @property
    def name(self) -> str:
        """The name for messages."""
        return str(self.path) if self.key is None else f"{self.path}/{self.key}"


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


def check_path(pattern: str) -> None:
    """Refuse a path that no file can have."""
    parts = [BRACES.sub("", part).encode() for part in _parts(pattern)[0]]
    if len(pattern.encode()) > LONGEST_PATH or max(map(len, parts), default=0) > LONGEST_NAME:
        raise Refused(
            f"found a path of {len(pattern.encode())} bytes, allowed: at most {LONGEST_PATH}, and"
            f" {LONGEST_NAME} between two /"
        )
    if "\0" in pattern:
        raise Refused("allowed: a path without the sign NUL")


def filled(pattern: str, texts: dict[str, str]) -> str:
    """Return a pattern with these texts instead of its braces.

    >>> filled("data/{session}.csv", {"session": "07", "epoch": "3"})
    'data/07.csv'
    """
    return BRACES.sub(lambda brace: texts[brace[1]], pattern)


def places(pattern: str) -> list[Place]:
    """Return every array that a pattern stands for, in the natural order of its columns.

    A pattern is a path, and any part of it may have braces. For a file of several arrays (npz,
    safetensors, mat, HDF5, zarr), the name of an array follows the suffix of the file, as in
    data/{seed}.npz/{layer}. Without such a name the file must hold one array. The values of a brace
    are whole numbers where all are, else numbers, else texts. Raises Refused if nothing matches, if
    a file can be read in two ways, and if two arrays have the same values.
    """
    braces(pattern)
    in_folders, in_file = _parts(pattern)
    start = Path("/") if pattern.startswith("/") else Path()
    try:
        files = list(_paths(start, in_folders, {}, pattern))
    except OSError as error:  # a folder that may not be read, for example
        raise Refused(f"arrays: {error.filename}: {error.strerror}") from None
    found = [
        (path, key, texts | more)
        for path, texts in files
        for key, more in _keys(path, in_file, texts, pattern)
    ]
    if not found:
        raise Refused(f"arrays: no array matches {pattern!r}; {_what_there_is(start, in_folders)}")
    values = {name: typed([texts[name] for *_, texts in found]) for name in braces(pattern)}
    all_places = [
        Place(path, key, {name: values[name][number] for name in values}, texts)
        for number, (path, key, texts) in enumerate(found)
    ]
    ordered = sorted(all_places, key=lambda place: [*map(natural, place.columns.values())])
    for one, other in pairwise(ordered):
        if one.columns == other.columns:
            which = ", ".join(f"{name}={value}" for name, value in one.columns.items())
            raise Refused(
                f"arrays: {one.name} and {other.name} both stand for {which or 'the same array'};"
                " allowed: one array for each"
            )
    return ordered


def _parts(pattern: str) -> tuple[list[str], str | None]:
    """Return the parts of the file's path, and what stands for the name of an array in it."""
    parts = [part for part in pattern.split("/") if part not in ("", ".")]
    for number, part in enumerate(parts):
        if is_file_type(part) and number + 1 < len(parts):
            return parts[: number + 1], "/".join(parts[number + 1 :])
    return parts, None


def _paths(
    folder: Path, parts: list[str], texts: dict[str, str], pattern: str
) -> Iterator[tuple[Path, dict[str, str]]]:
    """Yield the files below a folder that match, with the texts of their braces."""
    if not parts:
        yield folder, texts
        return
    first, rest = parts[0], parts[1:]
    if not BRACES.search(first):
        if (folder / first).exists():
            yield from _paths(folder / first, rest, texts, pattern)
        return
    if not folder.is_dir():
        return
    for path in sorted(folder.iterdir()):
        if path.name.startswith(".") or bool(rest) != _is_folder(path, rest):
            continue
        if (more := _matched(first, path.name, texts, path, pattern)) is not None:
            yield from _paths(path, rest, texts | more, pattern)


def _is_folder(path: Path, rest: list[str]) -> bool:
    """Return True if a path may continue below this one. A folder that ends in .zarr counts as a
    file."""
    return path.is_dir() and (bool(rest) or reader_name(path) != "zarr")


def _keys(
    path: Path, wanted: str | None, texts: dict[str, str], pattern: str
) -> Iterator[tuple[str | None, dict[str, str]]]:
    """Yield the names of the arrays in a file that match, with the texts of their braces."""
    keys = keys_of(path)
    if keys is None:
        if wanted is not None:
            raise Refused(
                f"pattern {pattern!r}: {path} is one array, allowed after its name: nothing"
            )
        yield None, {}
    elif wanted is None:
        if len(keys) != 1:
            raise Refused(
                f"{path}: holds {len(keys)} arrays ({listed(keys)}): name one, or all of them with"
                f" {pattern + '/{layer}'!r}"
            )
        yield keys[0], {}
    else:
        for key in keys:
            if (more := _matched(wanted, key, texts, path, pattern)) is not None:
                yield key, more


def _matched(
    wanted: str, name: str, texts: dict[str, str], path: Path, pattern: str
) -> dict[str, str] | None:
    """Return the texts of the braces of a part of a pattern; None for a name that does not
    match."""
    found = [_groups(wanted, name, many) for many in ("[^/]+", "[^/]+?")]
    if found[0] is None:
        return None
    if any(map(_is_undecoded, name)):
        raise Refused(
            f"pattern {pattern!r}: the name {name!r} in {path.parent} is not in UTF-8; allowed: a"
            " name that is: rename it"
        )
    if found[0] != found[1]:
        one, other = (", ".join(f"{k}={v}" for k, v in each.items()) for each in found)
        raise Refused(
            f"pattern {pattern!r}: {name!r} can be read in two ways, as {one} and as {other}:"
            " put a / or another sign between the braces"
        )
    for column, text in found[0].items():
        if texts.get(column, text) != text:
            raise Refused(
                f"pattern {pattern!r}: {path} has two values of {{{column}}},"
                f" {texts[column]!r} and {text!r}"
            )
    return found[0]


def _is_undecoded(sign: str) -> bool:
    """Return whether Python made this sign from a byte of a name that is not UTF-8."""
    return "\ud800" <= sign <= "\udfff"


def _groups(wanted: str, name: str, many: str) -> dict[str, str] | None:
    expression, seen = "", set()
    for number, part in enumerate(BRACES.split(wanted)):
        if number % 2 == 0:
            expression += re.escape(part)
        else:
            expression += f"(?P={part})" if part in seen else f"(?P<{part}>{many})"
            seen.add(part)
    matched = re.fullmatch(expression, name)
    return matched.groupdict() if matched else None


def _what_there_is(start: Path, parts: list[str]) -> str:
    """Return the folder where the search ended, for a pattern that nothing matches."""
    folder = start
    for part in parts[:-1]:
        if BRACES.search(part) or not (folder / part).is_dir():
            break
        folder /= part
    names = sorted(path.name for path in folder.iterdir() if not path.name.startswith("."))
    return f"the folder {folder.absolute()} holds {listed(names) or 'nothing'}"
