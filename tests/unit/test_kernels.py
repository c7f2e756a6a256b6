from functools import cache

import numpy as np
import pytest
from scipy.optimize import minimize
from selections import some

from repatlas.experiments.clusters.kernel_slice import KernelSlice
from repatlas.experiments.clusters.kernels import (
    alignment_range,
    flat_kernel,
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
every_size = pytest.mark.parametrize("clusters", [4, 8, 16, 32, 64])


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


@pytest.mark.parametrize("clusters", [4, 8, 32])
def test_no_random_kernel_has_more_dimensions_than_the_maximal_one(clusters):
    generator = np.random.default_rng(2)
    settings = [
        (target, c)
        for kind in DRAWS
        for targets in {1, clusters.bit_length() - 1, clusters - 2}
        for target in [target_kernel(clusters, targets, kind)]
        for c in grid(0, 1, 6)
    ]
    draws = -(-10_000 // 3 // len(settings))
    for target, c in settings:
        most = participation_ratio(maximal_kernel(target, c))
        found = [participation_ratio(random_kernel(target, c, generator)) for _ in range(draws)]
        assert max(found) <= most * (1 + 1e-9)


def test_for_full_rank_targets_too_no_random_kernel_has_more_dimensions_than_the_maximal_one():
    generator = np.random.default_rng(3)
    target = target_kernel(8, 7, "independent")
    for c in grid(*maximal_range(target), 8):
        most = participation_ratio(maximal_kernel(target, c))
        for _ in range(100):
            found = participation_ratio(random_kernel(target, c, generator))
            assert found <= most * (1 + 1e-9)


def best_by_search(target, c, seed):
    """Return the largest participation ratio that a general optimiser finds over all K = L L^T."""
    clusters = len(target)
    basis = np.linalg.svd(np.eye(clusters) - 1 / clusters)[0][:, : clusters - 1]
    inner = basis.T @ target @ basis / np.linalg.norm(target)
    n = clusters - 1

    def kernel(x):
        return x.reshape(n, n) @ x.reshape(n, n).T

    def through(x, gradient):
        return (2 * gradient @ x.reshape(n, n)).ravel()

    def misaligned(x):
        k = kernel(x)
        return np.vdot(k, inner) - c * np.linalg.norm(k)

    start = np.random.default_rng(seed).standard_normal(n * n) / n
    result = minimize(
        lambda x: np.vdot(kernel(x), kernel(x)),
        start,
        jac=lambda x: through(x, 2 * kernel(x)),
        method="SLSQP",
        constraints=[
            {
                "type": "eq",
                "fun": lambda x: np.trace(kernel(x)) - 1,
                "jac": lambda x: through(x, np.eye(n)),
            },
            {
                "type": "eq",
                "fun": misaligned,
                "jac": lambda x: through(x, inner - c * kernel(x) / np.linalg.norm(kernel(x))),
            },
        ],
        options={"maxiter": 1000, "ftol": 1e-13},
    )
    assert result.success
    assert abs(np.trace(kernel(result.x)) - 1) + abs(misaligned(result.x)) < 1e-7
    return 1 / result.fun


@pytest.mark.parametrize(
    ("clusters", "targets", "kind", "c"),
    [
        (4, 1, "orthogonal", 0.1),
        (4, 2, "orthogonal", 0.3),
        (4, 2, "orthogonal", 0.9),
        (8, 3, "orthogonal", 0.4),
        (8, 1, "orthogonal", 0.2),
        (8, 3, "independent", 0.3),
        (8, 5, "independent", 0.9),
        (8, 7, "independent", 0.4),
    ],
)
def test_the_maximal_kernel_is_what_a_general_optimiser_finds(clusters, targets, kind, c):
    target = target_kernel(clusters, targets, kind, seed=1)
    found = max(best_by_search(target, c, seed) for seed in range(3))
    assert participation_ratio(maximal_kernel(target, c)) == pytest.approx(found, rel=1e-5)


@pytest.mark.parametrize(
    ("c", "ratio"), [(0, 26), (0.125, 28.5), (0.25, 30.2), (0.375, 30.97), (np.sqrt(5 / 31), 31)]
)
def test_participation_ratios_of_the_maximal_kernel_for_32_clusters_and_5_targets(c, ratio):
    found = participation_ratio(maximal_kernel(target_kernel(32, 5), c))
    assert found == pytest.approx(ratio, abs=0.01)


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


def test_for_unequal_eigenvalues_the_straight_line_has_fewer_dimensions_than_the_maximal_kernel():
    target = target_kernel(32, 5, "independent")
    line = kernel_between(maximal_kernel(target, 0), target / np.trace(target), target, 0.125)
    gain = participation_ratio(maximal_kernel(target, 0.125)) - participation_ratio(line)
    assert gain > 0.1


@kinds
def test_the_simplex_is_the_maximal_kernel_of_its_own_alignment(kind):
    target = target_kernel(32, 5, kind)
    c = alignment(simplex_kernel(32), target)
    assert np.abs(maximal_kernel(target, c) - simplex_kernel(32)).max() < 1e-12


@kinds
def test_at_alignment_1_there_is_the_target_kernel_alone(kind):
    target = target_kernel(16, 5, kind)
    for kernel in (
        maximal_kernel(target, 1),
        random_kernel(target, 1, np.random.default_rng(0)),
    ):
        assert np.abs(kernel - target / np.trace(target)).max() < 1e-12


@pytest.mark.parametrize("c", [0.3, 0.5, 0.9])
def test_with_a_target_for_each_dimension_alignment_is_dimensionality(c):
    target, generator = target_kernel(32, 31), np.random.default_rng(0)
    for _ in range(20):
        ratio = participation_ratio(random_kernel(target, c, generator))
        assert ratio == pytest.approx(31 * c**2)


@pytest.mark.parametrize(("targets", "c"), [(1, 0.1), (5, 0.0), (5, 0.3)])
def test_random_kernels_have_few_and_many_dimensions(targets, c):
    target, generator = target_kernel(32, targets), np.random.default_rng(0)
    ratios = [participation_ratio(random_kernel(target, c, generator)) for _ in range(100)]
    assert min(ratios) < 3
    assert max(ratios) > 12


def test_random_kernels_favour_no_direction():
    target = target_kernel(4, 1)
    generator = np.random.default_rng(0)
    mean = np.mean([random_kernel(target, 0.4, generator) for _ in range(4000)], axis=0)
    _, vectors = spectrum(target)
    rotated = vectors.T @ mean @ vectors
    assert np.abs(rotated - np.diag(np.diag(rotated))).max() < 0.02
    assert rotated[0, 0] == pytest.approx(rotated[1, 1], abs=0.02)


def test_random_kernels_of_many_dimensions_use_them_evenly_or_not():
    target, generator = target_kernel(32, 1), np.random.default_rng(0)
    evenness = []
    for _ in range(100):
        kernel = random_kernel(target, 0, generator)
        rank = np.linalg.matrix_rank(kernel, tol=1e-12)
        if rank > 10:
            evenness.append(participation_ratio(kernel) / rank)
    assert np.mean(np.array(evenness) < 0.4) > 0.3
    assert np.mean(np.array(evenness) > 0.5) > 0.3


@pytest.mark.parametrize(
    ("targets", "alignments"), [(12, (0.0, 0.3, 0.5)), (4, (0.0, 0.05, 0.1)), (4, (0.6, 0.8, 1.0))]
)
def test_random_kernels_of_one_generator_state_lie_on_one_line_along_c(targets, alignments):
    target = target_kernel(16, targets)
    first, second, third = (random_kernel(target, c, np.random.default_rng(7)) for c in alignments)
    one, other = second - first, third - first
    cosine = np.vdot(one, other) / (np.linalg.norm(one) * np.linalg.norm(other))
    assert cosine == pytest.approx(1, abs=1e-9)


def test_a_flat_kernel_has_as_many_dimensions_as_its_patterns():
    patterns = np.random.default_rng(0).standard_normal((16, 6)) + 3
    kernel = flat_kernel(patterns)
    assert_is_kernel(kernel)
    assert participation_ratio(kernel) == pytest.approx(6)


@pytest.mark.parametrize("rank", [1, 5, 26])
def test_a_random_flat_kernel_has_its_rank_and_no_alignment(rank):
    target = target_kernel(32, 5)
    kernel = random_flat_kernel(target, rank, np.random.default_rng(0))
    assert_is_kernel(kernel)
    assert participation_ratio(kernel) == pytest.approx(rank)
    assert np.abs(kernel @ target).max() < 1e-14


def test_a_flat_kernel_in_all_dimensions_beside_the_targets_is_the_maximal_one():
    target = target_kernel(32, 5)
    kernel = random_flat_kernel(target, 26, np.random.default_rng(0))
    assert np.abs(kernel - maximal_kernel(target, 0)).max() < 1e-14


def test_a_random_flat_kernel_lies_in_any_direction_beside_the_targets():
    target, generator = target_kernel(8, 3), np.random.default_rng(0)
    mean = np.mean([random_flat_kernel(target, 2, generator) for _ in range(3000)], axis=0)
    assert np.abs(mean - maximal_kernel(target, 0)).max() < 0.01


@kinds
@pytest.mark.parametrize(("clusters", "targets"), [(4, 1), (8, 3), (32, 5), (32, 31), (64, 6)])
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


@pytest.mark.parametrize(("targets", "dimensions"), [(1, 2), (2, 1)])
def test_kernels_orthogonal_to_the_target_may_fill_what_it_leaves(targets, dimensions):
    """If only a line is left, the kernels lie on that line."""
    target = target_kernel(4, targets)
    for seed in range(5):
        kernel = random_kernel(target, 0, np.random.default_rng(seed))
        assert np.linalg.matrix_rank(kernel, tol=1e-9) == dimensions


def test_inputs_are_centred_with_mean_squared_norm_n():
    kernel = random_kernel(target_kernel(32, 5), 0.2, np.random.default_rng(0))
    centres = inputs_from_kernel(kernel, 80, np.random.default_rng(1))
    assert np.abs(centres.mean(axis=0)).max() < 1e-12
    assert np.sum(centres**2, axis=1).mean() == pytest.approx(80)


def test_inputs_have_no_more_dimensions_than_their_kernel():
    kernel = random_flat_kernel(target_kernel(32, 5), 5, np.random.default_rng(0))
    centres = inputs_from_kernel(kernel, 100, np.random.default_rng(1))
    assert np.linalg.svd(centres)[1][5:].max() < 1e-12


def test_inputs_lie_in_random_directions():
    kernel, generator = simplex_kernel(4), np.random.default_rng(0)
    draws = np.stack([inputs_from_kernel(kernel, 3, generator)[0] for _ in range(2000)])
    assert np.abs(draws.mean(axis=0)).max() < 4 / np.sqrt(2000)
    assert np.abs(draws.T @ draws / 2000 - np.eye(3)).max() < 0.12  # 4 standard errors


def test_kernels_that_differ_little_give_centres_that_differ_little():
    target = target_kernel(32, 5)
    one, other = (
        inputs_from_kernel(maximal_kernel(target, c), 100, np.random.default_rng(0))
        for c in (0.3, 0.3 + 1e-9)
    )
    assert np.abs(one - other).max() < 1e-7


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


def test_fewer_inputs_than_dimensions_are_refused_with_the_limit():
    with pytest.raises(ValueError, match="inputs is 30; allowed is at least 31"):
        inputs_from_kernel(simplex_kernel(32), 30, np.random.default_rng(0))


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


def test_the_plane_is_to_scale(plane):
    points = np.random.default_rng(0).standard_normal((2, 2))
    one, other = plane.kernels(points)
    assert np.linalg.norm(one - other) == pytest.approx(np.linalg.norm(points[0] - points[1]))
    assert plane.points(plane.kernels(points)) == pytest.approx(points)
    for kernel in (one, other):
        assert np.trace(kernel) == pytest.approx(1)
        assert np.abs(kernel.sum(axis=0)).max() < 1e-14


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


def test_lines_of_equal_dimensionality_are_circles_around_the_simplex(plane):
    points = 0.1 * np.array([[1, 0], [0, 1], [-0.6, 0.8]])
    ratios = [participation_ratio(kernel) for kernel in plane.kernels(points)]
    assert ratios == pytest.approx([1 / (1 / 3 + 0.01)] * 3)


def test_on_a_level_line_of_alignment_the_maximal_kernel_is_nearest_to_the_simplex(plane):
    x, y = np.meshgrid(np.linspace(-1, 0.5, 61), np.linspace(-0.7, 0.7, 57))
    points = np.stack([x, y], axis=-1)
    inside = plane.is_kernel(points)
    found = plane.alignment(points)[inside]
    nearest = [
        np.linalg.norm(plane.points(maximal_kernel(target_kernel(4, 2), np.clip(c, 0, 1))))
        for c in found
    ]
    assert np.all(np.linalg.norm(points[inside], axis=1) >= np.array(nearest) - 1e-9)


def test_a_plane_needs_a_direction_beside_the_targets():
    with pytest.raises(ValueError, match="has rank 3; allowed is 1 to 2"):
        KernelSlice(target_kernel(4, 3))
