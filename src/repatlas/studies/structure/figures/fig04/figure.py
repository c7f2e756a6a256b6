"""Figure 4: random tasks with a chosen input-output alignment."""

from repatlas.claims.outcomes import SUPPORTED
from repatlas.figures.figure import Alike, Figure, Finding
from repatlas.figures.role import ACTIVATION, Role, axis, legend, panels
from repatlas.studies.structure.roles import ALIGNED, CELLS, MAXIMAL

MEASURES = {"alignment", "parallelism", "ccgp"}

FIGURE = Figure(
    "Random tasks with a chosen input-output alignment.",
    {
        "lines": Role(
            "Sweeps of maximal kernels, which panel B draws as lines: two values of the alignment"
            " at least for each number of clusters and targets.",
            MEASURES,
            MAXIMAL,
            several=True,
            shown=legend(ACTIVATION) | panels(*CELLS) | axis("task.alignment"),
        ),
        "dots": Role(
            "Sweeps of random kernels, which it draws as dots; otherwise like sweeps of `lines`.",
            MEASURES,
            ALIGNED | {"task.kernel": ("random",)},
            several=True,
            shown=legend(ACTIVATION, "task.alignment", "task.geometry") | panels(*CELLS),
        ),
    },
    alike=(
        Alike(
            "dots",
            "lines",
            ("task", "network", "training"),
            but=(*CELLS, "task.kernel", "task.alignment", "task.geometry", ACTIVATION),
        ),
    ),
    deviations=(1.0,),
    step="The training step that panel B shows.",
    finding=Finding(
        "With more input-output alignment, parallelism rises for targets of few dimensions and"
        " falls for targets of many.",
        {"29": SUPPORTED, "30": SUPPORTED},
    ),
)
