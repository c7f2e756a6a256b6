"""Squared distances between conditions from noisy trials, cross-validated: unbiased by noise."""

from __future__ import annotations

from typing import Literal, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from repatlas.geometry.design import coded
from repatlas.geometry.patterns import as_complete_samples, as_patterns
from repatlas.geometry.trials import means_and_noise

Noise = Literal["shrunk", "diagonal"] | None

FOLDS = 10


def crossnobis_distances(
    samples: ArrayLike,
    conditions: ArrayLike,
    runs: ArrayLike | None = None,
    noise: Noise | ArrayLike = "shrunk",
) -> NDArray[np.float64]:
    """Return squared distances of the mean patterns of conditions, (P, P), unbiased by trial noise.

    samples: (m, n), one row for each trial; conditions: (m,), the condition index of each; runs:
    (m,), the run of each trial as a number or a name, or None. Without runs the noise is
    independent between trials. Their numbers may be unequal, and each condition needs two. With
    runs the noise is independent between runs, and each run has all conditions. noise: the
    covariance of Mahalanobis distances, from the residuals of trials about the means of their
    condition (and run). "shrunk" shrinks correlations towards 0 (Schaefer & Strimmer 2005).
    "diagonal" is the variance of each feature. None gives plain squared Euclidean distances. A
    matrix, (n, n), is the covariance itself, such as of the residuals of a GLM; betas with one
    pattern of each condition and run need it.

        d(i, j) = mean over pairs of trials or runs r != s of (x_ir - x_jr) W (x_is - x_js) / n,

    where W is the inverse of that covariance, or the identity. This is the crossnobis distance of
    Walther et al. 2016, divided by the number of features as in rsatoolbox. Noise adds nothing on
    average, since the factors of each product are from independent trials or runs. Two conditions
    with the same true mean have 0 on average, so d may be negative.
    Without runs it is |m_i - m_j|^2 minus the noise left in both means. A W from the same residuals
    would make this noise too small. So trials are divided into ten folds, and the W of the other
    folds measures the noise of each fold. Elsewhere W is the mean over folds. With runs, residuals
    within runs are taken; they are independent of the differences between runs. W has the unit of
    samples to the power -2, so the distances have no unit. With None their unit is the square of
    the samples' unit. The inverse of a covariance from few trials is too large on average, and with
    it all distances by the same factor.
    Memory: n^2 numbers for "shrunk"; use "diagonal" for many features.
    Raises ValueError for a condition with a single trial, a run that lacks a condition, one run
    alone, a feature without noise (unless noise is None), or an unknown noise.

    Two conditions with the same mean, and one at a distance of 1 in each of 20 features:

    >>> noise = np.random.default_rng(0).standard_normal((300, 20))
    >>> conditions = np.repeat([0, 1, 2], 100)
    >>> distances = crossnobis_distances(noise + (conditions == 2)[:, None], conditions)
    >>> distances.round(1) + 0.0
    array([[0. , 0. , 1.1],
           [0. , 0. , 1.1],
           [1.1, 1.1, 0. ]])
    """
    patterns, indices = as_complete_samples(samples, conditions)
    patterns = patterns - patterns.mean(axis=0)  # distances of an offset would be lost to rounding
    if noise is not None and not isinstance(noise, str):
        patterns, noise = patterns @ _whitening_of(noise, patterns.shape[1]), None
    if noise not in ("shrunk", "diagonal", None):
        raise ValueError(
            f'noise is {noise!r}; allowed are "shrunk", "diagonal", a covariance and None.'
        )
    of_noise = cast("Noise", noise)
    if runs is None:
        counts = np.bincount(indices)
        if counts.min() < 2:
            raise ValueError(
                f"conditions has 1 trial of condition {counts.argmin()}; distances without noise "
                f"need 2 or more."
            )
        products = _over_trials(patterns, indices, of_noise)
    else:
        products = _over_runs(patterns, indices, runs, of_noise)
    own = np.diag(products)
    distances: NDArray[np.float64] = (own[:, None] + own - 2 * products) / patterns.shape[1]
    return distances


def _whitening_of(covariance: ArrayLike, features: int) -> NDArray[np.float64]:
    """Return L with L L^T the inverse of a covariance, (n, n)."""
    matrix = as_patterns("noise", covariance)
    if matrix.shape != (features, features):
        raise ValueError(
            f"noise has shape {matrix.shape}; allowed is the covariance of the {features} features."
        )
    try:
        factor = np.linalg.inv(np.linalg.cholesky(matrix))
    except np.linalg.LinAlgError:
        raise ValueError(
            "noise is no covariance of full rank; of fewer residuals than features, shrink it, such"
            " as sklearn.covariance.ledoit_wolf(residuals)[0]."
        ) from None
    whitening: NDArray[np.float64] = factor.T
    return whitening


