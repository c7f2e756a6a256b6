import numpy as np
import pytest
from pydantic import ValidationError

from repatlas.experiments.clusters.tasks.aligned import Aligned
from repatlas.geometry import centred_kernel, kernel_alignment, participation_ratio

every_size = pytest.mark.parametrize("clusters", [4, 32])


def aligned(**parameters):
    return Aligned(kind="aligned", **parameters)


def dimensions(task):
    return participation_ratio(centred_kernel(task.draw(0).centres))


def found_alignment(task):
    drawn = task.draw(0)
    return kernel_alignment(drawn.centres, drawn.labels)


@every_size
@pytest.mark.parametrize("kernel", ["maximal", "random"])
@pytest.mark.parametrize("target_labels", ["orthogonal", "independent"])
def test_a_task_has_its_alignment_exactly(clusters, kernel, target_labels):
    few = clusters.bit_length() - 1
    for targets in sorted({1, few, clusters - 2, clusters - 1}):
        setting = dict(
            clusters=clusters, targets=targets, kernel=kernel, target_labels=target_labels
        )
        lowest = aligned(alignment=1.0, **setting).lowest_alignment
        for c in np.linspace(lowest, 1, 4):
            task = aligned(alignment=float(c), **setting)
            assert found_alignment(task) == pytest.approx(c, abs=1e-12)


def test_a_draw_has_centred_centres_of_squared_norm_n_and_balanced_labels():
    drawn = aligned(targets=5, alignment=0.3, kernel="random", inputs=60).draw(0)
    assert drawn.centres.shape == (32, 60)
    assert drawn.labels.shape == (32, 5)
    assert np.abs(drawn.centres.mean(axis=0)).max() < 1e-12
    assert np.sum(drawn.centres**2, axis=1).mean() == pytest.approx(60)
    assert np.all(drawn.labels.sum(axis=0) == 16)


@pytest.mark.parametrize("kernel", ["maximal", "random"])
def test_all_seeds_share_the_geometry_and_another_number_is_another_geometry(kernel):
    task = aligned(targets=5, alignment=0.2, kernel=kernel)
    for one, other in zip(task.draw(0), task.draw(1), strict=True):
        assert np.array_equal(one, other)
    another = aligned(targets=5, alignment=0.2, kernel=kernel, geometry=1).draw(0)
    assert not np.allclose(task.draw(0).centres, another.centres)
    assert not np.array_equal(task.draw(0).labels, another.labels)


def test_a_geometry_has_the_same_targets_and_directions_at_every_alignment():
    one, other = (aligned(targets=5, alignment=c).draw(0) for c in (0.2, 0.3))
    assert np.array_equal(one.labels, other.labels)
    # In other directions the overlap would be about 1 / sqrt(N).
    overlap = np.vdot(one.centres, other.centres)
    assert overlap > 0.95 * np.linalg.norm(one.centres) * np.linalg.norm(other.centres)


def test_the_easy_task_of_figure_5_has_all_26_dimensions_beside_the_targets():
    task = aligned(targets=5, kernel="flat", rank=26)
    assert dimensions(task) == pytest.approx(26)
    assert found_alignment(task) == pytest.approx(0, abs=1e-14)
    # Which is the maximal kernel of no alignment, in the same directions.
    assert np.abs(task.draw(0).centres - aligned(targets=5).draw(0).centres).max() < 1e-12


def test_the_hard_task_of_figure_5_has_5_dimensions_beside_the_targets():
    task = aligned(targets=5, kernel="flat", rank=5)
    assert dimensions(task) == pytest.approx(5)
    assert found_alignment(task) == pytest.approx(0, abs=1e-14)
    centres = task.draw(0).centres
    assert len(np.unique(centres.round(6), axis=0)) == 32


@pytest.mark.parametrize("clusters", [8, 32])
def test_hypercube_inputs_are_the_corners_of_a_cube_with_its_parity_as_a_target(clusters):
    bits = clusters.bit_length() - 1
    task = aligned(clusters=clusters, targets=bits, kernel="hypercube")
    drawn = task.draw(0)
    assert dimensions(task) == pytest.approx(bits)
    assert found_alignment(task) == pytest.approx(0, abs=1e-14)
    squared = np.sum((drawn.centres[:, None] - drawn.centres[None]) ** 2, axis=-1)
    edge = squared[squared > 1e-9].min()
    flipped_bits = (squared / edge).round().astype(int)
    assert squared / edge == pytest.approx(flipped_bits, abs=1e-9)
    assert (flipped_bits == 1).sum() == clusters * bits
    # Neighbours differ in the parity of all bits: the first target.
    differs = drawn.labels[:, 0][:, None] != drawn.labels[:, 0][None]
    assert np.array_equal(differs, flipped_bits % 2 == 1)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        (dict(targets=32), "task.targets: found 32, allowed: 1 to 31, one less than clusters"),
        (dict(inputs=30), "task.inputs: found 30, allowed: at least 31, one less than clusters"),
        (
            dict(rank=5),
            "task.rank: found 5, allowed: 0 with kernel 'maximal', only 'flat' has a rank",
        ),
        (
            dict(targets=5, kernel="flat", rank=27),
            "task.rank: found 27, allowed: 1 to clusters - 1 - targets, 26",
        ),
        (
            dict(targets=31, kernel="flat", rank=1),
            "task.targets: found 31, allowed: 1 to 30 with kernel 'flat'",
        ),
        (
            dict(targets=5, kernel="flat", rank=5, alignment=0.1),
            "task.alignment: found 0.1, allowed: 0 with kernel 'flat'",
        ),
        (
            dict(targets=6, kernel="hypercube"),
            "task.targets: found 6, allowed: 1 to 5 with kernel 'hypercube'",
        ),
        (
            dict(clusters=4, kernel="hypercube"),
            "task.clusters: found 4, allowed: at least 8 with kernel 'hypercube'",
        ),
        (
            dict(target_labels="independent", kernel="hypercube"),
            "task.target_labels: found 'independent', allowed: 'orthogonal' with kernel "
            "'hypercube'",
        ),
        (
            dict(targets=31, alignment=0.4016),
            "task.alignment: found 0.4016, allowed: 0.4017 to 1 with 31 targets",
        ),
        (
            dict(targets=31, kernel="random", alignment=0.1796),
            "task.alignment: found 0.1796, allowed: 0.1797 to 1 with 31 targets",
        ),
    ],
)
def test_the_impossible_is_refused_with_what_is_allowed(parameters, sentence):
    with pytest.raises(ValidationError) as refusal:
        aligned(**parameters)
    assert refusal.value.errors()[0]["msg"] == sentence
