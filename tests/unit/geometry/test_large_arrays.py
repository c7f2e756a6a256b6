"""Many items or many features: memory goes with the smaller number, and nothing is doubled."""

import tracemalloc

import numpy as np
import pytest

from repatlas.geometry import (
    alignment_of_kernels,
    centred_kernel,
    kernel_alignment,
    participation_ratio,
    participation_ratio_of_features,
    patterns,
)

SHAPES = [(50, 3, 4), (50, 3, 400), (50, 400, 3), (50, 80, 90), (4, 1, 30)]


@pytest.mark.parametrize(("items", "width_x", "width_y"), SHAPES)
@pytest.mark.parametrize("block", [1, 70, patterns.BLOCK])
def test_alignment_is_the_same_from_kernels_and_features(
    rng, monkeypatch, items, width_x, width_y, block
):
    x, y = (1e3 + rng.standard_normal((items, n)) for n in (width_x, width_y))
    expected = alignment_of_kernels(centred_kernel(x), centred_kernel(y))
    monkeypatch.setattr(patterns, "BLOCK", block)
    assert kernel_alignment(x, y) == pytest.approx(expected, rel=1e-12)
    assert np.allclose(centred_kernel(x), _kernel(x), atol=1e-9)


def _kernel(x):
    x = x - x.mean(axis=0)
    return x @ x.T


@pytest.mark.parametrize("shape", [(50, 3), (50, 400), (2, 1)])
def test_participation_ratio_is_the_same_from_kernel_and_features(rng, shape):
    x = rng.standard_normal(shape)
    expected = participation_ratio(centred_kernel(x))
    assert participation_ratio_of_features(x) == pytest.approx(expected, rel=1e-12)


def test_identical_items_have_no_participation_ratio():
    assert np.isnan(participation_ratio_of_features(np.full((6, 3), 0.1)))


@pytest.mark.parametrize(
    "measure",
    [
        lambda x: kernel_alignment(x, x[:, ::-1]),
        lambda x: kernel_alignment(x, x[:, ::-1], debiased=True),
        participation_ratio_of_features,
    ],
)
def test_large_arrays_are_not_copied_and_have_no_kernel(rng, monkeypatch, measure):
    monkeypatch.setattr(patterns, "BLOCK", 2**17)
    x = rng.standard_normal((20_000, 200), dtype=np.float32)
    tracemalloc.start()
    try:
        measure(x)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < x.nbytes  # in double precision it'd be twice that; the kernel has 3.2 GB
