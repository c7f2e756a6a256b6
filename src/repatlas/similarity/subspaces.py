"""The directions that a representation varies in: the thin SVD of its centred matrix."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from repatlas.geometry.kernels import Centred
from repatlas.geometry.patterns import rounding_of


class _Parts(NamedTuple):
    left: NDArray[np.float64]
    values: NDArray[np.float64]
    right: NDArray[np.float64]


class ThinSVD(_Parts):
    """A centred representation X = left diag(values) right^T, of rank r, as thin_svd makes it.

    left: (m, r), orthonormal columns; values: (r,), the singular values, descending, in the unit of
    x; right: (h, r), orthonormal columns.

    >>> svd = ThinSVD(left=np.array([[0.6], [-0.8]]), values=np.array([5.0]), right=np.eye(1))
    >>> svd.left * svd.values @ svd.right.T
    array([[ 3.],
           [-4.]])
    """

    # What pairs need of one of the two is made once, in units of the largest value, so that squares
    # neither overflow nor vanish.

    @cached_property
    def features(self) -> NDArray[np.float64]:
        """(r, h): the centred features by the columns of left, over the largest value."""
        features: NDArray[np.float64] = (self.values / self.values[0])[:, None] * self.right.T
        return features

    @cached_property
    def squares(self) -> NDArray[np.float64]:
        """(m,): the squared distance of each item from the mean, over that value squared."""
        squares: NDArray[np.float64] = self.left**2 @ (self.values / self.values[0]) ** 2
        return squares


Representation = ArrayLike | ThinSVD
"""What CCA, SVCCA and PWCCA take: an array of items x features, or its thin SVD."""


def thin_svd(x: ArrayLike, rcond: float | None = None) -> ThinSVD:
    """Return the ThinSVD of a representation after the mean over items is subtracted:

        x - mean = left diag(values) right^T.

    x: (m, h), items x features. CCA, SVCCA and PWCCA take its result instead of the array, so a
    representation that is compared with many others is decomposed once. The rank r is the number of
    singular values above rcond times the largest one. The default of rcond is max(m, h) times the
    rounding of double precision, 2.2e-16, as in scipy.linalg.orth. Directions that the rounding of
    the type of x makes are left out, too: linear dependencies of units in single precision hold
    only to 1e-7. Their singular values are below 2 e r (1 + sqrt(m / h)), with the machine epsilon
    e of the type and the root mean square r of the lengths of items. The rank is 0 if all items are
    the same.
    Raises ValueError for anything but a finite matrix, and for rcond outside of 0 <= rcond < 1.

    The second feature is twice the first one: they share a direction.

    >>> svd = thin_svd([[1.0, 2.0], [2.0, 4.0], [3.0, 6.0]])
    >>> svd.left.shape, svd.values.round(4), svd.right.shape
    ((3, 1), array([3.1623]), (2, 1))
    """
    return decomposed("x", x, rcond)


def decomposed(name: str, x: Representation, rcond: float | None = None) -> ThinSVD:
    """Return x if it is a ThinSVD, else its thin_svd. `name` is used in the errors."""
    if isinstance(x, ThinSVD):
        return x
    if rcond is not None and not 0 <= rcond < 1:
        raise ValueError(f"rcond is {rcond!r}; allowed are 0 <= rcond < 1.")
    centred = Centred(name, x)
    left, values, right = np.linalg.svd(centred.read(), full_matrices=False)
    least = (rcond or 0.0) * values[0]
    if rcond is None:
        number, features = centred.patterns.shape
        # The largest singular value of independent roundings of all values.
        of_input = np.sqrt(np.mean(centred.given_lengths**2)) * (1 + np.sqrt(number / features))
        least = max(number, features) * np.finfo(np.float64).eps * values[0]
        least = max(least, 2 * rounding_of(centred.patterns) * of_input)
    rank = np.count_nonzero(values > least)
    return ThinSVD(left[:, :rank], np.ldexp(values[:rank], centred.exponent), right[:rank].T)
