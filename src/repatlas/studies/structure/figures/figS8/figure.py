"""Figure S8: effective weights of deep networks."""

from repatlas.claims.outcomes import CONTRADICTED
from repatlas.figures.figure import Figure, Finding
from repatlas.figures.fits import at_most
from repatlas.figures.role import ACTIVATION, Role, legend, networks
from repatlas.record import refuse
from repatlas.studies.structure.roles import SMOOTH


def _is_deep(where: str, sweeps: dict) -> None:
    found = networks(sweeps)
    if min(each["network.depth"] for each in found) < 2:
        refuse(f"{where}: found network.depth 1, allowed: 2 or more")


FIGURE = Figure(
    "Deep networks: effective weights of each layer in the plane of two axes, and their field.",
    {
        "deep": Role(
            "The sweep of deep networks whose effective weights are drawn. They have no hidden"
            " biases, a binary readout, and two depths at most. The field predicts the change from"
            " the first step to the second step.",
            {"effective_weights"},
            {
                "experiment": ("clusters",),
                "task.kind": ("unstructured",),
                "task.targets": (1,),
                "network.hidden_bias": ("none",),
                "network.readout": ("binary",),
            }
            | SMOOTH,
            shown=legend(ACTIVATION, "network.depth"),
            fits=(
                at_most({"network.depth": 2, ACTIVATION: 2}),
                _is_deep,
            ),
            over_steps=True,
        ),
    },
    finding=Finding(
        "In deep networks tanh units stay mixed, and the field fails for ReLU and in late layers.",
        {"d1": CONTRADICTED, "d3": CONTRADICTED},
    ),
)
