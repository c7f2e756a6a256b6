"""Figure 6: two hidden layers."""

from repatlas.claims.outcomes import SUPPORTED
from repatlas.figures.figure import Alike, Figure, Finding
from repatlas.figures.role import legend
from repatlas.studies.gating.roles import HOMOGENEOUS, role

FIGURE = Figure(
    "Two hidden layers: losses, their spread over networks, and where selectivity arises.",
    {
        "relu": role(
            "The sweep of ReLU networks with two hidden layers.",
            {"loss", "outputs", "linearity", "units"},
            "relu",
            only=HOMOGENEOUS | {"network.depth": (2,)},
        ),
        "gated": role(
            "The sweep of gated networks with two hidden layers.",
            {"loss", "outputs"},
            "gated_deep",
            only=HOMOGENEOUS,
        ),
        "shallow": role(
            "The sweep of ReLU networks with one hidden layer, for comparison.",
            {"linearity", "units"},
            "relu",
            only=HOMOGENEOUS | {"network.depth": (1,)},
            shown=legend("task.contexts"),
        ),
    },
    alike=(Alike("gated", "relu", ("task",)),),
    finding=Finding(
        "With two hidden layers the first is shared by all contexts and nearly linear.",
        {"14": SUPPORTED},
    ),
)
