"""Representations whose items are divided into blocks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from repatlas.geometry.patterns import parts
from repatlas.inference.float32 import IN_CACHE, SingleCentred
from repatlas.inference.jackknife import BLOCKS, assign_blocks

HELD = 2**27
"""Numbers, in single precision, of items that are held rather than read again: 512 MiB."""


class _Sums(NamedTuple):
    """Sums over items, for all items and without each block."""

    squares: NDArray[np.float64]
    """(P,), the squared length of each item"""
    lengths: NDArray[np.float64]
    """(1 + blocks,), the squared length of the mean of the items left"""
    inner_products: NDArray[Any]
    """(1 + blocks, P), the product of each item with this mean"""


class Blocked:
    """A representation whose items are divided into blocks, for aligned_pairs.

    patterns: (P, n), an array or a memory-mapped file, which must not change meanwhile; blocks,
    groups, seed: as for aligned_pairs, which takes it instead of the array; name: the array's name
    in errors. It has about 100 P bytes in addition to the array. The first aligned_pairs computes
    its sums and its products with itself, and leaves them here. This takes about as long as a pair.
    Raises ValueError as aligned_pairs does for one array.

    >>> layer = np.random.default_rng(0).standard_normal((200, 5))
    >>> blocked = Blocked(layer, blocks=10)
    >>> len(blocked.dealt), blocked.read([0])[0].shape
    (10, (20, 5))
    """

    def __init__(
        self,
        patterns: ArrayLike,
        blocks: int = BLOCKS,
        groups: ArrayLike | None = None,
        seed: int = 0,
        name: str = "patterns",
    ):
        self.name = name
        self.centred = SingleCentred(name, patterns)
        self.patterns = self.centred.patterns
        number = len(self.patterns)
        self.dealt = assign_blocks(number, blocks, None, groups, seed)
        self.block_of: NDArray[np.intp] = np.empty(number, dtype=np.intp)
        """The number of each item's block, (P,)."""
        for block, rows in enumerate(self.dealt):
            self.block_of[rows] = block
        sizes = np.array([0, *map(len, self.dealt)])
        self.n_remaining: NDArray[np.float64] = (number - sizes).astype(np.float64)
        """The number of items that remain, (1 + blocks,): all first, then without each block."""
        if self.n_remaining.min() < 4:
            raise ValueError(
                f"{name} has {number} items in {len(self.dealt)} blocks, {number - sizes.max()} "
                f"without the largest; debiased alignment needs 4 or more."
            )
        self.dtype: type[np.floating[Any]] = np.float32
        """The precision of products. Double precision takes twice the time."""
        self.held: list[NDArray[Any]] | None = None
        self.products: NDArray[np.float64] | None = None
        self.alignment: NDArray[np.float64] | None = None

    def use_double(self) -> None:
        """Forget what was computed in single precision, and use double precision from now on."""
        if self.dtype == np.float64:
            return
        self.dtype, self.products, self.alignment = np.float64, None, None
        self.__dict__.pop("sums", None)

    @cached_property
    def sums(self) -> _Sums:
        """The sums over items. They are computed once."""
        number, features = self.patterns.shape
        squares, means = np.empty(number), np.zeros((len(self.n_remaining), features))
        inner_products = np.empty((len(self.n_remaining), number), dtype=self.dtype)
        with cache_in_memory([self], HELD // 2):
            for mean, rows, part in self._parts(means[1:]):
                double = part.astype(np.float64)
                squares[rows] = np.einsum("ij,ij->i", double, double)
                mean -= double.sum(axis=0)  # the sum of all is 0
            means /= self.n_remaining[:, None]
            of_means = means.astype(self.dtype)
            for _, rows, part in self._parts(means[1:]):
                inner_products[:, rows] = of_means @ part.T
        return _Sums(squares, np.einsum("ij,ij->i", means, means), inner_products)

    def _parts(
        self, means: NDArray[np.float64]
    ) -> Iterator[tuple[NDArray[np.float64], NDArray[np.intp], NDArray[Any]]]:
        """Yield parts of blocks: the block's entry of means, the items of the part, and their
        values."""
        for b, (mean, rows) in enumerate(zip(means, self.dealt, strict=True)):
            for some in parts(len(rows), self.patterns.shape[1], IN_CACHE):
                if self.held is None:
                    yield mean, rows[some], self._read(rows[some])
                else:
                    yield mean, rows[some], self.held[b][some]

    def _read(self, rows: NDArray[np.intp], columns: slice = slice(None)) -> NDArray[Any]:
        is_single = self.dtype == np.float32
        return self.centred.single(rows, columns) if is_single else self.centred.read(rows, columns)

    def moments(self, items: slice) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the inner products of these items with the means of `sums`, (1 + blocks, items),
        and their squared distances to these means. Items of the block that a mean leaves out have
        0 for both."""
        inner_products = self.sums.inner_products[:, items].astype(np.float64)
        distances = self.sums.squares[items] - 2 * inner_products + self.sums.lengths[:, None]
        left_out = self.block_of[items] + 1, np.arange(inner_products.shape[1])
        inner_products[left_out] = 0
        distances[left_out] = 0
        return inner_products, distances

    def read(self, blocks: Sequence[int]) -> list[NDArray[Any]]:
        """Return the items of these blocks."""
        rows = np.concatenate([self.dealt[b] for b in blocks])
        features = self.patterns.shape[1]
        order = np.argsort(rows)
        found = np.empty((len(rows), features), dtype=self.dtype)
        for part in parts(len(rows), features, IN_CACHE):
            found[order[part]] = self._read(rows[order[part]])
        return np.split(found, np.cumsum([len(self.dealt[b]) for b in blocks])[:-1])

    def block(self, b: int, columns: slice) -> NDArray[Any]:
        """Return these columns of a block."""
        if self.held is not None:
            return self.held[b][:, columns]
        rows = self.dealt[b]
        found = np.empty((len(rows), len(range(self.patterns.shape[1])[columns])), self.dtype)
        for part in parts(*found.shape, numbers=IN_CACHE):
            found[part] = self._read(rows[part], columns)
        return found


@contextmanager
def cache_in_memory(arrays: Sequence[Blocked], max_numbers: int) -> Iterator[None]:
    """Hold the items of representations in memory, if they have at most `max_numbers` numbers.

    >>> blocked = Blocked(np.random.default_rng(0).standard_normal((200, 5)))
    >>> with cache_in_memory([blocked], max_numbers=1000):
    ...     blocked.held is not None
    True
    >>> blocked.held is None
    True
    """
    now = [of for of in arrays if of.held is None]
    if sum(of.patterns.size for of in now) > max_numbers:
        now = []
    for of in now:
        of.held = of.read(range(len(of.dealt)))
    try:
        yield
    finally:
        for of in now:
            of.held = None
