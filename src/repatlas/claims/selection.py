"""How a claim selects rows for a statistic, and how the statistic gets the numbers of each seed.

A selection names columns of the table and the value, or values, that they must have. With several
values a seed's mean is taken. In columns of numbers, "first" and "last" stand for the smallest and
the largest.

A selection chooses kinds of rows, for all seeds together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:  # claims are checked before anything runs, and pandas takes a second to import
    import pandas as pd

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
    """Return the kinds of rows of a selection. Raises NoRows for a column or a value that the table
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
    """Return the kinds of rows whose mean is one value of a seed. Raises NoRows if they differ in a
    setting that is not selected, since different settings must not be averaged."""
    chosen = select(kinds, of)
    for column in chosen.columns.difference([*of, *NO_SETTINGS]):
        if len(values := chosen[column].drop_duplicates()) > 1:
            found = ", ".join(map(str, values))
            raise NoRows(f"found several values of {column}: {found}; select one of them")
    return chosen.index.to_numpy()


def _means(rows: Rows, cell: np.ndarray) -> np.ndarray:
    """Return (seeds,): the mean of the rows of each seed, nan for a seed that has fewer rows than
    others."""
    found = rows.in_order(cell)
    number = np.bincount(found["seed"], minlength=len(rows.seeds))
    most = int(number.max(initial=0))
    means = np.full(len(rows.seeds), np.nan)
    if most:
        found = found[(number == most)[found["seed"]]]
        by_seed = found["value"][np.argsort(found["seed"], kind="stable")]
        means[number == most] = by_seed.reshape(-1, most).sum(axis=1) / most
    return means


def together(rows: Rows, cells: list[np.ndarray]) -> tuple[np.ndarray, list[int]]:
    """Return (n, cells) and the seeds that have all cells."""
    values = np.stack([_means(rows, chosen) for chosen in cells], axis=1)
    there = ~np.isnan(values).any(axis=1)
    return values[there], rows.seeds[there].tolist()


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


def frame_of(rows: Rows, chosen: pd.DataFrame, columns: list[str]) -> pd.DataFrame:
    """Return the rows of chosen kinds: seed, value, and columns."""
    found = rows.in_order(chosen.index.to_numpy())
    frame = chosen.loc[found["kind"], columns].reset_index(drop=True)
    return frame.assign(seed=rows.seeds[found["seed"]], value=found["value"])
