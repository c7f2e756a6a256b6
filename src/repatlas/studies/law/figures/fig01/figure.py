"""Figure 1: what the law predicts, and what networks learn."""

from repatlas.figures.figure import Figure
from repatlas.figures.role import ACTIVATION, Role, legend

MEASURES = {"accuracy", "alignment", "ccgp", "parallelism"}
OF_THE_LAW = {
    "task.kind": ("separable",),
    "task.inputs": (120,),
    "task.delta": (0.5, 1.0),
    "task.noise_variance": (1.0,),
    "network.width": (120,),
    "training.learning_rate": (0.1,),
    "training.batch": (200,),
    "training.samples": (5000,),
}
"""The networks that the law is about."""
PLAIN = {
    "network.depth": (1,),
    "network.initial": ("uniform",),
    "network.hidden_bias": ("trained",),
    "network.readout": ("binary",),
    "training.optimiser": ("sgd",),
}

FIGURE = Figure(
    "What the law of activation functions predicts, and what networks learn.",
    {
        "drawn": Role(
            "The sweep of networks with drawn functions that had no part in the fit of the law.",
            MEASURES,
            {"experiment": ("drawn",)} | OF_THE_LAW,
            shown=legend("network.function", "task.delta"),
        ),
        "named": Role(
            "The sweep of networks whose activation functions have a name.",
            MEASURES,
            {"experiment": ("clusters",)} | OF_THE_LAW | PLAIN,
            shown=legend(ACTIVATION, "task.delta"),
        ),
    },
    step="The training step that the figure shows: 2000, for which the law was fitted.",
)
