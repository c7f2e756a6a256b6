"""Figure 5: deep networks."""

from repatlas.claims.outcomes import SUPPORTED
from repatlas.figures.figure import Figure, Finding
from repatlas.figures.role import ACTIVATION, Role, legend, networks, panels
from repatlas.record import refuse

ALIGNED = {"experiment": ("clusters",), "task.kind": ("aligned",)}


def _has_layers_that_converge(where: str, sweeps: dict) -> None:
    found = networks(sweeps)
    if None in {each["training.stop_below"] for each in found}:
        refuse(f"{where}: the sweep should have training.stop_below")
    depths = {each["network.depth"] for each in found}
    if max(depths) < 2:
        refuse(f"{where}: found network.depth 1, allowed: 2 or more among its values")


FIGURE = Figure(
    "Deep networks: alignment at each hidden layer.",
    {
        "layers": Role(
            "Sweeps of networks of several layers, trained until they converge"
            " (`training.stop_below`). A row of panels for each rank of the inputs; all else about"
            " the task has one value.",
            {"alignment"},
            ALIGNED,
            several=True,
            shown=legend(ACTIVATION, "network.depth") | panels("task.rank"),
            fits=(_has_layers_that_converge,),
        ),
        "parity": Role(
            "Sweeps of deep networks on parities, which are only in the table.",
            {"alignment"},
            ALIGNED | {"task.kernel": ("hypercube",)},
            several=True,
            optional=True,
            shown=legend(ACTIVATION, "network.depth"),
            fits=(_has_layers_that_converge,),
        ),
    },
    step="The last training step, by which networks have converged or not.",
    first_step=1,
    finding=Finding(
        "Along the layers target alignment rises and input alignment falls; tanh networks end"
        " more aligned with the targets.",
        {"34": SUPPORTED, "35": SUPPORTED},
    ),
)
