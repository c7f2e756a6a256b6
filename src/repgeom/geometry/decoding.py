"""Decodability of dichotomies: fit a decoder on one set of samples, score it on another."""

import numpy as np

from repgeom.geometry.dichotomies import as_signs
from repgeom.geometry.patterns import as_conditions, as_patterns
from repgeom.geometry.svm import linear_svms


def decoding_accuracy(train, test, dichotomy, C=1.0):
    """The fraction of test samples whose side of the dichotomy a linear SVM predicts.

    train, test: pairs (samples, conditions), (m, n) and (m,) condition indices, independent draws;
    dichotomy: (P,) in {0, 1} or {-1, +1}, the label of each condition. Chance is 0.5 if balanced.
    Raises ValueError for malformed input or a class without training samples.
    (Alleman et al. 2024, section 3.)
    """
    return float(decoding_accuracies(train, test, np.asarray(dichotomy)[None], C)[0])


def decoding_accuracies(train, test, dichotomies, C=1.0):
    """decoding_accuracy of every row of dichotomies, (number, P), sharing work between the fits."""
    signs = as_signs("dichotomies", dichotomies)
    if signs.ndim != 2:
        raise ValueError(f"dichotomies has shape {signs.shape}; allowed is (number, P).")
    (x, x_labels), (z, z_labels) = (
        _labelled(name, pair, signs) for name, pair in (("train", train), ("test", test))
    )
    svms = linear_svms(x, x_labels, C)
    return np.array([svm.accuracy(z, y) for svm, y in zip(svms, z_labels, strict=True)])


def _labelled(name, pair, signs):
    samples, conditions = pair
    samples = as_patterns(f"{name} samples", samples)
    conditions = as_conditions(f"{name} conditions", conditions, samples, signs.shape[1])
    return samples, signs[:, conditions]
