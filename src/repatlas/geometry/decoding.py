"""Decodability of dichotomies: fit a decoder on one set of samples, score it on another."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from repatlas.geometry.labels import as_variable
from repatlas.geometry.patterns import as_conditions, as_patterns
from repatlas.geometry.scaling import Scale, scaling
from repatlas.geometry.svm import linear_svms


def decoding_accuracy(
    train: tuple[ArrayLike, ArrayLike],
    test: tuple[ArrayLike, ArrayLike],
    dichotomy: ArrayLike,
    C: float = 1.0,
    scale: Scale = "rms",
) -> float:
    """Return the fraction of test samples whose side of the dichotomy a linear SVM predicts.

    train, test: pairs (samples, conditions), (m, n) and (m,) condition indices, independent draws;
    dichotomy: (P,) in {0, 1} or {-1, +1}, or two strings, the label of each condition; C: of the
    decoder (linear_svm). Chance is 0.5 for a balanced dichotomy.
    scale="rms": subtract the mean of the training samples, and divide by the root mean square of
    their differences from it (scaling.py). The accuracy then has no unit. scale="features": divide
    each feature by its standard deviation over the training samples, where features have different
    units. scale=None: samples as they are, as in Alleman et al. 2024, section 3. Raises ValueError
    for malformed input or a class without training samples, and NotConverged for samples too large
    for scale=None.

    The boundary is near 0.5, so the second of three test samples is on the wrong side.

    >>> train = [[0.0, 0.1], [0.1, 0.0], [1.0, 0.1], [0.9, 0.0]], [0, 0, 1, 1]
    >>> test = [[0.2, 0.0], [0.4, 0.0], [0.8, 0.0]], [0, 1, 1]
    >>> round(decoding_accuracy(train, test, ["left", "right"]), 3)
    0.667
    """
    signs = as_variable("dichotomy", dichotomy)
    if signs.ndim != 1:
        raise ValueError(f"dichotomy has shape {signs.shape}; allowed is (P,).")
    return float(decoding_accuracies(train, test, signs[None], C, scale)[0])


def decoding_accuracies(
    train: tuple[ArrayLike, ArrayLike],
    test: tuple[ArrayLike, ArrayLike],
    dichotomies: ArrayLike,
    C: float = 1.0,
    scale: Scale = "rms",
) -> NDArray[np.float64]:
    """Return decoding_accuracy of each of several dichotomies, (number,). The fits share work.

    dichotomies: (number, P), each row a dichotomy as for decoding_accuracy, which has the other
    parameters. Raises ValueError and NotConverged as decoding_accuracy does.

    On a square a linear decoder separates left and right, or top and bottom, but not the diagonals.

    >>> draw = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 1, 2, 3]
    >>> decoding_accuracies(draw, draw, [[0, 0, 1, 1], [0, 1, 0, 1], [0, 1, 1, 0]])
    array([1. , 1. , 0.5])
    """
    rows = np.asanyarray(dichotomies)  # a masked array stays one, to be refused
    if rows.ndim != 2:
        raise ValueError(f"dichotomies has shape {rows.shape}; allowed is (number, P).")
    by_row = [as_variable(f"row {i} of dichotomies", row) for i, row in enumerate(rows)]
    signs = np.array(by_row, dtype=np.int8).reshape(rows.shape)
    (x, x_labels), (z, z_labels) = (
        _labelled(name, pair, signs) for name, pair in (("train", train), ("test", test))
    )
    if x.shape[1] != z.shape[1]:
        raise ValueError(
            f"train samples have {x.shape[1]} features and test samples have {z.shape[1]}; both "
            f"must have the same."
        )
    scaled = scaling(x, scale)
    svms, z = linear_svms(scaled(x), x_labels, C), scaled(z)
    return np.array([svm.accuracy(z, y) for svm, y in zip(svms, z_labels, strict=True)])


def _labelled(
    name: str, pair: tuple[ArrayLike, ArrayLike], signs: NDArray[np.int8]
) -> tuple[NDArray[np.float64], NDArray[np.int8]]:
    """Return the samples of a pair, (m, n), and their labels by each dichotomy, (number, m)."""
    if not isinstance(pair, tuple | list) or len(pair) != 2:
        raise ValueError(
            f"{name} is {type(pair).__name__}; allowed is a pair (samples, conditions), such as "
            f"{name}=(X, y)."
        )
    samples = as_patterns(f"{name} samples", pair[0])
    conditions = as_conditions(f"{name} conditions", pair[1], len(samples), signs.shape[1])
    return samples, signs[:, conditions]
