"""Figure C4: learning dynamics."""

from repatlas.figures.figure import Figure
from repatlas.studies.convergence.wanted import MLP, role

FIGURE = Figure(
    "Learning dynamics: how similar each layer is, on the way, to itself at the end.",
    {
        "networks": role(
            "The sweep of networks, compared with themselves at the end of training.",
            {"accuracy", "to_the_end"},
            MLP,
            over_steps=True,
        ),
    },
)
