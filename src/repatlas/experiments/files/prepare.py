"""The data of representations in files: the files are looked at, and their rows are joined.

The arrays stay where they are. What is stored is which of their rows count, in which order, with
the item and the condition of each.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from repatlas.experiments.files.content import Digests
from repatlas.experiments.files.joined import Joined, join
from repatlas.experiments.files.look import page
from repatlas.experiments.files.matrix import Matrix
from repatlas.experiments.files.opened import array_of
from repatlas.experiments.files.seen import Seen, seen, unseen
from repatlas.experiments.files.spec import Grid, Part, Spec, files_of
from repatlas.experiments.files.table import Table, read_table
from repatlas.record import Refused

OWN_DATA = False
"""True if each seed has separate data."""


def modules(wanted: dict[str, Any]) -> list[str]:
    """Return the modules that representations name."""
    return sorted(Grid.model_validate(wanted["grid"]).modules())


def depends_on(wanted: dict[str, Any], source: dict[str, Any]) -> dict[str, Any]:
    """Return what of the user's files the data depend on: the digest of each array, and of the
    columns of each table that count.

    source: "digests", the file where digests are remembered, if any, and whether these are
    "believed", which is so unless it says no. Raises Refused for files that `prepare` would refuse
    whatever the numbers in the arrays are: shapes and tables are enough to find a misspelt column
    before any job starts. This is done once for each content of the files.
    """
    remembered = source.get("digests")
    digests = Digests(Path(remembered) if remembered else None, source.get("believed", True))
    arrays, tables, columns = files_of(wanted)
    found = {
        "arrays": {_name(path, key): digests.array(Path(path), key) for path, key in arrays},
        "tables": {path: digests.table(Path(path), columns) for path in tables},
    }
    digests.once(json.dumps([wanted, found]), lambda: _check_shapes(wanted, found["arrays"]))
    digests.save()
    return {"content": found}


def prepare(
    wanted: list[dict], seed: None, source: dict, log: Callable[[str], None]
) -> tuple[dict[str, np.ndarray], dict[str, Any], str]:
    """Return the rows of each representation that count, under its key, then facts and a page.

    The facts are about the first look, and include the rows that were left out. The page shows the
    first look, for the log.

    A representation of m rows has these arrays. `rows` (m, parts) is the row of each file. `items`
    and `conditions` (m,) are numbers. `names` are the names of the items as UTF-8, each ended by a
    NUL. `targets` is (P, K). `sessions` are the numbers of the parts that take part, and `content`
    the digests of their arrays. `blocks` (m,) are numbers, if the config names their column. If
    features were dropped, `features/N` are the features of part N
    that are kept. So the digests of these arrays cover everything that its measures depend on,
    except the paths of its files.

    Raises Refused for files that changed after the plan was made, and for items that are not the
    same in all. Raises Refused for numbers that are not finite, unless the config says what becomes
    of them.
    """
    (about,) = wanted
    grid = Grid.model_validate(about["grid"])
    planned = about.get("content", {}).get("arrays", {})
    looked: dict[tuple[str, str | None], Seen] = {}
    for path, key in files_of(about)[0]:
        looked[path, key] = found = seen(matrix_of(grid, path, key), grid.missing)
        if planned.get(_name(path, key), found.look.digest) != found.look.digest:
            raise Refused(
                f"{_name(path, key)}: changed since it was planned: start the command again"
            )
        log(f"looked at {found.matrix.name}")
    joined = join(grid, looked, _tables(grid, looked, about["tables"]))
    facts = [fact for each in looked.values() for fact in each.look.facts]
    facts += [fact for each in joined.values() for fact in each.facts]
    header = {
        "content": about.get("content", {}),
        "facts": [fact._asdict() for fact in dict.fromkeys(facts)],
        "conditions": {key: each.conditions for key, each in joined.items()},
        "shapes": {key: each.shape for key, each in joined.items()},
    }
    arrays = {
        f"{key}/{name}": array
        for key, each in joined.items()
        for name, array in _stored(each).items()
    }
    said = f"looked at {len(looked)} arrays for {len(joined)} representations"
    return arrays, header, f"{page([*dict.fromkeys(facts)])}\n{said}"


def basis(spec: Spec, header: dict[str, Any]) -> dict[str, str]:
    """Return the dependencies of the measures of a representation: the digests of its arrays in the
    file of its data.

    header: the header of this file.
    """
    start = f"{spec.data}/"
    return {
        name.removeprefix(start): digest
        for name, digest in header["digests"].items()
        if name.startswith(start)
    }


def matrix_of(rows: Any, path: str, key: str | None) -> Matrix:
    """Return an array of a file as the config says that it is read. rows: a record with
    `reduction`, `channels` and `times`. Raises Refused for an array without these times."""
    stored, name = array_of(Path(path), key), _name(path, key)
    if rows.times is None:
        return Matrix(name, stored, rows.reduction, rows.channels)
    shape = tuple(stored.shape)
    if len(shape) != 3 or shape[2] != len(rows.times):
        raise Refused(
            f"{name}: has shape {shape}, and times has {len(rows.times)} names; allowed: three"
            f" axes, rows x units x {len(rows.times)} times"
        )
    return Matrix(name, stored, "flat", None)


def names_of(content: np.ndarray) -> list[str]:
    """Return the names that `prepare` stores as UTF-8, each ended by a NUL.

    >>> names_of(np.frombuffer(b"cat\\0dog\\0", np.uint8))
    ['cat', 'dog']
    """
    return content.tobytes().decode().split("\0")[:-1]


def _check_shapes(wanted: dict[str, Any], digests: dict[str, str]) -> None:
    """Join rows in the same way as `prepare`, with arrays of known shape and unknown numbers. Only
    the first draw of a pseudo-population is joined. Rows that `missing: drop_rows` drops depend on
    the numbers, so with it only shapes and tables are checked. Raises Refused."""
    grid = Grid.model_validate(wanted["grid"])
    first = [each for each in grid.arrays if each.columns.get("draw", 0) == 0]
    grid = grid.model_copy(update={"arrays": first})
    looked = {
        (path, key): unseen(matrix_of(grid, path, key), digests[_name(path, key)])
        for path, key in files_of(wanted)[0]
    }
    tables = _tables(grid, looked, wanted["tables"])
    if grid.missing != "drop_rows":
        join(grid, looked, tables)


def _tables(
    grid: Grid, looked: dict[tuple[str, str | None], Seen], paths: list[str]
) -> dict[str, Table]:
    """Return the tables at these paths. Each has a line for each row of its arrays."""
    wanted = grid.item, list(grid.variables), grid.blocks
    tables = {path: read_table(Path(path), *wanted) for path in paths}
    for part in (part for each in grid.arrays for part in each.parts):
        _check_rows(part, tables, looked)
    return tables


def _text(names: list[str]) -> np.ndarray:
    """Return what names_of reads."""
    return np.frombuffer("".join(f"{name}\0" for name in names).encode(), np.uint8)


def _stored(joined: Joined) -> dict[str, np.ndarray]:
    features = {
        f"features/{number}": kept
        for number, kept in enumerate(joined.features)
        if kept is not None
    }
    blocks = {} if joined.blocks is None else {"blocks": joined.blocks}
    return (
        features
        | blocks
        | {
            "rows": joined.rows,
            "items": joined.items,
            "conditions": joined.condition,
            "names": _text(joined.names),
            "content": _text(joined.content),
            "targets": joined.targets,
            "sessions": np.array(joined.sessions, np.int64),
        }
    )


def _check_rows(part: Part, tables: dict[str, Table], looked: dict) -> None:
    """Refuse an array whose number of rows is not the number of lines of its table. Only here
    positions matter."""
    if part.rows is None:
        return
    rows, lines = looked[part.path, part.key].matrix.rows, tables[part.rows].rows
    if rows != lines:
        raise Refused(
            f"{_name(part.path, part.key)}: has {rows} rows and {part.rows} has {lines};"
            " allowed: one line of the table for each row of the array"
        )


def _name(path: str, key: str | None) -> str:
    return path if key is None else f"{path}/{key}"
