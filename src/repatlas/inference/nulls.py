"""The two nulls of parallelism score, CCGP and decoding from trials (Bernardi et al. 2020).

Shuffled labels: nothing is coded. Moved means: each condition is as far from the grand mean as it
is, so that it can be decoded as well, but in a random direction. A geometry is abstract where
parallelism and CCGP are beyond both. The statistic may be biased, as is the plain parallelism score
of noisy means: a p value compares like with like.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from repatlas.geometry.design import as_trials
from repatlas.geometry.patterns import condition_means
from repatlas.inference.permutation import Null, add_one_p, permutations

SHUFFLED, MOVED = "labels shuffled", "means moved apart"
"""The names of both nulls."""
Statistic = Callable[[NDArray[np.float64], NDArray[Any]], float]


def shuffle_null(
    statistic: Statistic,
    samples: ArrayLike,
    labels: ArrayLike,
    draws: int = 999,
    seed: int = 0,
    blocks: ArrayLike | None = None,
    within: bool = False,
) -> Null:
    """Compare a statistic with its values for shuffled labels: the null that nothing is coded.

    samples: (m, n), one row for each trial; labels: (m, k), the values that k variables had in it,
    numbers or strings. statistic: takes samples and labels, and returns a number that is larger if
    more is coded. Labels are passed as indices of the variable's values in ascending order. Whole
    rows of labels are shuffled over all trials, so each condition keeps its number of trials. The p
    value is add_one_p: exact for trials that are exchangeable, whatever the statistic. seed: the
    seed of the shuffles; statistics with random draws should have another, fixed seed. blocks:
    (m,), numbers or names, if trials of one block, such as a run, are not independent. The labels
    of a whole block, in their order, then go to another block. Blocks must have equally many
    trials. p is exact for blocks that are exchangeable, whatever trials of a block share. within:
    labels are shuffled within each block instead, and blocks may have any numbers of trials. p is
    then exact if the order of labels in each block was random. A draw for which the statistic
    raises ValueError counts as large.
    Raises ValueError for other numbers of labels than of samples, and blocks of different sizes.

    Trials without any difference between their conditions:

    >>> from repatlas.geometry import balanced_ccgp
    >>> noise = np.random.default_rng(0).standard_normal((40, 8))
    >>> labels = np.tile([[0, 0], [0, 1], [1, 0], [1, 1]], (10, 1))
    >>> ccgp = lambda samples, labels: balanced_ccgp(samples, labels, variable=0).value
    >>> shuffle_null(ccgp, noise, labels, draws=19).p > 0.05
    True
    """
    patterns, design = as_trials(samples, labels)
    table = design.levels[design.conditions]
    orders = permutations(len(table), draws, groups=blocks, seed=seed, within=within)
    shuffled = ((patterns, table[order]) for order in orders)
    if blocks is None:
        return _null(statistic, patterns, table, shuffled, "labels of trials shuffled")

    def or_nan(samples: NDArray[np.float64], labels: NDArray[Any]) -> float:
        try:
            return statistic(samples, labels)
        except ValueError:
            return float("nan")

    how = "labels shuffled within blocks" if within else "labels of whole blocks shuffled"
    return _null(statistic, patterns, table, shuffled, how, of_draws=or_nan)


def geometric_null(
    statistic: Statistic, samples: ArrayLike, labels: ArrayLike, draws: int = 999, seed: int = 0
) -> Null:
    """Compare a statistic with its values for conditions in random directions.

    This is the null hypothesis that what is coded has no geometry.

    statistic, samples, labels: as for shuffle_null. The mean of each condition keeps its distance
    from the grand mean of the conditions. It gets an independent random direction, as from a random
    rotation about the grand mean. The residuals of the trials about the mean of their condition are
    kept. p is add_one_p. For the plain parallelism score of noiseless means it is exact if the
    means come from a distribution without a preferred direction. Data in few of the n dimensions
    have more parallelism by chance than random directions in all of them. seed: the seed of the
    directions.
    Raises ValueError for other numbers of labels than of samples.

    The sides of a square are parallel, which is rare for random directions in ten dimensions:

    >>> from repatlas.geometry import condition_means, parallelism_score
    >>> table = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    >>> def parallelism(samples, labels):
    ...     return parallelism_score(condition_means(samples, labels @ [2, 1]), table, 0)
    >>> square = table @ np.eye(2, 10)
    >>> geometric_null(parallelism, square, table, draws=99).p
    0.01
    """
    patterns, design = as_trials(samples, labels)
    table = design.levels[design.conditions]
    moved = ((trials, table) for trials in moved_means(patterns, design.conditions, draws, seed))
    return _null(statistic, patterns, table, moved, "means of conditions moved apart")


def moved_means(
    samples: ArrayLike, conditions: ArrayLike, draws: int, seed: int = 0
) -> Iterator[NDArray[np.float64]]:
    """Return samples, (m, n), with each condition's mean in a random direction from the grand mean.

    samples: (m, n); conditions: (m,), the condition index of each; the rest is as for
    geometric_null. Distances of the means from the grand mean stay, and so does the noise around
    each mean (Bernardi et al. 2020). Raises ValueError if a condition has no sample.

    >>> (moved,) = moved_means([[3.0, 4.0], [-3.0, -4.0]], [0, 1], draws=1)
    >>> np.linalg.norm(moved, axis=1).round(6)
    array([5., 5.])
    """
    patterns, indices = np.asarray(samples, dtype=np.float64), np.asarray(conditions)
    means = condition_means(patterns, indices)
    centre = means.mean(axis=0)
    distances = np.linalg.norm(means - centre, axis=1)
    fixed = patterns - means[indices] + centre
    rng = np.random.default_rng(seed)
    for _ in range(draws):
        directions = rng.standard_normal(means.shape)
        directions *= (distances / np.linalg.norm(directions, axis=1))[:, None]
        yield fixed + directions[indices]


def _null(
    statistic: Statistic,
    patterns: NDArray[np.float64],
    table: NDArray[np.intp],
    surrogates: Iterator[tuple[NDArray[np.float64], NDArray[np.intp]]],
    how: str,
    of_draws: Statistic | None = None,
) -> Null:
    """Return the Null. of_draws: the statistic of surrogates, if it is another."""
    value, of_draw = float(statistic(patterns, table)), of_draws or statistic
    null = np.array([of_draw(*surrogate) for surrogate in surrogates], dtype=np.float64)
    return Null(value, float(add_one_p(value, null)), float(np.mean(null)), null, how)
