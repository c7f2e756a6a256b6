"""Linear predictivity: how much of one representation ridge regression predicts from the other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from repatlas.geometry.patterns import as_array, as_patterns, refuse_other_items

PENALTIES = tuple(10.0**power for power in range(-6, 5))
"""Penalties of ridge regression, in units of the mean squared singular value of fitted items."""


class Regressors:
    """A representation whose items are assigned to folds, as linear_predictivity takes it.

    Decompositions of all but one fold are made once, for all representations that are predicted
    from it. Equal arguments deal equal folds.

    >>> x = Regressors(np.random.default_rng(0).standard_normal((50, 3)), folds=5)
    >>> [len(fold) for fold in x.folds]
    [10, 10, 10, 10, 10]
    """

    def __init__(
        self,
        x: ArrayLike,
        folds: int = 5,
        groups: ArrayLike | None = None,
        seed: int = 0,
        name: str = "x",
        scale: bool = False,
    ):
        patterns = as_patterns(name, x)
        self.patterns: NDArray[np.float64] = patterns - patterns[0]
        if not isinstance(folds, int | np.integer) or folds < 2:
            raise ValueError(f"folds is {folds!r}; allowed are whole numbers from 2.")
        self.folds: list[NDArray[np.intp]] = _dealt(name, len(patterns), int(folds), groups, seed)
        self.scale = scale
        self.order: NDArray[np.intp] | None = None
        self._fits: list[_Fit] = []

    @property
    def fits(self) -> list[_Fit]:
        """What is fitted to all but each fold."""
        if not self._fits:
            self._fits += [_Fit(self.patterns, fold, self.scale) for fold in self.folds]
        return self._fits

    def in_order(self, order: NDArray[np.intp]) -> Regressors:
        """Return the same items in another order, (m,), each still in its fold."""
        moved = object.__new__(Regressors)
        moved.patterns, moved.folds, moved.scale = self.patterns, self.folds, self.scale
        moved._fits = self.fits
        moved.order = order if self.order is None else self.order[order]
        return moved


class _Fit:
    """Ridge regression from the items that are not in a fold."""

    def __init__(self, patterns: NDArray[np.float64], fold: NDArray[np.intp], scale: bool):
        self.fold, self.kept = fold, np.delete(np.arange(len(patterns)), fold)
        self.scale = scale
        if scale:
            patterns = patterns / _sizes(patterns[self.kept])
        mean = patterns[self.kept].mean(axis=0)
        left, values, right = np.linalg.svd(patterns[self.kept] - mean, full_matrices=False)
        has = values > max(patterns.shape) * np.finfo(np.float64).eps * values[0]
        self.left, self.values = left[:, has], values[has]
        self.held = (patterns[fold] - mean) @ right[has].T / self.values
        """(fold, r): the held-out items in the directions of those fitted, over their lengths."""

    def left_over(
        self, targets: NDArray[np.float64], penalties: NDArray[np.float64]
    ) -> tuple[float, float]:
        """Return the squared error of the held-out items, and their squared distance from the mean
        of the others."""
        if self.scale:
            targets = targets / _sizes(targets[self.kept])
        mean = targets[self.kept].mean(axis=0)
        apart, held = targets[self.kept] - mean, targets[self.fold] - mean
        along = self.left.T @ apart
        kept = self._shrunk(apart, along, penalties)
        predicted = self.held @ (kept[:, None] * along)
        return float(np.sum((held - predicted) ** 2)), float(np.sum(held**2))

    def _shrunk(
        self, apart: NDArray[np.float64], along: NDArray[np.float64], penalties: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the factor, from 0 to 1, of each direction, (r,), with the best penalty: the one
        whose generalised cross-validation error on the fitted items is least (Golub, Heath & Wahba
        1979)."""
        if not len(self.values):
            return np.zeros(0)
        squares = (self.values / self.values[0]) ** 2
        kept: NDArray[np.float64] = squares / (squares + squares.mean() * penalties[:, None])
        if len(penalties) == 1:
            return kept.ravel()
        of_direction, number = np.sum(along**2, axis=1), len(apart)
        left = np.sum(apart**2) - (1 - (1 - kept) ** 2) @ of_direction
        freedom = number - 1 - kept.sum(axis=1)
        # Without any freedom all is fitted, and nothing can be said of the error.
        error = (
            np.where(freedom > 1e-6 * number, left.clip(min=0), np.inf)
            / freedom.clip(min=1e-6 * number) ** 2
        )
        chosen: NDArray[np.float64] = kept[np.argmin(error)]
        return chosen


