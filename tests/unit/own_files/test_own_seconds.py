"""What measures are expected to take is what they took, within a factor of three."""

import pytest

from repatlas.experiments.files.seconds import Size, seconds

MEASURED = [
    # measure, rows, features, draws, trials, seconds of a core
    ("alignment", 2000, 200, 19, False, 0.13),
    ("alignment", 4000, 1024, 19, False, 1.44),
    ("alignment", 1000, 4096, 19, False, 5.55),
    ("ccgp", 400, 60, 19, True, 0.12),
    ("ccgp", 1000, 500, 19, True, 3.6),
    ("ccgp", 4000, 1000, 2, True, 4.0),
    ("ccgp", 200, 5000, 9, True, 3.1),
    ("decoding", 400, 60, 19, True, 0.12),
    ("decoding", 1000, 500, 19, True, 9.2),
    ("decoding", 4000, 1000, 2, True, 6.0),
    ("decoding", 200, 5000, 9, True, 4.2),
    ("dimensionality", 2000, 200, 2, False, 0.09),
    ("dimensionality", 4000, 1024, 2, False, 3.7),
    ("dimensionality", 1000, 4096, 2, False, 2.75),
    ("dimensionality", 8000, 2048, 2, False, 25.8),
    ("parallelism", 400, 60, 19, True, 0.11),
    ("parallelism", 1000, 500, 19, True, 0.94),
    ("parallelism", 4000, 1000, 2, True, 1.9),
]
"""Seconds for two variables with two values each, on one core of an AMD EPYC."""


@pytest.mark.parametrize(("measure", "rows", "features", "draws", "trials", "took"), MEASURED)
def test_a_measure_is_expected_to_take_what_it_took(measure, rows, features, draws, trials, took):
    size = Size(rows, features, 4, [2, 2], draws, trials, sample=trials)
    assert took / 3 < seconds(measure, size) < 3 * took


@pytest.mark.parametrize(
    ("rows", "units", "times", "draws", "took"),
    [(400, 60, 5, 19, 0.81), (200, 30, 20, 19, 0.49), (400, 100, 10, 9, 0.57)],
)
def test_decoders_over_time_are_expected_to_take_what_they_took(rows, units, times, draws, took):
    size = Size(rows, units * times, 4, [2, 2], draws, trials=True, sample=True, times=times)
    assert took / 3 < seconds("over_time", size) < 3 * took
