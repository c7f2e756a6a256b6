"""The chance level of plain alignment, a closed form, against what it is the mean of."""

from itertools import permutations

import numpy as np
import pytest

from repatlas.geometry import (
    alignment_of_kernels,
    centred_kernel,
    chance_alignment,
    kernel_alignment,
    participation_ratio_of_features,
)


@pytest.mark.parametrize(("width_x", "width_y"), [(3, 8), (1, 1), (40, 2)])
def test_it_is_the_mean_over_all_orders_of_the_items(rng, width_x, width_y):
    x, y = (rng.standard_normal((6, n)) for n in (width_x, width_y))
    kernel_x, kernel_y = centred_kernel(x), centred_kernel(y)
    orders = [list(order) for order in permutations(range(6))]
    found = [alignment_of_kernels(kernel_x, kernel_y[np.ix_(order, order)]) for order in orders]
    assert chance_alignment(x, y) == pytest.approx(np.mean(found), rel=1e-12)


def test_it_is_the_level_of_unrelated_noise(rng):
    found = [kernel_alignment(*rng.standard_normal((2, 40, 20))) for _ in range(100)]
    expected = [chance_alignment(*rng.standard_normal((2, 40, 20))) for _ in range(20)]
    assert np.mean(found) == pytest.approx(np.mean(expected), abs=0.005)


def test_it_is_the_root_of_the_participation_ratios(rng):
    x, y = rng.standard_normal((30, 50)), rng.standard_normal((30, 4))
    ratios = participation_ratio_of_features(x) * participation_ratio_of_features(y)
    assert chance_alignment(x, y) == pytest.approx(np.sqrt(ratios) / 29, rel=1e-12)


def test_items_that_are_all_the_same_have_none(rng):
    assert np.isnan(chance_alignment(np.full((5, 3), 0.1), rng.standard_normal((5, 2))))


def test_different_numbers_of_items_and_a_single_item_are_refused():
    with pytest.raises(ValueError, match="x has 2 items and y has 3; both must describe the same"):
        chance_alignment(np.eye(2), np.eye(3))
    with pytest.raises(ValueError, match="x has 1 item; alignment needs 2 or more"):
        chance_alignment([[1.0]], [[1.0]])
