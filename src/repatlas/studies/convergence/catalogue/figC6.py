"""Figure C6: which layers tell which classes."""

from repatlas.figures.figure import Figure
from repatlas.figures.role import Settings
from repatlas.record import refuse
from repatlas.studies.convergence.wanted import EITHER, role


def _one_for_each_data_set(where: str, found: list[Settings]) -> None:
    """Refuse several kinds of networks on one data set: curves are means over networks."""
    for one in found:
        same = [each for each in found if each["data_set"] == one["data_set"]]
        if len(same) > 1:
            refuse(
                f"{where}: found {len(same)} kinds of networks on {one['data_set']}, allowed: one,"
                " over which curves are means"
            )


FIGURE = Figure(
    "Sensitivity of layers to classes: how much of the score of each class each layer has.",
    {
        "narrow": role(
            "The sweeps of narrow and deep networks, one for each data set.",
            {"accuracy", "class_correlations"},
            EITHER,
            several=True,
            panels=("data_set",),
            axes={"network.width", "network.depth", "training.batch"},
            fits=_one_for_each_data_set,
        ),
    },
)
