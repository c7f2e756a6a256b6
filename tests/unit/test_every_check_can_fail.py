"""Every check of every claim is supported on one table and contradicted on another."""

import pytest
from claim_rows import rows_of
from synthetic_tables import CORRELATIONS, RECIPES, rows_with_number

from repatlas.claims.claims_file import claims_path, read_claims
from repatlas.claims.statistics import STATISTICS
from repatlas.claims.verdicts import judge
from repatlas.named import names

STUDIES = [study for study in names("studies") if claims_path(study).exists()]
CHECKS = {
    f"{study} {claim.id}, check {number}": (claim, check)
    for study in STUDIES
    for claim in read_claims(study).claims
    for number, check in enumerate(claim.checks)
}
FIRST = {check.statistic: name for name, (_, check) in reversed(CHECKS.items())}.values()
"""The first check by each statistic."""
RISING = ["contradicted", "supported"]
BESIDE = 0.5
"""The number of a made-up table differs from the limit by this fraction of it; from 0, by 1."""


def verdict(claim, check, number):
    """Return the verdict of this check alone, on a table in which its statistic is the number."""
    rows = rows_with_number(check, number)
    for name in claim.for_each:
        rows[name] = 1.0
    [found] = judge(claim.model_copy(update={"checks": [check]}), rows_of(rows))
    return found.verdict


def numbers_around_the_limit(check):
    """Return a number below the check's limit and one above."""
    if check.statistic in CORRELATIONS:
        return -1, 1
    limit = check.above if check.above is not None else check.below
    distance = BESIDE * abs(limit) or 1.0
    return limit - distance, limit + distance


@pytest.mark.parametrize(
    ("claim", "check"),
    [
        pytest.param(*each, id=name, marks=[] if name in FIRST else pytest.mark.slow)
        for name, each in CHECKS.items()
    ],
)
def test_a_check_is_supported_on_one_side_of_its_limit_and_contradicted_on_the_other(claim, check):
    found = [verdict(claim, check, number) for number in numbers_around_the_limit(check)]
    assert found == (RISING if check.above is not None else RISING[::-1])


def test_every_statistic_has_a_recipe():
    assert RECIPES.keys() == STATISTICS.keys()
