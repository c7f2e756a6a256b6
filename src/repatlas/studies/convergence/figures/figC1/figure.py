"""Figure C1: units of two networks, one to one."""

from repatlas.claims.outcomes import SUPPORTED
from repatlas.figures.figure import Figure, Finding, Pairs
from repatlas.figures.role import ACTIVATION, Role, legend
from repatlas.studies.convergence.roles import CNN, MLP

UNITS = frozenset({"natural", "matching", "semi_matching"})

FIGURE = Figure(
    "How the units of two networks correlate in natural order, and matched one to one.",
    {
        "mlp": Role("The sweep of perceptrons.", {"accuracy"}, MLP),
        "cnn": Role("The sweep of convolutional networks.", {"accuracy"}, CNN, optional=True),
        "widths": Role(
            "The sweep of perceptrons of other widths.",
            {"accuracy"},
            MLP,
            shown=legend(ACTIVATION, "network.width"),
            optional=True,
        ),
    },
    comparisons={
        "mlp_units": Pairs("All pairs of perceptrons, unit by unit.", UNITS),
        "cnn_units": Pairs("All pairs of convolutional networks.", UNITS, optional=True),
        "widths_units": Pairs(
            "All pairs of perceptrons of other widths.", frozenset({"matching"}), optional=True
        ),
        "sorted_units": Pairs(
            "Disjoint pairs of perceptrons, a number for each unit.", frozenset({"sorted_units"})
        ),
        "one_pair": Pairs(
            "One pair of perceptrons, for heat maps and images.",
            frozenset({"unit_correlations", "preferred_images"}),
        ),
        "one_cnn_pair": Pairs(
            "One pair of convolutional networks, for what their units see of images: one layer.",
            frozenset({"preferred_patches"}),
            optional=True,
        ),
    },
    finding=Finding(
        "Permuted, most units of a network have a partner in another network; some have none.",
        {"C2": SUPPORTED, "C3": SUPPORTED},
    ),
)
