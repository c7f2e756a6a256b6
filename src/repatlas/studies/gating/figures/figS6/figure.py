"""Figure S6: the geometry of representations, XoR."""

from repatlas.claims.outcomes import SUPPORTED
from repatlas.figures.figure import Figure, Finding
from repatlas.figures.fits import at_most
from repatlas.figures.role import axis, legend
from repatlas.studies.gating.roles import XOR, role

FIGURE = Figure(
    "XoR: alignment, parallelism and generalisation of tanh and ReLU networks at matched loss.",
    {
        "relu": role(
            "The sweep of ReLU networks from small weights, over delta.",
            {"matched_geometry"},
            "relu",
            only=XOR,
            shown=axis("task.delta"),
        ),
        "tanh": role(
            "The sweep of tanh networks, over delta.",
            {"matched_geometry"},
            "tanh",
            only=XOR,
            shown=legend("network.sigma") | axis("task.delta"),
            fits=(at_most({"network.sigma": 4}),),
        ),
    },
    finding=Finding(
        "On XoR ReLU networks first have the target alignment of four pathways, then of two.",
        {"b3": SUPPORTED},
    ),
)
