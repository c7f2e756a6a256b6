from functools import cache

import numpy as np
import pytest
from selections import some

from repatlas.experiments.clusters.kernel_slice import KernelSlice
from repatlas.experiments.clusters.kernels import (
    alignment_range,
    inputs_from_kernel,
    kernel_between,
    maximal_kernel,
    maximal_range,
    random_flat_kernel,
    random_kernel,
    simplex_kernel,
    spectrum,
)
from repatlas.experiments.clusters.targets import (
    independent_targets,
    label_kernel,
    orthogonal_targets,
)
from repatlas.geometry import kernel_alignment, participation_ratio

DRAWS = {"orthogonal": orthogonal_targets, "independent": independent_targets}
kinds = pytest.mark.parametrize("kind", DRAWS)
every_size = pytest.mark.parametrize("clusters", [4, 32])


@cache
def target_kernel(clusters, targets, kind="orthogonal", seed=0):
    return label_kernel(DRAWS[kind](clusters, targets, np.random.default_rng(seed)))


def alignment(kernel, target):
    return np.vdot(kernel, target) / (np.linalg.norm(kernel) * np.linalg.norm(target))


def grid(lowest, highest, points):
    return np.linspace(lowest, highest, points)


def assert_is_kernel(kernel):
    assert np.abs(kernel - kernel.T).max() < 1e-15
    assert np.abs(kernel @ np.ones(len(kernel))).max() < 1e-14
    assert np.trace(kernel) == pytest.approx(1, abs=1e-13)
    assert np.linalg.eigvalsh(kernel)[0] > -1e-14


@kinds
@every_size
def test_maximal_kernels_have_the_alignment_exactly_for_every_number_of_targets(clusters, kind):
    for targets in range(1, clusters):
        target = target_kernel(clusters, targets, kind)
        for c in grid(*maximal_range(target), 4):
            kernel = maximal_kernel(target, c)
            assert_is_kernel(kernel)
            assert alignment(kernel, target) == pytest.approx(c, abs=1e-12)


@kinds
@every_size
def test_random_kernels_have_the_alignment_exactly_for_every_number_of_targets(clusters, kind):
    generator = np.random.default_rng(1)
    for targets in range(1, clusters):
        target = target_kernel(clusters, targets, kind)
        for c in grid(*alignment_range(target), 5):
            kernel = random_kernel(target, c, generator)
            assert_is_kernel(kernel)
            assert alignment(kernel, target) == pytest.approx(c, abs=1e-12)


