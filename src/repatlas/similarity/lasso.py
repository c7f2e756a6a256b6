"""The lasso for many targets at once, from correlations alone, exactly converged.

For each column c of the products of predictors and targets it minimises

    1/2 w^T G w - c^T w + penalty |w|_1

over weights w, where G is the Gram matrix of the predictors, whose diagonal is 1, or 0 for a dead
predictor. With z-scored items this is 1/2m |y - X w|^2 + penalty |w|_1 minus a constant, the
objective of scikit-learn's Lasso. Each target has its own penalty term: a lasso that shares it
among targets (MultiTaskLasso) selects the same predictors for all of them.

Coordinate descent (Friedman et al. 2010) goes over the predictors, for all targets in one product.
It soon finds which weights are 0, and takes long for the others if predictors are correlated. So
every few sweeps a Newton step minimises exactly over the weights that are not 0. A weight that
would change its sign on the way becomes 0, and the step starts again without it. Both only descend.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

SWEEPS = 10
"""Sweeps of coordinate descent between Newton steps. With 5, fits of 128 x 128 units take up to
twice as long; with 20, about as long."""
ROUNDS = 1000
"""The most rounds; fits of 128 nearly dependent predictors take 10."""
TOLERANCE = 1e-10
"""The largest difference from the gradient of an optimum, if the largest correlation is 1."""
RIDGE = 1e-12
"""Keeps the Newton step defined where predictors are dependent. It is added to the step's matrix
and not to the objective, so that the optimum is the same."""

Matrix = NDArray[np.float64]


def lasso(gram: Matrix, products: Matrix, penalty: float, start: Matrix) -> Matrix:
    """Return the weights, (h1, h2), that minimise the objective above for each target.

    gram: G, (h1, h1); products: c of each target, (h1, h2), correlations of predictors and targets;
    penalty: above 0; start: where to begin, (h1, h2), such as the weights of a larger penalty.
    At the optimum the gradient c - G w is penalty * sign(w) for weights that are not 0. For others
    it is at most the penalty in size. Both hold to 1e-10. If predictors are dependent the
    predictions are unique, but the weights need not be.

    For uncorrelated predictors they are the products minus the penalty.

    >>> lasso(np.eye(2), np.array([[0.9], [-0.2]]), 0.3, np.zeros((2, 1))).round(4)
    array([[0.6],
           [0. ]])
    """
    weights, left = start.copy(), np.arange(products.shape[1])
    for _ in range(ROUNDS):
        w, c = np.take(weights, left, axis=1), np.take(products, left, axis=1)
        for _ in range(SWEEPS):
            _sweep(gram, c, penalty, w)
        for target in range(len(left)):
            w[:, target] = _minimised(gram, c[:, target], penalty, w[:, target])
        weights[:, left] = w
        left = left[_violation(gram, c, penalty, w) > TOLERANCE]
        if not len(left):
            return weights
    raise RuntimeError(f"The lasso did not converge in {ROUNDS} rounds for {len(left)} targets.")


def _sweep(gram: Matrix, c: Matrix, penalty: float, w: Matrix) -> None:
    """Make one pass of coordinate descent, in place: w_j becomes the soft threshold of the
    residual."""
    for j, row in enumerate(gram):
        rest = c[j] - row @ w
        rest += w[j]
        np.subtract(rest, np.minimum(np.maximum(rest, -penalty), penalty), out=w[j])


def _minimised(gram: Matrix, c: Matrix, penalty: float, w: Matrix) -> Matrix:
    """Return the minimum over the weights of one target that are not 0, with all signs kept."""
    used = np.flatnonzero(w)
    v = w[used]
    while len(used):
        matrix = gram[np.ix_(used, used)]
        gradient = c[used] - matrix @ v - penalty * np.sign(v)
        matrix.flat[:: len(used) + 1] += RIDGE
        step = np.linalg.solve(matrix, gradient)
        # What part of the step brings each weight to 0: infinite for those that move away from it.
        reach = np.divide(-v, step, out=np.full(len(v), np.inf), where=step * v < 0)
        first = reach.argmin()
        if reach[first] > 1:
            v = v + step
            break
        v = np.delete(v + reach[first] * step, first)
        used = np.delete(used, first)
    found = np.zeros_like(w)
    found[used] = v
    return found


def _violation(gram: Matrix, c: Matrix, penalty: float, w: Matrix) -> NDArray[np.float64]:
    """Return how far the gradient of each target is from the gradient of an optimum, (h2,)."""
    gradient = c - gram @ w
    of_used = np.abs(gradient - penalty * np.sign(w))
    of_unused = np.maximum(np.abs(gradient) - penalty, 0)
    largest: NDArray[np.float64] = np.where(w != 0, of_used, of_unused).max(axis=0)
    return largest
