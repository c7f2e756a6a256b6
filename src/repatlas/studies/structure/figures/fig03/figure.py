"""Figure 3: separability and training noise."""

from repatlas.claims.outcomes import SUPPORTED
from repatlas.figures.figure import Figure, Finding
from repatlas.figures.role import ACTIVATION, Role, axis, legend
from repatlas.studies.structure.roles import PANELS, SEPARABLE

FIGURE = Figure(
    "Measures over separability and training noise.",
    {
        "sweep": Role(
            "The sweep of separable tasks whose measures the heat maps draw: two values of delta"
            " and of the noise variance at least.",
            PANELS,
            SEPARABLE,
            shown=legend(ACTIVATION) | axis("task.delta", "task.noise_variance"),
        )
    },
    step="The training step that they show.",
    finding=Finding(
        "Noise pushes tanh networks back to the geometry of the inputs; ReLU networks hardly"
        " change.",
        {"23": SUPPORTED, "25": SUPPORTED},
    ),
)
