"""Neural collapse (Papyan, Han & Donoho 2020): is each class one point, all equally far apart?

The numbers equal their Figures 2 to 7 if all classes have the same number of samples. Here
class means have equal weight, whatever the numbers of samples are. No chance level and no interval
of these numbers is known, so none is given. Compare them with the same numbers before training, or
over networks.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from repatlas.geometry.design import coded
from repatlas.geometry.patterns import as_patterns, condition_means


class NeuralCollapse(NamedTuple):
    """The measures of neural collapse (Papyan, Han & Donoho 2020). All are 0 for complete collapse.

    nc1: Tr(W B^+) / C. W is the covariance within classes, B the covariance of the class means and
    C the number of classes. equinorm: the standard deviation of the lengths of the class
    means, divided by their mean. equiangular: the standard deviation of the cosines of two class
    means. simplex: the mean of |cosine + 1 / (C - 1)|. nc3: the squared distance of the weights
    from the class means, both divided by their norms. nc4: the fraction of samples for which the
    classifier and the nearest class mean disagree. nc3 and nc4 are nan without weights.

    >>> corners = np.eye(3)[[0, 1, 2, 0, 1, 2]]
    >>> found = neural_collapse(corners, [0, 1, 2, 0, 1, 2], weights=np.eye(3) - 1 / 3)
    >>> [round(value, 12) + 0 for value in found]
    [0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    >>> isinstance(found, NeuralCollapse)
    True
    """

    nc1: float
    equinorm: float
    equiangular: float
    simplex: float
    nc3: float
    nc4: float


def neural_collapse(
    samples: ArrayLike,
    labels: ArrayLike,
    weights: ArrayLike | None = None,
    intercepts: ArrayLike | None = None,
) -> NeuralCollapse:
    """Return the measures of neural collapse of the last hidden layer.

    samples: (m, n); labels: (m,), the class of each sample, numbers or names; weights: (C, n), the
    readout of each class in ascending order of labels; intercepts: (C,), 0 if None. Class means
    have equal weight, and so do samples within a class. All numbers are 0 or more, and 0 for
    complete collapse (Papyan, Han & Donoho 2020).
    Raises ValueError for malformed input, fewer than two classes, or class means that are the same.

    Two classes at -1 and +1, with a variance of 1/4 in each: W / B / C is 1/8.

    >>> round(neural_collapse([[-1.5], [-0.5], [0.5], [1.5]], [0, 0, 1, 1]).nc1, 3)
    0.125
    """
    x = as_patterns("samples", samples)
    names, of_rows = coded("labels", labels)
    if of_rows.shape != (len(x),):
        raise ValueError(
            f"labels has shape {of_rows.shape}; allowed is one for each of the {len(x)} samples."
        )
    number = len(names)
    if number < 2:
        raise ValueError("labels has one class alone; allowed are two classes or more.")
    means = condition_means(x, of_rows)
    centre = means.mean(axis=0)
    centred = means - centre
    lengths = np.linalg.norm(centred, axis=1)
    if not lengths.min() > 1e-12 * np.abs(x).max():
        raise ValueError("the mean of a class of samples is the mean of all class means.")
    # Within the span of the class means, B is diagonal: their squared singular values / C.
    _, sizes, axes = np.linalg.svd(centred, full_matrices=False)
    kept = sizes > sizes[0] * 1e-10
    inside = (x - means[of_rows]) @ axes[kept].T
    within = np.array([np.mean(inside[of_rows == c] ** 2, axis=0) for c in range(number)])
    nc1 = float(np.sum(within.mean(axis=0) / (sizes[kept] ** 2 / number)) / number)
    unit = centred / lengths[:, None]
    cosines = (unit @ unit.T)[np.triu_indices(number, 1)]
    nc3 = nc4 = float("nan")
    if weights is not None:
        readout = as_patterns("weights", weights)
        if readout.shape != means.shape:
            raise ValueError(
                f"weights has shape {readout.shape}; allowed is {means.shape}, one row for each "
                f"class."
            )
        offsets: NDArray[np.float64] = np.zeros(number)
        if intercepts is not None:
            offsets = as_patterns("intercepts", np.atleast_2d(np.asarray(intercepts)))[0]
        if offsets.shape != (number,):
            raise ValueError(f"intercepts has shape {offsets.shape}; allowed is ({number},).")
        apart = readout / (np.linalg.norm(readout) or 1.0) - centred / np.linalg.norm(centred)
        nc3 = float(np.sum(apart**2))
        chosen = (x @ readout.T + offsets).argmax(axis=1)
        # The nearest mean has the largest m . x - |m|^2 / 2, where both are minus the centre.
        nearest = ((x - centre) @ centred.T - lengths**2 / 2).argmax(axis=1)
        nc4 = float(np.mean(chosen != nearest))
    return NeuralCollapse(
        nc1,
        float(lengths.std() / lengths.mean()),
        float(cosines.std()),
        float(np.mean(np.abs(cosines + 1 / (number - 1)))),
        nc3,
        nc4,
    )
