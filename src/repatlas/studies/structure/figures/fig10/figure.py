"""Figure 10: what becomes of neurons under training noise."""

from repatlas.claims.outcomes import SUPPORTED
from repatlas.figures.figure import Figure, Finding
from repatlas.figures.role import ACTIVATION, Role, axis
from repatlas.studies.structure.roles import IN_PLANE, SEPARABLE

FIGURE = Figure(
    "What becomes of neurons under training noise.",
    {
        "weights": Role(
            "The sweep of ReLU networks without hidden biases, at delta 1, whose neurons are drawn:"
            " a panel for each variance of the noise, two at least.",
            {"alignment", "selectivity", "tuning"},
            SEPARABLE | IN_PLANE | {ACTIVATION: ("relu",), "task.delta": (1.0,)},
            shown=axis("task.noise_variance"),
        )
    },
    step="The training step at which the fate of a neuron is determined.",
    first_step=1,
    shows_start=True,
    finding=Finding(
        "With noise some intra-class selective ReLU neurons become inter-class selective;"
        " without noise they stay.",
        {"45": SUPPORTED, "45b": SUPPORTED},
    ),
)
