"""Figure 7C to E: what neurons with two outputs are tuned to."""

from repatlas.claims.outcomes import SUPPORTED
from repatlas.figures.figure import Figure, Finding
from repatlas.figures.role import Role
from repatlas.studies.structure.roles import IN_PLANE, SMOOTH, UNSTRUCTURED

FIGURE = Figure(
    "Two outputs: tuning and weights of the eight groups of neurons.",
    {
        "groups": Role(
            "The sweep of networks with two targets and the groups as readout, without hidden"
            " biases.",
            {"selectivity", "tuning"},
            UNSTRUCTURED | SMOOTH | IN_PLANE | {"network.readout": ("groups",)},
        ),
    },
    step="The training step that the figure shows.",
    first_step=1,
    finding=Finding(
        "Neurons are tuned to the clusters that match their readout, and most ReLU neurons"
        " select one cluster.",
        {"40": SUPPORTED, "41b": SUPPORTED},
    ),
)
