"""p values from permutations: exact where all can be counted, uniform where nothing is related."""

from itertools import permutations as all_orders

import numpy as np
import pytest
from scipy import stats
from selections import some

from repatlas.geometry import kernel_alignment
from repatlas.inference.permutation import (
    add_one_p,
    max_t,
    permutations,
    permute_items,
    permuted_alignments,
)


def debiased(x, y):
    return kernel_alignment(x, y, debiased=True)


def test_p_counts_the_draws_that_are_as_large_and_the_value_itself():
    assert add_one_p(2.0, [1.0, 2.0, 3.0, 0.0]) == 3 / 5
    assert add_one_p(9.0, np.zeros(99)) == 1 / 100
    assert add_one_p(9.0, [1.0, np.nan, np.nan]) == 3 / 4, "a draw without a value counts"
    assert np.isnan(add_one_p([np.nan], [[1.0]]))


def test_a_draw_that_differs_by_rounding_is_as_large():
    assert add_one_p(0.3, [0.1 + 0.2, 0.3 - 1e-16]) == 1


def test_draws_of_another_shape_are_refused():
    with pytest.raises(ValueError, match=r"draws has shape \(3,\); allowed is \(m, ...\), one row"):
        add_one_p([1.0, 2.0], [1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match=r"draws has shape \(0,\)"):
        max_t(1.0, [])


def test_pairs_that_are_left_out_of_max_t_raise_no_other_p():
    values, draws = np.array([1.0, np.nan]), np.array([[0.0, 9.0]] * 9)
    assert max_t(values, draws) == pytest.approx(np.array([0.1, np.nan]), nan_ok=True)


def test_orders_are_those_of_the_seed():
    first, again, other = (permutations(10, 5, seed=seed) for seed in (0, 0, 1))
    assert np.array_equal(first, again) and not np.array_equal(first, other)
    assert all(sorted(order) == list(range(10)) for order in some(first))


def test_places_of_an_image_move_together_and_keep_their_order():
    images = np.array(["a", "b", "a", "b", "c", "c"])
    for order in permutations(6, 30, groups=images):
        by_image = [images[order[images == name]] for name in "abc"]
        assert all(len(set(names)) == 1 for names in some(by_image))
        assert all(np.all(np.diff(order[images == name]) > 0) for name in "abc")
    assert len({tuple(order) for order in permutations(6, 200, groups=images)}) == 6


def test_images_of_different_sizes_are_refused():
    with pytest.raises(ValueError, match=r"groups has shape .* and from 1 to 2 rows in a group"):
        permutations(3, 1, groups=["a", "a", "b"])
    with pytest.raises(ValueError, match="draws is 0; allowed are whole numbers from 1"):
        permutations(3, 0)


def test_the_p_of_few_items_is_that_of_all_their_orders(rng):
    x = rng.standard_normal((6, 2))
    y = x + 2.0 * rng.standard_normal((6, 2))
    value = debiased(x, y)
    all_p = np.mean([debiased(x, y[list(o)]) >= value - 1e-12 for o in all_orders(range(6))])
    found = permute_items(debiased, x, y, draws=4000)
    assert found.p == pytest.approx(all_p, abs=4 * np.sqrt(all_p * (1 - all_p) / 4000) + 1e-3)
    assert found.value == value
    assert found.chance == found.draws.mean()


def test_permuted_alignments_are_the_debiased_alignments_of_permuted_items(rng):
    xs, ys = rng.standard_normal((2, 9, 4)), rng.standard_normal((3, 9, 20))
    values, draws = permuted_alignments(xs, ys, draws=3, seed=7)
    assert values == pytest.approx(np.array([[debiased(x, y) for y in ys] for x in xs]))
    for draw, order in zip(draws, permutations(9, 3, seed=7), strict=True):
        assert draw == pytest.approx(np.array([[debiased(x, y[order]) for y in ys] for x in xs]))


def test_within_one_list_each_has_an_order_of_its_own(rng):
    xs = rng.standard_normal((3, 9, 4))
    values, draws = permuted_alignments(xs, draws=2, seed=7)
    assert some(np.isnan(np.diagonal(values))).all()
    orders = permutations(9, 6, seed=7)
    for draw, own in zip(draws, (orders[:3], orders[3:]), strict=True):
        moved = [x[order] for x, order in zip(xs, own, strict=True)]
        for i, j in ((0, 1), (0, 2), (1, 2)):
            assert draw[i, j] == draw[j, i] == pytest.approx(debiased(moved[i], moved[j]))


@pytest.mark.parametrize("with_ys", [True, False])
def test_each_has_the_orders_of_its_own_seed_where_seeds_are_given(rng, with_ys):
    xs, ys = rng.standard_normal((2, 9, 4)), rng.standard_normal((2, 9, 20))
    seeds = ([5, 6], [7, 8]) if with_ys else ([5, 6], None)
    _, draws = permuted_alignments(xs, ys if with_ys else None, draws=3, seeds=seeds)
    of_x, of_y = ([permutations(9, 3, seed=seed) for seed in each or seeds[0]] for each in seeds)
    for number, draw in enumerate(draws):
        for i, j in ((0, 1), (1, 0)):
            x, y = xs[i][of_x[i][number]], (ys if with_ys else xs)[j][of_y[j][number]]
            assert draw[i, j] == pytest.approx(debiased(x, y))


def test_items_that_are_all_the_same_have_no_p(rng):
    x = rng.standard_normal((9, 4))
    values, draws = permuted_alignments([x, np.ones((9, 2))], [x], draws=19)
    assert max_t(values, draws) == pytest.approx(np.array([[0.05], [np.nan]]), nan_ok=True)


def test_what_has_no_alignment_is_refused(rng):
    with pytest.raises(ValueError, match=r"xs\[0\] has 5 items and xs\[1\] has 6; all must"):
        permuted_alignments([np.eye(5), np.eye(6)])
    with pytest.raises(ValueError, match=r"xs\[0\] has 5 items and ys\[0\] has 6; both must"):
        permuted_alignments([np.eye(5)], [np.eye(6)])
    with pytest.raises(ValueError, match=r"xs\[0\] has 3 items and xs\[0\] has 3; .* 4 or more"):
        permuted_alignments([np.eye(3)])
    with pytest.raises(ValueError, match="ys is empty"):
        permuted_alignments([np.eye(5)], [])


@pytest.mark.slow
def test_p_is_uniform_where_nothing_is_related(rng):
    """With 19 draws, p is one of 1/20 ... 20/20, each with the same probability."""
    found = [
        permute_items(debiased, *rng.standard_normal((2, 12, 3)), draws=19, seed=seed).p
        for seed in range(600)
    ]
    counts = np.bincount(np.round(np.array(found) * 20).astype(int), minlength=21)[1:]
    assert stats.chisquare(counts).pvalue > 0.001


@pytest.mark.slow
def test_max_t_errs_in_5_percent_of_all_matrices_of_unrelated_representations(rng):
    """Single p values do so in many more matrices. The layers of xs are related to each other."""
    single, corrected = [], []
    for seed in range(400):
        base = rng.standard_normal((15, 3))
        xs = [base + 0.7 * rng.standard_normal((15, 3)) for _ in range(4)]
        ys = rng.standard_normal((3, 15, 3))
        values, draws = permuted_alignments(xs, ys, draws=99, seed=seed)
        single.append(add_one_p(values, draws).min() <= 0.05)
        corrected.append(max_t(values, draws).min() <= 0.05)
    assert stats.binomtest(int(np.sum(corrected)), 400, 0.05).pvalue > 0.001
    assert np.mean(single) > 0.15
