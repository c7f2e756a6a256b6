"""What the checks of a claim can say. What figures require reads this before anything runs, so
nothing is imported here."""

SUPPORTED, CONTRADICTED, UNDECIDED = "supported", "contradicted", "undecided"
TOO_FEW = "too few networks"
