"""The first look, and what becomes of arrays with more axes and of bad numbers."""

from pathlib import Path

import numpy as np
import pytest
from selections import some

from repatlas.experiments.files import matrix as matrices
from repatlas.experiments.files.content import array_digest
from repatlas.experiments.files.look import look
from repatlas.experiments.files.matrix import Matrix, channel_axis
from repatlas.record import Refused


def in_file(values, reduction=None, channels=None):
    np.save("a.npy", values)
    return Matrix("a.npy", None, reduction, channels)


def refusal(function, *arguments):
    with pytest.raises(Refused) as refused:
        function(*arguments)
    return str(refused.value)


@pytest.fixture(params=["whole", "in blocks"])
def read(request, monkeypatch):
    """Arrays are read as a whole, and three rows of six float32 at a time."""
    if request.param == "in blocks":
        monkeypatch.setattr(matrices, "BLOCK_BYTES", 3 * 6 * 4)


def test_the_digest_is_that_of_the_content(read, array):
    assert look(in_file(array)).digest == array_digest(Path("a.npy"))


# Numbers that are not finite.


@pytest.fixture
def holed(array):
    array[3, 2], array[7, 2], array[7, 5] = np.nan, np.inf, -np.inf
    return in_file(array)


def test_bad_numbers_are_refused_with_row_and_feature(read, holed):
    assert refusal(look, holed, None) == (
        "a.npy: 3 numbers are not finite: nan in row 3, feature 2, inf in row 7, feature 2, -inf in"
        " row 7, feature 5 (counted from 0); allowed: finite numbers, or missing: drop_features,"
        " drop_rows"
    )


def test_the_first_few_are_named_and_all_are_counted(array):
    array[2:] = np.nan
    sentence = refusal(look, in_file(array), None)
    assert "48 numbers are not finite" in sentence
    assert sentence.count("nan in row") == 5 and ", ... (counted" in sentence


def test_features_with_bad_numbers_are_dropped_and_counted(read, holed):
    found = look(holed, "drop_features")
    np.testing.assert_array_equal(found.features, [0, 1, 3, 4])
    assert some(found.rows).all()
    assert "10 of 10 rows, 4 of 6 features" in found.kept


def test_rows_with_bad_numbers_are_dropped_and_counted(read, holed):
    found = look(holed, "drop_rows")
    assert np.flatnonzero(~found.rows).tolist() == [3, 7]
    assert found.features is None
    assert "8 of 10 rows, 6 of 6 features" in found.kept


@pytest.mark.parametrize("what", ["features", "rows"])
def test_nothing_left_is_refused(what, array):
    array[0], array[:, 0] = np.nan, np.nan
    matrix = in_file(array)
    assert refusal(look, matrix, f"drop_{what}") == (
        f"a.npy: all {what} have numbers that are not finite, so none is left"
    )


# More than two axes.


@pytest.fixture
def maps():
    """Four images, three channels, 2 x 2."""
    return np.random.default_rng(0).standard_normal((4, 3, 2, 2)).astype(np.float32)


def reduced(values, reduction, channels=None):
    matrix = in_file(values, reduction, channels)
    return matrix.take(np.arange(len(values)))


def test_more_than_two_axes_are_refused_until_a_reduction_is_named(maps):
    assert refusal(in_file, maps) == (
        "a.npy: has 4 axes, (4, 3, 2, 2): say how features are made of them, allowed: reduction:"
        " first, flat, last, pooled, tokens; flat is x.reshape(len(x), -1)"
    )


def test_flat_keeps_every_number(maps):
    np.testing.assert_array_equal(reduced(maps, "flat"), maps.reshape(4, 12))


def test_pooled_is_the_mean_of_each_channel(maps):
    np.testing.assert_allclose(reduced(maps, "pooled"), maps.mean(axis=(2, 3)), rtol=1e-5)


def test_channels_may_be_first_or_last(maps):
    last = np.moveaxis(maps, 1, -1)
    np.testing.assert_allclose(
        reduced(last, "pooled", "last"), reduced(maps, "pooled", "first"), rtol=1e-6
    )


def test_square_maps_tell_where_the_channels_are():
    assert channel_axis("a", (9, 64, 7, 7), None) == 1
    assert channel_axis("a", (9, 7, 7, 64), None) == 3


@pytest.mark.parametrize("shape", [(9, 7, 7, 7), (9, 64, 7, 5), (9, 50, 768)])
def test_where_nothing_tells_them_they_are_asked_for(shape):
    assert refusal(channel_axis, "a.npy", shape, None) == (
        f"a.npy: has shape {shape}: say which axis after the items the channels are, allowed:"
        " channels: first, last"
    )


def test_tokens_are_pooled_as_positions():
    tokens = np.arange(24.0).reshape(2, 4, 3)
    np.testing.assert_array_equal(reduced(tokens, "pooled", "last"), tokens.mean(axis=1))


def test_a_single_neuron_may_be_a_list_of_numbers():
    assert reduced(np.arange(5.0), None).shape == (5, 1)


# Rows by number.


def test_rows_are_taken_in_any_order_and_repeatedly(read, array):
    rows = np.array([9, 0, 9, 4])
    found = in_file(array).take(rows, np.array([5, 1]))
    np.testing.assert_array_equal(some(found), array[rows][:, [5, 1]])


def test_a_large_array_stays_mapped_into_memory(array):
    found = in_file(np.tile(array, (10_000, 1))).take(np.arange(100_000))
    while not isinstance(found, np.memmap):
        found = found.base
        assert found is not None


@pytest.mark.parametrize(
    ("kind", "wanted"), [("f2", "f4"), ("f4", "f4"), ("i2", "f8"), ("?", "f8"), (">f8", "f8")]
)
def test_values_have_the_digits_of_the_file(kind, wanted):
    assert reduced(np.ones((3, 2), kind), None).dtype == wanted
