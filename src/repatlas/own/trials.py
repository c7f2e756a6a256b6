"""The rows of a representation, with the values that variables had in each."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from repatlas.geometry import condition_means
from repatlas.inference.permutation import Seeds

Rows = Literal["items", "trials"]
Features = Literal["all", "sample"]


class Drawn(NamedTuple):
    """How often nulls are drawn, and from which seed."""

    draws: int = 199
    seed: int = 0
    groups: NDArray[np.intp] | None = None
    """(m,), where some rows stay together, such as the places of one image"""
    seeds: Seeds | None = None
    """Where the pairs of one set are compared in parts: a seed for each of the two"""


class Trials:
    """The rows of a representation, and what each was: what measures see.

    samples: (m, n); names: of k variables; values: of each of them, in ascending order; levels:
    (m, k), the value of each row, as an index. rows: "items", each another one without noise, or
    "trials", repeats of their condition with noise of their own. features: "all" if there are no
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
    ):
        """features: if None, "all" for items and "sample" for trials. conditions: (m,), where these
        are not the combinations of values."""
        self.samples, self.names, self.values, self.levels = samples, names, values, levels
        self.rows, self.drawn = rows, drawn
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
