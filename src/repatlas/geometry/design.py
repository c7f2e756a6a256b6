"""The design of an experiment: the values that the variables had in each trial.

A condition is a combination of values that occurs. A context of a variable is one setting of all
the others. A variable may have two values or more, trials may be of unequal number, and not every
combination need occur.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from repatlas.geometry.labels import as_column
from repatlas.geometry.patterns import as_array, as_patterns, on_cpu

MOST_CELLS = 10_000
"""The most combinations of values for which a table is made."""
BETWEEN = " · "
"""Stands between the values of variables in the name of a condition."""


class ByPair(NamedTuple):
    """A measure of a variable with two values or more, which compares two values at a time.

    value: of all pairs together; pairs: the pairs of values, each in ascending order; by_pair: of
    each pair, (pairs,); estimator: how the numbers were made.

    >>> result = ByPair(0.75, [("a", "b"), ("a", "c")], np.array([0.5, 1.0]), "mean of two")
    >>> dict(zip(result.pairs, result.by_pair.tolist()))
    {('a', 'b'): 0.5, ('a', 'c'): 1.0}
    """

    value: float
    pairs: list[tuple[Any, Any]]
    by_pair: NDArray[np.float64]
    estimator: str


@dataclass(frozen=True)
class Design:
    """values: of each variable, ascending; levels: (P, k), the index of each condition's value;
    conditions: (m,), the condition of each trial; names: of the variables, as a sentence calls
    them."""

    values: list[NDArray[Any]]
    levels: NDArray[np.intp]
    conditions: NDArray[np.intp]
    names: list[str]

    @property
    def counts(self) -> NDArray[np.intp]:
        """The number of trials of each condition, (P,)."""
        return np.bincount(self.conditions, minlength=len(self.levels))

    @cached_property
    def members(self) -> list[NDArray[np.intp]]:
        """The rows of the trials of each condition."""
        order = np.argsort(self.conditions, kind="stable")
        return np.split(order, np.cumsum(self.counts)[:-1])

    def name(self, condition: int) -> str:
        """Return the values of a condition, for a message."""
        levels = self.levels[condition]
        return ", ".join(str(of[level]) for of, level in zip(self.values, levels, strict=True))

    def contexts(self, variable: int, fewest: int) -> dict[tuple[Any, Any], NDArray[np.intp]]:
        """Return the contexts that have both values of a pair, (contexts, 2) condition indices.

        Pairs with fewer than `fewest` contexts are left out. Raises ValueError if no pair is
        left.
        """
        column = as_column(variable, self.levels.shape[1])
        others = [number for number in range(self.levels.shape[1]) if number != column]
        setting = np.zeros(len(self.levels), dtype=np.intp)
        if others:
            columns = [self.levels[:, number] for number in others]
            _, setting = _combinations(columns, [len(self.values[number]) for number in others])
        cells = np.full((setting.max() + 1, len(self.values[column])), -1)
        cells[setting, self.levels[:, column]] = np.arange(len(self.levels))
        values, name = self.values[column].tolist(), self.names[column]
        occur = np.unique(self.levels[:, column])
        if len(occur) < 2:
            raise ValueError(
                f"{name} has the value {values[occur[0]]!r} alone; a variable needs two values or "
                f"more."
            )
        if fewest > 1 and self.levels.shape[1] == 1:
            raise ValueError(
                f"{name} is the only variable, so that there is one context; {fewest} contexts "
                f"need a second variable."
            )
        found = {}
        for a, b in combinations(range(len(values)), 2):
            pairs = cells[:, [a, b]]
            pairs = pairs[(pairs >= 0).all(axis=1)]
            if len(pairs) >= fewest:
                found[values[a], values[b]] = pairs
        if not found:
            raise ValueError(
                f"{name} has no two values in {fewest} of the same contexts, settings of the other "
                f"variables; at least one pair needs them."
            )
        return found


def as_trials(samples: ArrayLike, labels: ArrayLike) -> tuple[NDArray[np.float64], Design]:
    """Return samples, (m, n), and the design from the labels of the trials, (m, k).

    Labels are numbers, booleans or strings; a data frame's columns may be of different kinds, and a
    vector is one column. Raises ValueError also for labels that are continuous.
    """
    patterns = as_patterns("samples", samples)
    # numpy would make strings of the numbers in a list of both. A masked array stays one, to be
    # refused.
    labels = on_cpu(labels)
    in_lists = isinstance(labels, list | tuple)
    table = np.array(labels, dtype=object) if in_lists else np.asanyarray(labels)
    if table.ndim == 1:
        table = table[:, None]
    if table.ndim != 2 or table.shape[1] == 0 or len(table) != len(patterns):
        raise ValueError(
            f"labels has shape {table.shape}; allowed is (m, k), one row for each of the "
            f"{len(patterns)} samples and one column for each variable."
        )
    names = [f"column {number} of labels" for number in range(table.shape[1])]
    if hasattr(labels, "columns"):  # a data frame
        names = [f"labels[{name!r}]" for name in labels.columns]
    columns = [coded(name, column) for name, column in zip(names, table.T, strict=True)]
    for name, (values, _) in zip(names, columns, strict=True):
        refuse_continuous(name, values, len(table))
    levels, conditions = _combinations(
        [codes for _, codes in columns], [len(values) for values, _ in columns]
    )
    return patterns, Design([values for values, _ in columns], levels, conditions, names)


def _combinations(
    columns: list[NDArray[np.intp]], numbers: list[int]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the combinations of codes that occur, (P, k) ascending, and the one of a trial, (m,).

    numbers: of values of each column. np.unique does the same with rows, and takes ten times as
    long; nulls need it for each draw.
    """
    if prod(numbers) > MOST_CELLS:
        table = np.column_stack(columns)
        levels, conditions = np.unique(table, axis=0, return_inverse=True)
        return levels, conditions.ravel()
    cell = np.ravel_multi_index(tuple(columns), tuple(numbers))
    occurs = np.bincount(cell, minlength=prod(numbers)) > 0
    place = np.cumsum(occurs) - 1
    found = np.unravel_index(np.flatnonzero(occurs), tuple(numbers))
    return np.column_stack(found), place[cell]


def refuse_continuous(name: str, values: NDArray[Any], number: int) -> None:
    """Refuse the different values of a variable in `number` trials if they are continuous.

    They are if they are fractions and most of them occur once. A variable has a few values, each in
    several trials.
    """
    if values.dtype.kind == "f" and 2 * len(values) > number and (values % 1 != 0).any():
        raise ValueError(
            f"{name} has {len(values)} different numbers in {number} trials, so it is continuous; "
            f"allowed are a few values, each in several trials: np.digitize makes classes of them."
        )


def coded(name: str, column: ArrayLike) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Return the values in a column in ascending order, and the index of the value of each trial.
    No value may be missing."""
    array = as_array(name, column)
    if array.dtype == np.intp and array.ndim == 1 and len(array) and array.min() >= 0:
        largest = int(array.max())
        if largest < MOST_CELLS:  # as unique, without sorting
            occurs = np.bincount(array) > 0
            return np.flatnonzero(occurs), (np.cumsum(occurs) - 1)[array]
    values, codes = np.unique(array, return_inverse=True)
    # numpy makes the string "nan" of a missing value among strings.
    missing = "nan" in values if array.dtype.kind == "U" else np.isnan(values).any()
    if missing:
        raise ValueError(f"{name} holds NaN; leave out the trials whose value is missing.")
    return values, codes.astype(np.intp)
