"""Figure C7: generalising and memorising networks, and what is memorised how fast."""

from repatlas.figures.figure import Alike, Figure, Pairs
from repatlas.studies.convergence.wanted import EITHER, role

ORIGINAL = {"task.labels": ("original",), "task.pixels": ("original",)}
DISTANCES = frozenset({"together"})

FIGURE = Figure(
    "Networks that generalise and networks that memorise: how far they are from one another, and"
    " how corrupted labels and pixels are learned.",
    {
        "generalising": role(
            "The sweep of networks that learn images with their labels.",
            {"accuracy"},
            EITHER | ORIGINAL,
        ),
        "memorising": role(
            "The sweep of those that learn the same images with the labels in another order.",
            {"accuracy"},
            EITHER | {"task.labels": ("permuted",), "task.pixels": ("original",)},
        ),
        "corrupted": role(
            "The sweep of those whose labels are partly random, or whose pixels are changed.",
            {"accuracy", "learning_curves", "loss"},
            EITHER | {"task.labels": ("original", "random")},
            axes={"task.labels", "task.corrupted", "task.pixels"},
            optional=True,
        ),
    },
    comparisons={
        "among_generalising": Pairs("The comparison of generalising networks.", DISTANCES),
        "among_memorising": Pairs("That of memorising networks.", DISTANCES),
        "between_both": Pairs("That of generalising networks with memorising ones.", DISTANCES),
    },
    alike=(Alike("memorising", "generalising", ("network", "training", "task.images", "steps")),),
)
