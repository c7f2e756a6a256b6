"""The share of variance within classes: its chance level, and what it is without noise."""

from itertools import permutations

import numpy as np
import pytest

from repatlas.geometry import kernel_alignment, neural_collapse
from repatlas.geometry.class_variance import chance_within_share, within_share

RNG = np.random.default_rng(0)
LABELS = np.repeat(np.arange(4), 25)
SAMPLES = 3 * RNG.standard_normal((4, 12))[LABELS] + RNG.standard_normal((100, 12))
WEIGHTS = RNG.standard_normal((4, 12))


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


@pytest.mark.parametrize("conditions", [4, 10])
def test_target_alignment_of_two_classes_is_their_collapse(conditions):
    """1 / A^2 = 1 + 4 NC1 + |W|^2 / |B|^2, exactly, for any patterns of balanced conditions."""
    patterns = RNG.standard_normal((conditions, 7)) + 1
    labels = np.arange(conditions) % 2
    within, between = covariances(patterns, labels)
    ratio = np.sum(within**2) / np.sum(between**2)
    alignment = kernel_alignment(patterns, labels[:, None])
    nc1 = neural_collapse(patterns, labels).nc1
    assert 1 / alignment**2 == pytest.approx(1 + 4 * nc1 + ratio)
    share = within_share(patterns, labels)
    largest = 1 / np.sqrt(1 + (share / (1 - share)) ** 2 / (conditions - 2))
    assert 1 - share <= alignment <= largest


def test_both_bounds_of_target_alignment_are_reached():
    """The conditions of a class differ along the line through the class means, or equally in all
    other directions."""
    labels = np.array([0, 0, 1, 1])
    along = np.array([[2.0, 0], [0.5, 0], [-2, 0], [-0.5, 0]])
    share = within_share(along, labels)
    assert kernel_alignment(along, labels[:, None]) == pytest.approx(1 - share)
    apart = np.array([[1.0, 3, 0], [1, -3, 0], [-1, 0, 3], [-1, 0, -3]])
    share = within_share(apart, labels)
    largest = 1 / np.sqrt(1 + (share / (1 - share)) ** 2 / 2)
    assert kernel_alignment(apart, labels[:, None]) == pytest.approx(largest)


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


def test_chance_levels_of_self_duality_and_of_the_nearest_mean_are_constants():
    """Over all orders of the classes of the weights, nc3 is 2 and nc4 is 1 - 1 / C."""
    intercepts = RNG.standard_normal(4)
    found = [
        neural_collapse(SAMPLES, LABELS, WEIGHTS[list(order)], intercepts[list(order)])
        for order in permutations(range(4))
    ]
    assert np.mean([each.nc3 for each in found]) == pytest.approx(2)
    assert np.mean([each.nc4 for each in found]) == pytest.approx(3 / 4)


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
