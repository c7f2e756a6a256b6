"""Figure S2: simplified dynamics."""

from repatlas.claims.outcomes import CONTRADICTED
from repatlas.figures.figure import Alike, Figure, Finding
from repatlas.figures.role import Role
from repatlas.studies.structure.roles import PANELS, UNSTRUCTURED

SIMPLIFIED = {
    "training.errors": ("equal",),
    "network.readout": ("binary",),
    "network.hidden_bias": ("none",),
}
STANDARD = {
    "training.errors": ("output",),
    "network.readout": ("trained",),
    "network.hidden_bias": ("trained",),
}

FIGURE = Figure(
    "The paper's simplified dynamics and standard training.",
    {
        "simplified": Role(
            "The sweep with equal errors, a binary readout and no hidden biases.",
            PANELS,
            UNSTRUCTURED | SIMPLIFIED,
            over_steps=True,
        ),
        "standard": Role(
            "The same with the errors of the output and with readout and biases trained, at the"
            " same steps.",
            PANELS,
            UNSTRUCTURED | STANDARD,
            over_steps=True,
        ),
    },
    alike=(
        Alike(
            "standard",
            "simplified",
            ("task", "network", "training", "steps"),
            but=(*SIMPLIFIED,),
        ),
    ),
    finding=Finding(
        "Measures over the simplified dynamics do not agree closely with those over standard"
        " training.",
        {"48": CONTRADICTED},
    ),
)
