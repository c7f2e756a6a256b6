import numpy as np
import pytest

from repatlas.geometry import centred_kernel, participation_ratio


@pytest.mark.parametrize("delta", [0, 0.3, 1, 2])
def test_participation_ratio_of_the_separable_task(separable, delta):
    ratio = participation_ratio(centred_kernel(separable(delta)))
    assert ratio == pytest.approx((2 + delta**2) ** 2 / (2 + delta**4), rel=1e-12)


@pytest.mark.parametrize("patterns", [np.ones((4, 3)), np.arange(9.0).reshape(3, 3)])
def test_patterns_passed_as_a_kernel_are_refused(patterns):
    with pytest.raises(ValueError, match="not a symmetric matrix"):
        participation_ratio(patterns)


@pytest.mark.parametrize("mean", [1e-3, 100])
def test_a_kernel_that_is_not_centred_is_refused(rng, mean):
    patterns = rng.standard_normal((9, 4))
    patterns += mean - patterns.mean(axis=0)
    with pytest.raises(ValueError, match="kernel is not centred: its rows do not add up to 0"):
        participation_ratio(patterns @ patterns.T)


def test_a_kernel_that_was_centred_in_single_precision_is_taken(rng):
    patterns = 0.5 + rng.standard_normal((500, 40), dtype=np.float32)
    centring = np.eye(500, dtype=np.float32) - np.float32(1 / 500)
    kernel = centring @ (patterns @ patterns.T) @ centring
    expected = participation_ratio(centred_kernel(patterns))
    assert participation_ratio(kernel) == pytest.approx(expected, rel=1e-4)


def test_a_matrix_with_negative_eigenvalues_is_refused(rng):
    kernel = centred_kernel(rng.standard_normal((9, 4)))
    swapped = np.array([[1.0, -1, 0, 0], [-1, 1, 0, 0], [0, 0, -1, 1], [0, 0, 1, -1]])
    for wrong in (-kernel, swapped):
        with pytest.raises(ValueError, match="kernel has negative eigenvalues"):
            participation_ratio(wrong)
