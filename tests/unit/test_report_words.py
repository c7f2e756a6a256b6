"""Numbers and sentences of the report page."""

from types import SimpleNamespace

import pytest

from repatlas.claims.sentences import interval, number
from repatlas.report.words import verdict_sentence


@pytest.mark.parametrize(
    ("low", "high", "shown"),
    [
        (-0.5, 2, "\N{MINUS SIGN}0.5 to 2"),
        (0.99991, 0.99998, "0.99991 to 0.99998"),
        (1, 1, "1 to 1"),
    ],
)
def test_an_interval_tells_its_ends_apart(low, high, shown):
    assert interval(low, high) == shown


def test_a_number_has_a_minus_sign():
    assert number(-0.12345) == "\N{MINUS SIGN}0.123"


def test_the_claims_of_a_figure_are_counted():
    verdicts = ("depends", "reproduced", "reproduced")
    said = verdict_sentence([SimpleNamespace(verdict=verdict) for verdict in verdicts])
    assert said == "Claims: 2 reproduced, 1 depends."
    assert verdict_sentence([]) == ""
