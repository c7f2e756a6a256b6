"""Figure S6: the geometry of representations, XoR."""

from repatlas.claims.outcomes import SUPPORTED
from repatlas.figures.figure import Figure, Finding
from repatlas.studies.gating.roles import XOR, role

FIGURE = Figure(
    "XoR: alignment, parallelism and generalisation of tanh and ReLU networks at matched loss.",
    {
        "relu": role(
            "The sweep of ReLU networks from small weights, over delta.",
            {"matched_geometry"},
            "relu",
            only=XOR,
            along=("task.delta",),
        ),
        "tanh": role(
            "The sweep of tanh networks, over delta.",
            {"matched_geometry"},
            "tanh",
            only=XOR,
            axes={"network.sigma"},
            most={"network.sigma": 4},
            along=("task.delta",),
        ),
    },
    finding=Finding(
        "On XoR ReLU networks first have the target alignment of four pathways, then of two.",
        {"b3": SUPPORTED},
    ),
)
