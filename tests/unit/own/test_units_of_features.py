"""Features in different units: one scale for all of them, fitted without the tested rows."""

import numpy as np
import pytest

from repatlas.own import compare, measure, over_time

RNG = np.random.default_rng(0)
SIDE = np.tile([0, 1], 60)
RATES = RNG.standard_normal((120, 20)) + 1.2 * np.outer(SIDE, RNG.standard_normal(20) / 2)
UNITS = np.r_[[1e6], np.ones(19)]
"""One feature is in other units."""
SAID = "1 of 20 features has 99 % of the variance: scale='features' gives all the same"


def accuracy(samples, **options):
    [row] = measure(samples, SIDE, "trials", measures="decoding", draws=1, **options).itertuples()
    return row


def test_decoders_do_not_depend_on_the_units_of_features_if_all_have_one_scale():
    found = accuracy(RATES * UNITS)
    assert found.value < 0.65 and SAID in found.reason
    same = accuracy(RATES * UNITS, scale="features")
    assert same.value == accuracy(RATES, scale="features").value > 0.75
    assert "features" not in same.reason
    by_time = [
        over_time((RATES * units)[:, :, None], SIDE, draws=1, scale="features").value[0]
        for units in (1, UNITS)
    ]
    assert by_time[0] == by_time[1] > 0.75


def test_predictivity_does_not_depend_on_the_units_of_features_if_all_have_one_scale():
    other = RATES + RNG.standard_normal(RATES.shape)
    found = compare(RATES * UNITS, other, "predictivity", draws=0).iloc[0]
    assert SAID in found.reason
    values = [
        compare(RATES * of_x, other * of_y, "predictivity", draws=0, scale="features").value[0]
        for of_x, of_y in ((1, 1), (UNITS, 1), (1, UNITS))
    ]
    assert values[1:] == pytest.approx(values[:1] * 2, abs=1e-9)
    assert values[0] > 0.3


def test_another_scale_is_refused():
    with pytest.raises(ValueError, match='allowed are "rms", "features" and None'):
        accuracy(RATES, scale="units")
