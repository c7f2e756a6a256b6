"""The points that `measure` draws conditions at have the distances that it names."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform

from repatlas.geometry import crossnobis_distances
from repatlas.own import measure

NUMBERS = np.repeat(np.arange(4), 6)
"""The condition of each row."""


@pytest.fixture
def samples():
    rng = np.random.default_rng(0)
    return 3 * rng.standard_normal((4, 10))[NUMBERS] + rng.standard_normal((24, 10))


def found(samples, rows):
    """Return points of the four conditions, the shares of their axes, and the kind of distances."""
    labels = {"side": NUMBERS // 2, "colour": NUMBERS % 2}
    table = measure(samples, labels, rows, measures=["geometry"])
    points = table[table["measure"] == "geometry"]["value"].to_numpy().reshape(4, 3)
    (how,) = table["how"].unique()
    return points, table[table["measure"] == "explained"]["value"].to_numpy(), how


def test_points_of_items_are_as_far_apart_as_the_means_of_conditions(samples):
    points, shares, how = found(samples, "items")
    means = np.array([samples[number == NUMBERS].mean(axis=0) for number in range(4)])
    np.testing.assert_allclose(pdist(points), pdist(means))
    values = np.linalg.svd(means - means.mean(axis=0), compute_uv=False)[:3] ** 2
    np.testing.assert_allclose(shares, values / values.sum())
    assert how == "distances of means"


def test_points_of_trials_have_crossnobis_distances_in_which_noise_has_no_part(samples):
    points, _, how = found(samples, "trials")
    expected = crossnobis_distances(samples, NUMBERS, noise=None) * samples.shape[1]
    np.testing.assert_allclose(squareform(pdist(points, "sqeuclidean")), expected, atol=1e-9)
    assert how == "crossnobis distances"
