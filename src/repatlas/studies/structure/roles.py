"""The parts of roles that figures of this study share: what they require of networks."""

from typing import NoReturn

from repatlas.figures.role import ACTIVATION, Role, legend, networks, panels
from repatlas.record import refuse

PANELS = {"alignment", "parallelism", "ccgp", "decoding"}
"""What the panels of measures draw."""
UNSTRUCTURED, SEPARABLE, ALIGNED = (
    {"experiment": ("clusters",), "task.kind": (kind,), "network.depth": (1,)}
    for kind in ("unstructured", "separable", "aligned")
)
ONE_TARGET = UNSTRUCTURED | {"task.targets": (1,)}
MAXIMAL = ALIGNED | {"task.kernel": ("maximal",)}
IN_PLANE = {"network.hidden_bias": ("none",), "network.readout": ("binary", "normal")}
"""Networks whose weights are drawn in the plane of two axes: it has no place for a bias, and the
neurons are those whose readout is positive all the time."""
SMOOTH = {"task.distribution": ("normal", "symmetric", "positive")}
"""The expected gradient assumes normal noise, and inputs that do not cut it."""
CELLS = ("task.clusters", "task.targets")
"""The settings that have a panel each."""
BOTH = ("tanh", "relu")


def images_role() -> Role:
    """Return the role of networks on images, with one mean for each architecture and data set."""
    return Role(
        "Sweeps of networks on images, one for each data set and architecture.",
        {"accuracy", "alignment", "ccgp", "parallelism"},
        {"experiment": ("images",)},
        several=True,
        shown=legend(ACTIVATION, "pairing", "epochs", *OF_KIND) | panels(*OF_CELL),
        fits=(_has_bars,),
    )


OF_CELL = ("data_set", "network.architecture")
OF_KIND = ("network.width", "network.depth", "training.learning_rate", "training.batch")


def _has_bars(where: str, sweeps: dict) -> None:
    """Refuse sweeps without one common mean over pairings of classes for each architecture."""
    found = networks(sweeps)
    pairings: dict[tuple, set] = {}
    kinds: dict[tuple, tuple] = {}
    epochs: dict[tuple, set] = {}
    for each in found:
        cell = tuple(each[place] for place in OF_CELL)
        pairings.setdefault(cell, set()).add(each["pairing"])
        epochs.setdefault((cell, each[ACTIVATION]), set()).add(each["epochs"])
        kind = tuple(each[place] for place in OF_KIND)
        if kinds.setdefault(cell, kind) != kind:
            _refuse_several_kinds(where, cell)
    for (cell, _), found_epochs in epochs.items():
        if any(other != found_epochs for (at, _), other in epochs.items() if at == cell):
            _refuse_several_kinds(where, cell)
    if len(set(map(frozenset, pairings.values()))) > 1:
        refuse(
            f"{where}: found sweeps of several `pairing`, allowed: the same in all, since figures"
            " show one mean over them"
        )


def _refuse_several_kinds(where: str, cell: tuple[str, str]) -> NoReturn:
    data_set, architecture = cell
    refuse(
        f"{where}: found several kinds of {architecture} on {data_set}, allowed: one sweep of one"
        " width, depth and training for each data set, since figures have one bar for it"
    )
