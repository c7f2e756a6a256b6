"""Figure S1: the width of the transition."""

from repatlas.claims.outcomes import SUPPORTED
from repatlas.figures.figure import Figure, Finding
from repatlas.figures.role import axis, panels
from repatlas.studies.gating.roles import XOR, role

FIGURE = Figure(
    "XoR: where four pathways give way to two, and over which width, by the scale of the initial"
    " weights.",
    {
        "transition": role(
            "Sweeps of ReLU networks over delta and the scale of initial weights.",
            {"units"},
            "relu",
            only=XOR,
            several=True,
            shown=panels("network.sigma") | axis("task.delta"),
        )
    },
    finding=Finding(
        "The smaller the initial weights, the narrower the transition from four pathways to two.",
        {"18": SUPPORTED},
    ),
)
