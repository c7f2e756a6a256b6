"""What a statistic is about: how a claim names it, and the numbers of each seed.

A selection names columns of the table and the value wanted, or several, over which a seed's mean is
taken. In columns of numbers, "first" and "last" stand for the least and the largest.

What is selected are kinds of rows, of all seeds together; the numbers come from one block of seeds
after another. Memory holds a block, and of each seed its number, or those of a statistic of all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:  # the ledger is checked before anything runs, and pandas takes a second to import
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
    """The kinds of a selection. Raises NoRows for a column or a value that the table has not."""
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
    """A selection, in a sentence."""
    return ", ".join(f"{column} {value}" for column, value in of.items())


def cell(kinds: pd.DataFrame, of: Selection) -> np.ndarray:
    """The kinds whose mean is one value of a seed. Raises NoRows where they differ in a setting
    that is not selected: they are not to be pooled."""
    chosen = select(kinds, of)
    for column in chosen.columns.difference([*of, *NO_SETTINGS]):
        if len(values := chosen[column].drop_duplicates()) > 1:
            found = ", ".join(map(str, values))
            raise NoRows(f"found several values of {column}, {found}, of which it names none")
    return chosen.index.to_numpy()


def _means(block: Block, cell: np.ndarray) -> tuple[np.ndarray, int]:
    """(seeds,): the mean of each, nan for one that has fewer rows than others, and how many those
    have."""
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
    """(n, cells) and the seeds that have all of them; or what a function makes of those of a block,
    for each seed."""
    found = []
    for block in rows.blocks:
        means, most = zip(*(_means(block, chosen) for chosen in cells), strict=True)
        values = np.stack(means, axis=1)
        there = ~np.isnan(values).any(axis=1)
        found.append((most, of_block(values[there]), block.seeds[there]))
    # In a block may be but seeds that have fewer rows than those of another.
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
    """Of the points that all parts have."""
    chosen = [select(kinds, of | part) for part in parts]
    x = sorted(set.intersection(*(set(part[along].dropna()) for part in chosen)))
    if not x:
        raise NoRows(f"found no value of {along} that all of its curves have")
    cells = [cell(part, {along: point}) for part in chosen for point in x]
    return Curves(cells, (len(parts), len(x)), np.array(x, float))


def surfaces_of(
    kinds: pd.DataFrame, of: Selection, along: str, over: str, parts: list[Selection]
) -> Curves:
    """Curves for each point of another axis."""
    chosen = select(kinds, of)
    lines = sorted(chosen[over].dropna().unique())
    every = [part | {over: line} for part in parts for line in lines]
    curves = curves_of(chosen, {}, along, every)
    return curves._replace(shape=(len(parts), len(lines), len(curves.x)))


def frames_of(rows: Rows, chosen: pd.DataFrame, columns: list[str]) -> Iterator[pd.DataFrame]:
    """The rows of chosen kinds, those of a block of seeds at a time: seed, value, and columns."""
    for block in rows.blocks:
        found = block.in_order(chosen.index.to_numpy())
        if len(found):
            frame = chosen.loc[found["kind"], columns].reset_index(drop=True)
            yield frame.assign(seed=block.seeds[found["seed"]], value=found["value"])


def of_frames(
    rows: Rows, chosen: pd.DataFrame, columns: list[str], function: Callable[[pd.DataFrame], Any]
) -> Any:
    """What a function makes of them, by seed: that of all blocks together."""
    import pandas as pd

    return pd.concat([function(frame) for frame in frames_of(rows, chosen, columns)])
