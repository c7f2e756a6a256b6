"""Figure S3: what the loss does not tell."""

from repatlas.claims.outcomes import SUPPORTED
from repatlas.figures.figure import Figure, Finding
from repatlas.figures.role import legend, networks, words
from repatlas.record import refuse
from repatlas.studies.gating.roles import HOMOGENEOUS, role

FIRST = {"network.fitted_to": ("first",)}
"""Fits to the first network, which other networks judge."""


def _has_three_contexts(where: str, sweeps: dict) -> None:
    """Refuse sweeps without tasks of three contexts, which are all that the figure shows."""
    found = networks(sweeps)
    numbers = {each["task.contexts"] for each in found}
    if 3 not in numbers:
        refuse(f"{where}: found task.contexts {words(numbers)}, allowed: 3 among them")


FIGURE = Figure(
    "Fits of the loss by pathways of all contexts but one and of single contexts, units that tell"
    " which it is, and controls with the gates of units.",
    {
        "relu": role(
            "The sweep of ReLU networks.",
            {"loss", "units"},
            "relu",
            only=HOMOGENEOUS,
            shown=legend("task.contexts"),
            fits=(_has_three_contexts,),
        ),
        "fits": role(
            "Sweeps of mean fields whose recruitment is fitted, with either kind of pathways.",
            {"loss", "pathways"},
            "recruited",
            only=HOMOGENEOUS | FIRST | {"network.pathways": ("all_but_one", "single")},
            shown=legend("network.pathways", "task.contexts"),
            fits=(_has_three_contexts,),
            several=True,
            optional=True,
        ),
        "own_fits": role(
            "The sweep of the same mean fields, fitted to each network separately.",
            {"pathways"},
            "recruited",
            only=HOMOGENEOUS | {"network.fitted_to": ("own",)},
            shown=legend("network.pathways"),
            optional=True,
        ),
        "frozen": role(
            "The sweep of the same networks with gates of units that are frozen from the start.",
            {"loss"},
            "frozen",
            only=HOMOGENEOUS | {"task.contexts": (3,)},
            shown=legend("network.gates"),
        ),
    },
    finding=Finding(
        "Two sets of pathways fit the same loss; a network could recruit only one of them.",
        {"22": SUPPORTED, "22b": SUPPORTED},
    ),
)
