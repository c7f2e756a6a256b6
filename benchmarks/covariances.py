"""CCA, SVCCA and PWCCA by way of covariances, as in google/svcca.

This is github.com/google/svcca at 1f3fbf1, written again from its algorithm and its tutorial, with
the calls that its users write. Arrays are features x items, as there. Its messages are left out,
and so are the copies of the coefficients that are as large as all units.
"""

from typing import NamedTuple

import numpy as np

EPSILON = 1e-10
"""The value of the tutorial: units of a smaller variance, relative to the largest, are dropped. The
same value is added to variances before they are inverted."""
LEADING = 0.98
"""The mean is taken over the leading coefficients that make up this share of the sum."""


class Found(NamedTuple):
    correlations: np.ndarray
    leading_mean: tuple[float, float]
    """The mean of the leading correlations, once for each side: the same"""
    coefficients: tuple[np.ndarray, np.ndarray]
    kept: tuple[np.ndarray, np.ndarray]
    means: tuple[np.ndarray, np.ndarray]


def cca(x: np.ndarray, y: np.ndarray) -> Found:
    """Return what `get_cca_similarity(x, y, epsilon=1e-10)` returns."""
    number = len(x)
    covariance = np.cov(x, y)
    xx, yy = covariance[:number, :number], covariance[number:, number:]
    xy = covariance[:number, number:]
    of_x, of_y = np.abs(xx).max(), np.abs(yy).max()
    xx, yy, xy = xx / of_x, yy / of_y, xy / np.sqrt(of_x * of_y)
    kept = np.diagonal(xx) >= EPSILON, np.diagonal(yy) >= EPSILON
    roots = _inverse_root(xx[np.ix_(kept[0], kept[0])]), _inverse_root(yy[np.ix_(kept[1], kept[1])])
    left, correlations, right = np.linalg.svd(roots[0] @ (xy[np.ix_(*kept)] @ roots[1]))
    means = x.mean(axis=1, keepdims=True), y.mean(axis=1, keepdims=True)
    leading = _leading_mean(correlations), _leading_mean(correlations)
    return Found(correlations, leading, (left.T, right), kept, means)


def mean_cca(x: np.ndarray, y: np.ndarray) -> float:
    """Return np.mean(get_cca_similarity(x, y, epsilon=1e-10)["cca_coef1"]), as in its tutorial."""
    return float(cca(x, y).correlations.mean())


def svcca(x: np.ndarray, y: np.ndarray) -> float:
    """Return the mean correlation as in the tutorial, which writes both decompositions before each
    call. It keeps the directions with 99 % of the variance (Raghu et al. 2017, section 2) instead
    of 20 directions."""
    return mean_cca(_leading_directions(x), _leading_directions(y))


def pwcca(x: np.ndarray, y: np.ndarray) -> float:
    """Return compute_pwcca(x, y, epsilon=1e-10). Its directions are not whitened, unlike in the
    paper, so its values differ. If y has fewer units, the original reads x nevertheless; this
    version does not."""
    found = cca(x, y)
    side = int(found.kept[0].sum() > found.kept[1].sum())
    units, mean = (each[side][found.kept[side]] for each in ((x, y), found.means))
    directions = found.coefficients[side] @ (units - mean) + mean
    basis, _ = np.linalg.qr(directions.T)
    weights = np.abs(basis.T @ units.T).sum(axis=1)
    weights = weights[: len(found.correlations)]
    return float(weights @ found.correlations / weights.sum())


def _inverse_root(covariance: np.ndarray) -> np.ndarray:
    inverse = np.linalg.pinv(covariance + EPSILON * np.eye(len(covariance)))
    values, vectors = np.linalg.eigh(inverse)
    return vectors @ (np.diag(np.sqrt(values)) @ vectors.T)


def _leading_mean(correlations: np.ndarray) -> float:
    for number in range(len(correlations)):
        if np.sum(correlations[:number]) / np.sum(correlations) >= LEADING:
            return float(np.mean(correlations[:number]))
    return float(np.mean(correlations))


def _leading_directions(x: np.ndarray) -> np.ndarray:
    """Return (k, items)."""
    _, values, right = np.linalg.svd(x - x.mean(axis=1, keepdims=True), full_matrices=False)
    shares = np.cumsum(values**2) / np.sum(values**2)
    number = int(np.searchsorted(shares, 0.99)) + 1
    return (values[:number] * np.eye(number)) @ right[:number]
