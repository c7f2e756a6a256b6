"""Rows of arrays, joined by item: the rows that count, their order, and the condition of each."""

from collections.abc import Hashable
from typing import NamedTuple

import numpy as np

from repatlas.experiments.files.look import Look
from repatlas.experiments.files.pool import pooled
from repatlas.experiments.files.spec import Grid, Part, Spec
from repatlas.experiments.files.table import (
    Condition,
    Table,
    common_items,
    condition_numbers,
    conditions_of,
    matched,
    refuse_repeated,
)
from repatlas.own.texts import listed
from repatlas.record import Refused


class Joined(NamedTuple):
    """The rows of a representation."""

    arrays: dict[str, np.ndarray]
    """What `prepare` stores of it, by name"""
    conditions: list[list]
    """(P,): the values of the variables; without variables, the name of each item"""
    said: list[str]
    """What is left out, and how many trials there are, for the log"""


class _Rows(NamedTuple):
    """The rows of one file that may be used."""

    rows: np.ndarray
    items: list[str]
    condition: np.ndarray
    """The number of the condition of each row; 0 without variables"""
    blocks: list[str] | None = None
    """The block of every row of the file"""


def join(
    grid: Grid, looked: dict[tuple[str, str | None], Look], tables: dict[str, Table]
) -> dict[str, Joined]:
    """Return the rows of each representation of a grid, by its key.

    looked: the arrays, by path and key; tables: the tables of all representations of the config's
    entry, so that items are the same in all jobs. Raises Refused.
    """
    conditions: list[Condition] = [()]
    if grid.variables:
        conditions = conditions_of(list(tables.values()), grid.variables)
    numbers = {path: condition_numbers(table, conditions) for path, table in tables.items()}
    allowed = None
    pools = any(len(each.parts) > 1 or each.parts[0].session is not None for each in grid.arrays)
    if grid.item is not None and not pools:
        selected = {
            table.where: [table.items[row] for row in np.flatnonzero(numbers[path] >= 0)]
            for path, table in tables.items()
        }
        if not grid.trials:
            for where, items in selected.items():
                refuse_repeated(items, where)
        allowed = common_items(selected, grid.join == "inner")
    found = {}
    for spec in grid.specs():
        parts, name = [_usable(part, looked, tables, numbers) for part in spec.parts], spec.label
        one = _pool(spec, parts) if pools else _rows_of_one(spec, parts[0], allowed)
        rows, sessions, items, condition, said = one
        chosen = [looked[spec.parts[n].path, spec.parts[n].key] for n in sessions]
        # Items may have lost all their rows, where these had numbers that are not finite.
        there = {*items}
        names = [item for item in dict.fromkeys(allowed or items) if item in there]
        of_item = matched(names, items)
        if grid.variables:
            _check_conditions(name, condition, conditions)
        if grid.trials:
            counts = np.bincount(of_item)
            said.append(f"{counts.min()} to {counts.max()} trials of {len(names)} items")
        arrays = {
            "rows": rows,
            "items": of_item,
            "conditions": condition if grid.variables else of_item,
            "names": as_text(names),
            "content": as_text([each.digest for each in chosen]),
            "sessions": np.array(sessions, np.int64),
        }
        if grid.blocks:
            arrays["blocks"] = _blocks(name, grid.blocks, parts[0].blocks, rows)
        for place, each in enumerate(chosen):
            if each.features is not None:
                arrays[f"features/{place}"] = each.features
        values = [list(each) for each in conditions] if grid.variables else [[n] for n in names]
        found[spec.key] = Joined(arrays, values, [f"{name}: {each}" for each in said])
    return found


def as_text(names: list[str]) -> np.ndarray:
    """Return names as UTF-8, each ended by a NUL."""
    return np.frombuffer("".join(f"{name}\0" for name in names).encode(), np.uint8)


def names_of(content: np.ndarray) -> list[str]:
    """Return the names that as_text has made.

    >>> names_of(as_text(["cat", "dog"]))
    ['cat', 'dog']
    """
    return content.tobytes().decode().split("\0")[:-1]


