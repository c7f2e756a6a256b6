"""Figure C9: noise directions."""

from repatlas.figures.figure import Figure
from repatlas.studies.convergence.wanted import MLP, role

FIGURE = Figure(
    "Noise directions: which directions settle, and which similarity tells them from the others.",
    {
        "networks": role(
            "The sweep of networks, whose last hidden layer is compared over training.",
            {"accuracy", "variates"},
            MLP,
            over_steps=True,
        ),
    },
)
