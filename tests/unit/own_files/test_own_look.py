"""The first look, and what becomes of arrays with more axes and of bad numbers."""

from pathlib import Path

import numpy as np
import pytest
from selections import some

from repatlas.experiments.files import matrix as matrices
from repatlas.experiments.files.content import array_digest
from repatlas.experiments.files.look import count_facts, look, page
from repatlas.experiments.files.matrix import Matrix, channel_axis
from repatlas.experiments.files.seen import seen
from repatlas.record import Refused


def facts_of(values, **options):
    found = look(Matrix("a", np.asarray(values), options.get("reduction"), options.get("channels")))
    return {fact.fact: fact for fact in found.facts}


def refusal(function, *arguments):
    with pytest.raises(Refused) as refused:
        function(*arguments)
    return str(refused.value)


@pytest.fixture(params=["whole", "in blocks"])
def read(request, monkeypatch):
    """Arrays are read as a whole, and three rows of six float32 at a time."""
    if request.param == "in blocks":
        monkeypatch.setattr(matrices, "BLOCK_BYTES", 3 * 6 * 4)


def test_shape_and_type_are_told(read, array):
    found = facts_of(array)
    assert found["shape"].value == "10 x 6"
    assert found["type"].value == "float32"
    assert (found["rows"].value, found["features"].value) == (10, 6)


def test_constant_features_are_named(read, array):
    array[:, [1, 4]] = [0.0, 7.5]
    found = facts_of(array)
    assert (found["constant features"].value, found["constant features"].note) == (2, "1, 4")


def test_a_feature_that_varies_little_is_not_constant(read, array):
    assert facts_of(array * 1e-20)["constant features"].value == 0


def test_duplicate_features_are_named_and_constant_ones_are_not(read, array):
    array[:, 5] = array[:, 2]
    array[:, [0, 1]] = 3
    found = facts_of(array)
    assert (found["duplicate features"].value, found["duplicate features"].note) == (1, "2, 5")


def test_duplicate_rows_are_named(read, array):
    array[[4, 9]] = array[0]
    found = facts_of(array)
    assert (found["duplicate rows"].value, found["duplicate rows"].note) == (2, "0, 4, 9")


def test_counts_of_spikes_that_differ_are_no_duplicates():
    """Small whole numbers in float64 have most bits zero, which sums of bits could overlook."""
    counts = np.random.default_rng(0).poisson(5, (2000, 300)).astype(float)
    found = facts_of(counts)
    assert found["duplicate features"].value == 0
    assert found["duplicate rows"].value == 2000 - len(np.unique(counts, axis=0))


def test_minus_zero_is_zero():
    assert facts_of([[0.0, 1.0], [-0.0, 1.0], [2.0, 3.0]])["duplicate rows"].value == 1


def test_offset_against_spread_is_that_of_the_centred_array(read, array):
    shifted = array + np.float32(100)
    wanted = np.linalg.norm(shifted.mean(0, dtype=float)) / np.linalg.norm(
        shifted.std(0, dtype=float)
    )
    assert facts_of(shifted)["offset / spread"].value == pytest.approx(wanted, rel=1e-6)


def test_without_spread_the_reason_is_told():
    fact = facts_of(np.ones((4, 3)))["offset / spread"]
    assert (fact.value, fact.note) == (None, "all rows are the same")


@pytest.mark.parametrize("shape", [(40, 12), (12, 40)])
def test_rank_is_how_many_directions_the_rows_vary_in(shape):
    rng = np.random.default_rng(0)
    low = rng.standard_normal((shape[0], 3)) @ rng.standard_normal((3, shape[1]))
    assert facts_of(low + 5)["rank"].value == 3
    assert facts_of((low + 5).astype(np.float32))["rank"].value == 3


def test_rank_of_many_rows_is_that_of_some_of_them():
    rows = np.random.default_rng(0).standard_normal((3000, 8))
    fact = facts_of(rows)["rank"]
    assert (fact.value, fact.note) == (8, "of 1024 rows")


def test_memory_and_time_of_an_alignment_are_told():
    found = facts_of(np.ones((1000, 100)))
    assert found["alignment of a pair: MB"].value == 2
    assert found["alignment of a pair: s"].value == pytest.approx(3 * 1000 * 100 * 100 / 1.5e10)


def test_the_digest_is_that_of_the_content(read, array):
    np.save("a.npy", array)
    assert look(Matrix("a", array, None, None)).digest == array_digest(Path("a.npy"))


def test_trials_are_counted_for_each_condition():
    facts = count_facts("a", "trials of an item", ["x"] * 5 + ["y"] * 2 + ["z"] * 3)
    assert [(fact.fact.split(": ")[1], fact.value) for fact in facts] == [
        ("how many", 3),
        ("fewest", 2),
        ("median", 3.0),
        ("most", 5),
    ]
    assert facts[1].note == "'y'"


def test_the_page_has_every_fact(array):
    found = look(Matrix("a", array, None, None))
    text = page(found.facts)
    assert all(f"| {fact.fact} |" in text for fact in some(found.facts))
    assert "## a" in text and "| shape | 10 x 6 | |" in text.replace("|  |", "| |")


