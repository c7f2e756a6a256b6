"""Intervals over items or trials: the delete-block jackknife.

A bootstrap of items with replacement would be wrong. It has copies of items, at distance 0 from
each other, and no two items of a new sample have this distance. Estimators that leave out pairs of
an item with itself would include pairs of copies.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from repatlas.inference.intervals import FEWEST, LEVEL, Interval

BLOCKS = 20


def jackknife_interval(
    statistic: Callable[[NDArray[np.intp]], float],
    number: int,
    blocks: int = BLOCKS,
    strata: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    seed: int = 0,
) -> Interval:
    """Return a statistic of items with its 95 % interval from the delete-block jackknife.

    statistic: takes the indices of the items to use, ascending, and returns a number. number: the
    number of items. blocks: the number of random blocks; each is left out once. strata, groups:
    (number,), see assign_blocks. With strata, such as the conditions of trials, each block takes
    the same share of each. Rows of a group, such as the positions of one image, are left out
    together. seed: the seed of the blocks.
    The interval is value +- t sqrt(v), with the quantile t of Student's distribution with blocks -
    1 degrees of freedom. The variance of pseudo-values for blocks of unequal size is (Busing,
    Meijer & van der Leeden 1999, equation 8)

        v = 1/g sum_j (tau_j - mean)^2 / (h_j - 1),  tau_j = h_j value - (h_j - 1) value_j,

    where value_j leaves out block j, h_j = number / size of j, and mean is the jackknife's own
    estimate. It holds for smooth functions of means of independent items. The interval is nan for
    fewer than six blocks, since fewer replicates cannot exclude anything (intervals.FEWEST), or if
    the statistic is nan without some block.
    Raises ValueError for fewer than 2 items or blocks.

    >>> heights = np.random.default_rng(0).normal(170, 10, size=400)
    >>> value, low, high = jackknife_interval(lambda rows: heights[rows].mean(), 400)
    >>> round(value, 1), round(low, 1), round(high, 1)
    (169.6, 168.6, 170.7)
    """
    dealt = assign_blocks(number, blocks, strata, groups, seed)
    value = statistic(np.arange(number))
    deleted = [statistic(np.delete(np.arange(number), block)) for block in dealt]
    sizes = np.array([len(block) for block in dealt])
    low, high = interval_ends(np.float64(value), np.array(deleted), sizes)
    return Interval(float(value), float(low), float(high))


def crossed_jackknife_interval(
    statistic: Callable[[NDArray[np.intp], NDArray[np.intp]], float],
    items: int,
    features: int,
    blocks: int = BLOCKS,
    seed: int = 0,
) -> Interval:
    """Return a statistic of items x features with its 95 % interval, if both are samples.

    statistic: takes the indices of the items and of the features to use, both ascending, and
    returns a number; items, features: how many there are; blocks, seed: as for jackknife_interval.
    jackknife_interval of items alone estimates how the value varies with other items and the same
    features. Recorded neurons are a sample, too, and their variance adds to it:
    v = v_items + v_features, each by blocks, with the degrees of freedom of Welch & Satterthwaite.
    The sum is too large by the variance that items and features share, which is small unless both
    are few (Owen 2007). The ends are nan for fewer than six blocks of either.
    Raises ValueError for fewer than 2 items, features or blocks.

    >>> from repatlas.geometry import corrected_participation_ratio
    >>> latent, mixing = np.random.default_rng(0).standard_normal((2, 100, 5))
    >>> patterns = latent @ mixing.T
    >>> dimension = lambda rows, columns: corrected_participation_ratio(patterns[rows][:, columns])
    >>> value, low, high = crossed_jackknife_interval(dimension, 100, 100)
    >>> round(low, 1) < 5 < round(high, 1)
    True
    """
    rows, columns = np.arange(items), np.arange(features)
    value = np.float64(statistic(rows, columns))
    of_items, of_features = (assign_blocks(n, blocks, seed=seed) for n in (items, features))
    by_items = np.array([statistic(np.delete(rows, out), columns) for out in of_items])
    by_features = np.array([statistic(rows, np.delete(columns, out)) for out in of_features])
    parts = np.array(
        [
            variance(value, deleted, np.array([len(out) for out in dealt]))
            for deleted, dealt in ((by_items, of_items), (by_features, of_features))
        ]
    )
    numbers = np.array([len(of_items), len(of_features)])
    with np.errstate(invalid="ignore"):
        freedom = parts.sum() ** 2 / (parts**2 / (numbers - 1)).sum()
    low, high = _ends(value, parts.sum(), numbers.min(), freedom)
    return Interval(float(value), float(low), float(high))


def assign_blocks(
    number: int,
    blocks: int = BLOCKS,
    strata: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    seed: int = 0,
) -> list[NDArray[np.intp]]:
    """Return random blocks of the items 0 ... number - 1, whose sizes differ by at most one.

    The indices in each block ascend.

    There are no more blocks than items. strata: (number,), numbers or names. The items of each
    stratum are divided evenly. There are no more blocks than items of the smallest stratum, so each
    block has some items of each. groups: (number,), numbers or names. Items of a group come to the
    same block. Blocks then have equal numbers of groups, and no strata are allowed.
    Raises ValueError for fewer than 2 items, groups, items of a stratum, or blocks.

    >>> [block.tolist() for block in assign_blocks(5, 2)]
    [[0, 1, 3], [2, 4]]
    """
    if not isinstance(blocks, int | np.integer) or blocks < 2:
        raise ValueError(f"blocks is {blocks!r}; allowed are whole numbers from 2.")
    if strata is not None and groups is not None:
        raise ValueError("strata and groups are both given; allowed is one of them.")
    rng = np.random.default_rng(seed)
    if strata is not None:
        codes = _codes("strata", strata, number)
        order = rng.permutation(number)
        order = order[np.argsort(codes[order], kind="stable")]
        units, fewest = np.empty(number, dtype=np.intp), np.bincount(codes).min()
        units[order] = np.arange(number)
    elif groups is not None:
        codes = _codes("groups", groups, number)
        fewest = codes.max() + 1
        units = rng.permutation(fewest)[codes]
    else:
        units, fewest = rng.permutation(number), number
    if fewest < 2:
        raise ValueError(
            f"{fewest} is the number of items, or of groups, or of items of a stratum; a jackknife "
            f"needs 2 or more."
        )
    block = units % min(blocks, fewest)
    return [np.flatnonzero(block == index) for index in range(min(blocks, fewest))]


def _codes(name: str, values: ArrayLike, number: int) -> NDArray[np.intp]:
    codes = np.unique(np.asarray(values), return_inverse=True)[1]
    if codes.shape != (number,):
        raise ValueError(f"{name} has shape {codes.shape}; allowed is one for each item, {number}.")
    return codes


def interval_ends(
    value: NDArray[np.float64], deleted: NDArray[np.float64], sizes: NDArray[np.intp]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the ends of jackknife_interval for values of any shape: two arrays of this shape.

    value: (...), from all items; deleted: (blocks, ...), the values without each block; sizes:
    (blocks,), the sizes of blocks. The ends are nan for fewer than six blocks.

    >>> numbers = np.arange(8.0)
    >>> without = np.array([np.delete(numbers, out).mean() for out in range(8)])
    >>> low, high = interval_ends(numbers.mean(), without, np.ones(8, dtype=int))
    >>> low.round(2), high.round(2)
    (np.float64(1.45), np.float64(5.55))
    """
    return _ends(value, variance(value, deleted, sizes), len(sizes), len(sizes) - 1.0)


