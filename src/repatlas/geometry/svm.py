"""A linear SVM with squared hinge loss, exactly converged: the decoder of every measure here.

liblinear and scikit-learn's LinearSVC have the same objective (Fan et al. 2008), in which the
intercept is regularised as the weight of a feature of ones:

    1/2 (|w|^2 + b^2) + C sum_i max(0, 1 - y_i (w . x_i + b))^2

over weights w and intercept b, for samples x_i with labels y_i, -1 or +1. Newton's method
(newton.py) finds its exact optimum. LinearSVC at its default tolerance stops
earlier: in cross-condition generalisation that moved single accuracies by up to 0.058.

Where numba is installed, it compiles Newton's method (compiled.py). The first fit of a process
does that, or loads what an earlier process compiled. repatlas.own.measure makes its first fits by
numpy, and compiles only for more (FEW).
Without numba, or with NUMBA_DISABLE_JIT=1, numpy runs the same code slower. The weights agree to
about 1e-12 of their length.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from numbers import Real

import numpy as np
from numpy.typing import ArrayLike, NDArray

from repatlas.geometry.labels import as_signs
from repatlas.geometry.patterns import as_matrix, as_patterns
from repatlas.geometry.scaling import with_ones
from repatlas.geometry.threads import on_one_thread

EPSILON = np.finfo(float).eps
FEW = 4000
"""Compiling takes as long as it saves in about 20,000 fits of 300 samples, loading as in 1,500."""
SHORT = 0.01
"""The fraction of its first derivative at which a line search of these fits ends. They take four
fifths of the time of exact line searches, and compiled fits as long."""
_left: ContextVar[list[int] | None] = ContextVar("fits that numpy makes", default=None)


class NotConverged(RuntimeError):
    """Rounding kept Newton's method from the optimum: the samples are too large for C.

    scale="rms" of ccgp and decoding_accuracy keeps samples at a size where this does not happen.

    >>> try:
    ...     linear_svm([[1e20], [2e20]], [0, 1])
    ... except NotConverged as error:
    ...     print(str(error).partition("; ")[2])
    standardise them (scale="rms").
    """


@dataclass(frozen=True)
class LinearSVM:
    """A fitted decoder: f(x) = w . x + b, with weights w, (n,), and intercept b.

    Its methods take samples x, (m, n), and raise ValueError for another number of features.

    >>> decoder = LinearSVM(weights=np.array([1.0, 0.0]), intercept=-2.0)
    >>> samples = [[5.0, 0.0], [1.0, 9.0]]
    >>> decoder.decision(samples), decoder.predict(samples), decoder.accuracy(samples, [1, 1])
    (array([ 3., -1.]), array([ 1, -1]), 0.5)
    """

    weights: NDArray[np.float64]
    intercept: float

    @on_one_thread
    def decision(self, x: ArrayLike) -> NDArray[np.float64]:
        """Return f(x) of each sample, (m,)."""
        x = as_patterns("x", x)
        if x.shape[1] != len(self.weights):
            raise ValueError(
                f"x has {x.shape[1]} features; the decoder was fitted on {len(self.weights)}."
            )
        values: NDArray[np.float64] = x @ self.weights + self.intercept
        return values

    def predict(self, x: ArrayLike) -> NDArray[np.int_]:
        """Return +1 where f(x) > 0, else -1, (m,). A sample exactly on the boundary gets -1, as in
        LinearSVC."""
        return np.where(self.decision(x) > 0, 1, -1)

    def accuracy(self, x: ArrayLike, y: ArrayLike) -> float:
        """Return the fraction of the samples whose label is predicted; y: (m,), as in
        linear_svm."""
        predicted = self.predict(x)
        return float(np.mean(predicted == _as_targets(y, len(predicted))))


def linear_svm(x: ArrayLike, y: ArrayLike, C: float = 1.0) -> LinearSVM:
    """Return the LinearSVM whose weights w and intercept b minimise

        1/2 (|w|^2 + b^2) + C sum_i max(0, 1 - y_i (w . x_i + b))^2.

    x: (m, n) samples, used as they are. The objective depends on their unit and offset, so
    standardise them, as scale="rms" of ccgp and decoding_accuracy does. y: (m,) labels in {-1, +1},
    {0, 1} or {False, True}, both present; C > 0.
    This is the objective of scikit-learn's LinearSVC and of liblinear (Fan et al. 2008), solved
    exactly.
    Raises ValueError for other input and NotConverged if rounding prevents convergence.

    Here b = 0, and only the inner samples count: w^2/2 + 2 (1 - w)^2 is least at w = 4/5.

    >>> decoder = linear_svm([[2.0], [1.0], [-1.0], [-2.0]], [1, 1, 0, 0])
    >>> decoder.weights, decoder.accuracy([[3.0], [-0.5]], [1, 0])
    (array([0.8]), 1.0)
    """
    return linear_svms(x, [y], C)[0]


def linear_svms(x: ArrayLike, labelings: Iterable[ArrayLike], C: float = 1.0) -> list[LinearSVM]:
    """Return a LinearSVM for each labeling of the same samples, as linear_svm fits it.

    x: (m, n); labelings: (number, m), each as y of linear_svm. Raises ValueError and NotConverged
    as linear_svm does. Several fits share work: they start from their ridge regressions, which have
    one Gram matrix of x. A single fit starts along the difference of its classes and often needs no
    such matrix. 30 labelings of 1600 x 100 samples in 16 or 32 clusters take less than half the
    time of 30 fits.

    >>> [svm.predict([[3.0]]) for svm in linear_svms([[2.0], [-2.0]], [[1, -1], [-1, 1]])]
    [array([1]), array([-1])]
    """
    x = as_matrix("x", x)
    targets = [_as_targets(y, len(x)) for y in labelings]
    for y in targets:
        if abs(y.sum()) == len(y):
            raise ValueError(f"y labels all {len(y)} samples {y[0]:+.0f}; both classes are needed.")
    weights = weights_of(with_ones(x), np.reshape(targets, (-1, len(x))), as_regularisation(C))
    return [LinearSVM(v[:-1], float(v[-1])) for v in weights]


def as_regularisation(C: float) -> float:
    """Return C as a positive number."""
    if not (isinstance(C, Real) and 0 < C < np.inf):
        raise ValueError(f"C is {C!r}; it must be positive and finite.")
    return float(C)


def weights_of(
    x: NDArray[np.float64], labelings: NDArray[np.float64], C: float
) -> NDArray[np.float64]:
    """Return the weights for each labeling, (number, n); x: (m, n), with the intercept's feature
    last."""
    size = np.vdot(x, x)
    rounding = EPSILON * math.sqrt(size / len(x))  # the error of a decision by unit weights
    if rounding == math.inf:
        raise _not_converged(x, C)
    sums, gram = labelings @ x, np.empty((0, 0))
    if len(sums) > 1:
        gram = x.T @ x + np.eye(x.shape[1]) / (2 * C)
        try:
            steps = np.linalg.solve(gram, sums.T).T.copy()
        except np.linalg.LinAlgError:  # the diagonal was lost to rounding
            raise _not_converged(x, C) from None
    else:
        steps = sums / size  # roughly as far as the line search will go
    weights = np.zeros_like(sums)
    for i, y in enumerate(labelings):
        if math.sqrt(sums[i] @ sums[i]) <= len(x) * rounding:
            continue  # nothing to decode along: the classes' sums are equal, as in a noiseless XOR
        minimise, search = _next_minimise()
        weights[i], converged = minimise(x, y, C, steps[i], gram, rounding, search)
        if not converged:
            raise _not_converged(x, C)
    return weights


def _not_converged(x: NDArray[np.float64], C: float) -> NotConverged:
    return NotConverged(
        f"The SVM did not converge: features with a root mean square of "
        f"{np.sqrt(np.mean(x[:, :-1] ** 2)):.3g} are too large for C = {C:g} in double precision; "
        f'standardise them (scale="rms").'
    )


@contextmanager
def few_fits_by_numpy() -> Iterator[None]:
    """Make the first FEW fits in this context by numpy, and load numba only for more.

    The count starts again in each context. The same call then gives the same bits in any process.
    """
    token = _left.set([FEW])
    try:
        yield
    finally:
        _left.reset(token)


def _next_minimise() -> tuple[Callable[..., tuple[NDArray[np.float64], bool]], float]:
    """Return the function that makes the next fit, and how exact its line searches are."""
    left = _left.get()
    if left is None or left[0] == 0:
        return _minimise(), 0.0
    left[0] -= 1
    from repatlas.geometry.newton import minimise

    return minimise, SHORT


@cache
def _minimise() -> Callable[..., tuple[NDArray[np.float64], bool]]:
    """Return newton.minimise, compiled if numba is there. The first fit imports these modules,
    because scipy and numba take longer than everything else here."""
    from repatlas.geometry.compiled import compiled_minimise
    from repatlas.geometry.newton import minimise

    try:
        return compiled_minimise()
    except ImportError:
        return minimise


def _as_targets(y: ArrayLike, n_samples: int) -> NDArray[np.float64]:
    signs = as_signs("y", y)
    if signs.shape != (n_samples,):
        raise ValueError(
            f"y has shape {signs.shape}; x has {n_samples} samples, one label for each."
        )
    return signs.astype(np.float64)
