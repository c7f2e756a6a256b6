"""Figure 6: reshaped activations."""

from repatlas.claims.outcomes import SUPPORTED
from repatlas.figures.figure import Figure, Finding
from repatlas.figures.fits import with_activations
from repatlas.figures.role import ACTIVATION, Role, axis, legend, networks, panels, words
from repatlas.record import refuse
from repatlas.studies.structure.roles import BOTH, MAXIMAL

MOVED = ("relu-1", "relu-0.5", "relu+0.5", "relu+1")


def _has_a_moved_relu(where: str, sweeps: dict) -> None:
    found = networks(sweeps)
    present = {each[ACTIVATION] for each in found}
    if not present & set(MOVED):
        refuse(
            f"{where}: found {ACTIVATION} {words(present)}, allowed: {' or '.join(MOVED)} among"
            " them, which panel B shows"
        )


FIGURE = Figure(
    "Reshaped activations.",
    {
        "lines": Role(
            "Sweeps of maximal kernels, one for each number of targets and column of panels: with"
            " tanh, ReLU, the clipped ReLU and one that is moved, such as relu-1, at least.",
            {"alignment"},
            MAXIMAL,
            several=True,
            shown=legend(ACTIVATION) | panels("task.targets") | axis("task.alignment"),
            fits=(
                with_activations(*BOTH, "clipped_relu", panels=("task.targets",)),
                _has_a_moved_relu,
            ),
        )
    },
    step="The training step that the figure shows.",
    finding=Finding(
        "An offset of ReLU changes target alignment less than saturation on both sides does.",
        {"38b": SUPPORTED},
    ),
)
