"""Figure 1: notation."""

from repatlas.figures.figure import Figure

FIGURE = Figure("Gated deep linear networks and their pathways, for which no network is trained.")
