"""Figure C10: tanh and ReLU."""

from repatlas.figures.figure import Figure, Pairs
from repatlas.studies.convergence.wanted import MLP, role

FIGURE = Figure(
    "How the units of two networks match, signed and absolute, with tanh and with ReLU.",
    {
        "mlp": role(
            "The sweep of perceptrons of both activations.",
            {"accuracy"},
            MLP,
            activations=("tanh", "relu"),
            is_paired=True,
        ),
    },
    comparisons={
        "mlp_units": Pairs(
            "All pairs of perceptrons, unit by unit.", frozenset({"natural", "matching"})
        ),
    },
)
