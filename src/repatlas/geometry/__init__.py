"""Measures of representational geometry. Arrays are items x features; one measure per file.

The measures need numpy and scipy alone, and have no unit: the same data in volts and in millivolts
give the same numbers. Importing them loads numpy alone. Where threadpoolctl is installed, functions
run on one thread of BLAS, and give the same bits on any number of cores (threads.py).

In the docstrings P is a number of conditions or items, n of features, m of samples; a shape follows
its array, as in "patterns: (P, n)". What a function refuses it says in a ValueError that names the
argument, what was found and what is allowed.

Every linear decoder here is the same estimator: a linear SVM with squared hinge loss, regularised
intercept and C = 1 (the objective of liblinear and of scikit-learn's LinearSVC), exactly converged.
Its samples are standardised by one factor for all features (scaling.py), unless scale=None.
"""

from repatlas.geometry.alignment import alignment_of_kernels, chance_alignment, kernel_alignment
from repatlas.geometry.balanced import balanced_ccgp, balanced_decoding
from repatlas.geometry.ccgp import ccgp, matched_ccgp
from repatlas.geometry.collapse import NeuralCollapse, neural_collapse
from repatlas.geometry.corrected_dimensionality import (
    corrected_participation_ratio,
    participation_ratio_of_conditions,
    participation_ratio_of_halves,
)
from repatlas.geometry.corrected_parallelism import corrected_parallelism_score
from repatlas.geometry.crossnobis import crossnobis_distances
from repatlas.geometry.decoding import decoding_accuracies, decoding_accuracy
from repatlas.geometry.design import ByPair
from repatlas.geometry.dichotomies import (
    balanced_dichotomies,
    context_pairs,
    nearest_pairing,
    pairings,
)
from repatlas.geometry.dimensionality import (
    participation_ratio,
    participation_ratio_of_features,
)
from repatlas.geometry.kernels import centred_kernel
from repatlas.geometry.parallelism import matched_parallelism_score, parallelism_score
from repatlas.geometry.patterns import condition_means
from repatlas.geometry.svm import LinearSVM, NotConverged, linear_svm, linear_svms
from repatlas.geometry.threads import limit_all
from repatlas.geometry.trials import halves_of_trials

__all__ = [
    "ByPair",
    "LinearSVM",
    "NeuralCollapse",
    "NotConverged",
    "alignment_of_kernels",
    "balanced_ccgp",
    "balanced_decoding",
    "balanced_dichotomies",
    "ccgp",
    "centred_kernel",
    "chance_alignment",
    "condition_means",
    "context_pairs",
    "corrected_parallelism_score",
    "corrected_participation_ratio",
    "crossnobis_distances",
    "decoding_accuracies",
    "decoding_accuracy",
    "halves_of_trials",
    "kernel_alignment",
    "linear_svm",
    "linear_svms",
    "matched_ccgp",
    "matched_parallelism_score",
    "nearest_pairing",
    "neural_collapse",
    "pairings",
    "parallelism_score",
    "participation_ratio",
    "participation_ratio_of_conditions",
    "participation_ratio_of_features",
    "participation_ratio_of_halves",
]

limit_all(globals(), __all__)
