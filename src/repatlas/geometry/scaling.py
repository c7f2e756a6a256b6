"""The scale on which decoders see samples: without one, their result has the unit of the data.

The regularisation of the decoders shrinks weights and intercept, and so weighs more where features
are small or far from zero. One common factor for all features, rather than a standard deviation of
each, keeps the geometry: angles and ratios of distances are those of the data, and features that
hold noise alone are not blown up to the size of the others.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

Scale = Literal["rms"] | None


class Scaling(NamedTuple):
    """What puts samples, (m, n), on a scale: x -> (x - shift) / size."""

    shift: NDArray[np.float64] | float = 0.0
    """(n,), or one number for all features"""
    size: float = 1.0

    def __call__(self, samples: NDArray[np.float64]) -> NDArray[np.float64]:
        if self is AS_THEY_ARE:
            return samples
        scaled: NDArray[np.float64] = (samples - self.shift) / self.size
        return scaled

    def weights(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """The weights, (n + 1,) with an intercept, that decide of samples as these do of the scaled
        ones."""
        plain = weights[:-1] / self.size
        return np.append(plain, weights[-1] - np.sum(self.shift * plain))


AS_THEY_ARE = Scaling()


def scaling(fitted: NDArray[np.float64], scale: Scale) -> Scaling:
    """What puts samples, (m, n), on a scale made from the fitted samples alone.

    scale="rms": x -> (x - mean) / r, with the mean pattern of the fitted samples and the root mean
    square r of all their values after the mean is taken off; r = 1 where they are all the same.
    scale=None: x -> x.
    Raises ValueError for another scale.

    The fitted values are 4 from their mean, 5; so 7 becomes 2/4.

    >>> scaled = scaling(np.array([[1.0], [9.0]]), "rms")
    >>> scaled(np.array([[1.0], [7.0]]))
    array([[-1. ],
           [ 0.5]])
    """
    if scale is None:
        return AS_THEY_ARE
    if scale != "rms":
        raise ValueError(f'scale is {scale!r}; allowed are "rms" and None.')
    # From the first sample on, so that identical samples are exactly their mean.
    mean = fitted[0] + (fitted - fitted[0]).mean(axis=0)
    size = np.sqrt(np.mean((fitted - mean) ** 2)) or 1.0
    return Scaling(mean, size)
