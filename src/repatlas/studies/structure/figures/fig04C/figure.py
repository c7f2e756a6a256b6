"""Figure 4C: networks on images."""

from repatlas.claims.outcomes import SUPPORTED, UNDECIDED
from repatlas.figures.figure import Figure, Finding
from repatlas.studies.structure.roles import images_role

FIGURE = Figure(
    "Networks on images: pairs of networks, tanh and ReLU.",
    {"images": images_role()},
    finding=Finding(
        "Tanh and ReLU networks on images reach a similar accuracy; which is more aligned"
        " depends on the network.",
        {"32": UNDECIDED, "33": SUPPORTED},
    ),
)
