"""Figure C7: generalising and memorising networks, and what is memorised how fast."""

from repatlas.claims.outcomes import SUPPORTED
from repatlas.figures.figure import Alike, Figure, Finding, Pairs
from repatlas.figures.fits import at_most
from repatlas.figures.role import Role, legend, networks
from repatlas.record import refuse
from repatlas.studies.convergence.roles import EITHER

ORIGINAL = {"task.labels": ("original",), "task.pixels": ("original",)}
DISTANCES = frozenset({"together"})


def _one_change(where: str, sweeps: dict) -> None:
    """Refuse networks whose labels and pixels are changed, which have no place on the axis."""
    found = networks(sweeps)
    for each in found:
        if each["task.labels"] == "random" and each["task.pixels"] != "original":
            refuse(
                f"{where}: found task.labels random with task.pixels {each['task.pixels']},"
                " allowed: random labels or changed pixels, which the figure shows apart"
            )


FIGURE = Figure(
    "Networks that generalise and networks that memorise: how far they are from one another, and"
    " how corrupted labels and pixels are learned.",
    {
        "generalising": Role(
            "The sweep of networks that learn images with their labels.",
            {"accuracy"},
            EITHER | ORIGINAL,
            shown={},
        ),
        "memorising": Role(
            "The sweep of those that learn the same images with the labels in another order.",
            {"accuracy"},
            EITHER | {"task.labels": ("permuted",), "task.pixels": ("original",)},
            shown={},
        ),
        "corrupted": Role(
            "The sweep of those whose labels are partly random, or whose pixels are changed.",
            {"accuracy", "learning_curves", "loss"},
            EITHER | {"task.labels": ("original", "random")},
            shown=legend("task.labels", "task.corrupted", "task.pixels"),
            fits=(
                at_most({"task.corrupted": 6}),
                _one_change,
            ),
            optional=True,
        ),
    },
    comparisons={
        "among_generalising": Pairs("The comparison of generalising networks.", DISTANCES),
        "among_memorising": Pairs("The comparison of memorising networks.", DISTANCES),
        "between_both": Pairs(
            "The comparison of generalising networks with memorising ones.", DISTANCES
        ),
    },
    alike=(Alike("memorising", "generalising", ("network", "training", "task.images", "steps")),),
    finding=Finding(
        "Networks that generalise end more alike than networks that memorise.",
        {"C14": SUPPORTED},
    ),
)
