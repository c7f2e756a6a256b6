"""Figure 1: unstructured inputs."""

from repatlas.claims.outcomes import SUPPORTED
from repatlas.figures.figure import Alike, Figure, Finding
from repatlas.figures.fits import measured_twice
from repatlas.figures.role import ACTIVATION, Role
from repatlas.studies.structure.roles import IN_PLANE, ONE_TARGET, PANELS, SMOOTH

FIGURE = Figure(
    "Unstructured inputs: measures over training, the weights' trajectories and hidden patterns.",
    {
        "sweep": Role(
            "The sweep of unstructured tasks whose measures panel B draws over its steps, two or"
            " more.",
            PANELS,
            ONE_TARGET,
            over_steps=True,
        ),
        "trajectories": Role(
            "The sweep whose weights panel D draws in the plane of the inter- and intra-class axes."
            " Panel E draws its hidden patterns. It has the task and activations of `sweep`, and no"
            " hidden biases.",
            {"selectivity", "kernel"},
            ONE_TARGET | SMOOTH | IN_PLANE,
            over_steps=True,
            fits=(measured_twice("update"),),
        ),
    },
    alike=(Alike("trajectories", "sweep", ("task", ACTIVATION)),),
    finding=Finding(
        "Tanh networks take on the targets' geometry; ReLU networks keep the inputs' geometry.",
        {"1": SUPPORTED, "2": SUPPORTED},
    ),
)
