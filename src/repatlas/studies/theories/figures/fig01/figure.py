"""Figure 1: theories against networks."""

from repatlas.claims.outcomes import CONTRADICTED, SUPPORTED
from repatlas.figures.figure import Figure, Finding
from repatlas.figures.role import ACTIVATION, Role, legend

FIGURE = Figure(
    "Errors of six theories for families of networks, in loss and in target alignment.",
    {
        "clusters": Role(
            "The sweeps of networks on clusters: with tasks of each seed, and with a common task.",
            {"theories_on_clusters"},
            {
                "experiment": ("clusters",),
                "task.kind": ("separable", "common_separable"),
                "network.activation": ("tanh", "relu"),
                "network.depth": (1,),
                "network.readout": ("binary",),
                "network.initial": ("uniform",),
                "training.optimiser": ("sgd",),
                "training.errors": ("output",),
            },
            shown=legend(ACTIVATION, "task.kind", "network.hidden_bias"),
            several=True,
        ),
        "few_items": Role(
            "The sweeps of networks on contexts and on XoR.",
            {"theories_on_items"},
            {
                "experiment": ("items",),
                "task.kind": ("contexts", "xor"),
                "task.contexts": (3,),
                "task.blocks": ("homogeneous",),
                "network.kind": ("linear", "relu", "tanh"),
                "network.depth": (1,),
            },
            shown=legend(
                *("task.kind", "task.delta", "training.rate"),
                *("network.kind", "network.width", "network.initial", "network.sigma"),
            ),
            several=True,
        ),
        "pathways": Role(
            "The sweep of the closed form of ReLU networks on the same contexts.",
            {"loss"},
            {
                "experiment": ("items",),
                "task.kind": ("contexts",),
                "task.contexts": (3,),
                "task.blocks": ("homogeneous",),
                "network.kind": ("closed_form",),
            },
        ),
    },
    finding=Finding(
        "Lazy learning predicts the loss of ReLU networks on clusters, and not their geometry.",
        {"2": SUPPORTED, "3": CONTRADICTED},
    ),
)