def _over_trials(
    patterns: NDArray[np.float64], conditions: NDArray[np.intp], noise: Noise
) -> NDArray[np.float64]:
    """Return products of the means of conditions, (P, P), without the noise on the diagonal."""
    if noise is None:
        means, left = means_and_noise(patterns, conditions)
        return means @ means.T - np.diag(left)
    counts = np.bincount(conditions)
    # One condition after the other, so that each has its trials in as many folds as it can.
    folds = np.empty(len(patterns), dtype=np.intp)
    folds[np.argsort(conditions, kind="stable")] = np.arange(len(patterns)) % FOLDS
    means = _cell_means(patterns, conditions)
    products, left = np.zeros((len(counts), len(counts))), np.zeros(len(counts))
    for fold in range(min(FOLDS, len(patterns))):
        out = folds == fold
        number = np.bincount(conditions[~out], minlength=len(counts))
        others = means + 0.0
        seen = np.flatnonzero(number)
        others[seen] = _cell_means(patterns[~out], conditions[~out])
        whitening = _whitening(patterns[~out] - others[conditions[~out]], noise, len(seen))
        white = _whitened(means, whitening)
        products += white @ white.T
        apart = _whitened(patterns[out] - others[conditions[out]], whitening)
        # The variance of a trial about a mean of other trials is 1 + 1 / their number.
        squares = np.einsum("ij,ij->i", apart, apart) / (1 + 1 / number[conditions[out]])
        left += np.bincount(conditions[out], weights=squares, minlength=len(counts))
    return products / min(FOLDS, len(patterns)) - np.diag(left / counts**2)


def _over_runs(
    patterns: NDArray[np.float64], conditions: NDArray[np.intp], runs: ArrayLike, noise: Noise
) -> NDArray[np.float64]:
    """Return products of the means of conditions in different runs, (P, P)."""
    names, run = coded("runs", runs)
    if run.shape != conditions.shape:
        raise ValueError(
            f"runs has shape {run.shape}; allowed is one run for each of the {len(patterns)} "
            f"samples."
        )
    number = int(conditions.max()) + 1
    cells = run * number + conditions
    _complete(cells, names, number)
    means = _cell_means(patterns, cells)
    if noise is not None:
        means = _whitened(means, _whitening(patterns - means[cells], noise, len(means)))
    by_run = means.reshape(len(names), number, -1)
    total = by_run.sum(axis=0)
    same = np.einsum("rin,rjn->ij", by_run, by_run, optimize=True)
    products: NDArray[np.float64] = (total @ total.T - same) / (len(names) * (len(names) - 1))
    return products


def _complete(cells: NDArray[np.intp], names: NDArray[np.generic], number: int) -> None:
    if len(names) < 2:
        raise ValueError(
            f"runs holds {names[0].item()!r} alone; cross-validation needs 2 runs or more."
        )
    counts = np.bincount(cells, minlength=len(names) * number)
    if not counts.all():
        run, condition = divmod(int(counts.argmin()), number)
        raise ValueError(
            f"runs has no trial of condition {condition} in run {names[run].item()!r}; every run "
            f"needs every condition."
        )


def _cell_means(patterns: NDArray[np.float64], cells: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return the mean of each cell that has trials, in the order of their numbers."""
    belongs = (cells == np.unique(cells)[:, None]).astype(np.float64)
    means: NDArray[np.float64] = belongs @ patterns / belongs.sum(axis=1, keepdims=True)
    return means


def _whitening(
    residuals: NDArray[np.float64], noise: Literal["shrunk", "diagonal"], cells: int
) -> NDArray[np.float64]:
    """Return L with L L^T the inverse of the noise covariance, (n, n), or its diagonal, (n,)."""
    freedom = len(residuals) - cells
    if freedom < 1:
        raise ValueError(
            "samples has too few trials of each condition (and run) to tell the noise. Allowed are "
            "noise=None, and noise=C with a covariance C of residuals."
        )
    deviations = np.sqrt(np.einsum("ij,ij->j", residuals, residuals) / freedom)
    if not deviations.all():
        raise ValueError(
            f"samples has no noise in feature {deviations.argmin()}: all trials of a condition "
            f"are the same there; leave it out, or take noise=None."
        )
    if noise == "diagonal":
        inverse: NDArray[np.float64] = 1 / deviations
        return inverse
    correlations = shrunk_correlations(residuals / deviations, freedom)
    # With the factor C = G G^T, the inverse of C is G^-T G^-1.
    factor = np.linalg.inv(np.linalg.cholesky(correlations))
    whitening: NDArray[np.float64] = (factor / deviations).T
    return whitening


def _whitened(patterns: NDArray[np.float64], whitening: NDArray[np.float64]) -> NDArray[np.float64]:
    return patterns * whitening if whitening.ndim == 1 else patterns @ whitening


def shrunk_correlations(standard: NDArray[np.float64], freedom: int) -> NDArray[np.float64]:
    """Return correlations shrunk towards 0, (n, n), by Schaefer & Strimmer 2005, section 2.4.

    standard: z, (m, n), residuals over their standard deviations; freedom: their degrees of
    freedom. With f degrees of freedom the correlation is r_ij = sum_k z_ki z_kj / f. The estimate
    of its variance is m / f^3 times the sum of squared deviations of z_ki z_kj from their mean.
    Correlations are multiplied by 1 - sum var(r_ij) / sum r_ij^2, over i != j, or by 0 if that is
    negative.
    """
    number = len(standard)
    products = standard.T @ standard
    squares = standard**2
    variances = (squares.T @ squares - products**2 / number) * number / freedom**3
    correlations: NDArray[np.float64] = products / freedom
    apart = ~np.eye(len(correlations), dtype=bool)
    size = np.sum(correlations[apart] ** 2)
    kept = max(0.0, 1 - variances[apart].sum() / size) if size > 0 else 0.0
    correlations[apart] *= kept
    return correlations
