"""Newton's method for the squared-hinge SVM: one source, run by numpy or compiled by numba.

The rows x_i of x are samples and end in a feature of ones; y_i is the label of a row, -1 or +1. The
weights v minimise

    1/2 |v|^2 + C sum_i max(0, s_i)^2,   with the slacks s_i = 1 - y_i x_i . v

On the active rows A, those with s_i > 0, this is a ridge regression with Hessian 2C (A^T A + r),
r = 1/(2C). A Newton step solves it. A line search then takes the step as far as it lowers the
objective, also where other rows become active on the way. This ends at the exact optimum after
finitely many steps (Keerthi & DeCoste 2005).

This file holds what both ways of running have in common, and the calls of scipy for numpy's way;
compiled.py has the calls of scipy for numba's.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.blas import dsyrk
from scipy.linalg.lapack import dpotrf, dpotrs

MAX_STEPS = 200  # 5 to 25 are usual
TOLERANCE = 1e-8  # of the weights, before the last step, which takes them closer still


def minimise(
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    C: float,
    step: NDArray[np.float64],
    gram: NDArray[np.float64],
    rounding: float,
    search: float,
) -> tuple[NDArray[np.float64], bool]:
    """Return the weights v, (n,), and True if Newton's method converged to them.

    x: (m, n), whose last column is ones; y: (m,) of -1.0 and +1.0; C: the weight of the slacks;
    step: (n,), where to go from v = 0; gram: x^T x + r, (n, n), or (0, 0) where it is not known;
    rounding: the error of x_i . v for weights of length 1; search: a line search ends where the
    derivative is this fraction of the first one, 0 for an exact search. Both end at the same
    optimum, up to rounding.

    Of two samples at -1 and +1 the slacks are 1 - w: the minimum of w^2/2 + 2 (1 - w)^2 is at 4/5.

    >>> x, y = np.array([[1.0, 1.0], [-1.0, 1.0]]), np.array([1.0, -1.0])
    >>> weights, converged = minimise(x, y, 1.0, x.T @ y, np.empty((0, 0)), 1e-16, 0.0)
    >>> weights
    array([0.8, 0. ])
    """
    m, n = x.shape
    ridge = 1 / (2 * C)
    v, slack, active = np.zeros(n), np.ones(m), np.zeros(m, dtype=np.bool_)
    indices, labels, rows = np.zeros(0, dtype=np.intp), y[:0], x[:0]  # of the active rows
    factor, dual, near = np.eye(1), True, False
    # The Gram matrix of the rows in `counted` is updated, or made, only if many rows are active:
    # for 50,000 features it has 20 GB.
    counted = np.full(m, len(gram) > 0)
    gram = gram.copy()
    for number in range(MAX_STEPS):
        rate = y * (x @ step)  # slack falls at this rate along the step
        length = 1.0  # is exact if the same rows stay active, except for the first step
        changed = number == 0 or np.count_nonzero((slack > rate) != active) > 0
        if changed:
            length = _line_search(slack, rate, float(v @ step), float(step @ step), C, search)
        v += length * step
        slack -= length * rate
        if changed:
            was_active, active = active, slack > 0
            changed = np.count_nonzero(active != was_active) > 0
        if changed:
            indices = active.nonzero()[0]
            labels, rows = y[indices], x[indices]
            # With few active rows, the system of their products is smaller: (A A^T + r) z = A g.
            dual = 3 * len(rows) < 2 * n
            if dual:
                factor = _diagonal(len(rows), ridge)
                _add_products(factor, rows, 1.0, True)
            else:
                if len(gram) == 0 or np.count_nonzero(active != counted) > len(rows):
                    gram, counted = _diagonal(n, ridge), np.zeros(m, dtype=np.bool_)
                _add_products(gram, x[(active & ~counted).nonzero()[0]], 1.0, False)
                _add_products(gram, x[(counted & ~active).nonzero()[0]], -1.0, False)
                counted = active
                factor = gram.copy()
            if not _factorise(factor):
                break
        # The gradient is computed from the samples. So rounding errors of updates of the slacks and
        # the Gram matrix do not affect the test below. It fails only if the slacks, which shrink as
        # features grow, are smaller than the rounding of 1 - y f.
        left = 1 - labels * (rows @ v)
        slack[indices] = left
        gradient = v - 2 * C * ((labels * left) @ rows)
        if dual:
            step = _solve(factor, rows @ gradient) @ rows - gradient
        else:
            step = _solve(factor, -ridge * gradient)
        # Converged: two short steps, or one after a step that left the active rows as they were.
        was_near = near
        near = math.sqrt(step @ step) <= TOLERANCE * math.sqrt(v @ v)
        if near and (was_near or not changed or not step.any()):
            return v + step, rounding * math.sqrt(v @ v) <= 1e-3 * slack.max()
    return v, False


def _line_search(
    slack: NDArray[np.float64],
    rate: NDArray[np.float64],
    slope: float,
    curvature: float,
    C: float,
    search: float,
) -> float:
    """Return the t >= 0 that minimises the objective at v + t step: the root of its derivative.

    slack: (m,), at v; rate: (m,), by which slack falls along the step; slope: v . step; curvature:
    step . step; search: the derivative that is small enough, as a fraction of the first one.
    The derivative, slope + t curvature - 2 C sum rate (slack - t rate) over the active samples,
    rises piecewise linearly, and the root of the piece at t is the next t. This ends, because a
    sample that is active at some t is active for all t on one side. So between two t the derivative
    rises less steeply than the sum of its slopes at both.
    """
    t, enough = 1.0, 0.0
    if search > 0:
        enough = search * abs(slope - 2 * C * float(rate @ np.maximum(slack, 0.0)))
    for _ in range(MAX_STEPS):
        left = slack - t * rate
        active_rate = rate * (left > 0)
        derivative = slope + t * curvature - 2 * C * float(active_rate @ left)
        if abs(derivative) <= enough:
            break
        last = t
        t -= derivative / (curvature + 2 * C * float(active_rate @ active_rate))
        if abs(t - last) <= 1e-12 * last:
            break
    return max(t, 0.0)  # the step leads down, unless it is all rounding


def _diagonal(number: int, value: float) -> NDArray[np.float64]:
    """Return the matrix with this value on its diagonal, (number, number)."""
    matrix = np.zeros((number, number))
    matrix.ravel()[:: number + 1] = value
    return matrix


def _add_products(
    matrix: NDArray[np.float64], rows: NDArray[np.float64], sign: float, dual: bool
) -> None:
    """Add sign rows rows^T if dual, else sign rows^T rows, to one triangle of the matrix."""
    if len(rows):
        dsyrk(sign, rows.T, beta=1, c=matrix.T, trans=dual, lower=1, overwrite_c=1)


def _factorise(matrix: NDArray[np.float64]) -> bool:
    """Replace the triangle by Cholesky's factor; return False if the matrix is not positive."""
    return len(matrix) == 0 or bool(dpotrf(matrix.T, lower=1, clean=0, overwrite_a=1)[1] == 0)


def _solve(factor: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the solution of the factorised system with this right-hand side, (n,)."""
    if len(right) == 0:
        return right
    solution: NDArray[np.float64] = dpotrs(factor.T, right, lower=1)[0]
    return solution
