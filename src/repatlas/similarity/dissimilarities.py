"""Representational similarity analysis: distances of items, and how alike they are."""

from __future__ import annotations

from copy import copy
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from repatlas.geometry.kernels import Centred
from repatlas.geometry.patterns import as_patterns, refuse_other_items, rounding_of

Between = Literal["euclidean", "correlation"]
By = Literal["spearman", "rho-a", "pearson", "cosine"]
FEWEST = 3
"""Fewer items have one distance, or none."""
OPERATIONS = 16
"""How many roundings, each of the largest distance, a given distance may have."""


class Dissimilarities:
    """Given dissimilarities of items, such as judgements or a model's predictions.

    repatlas.own.compare and compare_models take them instead of items x features, for the measures
    "rsa" and "rho_a". Selecting items selects both their rows and their columns.
    matrix: (m, m), symmetric; a data frame has the same names of items for rows and columns.
    Raises ValueError for anything else, or fewer than 3 items.

    >>> Dissimilarities([[0, 1, 4], [1, 0, 2], [4, 2, 0]])[[2, 0, 1]].matrix[0]
    array([0., 4., 2.])
    """

    def __init__(self, matrix: Any, name: str = "matrix"):
        if hasattr(matrix, "iloc"):  # a data frame, whose rows are matched by name
            if list(matrix.index) != list(matrix.columns):
                raise ValueError(f"{name} has other names of rows than of columns.")
            self.index, self.iloc = matrix.index, self
            self.attrs: dict[str, Any] = {}
        pairs, self.rounding = pairs_of(name, matrix)
        if not np.isfinite(pairs).all():
            raise ValueError(f"{name} holds NaN or infinite values; all values must be finite.")
        self.matrix: NDArray[np.float64] = np.asarray(matrix, dtype=np.float64)

    def __len__(self) -> int:
        return len(self.matrix)

    def __getitem__(self, rows: Any) -> Dissimilarities:
        found = copy(self)
        chosen = np.arange(len(self))[rows]
        found.matrix = self.matrix[chosen[:, None], chosen]
        if hasattr(self, "index"):
            found.index, found.iloc = self.index[chosen], found
        return found

    @property
    def pairs(self) -> NDArray[np.float64]:
        """Each two items once, (pairs,)."""
        pairs: NDArray[np.float64] = self.matrix[np.triu_indices(len(self), 1)]
        return pairs


def dissimilarities(x: ArrayLike, distance: Between = "euclidean") -> NDArray[np.float64]:
    """Return the distances between the items of a representation, (m, m), symmetric.

    x: (m, h), items x features. distance="euclidean": squared Euclidean distances, in the squared
    unit of x. distance="correlation": 1 minus the correlation over features of two items, from 0 to
    2; it needs two features or more, and is nan for an item whose features are all equal.
    Representational similarity analysis compares such matrices (Kriegeskorte et al. 2008).
    The squared distances of noisy trials are too large; repatlas.geometry.crossnobis_distances are
    not, and `dissimilarity_similarity` takes them, too.
    Raises ValueError for anything but a finite matrix, and for an unknown distance.

    >>> dissimilarities([[0.0, 0.0], [3.0, 4.0]])
    array([[ 0., 25.],
           [25.,  0.]])
    """
    from scipy.spatial.distance import cdist  # here, since it takes long to import

    if distance not in ("euclidean", "correlation"):
        raise ValueError(f'distance is {distance!r}; allowed are "euclidean" and "correlation".')
    centred = Centred("x", x)
    if distance == "euclidean":
        every = centred.read()
        found: NDArray[np.float64] = cdist(every, every, "sqeuclidean")
        return np.ldexp(found, 2 * centred.exponent)
    patterns = as_patterns("x", x)
    if patterns.shape[1] < 2:
        raise ValueError("x has 1 feature; correlations over features need 2 or more.")
    apart = patterns - patterns[:, :1]
    apart -= apart.mean(axis=1, keepdims=True)
    lengths = np.linalg.norm(apart, axis=1, keepdims=True)
    with np.errstate(invalid="ignore"):
        apart /= np.where(lengths > 0, lengths, np.nan)
    found = 1 - (apart @ apart.T).clip(-1, 1)
    np.fill_diagonal(found, 0.0)
    return found


