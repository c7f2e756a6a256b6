"""Figure S4: gates that clusters of units show."""

from repatlas.claims.outcomes import SUPPORTED
from repatlas.figures.figure import Figure, Finding
from repatlas.figures.fits import at_most
from repatlas.figures.role import legend, panels
from repatlas.studies.gating.roles import CONTEXTS, KIND, WEIGHTS, one_of_each, role

FIGURE = Figure(
    "Gates from clusters of units, with null controls.",
    {
        "relu": role(
            "Sweeps of ReLU networks, stored at several epochs from 1500 on.",
            {"gates"},
            "relu",
            only=CONTEXTS,
            shown=panels("task.blocks", "task.contexts"),
            fits=(at_most({"task.contexts": 4}),),
            several=True,
        ),
        "linear": role(
            "The sweep of linear networks, which have no gates.",
            {"gates"},
            "linear",
            only=CONTEXTS,
            shown=panels("task.blocks", "task.contexts"),
            fits=(at_most({"task.contexts": 4}),),
        ),
        "fits": role(
            "Sweeps of the mean field with the gates of all contexts but one.",
            {"loss"},
            "recruited",
            only=CONTEXTS,
            shown=legend(*WEIGHTS) | panels("task.blocks", "task.contexts"),
            fits=(one_of_each(*KIND),),
            several=True,
            optional=True,
        ),
    },
    finding=Finding(
        "Clusters of units recover the gates of three and four contexts, and some gates of five.",
        {"20": SUPPORTED},
    ),
)
