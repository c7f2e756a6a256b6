"""Figure C2: from how many units a unit is predicted."""

from repatlas.claims.outcomes import CONTRADICTED, SUPPORTED
from repatlas.figures.figure import Figure, Finding, Pairs
from repatlas.figures.role import Role
from repatlas.studies.convergence.roles import CNN, MLP

PREDICTION = frozenset({"sparse_prediction"})

FIGURE = Figure(
    "How well, and from how many units, the units of a network are predicted from another's.",
    {
        "mlp": Role("The sweep of perceptrons.", {"accuracy"}, MLP),
        "cnn": Role("The sweep of convolutional networks.", {"accuracy"}, CNN, optional=True),
    },
    comparisons={
        "mlp_prediction": Pairs("Disjoint pairs of perceptrons.", PREDICTION),
        "cnn_prediction": Pairs(
            "Disjoint pairs of convolutional networks.", PREDICTION, optional=True
        ),
        "published": Pairs(
            "Disjoint pairs of perceptrons, by the published procedure.",
            frozenset({"published_prediction"}),
        ),
    },
    finding=Finding(
        "A few units predict a unit of another network; an L1 decay gains nothing.",
        {"C4": SUPPORTED, "C6": CONTRADICTED},
    ),
)
