"""Figure S2: where the theory breaks."""

from repatlas.claims.outcomes import SUPPORTED
from repatlas.figures.figure import Figure, Finding
from repatlas.figures.role import legend, panels
from repatlas.studies.gating.roles import CONTEXTS, role

FIGURE = Figure(
    "Agreement of ReLU networks of several widths and scales of initial weights with the mean field"
    " whose recruitment was fitted to one of them.",
    {
        "relu": role(
            "The sweep of ReLU networks.",
            {"loss"},
            "relu",
            only=CONTEXTS | {"task.contexts": (3,)},
            shown=legend("network.sigma", "network.width") | panels("task.blocks"),
        ),
        "fits": role(
            "Sweeps of the mean field that was fitted on the same tasks.",
            {"pathways"},
            "recruited",
            only=CONTEXTS,
            shown=legend("task.contexts") | panels("task.blocks"),
            several=True,
            optional=True,
        ),
    },
    finding=Finding(
        "ReLU networks leave their gated network as initial weights become larger.",
        {"21": SUPPORTED},
    ),
)
