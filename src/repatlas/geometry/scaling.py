"""The scale on which decoders see samples: without one, their result has the unit of the data.

The regularisation of the decoders shrinks weights and intercept, so it has more effect if features
are small or far from zero. By default all features are divided by one common factor, and not by
separate standard deviations. This keeps angles and ratios of distances, and does not enlarge
features that have only noise. Features of different units need scale="features".
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

Scale = Literal["rms", "features"] | None
MOST, FEW = 0.99, 10
"""Few features, a tenth, that have most of the variance."""


class Scaling(NamedTuple):
    """What puts samples, (m, n), on a scale: x -> (x - shift) / size."""

    shift: NDArray[np.float64] | float = 0.0
    """(n,), or one number for all features"""
    size: NDArray[np.float64] | float = 1.0
    """(n,), or one number for all features"""

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
    equal. scale="features": x -> (x - mean) / s, with the standard deviation s of each feature over
    the fitted samples, 1 if it is 0. scale=None: x -> x.
    Raises ValueError for another scale.

    The fitted values are 4 from their mean, 5; so 7 becomes 2/4.

    >>> scaled = scaling(np.array([[1.0], [9.0]]), "rms")
    >>> scaled(np.array([[1.0], [7.0]]))
    array([[-1. ],
           [ 0.5]])
    """
    refuse_scale(scale)
    if scale is None:
        return AS_THEY_ARE
    shift = _mean(fitted)
    return Scaling(shift, _size(fitted - shift, scale))


def scaled_with_ones(
    fitted: NDArray[np.float64], scale: Scale
) -> tuple[Scaling, NDArray[np.float64]]:
    """Return the scaling of samples, (m, n), and the scaled samples as a fit takes them.

    The scaled samples, (m, n + 1), have a last feature of ones.

    scale: as in scaling. The scaled samples are equal to what the scaling returns, bit by bit, in
    half of the time.

    >>> scaled, samples = scaled_with_ones(np.array([[1.0], [9.0]]), "rms")
    >>> samples
    array([[-1.,  1.],
           [ 1.,  1.]])
    """
    refuse_scale(scale)
    if scale is None:
        return AS_THEY_ARE, with_ones(fitted)
    shift = _mean(fitted)
    longer = np.empty((len(fitted), fitted.shape[1] + 1))
    samples = longer[:, :-1]
    np.subtract(fitted, shift, out=samples)
    size = _size(samples, scale)
    samples /= size
    longer[:, -1] = 1
    return Scaling(shift, size), longer


def with_ones(x: NDArray[Any], unit: float = 1.0) -> NDArray[np.float64]:
    """Return samples divided by the unit, with a last feature of ones for the intercept: (m, n +
    1)."""
    longer = np.empty((len(x), x.shape[1] + 1))
    np.divide(x, unit, out=longer[:, :-1])
    longer[:, -1] = 1
    return longer


def few_features(x: NDArray[Any]) -> str:
    """Return a sentence if a tenth of the features, or one, have 99 % of the variance, or "".

    >>> units = np.random.default_rng(0).standard_normal((50, 20)) * [1000, *[1] * 19]
    >>> few_features(units)
    "1 of 20 features has 99 % of the variance: scale='features' gives all the same"
    """
    variances = np.sort(x.var(axis=0, dtype=np.float64))[::-1]
    number = len(variances)
    most = int(np.searchsorted(np.cumsum(variances), MOST * variances.sum())) + 1
    if not variances.sum() > 0 or number < 2 or most > max(1, number // FEW):
        return ""
    has = "features has" if most == 1 else "features have"
    return f"{most} of {number} {has} 99 % of the variance: scale='features' gives all the same"


def refuse_scale(scale: Scale) -> None:
    """Raise ValueError for another scale than "rms", "features" and None."""
    if scale not in ("rms", "features", None):
        raise ValueError(f'scale is {scale!r}; allowed are "rms", "features" and None.')


def _mean(fitted: NDArray[np.float64]) -> NDArray[np.float64]:
    # From the first sample on, so that identical samples are exactly their mean.
    mean: NDArray[np.float64] = fitted[0] + (fitted - fitted[0]).mean(axis=0)
    return mean


def _size(centred: NDArray[np.float64], scale: Scale) -> NDArray[np.float64] | float:
    if scale == "rms":
        return float(np.sqrt((centred**2).mean())) or 1.0
    sizes = np.sqrt((centred**2).mean(axis=0))
    return np.where(sizes > 0, sizes, 1.0)
