"""Figure S4: gates that clusters of units show."""

from repatlas.claims.outcomes import SUPPORTED
from repatlas.figures.figure import Figure, Finding
from repatlas.studies.gating.roles import CONTEXTS, KIND, WEIGHTS, one_of_each, role

FIGURE = Figure(
    "Gates from clusters of units, with null controls.",
    {
        "relu": role(
            "Sweeps of ReLU networks, stored at several epochs from 1500 on.",
            {"gates"},
            "relu",
            only=CONTEXTS,
            panels=("task.blocks", "task.contexts"),
            several=True,
            most={"task.contexts": 4},
        ),
        "linear": role(
            "The sweep of linear networks, which have no gates.",
            {"gates"},
            "linear",
            only=CONTEXTS,
            panels=("task.blocks", "task.contexts"),
            most={"task.contexts": 4},
        ),
        "fits": role(
            "Sweeps of the mean field with the gates of all contexts but one.",
            {"loss"},
            "recruited",
            only=CONTEXTS,
            panels=("task.blocks", "task.contexts"),
            axes=WEIGHTS,
            several=True,
            fits=one_of_each(*KIND),
            optional=True,
        ),
    },
    finding=Finding(
        "Clusters of units recover the gates of three and four contexts, and some gates of five.",
        {"20": SUPPORTED},
    ),
)
