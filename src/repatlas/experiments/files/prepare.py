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
from repatlas.experiments.files.joined import join
from repatlas.experiments.files.look import Look, look, unseen
from repatlas.experiments.files.matrix import Matrix
from repatlas.experiments.files.opened import array_name
from repatlas.experiments.files.spec import Grid, Spec, files_of
from repatlas.experiments.files.table import Table, read_table
from repatlas.record import Refused

OWN_DATA = False
"""True if each seed has separate data."""


def modules(wanted: dict[str, Any]) -> list[str]:
    """Return the modules of the reductions with which these representations are read."""
    return sorted(Grid.model_validate(wanted["grid"]).modules())


def depends_on(wanted: dict[str, Any], source: dict[str, Any]) -> dict[str, Any]:
    """Return what of the user's files the data depend on: the digest of each array, and of the
    columns of each table that count.

    source: "digests", the file where digests are remembered, if any. Raises Refused for files that
    `prepare` would refuse whatever the numbers in the arrays are: shapes and tables are enough to
    find a misspelt column before any job starts. This is done once for each content of the files.
    """
    remembered = source.get("digests")
    digests = Digests(Path(remembered) if remembered else None)
    arrays, tables, columns = files_of(wanted)
    found = {
        "arrays": {array_name(path, key): digests.array(Path(path), key) for path, key in arrays},
        "tables": {path: digests.table(Path(path), columns) for path in tables},
    }
    try:
        digests.once(json.dumps([wanted, found]), lambda: _check_shapes(wanted, found["arrays"]))
    finally:
        digests.save()
    return {"content": found}


def without_paths(wanted: dict[str, Any]) -> dict[str, Any]:
    """Return the same with the digest of each array and table instead of its path. A result does
    not depend on where files are."""
    arrays, tables = (wanted["content"][kind] for kind in ("arrays", "tables"))

    def digests(part: dict[str, Any]) -> dict[str, Any]:
        array = arrays[array_name(part["path"], part.get("key"))]
        rows = tables.get(part.get("rows"))
        return {"array": array, "rows": rows, "session": part.get("session")}

    of_columns = [
        each | {"parts": [digests(part) for part in each["parts"]]}
        for each in wanted["grid"]["arrays"]
    ]
    return {
        "grid": wanted["grid"] | {"arrays": of_columns},
        "tables": [tables[path] for path in wanted["tables"]],
    }


def prepare(
    wanted: list[dict], seed: None, source: dict, log: Callable[[str], None]
) -> tuple[dict[str, np.ndarray], dict[str, Any], str]:
    """Return the rows of each representation that count, under its key, a header, and what is left
    out, for the log.

    A representation of m rows has these arrays. `rows` (m, sessions) is the row in each file.
    `items` and `conditions` (m,) are numbers. `names` are the names of the items as UTF-8, each
    ended by a NUL. `sessions` are the numbers of the parts that take part, and `content` the
    digests of their arrays. `blocks` (m,) are numbers, if the config names their column. If
    features were dropped, `features/N` are the kept features of the N-th session. So the digests of
    these arrays cover everything that its measures depend on, except the paths of its files.

    Raises Refused for arrays that changed after the plan was made, and for items that are not the
    same in all. Raises Refused for numbers that are not finite, unless the config says what becomes
    of them.
    """
    (about,) = wanted
    grid = Grid.model_validate(about["grid"])
    planned = about.get("content", {}).get("arrays", {})
    looked: dict[tuple[str, str | None], Look] = {}
    for path, key in files_of(about)[0]:
        looked[path, key] = found = look(matrix_of(grid, path, key), grid.missing)
        if planned.get(array_name(path, key), found.digest) != found.digest:
            raise Refused(
                f"{array_name(path, key)}: changed since it was planned: start the command again"
            )
        log(found.kept)
    joined = join(grid, looked, _tables(grid, looked, about["tables"]))
    header = {
        "content": about.get("content", {}),
        "conditions": {key: each.conditions for key, each in joined.items()},
        "said": [line for each in joined.values() for line in each.said],
    }
    arrays = {
        f"{key}/{name}": array
        for key, each in joined.items()
        for name, array in each.arrays.items()
    }
    return arrays, header, "\n".join(header["said"])


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
    if rows.times is None:
        return Matrix(path, key, rows.reduction, rows.channels)
    matrix = Matrix(path, key, "flat", None)
    shape = tuple(matrix.shape_in_file)
    if len(shape) != 3 or shape[2] != len(rows.times):
        raise Refused(
            f"{matrix.name}: has shape {shape}, and times has {len(rows.times)} names; allowed:"
            f" three axes, rows x units x {len(rows.times)} times"
        )
    return matrix


def _check_shapes(wanted: dict[str, Any], digests: dict[str, str]) -> None:
    """Join rows in the same way as `prepare`, with arrays of known shape and unknown numbers. Only
    the first draw of a pseudo-population is joined. Rows that `missing: drop_rows` drops depend on
    the numbers, so with it only shapes and tables are checked. Raises Refused."""
    grid = Grid.model_validate(wanted["grid"])
    first = [each for each in grid.arrays if each.columns.get("draw", 0) == 0]
    grid = grid.model_copy(update={"arrays": first})
    looked = {
        (path, key): unseen(matrix_of(grid, path, key), digests[array_name(path, key)])
        for path, key in files_of(wanted)[0]
    }
    tables = _tables(grid, looked, wanted["tables"])
    if grid.missing != "drop_rows":
        join(grid, looked, tables)


def _tables(
    grid: Grid, looked: dict[tuple[str, str | None], Look], paths: list[str]
) -> dict[str, Table]:
    """Return the tables at these paths. Refuse one that lacks a line for a row of its arrays, and
    arrays whose first axes have several names."""
    wanted = grid.item, list(grid.variables), grid.blocks
    tables = {path: read_table(Path(path), *wanted) for path in paths}
    axes = {seen.matrix.first_axis: seen.matrix.name for seen in looked.values()}
    axes.pop(None, None)
    if len(axes) > 1:
        said = " and ".join(f"{axis!r} ({name})" for axis, name in axes.items())
        raise Refused(f"arrays: their first axes, which are rows, are called {said}; transpose one")
    for part in (part for each in grid.arrays for part in each.parts if part.rows is not None):
        rows, lines = looked[part.path, part.key].matrix.rows, tables[part.rows].rows
        if rows != lines:
            raise Refused(
                f"{array_name(part.path, part.key)}: has {rows} rows and {part.rows} has {lines};"
                " allowed: one line of the table for each row of the array"
            )
    return tables
