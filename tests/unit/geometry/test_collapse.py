"""Neural collapse against its definition, complete collapse, and what it must not depend on."""

import numpy as np
import pytest
from scipy.linalg import pinvh
from scipy.spatial.distance import pdist
from scipy.stats import variation
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.neighbors import NearestCentroid

from repatlas.geometry import neural_collapse

RNG = np.random.default_rng(0)
LABELS = np.repeat(np.arange(4), 25)
SAMPLES = 3 * RNG.standard_normal((4, 12))[LABELS] + RNG.standard_normal((100, 12))
WEIGHTS = RNG.standard_normal((4, 12))


def test_a_rotated_simplex_has_collapsed():
    turn = np.linalg.qr(RNG.standard_normal((12, 12)))[0][:4]
    corners = (np.eye(4) - 1 / 4) @ turn
    intercepts = -10 * corners.sum(axis=1)  # since all samples are moved by 5
    found = neural_collapse(5 + corners[LABELS], LABELS, 2 * corners, intercepts)
    assert np.allclose(found, 0, atol=1e-12)


def test_scipy_and_scikit_learn_find_the_same_numbers():
    """Compute Figures 2 to 7 of Papyan, Han & Donoho 2020, for classes of unequal size."""
    rows = np.flatnonzero((LABELS > 0) | (np.arange(100) < 9))
    samples, labels = SAMPLES[rows] + 40, LABELS[rows]
    found = neural_collapse(samples, labels, WEIGHTS, intercepts := WEIGHTS @ np.full(12, -40.0))
    # Classes have equal weight, in the covariance within classes, too.
    model = LinearDiscriminantAnalysis(solver="lsqr", priors=[0.25] * 4, store_covariance=True).fit(
        samples, labels
    )
    centred = model.means_ - model.means_.mean(axis=0)
    between = pinvh(centred.T @ centred / 4, rtol=1e-10)
    assert found.nc1 == pytest.approx(np.trace(model.covariance_ @ between) / 4)
    assert found.equinorm == pytest.approx(variation(np.linalg.norm(centred, axis=1)))
    cosines = 1 - pdist(centred, "cosine")
    assert found.equiangular == pytest.approx(np.std(cosines))
    assert found.simplex == pytest.approx(np.abs(cosines + 1 / 3).mean())
    # The squared distance of two unit vectors is 2 - 2 cos.
    [distance] = pdist([WEIGHTS.ravel(), centred.ravel()], "cosine")
    assert found.nc3 == pytest.approx(2 * distance)
    nearest = NearestCentroid().fit(samples, labels).predict(samples)
    chosen = (samples @ WEIGHTS.T + intercepts).argmax(axis=1)
    assert found.nc4 == np.mean(nearest != chosen)
    assert 0 < found.nc4 < 1


def test_rotation_offset_and_unit_change_nothing():
    turn = np.linalg.qr(RNG.standard_normal((12, 12)))[0]
    moved = neural_collapse(7 * SAMPLES @ turn + 3, LABELS)
    assert np.allclose(moved[:4], neural_collapse(SAMPLES, LABELS)[:4])
    assert np.isnan(moved[4:]).all()


def test_one_class_is_refused():
    with pytest.raises(ValueError, match="one class alone"):
        neural_collapse(SAMPLES, np.zeros(100, dtype=int))
