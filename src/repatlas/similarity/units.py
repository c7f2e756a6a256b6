"""Units of a representation, one for each feature, on a common scale: mean 0 and mean square 1."""

from __future__ import annotations

from math import sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from repatlas.geometry.kernels import Centred

DEAD = 1e-12
"""A unit is dead whose standard deviation is at most this share of the largest one's."""


class Units:
    """The units of x, (m, h), items x features, with mean and standard deviation over the items.

    dead: (h,), which units are the same for all items. They have no scale, and are set to 0.
    """

    def __init__(self, name: str, x: ArrayLike):
        self.centred = Centred(name, x)
        lengths = self.centred.lengths
        self.dead: NDArray[np.bool_] = lengths <= DEAD * lengths.max()
        self._factors = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=~self.dead)

    def correlations(self, other: Units) -> NDArray[np.float64]:
        """Return the correlation of each unit with each unit of another representation, (h, h')."""
        products = self.centred.products(other.centred)
        products *= self._factors[:, None]
        products *= other._factors
        return products.clip(-1, 1, out=products)

    def z_scores(self, items: ArrayLike) -> NDArray[np.float64]:
        """Return these items, or others of the same units, minus the mean of x and divided by its
        standard deviation."""
        scores = self.centred.centre(np.asarray(items))
        scores *= self._factors * sqrt(len(self.centred.patterns))
        return scores
