"""Figure 3: the task and its network."""

from repatlas.figures.figure import Figure, Finding

FIGURE = Figure(
    "Inputs, targets and pathways of the task, for which no network is trained.",
    finding=Finding(
        "All contexts share one tree, and each has a structure of its own.",
        {},
    ),
)
