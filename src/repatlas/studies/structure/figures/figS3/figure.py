"""Figure S3: where the difference between activations vanishes."""

from repatlas.claims.outcomes import CONTRADICTED
from repatlas.figures.figure import Figure, Finding
from repatlas.figures.fits import on_the_same_tasks, with_activations
from repatlas.figures.role import ACTIVATION, Role, axis, legend, panels
from repatlas.studies.structure.roles import BOTH, CELLS, MAXIMAL, SEPARABLE

FIGURE = Figure(
    "Where the difference between activations vanishes.",
    {
        "separability": Role(
            "The sweep over delta, with tanh and ReLU.",
            {"alignment", "parallelism", "ccgp"},
            SEPARABLE,
            shown=legend(ACTIVATION) | axis("task.delta"),
            fits=(with_activations(*BOTH),),
        ),
        "lines": Role(
            "Sweeps of maximal kernels over input-output alignment, with tanh and ReLU on each"
            " task.",
            {"alignment"},
            MAXIMAL,
            several=True,
            shown=legend(ACTIVATION) | panels(*CELLS) | axis("task.alignment"),
            fits=(
                with_activations(*BOTH, panels=CELLS),
                on_the_same_tasks(*BOTH),
            ),
        ),
        "clipped": Role(
            "Sweeps of ReLUs that saturate on both sides, `clipped_relu`, on the tasks of `lines`."
            " Only the table tells of them.",
            {"alignment"},
            MAXIMAL | {ACTIVATION: ("clipped_relu",)},
            several=True,
            optional=True,
            shown=panels(*CELLS) | axis("task.alignment"),
        ),
    },
    deviations=(1.0,),
    finding=Finding(
        "At low input-output alignment the difference between tanh and ReLU does not vanish; it"
        " changes its sign.",
        {"47b": CONTRADICTED},
    ),
)
