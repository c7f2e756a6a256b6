"""Figure 7: two outputs."""

from repatlas.claims.outcomes import SUPPORTED
from repatlas.figures.figure import Alike, Figure, Finding
from repatlas.figures.role import Role
from repatlas.studies.structure.roles import IN_PLANE, PANELS, SMOOTH, UNSTRUCTURED

FIGURE = Figure(
    "Two outputs, whose readout weights are eight groups.",
    {
        "groups": Role(
            "The sweep of networks with two targets and the groups as readout, without hidden"
            " biases.",
            PANELS | {"selectivity", "tuning"},
            UNSTRUCTURED | SMOOTH | IN_PLANE | {"network.readout": ("groups",)},
        ),
        "control": Role(
            "The same with a random readout, `normal`.",
            PANELS,
            UNSTRUCTURED | {"network.readout": ("normal",)},
        ),
    },
    alike=(Alike("control", "groups", ("task", "network", "training"), but=("network.readout",)),),
    step="The training step that the figure shows in addition to step 0.",
    first_step=1,
    shows_start=True,
    finding=Finding(
        "With two outputs, too, tanh networks take on more of the geometry of the targets.",
        {"39": SUPPORTED},
    ),
)
