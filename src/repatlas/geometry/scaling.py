"""The scale on which decoders see samples: without one, their result has the unit of the data.

The regularisation of the decoders shrinks weights and intercept, so it has more effect if features
are small or far from zero. All features are divided by one common factor, and not by separate
standard deviations. This keeps angles and ratios of distances, and does not enlarge features that
have only noise.
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
        """Return weights, (n + 1,), for unscaled samples, with the same decisions as these weights
        for scaled samples. The last one is the intercept."""
        plain = weights[:-1] / self.size
        return np.append(plain, weights[-1] - np.sum(self.shift * plain))


AS_THEY_ARE = Scaling()


def scaling(fitted: NDArray[np.float64], scale: Scale) -> Scaling:
    """Return the scaling of samples, (m, n), computed from the fitted samples alone.

    scale="rms": x -> (x - mean) / r. The mean is the mean pattern of the fitted samples. The root
    mean square of all their values after the mean is subtracted is r; it is 1 if all samples are
    equal. scale=None: x -> x.
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
