from itertools import combinations

import numpy as np
import pytest
from pydantic import ValidationError

from repatlas.experiments.clusters.tasks.separable import Separable
from repatlas.experiments.clusters.tasks.unstructured import Unstructured
from repatlas.geometry import centred_kernel, kernel_alignment, participation_ratio

deltas = pytest.mark.parametrize("delta", [0.0, 0.01, 0.1, 0.3, 0.5, 0.75, 0.9, 1.0])
seeds = pytest.mark.parametrize("seed", [0, 1, 12345])
both = pytest.mark.parametrize(
    "task",
    [Separable(kind="separable", inputs=30, delta=0.4), Unstructured(kind="unstructured")],
    ids=lambda task: task.kind,
)


def separable(delta, seed=0, inputs=120):
    return Separable(kind="separable", inputs=inputs, delta=delta).draw(seed)


def unstructured(seed=0, **parameters):
    return Unstructured(kind="unstructured", **parameters).draw(seed)


def squared_distances(task):
    """Return squared distances of centres within the two classes, and between the classes."""
    pairs = list(combinations(range(len(task.centres)), 2))
    squared = np.array([np.sum((task.centres[a] - task.centres[b]) ** 2) for a, b in pairs])
    same = np.array([task.labels[a, 0] == task.labels[b, 0] for a, b in pairs])
    return squared[same], squared[~same]


@deltas
@seeds
def test_delta_fixes_the_alignment_of_inputs_and_targets(delta, seed):
    task = separable(delta, seed)
    assert kernel_alignment(task.centres, task.labels) == pytest.approx(
        delta**2 / np.sqrt(2 + delta**4), abs=1e-12
    )


def test_alignment_rises_with_delta_all_the_way():
    grid = np.linspace(0, 1, 21)
    values = [kernel_alignment(task.centres, task.labels) for task in map(separable, grid)]
    assert np.all(np.diff(values) > 0)


@deltas
@seeds
def test_delta_fixes_the_dimensionality_of_the_inputs(delta, seed):
    assert participation_ratio(centred_kernel(separable(delta, seed).centres)) == pytest.approx(
        (2 + delta**2) ** 2 / (2 + delta**4), rel=1e-12
    )


@deltas
@pytest.mark.parametrize("inputs", [3, 7, 120])
def test_classes_come_closer_together_as_delta_falls(delta, inputs):
    within, between = squared_distances(separable(delta, inputs=inputs))
    assert within == pytest.approx(8 * inputs / 3)
    assert between == pytest.approx(4 * inputs / 3 * (1 + delta**2))


def test_delta_1_is_a_regular_tetrahedron_with_centres_of_squared_length_n():
    task = separable(1.0)
    within, between = squared_distances(task)
    assert np.concatenate([within, between]) == pytest.approx(within[0])
    assert np.sum(task.centres**2, axis=1) == pytest.approx(120)


def test_delta_0_is_the_square_of_xor_with_a_class_on_each_diagonal():
    task = separable(0.0)
    within, between = squared_distances(task)
    assert between == pytest.approx(between[0])
    assert within == pytest.approx(2 * between[0])
    assert task.centres[0] == pytest.approx(-task.centres[1])
    assert task.centres[2] == pytest.approx(-task.centres[3])


@both
@seeds
def test_centres_have_mean_zero(task, seed):
    assert np.abs(task.draw(seed).centres.mean(axis=0)).max() < 1e-12


@both
@seeds
def test_the_axes_are_orthonormal(task, seed):
    axes = task.draw(seed).axes
    assert np.abs(axes @ axes.T - np.eye(3)).max() < 1e-12


@pytest.mark.parametrize(
    "task",
    [
        *(Separable(kind="separable", inputs=30, delta=delta) for delta in (0.05, 0.5, 1.0)),
        *(Unstructured(kind="unstructured", clusters=clusters) for clusters in (4, 6, 8)),
    ],
    ids=str,
)
@seeds
def test_the_inter_class_axis_points_from_the_negative_class_to_the_positive(task, seed):
    drawn = task.draw(seed)
    positive = drawn.labels[:, 0] == 1
    difference = drawn.centres[positive].sum(axis=0) - drawn.centres[~positive].sum(axis=0)
    assert drawn.axes[0] @ difference == pytest.approx(np.linalg.norm(difference))


def test_the_intra_class_axes_separate_the_clusters_of_a_class():
    drawn = separable(0.5)
    along = drawn.axes[1:] @ drawn.centres.T
    side = np.sqrt(2 * 120 / 3)
    expected = [[side, -side, 0, 0], [0, 0, side, -side]]
    assert along == pytest.approx(np.array(expected), abs=1e-9)


@both
def test_the_intra_class_axes_are_differences_within_a_class_but_for_the_axes_before_them(task):
    drawn = task.draw(0)
    half = len(drawn.centres) // 2
    for number, (one, other) in enumerate([(0, 1), (half, half + 1)], start=1):
        difference = drawn.centres[one] - drawn.centres[other]
        beyond = difference - drawn.axes[:number].T @ (drawn.axes[:number] @ difference)
        assert drawn.axes[number] @ beyond == pytest.approx(np.linalg.norm(beyond))


@deltas
def test_all_deltas_of_a_seed_share_the_frame(delta):
    assert np.array_equal(separable(delta, seed=5).axes, separable(1.0, seed=5).axes)


