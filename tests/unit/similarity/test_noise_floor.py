"""What a similarity is for representations that have nothing in common."""

import numpy as np
import pytest
from selections import some

from repatlas.similarity import (
    canonical_correlations,
    noise_floor,
    pwcca,
    svcca,
)


def mean_square(x, y):
    return np.mean(canonical_correlations(x, y) ** 2)


@pytest.mark.parametrize(("h1", "h2"), [(12, 5), (5, 12), (9, 9)])
def test_the_mean_square_of_canonical_correlations_has_the_floor_of_the_closed_form(rng, h1, h2):
    """The floor is max(h1, h2) / (m - 1), even if the two representations are identical."""
    x = rng.standard_normal((60, 12))
    floor = noise_floor(mean_square, x[:, :h1], x[:, :h2], draws=400)
    assert abs(floor.mean - max(h1, h2) / 59) < 4 * floor.sd / np.sqrt(400)


def orders(groups=None, items=12, **options):
    """Return the order of y's items in each draw; the draws do not depend on x."""
    seen, numbered = [], np.arange(float(items))[:, None]

    def measure(x, y):
        assert np.array_equal(x, numbered)
        seen.append(y[:, 0].astype(int).tolist())
        return 0.0

    noise_floor(measure, numbered, numbered, groups, **options)
    return seen


def test_each_draw_has_all_items_in_another_order():
    found = orders(draws=20)
    assert all(sorted(order) == list(range(12)) for order in some(found))
    assert len(set(map(tuple, found))) == 20


def test_equal_seeds_give_equal_draws_and_more_draws_go_on_from_them():
    assert orders(seed=3) == orders(seed=3) != orders(seed=4)
    assert orders(seed=3, draws=30)[:20] == orders(seed=3)


def test_whole_images_change_places_and_their_rows_keep_their_order():
    """Rows of an image do not have to follow each other."""
    images = np.array(["b", "a", "c", "a", "b", "c", "c", "a", "b", "a", "b", "c"])
    rows = {image: np.flatnonzero(images == image).tolist() for image in "abc"}
    found = np.array(orders(images))
    for order in found:
        taken = [order[rows[image]].tolist() for image in "abc"]
        assert sorted(taken) == sorted(rows.values())
    assert len({tuple(order) for order in found}) == 6  # all orders of three images


def test_a_measure_that_returns_more_than_a_number_is_refused(rng):
    x, y = rng.standard_normal((2, 30, 3))
    with pytest.raises(ValueError, match="measure returned SVCCA; allowed is one number, such as"):
        noise_floor(svcca, x, y)
    with pytest.raises(ValueError, match="measure returned ndarray; allowed is one number"):
        noise_floor(canonical_correlations, x, y)


def test_what_else_is_refused(rng):
    x, y = rng.standard_normal((2, 30, 3))
    with pytest.raises(ValueError, match="x has 30 items and y has 29; both must describe"):
        noise_floor(pwcca, x, y[1:])
    with pytest.raises(ValueError, match="draws is 1; allowed are 2 or more"):
        noise_floor(pwcca, x, y, draws=1)
    with pytest.raises(ValueError, match=r"groups has shape \(3,\); allowed is \(30,\), one group"):
        noise_floor(pwcca, x, y, groups=[0, 1, 2])
    with pytest.raises(ValueError, match="groups has groups of 1 to 29 rows; whole groups can"):
        noise_floor(pwcca, x, y, groups=[0] + 29 * [1])
