"""Figure S1: other distributions of inputs."""

from repatlas.claims.outcomes import SUPPORTED
from repatlas.figures.figure import Figure, Finding
from repatlas.figures.fits import with_activations
from repatlas.figures.role import ACTIVATION, Role, legend, networks, panels, words
from repatlas.record import refuse
from repatlas.studies.structure.roles import BOTH, PANELS, UNSTRUCTURED


def _has_inputs_of_figure_1(where: str, sweeps: dict) -> None:
    found = networks(sweeps)
    kinds = {(each["task.distribution"], each["task.centred"]) for each in found}
    if ("normal", True) not in kinds or len(kinds) < 2:
        names = "; ".join(f"{name}, centred {words([centred])}" for name, centred in sorted(kinds))
        refuse(
            f"{where}: found task.distribution {names}, allowed: normal, centred true, which are"
            " Figure 1's inputs, and others, which the figure compares with them"
        )


FIGURE = Figure(
    "Figure 1's measures for other distributions of inputs.",
    {
        "inputs": Role(
            "Sweeps of unstructured tasks, with tanh and ReLU: Figure 1's inputs, normal and"
            " centred, and others at least.",
            PANELS,
            UNSTRUCTURED,
            several=True,
            shown=legend(ACTIVATION) | panels("task.distribution", "task.centred"),
            fits=(
                with_activations(*BOTH, panels=("task.distribution", "task.centred")),
                _has_inputs_of_figure_1,
            ),
        )
    },
    step="The training step that the figure shows.",
    first_step=1,
    shows_start=True,
    finding=Finding(
        "ReLU networks keep the geometry of the inputs where the inputs share no mean.",
        {"36b": SUPPORTED},
    ),
)