def _ends(
    value: NDArray[np.float64],
    of_value: NDArray[np.float64],
    blocks: int,
    freedom: NDArray[np.float64] | float,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    if blocks < FEWEST:
        nothing = np.full_like(value, np.nan)
        return nothing, nothing
    from scipy.special import stdtrit  # here, since scipy is slow to import

    half = stdtrit(freedom, (1 + LEVEL) / 2) * np.sqrt(of_value)
    return value - half, value + half


def variance(
    value: NDArray[np.float64], deleted: NDArray[np.float64], sizes: NDArray[np.intp]
) -> NDArray[np.float64]:
    """Return the jackknife's variance of values of any shape, (...), with the parameters of
    interval_ends.

    The mean of 8 numbers has the variance of the numbers divided by 8.

    >>> numbers = np.arange(8.0)
    >>> without = np.array([np.delete(numbers, out).mean() for out in range(8)])
    >>> variance(numbers.mean(), without, np.ones(8, dtype=int)).round(4), numbers.var(ddof=1) / 8
    (np.float64(0.75), np.float64(0.75))
    """
    share = (sizes.sum() / sizes).reshape(-1, *[1] * value.ndim)
    pseudo = share * value - (share - 1) * deleted
    mean = len(sizes) * value - ((1 - 1 / share) * deleted).sum(axis=0)
    of_value: NDArray[np.float64] = np.mean((pseudo - mean) ** 2 / (share - 1), axis=0)
    return of_value
