"""Figure 4: three contexts of different structure."""

from repatlas.claims.outcomes import CONTRADICTED, SUPPORTED
from repatlas.figures.figure import Figure, Finding
from repatlas.figures.role import legend
from repatlas.studies.gating.roles import HETEROGENEOUS, role

ALL_BUT_ONE = {"network.pathways": ("all_but_one",)}

FIGURE = Figure(
    "A ReLU network, its gated network and theories of both, in three contexts of different"
    " structure.",
    {
        "relu": role(
            "The sweep of ReLU networks.", {"loss", "outputs"}, "relu", only=HETEROGENEOUS
        ),
        "gated": role(
            "The sweep of gated networks with a common pathway, and a pathway for all contexts"
            " except one.",
            {"loss", "outputs"},
            "gated",
            only=HETEROGENEOUS | ALL_BUT_ONE,
            shown=legend("network.gradient"),
        ),
        "modules": role(
            "The sweep of the gated network whose singular values panel C draws.",
            {"singular_values"},
            "gated",
            only=HETEROGENEOUS | ALL_BUT_ONE | {"network.gradient": ("detached",)},
        ),
        "theories": role(
            "Sweeps of theories.",
            {"loss", "singular_values"},
            *("race", "closed_form", "mean_field"),
            only=HETEROGENEOUS | ALL_BUT_ONE,
            several=True,
            shown=legend("network.gradient", "network.constants"),
        ),
        "fit": role(
            "The sweep of the mean field whose recruitment is fitted.",
            {"loss"},
            "recruited",
            only=HETEROGENEOUS | ALL_BUT_ONE,
            optional=True,
        ),
    },
    finding=Finding(
        "A ReLU network and its gated network agree on the whole, and not in each single output.",
        {"5": SUPPORTED, "5b": CONTRADICTED},
    ),
)
