"""Figure 9: parallelism score and CCGP."""

from repatlas.studies.figure import Figure

FIGURE = Figure("Example geometries, for which no network is trained.")
