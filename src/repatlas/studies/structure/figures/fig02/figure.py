"""Figure 2: separability."""

from repatlas.claims.outcomes import SUPPORTED
from repatlas.figures.figure import Alike, Figure, Finding
from repatlas.figures.role import ACTIVATION, Role, axis, legend, panels
from repatlas.studies.structure.roles import IN_PLANE, PANELS, SEPARABLE

FIGURE = Figure(
    "Measures against separability, the weights' trajectories and hidden patterns.",
    {
        "sweep": Role(
            "The sweep of separable tasks whose measures panel B draws against delta. It needs two"
            " values of delta or more.",
            PANELS,
            SEPARABLE,
            shown=legend(ACTIVATION) | axis("task.delta"),
        ),
        "trajectories": Role(
            "The sweep whose weights panel C draws, in a pair of panels for each delta. Panel A"
            " draws its centres and hidden patterns. Except for delta it has the task and the"
            " activations of `sweep`, and no hidden biases.",
            {"selectivity", "kernel"},
            SEPARABLE | IN_PLANE,
            shown=legend(ACTIVATION) | panels("task.delta"),
            over_steps=True,
        ),
        "linear": Role(
            "A sweep of linear networks, activation `identity`, which is only in the table.",
            {"selectivity"},
            SEPARABLE | IN_PLANE | {ACTIVATION: ("identity",)},
            optional=True,
            shown=legend("task.delta"),
            over_steps=True,
        ),
        "biased": Role(
            "A sweep of networks with hidden biases, as in `sweep`, whose weights are only in the"
            " table.",
            {"selectivity"},
            SEPARABLE | {"network.hidden_bias": ("trained",)},
            optional=True,
            shown=legend(ACTIVATION, "task.delta"),
        ),
    },
    alike=(
        Alike("trajectories", "sweep", ("task", ACTIVATION), but=("task.delta",)),
        Alike("linear", "sweep", ("task",), but=("task.delta",)),
        Alike("biased", "sweep", ("task", "network", "training"), but=("task.delta",)),
    ),
    step="The training step that panel B shows.",
    finding=Finding(
        "Above a small separability tanh networks switch to the geometry of the targets; ReLU"
        " networks follow slowly.",
        {"17": SUPPORTED, "18": SUPPORTED},
    ),
)
