"""Figure 1: notation."""

from repatlas.figures.figure import Figure, Finding

FIGURE = Figure(
    "Gated deep linear networks and their pathways, for which no network is trained.",
    finding=Finding(
        "A gated deep linear network is a sum of linear pathways, which gates switch on and off.",
        {},
    ),
)
