"""Figure 3: the task and its network."""

from repatlas.figures.figure import Figure

FIGURE = Figure("Inputs, targets and pathways of the task, for which no network is trained.")