@pytest.mark.parametrize("clusters", [4, 32])
def test_no_random_kernel_has_more_dimensions_than_the_maximal_one(clusters):
    generator = np.random.default_rng(2)
    settings = [
        (target, c)
        for kind in DRAWS
        for targets in {1, clusters.bit_length() - 1, clusters - 2}
        for target in [target_kernel(clusters, targets, kind)]
        for c in grid(0, 1, 6)
    ]
    draws = -(-1000 // len(settings))
    for target, c in settings:
        most = participation_ratio(maximal_kernel(target, c))
        found = [participation_ratio(random_kernel(target, c, generator)) for _ in range(draws)]
        assert max(found) <= most * (1 + 1e-9)


@every_size
def test_the_maximal_kernel_of_orthogonal_targets_is_the_line_from_null_space_to_targets(clusters):
    for targets in (1, clusters // 2, clusters - 2):
        target = target_kernel(clusters, targets)
        towards = target / np.trace(target)
        rest = clusters - 1 - targets
        away = ((clusters - 1) * simplex_kernel(clusters) - targets * towards) / rest
        for c in grid(0, 1, 7)[:-1]:
            odds = c * np.sqrt(targets / (rest * (1 - c**2)))
            share = odds / (1 + odds)
            expected = share * towards + (1 - share) * away
            assert np.abs(maximal_kernel(target, c) - expected).max() < 1e-14


def test_random_kernels_favour_no_direction():
    target = target_kernel(4, 1)
    generator = np.random.default_rng(0)
    mean = np.mean([random_kernel(target, 0.4, generator) for _ in range(4000)], axis=0)
    _, vectors = spectrum(target)
    rotated = vectors.T @ mean @ vectors
    assert np.abs(rotated - np.diag(np.diag(rotated))).max() < 0.02
    assert rotated[0, 0] == pytest.approx(rotated[1, 1], abs=0.02)


@pytest.mark.parametrize("rank", [1, 5, 26])
def test_a_random_flat_kernel_has_its_rank_and_no_alignment(rank):
    target = target_kernel(32, 5)
    kernel = random_flat_kernel(target, rank, np.random.default_rng(0))
    assert_is_kernel(kernel)
    assert participation_ratio(kernel) == pytest.approx(rank)
    assert np.abs(kernel @ target).max() < 1e-14


@kinds
@pytest.mark.parametrize(("clusters", "targets"), [(4, 1), (32, 5), (32, 31)])
@pytest.mark.parametrize("inputs", [63, 100])
def test_inputs_have_the_alignment_of_their_kernel_exactly(kind, clusters, targets, inputs):
    labels = DRAWS[kind](clusters, targets, np.random.default_rng(4))
    target = label_kernel(labels)
    lowest, _ = alignment_range(target)
    for c in grid(lowest, 1, 4):
        kernel = random_kernel(target, c, np.random.default_rng(5))
        centres = inputs_from_kernel(kernel, inputs, np.random.default_rng(6))
        assert centres.shape == (clusters, inputs)
        assert kernel_alignment(centres, labels) == pytest.approx(c, abs=1e-12)
        assert np.abs(centres @ centres.T / (inputs * clusters) - kernel).max() < 1e-14


def test_inputs_need_the_dimensions_of_their_centred_clusters_and_no_more():
    kernel = random_kernel(target_kernel(4, 1), 0.2, np.random.default_rng(0))
    assert inputs_from_kernel(kernel, 3, np.random.default_rng(1)).shape == (4, 3)
    with pytest.raises(ValueError, match="inputs is 2; allowed is at least 3, the dimensions of 4"):
        inputs_from_kernel(kernel, 2, np.random.default_rng(1))


@pytest.mark.parametrize("c", [-0.1, 1.1, float("nan")])
def test_an_alignment_that_no_kernel_has_is_refused_with_the_range(c):
    with pytest.raises(ValueError, match="reach 0 to 1"):
        maximal_kernel(target_kernel(8, 3), c)
    with pytest.raises(ValueError, match="reach 0 to 1"):
        random_kernel(target_kernel(8, 3), c, np.random.default_rng(0))


def test_alignment_0_with_a_target_for_each_dimension_is_refused_with_the_range():
    with pytest.raises(ValueError, match=r"kernels reach 0.378 to 1"):  # 1 / sqrt(7)
        random_kernel(target_kernel(8, 7), 0, np.random.default_rng(0))
    with pytest.raises(ValueError, match="maximal participation ratio reach 1 to 1"):
        maximal_kernel(target_kernel(8, 7), 0.5)
    independent = target_kernel(8, 7, "independent")
    with pytest.raises(ValueError, match="to 1 with these targets"):
        maximal_kernel(independent, maximal_range(independent)[0] - 1e-6)


def test_an_alignment_beyond_both_ends_of_a_segment_is_refused_with_the_range():
    target = target_kernel(8, 3)
    with pytest.raises(ValueError, match=r"0\.000000 to 0\.654654"):  # sqrt(3 / 7)
        kernel_between(maximal_kernel(target, 0), simplex_kernel(8), target, 0.7)


def test_more_dimensions_than_there_are_beside_the_targets_are_refused_with_the_range():
    with pytest.raises(ValueError, match="rank is 27; allowed is 1 to 26"):
        random_flat_kernel(target_kernel(32, 5), 27, np.random.default_rng(0))


@pytest.fixture
def plane():
    return KernelSlice(target_kernel(4, 2))


def test_the_plane_holds_the_targets_the_simplex_and_all_maximal_kernels(plane):
    target = target_kernel(4, 2)
    kernels = [maximal_kernel(target, c) for c in grid(0, 1, 9)]
    points = plane.points(np.stack([target / np.trace(target), simplex_kernel(4), *kernels]))
    assert np.abs(plane.kernels(points)[2:] - kernels).max() < 1e-14
    assert np.abs(plane.kernels(points)[0] - target / np.trace(target)).max() < 1e-14
    assert np.abs(points[1]).max() < 1e-14
    assert np.abs(points[:, 1]).max() < 1e-14
    assert plane.alignment(points[2:]) == pytest.approx(grid(0, 1, 9), abs=1e-12)


def test_with_four_clusters_and_two_targets_the_kernels_of_the_plane_fill_an_ellipse(plane):
    boundary = plane.boundary(100)
    x, y = boundary.T
    a = 1 / 3 + x / np.sqrt(6)  # the variance along each target
    assert 2 * (a - 0.25) ** 2 + y**2 / 2 == pytest.approx(1 / 8)
    assert boundary[0] == pytest.approx(plane.points(plane.target))
    assert boundary[50] == pytest.approx(plane.points(maximal_kernel(target_kernel(4, 2), 0)))
    assert some(plane.is_kernel(boundary)).all()
    assert some(plane.is_kernel(0.99 * boundary)).all()
    assert not plane.is_kernel(1.01 * boundary).any()


def test_a_plane_needs_a_direction_beside_the_targets():
    with pytest.raises(ValueError, match="has rank 3; allowed is 1 to 2"):
        KernelSlice(target_kernel(4, 3))
