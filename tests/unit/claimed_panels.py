"""Which panels the claims about a figure name, beside those that it has."""

from repatlas.claims.ledger import read_ledger
from repatlas.plots.style import places_of_letters, settle

IN_A_TABLE_ALONE = {("structure", "13")}
"""By study and number: the claims that no panel of their figure shows."""


def claims_without_panel(study, name, drawn):
    """The claims, by number, of the figure of this name that name a panel it lacks, or none though
    it has letters. `drawn` is laid out."""
    settle(drawn)
    letters = places_of_letters(drawn).keys()
    return {
        claim.id: claim.panels
        for claim in read_ledger(study).claims
        if claim.figure == name
        and (study, claim.id) not in IN_A_TABLE_ALONE
        and (not letters >= set(claim.panels) or bool(letters) != bool(claim.panels))
    }
