"""The share of variance within classes: its chance level, and what it is without noise."""

from itertools import permutations

import numpy as np
import pytest

from repatlas.geometry.class_variance import chance_within_share, within_share

RNG = np.random.default_rng(0)
LABELS = np.repeat(np.arange(4), 25)
SAMPLES = 3 * RNG.standard_normal((4, 12))[LABELS] + RNG.standard_normal((100, 12))


def covariances(samples, labels):
    """Return the covariance within classes of equal size, and of their means."""
    means = np.array([samples[labels == c].mean(axis=0) for c in np.unique(labels)])
    within = np.cov((samples - means[labels]).T, bias=True)
    return within, np.cov(means.T, bias=True)


def test_the_share_is_of_traces_of_covariances():
    within, between = map(np.trace, covariances(SAMPLES, LABELS))
    assert within_share(SAMPLES, LABELS) == pytest.approx(within / (within + between))
    names = np.array(["a", "b", "c", "d"])[LABELS]
    assert within_share(1e-9 * SAMPLES + 5e-9, names) == pytest.approx(
        within_share(SAMPLES, LABELS)
    )


def test_the_share_is_0_for_points_and_1_for_equal_means():
    assert within_share(SAMPLES[LABELS * 25], LABELS) == pytest.approx(0, abs=1e-12)
    assert within_share([[1.0], [-1], [1], [-1]], [0, 0, 1, 1]) == 1
    assert np.isnan(within_share(np.ones((4, 2)), [0, 0, 1, 1]))


def test_chance_is_the_mean_over_all_orders_of_the_labels():
    conditions = np.repeat(np.arange(6), 4)
    samples = RNG.standard_normal((6, 5))[conditions] + 0.3 * RNG.standard_normal((24, 5))
    for classes in (2, 3):
        labels = np.arange(6) % classes
        orders = {tuple(order) for order in permutations(labels)}
        shares = [within_share(samples, np.array(order)[conditions]) for order in orders]
        found = chance_within_share(samples, conditions, labels[conditions])
        assert found == pytest.approx(np.mean(shares))
        single = chance_within_share(samples, np.arange(24), np.arange(24) % classes)
        assert single == pytest.approx(1 - (classes - 1) / 23)


def test_chance_is_not_defined_where_no_other_order_is():
    assert np.isnan(chance_within_share(SAMPLES, LABELS, LABELS))
    assert np.isnan(chance_within_share(np.ones((4, 2)), range(4), [0, 0, 1, 1]))


def test_labels_that_are_no_division_of_conditions_are_refused():
    with pytest.raises(ValueError, match="samples of several classes"):
        chance_within_share(SAMPLES, LABELS, np.arange(100))
    with pytest.raises(ValueError, match="different numbers of conditions"):
        chance_within_share(SAMPLES, LABELS, LABELS > 0)
    with pytest.raises(ValueError, match="labels has one class alone"):
        within_share(SAMPLES, np.zeros(100))
    with pytest.raises(ValueError, match="labels has shape"):
        within_share(SAMPLES, LABELS[:5])
