"""The limits that figures draw are those by which claims are judged."""

import pytest

from repatlas.claims.claims_file import read_claims
from repatlas.named import named

DRAWN = [
    ("structure", "fig02", "LIMIT", "16", 0.57735),
    ("structure", "figS2", "LIMIT", "48", 0.5),
    ("gating", "fig04", "LIMIT", "5b", 0.05),
    ("gating", "fig05", "RATIO", "10b", 10.0),
    ("gating", "fig05", "SINGLE", "12c", 0.05),
    ("gating", "fig05", "MOST", "12d", 0.5),
    ("convergence", "figC2", "LIMIT", "C4", 1 / 64),
    ("convergence", "figC1", "EQUIVALENT", "C2c", 0.5),
    ("convergence", "figC3", "LIMIT", "C7b", 0.5),
    ("convergence", "figC4", "LIMIT", "C9b", 0.0),
    ("convergence", "figC5", "LIMIT", "C10", -1.0),
    ("law", "fig01", "LIMIT", "1", 0.9),
]
"""Study, figure, the constant of its module, the claim, and the limit."""


@pytest.mark.parametrize(("study", "figure", "constant", "claim", "limit"), DRAWN)
def test_a_drawn_limit_is_that_of_the_claim(study, figure, constant, claim, limit):
    [about] = [each for each in read_claims(study).claims if each.id == claim]
    limits = {check.above if check.above is not None else check.below for check in about.checks}
    drawn = getattr(named(f"studies.{study}", figure), constant)
    assert drawn == limit
    # Points of test accuracy are hundredths.
    assert limit in limits or limit / 100 in limits
    assert about.figure == figure
