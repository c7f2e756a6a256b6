"""Where units are used, and what gates their activity shows."""

import numpy as np
import pytest

from repatlas.dynamics.gates import (
    context_features,
    find_gates,
    k_means,
    permuted_over_contexts,
    recall,
    silhouette,
)
from repatlas.dynamics.units import (
    alive,
    context_slopes,
    contexts_used,
    maps_by_context_missed,
    on_patterns,
    shares_of_active,
)


def planted(rng, gates, units=30, objects=8):
    """Return activity (units, C, n), weights and gates (units, C). Units have random object
    weights, are gated by contexts, and have large context weights, so that they are linear where
    they are on."""
    contexts = gates.shape[1]
    which = gates[rng.integers(len(gates), size=units)]
    drive = rng.standard_normal((units, objects))
    offset = 5.0
    activity = which[:, :, None] * (drive[:, None, :] + offset)
    weights = np.concatenate([drive, np.where(which, offset, -20.0)], axis=1)
    return np.maximum(activity, 0), weights, which, contexts


@pytest.mark.parametrize("contexts", [3, 4, 5])
def test_planted_gates_are_found(contexts):
    rng = np.random.default_rng(0)
    activity, weights, *_ = planted(rng, ~np.eye(contexts, dtype=bool), units=60)
    found = find_gates(activity[None], np.ones(60), np.random.default_rng(1))
    assert recall(found.gates, contexts) == 1
    assert found.mass.sum() == pytest.approx(1)
    assert np.nanargmax(found.silhouettes) + 2 == contexts
    use = contexts_used(activity, weights, np.ones(60))
    assert use.shares[contexts - 1] == pytest.approx(1)
    assert use.mean == pytest.approx(contexts - 1)
    assert use.sorted_slopes == pytest.approx([1] * (contexts - 1) + [0])


def test_permuted_activity_shows_fewer_gates_than_what_it_was_made_of():
    rng = np.random.default_rng(0)
    activity, *_ = planted(rng, ~np.eye(3, dtype=bool), units=200)
    control = permuted_over_contexts(activity[None], np.random.default_rng(2))
    assert np.array_equal(np.sort(control, axis=2), np.sort(activity[None], axis=2))
    features = context_features(control)
    assert features.min(axis=1).mean() > 0.4  # no context is silent any more
    assert context_features(activity[None]).min(axis=1).max() == 0


def test_a_cluster_of_linear_units_that_is_positive_in_no_context_has_no_centroid():
    activity = np.repeat([[1.0, 0.5], [-1.0, -0.5]], 4, axis=0)[None, :, :, None]
    found = find_gates(activity, np.ones(8), np.random.default_rng(0))
    assert found.gates == [(), (0, 1)]
    assert np.isnan(found.centroids).all(axis=1).tolist().count(True) == 1
    assert np.nanmax(np.abs(found.centroids)) == 1


def test_dead_units_do_not_count():
    activity = np.repeat(1 - np.eye(3), 4, axis=0)[:, :, None]
    strange = np.tile([[1.0], [0.0], [0.0]], (40, 1, 1))
    mass = np.r_[np.ones(12), np.full(40, 0.019)]
    found = find_gates(np.concatenate([activity, strange])[None], mass, np.random.default_rng(0))
    assert found.gates == [(0, 1), (0, 2), (1, 2)]
    assert found.mass == pytest.approx([1 / 3] * 3)
    assert alive(mass).sum() == 12


def test_silhouettes_are_those_of_scikit_learn():
    from sklearn.metrics import silhouette_score

    rng = np.random.default_rng(0)
    points, labels = rng.standard_normal((50, 3)), rng.integers(4, size=50)
    labels[0] = 9  # alone
    assert silhouette(points, labels) == pytest.approx(silhouette_score(points, labels))


def test_k_means_is_as_good_as_that_of_scikit_learn():
    from sklearn.cluster import KMeans

    centres = np.array([[0, 0], [6, 0], [0, 6], [6, 6]])
    rng = np.random.default_rng(0)
    points = np.concatenate([rng.normal(centre, 1.0, (40, 2)) for centre in centres])
    found = k_means(points, 4, np.random.default_rng(1))
    assert found.error == pytest.approx(KMeans(4, n_init=10, random_state=0).fit(points).inertia_)
    assert found.error == pytest.approx(np.sum((points - found.centroids[found.labels]) ** 2))


def test_slopes_of_a_linear_unit_are_1_and_of_one_that_is_off_0():
    weights = np.array([[1.0, -1.0, 0.5, -0.5, 9.0, -9.0]])
    linear = weights[:, :4] + 9.0
    activity = np.stack([linear, np.zeros((1, 4))], axis=1)
    assert context_slopes(activity, weights).slopes.tolist() == [[1.0, 0.0]]


def test_units_without_object_drive_are_counted_apart():
    weights = np.array([[1.0, 1.0, 5.0], [1.0, -1.0, 5.0]])
    activity = np.array([[[6.0, 6.0]], [[6.0, 4.0]]])
    use = contexts_used(activity, weights, [1.0, 3.0])
    assert use.undriven == pytest.approx(0.25)
    assert use.shares.tolist() == [0, 0.75]
    assert use.mean == 1
    assert np.isnan(context_slopes(activity, weights).slopes[0, 0])


def test_activity_counts_from_a_quarter_of_the_largest_mean():
    activity = np.array([[[4.0], [1.0], [0.9]]])
    assert shares_of_active(activity, [1.0]).tolist() == [0, 0, 1, 0]


def test_patterns_of_items_are_counted_once():
    activity = np.array([[1, 0, 0, 0], [1, 0, 0, 0], [0, 0, 2, 0], [1, 0.01, 0, 1], [9, 9, 9, 9]])
    found = on_patterns(activity, [1, 1, 1, 1, 0.001])
    assert found.shares.tolist() == [0, 0.75, 0.25, 0, 0]
    assert found.number == 3


def test_maps_of_units_by_the_context_that_they_miss():
    slopes = np.array([[1, 1, 0.1], [0.2, 1, 1], [1, 1, 1], [0.9, 0.8, 0.3]])
    incoming, outgoing = np.arange(8.0).reshape(4, 2), np.arange(4.0)[None]
    found = maps_by_context_missed(slopes, incoming, outgoing)
    assert found[2].tolist() == (0 * incoming[[0]] + 3 * incoming[[3]]).tolist()
    assert found[0].tolist() == incoming[[1]].tolist()
    assert not found[1].any()
