"""Similarities of two representations of the same items, one per module.

Each has HOW, what the table says of it; PREPARED, what is made of each array once; `similarity`,
which takes what was made of two arrays. MOST limits how many items are permuted. own.compared gives
each its chance, p and reason; a similarity that has these in closed form has its own `pairs`. All
are 1 for the same representation, except predictivity, which cannot predict what no other item
tells.
"""

TITLES = {
    "alignment": "Alignment",
    "cca": "CCA",
    "svcca": "SVCCA",
    "pwcca": "PWCCA",
    "matching": "Matching",
    "procrustes": "Procrustes",
    "rsa": "RSA",
    "rho_a": "RSA, rho-a",
    "neighbours": "Neighbours",
    "calibrated_neighbours": "Calibrated neighbours",
    "predictivity": "Predictivity",
}
"""What figures call each."""
