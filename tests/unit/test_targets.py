from itertools import combinations

import numpy as np
import pytest

from repatlas.experiments.clusters.targets import (
    independent_targets,
    label_kernel,
    orthogonal_targets,
    parity_inputs,
)
from repatlas.geometry import participation_ratio

CLUSTERS = [4, 32]
every_size = pytest.mark.parametrize("clusters", CLUSTERS)
both = pytest.mark.parametrize("draw", [orthogonal_targets, independent_targets])


def rng(seed=0):
    return np.random.default_rng(seed)


def parity(bits):
    """Return the parity of each row of 0 and 1, (P,)."""
    return bits.sum(axis=1) % 2


def same_dichotomy(one, other):
    return np.array_equal(one, other) or np.array_equal(one, 1 - other)


@both
@every_size
def test_each_target_is_1_for_half_of_the_clusters(draw, clusters):
    for targets in range(1, clusters):
        labels = draw(clusters, targets, rng())
        assert labels.shape == (clusters, targets)
        assert set(np.unique(labels)) == {0.0, 1.0}
        assert np.all(labels.sum(axis=0) == clusters / 2)


@every_size
def test_orthogonal_targets_are_orthogonal_and_their_kernel_has_equal_eigenvalues(clusters):
    for targets in range(1, clusters):
        signs = 2 * orthogonal_targets(clusters, targets, rng()) - 1
        assert np.array_equal(signs.T @ signs, clusters * np.eye(targets))
        assert participation_ratio(label_kernel(signs)) == pytest.approx(targets)


@pytest.mark.parametrize("clusters", [4, 16])
def test_targets_after_the_bits_are_the_parities_of_two_bits_then_three_and_so_on(clusters):
    labels = orthogonal_targets(clusters, clusters - 1, rng())
    bits = clusters.bit_length() - 1
    products = [
        labels[:, list(chosen)]
        for size in range(1, bits + 1)
        for chosen in combinations(range(bits), size)
    ]
    sizes = [product.shape[1] for product in products]
    for column, target in enumerate(labels.T):
        match = [i for i, factors in enumerate(products) if same_dichotomy(parity(factors), target)]
        assert len(match) == 1
        assert sizes[match[0]] == sizes[column]


@pytest.mark.parametrize("clusters", [4, 12])
def test_independent_targets_are_never_repeated_negated_or_combined(clusters):
    for seed in range(20):
        labels = independent_targets(clusters, clusters - 1, rng(seed))
        assert np.linalg.matrix_rank(label_kernel(labels)) == clusters - 1
    repeated = [len(np.unique(independent_targets(4, 2, rng(s)), axis=1).T) for s in range(50)]
    assert set(repeated) == {2}


@pytest.mark.parametrize("clusters", [8, 32])
def test_parity_inputs_are_bits_whose_highest_parities_are_the_targets(clusters):
    n = clusters.bit_length() - 1
    targets = orthogonal_targets(clusters, n, rng())
    inputs = parity_inputs(targets)
    assert len(np.unique(inputs, axis=0)) == clusters
    assert same_dichotomy(parity(inputs), targets[:, 0])
    for left_out in range(n - 1):
        others = np.delete(inputs, left_out, axis=1)
        assert same_dichotomy(parity(others), targets[:, left_out + 1])
    overlap = (2 * inputs - 1).T @ (2 * targets - 1)
    assert not overlap.any()


@both
@pytest.mark.parametrize("targets", [0, 8, 9])
def test_more_targets_than_dimensions_are_refused_with_the_range(draw, targets):
    with pytest.raises(ValueError, match="allowed is 1 to 7"):
        draw(8, targets, rng())


@pytest.mark.parametrize("clusters", [0, 1, 6, 24])
def test_orthogonal_targets_for_other_than_a_power_of_two_are_refused(clusters):
    with pytest.raises(ValueError, match="power of two"):
        orthogonal_targets(clusters, 1, rng())
