"""Repeated noisy trials of conditions: means, the noise left in them, and independent halves."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from repatlas.geometry.patterns import as_complete_samples, parts


def means_and_noise(
    samples: NDArray[np.float64], conditions: NDArray[np.intp]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the mean of each condition, (P, n), and the noise left in it, (P,).

    The noise is an unbiased estimate of E|mean - true mean|^2: the sum over trials of |x - mean|^2
    / (m (m - 1)), for m trials.

    Raises ValueError for a condition with a single trial, because its noise is not known.
    """
    counts = np.bincount(conditions)
    if counts.min() < 2:
        raise ValueError(
            f"condition {counts.argmin()} has {counts.min()} trial; the noise of its mean can be "
            f"estimated from 2 or more."
        )
    order = np.argsort(conditions, kind="stable")
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]])
    # From one trial of each condition on, so that identical trials have exactly no noise.
    first = samples[order[starts]]
    apart = samples[order] - np.repeat(first, counts, axis=0)
    shift = np.add.reduceat(apart, starts) / counts[:, None]
    apart -= np.repeat(shift, counts, axis=0)
    squares = np.add.reduceat(np.einsum("ij,ij->i", apart, apart), starts)
    return first + shift, squares / (counts * (counts - 1))


def squared_noise(
    samples: NDArray[np.float64], means: NDArray[np.float64], conditions: NDArray[np.intp]
) -> float:
    """Return an estimate of Tr(S S) of the noise covariance S, which all conditions share.

    samples: (m, n); means: (P, n); conditions: (m,). From the residuals' covariance s with
    f = m - P degrees of freedom, f^2 / ((f - 1)(f + 2)) (Tr(s s) - Tr(s)^2 / f), unbiased for
    normal noise (Bai & Saranadasa 1996), at least 0.
    """
    residuals = samples - means[conditions]
    freedom = len(samples) - len(means)
    # The smaller of the two products, some lines at a time.
    lines = residuals if len(samples) <= samples.shape[1] else residuals.T
    squares = sum(
        float(np.sum((lines[rows] @ lines.T) ** 2)) for rows in parts(len(lines), len(lines))
    )
    total = float(np.vdot(residuals, residuals))
    found = (squares - total**2 / freedom) / ((freedom - 1) * (freedom + 2))
    return max(found, 0.0)


def halves_of_trials(
    samples: ArrayLike, conditions: ArrayLike, seed: int = 0
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the means of each condition over two random halves of its trials, both (P, n).

    samples: (m, n); conditions: (m,), the condition index of each sample, or its item; each needs
    two trials. Of an odd number of trials the second half has one more. The noise of the halves is
    independent, so a product of the two has the mean that it would have without noise.
    participation_ratio_of_halves needs such halves. kernel_alignment between two populations of one
    recording needs them, too, because noise is shared. Use the first half of one population and the
    second half of the other, with the same seed. The same seed gives the same halves.
    Raises ValueError for a condition with a single trial.

    >>> first, second = halves_of_trials([[1.0], [1.0], [5.0], [5.0]], [0, 0, 1, 1])
    >>> first.tolist(), second.tolist()
    ([[1.0], [5.0]], [[1.0], [5.0]])
    """
    patterns, indices = as_complete_samples(samples, conditions)
    counts = np.bincount(indices)
    if counts.min() < 2:
        raise ValueError(
            f"conditions has 1 trial of condition {counts.argmin()}; two halves need 2 or more."
        )
    rng = np.random.default_rng(seed)
    halves = np.empty((2, len(counts), patterns.shape[1]))
    for condition, count in enumerate(counts):
        rows = rng.permutation(np.flatnonzero(indices == condition))
        halves[0, condition] = patterns[rows[: count // 2]].mean(axis=0)
        halves[1, condition] = patterns[rows[count // 2 :]].mean(axis=0)
    return halves[0], halves[1]
