"""The role of a user's representations in figures."""

from dataclasses import dataclass, field

from repatlas.figures.role import Role
from repatlas.record import refuse

LAYER = "layer"
"""The brace that figures over layers are about."""


@dataclass(frozen=True)
class FilesRole(Role):
    """The requirements of a figure for representations in files. Settings are the braces in the
    names of the files."""

    measures: set[str] = field(default_factory=set)
    experiment: str = "files"
    several: bool = True
    some_of: tuple[str, ...] = ()
    """Measures; at least one is needed."""
    brace: str | None = None
    """A brace that is needed."""
    other_brace: bool = False
    """True if a brace other than layer and unit is needed, with two values or more."""

    def check(self, where: str, sweeps: dict) -> None:
        for name, sweep in sweeps.items():
            if sweep.experiment != self.experiment:
                refuse(f"{where}: found sweep {name!r}, allowed: a set of representations")
            if self.some_of and not set(self.some_of) & set(sweep.measures):
                refuse(
                    f"{where}: found representations {name!r} without"
                    f" {' and '.join(self.some_of)}, allowed: one of these among its measures"
                )
            columns = {key for each in sweep.arrays for key in each.columns}
            if self.brace and self.brace not in columns:
                refuse(
                    f"{where}: found arrays of {name!r} without {{{self.brace}}}, allowed: a path"
                    " with this brace"
                )
            if self.other_brace and axis_of(sweep) is None:
                refuse(
                    f"{where}: found arrays of {name!r} that differ in layer and unit alone,"
                    " allowed: another brace with two values or more"
                )

    def check_axes_of_curves(self, where: str, sweeps: dict) -> None:
        """Accept a curve with a single position, which is drawn as a dot."""


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
