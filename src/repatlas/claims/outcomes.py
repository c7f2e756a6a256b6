"""What the checks of a claim can say. The catalogue of figures reads this before anything runs, so
nothing is imported here."""

SUPPORTED, CONTRADICTED, UNDECIDED = "supported", "contradicted", "undecided"
