"""Checks that several figures have in `Role.fits`. Each function here returns a check, which
refuses sweeps."""

from repatlas.figures.role import (
    ACTIVATION,
    Fits,
    grouped,
    measured_at,
    networks,
    values,
    which,
    words,
)
from repatlas.record import refuse


def at_most(most: dict[str, int]) -> Fits:
    """Allow this number of values, by setting: no more fit into the figure or can be
    distinguished."""

    def check(where: str, sweeps: dict) -> None:
        found = values(sweeps.values())
        for place, number in most.items():
            if len(own := found.get(place, set())) > number:
                refuse(
                    f"{where}: found {len(own)} values of {place} ({words(own)}), allowed: at"
                    f" most {number}, since the figure has space for no more"
                )

    return check


def with_activations(*activations: str, panels: tuple[str, ...] = ()) -> Fits:
    """Ask for these activations in each panel. panels: the settings that have a panel each."""

    def check(where: str, sweeps: dict) -> None:
        found = networks(sweeps)
        for panel in grouped(found, panels):
            present = {each.get(ACTIVATION) for each in panel}
            if not present >= {*activations}:
                refuse(
                    f"{where}{which(panel[0], panels, found)}: found {ACTIVATION} {words(present)};"
                    f" the figure compares {' and '.join(activations)}, so these must be among"
                    " them"
                )

    return check


def on_the_same_tasks(*activations: str) -> Fits:
    """Ask for the same tasks and seeds of these activations, or of all: they are compared in
    pairs."""

    def check(where: str, sweeps: dict) -> None:
        tasks: dict[str, set] = {}
        for each in networks(sweeps):
            task = tuple(value for place, value in each.items() if place != ACTIVATION)
            tasks.setdefault(each[ACTIVATION], set()).add(task)
        first, *others = activations or sorted(tasks)
        for other in others:
            if tasks[other] != tasks[first]:
                refuse(
                    f"{where}: found {first} and {other} on different tasks, allowed: all"
                    " activations that the figure compares on each task"
                )
        # A preview leaves sweeps out: they have 0 seeds, and no number to agree on.
        numbers = {sweep.seeds for sweep in sweeps.values() if sweep.seeds}
        if len(numbers) > 1:
            refuse(f"{where}: found sweeps of {words(numbers)} seeds, allowed: one number of seeds")

    return check


def measured_twice(measure: str) -> Fits:
    """Ask for a measure at two steps, whichever they are."""

    def check(where: str, sweeps: dict) -> None:
        for name, sweep in sweeps.items():
            if not (steps := measured_at(sweep, measure)):
                refuse(f"{where}: the sweep should measure {measure}")
            if len(steps) < 2 and sweep.steps != [0]:  # untrained
                refuse(
                    f"{where}: found {measure} at steps {steps} of sweep {name!r},"
                    " allowed: two steps or more"
                )

    return check
