"""What each measure of a user's array takes: seconds of one core of an AMD EPYC, from its size.

The constants are fitted to measured times of three sizes or more of each measure, of two variables
of two values; all are met within a factor of three. A measure that is not here counts as one that
reads the array once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from repatlas.inference.jackknife import BLOCKS

NUMBER = 5e-9
"""To read a number, and to add it up."""
PRODUCT = 4e-11
"""To multiply and add, in products of large matrices."""
FIT = 2.5e-4
"""To fit a decoder, whatever its size."""
FIT_NUMBER, FIT_WIDE_NUMBER = 2.5e-8, 6e-8
"""For each number of its samples, which every step reads; and where features are more than samples.
"""
FIT_PRODUCT = 1.2e-10
"""For each multiplication in the products of its features, or of its samples where these are fewer.
"""
SCORE, SCORE_NUMBER = 5e-4, 8e-9
"""A parallelism score, and for each number of it."""
FOLDS = 5
MOST_PERMUTED = 1000
"""Items whose order is permuted for the p value of alignment."""


class Size(NamedTuple):
    """How large a representation is, and how often it is measured."""

    rows: int
    features: int
    conditions: int
    values: list[int]
    """The number of values of each variable"""
    draws: int
    """Draws of each null"""
    trials: bool
    sample: bool
    """Whether the features are a sample of more"""
    times: int = 1
    """Times of each unit, which are features, too"""

    @property
    def items(self) -> int:
        """The rows of what is not about single trials."""
        return self.conditions if self.trials else self.rows


def seconds(measure: str, size: Size) -> float:
    """Return seconds of a core for a measure of a representation.

    >>> size = Size(1000, 500, 4, [2, 2], 199, trials=True, sample=True)
    >>> round(seconds("decoding", size)), round(seconds("geometry", size), 3)
    (69, 0.003)
    """
    return MEASURES.get(measure, _reading)(size)


def _reading(size: Size) -> float:
    return NUMBER * size.rows * size.features


def _pairs_and_contexts(size: Size) -> Iterator[tuple[int, float, float]]:
    """Return, for each variable, the pairs of its values, the contexts, and the rows of a
    condition."""
    for number in size.values:
        yield number * (number - 1) // 2, size.conditions / number, size.rows / size.conditions


def _fit(rows: float, features: int) -> float:
    """Return a fit of this number of rows; of many rows few count."""
    if rows < features:
        return FIT + (FIT_WIDE_NUMBER + FIT_PRODUCT * rows) * rows * features
    counted = min(rows, 1.6 * features)
    return FIT + FIT_NUMBER * rows * features + FIT_PRODUCT * counted * features**2


def _decoding(size: Size) -> float:
    share = (FOLDS - 1) / FOLDS
    return sum(
        (size.draws + 2) * pairs * FOLDS * _fit(2 * contexts * each * share, size.features)
        for pairs, contexts, each in _pairs_and_contexts(size)
    )


def _over_time(size: Size) -> float:
    """Return decoders of each time, tested at all times. They share the draws of equal numbers."""
    of_time = _decoding(size._replace(features=size.features // size.times)) / 2
    return size.times * of_time + _reading(size) * size.times * (size.draws + 1)


def _ccgp(size: Size) -> float:
    return sum(
        (2 * size.draws + 3)
        * (pairs * contexts)
        * (_fit(2 * each, size.features) + 2 * NUMBER * 2 * contexts * each * size.features)
        for pairs, contexts, each in _pairs_and_contexts(size)
        if contexts > 1
    )


def _parallelism(size: Size) -> float:
    """Return scores of both nulls, and of the jackknife."""
    of_score = SCORE + SCORE_NUMBER * size.rows * size.features
    return len(size.values) * (2 * size.draws + 3 + BLOCKS) * of_score


def _products(rows: int, features: int) -> float:
    """Return the products of all features, or of all rows where these are fewer."""
    return PRODUCT * rows * features * min(rows, features) + NUMBER * rows * features


def _alignment(size: Size) -> float:
    """Return the value with its jackknife, and the permutations of some items."""
    permuted = min(size.items, MOST_PERMUTED)
    of_draw = _products(permuted, size.features)
    return _reading(size) + len(size.values) * (
        2 * _products(size.items, size.features) + (size.draws + 1) * of_draw
    )


def _dimensionality(size: Size) -> float:
    """Return the value, and without each block of items; where features are a sample, of these,
    too."""
    times = 1 + BLOCKS * (1 if size.trials or not size.sample else 2)
    factors = 3 if size.trials else 1
    return _reading(size) + times * factors * _products(size.items, size.features)


def _collapse(size: Size) -> float:
    """Return two scores with their draws and jackknives. Each reads all numbers twice."""
    return 4 * len(size.values) * (size.draws + BLOCKS + 2) * _reading(size)


MEASURES: dict[str, Callable[[Size], float]] = {
    "alignment": _alignment,
    "ccgp": _ccgp,
    "collapse": _collapse,
    "decoding": _decoding,
    "dimensionality": _dimensionality,
    "over_time": _over_time,
    "parallelism": _parallelism,
}
"""By the names of own.measures."""
