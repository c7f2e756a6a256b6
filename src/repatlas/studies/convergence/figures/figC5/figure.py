"""Figure C5: layers that are frozen in the course of training."""

from repatlas.claims.outcomes import CONTRADICTED
from repatlas.experiments.classification.training import SCHEDULES
from repatlas.figures.figure import Alike, Figure, Finding
from repatlas.figures.fits import at_most
from repatlas.figures.role import Role, legend
from repatlas.studies.convergence.roles import EITHER

MEASURES = {"accuracy", "learning_curves", "saved_gradients"}

FIGURE = Figure(
    "Freeze training: layers that keep their weights from a time on, the lowest first.",
    {
        "unfrozen": Role(
            "The sweep of networks whose layers are all trained to the end, with a step for each"
            " length of training.",
            MEASURES,
            EITHER | {"training.frozen": ("none",)},
            shown={},
        ),
        "frozen": Role(
            "The sweep of those with frozen layers, for each schedule and length of training.",
            MEASURES,
            EITHER | {"training.frozen": tuple(SCHEDULES)},
            shown=legend("training.frozen", "training.passes"),
            fits=(at_most({"training.passes": 2}),),
        ),
    },
    alike=(Alike("frozen", "unfrozen", ("data_set", "task", "network")),),
    finding=Finding(
        "Freezing layers during training costs accuracy.",
        {"C10": CONTRADICTED},
    ),
)
