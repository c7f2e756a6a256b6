"""Compare the panels that claims name with the panels of the figure."""

from repatlas.claims.ledger import read_ledger
from repatlas.plots.style import places_of_letters


def claims_without_panel(study, name, drawn):
    """Return the claims, by number, of the figure of this name that name a panel it lacks, or none
    though it has letters. A claim that no panel shows says so with `panels: []`."""
    letters = places_of_letters(drawn).keys()
    return {
        claim.id: claim.panels
        for claim in read_ledger(study).claims
        if claim.figure == name
        and (
            not letters >= set(claim.panels)
            or (bool(letters) and "panels" not in claim.model_fields_set)
        )
    }
