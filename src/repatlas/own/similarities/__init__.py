"""Similarities of two representations of the same items, one per module.

Each has `pairs(xs, ys, drawn, made)`, which yields a Compared for each pair of an x and a y, or for
all pairs of x's where there is no y. All are 1 for the same representation, except predictivity,
which cannot predict what no other item tells.
"""

TITLES = {
    "alignment": "Alignment",
    "cca": "CCA",
    "svcca": "SVCCA",
    "pwcca": "PWCCA",
    "matching": "Matching",
    "procrustes": "Procrustes",
    "rsa": "RSA",
    "neighbours": "Neighbours",
    "calibrated_neighbours": "Calibrated neighbours",
    "predictivity": "Predictivity",
}
"""What figures call each."""
