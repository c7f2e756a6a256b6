"""Alignment of kernels: closed forms, chance, and the form without bias for few items."""

import warnings
from itertools import permutations

import numpy as np
import pytest

from repatlas.geometry import (
    alignment_of_kernels,
    centred_kernel,
    chance_alignment,
    kernel_alignment,
)


@pytest.mark.parametrize("delta", [0, 0.3, 1, 2])
def test_alignment_of_the_separable_task_with_its_target(separable, delta):
    alignment = kernel_alignment(separable(delta), separable.target[:, None])
    assert alignment == pytest.approx(delta**2 / np.sqrt(2 + delta**4), abs=1e-12)


@pytest.mark.parametrize("debiased", [False, True])
def test_alignment_is_symmetric_ignores_rotation_and_order_and_is_1_with_itself(rng, debiased):
    x, y = rng.standard_normal((12, 5)), rng.standard_normal((12, 8))
    expected = kernel_alignment(x, y, debiased=debiased)
    rotation, order = np.linalg.qr(rng.standard_normal((5, 5)))[0], rng.permutation(12)
    for changed in ((y, x), (x @ rotation, y), (x[order], y[order])):
        assert kernel_alignment(*changed, debiased=debiased) == pytest.approx(expected, rel=1e-12)
    assert kernel_alignment(x, 3 * x + 1, debiased=debiased) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize(("width_x", "width_y"), [(3, 8), (40, 2)])
def test_chance_is_the_mean_over_all_orders_of_the_items(rng, width_x, width_y):
    x, y = (rng.standard_normal((6, n)) for n in (width_x, width_y))
    kernel_x, kernel_y = centred_kernel(x), centred_kernel(y)
    orders = [list(order) for order in permutations(range(6))]
    found = [alignment_of_kernels(kernel_x, kernel_y[np.ix_(order, order)]) for order in orders]
    assert chance_alignment(x, y) == pytest.approx(np.mean(found), rel=1e-12)


def test_debiased_alignment_is_that_of_google_research(cka_case, answer, vector_inputs):
    inputs = vector_inputs("cka")
    x, y = inputs[f"{cka_case}_x"], inputs[f"{cka_case}_y"]
    expected = answer["gr_linear_cka_debiased"]
    assert kernel_alignment(x, y, debiased=True) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("features", [5, 2000])
def test_unrelated_noise_has_a_debiased_alignment_of_zero_on_average(rng, features):
    found = [
        kernel_alignment(*rng.standard_normal((2, 20, features)), debiased=True) for _ in range(200)
    ]
    assert abs(np.mean(found)) < 3 * np.std(found) / np.sqrt(len(found))


def test_few_items_with_many_features_are_warned_of(rng):
    x, y = rng.standard_normal((2, 20, 2000))
    with pytest.warns(UserWarning, match=r"few items \(20\) .* of 0.99 on average") as caught:
        found = kernel_alignment(x, y)
    assert found == pytest.approx(0.99, abs=0.005)
    assert [w.filename for w in caught] == [__file__]


@pytest.mark.parametrize(
    "align",
    [
        lambda x, y: kernel_alignment(x, y, debiased=True),
        lambda x, y: alignment_of_kernels(centred_kernel(x), centred_kernel(y)),
        lambda x, y: kernel_alignment(np.tile(x[:, :5], (30, 1)), np.tile(y[:, :5], (30, 1))),
    ],
    ids=["debiased", "of kernels", "many items"],
)
def test_otherwise_there_is_no_warning(rng, align):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        align(*rng.standard_normal((2, 20, 2000)))


def test_items_that_no_kernel_tells_apart_have_no_alignment(rng):
    x, same = rng.standard_normal((6, 2)), np.full((6, 3), 0.1)  # its mean is not exactly 0.1
    for debiased in (False, True):
        assert np.isnan(kernel_alignment(same, x, debiased=debiased))
    assert np.isnan(chance_alignment(same, x))
    equally_far = np.eye(6)
    assert np.isnan(kernel_alignment(equally_far, x, debiased=True))


@pytest.mark.parametrize("align", [kernel_alignment, chance_alignment])
def test_different_numbers_of_items_are_refused(align):
    with pytest.raises(ValueError, match="x has 4 items and y has 5; both must describe the same"):
        align(np.ones((4, 2)), np.ones((5, 2)))


def test_too_few_items_and_kernels_of_different_items_are_refused():
    with pytest.raises(ValueError, match="x has 1 item; alignment needs 2 or more"):
        chance_alignment([[1.0]], [[1.0]])
    with pytest.raises(ValueError, match="x has 3 items; debiased alignment needs 4 or more"):
        kernel_alignment(np.eye(3), np.eye(3), debiased=True)
    with pytest.raises(ValueError, match="kernel_x has 2 items and kernel_y has 3"):
        alignment_of_kernels(*(centred_kernel(np.eye(n)) for n in (2, 3)))
