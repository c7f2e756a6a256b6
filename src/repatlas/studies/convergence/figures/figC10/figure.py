"""Figure C10: tanh and ReLU."""

from repatlas.claims.outcomes import SUPPORTED
from repatlas.figures.figure import Figure, Finding, Pairs
from repatlas.figures.fits import on_the_same_tasks, with_activations
from repatlas.figures.role import ACTIVATION, Role, axis, legend
from repatlas.studies.convergence.roles import MLP

TOGETHER = frozenset({"together_on_samples", "alignment_of_centres"})


def _on_clusters(about: str, kind: str, along: str, measures: set[str]) -> Role:
    """Return the role of networks of both activations on tasks that all seeds share, along a
    setting."""
    return Role(
        about,
        measures,
        {"experiment": ("clusters",), "task.kind": (kind,), "network.depth": (1,)},
        several=True,
        optional=True,
        shown=legend(ACTIVATION) | axis(along),
        fits=(
            with_activations("tanh", "relu"),
            on_the_same_tasks("tanh", "relu"),
        ),
    )


FIGURE = Figure(
    "How similar networks become, with tanh and with ReLU: unit by unit; and over the separability"
    " and the alignment of tasks.",
    {
        "mlp": Role(
            "The sweep of perceptrons of both activations.",
            {"accuracy"},
            MLP,
            fits=(
                with_activations("tanh", "relu"),
                on_the_same_tasks("tanh", "relu"),
            ),
        ),
        "separable": _on_clusters(
            "The sweeps of networks on tasks of some separabilities, one for each activation.",
            "common_separable",
            "task.delta",
            {"accuracy", "training_scores", "alignment"},
        ),
        "lines": _on_clusters(
            "Those of networks on tasks of some input-output alignments.",
            "aligned",
            "task.alignment",
            {"accuracy", "training_scores"},
        ),
    },
    comparisons={
        "mlp_units": Pairs(
            "All pairs of perceptrons, unit by unit.", frozenset({"natural", "matching"})
        ),
        "separable_pairs": Pairs(
            "The comparisons of all pairs on tasks of some separabilities: of each sweep, and of"
            " both.",
            TOGETHER,
            several=True,
            optional=True,
        ),
        "lines_pairs": Pairs(
            "Those on tasks of some alignments.", TOGETHER, several=True, optional=True
        ),
    },
    finding=Finding(
        "Tanh and ReLU networks are less alike than two of one activation; signed matching is"
        " biased against tanh.",
        {"C19": SUPPORTED, "C20": SUPPORTED},
    ),
)
