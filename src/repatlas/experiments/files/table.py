"""The table of the rows of arrays: which item each shows, and in which condition."""

from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np

from repatlas.experiments.files.columns import Value, listed, natural
from repatlas.experiments.files.items import item_name
from repatlas.experiments.files.opened import columns_of
from repatlas.record import Refused

Condition = tuple[Value | bool, ...]


class Table(NamedTuple):
    """The rows of one array."""

    where: str
    """The name for messages"""
    rows: int
    items: list[str] | None
    """The name of the item in each row; None if no column has names"""
    values: list[Condition] | None
    """The values of the variables in each row; None if there are none"""
    blocks: list[str] | None = None
    """The name of the block of each row; None if rows are independent"""


def read_table(
    path: Path, item: str | None, variables: list[str], blocks: str | None = None
) -> Table:
    """Return the items, variables and blocks of a table. Raises Refused for a column that it lacks
    and for an empty cell in one of them."""
    columns = columns_of(path)
    rows = len(next(iter(columns.values())))
    of_variables = (("variables", name) for name in variables)
    for key, name in (("item", item), *of_variables, ("blocks", blocks)):
        if name is None:
            continue
        if name not in columns:
            raise Refused(f"{path}: has no column {name!r} ({key}), found: {', '.join(columns)}")
        empty = [n for n, cell in enumerate(columns[name]) if cell is None or cell != cell]
        if empty:
            raise Refused(
                f"{path}: column {name!r} is empty in {len(empty)} rows ({listed(empty)} counted"
                " from 0), allowed: a value in each"
            )
    items = None if item is None else [item_name(cell) for cell in columns[item]]
    values = list(zip(*(columns[name] for name in variables), strict=True)) if variables else None
    of_blocks = None if blocks is None else [item_name(cell) for cell in columns[blocks]]
    return Table(str(path), rows, items, values, of_blocks)


def conditions_of(
    tables: list[Table], variables: dict[str, list[Value] | None]
) -> tuple[list[Condition], dict[str, list[Value]]]:
    """Return the combinations of values that some row has, the last variable changing fastest; and
    the values of each variable, as listed or as found in all tables.

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
    return [each for each in product(*chosen.values()) if each in seen], chosen


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


def targets_of(conditions: list[Condition], values: dict[str, list[Value]]) -> np.ndarray:
    """Return (P, K) of 0 and 1: for a variable of two values a column, 1 for its second; for one of
    more a column for each of its values.

    >>> targets_of([("a", 1), ("b", 1), ("b", 2)], {"animal": ["a", "b"], "side": [1, 2]})
    array([[0, 0],
           [1, 0],
           [1, 1]], dtype=int8)
    """
    columns = []
    for number, chosen in enumerate(values.values()):
        ones = chosen[1:] if len(chosen) == 2 else chosen
        columns += [[condition[number] == value for condition in conditions] for value in ones]
    return np.array(columns, dtype=np.int8).T.reshape(len(conditions), -1)
