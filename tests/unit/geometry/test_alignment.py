import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repatlas.geometry import balanced_dichotomies, centred_kernel, kernel_alignment

sizes = pytest.mark.parametrize(("items", "features"), [(4, 2), (8, 100), (32, 5), (60, 60)])


def two_representations(items, features):
    rng = np.random.default_rng(items + features)
    return rng.standard_normal((items, features)), rng.standard_normal((items, features + 3))


@sizes
def test_a_centred_kernel_holds_the_products_of_the_centred_items(items, features):
    x, _ = two_representations(items, features)
    centring = np.eye(items) - 1 / items
    assert np.allclose(centred_kernel(x), centring @ (x @ x.T) @ centring, atol=1e-12)


@sizes
def test_alignment_is_its_definition(items, features):
    x, y = two_representations(items, features)
    x, y = x - x.mean(axis=0), y - y.mean(axis=0)
    kx = [[sum(a * b) for b in x] for a in x]
    ky = [[sum(a * b) for b in y] for a in y]

    def trace(k, q):
        return sum(k[i][j] * q[j][i] for i in range(items) for j in range(items))

    definition = trace(kx, ky) / np.sqrt(trace(kx, kx) * trace(ky, ky))
    assert kernel_alignment(x, y) == pytest.approx(definition, rel=1e-12)


@sizes
def test_alignment_is_symmetric(items, features):
    x, y = two_representations(items, features)
    assert kernel_alignment(x, y) == pytest.approx(kernel_alignment(y, x), rel=1e-12)


@sizes
def test_alignment_ignores_rotation(items, features):
    x, y = two_representations(items, features)
    rotation = np.linalg.qr(np.random.default_rng(1).standard_normal((features, features)))[0]
    assert kernel_alignment(x @ rotation, y) == pytest.approx(kernel_alignment(x, y), rel=1e-12)


@pytest.mark.parametrize("scale", [-1, 1e-6, 1e6])
def test_alignment_ignores_scale(scale):
    x, y = two_representations(8, 20)
    assert kernel_alignment(scale * x, y) == pytest.approx(kernel_alignment(x, y), rel=1e-12)


def test_alignment_ignores_a_shift_even_a_large_one():
    x, y = two_representations(8, 20)
    assert kernel_alignment(x + 1e6, y) == pytest.approx(kernel_alignment(x, y), rel=1e-9)


def test_alignment_ignores_the_order_of_the_items(rng):
    x, y = two_representations(8, 20)
    order = rng.permutation(8)
    assert kernel_alignment(x[order], y[order]) == pytest.approx(kernel_alignment(x, y), rel=1e-12)


def test_alignment_with_itself_is_one():
    x, _ = two_representations(8, 20)
    assert kernel_alignment(x, 3 * x + 1) == pytest.approx(1, abs=1e-14)


@given(st.integers(2, 12), st.integers(1, 20), st.integers(1, 20), st.integers(0, 10**6))
@settings(deadline=None, derandomize=True, max_examples=50)
def test_alignment_lies_between_zero_and_one(items, width_x, width_y, seed):
    rng = np.random.default_rng(seed)
    alignment = kernel_alignment(
        rng.standard_normal((items, width_x)), rng.standard_normal((items, width_y))
    )
    assert -1e-12 <= alignment <= 1 + 1e-12


@pytest.mark.parametrize("delta", [0, 0.1, 0.3, 0.5, 0.9, 1, 2])
def test_alignment_of_the_separable_task_with_its_target(separable, delta):
    alignment = kernel_alignment(separable(delta), separable.target[:, None])
    assert alignment == pytest.approx(delta**2 / np.sqrt(2 + delta**4), abs=1e-12)


def test_the_square_is_aligned_with_its_axes_and_not_with_xor(separable):
    dichotomies = balanced_dichotomies(4)
    found = sorted(kernel_alignment(separable(0), d[:, None]) for d in dichotomies)
    assert found == pytest.approx([0, np.sqrt(1 / 2), np.sqrt(1 / 2)], abs=1e-12)


def test_the_tetrahedron_is_equally_aligned_with_every_dichotomy(separable):
    found = [kernel_alignment(separable(1), d[:, None]) for d in balanced_dichotomies(4)]
    assert found == pytest.approx([1 / np.sqrt(3)] * 3, abs=1e-12)


def test_labels_of_zero_and_one_align_as_those_of_minus_and_plus_one(separable):
    signs = separable.target[:, None]
    zero_one = kernel_alignment(separable(0.5), (signs + 1) // 2)
    assert zero_one == pytest.approx(kernel_alignment(separable(0.5), signs), rel=1e-12)


def test_identical_items_have_no_alignment():
    constant = np.full((6, 3), 0.1)  # its mean is not exactly 0.1
    assert np.isnan(kernel_alignment(constant, np.arange(6)[:, None]))


def test_different_numbers_of_items_are_refused():
    with pytest.raises(ValueError, match="x has 4 items and y has 5"):
        kernel_alignment(np.ones((4, 2)), np.ones((5, 2)))


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_values_that_are_not_finite_are_refused(bad):
    with pytest.raises(ValueError, match="y holds NaN or infinite"):
        kernel_alignment(np.eye(3), np.full((3, 2), bad))


def test_a_vector_is_refused():
    with pytest.raises(ValueError, match=r"patterns has shape \(5,\)"):
        centred_kernel(np.arange(5))
