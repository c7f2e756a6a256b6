"""Figure C4: learning dynamics."""

from repatlas.claims.outcomes import CONTRADICTED, SUPPORTED
from repatlas.figures.figure import Figure, Finding
from repatlas.figures.role import Role
from repatlas.studies.convergence.roles import MLP

FIGURE = Figure(
    "Learning dynamics: how similar each layer is, on the way, to itself at the end.",
    {
        "networks": Role(
            "The sweep of networks, compared with themselves at the end of training.",
            {"accuracy", "to_the_end"},
            MLP,
            over_steps=True,
        ),
    },
    finding=Finding(
        "Layers converge from the bottom up by PWCCA, and not by SVCCA.",
        {"C9": SUPPORTED, "C9b": CONTRADICTED},
    ),
)
