"""The rows of a representation, with the values that variables had in each."""

from copy import copy
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from repatlas.geometry import condition_means
from repatlas.geometry.design import Design
from repatlas.geometry.scaling import Scale
from repatlas.inference.permutation import Seeds

Rows = Literal["items", "trials"]
Features = Literal["all", "sample"]
Conditions = Features


class Drawn(NamedTuple):
    """How often nulls are drawn, and from which seed."""

    draws: int = 199
    seed: int = 0
    groups: NDArray[np.intp] | None = None
    """(m,), where some rows stay together, such as the places of one image, or a run"""
    within: bool = False
    """Whether permutations move rows within groups instead of whole groups"""
    seeds: Seeds | None = None
    """Where the pairs of one set are compared in parts: a seed for each of the two"""
    scale: Scale = "rms"
    """How predictivity sees features"""
    threads: int = 1
    """How many pairs are computed at a time, where a similarity can"""


class Fits(NamedTuple):
    """What decoders are fitted to, and what the conditions are."""

    folds: int = 5
    resamples: int | None = None
    """How often equal numbers of rows are drawn for the value. None: once if conditions have equal
    numbers, and otherwise DRAWS times"""
    least: int | None = None
    """The fewest rows of a condition that takes part; None: what each measure needs"""
    scale: Scale = "rms"
    """How decoders see features (geometry/scaling.py)"""
    conditions: Conditions | None = None
    """Whether the conditions are all that there are, or a sample of more; None: by their number"""


DRAWS = 10
"""Draws of equal numbers of rows, if conditions have unequal numbers."""
SHOWN = 3
"""The most conditions that a reason names."""


class Trials:
    """The rows of a representation with their labels, as measures receive them.

    samples: (m, n); names: of k variables; values: of each of them, in ascending order; levels:
    (m, k), the value of each row, as an index. rows: "items", each another item without noise, or
    "trials", repeats of their condition with independent noise. features: "all" if there are no
    other units, "sample" if there are.
    """

    finite = True

    def __init__(
        self,
        samples: NDArray[Any],
        names: list[str],
        values: list[Any],
        levels: NDArray[np.intp],
        rows: Rows,
        features: Features | None,
        drawn: Drawn,
        conditions: NDArray[np.intp] | None = None,
        fits: Fits | None = None,
        times: int = 0,
    ):
        """Store the rows. features: None means "all" for items and "sample" for trials. conditions:
        (m,), given if they are not the combinations of values. times: T, given if samples are
        (m, n T), each unit at each time."""
        self.samples, self.names, self.values, self.levels = samples, names, values, levels
        self.rows, self.drawn, self.fits, self.times = rows, drawn, fits or Fits(), times
        self.features = features or ("all" if rows == "items" else "sample")
        if conditions is None:
            conditions = np.unique(levels, axis=0, return_inverse=True)[1].ravel()
        self.conditions: NDArray[np.intp] = conditions
        """(m,)"""

    @property
    def counts(self) -> NDArray[np.intp]:
        """The number of rows of each condition, (P,)."""
        return np.bincount(self.conditions)

    @property
    def table(self) -> NDArray[np.intp]:
        """(P, k): the values of each condition, as indices."""
        return self.levels[np.unique(self.conditions, return_index=True)[1]]

    @property
    def means(self) -> NDArray[np.float64]:
        """(P, n): the mean of each condition."""
        return condition_means(self.samples, self.conditions)

    @property
    def design(self) -> Design:
        """The combinations of values as conditions, with the names that the user gave."""
        table, conditions = np.unique(self.levels, axis=0, return_inverse=True)
        names = [f"variable {name!r}" for name in self.names]
        return Design(self.values, table, conditions.ravel(), names)

    def block_means(self) -> Self:
        """Return the mean of each condition in each block instead of its rows, whose noise is
        not independent; the same rows where there are no blocks."""
        if self.drawn.groups is None:
            return self
        cells = self.drawn.groups * len(self.counts) + self.conditions
        _, first, number = np.unique(cells, return_index=True, return_inverse=True)
        return self._with(first, samples=condition_means(self.samples, number.ravel()))

    def _with(self, rows: NDArray[Any], **changed: Any) -> Self:
        """Return these rows, with what is changed."""
        found, groups = copy(self), self.drawn.groups
        found.samples = self.samples if "samples" in changed else self.samples[rows]
        found.levels, found.conditions = self.levels[rows], self.conditions[rows]
        found.drawn = self.drawn._replace(groups=None if groups is None else groups[rows])
        vars(found).update(changed)
        return found

    def condition_name(self, condition: int) -> str:
        """Return the values of a condition, or its number where there are no variables."""
        levels = self.table[condition]
        values = [str(of[level]) for of, level in zip(self.values, levels, strict=True)]
        return ", ".join(values) or f"number {condition}"

    def without_rare(self, least: int) -> tuple[Self, str]:
        """Return the rows of the conditions with `least` rows or more, and a reason that names the
        conditions that are left out, empty if none is.

        Raises ValueError if no condition is left.
        """
        rare = np.flatnonzero(self.counts < least)
        if not len(rare):
            return self, ""
        if len(rare) == len(self.counts):
            raise ValueError(
                f"no condition has {least} rows, the most has {self.counts.max()} "
                f"({self.condition_name(int(self.counts.argmax()))})"
            )
        some = [f"{self.condition_name(c)} ({self.counts[c]})" for c in rare[:SHOWN].tolist()]
        more = [f"{len(rare) - SHOWN} more"] * (len(rare) > SHOWN)
        kept = ~np.isin(self.conditions, rare)
        codes = np.unique(self.conditions[kept], return_inverse=True)[1].ravel()
        part = self._with(kept, conditions=codes)
        listed = "; ".join(some + more)
        return part, f"conditions with fewer than {least} rows are left out: {listed}"
