"""A claim is read alone: in a sorted table, in a search, in a list of what is contradicted."""

import re

import pytest

from repatlas.claims.ledger import read_ledger

LEANING = re.compile(r"^(So|It|Its|They|Their|This|These|There|Those|Each of|He|Both of) ?\b")
"""How a sentence begins that says what is meant in the one before."""


@pytest.mark.parametrize("study", ["structure", "gating"])
def test_every_claim_names_what_it_is_about(study):
    claims = read_ledger(study).claims
    assert [claim.claim for claim in claims if LEANING.match(claim.claim)] == []
    assert len({claim.claim for claim in claims}) == len(claims), "no two say the same"


def test_a_claim_that_leans_on_another_is_noticed():
    assert all(map(LEANING.match, ("So it does.", "They win.", "Each of them does.")))
    assert not LEANING.match("Theory and networks agree.")
