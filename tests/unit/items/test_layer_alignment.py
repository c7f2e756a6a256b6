"""The alignment of neighbouring layers, against what is known of it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from repatlas.dynamics.layer_alignment import gated_alignments, layer_alignment

SEEDS = st.integers(0, 2**32 - 1)


def rotation(rng, size):
    return np.linalg.qr(rng.standard_normal((size, size)))[0]


@given(SEEDS)
def test_layers_that_share_their_singular_vectors_have_an_alignment_of_one(seed):
    rng = np.random.default_rng(seed)
    u, r, v = (rotation(rng, 4) for _ in range(3))
    strong, weak = np.diag([4.0, 2.0, 1.0, 0.5]), np.diag([3.0, 2.0, 1.5, 0.1])
    assert layer_alignment(r @ strong @ v.T, u @ weak @ r.T) == pytest.approx(1)


@given(SEEDS)
def test_no_alignment_is_above_one_and_scale_and_rotation_of_the_ends_do_not_matter(seed):
    rng = np.random.default_rng(seed)
    first, second = rng.standard_normal((5, 3)), rng.standard_normal((4, 5))
    found = layer_alignment(first, second)
    assert 0 <= found <= 1 + 1e-12
    turned = layer_alignment(2 * first @ rotation(rng, 3), rotation(rng, 4) @ second / 3)
    assert turned == pytest.approx(found)


def test_weights_in_single_precision_are_multiplied_in_double_precision():
    first, second = np.random.default_rng(0).standard_normal((2, 6, 6)).astype(np.float32)
    assert layer_alignment(first, second) == layer_alignment(first.astype(float), second)


def test_units_that_are_off_at_an_item_do_not_count():
    first = np.array([[2.0, 0.0], [0.0, 1.0], [5.0, 5.0]])
    second = np.array([[3.0, 0.0, 7.0], [0.0, 1.0, -7.0]])
    [found] = gated_alignments([first, second], [[[True, True, False]] * 2])
    assert found == pytest.approx(1)
