"""The similarities of all pairs."""

from repatlas.figures.figure import Figure, Pairs

FIGURE = Figure(
    "The matrix of similarities of all pairs, with its clustering, and units to its right.",
    comparisons={"of": Pairs("The comparison, as set-set: the two names in `between`.")},
)