@both
def test_a_seed_gives_the_same_draw_and_another_seed_another(task):
    assert np.array_equal(task.draw(1).centres, task.draw(1).centres)
    assert not np.any(np.isclose(task.draw(1).centres, task.draw(2).centres).all(axis=1))


@both
def test_training_noise_does_not_move_the_centres(task):
    noisy = task.model_copy(update={"noise_variance": 9.0})
    assert np.array_equal(noisy.draw(0).centres, task.draw(0).centres)


def test_the_frame_of_the_separable_task_has_no_preferred_direction():
    frames = np.stack([separable(1.0, seed, inputs=3).axes for seed in range(1500)])
    assert np.abs(frames.mean(axis=0)).max() < 4 / np.sqrt(3 * 1500)
    for axis in range(3):
        second = frames[:, axis].T @ frames[:, axis] / 1500
        assert np.abs(second - np.eye(3) / 3).max() < 0.04  # 5 standard errors
    handed = np.linalg.det(frames)
    assert abs(handed.mean()) < 4 / np.sqrt(1500)


def test_unstructured_centres_are_independent_standard_normal_but_for_their_mean():
    draws = np.stack([unstructured(seed, inputs=100).centres for seed in range(50)])
    # Centring 4 independent vectors leaves variance 3/4 and covariance -1/4.
    covariance = np.einsum("sin,sjn->ij", draws, draws) / (50 * 100)
    assert covariance == pytest.approx(np.eye(4) - 0.25, abs=0.06)


@pytest.mark.parametrize("clusters", [4, 6, 8])
def test_the_first_half_of_the_clusters_is_the_positive_class(clusters):
    task = unstructured(clusters=clusters)
    half = clusters // 2
    assert task.labels.tolist() == [[1.0]] * half + [[0.0]] * half
    assert len(task.centres) == clusters


def test_two_targets_label_four_clusters_by_their_two_bits():
    assert unstructured(targets=2).labels.tolist() == [[1, 1], [1, 0], [0, 1], [0, 0]]


def test_a_second_target_moves_neither_centres_nor_axes():
    one, two = unstructured(targets=1), unstructured(targets=2)
    assert np.array_equal(one.centres, two.centres)
    assert np.array_equal(one.axes, two.axes)


def test_two_targets_of_six_clusters_are_refused():
    with pytest.raises(ValidationError, match="clusters: found 6, allowed: 4 with two targets"):
        unstructured(clusters=6, targets=2)


@pytest.mark.parametrize(
    ("distribution", "low", "high", "variance"),
    [
        ("symmetric", -np.sqrt(3), np.sqrt(3), 1),
        ("positive", 0, np.sqrt(12), 1),
        ("rectified", 0, np.sqrt(12), 1),
        ("raw", 0, 1, 1 / 12),
    ],
)
def test_coordinates_are_uniform_in_the_range_of_their_distribution(
    distribution, low, high, variance
):
    task = {"distribution": distribution, "centred": False, "inputs": 20_000}
    coordinates = unstructured(**task).centres
    assert low <= coordinates.min() < low + 0.001
    assert high - 0.001 < coordinates.max() <= high
    assert coordinates.var() == pytest.approx(variance, rel=0.02)
    assert np.histogram(coordinates, bins=10)[0] == pytest.approx(8000, rel=0.06)


def test_centring_takes_the_mean_over_the_centres_away_and_nothing_else():
    centres, centred = (unstructured(centred=centred).centres for centred in (False, True))
    assert centres - centres.mean(axis=0) == pytest.approx(centred)
    assert np.abs(centres.mean(axis=0)).max() > 0.1


@pytest.mark.parametrize(
    ("distribution", "unit", "least"),
    [
        ("normal", 1, None),
        ("symmetric", 1, None),
        ("positive", 1, None),
        ("rectified", 1, 0),
        ("raw", 1 / np.sqrt(12), 0),
    ],
)
def test_inputs_are_centres_with_noise_in_the_unit_of_their_distribution(distribution, unit, least):
    task = Unstructured(kind="unstructured", distribution=distribution, centred=False)
    centres, noise = np.full((2, 3), 0.5), np.array([[1.0, 0.0, -1.0], [-9.0, 9.0, 2.0]])
    expected = 0.5 + 2 * unit * noise
    if least is not None:
        expected = np.maximum(expected, least)
    assert task.inputs_around(centres, noise, 2.0) == pytest.approx(expected)
    assert Separable(kind="separable").inputs_around(centres, noise, 2.0) == pytest.approx(
        0.5 + 2 * noise
    )


@pytest.mark.parametrize("distribution", ["rectified", "raw"])
def test_centred_inputs_that_are_cut_at_0_are_refused(distribution):
    with pytest.raises(ValidationError, match="centred: found True, allowed: False with dist"):
        unstructured(distribution=distribution)


@pytest.mark.parametrize("clusters", [2, 3, 5, 7, 10])
def test_other_numbers_of_clusters_are_refused(clusters):
    with pytest.raises(ValidationError, match="clusters"):
        unstructured(clusters=clusters)


@pytest.mark.parametrize("delta", [-0.01, 1.01, float("nan")])
def test_delta_outside_its_range_is_refused(delta):
    with pytest.raises(ValidationError, match="delta"):
        separable(delta)
