"""Neural collapse of a user's arrays: values, intervals, chance and p values."""

import numpy as np
import pytest

from repatlas.geometry import neural_collapse
from repatlas.geometry.class_variance import chance_within_share, within_share
from repatlas.own import measure

RNG = np.random.default_rng(0)
LABELS = np.repeat(["a", "b", "c"], 20)
CENTRES = 2 * RNG.standard_normal((3, 10))
SAMPLES = np.repeat(CENTRES, 20, axis=0) + RNG.standard_normal((60, 10))


def found(samples=SAMPLES, labels=LABELS, **more):
    table = measure(samples, {"kind": labels}, "items", measures="collapse", draws=99, **more)
    return table.set_index("measure")


def test_the_numbers_are_the_numbers_of_the_functions():
    table = found()
    expected = neural_collapse(SAMPLES, LABELS)
    assert table.value["within_share"] == within_share(SAMPLES, LABELS)
    assert table.value["nc1"] == expected.nc1
    assert table.value["nc2_norms"] == expected.equinorm
    assert table.value["nc2_angles"] == expected.simplex
    assert (table.about == "kind").all()
    assert (table.n == 60).all()
    assert ((table.low < table.value) & (table.value < table.high)).all()


def test_what_is_coded_has_less_variance_within_classes_than_by_chance():
    table = found()
    assert table.p["within_share"] == table.p["nc1"] == pytest.approx(0.01)
    exact = chance_within_share(SAMPLES, np.arange(60), LABELS)
    assert table.chance["within_share"] == pytest.approx(exact, abs=0.01)
    assert table.value["nc1"] < table.chance["nc1"]
    # No null is known for the angles of class means.
    assert table.p[["nc2_norms", "nc2_angles"]].isna().all()


def test_noise_is_at_chance_and_its_p_values_are_not_small():
    table = found(samples=RNG.standard_normal((60, 10)))
    assert table.p["within_share"] > 0.05
    assert table.value["within_share"] == pytest.approx(table.chance["within_share"], abs=0.03)


def test_two_classes_have_no_nc2_and_one_class_has_a_reason():
    assert set(found(labels=LABELS == "a").index) == {"within_share", "nc1"}
    [row] = found(labels=np.full(60, "a")).itertuples()
    assert np.isnan(row.value)
    assert row.reason == "the variable has one value alone"


def test_few_rows_have_a_value_and_no_interval():
    rows = np.r_[0:3, 20:40, 40:60]
    table = found(samples=SAMPLES[rows], labels=LABELS[rows])
    assert table.value["nc1"] > 0
    assert table.low.isna().all()
    assert table.reason["nc1"] == "3 rows of the rarest value, 6 needed for an interval"


def test_blocks_stay_together():
    blocks = np.tile(np.arange(10), 6)
    table = found(blocks=blocks)
    assert table.value["within_share"] == found().value["within_share"]
    assert table.low["within_share"] < table.value["within_share"]
    assert table.low["within_share"] != found().low["within_share"]


def test_a_measure_of_what_is_the_same_in_all_rows_has_a_reason():
    table = found(samples=np.ones((60, 4)))
    assert table.value.isna().all()
    assert "is the mean of all class means" in table.reason["nc1"]
