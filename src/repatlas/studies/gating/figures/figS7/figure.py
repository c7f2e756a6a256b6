"""Figure S7: agreement in numbers."""

from repatlas.claims.outcomes import CONTRADICTED, SUPPORTED
from repatlas.figures.figure import Figure, Finding
from repatlas.figures.role import legend, panels
from repatlas.studies.gating.roles import CONTEXTS, KIND, WEIGHTS, one_of_each, role

TASK = ("task.blocks", "task.contexts")

FIGURE = Figure(
    "How well loss curves of theories and gated networks agree with those that they are of.",
    {
        "networks": role(
            "Sweeps of ReLU networks, gated networks with pathways of all contexts but one, and"
            " linear networks.",
            {"loss"},
            *("relu", "gated", "linear"),
            only=CONTEXTS | {"network.pathways": ("all_but_one",)},
            shown=legend("network.gradient", *WEIGHTS) | panels(*TASK),
            fits=(one_of_each(*KIND),),
            several=True,
        ),
        "theories": role(
            "Sweeps of theories of them.",
            {"loss"},
            *("race", "closed_form", "mean_field", "recruited", "logistic"),
            only=CONTEXTS | {"network.pathways": ("all_but_one", "none")},
            shown=legend(
                *("network.pathways", "network.gradient", "network.constants", "network.units"),
                *WEIGHTS,
            )
            | panels(*TASK),
            fits=(one_of_each(*KIND),),
            several=True,
        ),
    },
    finding=Finding(
        "Loss curves of ReLU and gated networks nearly agree; epoch by epoch they do once"
        " recruitment is fitted.",
        {"1": SUPPORTED, "1b": CONTRADICTED, "1c": SUPPORTED},
    ),
)
