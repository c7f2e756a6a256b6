"""Arrays that no similarity can take; and what changes none of them."""

import numpy as np
import pytest

from repatlas import similarity
from repatlas.geometry import centred_kernel
from repatlas.similarity import (
    Neighbours,
    Overlap,
    Regressors,
    bures_similarity,
    canonical_correlations,
    canonical_variates,
    dissimilarities,
    dissimilarity_similarity,
    gaussian_kernel_alignment,
    linear_predictivity,
    matching,
    minibatch_kernel_alignment,
    multiple_correlations,
    mutual_neighbours,
    noise_floor,
    procrustes,
    pwcca,
    semi_matching,
    sparse_prediction,
    svcca,
    thin_svd,
    unit_correlations,
)

RNG = np.random.default_rng(0)
LATENT = RNG.standard_normal((120, 3))
X, Y = (LATENT @ RNG.standard_normal((3, h)) + RNG.standard_normal((120, h)) for h in (5, 4))
TEST_X, TEST_Y = X[:40], Y[:40]

VALUES = {
    "Overlap": lambda x, y: [
        Overlap(x, y).pwcca(),
        Overlap(x, y).svcca().similarity,
        Overlap(x, y).alignment(debiased=True),
    ],
    "Neighbours": lambda x, y: Neighbours(x).weights.toarray() + Neighbours(y).weights.toarray(),
    "Regressors": lambda x, y: linear_predictivity(Regressors(x), Regressors(y)),
    "bures_similarity": lambda x, y: bures_similarity(centred_kernel(x), centred_kernel(y)),
    "canonical_correlations": canonical_correlations,
    "canonical_variates": lambda x, y: canonical_variates(x, y).correlations,
    "dissimilarities": lambda x, y: [
        dissimilarities(of) / dissimilarities(of).max() for of in (x, y)
    ],
    "dissimilarity_similarity": lambda x, y: dissimilarity_similarity(
        dissimilarities(x), dissimilarities(y)
    ),
    "gaussian_kernel_alignment": gaussian_kernel_alignment,
    "linear_predictivity": linear_predictivity,
    "matching": lambda x, y: matching(x, y).correlations,
    "minibatch_kernel_alignment": lambda x, y: minibatch_kernel_alignment([(x, y), (x, y)]),
    "multiple_correlations": lambda x, y: multiple_correlations(x, y, (x[:40], y[:40])),
    "mutual_neighbours": lambda x, y: mutual_neighbours(x, y).value,
    "noise_floor": lambda x, y: noise_floor(lambda x, y: svcca(x, y).similarity, x, y),
    "procrustes": lambda x, y: procrustes(x, y).similarity,
    "pwcca": pwcca,
    "semi_matching": lambda x, y: semi_matching(x, y).correlations,
    "sparse_prediction": lambda x, y: sparse_prediction(x, y, (x[:40], y[:40])).held_out,
    "svcca": lambda x, y: svcca(x, y).similarity,
    "thin_svd": lambda x, y: thin_svd(x).left.T @ thin_svd(y).left,
    "unit_correlations": unit_correlations,
}
RECORDS = {
    "CanonicalVariates",
    "CodeClasses",
    "Dissimilarities",
    "Matching",
    "NoiseFloor",
    "MutualNeighbours",
    "Procrustes",
    "SemiMatching",
} | {
    "SparsePrediction",
    "SVCCA",
    "ThinSVD",
}
each = pytest.mark.parametrize("name", VALUES)


def test_every_public_function_is_tried_here():
    assert VALUES.keys() | RECORDS | {"code_classes"} == set(similarity.__all__)


def masked(x):
    return np.ma.array(x, mask=np.arange(x.size).reshape(x.shape) == 3)


BAD = {
    "has 1 masked values; allowed is an array without": masked,
    "is complex; allowed are real numbers": lambda x: x + 1j,
    "holds strings; allowed are numbers": lambda x: x.astype(str),
    "holds NaN or infinite values; all values must be finite": lambda x: x / (x != x[3, 2]),
    r"has shape \(120,\); allowed is a non-empty matrix": lambda x: x[:, 0],
    r"has shape \(120, .*, 1, 1\); allowed is a non-empty matrix": lambda x: x[:, :, None, None],
    r"has shape \(120, 0\); allowed is a non-empty matrix": lambda x: x[:, :0],
}


@each
@pytest.mark.parametrize("message", BAD)
def test_arrays_that_are_no_matrix_of_finite_numbers_are_refused(name, message):
    with np.errstate(divide="ignore"):
        x, y = BAD[message](X), BAD[message](Y)
    with pytest.raises(ValueError, match=message):
        VALUES[name](x, Y)
    with pytest.raises(ValueError, match=message):
        VALUES[name](X, y)


@each
@pytest.mark.parametrize("factor", [1e-100, 1e100])
def test_a_similarity_has_no_unit(name, factor):
    with np.errstate(all="raise", under="ignore"):
        found = VALUES[name](factor * X, Y)
    assert np.abs(found) == pytest.approx(np.abs(VALUES[name](X, Y)), abs=1e-9)


@each
def test_an_offset_of_every_feature_changes_nothing(name):
    found = VALUES[name](X + 1e4 * np.arange(1, 6), Y - 1e4)
    assert np.abs(found) == pytest.approx(np.abs(VALUES[name](X, Y)), abs=1e-8)


@each
def test_single_precision_has_the_number_of_the_same_values_in_double(name):
    x, y = X.astype(np.float32), Y.astype(np.float32)
    expected = VALUES[name](x.astype(np.float64), y.astype(np.float64))
    assert np.array_equal(VALUES[name](x, y), expected)
