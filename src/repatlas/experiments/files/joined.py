"""Rows of arrays, joined by item: the rows that count, their order, and the condition of each."""

from collections.abc import Hashable
from typing import NamedTuple

import numpy as np

from repatlas.experiments.files.columns import listed
from repatlas.experiments.files.items import common_items, refuse_repeated
from repatlas.experiments.files.look import Fact, count_facts
from repatlas.experiments.files.pool import pooled
from repatlas.experiments.files.seen import Seen
from repatlas.experiments.files.spec import Grid, Part, Spec
from repatlas.experiments.files.table import (
    Condition,
    Table,
    condition_numbers,
    conditions_of,
    targets_of,
)
from repatlas.record import Refused


class Joined(NamedTuple):
    """The rows of a representation."""

    rows: np.ndarray
    """(m, sessions): the row of each file"""
    items: np.ndarray
    """(m,): the number of each row's item among the names"""
    condition: np.ndarray
    """(m,): the number of its condition"""
    names: list[str]
    """The names of the items"""
    targets: np.ndarray
    """(P, K) of 0 and 1"""
    conditions: list[list]
    """(P,): the values of the variables; without variables, the name of each item"""
    sessions: list[int]
    """The numbers of the sessions that are used"""
    features: list[np.ndarray | None]
    """The features of each array that are kept; None for all"""
    content: list[str]
    """The digest of each array"""
    shape: tuple[int, int]
    """Rows, or positions of them, and features"""
    facts: list[Fact]
    blocks: np.ndarray | None = None
    """(m,): the number of each row's block; None if rows are independent"""


class _Rows(NamedTuple):
    """The rows of one file that may be used."""

    rows: np.ndarray
    items: list[str]
    condition: np.ndarray
    """The number of the condition of each row; -1 without variables"""


def join(
    grid: Grid, looked: dict[tuple[str, str | None], Seen], tables: dict[str, Table]
) -> dict[str, Joined]:
    """Return the rows of each representation of a grid, by its key.

    looked: the arrays, by path and key; tables: the tables of all representations of the config's
    entry, so that items are the same in all jobs. Raises Refused.
    """
    conditions: list[Condition] = []
    values: dict[str, list] = {}
    if grid.variables:
        conditions, values = conditions_of(list(tables.values()), grid.variables)
    targets = targets_of(conditions, values) if conditions else None
    numbers = {
        path: condition_numbers(table, conditions)
        if conditions
        else np.full(table.rows, -1, dtype=np.int64)
        for path, table in tables.items()
    }
    allowed = None
    pools = any(len(each.parts) > 1 or each.parts[0].session is not None for each in grid.arrays)
    if grid.item is not None and not pools:
        selected = {
            table.where: [
                item
                for item, number in zip(table.items, numbers[path], strict=True)
                if number >= 0 or not conditions
            ]
            for path, table in tables.items()
        }
        if not grid.trials:
            for where, items in selected.items():
                refuse_repeated(items, where)
        allowed = common_items(selected, grid.join == "inner")
    found = {}
    for spec in grid.specs():
        parts = [_usable(part, looked, tables, numbers, bool(conditions)) for part in spec.parts]
        name = spec.label
        one = _pool(name, spec, parts) if pools else _rows_of_one(name, spec, parts[0], allowed)
        rows, sessions, items, condition, facts = one
        names = list(dict.fromkeys(items)) if pools or allowed is None else allowed
        number = {item: n for n, item in enumerate(names)}
        of_item = np.array([number[item] for item in items], dtype=np.int64)
        chosen = [looked[spec.parts[n].path, spec.parts[n].key] for n in sessions]
        positions = chosen[0].matrix.positions
        # Items may have lost all their rows, where these had numbers that are not finite.
        there, of_item = np.unique(of_item, return_inverse=True)
        names = [names[n] for n in there]
        if conditions:
            _check_conditions(name, condition, conditions)
        else:
            condition = of_item
        facts += count_facts(name, "rows of an item", of_item) if grid.trials else []
        facts += count_facts(name, "rows of a condition", condition) if conditions else []
        found[spec.key] = Joined(
            rows,
            of_item,
            condition,
            names,
            np.zeros((len(names), 0), np.int8) if targets is None else targets,
            [[name] for name in names] if not conditions else [list(each) for each in conditions],
            sessions,
            [each.features for each in chosen],
            [each.look.digest for each in chosen],
            (len(rows) * positions, sum(each.width for each in chosen)),
            facts,
            _blocks(name, grid.blocks, tables[spec.parts[0].rows], rows) if grid.blocks else None,
        )
    return found


def _blocks(name: str, column: str, table: Table, rows: np.ndarray) -> np.ndarray:
    """Return the number of the block of each row, (m,), in the order of their names."""
    names = [table.blocks[row] for row in rows[:, 0]]
    values, blocks = np.unique(names, return_inverse=True)
    if len(values) < 2:
        raise Refused(
            f"{name}: column {column!r} (blocks) has {names[0]!r} alone; allowed: two blocks or"
            " more, such as runs"
        )
    return blocks.ravel()


def _check_conditions(name: str, condition: np.ndarray, conditions: list[Condition]) -> None:
    counts = np.bincount(condition, minlength=len(conditions))
    if lost := [conditions[n] for n in np.flatnonzero(counts == 0)]:
        raise Refused(
            f"{name}: no row is left of {len(lost)} conditions ({listed(lost, 3)}), after what"
            " join, missing and least_trials drop; allowed: some of each"
        )


def _usable(
    part: Part,
    looked: dict[tuple[str, str | None], Seen],
    tables: dict[str, Table],
    numbers: dict[str, np.ndarray],
    select: bool,
) -> _Rows:
    """Return the rows of a file that are kept. If conditions are selected, these rows have one of
    them."""
    kept = looked[part.path, part.key].rows
    if part.rows is None:
        rows = np.flatnonzero(kept)
        return _Rows(rows, [str(row) for row in rows], np.full(len(rows), -1, dtype=np.int64))
    table, condition = tables[part.rows], numbers[part.rows]
    rows = np.flatnonzero(kept & (condition >= 0) if select else kept)
    items = [str(row) if table.items is None else table.items[row] for row in rows]
    return _Rows(rows, items, condition[rows])


def _rows_of_one(name: str, spec: Spec, part: _Rows, allowed: list[str] | None) -> tuple:
    """Return the rows of a single file, in the order of the items. Repeats of an item are in the
    order of the file."""
    rows, items, condition = part
    if allowed is not None:
        place = {item: n for n, item in enumerate(allowed)}
        order = np.array([place.get(item, -1) for item in items])
        chosen = np.flatnonzero(order >= 0)
        if not spec.trials:
            chosen = chosen[np.argsort(order[chosen], kind="stable")]
        left_out = len(rows) - len(chosen)
        rows, items, condition = rows[chosen], [items[n] for n in chosen], condition[chosen]
        facts = [Fact(name, "rows left out by join", left_out)]
    else:
        facts = []
    return rows[:, None], [0], items, condition, facts


def _pool(name: str, spec: Spec, parts: list[_Rows]) -> tuple:
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
    facts = [Fact(name, "sessions", len(found.sessions))]
    facts += [
        Fact(name, f"session {session}: left out", None, f"has {why}")
        for session, why in found.excluded.items()
    ]
    facts += [
        Fact(name, f"session {session}: trials without a partner", number)
        for session, number in found.left_out.items()
    ]
    return rows, numbers, items, condition, facts
