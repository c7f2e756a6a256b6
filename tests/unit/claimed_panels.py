"""Compare the panels that claims name with the panels of the figure."""

from drawn_words import letters_of

from repatlas.claims.claims_file import read_claims


def claims_without_panel(study, name, drawn):
    """Return the claims, by number, of the figure of this name that name a panel it lacks, or none
    though it has letters. A claim that no panel shows says so with `panels: []`."""
    letters = letters_of(drawn)
    return {
        claim.id: claim.panels
        for claim in read_claims(study).claims
        if claim.figure == name
        and (
            not letters >= set(claim.panels)
            or (bool(letters) and "panels" not in claim.model_fields_set)
        )
    }
