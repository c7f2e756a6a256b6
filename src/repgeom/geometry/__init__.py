"""Measures of representational geometry. Arrays are items x features; one measure per file.

Every linear decoder here is the same estimator: a linear SVM with squared hinge loss, regularised
intercept and C = 1 (the objective of liblinear and of scikit-learn's LinearSVC), exactly converged.
"""

from repgeom.geometry.alignment import centred_kernel, kernel_alignment
from repgeom.geometry.ccgp import ccgp, matched_ccgp
from repgeom.geometry.decoding import decoding_accuracies, decoding_accuracy
from repgeom.geometry.dichotomies import (
    balanced_dichotomies,
    context_pairs,
    nearest_pairing,
    pairings,
)
from repgeom.geometry.dimensionality import participation_ratio
from repgeom.geometry.parallelism import matched_parallelism_score, parallelism_score
from repgeom.geometry.patterns import condition_means
from repgeom.geometry.svm import LinearSVM, NotConverged, linear_svm, linear_svms

__all__ = [
    "LinearSVM",
    "NotConverged",
    "balanced_dichotomies",
    "ccgp",
    "centred_kernel",
    "condition_means",
    "context_pairs",
    "decoding_accuracies",
    "decoding_accuracy",
    "kernel_alignment",
    "linear_svm",
    "linear_svms",
    "matched_ccgp",
    "matched_parallelism_score",
    "nearest_pairing",
    "pairings",
    "parallelism_score",
    "participation_ratio",
]
