"""The role of a user's representations in figures."""

from dataclasses import dataclass, field

from repatlas.experiments.files.columns import LAYER, first_axis
from repatlas.figures.role import Fits, Role
from repatlas.record import refuse


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
        if first_axis(sweep) is None:
            refuse(
                f"{where}: found arrays of {name!r} that differ in layer and unit alone, allowed:"
                " another brace with two values or more"
            )
