"""Figure 9: parallelism score and CCGP."""

from repatlas.figures.figure import Figure

FIGURE = Figure("Example geometries, for which no network is trained.")