def _sizes(fitted: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the standard deviation of each feature, 1 if it is 0."""
    sizes = fitted.std(axis=0)
    return np.where(sizes > 1e-12 * np.abs(fitted).max(axis=0), sizes, 1.0)


def _dealt(
    name: str, number: int, folds: int, groups: ArrayLike | None, seed: int
) -> list[NDArray[np.intp]]:
    """Return the items of each fold, whole groups at random."""
    units = np.arange(number)
    if groups is not None:
        of_items = as_array("groups", groups)
        if of_items.shape != (number,):
            raise ValueError(
                f"groups has shape {of_items.shape}; allowed is one for each of {number} items."
            )
        units = np.unique(of_items, return_inverse=True)[1]
    several = int(units.max()) + 1
    if number < 2 * folds or several < folds:
        found = f"{number} items" if groups is None else f"{number} items in {several} groups"
        raise ValueError(
            f"{name} has {found}; {folds} folds need {2 * folds} items and {folds} groups or more: "
            f"take fewer folds."
        )
    # Nulls with the same seed use another stream. They permute the items.
    fold = np.random.default_rng([seed, folds]).permutation(several)[units] % folds
    return [np.flatnonzero(fold == index) for index in range(folds)]


def linear_predictivity(
    x: ArrayLike | Regressors,
    y: ArrayLike | Regressors,
    folds: int = 5,
    groups: ArrayLike | None = None,
    penalties: Sequence[float] = PENALTIES,
    seed: int = 0,
    scale: bool = False,
) -> float:
    """Return the fraction of the variance of y that ridge regression from x predicts, R^2.

    x: (m, h1), what predicts, and y: (m, h2), what is predicted, items x features, or Regressors of
    either. The folds of x count then. Each fold of items is predicted by a regression that was
    fitted to all other folds:

        R^2 = 1 - sum |y - predicted|^2 / sum |y - mean of the others|^2,

    over all held-out items and features together. groups: (m,), such as the run of each item or
    the film that it is from; items of a group are in the same fold. penalties: in units of the mean
    squared singular value. Each fold takes the penalty with the least generalised cross-validation
    error on the other folds (Golub, Heath & Wahba 1979). A single penalty is taken as it is. seed:
    the seed of the folds. scale: divide each feature of both by its standard deviation in the
    fitted items, for features of different units. R^2 is 1 at most, about 0 for unrelated data, and
    may be negative. Rotations and shifts of either and isotropic scales of both change nothing. It
    is not the same with x and y exchanged. Of x itself it is less than 1 where the features are
    more than the items that it is fitted to. nan if all items of y are the same. Raises ValueError
    for different numbers of items, or fewer than two for each fold.

    y is x with as much noise again, so half of its variance is predicted:

    >>> x, noise = np.random.default_rng(0).standard_normal((2, 400, 5))
    >>> round(linear_predictivity(x, x + noise), 1)
    0.5
    """
    a = x if isinstance(x, Regressors) else Regressors(x, folds, groups, seed, "x", scale)
    targets = y.patterns if isinstance(y, Regressors) else as_patterns("y", y)
    refuse_other_items("x", a.patterns, "y", targets)
    of_penalties = np.asarray(penalties, dtype=np.float64)
    if of_penalties.ndim != 1 or not len(of_penalties) or not (of_penalties > 0).all():
        raise ValueError(f"penalties is {penalties!r}; allowed are one number or more, above 0.")
    if isinstance(y, Regressors) and y.order is not None:
        targets = targets[y.order]
    if a.order is not None:
        targets = targets[np.argsort(a.order)]
    # From one item on, in units of the largest number, so that squares neither overflow nor vanish.
    targets = targets - targets[0]
    largest = np.abs(targets).max()
    if largest == 0:
        return float("nan")
    errors, spread = np.sum(
        [fit.left_over(targets / largest, of_penalties) for fit in a.fits], axis=0
    )
    return float(1 - errors / spread)
