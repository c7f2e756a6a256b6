"""Figure S4: every activation, ranked by target alignment."""

from repatlas.figures.figure import Figure
from repatlas.figures.role import ACTIVATION, Role
from repatlas.studies.structure.roles import ALIGNED

FIGURE = Figure(
    "Every activation, ranked by target alignment.",
    {
        "lines": Role(
            "Sweeps with the same number of clusters and targets, and every activation on each"
            " task.",
            {"alignment"},
            ALIGNED,
            several=True,
            axes={ACTIVATION, "task.alignment"},
            is_paired=True,
        )
    },
    step="The training step that the figure shows.",
)