# Numbers that are not finite.


@pytest.fixture
def holed(array):
    array[3, 2], array[7, 2], array[7, 5] = np.nan, np.inf, -np.inf
    return Matrix("a.npy", array, None, None)


def test_bad_numbers_are_refused_with_row_and_feature(read, holed):
    assert refusal(seen, holed, None) == (
        "a.npy: 3 numbers are not finite: nan in row 3, feature 2, inf in row 7, feature 2, -inf in"
        " row 7, feature 5 (counted from 0); allowed: finite numbers, or missing: drop_features,"
        " drop_rows"
    )


def test_the_first_few_are_named_and_all_are_counted(array):
    array[2:] = np.nan
    sentence = refusal(seen, Matrix("a.npy", array, None, None), None)
    assert "48 numbers are not finite" in sentence
    assert sentence.count("nan in row") == 5 and ", ... (counted" in sentence


def test_features_with_bad_numbers_are_dropped_and_counted(read, holed):
    found = seen(holed, "drop_features")
    np.testing.assert_array_equal(found.features, [0, 1, 3, 4])
    assert some(found.rows).all()
    assert [f.value for f in found.look.facts if f.fact == "dropped features"] == [2]


def test_rows_with_bad_numbers_are_dropped_and_counted(read, holed):
    found = seen(holed, "drop_rows")
    assert np.flatnonzero(~found.rows).tolist() == [3, 7]
    assert found.features is None
    assert [f.value for f in found.look.facts if f.fact == "dropped rows"] == [2]


def test_bad_numbers_do_not_hide_other_facts(read, holed, array):
    finite = np.where(np.isfinite(array), array, np.nan)
    found = {fact.fact: fact.value for fact in look(holed).facts}
    spread = np.sqrt(np.nansum(np.nanvar(finite.astype(float), axis=0)))
    offset = np.linalg.norm(np.nanmean(finite.astype(float), axis=0))
    assert found["offset / spread"] == pytest.approx(offset / spread, rel=1e-6)
    assert found["rank"] == 6


def test_a_feature_is_constant_where_all_its_finite_numbers_are_the_same(read, holed, array):
    array[:, 1] = 7.5
    array[3, 1] = np.nan
    found = facts_of(array)["constant features"]
    assert (found.value, found.note) == (1, "1")


@pytest.mark.parametrize("what", ["features", "rows"])
def test_nothing_left_is_refused(what, array):
    array[0], array[:, 0] = np.nan, np.nan
    matrix = Matrix("a.npy", array, None, None)
    assert refusal(seen, matrix, f"drop_{what}") == (
        f"a.npy: all {what} have numbers that are not finite, so none is left"
    )


# More than two axes.


@pytest.fixture
def maps():
    """Four images, three channels, 2 x 2."""
    return np.random.default_rng(0).standard_normal((4, 3, 2, 2)).astype(np.float32)


def reduced(values, reduction, channels=None):
    matrix = Matrix("a", values, reduction, channels)
    return matrix.take(np.arange(len(values)))


def test_more_than_two_axes_are_refused_until_a_reduction_is_named(maps):
    assert refusal(Matrix, "a.npy", maps, None, None) == (
        "a.npy: has 4 axes, (4, 3, 2, 2): say how features are made of them, allowed: reduction:"
        " flat, pooled, spatial; flat is x.reshape(len(x), -1)"
    )


def test_flat_keeps_every_number(maps):
    np.testing.assert_array_equal(reduced(maps, "flat"), maps.reshape(4, 12))


def test_pooled_is_the_mean_of_each_channel(maps):
    np.testing.assert_allclose(reduced(maps, "pooled"), maps.mean(axis=(2, 3)), rtol=1e-5)


def test_spatial_makes_each_position_a_row(maps):
    found = reduced(maps, "spatial")
    assert found.shape == (16, 3)
    np.testing.assert_array_equal(found[4 + 1], maps[1, :, 0, 1])  # image 1, second position


@pytest.mark.parametrize("reduction", ["pooled", "spatial"])
def test_channels_may_be_first_or_last(reduction, maps):
    last = np.moveaxis(maps, 1, -1)
    np.testing.assert_allclose(
        reduced(last, reduction, "last"), reduced(maps, reduction, "first"), rtol=1e-6
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
    found = Matrix("a", array, None, None).take(rows, np.array([5, 1]))
    np.testing.assert_array_equal(some(found), array[rows][:, [5, 1]])


def test_a_whole_array_stays_mapped_into_memory(array):
    np.save("a.npy", array)
    stored = np.load("a.npy", mmap_mode="r")
    assert np.shares_memory(Matrix("a", stored, None, None).take(np.arange(10)), stored)


@pytest.mark.parametrize(
    ("kind", "wanted"), [("f2", "f4"), ("f4", "f4"), ("i2", "f8"), ("?", "f8"), (">f8", "f8")]
)
def test_values_have_the_digits_of_the_file(kind, wanted):
    assert reduced(np.ones((3, 2), kind), None).dtype == wanted
