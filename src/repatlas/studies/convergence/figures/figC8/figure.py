"""Figure C8: wide and narrow networks."""

from repatlas.claims.outcomes import CONTRADICTED, SUPPORTED
from repatlas.figures.figure import Figure, Finding, Pairs
from repatlas.figures.role import ACTIVATION, Role, axis, legend
from repatlas.studies.convergence.roles import EITHER

FIGURE = Figure(
    "Wide and narrow networks: how far networks of one width are from one another.",
    {
        "widths": Role(
            "The sweep of networks of several widths.",
            {"accuracy"},
            EITHER,
            shown=legend(ACTIVATION) | axis("network.width"),
        ),
    },
    comparisons={
        "among_widths": Pairs(
            "The comparison of the networks of each width.",
            frozenset({"together", "subsets"}),
        ),
    },
    finding=Finding(
        "Wider networks are more alike; before training they are, too.",
        {"C17": SUPPORTED, "C17b": CONTRADICTED},
    ),
)
"""The figure shows all networks, also networks that have not learned their images."""
