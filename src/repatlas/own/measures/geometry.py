"""The conditions of a representation as points in three dimensions, to be drawn."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from repatlas.geometry import crossnobis_distances
from repatlas.geometry.design import BETWEEN
from repatlas.own.result import NAN, Result
from repatlas.own.trials import Trials

DIMENSIONS = 3
MOST = 64
"""The most conditions that can be drawn."""


def rows(seen: Trials, settings: Any = None) -> Iterator[Result]:
    """Yield coordinates of each condition and the share that each axis explains.

    They are from classical multidimensional scaling (Torgerson 1952), with up to three axes.
    "explained" is the share of the squared distances that an axis keeps; `about` has the names of
    the variables then, and the values of a condition in rows of "geometry".

    Distances are between condition means: Euclidean for items, plain crossnobis, which excludes
    noise, for trials. Crossnobis distances may be negative, and then no points have them. Products
    are B = -J D J / 2 with J = I - 1/P. Axes with a negative eigenvalue of B are left out.
    """
    about: dict[str, Any] = {"n": len(seen.counts), "of": "conditions"}
    how = "crossnobis distances" if seen.rows == "trials" else "distances of means"
    try:
        points, shares = scaled(_squared_distances(seen))
    except ValueError as error:
        yield Result("geometry", NAN, how, reason=str(error), **about)
        return
    names = BETWEEN.join(seen.names)
    for axis, share in enumerate(shares):
        yield Result("explained", float(share), how, about=names, neuron=axis, **about)
    for condition, (point, levels) in enumerate(zip(points, seen.table, strict=True)):
        values = [str(of[level]) for of, level in zip(seen.values, levels, strict=True)]
        place = {"about": BETWEEN.join(values), "cluster": condition}
        for axis, value in enumerate(point):
            yield Result("geometry", float(value), how, neuron=axis, **place, **about)


def _squared_distances(seen: Trials) -> NDArray[np.float64]:
    number, fewest = len(seen.counts), int(seen.counts.argmin())
    if not 3 <= number <= MOST:
        raise ValueError(f"{number} conditions, 3 to {MOST} can be drawn")
    if seen.rows == "trials" and seen.counts[fewest] < 2:
        single = seen.condition_name(fewest)
        raise ValueError(f"condition ({single}) has a single row, so that its noise is not known")
    if seen.rows == "trials":
        distances = crossnobis_distances(seen.samples, seen.conditions, noise=None)
        return distances * seen.samples.shape[1]
    means = seen.means
    means = means - means.mean(axis=0)
    products = means @ means.T
    own = np.diag(products)
    squared: NDArray[np.float64] = own[:, None] + own - 2 * products
    return squared


def scaled(distances: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return points, (P, up to 3), whose squared distances are nearest to these, (P, P), and the
    share of the positive eigenvalues of each axis.

    The point farthest out along an axis is on its positive side, so that the same distances always
    give the same points.
    """
    number = len(distances)
    centring = np.eye(number) - 1 / number
    lengths, axes = np.linalg.eigh(-centring @ distances @ centring / 2)
    total = lengths.clip(min=0).sum()
    lengths, axes = lengths[::-1][:DIMENSIONS], axes[:, ::-1][:, :DIMENSIONS]
    positive = lengths > max(lengths[0], 0) * 1e-12
    if not positive.any():
        raise ValueError("no two conditions differ by more than noise")
    points = axes[:, positive] * np.sqrt(lengths[positive])
    first = np.abs(points).argmax(axis=0)
    points *= np.sign(points[first, np.arange(points.shape[1])])
    return points, lengths[positive] / total
