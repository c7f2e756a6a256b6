"""Centred linear kernels, made from patterns of any size and unit, or given."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cached_property, reduce
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from repatlas.geometry.patterns import as_matrix, as_patterns, parts, release, rounding_of

TOLERANCE = 1e-5
"""How far a given kernel may be from symmetric and centred, since it may have been computed in
single precision."""


class Centred:
    """Patterns X, (P, n), with the mean over items taken off, in units of a power of two.

    They are read in blocks, in double precision, so that no copy of the whole is made. The power of
    two is near the largest value: products neither overflow nor vanish, and no digit is lost.
    """

    def __init__(self, name: str, patterns: ArrayLike):
        self.patterns = as_matrix(name, patterns)
        largest = max(self._largest(rows) for rows in self.rows)
        self.exponent = max(math.frexp(largest)[1], -1000)
        # Taking one item off first makes identical items exactly zero, not the rounding of their
        # mean, and keeps the digits of patterns that sit on a large offset.
        self.first = self.mean = np.zeros(self.patterns.shape[1])
        self.first = self.read(slice(0, 1))[0]
        self.mean = total_of(self.read(rows).sum(axis=0) for rows in self.rows) / len(self.patterns)

    def overlap(self, other: Centred) -> float:
        """Return Tr(Kx Ky) = |X^T Y|_F^2, from the smaller of the features' product and the
        kernels."""
        if self.patterns.shape[1] * other.patterns.shape[1] > len(self.patterns) ** 2:
            return float(np.vdot(self.kernel, other.kernel))
        products = self.products(other)
        return float(np.vdot(products, products))

    def unbiased_overlap(self, other: Centred) -> float:
        """Return U(x, y) of kernel_alignment, which is Tr(Kx Ky) without its bias; for P >= 4."""
        items = len(self.patterns)
        both = self.squares.sum() * other.squares.sum() / ((items - 1) * (items - 2))
        diagonal = self.squares @ other.squares
        overlap = self.own_overlap if other is self else self.overlap(other)
        return float(overlap - items / (items - 2) * diagonal + both)

    def products(self, other: Centred) -> NDArray[np.float64]:
        """Return X^T Y, (n, n'), in the product of the two units."""
        return total_of(self._product(other, rows) for rows in self.rows)

    @cached_property
    def own_overlap(self) -> float:
        """Tr(K K), the square of the kernel's norm."""
        return self.overlap(self)

    @cached_property
    def kernel(self) -> NDArray[np.float64]:
        """K = X X^T, (P, P), in units of 4^exponent."""
        blocks = (self.read(columns=columns) for columns in self.columns)
        return total_of(block @ block.T for block in blocks)

    @cached_property
    def squares(self) -> NDArray[np.float64]:
        """The diagonal of K, (P,): the squared distance of each item from the mean."""
        blocks = (self.read(rows) for rows in self.rows)
        return np.concatenate([np.einsum("ij,ij->i", block, block) for block in blocks])

    @cached_property
    def given_lengths(self) -> NDArray[np.float64]:
        """The length of each item before the mean is subtracted, (P,), in units of 2^exponent."""
        unit, squares = math.ldexp(1.0, -self.exponent), []
        for rows in self.rows:
            block = np.multiply(self.patterns[rows], unit, dtype=np.float64)
            squares.append(np.einsum("ij,ij->i", block, block))
            release(self.patterns)
        lengths: NDArray[np.float64] = np.sqrt(np.concatenate(squares))
        return lengths

    @cached_property
    def rounding(self) -> float:
        """How far two distances of items may differ by rounding alone, in units of 2^exponent.

        The rounding of the given type moves an item by at most half of the machine epsilon times
        its length. Subtracting means moves it about as far.
        """
        return 4 * rounding_of(self.patterns) * float(self.given_lengths.max())

    @cached_property
    def lengths(self) -> NDArray[np.float64]:
        """The length of each feature's column of X, (n,): its standard deviation times sqrt(P)."""
        blocks = (self.read(rows) for rows in self.rows)
        return np.sqrt(total_of(np.einsum("ij,ij->j", block, block) for block in blocks))

    def read(
        self, rows: slice | NDArray[np.intp] = slice(None), columns: slice = slice(None)
    ) -> NDArray[np.float64]:
        """Return these rows and columns of X."""
        block = self.centre(self.patterns[rows, columns], columns)
        release(self.patterns)
        return block

    def centre(self, patterns: NDArray[Any], columns: slice = slice(None)) -> NDArray[np.float64]:
        """Return other patterns of the same features, minus the mean of X, in the same unit."""
        unit = math.ldexp(1.0, -self.exponent)
        block: NDArray[np.float64] = np.multiply(patterns, unit, dtype=np.float64)
        block -= self.first[columns]
        block -= self.mean[columns]
        return block

    @property
    def rows(self) -> list[slice]:
        """Blocks of items, to be read one after the other."""
        return parts(*self.patterns.shape)

    @property
    def columns(self) -> list[slice]:
        """Blocks of features that fit into memory."""
        return parts(*self.patterns.shape[::-1])

    def _largest(self, rows: slice) -> float:
        block = self.patterns[rows]
        largest = max(abs(float(block.max())), abs(float(block.min())))
        release(self.patterns)
        return largest

    def _product(self, other: Centred, rows: slice) -> NDArray[np.float64]:
        block = self.read(rows)
        product: NDArray[np.float64] = block.T @ (block if other is self else other.read(rows))
        return product


def total_of(arrays: Iterable[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Return the sum of arrays, in the first one's memory."""
    return reduce(lambda total, array: np.add(total, array, out=total), arrays)


def centred_kernel(patterns: ArrayLike) -> NDArray[np.float64]:
    """Return the centred linear kernel K = H X X^T H, H = I - 11^T / P.

    patterns: X, (P, n), items x features. The kernel, (P, P), has the products of the items after
    their mean is subtracted, in the squared unit of the patterns (Alleman et al. 2024, section 3).
    Raises ValueError for anything but a finite matrix.

    >>> centred_kernel([[0.0, 0.0], [2.0, 0.0]])
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    centred = Centred("patterns", patterns)
    return np.ldexp(centred.kernel, 2 * centred.exponent)


def as_kernel(name: str, value: ArrayLike) -> NDArray[np.float64]:
    """Return `value` as a centred kernel, (P, P) in float64, in units of a power of two near its
    largest value. `name` is used in the errors."""
    kernel = as_patterns(name, value)
    largest = np.abs(kernel).max()
    if kernel.shape[0] != kernel.shape[1] or np.abs(kernel - kernel.T).max() > TOLERANCE * largest:
        raise ValueError(f"{name} of shape {kernel.shape} is not a symmetric matrix.")
    kernel = np.ldexp(kernel, -math.frexp(largest)[1])
    if np.abs(kernel.mean(axis=0)).max() > TOLERANCE:
        raise ValueError(
            f"{name} is not centred: its rows do not add up to 0. Allowed is H {name} H with "
            f"H = I - 1/P, which centred_kernel makes of patterns."
        )
    # No kernel has negative eigenvalues l, so sum l >= sqrt(sum l^2).
    if np.trace(kernel) < (1 - TOLERANCE) * np.linalg.norm(kernel):
        raise ValueError(
            f"{name} has negative eigenvalues, as its trace, smaller than its norm, shows; allowed "
            f"is a matrix of products of centred patterns."
        )
    return kernel
