"""A network at its checkpoints: what training yields, and what measures are shown."""

from typing import Any, NamedTuple, Self

import numpy as np

from repatlas.artifacts.files import Arrays, Unreadable


class Wanted(NamedTuple):
    """A network that is asked for."""

    spec: Any
    steps: list[int]
    """The steps at which it is stored"""
    measures: dict[str, list[int]]
    """The steps at which each measure is wanted"""


STATE = "state/"
"""Prefix of the names of the arrays with which training continues."""
CURVES = "curves/"
"""Prefix of the names of what is recorded between checkpoints."""


class Curve(NamedTuple):
    """What training recorded of a network at epochs, or steps, that it chose."""

    epochs: np.ndarray
    """(t,), in ascending order"""
    values: np.ndarray
    """(t, ...)"""

    def until(self, last: int) -> Self:
        """Return the part of the curve up to an epoch, that one included."""
        within = self.epochs <= last
        return type(self)(self.epochs[within], self.values[within])


class Run(NamedTuple):
    """A network at its checkpoints."""

    parameters: dict[str, np.ndarray]
    """(T, ...): those that are trained, by name"""
    state: dict[str, np.ndarray]
    """What else training needs to continue at the last checkpoint"""
    about: dict
    """What the file records of the run: spec, steps (T of them), diverged_step, converged_step and
    device, and whether training goes_on from the last checkpoint"""
    curves: dict[str, Curve] = {}  # noqa: RUF012 (a named tuple, so nobody writes to it)
    """What was recorded between checkpoints, by name, for example a loss at every epoch"""

    @property
    def last_step(self) -> int:
        return self.about["steps"][-1]

    def at(self, steps: list[int]) -> Self:
        """Return the run with only these of its checkpoints."""
        index = [self.about["steps"].index(step) for step in steps]
        parameters = {name: values[index] for name, values in self.parameters.items()}
        about = self.about | {"steps": steps}
        for name in ("diverged_step", "converged_step"):
            if (about[name] or 0) > max(steps, default=0):
                about[name] = None  # as in a run that ends here
        last = max(steps, default=0)
        curves = {name: curve.until(last) for name, curve in self.curves.items()}
        if self.state and steps[-1:] != [self.last_step]:
            return Run(parameters, {}, about | {"goes_on": False}, curves)
        return Run(parameters, self.state, about, curves)


def _parameters_at_checkpoints(arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    return {n: values for n, values in arrays.items() if not n.startswith((STATE, CURVES))}


def curves_of(arrays: dict[str, np.ndarray]) -> dict[str, Curve]:
    """Return the curves among the arrays of a run."""
    ends = "/epochs"
    names = [n.removesuffix(ends) for n in arrays if n.startswith(CURVES) and n.endswith(ends)]
    return {
        name.removeprefix(CURVES): Curve(arrays[f"{name}{ends}"], arrays[f"{name}/values"])
        for name in names
    }


class Parameters(dict):
    """The arrays of a run at one of its checkpoints, by name. For one that the file lacks it raises
    Unreadable."""

    def __init__(self, file: Arrays, key: str, arrays: dict[str, np.ndarray], index: int):
        super().__init__(
            {n: values[index] for n, values in _parameters_at_checkpoints(arrays).items()}
        )
        self.path, self.key = file.path, key

    def __missing__(self, name: str) -> np.ndarray:
        raise Unreadable(self.path, f"has no array {self.key}/{name}")


def run_arrays(file: Arrays, key: str) -> dict[str, np.ndarray]:
    """Return everything that a file has of a run, by name."""
    names = [name for name in file.header["digests"] if name.startswith(f"{key}/")]
    return {name.removeprefix(f"{key}/"): file[name] for name in names}
