"""Figure S3: where the difference between activations vanishes."""

from repatlas.claims.outcomes import CONTRADICTED
from repatlas.figures.figure import Figure, Finding
from repatlas.figures.role import ACTIVATION, Role
from repatlas.studies.structure.roles import BOTH, CELLS, MAXIMAL, SEPARABLE

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
        "clipped": Role(
            "Sweeps of ReLUs that saturate on both sides, `clipped_relu`, on the tasks of `lines`."
            " Only the table tells of them.",
            {"alignment"},
            MAXIMAL | {ACTIVATION: ("clipped_relu",)},
            several=True,
            optional=True,
            axes=set(),
            panels=CELLS,
            along=("task.alignment",),
        ),
    },
    finding=Finding(
        "At low input-output alignment the difference between tanh and ReLU does not vanish; it"
        " changes its sign.",
        {"47b": CONTRADICTED},
    ),
)
