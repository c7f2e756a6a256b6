"""The hidden patterns of clusters as points in a plane: the places, and what is drawn of them."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from selections import some

from repatlas.geometry import centred_kernel
from repatlas.plots.patterns import draw_before_and_after, reach_of
from repatlas.studies.structure.rows.patterns import in_plane, pattern_rows

RECTANGLE = np.array([[1.0, 3.0], [-1.0, 3.0], [-1.0, -3.0], [1.0, -3.0]])
"""x1 and x2 above, x1 at the right."""


def rotated(points, features=7, seed=0):
    """Rotate the points into some plane of more features."""
    directions = np.linalg.qr(np.random.default_rng(seed).normal(size=(features, features)))[0]
    return points @ directions[: points.shape[1]] + 5.0


@pytest.mark.parametrize("seed", range(5))
def test_patterns_in_a_plane_keep_their_shape_with_the_long_side_up_and_x1_at_the_upper_right(seed):
    points, share = in_plane(centred_kernel(rotated(RECTANGLE, seed=seed)))
    assert share == pytest.approx(1.0)
    assert points == pytest.approx(RECTANGLE / np.sqrt(10))  # their RMS distance from the mean


def test_where_x1_lies_on_an_axis_the_next_cluster_says_which_way_it_points():
    cross = np.array([[0.0, 2.0], [1.0, 0.0], [0.0, -2.0], [-1.0, 0.0]])
    points, _ = in_plane(centred_kernel(rotated(cross)))
    assert points == pytest.approx(cross / np.sqrt(2.5))


def test_the_plane_keeps_the_share_of_the_two_largest_variances():
    octahedron = np.concatenate([np.diag([4.0, 2.0, 1.0]), -np.diag([4.0, 2.0, 1.0])])
    points, share = in_plane(centred_kernel(rotated(octahedron)))
    assert share == pytest.approx(20 / 21)
    assert (points**2).sum(axis=1).mean() == pytest.approx(share)


def test_the_table_has_the_patterns_of_one_network_of_each_kind_before_and_after(made_up_metrics):
    rows = pattern_rows(made_up_metrics(selectivity=True, seeds=3, steps=(0, 2, 5)))
    places = rows[rows["variant"] == "place"]
    assert set(rows["seed"]) == {0}
    assert set(rows["step"]) == {0, 5}
    assert len(places) == 2 * 2 * 4  # activations, steps, clusters
    assert some(rows[rows["variant"] == "share"]["value"].between(0, 1)).all()


def drawn(rows):
    axes = Figure().subplots(1, 2)
    draw_before_and_after(axes, rows, reach_of(rows))
    return axes


def test_a_network_that_diverged_has_no_patterns_after_training_and_its_panel_says_so(
    made_up_metrics,
):
    lost = {("tanh", None, 1.0, 0): 5}
    rows = pattern_rows(made_up_metrics(("tanh",), selectivity=True, diverged=lost))
    before, after = drawn(rows)
    assert [text.get_text() for text in after.texts] == ["Its network diverged"]
    assert not before.texts


def test_networks_of_several_kinds_in_one_panel_are_refused(made_up_metrics):
    with pytest.raises(ValueError, match="activation: found relu, tanh"):
        drawn(pattern_rows(made_up_metrics(selectivity=True)))
