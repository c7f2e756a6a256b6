"""Figure 2: XoR with a third input."""

from repatlas.claims.outcomes import SUPPORTED
from repatlas.figures.figure import Figure, Finding
from repatlas.figures.fits import at_most
from repatlas.figures.role import axis, panels
from repatlas.studies.gating.roles import XOR, role

FIGURE = Figure(
    "XoR: two pathways or four, by how far a third input tells the classes apart.",
    {
        "transition": role(
            "The sweep of ReLU networks over delta, whose units panel E counts.",
            {"units"},
            "relu",
            only=XOR,
            shown=axis("task.delta"),
        ),
        "losses": role(
            "The sweep of those whose losses panel D draws, for each of at most 8 values of delta.",
            {"loss"},
            "relu",
            only=XOR,
            shown=panels("task.delta"),
            fits=(at_most({"task.delta": 8}),),
        ),
    },
    finding=Finding(
        "On XoR four pathways give way to two, the better the third input tells the classes apart.",
        {"17": SUPPORTED},
    ),
)
