"""Figure C3: directions versus neurons."""

from repatlas.claims.outcomes import CONTRADICTED, SUPPORTED
from repatlas.figures.figure import Figure, Finding, Pairs
from repatlas.figures.role import Role
from repatlas.studies.convergence.roles import MLP

FIGURE = Figure(
    "Directions versus neurons: how many of each a network needs of a layer.",
    {"networks": Role("The sweep of the networks.", {"accuracy"}, MLP)},
    comparisons={
        "directions": Pairs(
            "The comparison of these networks, each with the next one: pairs: cyclic.",
            frozenset({"directions"}),
        )
    },
    finding=Finding(
        "A layer needs fewer directions than neurons; with the same regression, more than half"
        " as many.",
        {"C7": SUPPORTED, "C7b": CONTRADICTED},
    ),
)
