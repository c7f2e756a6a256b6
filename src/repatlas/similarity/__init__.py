"""Similarity of two representations of the same items. One measure per file.

Arrays are items x features; row i of x and row i of y are the same item. Each feature is centred
over the items. All values are similarities, 1 for the same; a distance has the word in its name.
The measures need numpy and scipy alone, and importing them loads numpy alone. They run on one
thread of BLAS, as the measures of geometry do.

What a similarity means depends on how many items and features there are: noise_floor says what it
is for representations that have nothing in common. Linear kernel alignment (CKA), plain and
debiased, is repatlas.geometry.kernel_alignment.

In the docstrings m is a number of items, h of features or units, r of directions (a rank). What a
function refuses it says in a ValueError that names the argument, what was found and what is
allowed.
"""

from repatlas.geometry.threads import limit_all
from repatlas.similarity.bures import bures_similarity
from repatlas.similarity.canonical import (
    SVCCA,
    CanonicalVariates,
    Overlap,
    canonical_correlations,
    canonical_variates,
    pwcca,
    svcca,
)
from repatlas.similarity.dissimilarities import (
    Dissimilarities,
    dissimilarities,
    dissimilarity_similarity,
)
from repatlas.similarity.floor import NoiseFloor, noise_floor
from repatlas.similarity.gaussian import gaussian_kernel_alignment
from repatlas.similarity.matching import (
    Matching,
    SemiMatching,
    matching,
    semi_matching,
    unit_correlations,
)
from repatlas.similarity.minibatch import minibatch_kernel_alignment
from repatlas.similarity.neighbours import MutualNeighbours, Neighbours, mutual_neighbours
from repatlas.similarity.prediction import (
    CodeClasses,
    SparsePrediction,
    code_classes,
    multiple_correlations,
    sparse_prediction,
)
from repatlas.similarity.predictivity import Regressors, linear_predictivity
from repatlas.similarity.procrustes import Procrustes, procrustes
from repatlas.similarity.subspaces import ThinSVD, thin_svd

__all__ = [
    "SVCCA",
    "CanonicalVariates",
    "CodeClasses",
    "Dissimilarities",
    "Matching",
    "MutualNeighbours",
    "Neighbours",
    "NoiseFloor",
    "Overlap",
    "Procrustes",
    "Regressors",
    "SemiMatching",
    "SparsePrediction",
    "ThinSVD",
    "bures_similarity",
    "canonical_correlations",
    "canonical_variates",
    "code_classes",
    "dissimilarities",
    "dissimilarity_similarity",
    "gaussian_kernel_alignment",
    "linear_predictivity",
    "matching",
    "minibatch_kernel_alignment",
    "multiple_correlations",
    "mutual_neighbours",
    "noise_floor",
    "procrustes",
    "pwcca",
    "semi_matching",
    "sparse_prediction",
    "svcca",
    "thin_svd",
    "unit_correlations",
]

limit_all(globals(), __all__)
