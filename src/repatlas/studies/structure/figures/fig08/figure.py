"""Figure 8: constraints on the readout."""

from repatlas.claims.outcomes import SUPPORTED
from repatlas.figures.figure import Figure, Finding
from repatlas.figures.fits import with_activations
from repatlas.figures.role import ACTIVATION, Role, legend
from repatlas.studies.structure.roles import BOTH, PANELS, UNSTRUCTURED

FIGURE = Figure(
    "Constraints on the readout: measures over training.",
    {
        "sweep": Role(
            "The sweep, over several readouts, with tanh and ReLU and two steps at least.",
            PANELS,
            UNSTRUCTURED | {"network.readout": ("binary", "normal", "trained")},
            shown=legend(ACTIVATION, "network.readout"),
            fits=(with_activations(*BOTH),),
            over_steps=True,
        )
    },
    finding=Finding(
        "Binary and frozen readouts change no effect of the activation.",
        {"43": SUPPORTED},
    ),
)
