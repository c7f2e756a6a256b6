"""Figure S3: where the difference between activations vanishes."""

from repatlas.figures.figure import Figure
from repatlas.figures.role import Role
from repatlas.studies.structure.wanted import BOTH, CELLS, MAXIMAL, SEPARABLE

FIGURE = Figure(
    "Where the difference between activations vanishes.",
    {
        "separability": Role(
            "The sweep over delta, with tanh and ReLU.",
            {"alignment", "parallelism", "ccgp"},
            SEPARABLE,
            along=("task.delta",),
            activations=BOTH,
            deviations=(1.0,),
        ),
        "lines": Role(
            "Sweeps of maximal kernels over input-output alignment, with tanh and ReLU on each"
            " task.",
            {"alignment"},
            MAXIMAL,
            several=True,
            panels=CELLS,
            along=("task.alignment",),
            activations=BOTH,
            is_paired=True,
        ),
    },
)
