import numpy as np
import pytest
from pydantic import ValidationError

from repatlas.experiments.clusters.tasks.separable import Separable
from repatlas.experiments.clusters.tasks.unstructured import Unstructured
from repatlas.geometry import kernel_alignment

deltas = pytest.mark.parametrize("delta", [0.0, 0.3, 1.0])
seeds = pytest.mark.parametrize("seed", [0, 12345])
both = pytest.mark.parametrize(
    "task",
    [Separable(kind="separable", inputs=30, delta=0.4), Unstructured(kind="unstructured")],
    ids=lambda task: task.kind,
)


def separable(delta, seed=0, inputs=120):
    return Separable(kind="separable", inputs=inputs, delta=delta).draw(seed)


def unstructured(seed=0, **parameters):
    return Unstructured(kind="unstructured", **parameters).draw(seed)


@deltas
@seeds
def test_delta_fixes_the_alignment_of_inputs_and_targets(delta, seed):
    task = separable(delta, seed)
    assert kernel_alignment(task.centres, task.labels) == pytest.approx(
        delta**2 / np.sqrt(2 + delta**4), abs=1e-12
    )


@both
@seeds
def test_the_axes_are_orthonormal(task, seed):
    axes = task.draw(seed).axes
    assert np.abs(axes @ axes.T - np.eye(3)).max() < 1e-12


@both
def test_a_seed_gives_the_same_draw_and_another_seed_another(task):
    assert np.array_equal(task.draw(1).centres, task.draw(1).centres)
    assert not np.any(np.isclose(task.draw(1).centres, task.draw(2).centres).all(axis=1))


def test_two_targets_label_four_clusters_by_their_two_bits():
    assert unstructured(targets=2).labels.tolist() == [[1, 1], [1, 0], [0, 1], [0, 0]]


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
