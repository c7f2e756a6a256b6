"""Figure 9: parallelism score and CCGP."""

from repatlas.figures.figure import Figure, Finding

FIGURE = Figure(
    "Example geometries, for which no network is trained.",
    finding=Finding(
        "Parallelism score and CCGP are two things: either can be high where the other is low.",
        {},
    ),
)
