"""The noise floor of a similarity: what it is for representations that have nothing in common."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from repatlas.geometry.patterns import as_array, as_matrix, refuse_other_items
from repatlas.similarity.subspaces import Representation, ThinSVD


class NoiseFloor(NamedTuple):
    """Mean and standard deviation over the draws of noise_floor.

    >>> x = np.random.default_rng(0).standard_normal((40, 2))
    >>> isinstance(noise_floor(lambda x, y: 0.5, x, x), NoiseFloor)
    True
    """

    mean: float
    sd: float


def noise_floor(
    measure: Callable[[Any, Any], float],
    x: Representation,
    y: Representation,
    groups: ArrayLike | None = None,
    draws: int = 20,
    seed: int = 0,
) -> NoiseFloor:
    """Return a similarity with the items of y in random order: its value for nothing in common.

    measure: a function of x and y that returns one number; x: (m, h1) and y: (m, h2), items x
    features, or their thin_svd if the measure takes one. An SVD is reordered without a
    decomposition. What x and y have in common is lost, and their sizes, ranks and spectra stay. The
    result has sd, the standard deviation of single draws (with draws - 1), and not the error of the
    mean. It shows whether a similarity is above the floor. Equal seeds give equal draws. groups:
    (m,), what each row belongs to, such as the image of a row that is one position of it. Rows of a
    group are not independent: whole groups change places then, and the rows of each keep their
    order. All groups must have the same number of rows.
    Raises ValueError for different numbers of items, fewer than 2 draws, a measure that returns
    anything but one number, and groups of different sizes.

    Of 100 items and 10 features the mean squared canonical correlation of unrelated data is
    10 / 99.

    >>> from repatlas.similarity import canonical_correlations, thin_svd
    >>> def mean_square(x, y):
    ...     return float(np.mean(canonical_correlations(x, y) ** 2))
    >>> x = thin_svd(np.random.default_rng(0).standard_normal((100, 10)))
    >>> round(mean_square(x, x), 3), round(noise_floor(mean_square, x, x, draws=200).mean, 3)
    (1.0, 0.1)
    """
    items_x = x.left if isinstance(x, ThinSVD) else as_matrix("x", x)
    items_y = y.left if isinstance(y, ThinSVD) else as_matrix("y", y)
    refuse_other_items("x", items_x, "y", items_y)
    if draws < 2:
        raise ValueError(f"draws is {draws}; allowed are 2 or more.")
    rows = _rows_of_groups(groups, len(items_y))
    rng = np.random.default_rng(seed)
    found = np.empty(draws)
    for draw in range(draws):
        order = np.empty(len(items_y), dtype=np.intp)
        order[rows] = rows[rng.permutation(len(rows))]
        moved = items_y[order]
        value = measure(x, y._replace(left=moved) if isinstance(y, ThinSVD) else moved)
        if not isinstance(value, Real):
            raise ValueError(
                f"measure returned {type(value).__name__}; allowed is one number, such as "
                f"lambda x, y: svcca(x, y).similarity."
            )
        found[draw] = value
    return NoiseFloor(float(found.mean()), float(found.std(ddof=1)))


def _rows_of_groups(groups: ArrayLike | None, items: int) -> NDArray[np.intp]:
    """Return the rows of each group in their order, (groups, rows of each)."""
    if groups is None:
        return np.arange(items)[:, None]
    labels = as_array("groups", groups)
    if labels.shape != (items,):
        raise ValueError(
            f"groups has shape {labels.shape}; allowed is {(items,)}, one group for each item."
        )
    _, sizes = np.unique(labels, return_counts=True)
    if sizes.min() != sizes.max():
        raise ValueError(
            f"groups has groups of {sizes.min()} to {sizes.max()} rows; whole groups can change "
            f"places only if all have the same number: keep as many rows of each."
        )
    return np.argsort(labels, kind="stable").reshape(len(sizes), -1)
