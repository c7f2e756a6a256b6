"""How a claim selects rows for a statistic, and how the statistic gets the numbers of each seed.

A selection names columns of the table and the value, or values, that they must have. With several
values a seed's mean is taken. In columns of numbers, "first" and "last" stand for the smallest and
the largest.

A selection chooses row types, for all seeds together. The numbers come from one block of seeds
after another. Memory holds one block, and for each seed one number, or the numbers that a statistic
of all needs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:  # claims are checked before anything runs, and pandas takes a second to import
    import pandas as pd

    from repatlas.claims.blocks import Block
    from repatlas.claims.rows import Rows

Selection = dict[str, Any]
NO_SETTINGS = [
    *("run", "seed", "contrast", "value", "low", "high", "diverged_step", "converged_step"),
    *("participation_ratio", "images", "published", "test_images", "test_published"),
    *("intra", "inter", "x", "y"),
]
"""Columns in which rows of one setting may differ: what was found, and what follows from a task."""


class NoRows(ValueError):
    """The table lacks what a statistic needs."""


def select(kinds: pd.DataFrame, of: Selection) -> pd.DataFrame:
    """Return the row types of a selection. Raises NoRows for a column or a value that the table
    lacks."""
    for column, wanted in of.items():
        if column not in kinds:
            raise NoRows(f"the table has no column {column!r}")
        there = kinds[column]
        if wanted in ("first", "last") and there.notna().any():
            wanted = there.min() if wanted == "first" else there.max()
        wanted = wanted if isinstance(wanted, list) else [wanted]
        if there.dtype.kind == "f":
            # To relative precision: initial weights may be as small as 1e-16.
            numbers = there.to_numpy(dtype=float)[:, None]
            matches = np.isclose(numbers, np.array(wanted, float), atol=0)
        else:
            matches = np.stack(
                [(there == value).fillna(False).to_numpy(bool) for value in wanted], axis=1
            )
        if not matches.any(axis=0).all():
            missing = wanted[int(matches.any(axis=0).argmin())]
            raise NoRows(f"found no rows with {text_of(of)}: {column} is nowhere {missing}")
        kinds = kinds[matches.any(axis=1)]
    return kinds


def text_of(of: Selection) -> str:
    """Return a selection as words for a sentence."""
    return ", ".join(f"{column} {value}" for column, value in of.items())


def cell(kinds: pd.DataFrame, of: Selection) -> np.ndarray:
    """Return the row types whose mean is one value of a seed. Raises NoRows if they differ in a
    setting that is not selected, since different settings must not be averaged."""
    chosen = select(kinds, of)
    for column in chosen.columns.difference([*of, *NO_SETTINGS]):
        if len(values := chosen[column].drop_duplicates()) > 1:
            found = ", ".join(map(str, values))
            raise NoRows(f"found several values of {column}: {found}; select one of them")
    return chosen.index.to_numpy()


def _means(block: Block, cell: np.ndarray) -> tuple[np.ndarray, int]:
    """Return (seeds,): the mean of the rows of each seed, nan for a seed that has fewer rows than
    others; and the largest number of rows of a seed."""
    rows = block.in_order(cell)
    number = np.bincount(rows["seed"], minlength=len(block.seeds))
    most = int(number.max(initial=0))
    means = np.full(len(block.seeds), np.nan)
    if most == 1:
        means[rows["seed"]] = rows["value"]
    elif most:
        rows = rows[(number == most)[rows["seed"]]]
        by_seed = rows["value"][np.argsort(rows["seed"], kind="stable")]
        means[number == most] = by_seed.reshape(-1, most).sum(axis=1) / most
    return means, most


def together(
    rows: Rows,
    cells: list[np.ndarray],
    of_block: Callable[[np.ndarray], np.ndarray] = lambda values: values,
) -> tuple[np.ndarray, list[int]]:
    """Return (n, cells) and the seeds that have all cells. With `of_block`, return what this
    function makes of the values of each block, one entry for each seed."""
    found = []
    for block in rows.blocks:
        means, most = zip(*(_means(block, chosen) for chosen in cells), strict=True)
        values = np.stack(means, axis=1)
        there = ~np.isnan(values).any(axis=1)
        found.append((most, of_block(values[there]), block.seeds[there]))
    # A block may have only seeds with fewer rows than seeds of other blocks. They are dropped here.
    needed = tuple(map(max, zip(*(most for most, _, _ in found), strict=True)))
    values = np.concatenate([v if most == needed else v[:0] for most, v, _ in found])
    seeds = np.concatenate([s if most == needed else s[:0] for most, _, s in found])
    return values, [int(seed) for seed in seeds]


class Curves(NamedTuple):
    """Kinds of rows along an axis."""

    cells: list[np.ndarray]
    shape: tuple[int, ...]
    """(parts, points), or (parts, points over, points along)"""
    x: np.ndarray
    """(points,)"""


def curves_of(kinds: pd.DataFrame, of: Selection, along: str, parts: list[Selection]) -> Curves:
    """Return curves along an axis, at the points that all parts have."""
    chosen = [select(kinds, of | part) for part in parts]
    x = sorted(set.intersection(*(set(part[along].dropna()) for part in chosen)))
    if not x:
        raise NoRows(f"found no value of {along} that all of its curves have")
    cells = [cell(part, {along: point}) for part in chosen for point in x]
    return Curves(cells, (len(parts), len(x)), np.array(x, float))


def surfaces_of(
    kinds: pd.DataFrame, of: Selection, along: str, over: str, parts: list[Selection]
) -> Curves:
    """Return curves for each point of a second axis."""
    chosen = select(kinds, of)
    lines = sorted(chosen[over].dropna().unique())
    every = [part | {over: line} for part in parts for line in lines]
    curves = curves_of(chosen, {}, along, every)
    return curves._replace(shape=(len(parts), len(lines), len(curves.x)))


def frames_of(rows: Rows, chosen: pd.DataFrame, columns: list[str]) -> Iterator[pd.DataFrame]:
    """Yield the rows of chosen types, one block of seeds at a time: seed, value, and columns."""
    for block in rows.blocks:
        found = block.in_order(chosen.index.to_numpy())
        if len(found):
            frame = chosen.loc[found["kind"], columns].reset_index(drop=True)
            yield frame.assign(seed=block.seeds[found["seed"]], value=found["value"])


def apply_to_frames(
    rows: Rows, chosen: pd.DataFrame, columns: list[str], function: Callable[[pd.DataFrame], Any]
) -> Any:
    """Return what a function makes of the rows of chosen types, by seed, for all blocks
    together."""
    import pandas as pd

    return pd.concat([function(frame) for frame in frames_of(rows, chosen, columns)])
