"""Figure S5: the geometry of representations in contexts."""

from repatlas.claims.outcomes import CONTRADICTED
from repatlas.figures.figure import Figure, Finding
from repatlas.figures.fits import at_most
from repatlas.figures.role import legend, panels
from repatlas.studies.gating.roles import CONTEXTS, HOMOGENEOUS, KIND, WEIGHTS, one_of_each, role

BLOCKS = ("task.blocks", "task.contexts")

FIGURE = Figure(
    "Alignment, parallelism and generalisation of tanh and ReLU networks at matched loss.",
    {
        "small": role(
            "Sweeps of ReLU networks from small weights.",
            {"matched_geometry"},
            "relu",
            only=CONTEXTS | {"network.initial": ("equal",)},
            shown=panels(*BLOCKS),
            several=True,
        ),
        "large": role(
            "The sweep of tanh and ReLU networks from larger weights.",
            {"matched_geometry"},
            *("tanh", "relu"),
            only=CONTEXTS | {"network.initial": ("fan_in",)},
            shown=legend("network.sigma") | panels(*BLOCKS),
            fits=(at_most({"network.sigma": 4}),),
        ),
        "gated": role(
            "Sweeps of gated networks, with pathways of all contexts but one and of single ones.",
            {"context_geometry"},
            "gated",
            only=HOMOGENEOUS | {"network.pathways": ("all_but_one", "single")},
            shown=legend("network.pathways", "network.gradient", *WEIGHTS) | panels(*BLOCKS),
            fits=(one_of_each(*KIND, "network.pathways"),),
            several=True,
        ),
        "theory": role(
            "The sweep of the mean field, to its end.",
            {"context_geometry", "alignment"},
            "mean_field",
            only=HOMOGENEOUS,
            shown=panels(*BLOCKS),
        ),
    },
    finding=Finding(
        "At matched loss tanh networks are not always more aligned with the targets than ReLU"
        " networks.",
        {"b2": CONTRADICTED},
    ),
)
