"""Figure S7: neural collapse."""

from repatlas.claims.outcomes import CONTRADICTED, SUPPORTED
from repatlas.figures.figure import Figure, Finding
from repatlas.figures.role import ACTIVATION, Role, axis, legend
from repatlas.studies.structure.roles import ONE_TARGET, SEPARABLE

MEASURES = {"collapse", "alignment"}

FIGURE = Figure(
    "Neural collapse and target alignment, over separability, training noise and training.",
    {
        "sweep": Role(
            "The sweep of separable tasks that panels A to D draw, at its last step: two values of"
            " delta and of the noise variance at least.",
            MEASURES,
            SEPARABLE,
            shown=legend(ACTIVATION) | axis("task.delta", "task.noise_variance"),
        ),
        "training": Role(
            "The sweep whose networks panels E and F draw over training.",
            MEASURES,
            ONE_TARGET,
            over_steps=True,
        ),
        "longer": Role(
            "A sweep of separable tasks with longer training, which is only in the table.",
            MEASURES,
            SEPARABLE,
            optional=True,
            shown=legend(ACTIVATION, "task.delta"),
            over_steps=True,
        ),
    },
    finding=Finding(
        "Neural collapse depends on the activation: tanh networks collapse more than ReLU.",
        {"n1": CONTRADICTED, "n4": SUPPORTED},
    ),
)