def dissimilarity_similarity(x: ArrayLike, y: ArrayLike, by: By = "spearman") -> float:
    """Return how alike the distances of two representations are (Kriegeskorte et al. 2008).

    x, y: (m, m), distances between the same items, from `dissimilarities`,
    repatlas.geometry.crossnobis_distances or any other measure. Only pairs of two different items
    count. by="spearman": the correlation of the ranks of the distances; no growing function of the
    distances changes it. Distances that differ by rounding alone share a rank. "rho-a": the same
    without the correction for ties (Schuett et al. 2023), the mean over random orders of tied
    distances, so that a model with many ties has no advantage. "pearson": the correlation of the
    distances; no shift changes it. "cosine": the cosine of the distances, whose mean is not
    subtracted. Use it if 0 means equal items, as in crossnobis distances. All are from -1 to 1, and
    equal with x and y exchanged.
    Pairs share items, so they are not independent: a p value must permute items, as
    repatlas.own.compare does, and not pairs. Crossnobis distances are right on average, but vary
    with noise, which lowers the similarity. repatlas.own.ceiling_of_trials estimates by how much.
    nan if all distances of x, or of y, are equal (cosine: 0), or if one is nan.
    Raises ValueError for matrices that are not square and symmetric, for fewer than 3 items, for
    different numbers of items, and for an unknown `by`.

    >>> x = np.random.default_rng(0).standard_normal((20, 3))
    >>> near, far = dissimilarities(x), dissimilarities(7 * x) ** 2
    >>> round(dissimilarity_similarity(near, far), 6)
    1.0
    """
    if by not in get_args(By):
        raise ValueError(f"by is {by!r}; allowed are {', '.join(get_args(By))}.")
    a, b = pairs_of("x", x), pairs_of("y", y)
    refuse_other_items("x", np.asarray(x), "y", np.asarray(y))
    return correlation_of_pairs(prepared_pairs(*a, by), prepared_pairs(*b, by))


def prepared_pairs(pairs: NDArray[np.float64], rounding: float, by: By) -> NDArray[np.float64]:
    """Return distances, (pairs,), as a vector whose product is the similarity; nan where there is
    none. Distances that differ by at most `rounding` are tied."""
    if np.isnan(pairs).any():
        return np.full_like(pairs, np.nan)
    if by in ("spearman", "rho-a"):
        pairs = ranks(pairs, rounding)
    if by != "cosine":
        pairs = pairs - pairs[0]  # so that equal distances are exactly 0
        pairs = pairs - pairs.mean()
    largest = np.abs(pairs).max()
    if by == "rho-a" and largest > 0:
        number = float(len(pairs))
        untied: NDArray[np.float64] = pairs / np.sqrt((number**3 - number) / 12)
        return untied
    scaled = pairs / largest if largest > 0 else np.full_like(pairs, np.nan)
    vector: NDArray[np.float64] = scaled / np.linalg.norm(scaled)
    return vector


def ranks(values: NDArray[np.float64], rounding: float) -> NDArray[np.float64]:
    """Return ranks from 1, (n,), in which values that differ by at most `rounding` are tied.

    The rank is the mean of 1 + the number of smaller values and the number of values that are not
    larger. With rounding=0 these are the usual mean ranks.

    >>> ranks(np.array([0.3, 0.1 + 0.2, 7.0]), 1e-15)
    array([1.5, 1.5, 3. ])
    """
    order = np.argsort(values)
    ascending, found = values[order], np.empty(len(values))
    smaller = np.searchsorted(ascending, ascending - rounding, "left")
    found[order] = (smaller + np.searchsorted(ascending, ascending + rounding, "right") + 1) / 2
    return found


def correlation_of_pairs(x: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    """Return the product of two vectors of prepared_pairs, from -1 to 1."""
    return float(np.clip(x @ y, -1, 1))


def pairs_of(name: str, value: ArrayLike) -> tuple[NDArray[np.float64], float]:
    """Return the distances of each two items, (pairs,), and the difference that is rounding.

    value: (m, m), symmetric. Raises ValueError for anything else.
    """
    given = np.asarray(value)
    distances = np.asarray(value, dtype=np.float64)
    number = len(distances) if distances.ndim else 0
    if distances.shape != (number, number) or number < FEWEST:
        raise ValueError(
            f"{name} has shape {distances.shape}; allowed is (m, m), the distances of {FEWEST} "
            f"items or more."
        )
    finite = np.nan_to_num(distances)
    largest = np.abs(finite).max()
    if np.abs(finite - finite.T).max() > 1e-5 * largest:
        raise ValueError(f"{name} is not symmetric; allowed are distances between two items.")
    return distances[np.triu_indices(number, 1)], OPERATIONS * rounding_of(given) * largest
