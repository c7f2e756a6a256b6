"""The claims about the law, on tables whose verdict is known."""

import pytest
from claim_rows import rows_of
from test_activation_law import networks

from repatlas.claims.ledger import read_ledger
from repatlas.claims.verdicts import judge, outcome
from repatlas.studies.law.figures.fig01.table import tabulate


@pytest.mark.parametrize(("shuffled", "verdict"), [(False, "supported"), (True, "contradicted")])
def test_claims_hold_for_networks_that_follow_the_law_and_for_no_others(shuffled, verdict):
    table = tabulate(networks(0.01, shuffled), 2000).assign(contrast=None)
    claims = [claim for claim in read_ledger("law").claims if claim.settings == ["held_out"]]
    assert len(claims) == 4
    for claim in claims:
        assert outcome(judge(claim, rows_of(table))).verdict == verdict
