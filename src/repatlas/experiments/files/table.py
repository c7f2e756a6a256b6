"""The table of the rows of arrays: which item each shows, and in which condition. Items are joined
by their names, never by their positions."""

from collections.abc import Hashable, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from repatlas.experiments.files.opened import cells, item_name, table_in
from repatlas.own.annotated import row_names
from repatlas.own.texts import Value, listed, natural
from repatlas.record import Refused

Condition = tuple[Value | bool, ...]


class Table(NamedTuple):
    """The rows of one array."""

    where: str
    """The name for messages"""
    rows: int
    items: list[str] | None
    """The name of the item in each row; None if no column has names"""
    values: list[Condition]
    """The values of the variables in each row"""
    blocks: list[str] | None = None
    """The name of the block of each row; None if rows are independent"""
    names: list[Any] | None = None
    """What the file calls its rows; None where it does not"""

    def places(self, array: str, names: list[Any]) -> np.ndarray:
        """Return the row of this table for each row of an array that has names of its rows, by
        these names. Raises Refused where the table has other names."""
        own = self.names if self.names is not None else self.items
        if own is None or {*own} != {*names} or len({*own, *names}) < max(len(own), len(names)):
            found = "have no names" if own is None else f"are called {listed(own, 3)}"
            raise Refused(
                f"{array}: its rows are called {listed(names, 3)}, and the rows of {self.where}"
                f" {found}; allowed: the same names in its index or in `item`, each once"
            )
        return matched(own, names)


def read_table(
    path: Path, item: str | None, variables: list[str], blocks: str | None = None
) -> Table:
    """Return the items, variables and blocks of a table. Raises Refused for a column that it lacks
    or has twice, and for an empty cell in one of them."""
    table = table_in(path)
    columns = [*map(str, table.columns)]

    def column(key: str, name: str) -> list:
        if columns.count(name) != 1:
            has = "no column" if name not in columns else "several columns"
            raise Refused(f"{path}: has {has} {name!r} ({key}), found: {', '.join(columns)}")
        found = cells(table.iloc[:, columns.index(name)])
        if empty := [n for n, cell in enumerate(found) if cell is None]:
            raise Refused(
                f"{path}: column {name!r} is empty in {len(empty)} rows ({listed(empty)} counted"
                " from 0), allowed: a value in each"
            )
        return found

    items = None if item is None else [*map(item_name, column("item", item))]
    values = [*zip(*(column("variables", name) for name in variables), strict=True)]
    of_blocks = None if blocks is None else [*map(item_name, column("blocks", blocks))]
    names = row_names(table)
    named = None if names is None else [*map(item_name, names)]
    values = values if variables else [()] * len(table)
    return Table(str(path), len(table), items, values, of_blocks, named)


def conditions_of(tables: list[Table], variables: dict[str, list[Value] | None]) -> list[Condition]:
    """Return the combinations of values that some row has, the last variable changing fastest. The
    values are in the order in which they are listed, or else in natural order.

    Raises Refused for a listed value that no table has, and a variable with a single value.
    """
    found = [{row[n] for table in tables for row in table.values} for n in range(len(variables))]
    chosen = {}
    for (name, listed_values), there in zip(variables.items(), found, strict=True):
        if listed_values is None:
            chosen[name] = sorted(there, key=natural)
            if len(chosen[name]) < 2:
                raise Refused(
                    f"variables.{name}: found the single value {listed(there)} in"
                    f" {tables[0].where}, allowed: two or more"
                )
            continue
        if lacking := [value for value in listed_values if value not in there]:
            raise Refused(
                f"variables.{name}: found no row with {listed(lacking)} in {tables[0].where};"
                f" its values are {listed(sorted(there, key=natural), 8)}"
            )
        chosen[name] = list(listed_values)
    seen = {row for table in tables for row in table.values}
    return [each for each in product(*chosen.values()) if each in seen]


def condition_numbers(table: Table, conditions: list[Condition]) -> np.ndarray:
    """Return (rows,): the number of each row's condition; -1 for rows with other values. Raises
    Refused if a condition has no row."""
    number = {condition: n for n, condition in enumerate(conditions)}
    found = np.array([number.get(row, -1) for row in table.values], dtype=np.int64)
    counts = np.bincount(found[found >= 0], minlength=len(conditions))
    if lacking := [conditions[n] for n in np.flatnonzero(counts == 0)]:
        raise Refused(
            f"{table.where}: has no row of {len(lacking)} conditions ({listed(lacking, 3)}) that"
            " other tables have; allowed: some of each"
        )
    return found


def refuse_repeated(names: Sequence[str], where: str) -> None:
    """Refuse names that occur in several rows. where: the words for these rows in a message."""
    rows: dict[str, list[int]] = {}
    for row, name in enumerate(names):
        rows.setdefault(name, []).append(row)
    if repeated := {name: at for name, at in rows.items() if len(at) > 1}:
        first, at = next(iter(repeated.items()))
        raise Refused(
            f"{where}: {len(repeated)} items are repeated ({listed(repeated)}), {first!r} in rows"
            f" {listed(at)} counted from 0; allowed: each once, or trials: true if they are repeats"
        )


def common_items(names: Mapping[str, Sequence[Hashable]], inner: bool) -> list[Hashable]:
    """Return the items that all of some sets of rows have, in the order of the first set.

    names: the items of each set, by how a sentence names it; a repeated one counts once. inner:
    whether items that some lack may be dropped. Raises Refused where one lacks an item and this is
    not allowed, and where nothing is left.

    >>> common_items({"a": ["cat", "dog"], "b": ["dog", "cat"]}, inner=False)
    ['cat', 'dog']
    >>> common_items({"a": ["cat", "dog"], "b": ["dog", "cow"]}, inner=True)
    ['dog']
    """
    sets = {where: dict.fromkeys(items) for where, items in names.items()}
    everything = dict.fromkeys(item for items in sets.values() for item in items)
    shared = [item for item in everything if all(item in items for items in sets.values())]
    if not shared:
        first, *others = sets
        apart = [other for other in others if not sets[first].keys() & sets[other].keys()]
        other = (apart or others or [first])[0]
        raise Refused(
            f"{first} and {other} have no item in common: found {listed(sets[first], 3)} and"
            f" {listed(sets[other], 3)}"
        )
    if len(shared) < len(everything) and not inner:
        lacking = []
        for where, items in sets.items():
            if missing := [item for item in everything if item not in items]:
                lacking.append(f"{where} lacks {len(missing)} ({listed(missing)})")
        raise Refused(
            f"items are not the same in all: {'; '.join(lacking[:3])}; allowed: the same items, or"
            " join: inner to drop those that some lack"
        )
    return shared


def matched(names: Sequence[str], wanted: Sequence[str]) -> np.ndarray:
    """Return, for each of these items, the number of its row. names: of all rows, each once.

    >>> matched(["dog", "cow", "cat"], ["cat", "dog"])
    array([2, 0])
    """
    row = {name: number for number, name in enumerate(names)}
    return np.array([row[name] for name in wanted], dtype=np.int64)
