"""Figure S4: every activation, ranked by target alignment."""

from repatlas.figures.figure import Figure
from repatlas.figures.fits import on_the_same_tasks
from repatlas.figures.role import ACTIVATION, Role, legend
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
            shown=legend(ACTIVATION, "task.alignment"),
            fits=(on_the_same_tasks(),),
        )
    },
    step="The training step that the figure shows.",
)