def _blocks(name: str, column: str, blocks: list[str], rows: np.ndarray) -> np.ndarray:
    """Return the number of the block of each row, (m,), in the order of their names."""
    names, numbers = np.unique([blocks[row] for row in rows[:, 0]], return_inverse=True)
    if len(names) < 2:
        raise Refused(
            f"{name}: column {column!r} (blocks) has {str(names[0])!r} alone; allowed: two blocks"
            " or more, such as runs"
        )
    return numbers.ravel()


def _check_conditions(name: str, condition: np.ndarray, conditions: list[Condition]) -> None:
    counts = np.bincount(condition, minlength=len(conditions))
    if lost := [conditions[n] for n in np.flatnonzero(counts == 0)]:
        raise Refused(
            f"{name}: no row is left of {len(lost)} conditions ({listed(lost, 3)}), after what"
            " join, missing and least_trials drop; allowed: some of each"
        )


def _usable(
    part: Part,
    looked: dict[tuple[str, str | None], Look],
    tables: dict[str, Table],
    numbers: dict[str, np.ndarray],
) -> _Rows:
    """Return the rows of a file that are kept and have one of the conditions."""
    seen = looked[part.path, part.key]
    kept, names = seen.rows, seen.matrix.names
    if part.rows is None:
        rows = np.flatnonzero(kept)
        items = [str(row) if names is None else str(names[row]) for row in rows]
        return _Rows(rows, items, np.zeros(len(rows), dtype=np.int64))
    table = tables[part.rows]
    # The line of the table for each row of the array.
    lines = np.arange(table.rows) if names is None else table.places(seen.matrix.name, names)
    condition = numbers[part.rows][lines]
    rows = np.flatnonzero(kept & (condition >= 0))
    items = [str(line) if table.items is None else table.items[line] for line in lines[rows]]
    blocks = None if table.blocks is None else [table.blocks[line] for line in lines]
    return _Rows(rows, items, condition[rows], blocks)


def _rows_of_one(spec: Spec, part: _Rows, allowed: list[str] | None) -> tuple:
    """Return the rows of a single file, in the order of the items. Repeats of an item are in the
    order of the file."""
    rows, items, condition, _ = part
    said = []
    if allowed is not None:
        place = {item: n for n, item in enumerate(allowed)}
        order = np.array([place.get(item, -1) for item in items])
        chosen = np.flatnonzero(order >= 0)
        if not spec.trials:
            chosen = chosen[np.argsort(order[chosen], kind="stable")]
        if left_out := len(rows) - len(chosen):
            said.append(f"{left_out} rows left out by join")
        rows, items, condition = rows[chosen], [items[n] for n in chosen], condition[chosen]
    return rows[:, None], [0], items, condition, said


def _pool(spec: Spec, parts: list[_Rows]) -> tuple:
    """Return the rows of a pseudo-population, matched by item and condition."""
    sessions = [str(part.session) for part in spec.parts]
    keys: dict[str, list[Hashable]] = {}
    for session, part in zip(sessions, parts, strict=True):
        if not spec.trials:
            refuse_repeated(part.items, f"session {session}")
        pairs = list(zip(part.items, part.condition.tolist(), strict=True))
        keys[session] = part.items if not spec.variables else pairs
    found = pooled(keys, spec.columns["draw"], spec.join == "inner", spec.least_trials)
    numbers = [sessions.index(session) for session in found.sessions]
    rows = np.stack([parts[n].rows[found.rows[:, i]] for i, n in enumerate(numbers)], axis=1)
    items = list(found.items) if not spec.variables else [item for item, _ in found.items]
    condition = parts[numbers[0]].condition[found.rows[:, 0]]
    said = [f"session {session} left out: has {why}" for session, why in found.excluded.items()]
    said += [
        f"session {of}: {number} trials without a partner" for of, number in found.left_out.items()
    ]
    return rows, numbers, items, condition, said
