"""The role of a user's representations in figures."""

from dataclasses import dataclass, field

from repatlas.figures.role import Fits, Role
from repatlas.record import refuse

LAYER = "layer"
"""The brace that figures over layers are about."""


@dataclass(frozen=True)
class FilesRole(Role):
    """The requirements of a figure for representations in files. Settings are the braces in the
    names of the files."""

    measures: set[str] = field(default_factory=set)
    several: bool = True

    def check(self, where: str, sweeps: dict) -> None:
        for name, sweep in sweeps.items():
            if sweep.experiment != "files":
                refuse(f"{where}: found sweep {name!r}, allowed: a set of representations")
        for fits in self.fits:
            fits(where, sweeps)


def with_one_of(*measures: str) -> Fits:
    """Ask for one of these measures at least."""

    def check(where: str, sweeps: dict) -> None:
        for name, sweep in sweeps.items():
            if not {*measures} & {*sweep.measures}:
                refuse(
                    f"{where}: found representations {name!r} without {' and '.join(measures)},"
                    " allowed: one of these among its measures"
                )

    return check


def have_layers(where: str, sweeps: dict) -> None:
    """Refuse arrays whose path has no brace for the layer."""
    for name, sweep in sweeps.items():
        if not any(LAYER in each.columns for each in sweep.arrays):
            refuse(
                f"{where}: found arrays of {name!r} without {{{LAYER}}}, allowed: a path with this"
                " brace"
            )


def have_an_axis(where: str, sweeps: dict) -> None:
    """Refuse arrays that differ in no brace but layer and unit."""
    for name, sweep in sweeps.items():
        if axis_of(sweep) is None:
            refuse(
                f"{where}: found arrays of {name!r} that differ in layer and unit alone, allowed:"
                " another brace with two values or more"
            )


def columns_of(columns: dict) -> dict:
    """Return the values of braces by the names of the tables' columns.

    The draw of a pseudo-population has another column than the draw of a null.
    """
    return {"pseudo_population" if name == "draw" else name: v for name, v in columns.items()}


def axis_of(grid) -> str | None:
    """Return the brace that is the axis of figures over settings.

    It is the first in the path that is neither layer nor unit and has two values or more.
    """
    every = [columns_of(each.columns) for each in grid.arrays]
    for name in every[0]:
        values = {columns.get(name) for columns in every}
        if name not in (LAYER, grid.unit) and len(values) > 1:
            return name
    return None
