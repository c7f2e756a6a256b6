"""Figure 5: more contexts."""

from repatlas.claims.outcomes import CONTRADICTED, SUPPORTED
from repatlas.figures.figure import Figure, Finding
from repatlas.figures.role import legend, panels
from repatlas.studies.gating.roles import HOMOGENEOUS, KIND, WEIGHTS, one_of_each, role

FEW = HOMOGENEOUS | {"task.contexts": (2, 3, 4, 5)}
"""Each number of contexts has panels, and the pathways of each size a shade."""
GATED = FEW | {"network.pathways": ("all_but_one",)}
SUBSETS = FEW | {"network.pathways": ("subsets",), "network.gradient": ("detached",)}
EACH = panels("task.contexts")
ONE = (one_of_each(*KIND),)
"""Initial weights may differ between numbers of contexts alone."""

FIGURE = Figure(
    "The race between pathways, with the same structure in each of several contexts.",
    {
        "relu": role(
            "The sweep of ReLU networks.", {"loss", "units"}, "relu", only=FEW, shown=EACH
        ),
        "gated": role(
            "The sweep of gated networks with pathways of all contexts but one.",
            {"loss", "outputs", "mode_strengths"},
            "gated",
            only=GATED,
            shown=legend("network.gradient", *WEIGHTS) | EACH,
            fits=ONE,
        ),
        "single": role(
            "The sweep of gated networks with pathways of single contexts, which the claims compare"
            " with the other ones. The figure does not draw them.",
            {"loss"},
            "gated",
            only=HOMOGENEOUS | {"network.pathways": ("single",)},
            shown=legend(*WEIGHTS) | EACH,
            fits=ONE,
            optional=True,
        ),
        "race": role(
            "The sweep of gated networks with a pathway for every proper subset of the contexts.",
            {"loss", "pathways"},
            "gated",
            only=SUBSETS,
            shown=legend(*WEIGHTS) | EACH,
            fits=ONE,
        ),
        "modules": role(
            "The same for the networks whose singular values are drawn.",
            {"singular_values"},
            "gated",
            only=SUBSETS,
            shown=legend(*WEIGHTS) | EACH,
            fits=ONE,
        ),
        "theories": role(
            "Sweeps of theories of the gated networks.",
            {"loss"},
            *("race", "closed_form", "mean_field"),
            only=GATED,
            shown=legend("network.gradient", "network.constants", *WEIGHTS) | EACH,
            fits=ONE,
            several=True,
        ),
        "modules_theory": role(
            "The sweep of the mean field of the race.",
            {"singular_values"},
            "mean_field",
            only=SUBSETS,
            shown=legend(*WEIGHTS) | EACH,
            fits=ONE,
        ),
        "head_start": role(
            "The sweep of mean fields of the race from ever smaller weights, stored often around"
            " the end of the common phase.",
            {"mode_strengths"},
            "mean_field",
            only=SUBSETS | {"task.contexts": (3,)},
            shown=legend(*WEIGHTS),
        ),
        "fit": role(
            "The sweep of the mean field whose recruitment is fitted.",
            {"loss"},
            "recruited",
            only=GATED,
            shown=EACH,
            optional=True,
        ),
    },
    finding=Finding(
        "Pathways of all contexts but one win the race, and not always by a factor of ten.",
        {"10": SUPPORTED, "10b": CONTRADICTED},
    ),
)
