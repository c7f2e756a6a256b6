"""The claims about the law, on tables whose verdict is known."""

import pytest
from claim_rows import rows_of
from test_activation_law import networks

from repatlas.claims.claims_file import read_claims
from repatlas.claims.verdicts import judge, outcome
from repatlas.studies.law.fig01 import tabulate


@pytest.mark.parametrize(("shuffled", "verdict"), [(False, "supported"), (True, "contradicted")])
def test_claims_hold_for_networks_that_follow_the_law_and_for_no_others(shuffled, verdict):
    table = tabulate(networks(0.01, shuffled), 2000).assign(contrast=None)
    claims = [claim for claim in read_claims("law").claims if claim.settings == ["held_out"]]
    assert len(claims) == 4
    for claim in claims:
        assert outcome(judge(claim, rows_of(table))).verdict == verdict
