"""Figure 2: separability."""

from repatlas.claims.outcomes import SUPPORTED
from repatlas.figures.figure import Alike, Figure, Finding
from repatlas.figures.role import ACTIVATION, Role
from repatlas.studies.structure.roles import IN_PLANE, PANELS, SEPARABLE

FIGURE = Figure(
    "Measures against separability, the weights' trajectories and hidden patterns.",
    {
        "sweep": Role(
            "The sweep of separable tasks whose measures panel B draws against delta, of which it"
            " needs two values or more.",
            PANELS,
            SEPARABLE,
            along=("task.delta",),
        ),
        "trajectories": Role(
            "The sweep whose weights panel C draws, a pair of panels for each delta, and whose"
            " centres and hidden patterns panel A draws: the same task but for delta, and the same"
            " activations, without hidden biases.",
            {"selectivity", "kernel"},
            SEPARABLE | IN_PLANE,
            panels=("task.delta",),
            over_steps=True,
        ),
        "linear": Role(
            "A sweep of linear networks, activation `identity`, which only the table tells of.",
            {"selectivity"},
            SEPARABLE | IN_PLANE | {ACTIVATION: ("identity",)},
            optional=True,
            axes={"task.delta"},
            over_steps=True,
        ),
        "biased": Role(
            "A sweep of networks with hidden biases, as in `sweep`, whose weights only the table"
            " tells of.",
            {"selectivity"},
            SEPARABLE | {"network.hidden_bias": ("trained",)},
            optional=True,
            axes={ACTIVATION, "task.delta"},
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
