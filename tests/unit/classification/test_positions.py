"""Positions of convolutions as items."""

import numpy as np
from selections import some

from repatlas.experiments.classification.compared import MOST_ROWS, _spatial
from repatlas.inference.permutation import permutations


def test_positions_are_those_of_whole_images_so_that_a_floor_can_exchange_them():
    activity = np.arange(1437 * 2 * 4 * 4, dtype=float).reshape(1437, 2, 4, 4)
    layer = _spatial(1, "conv1", activity)
    assert layer.rows.shape == (MOST_ROWS // 16 * 16, 2)
    images, counts = np.unique(layer.groups, return_counts=True)
    assert some(counts == 16).all()
    np.testing.assert_array_equal(layer.rows[:16], activity[images[0]].reshape(2, 16).T)
    [order] = permutations(len(layer.rows), 1, layer.groups, 0)
    moved = layer.groups[order].reshape(-1, 16)
    assert some(moved == moved[:, :1]).all()
    assert (moved[:, 0] != images).any()
