"""Neural collapse against its definition, complete collapse, and what it must not depend on."""

import numpy as np
import pytest

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


def test_it_is_the_definition_with_full_covariances():
    means = np.array([SAMPLES[c == LABELS].mean(axis=0) for c in range(4)])
    centre = means.mean(axis=0)
    within = np.cov((SAMPLES - means[LABELS]).T, bias=True)
    between = np.cov(means.T, bias=True)
    found = neural_collapse(SAMPLES, LABELS, WEIGHTS)
    assert np.isclose(found.nc1, np.trace(within @ np.linalg.pinv(between, rcond=1e-9)) / 4)
    nearest = np.linalg.norm(SAMPLES[:, None] - means, axis=2).argmin(axis=1)
    assert found.nc4 == np.mean(nearest != (SAMPLES @ WEIGHTS.T).argmax(axis=1))
    a, b = WEIGHTS / np.linalg.norm(WEIGHTS), (means - centre) / np.linalg.norm(means - centre)
    assert np.isclose(found.nc3, np.linalg.norm(a - b) ** 2)


def test_rotation_offset_and_unit_change_nothing():
    turn = np.linalg.qr(RNG.standard_normal((12, 12)))[0]
    moved = neural_collapse(7 * SAMPLES @ turn + 3, LABELS)
    assert np.allclose(moved[:4], neural_collapse(SAMPLES, LABELS)[:4])
    assert np.isnan(moved[4:]).all()


def test_one_class_is_refused():
    with pytest.raises(ValueError, match="one class alone"):
        neural_collapse(SAMPLES, np.zeros(100, dtype=int))
