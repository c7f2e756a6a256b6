"""The runs of a shard on disk: the versions of its file, and the parts that a job flushes while it
trains.

An unfinished run is stored like any other, with a last checkpoint where its training stands.
Training continues from there with the same bits. So an interruption loses only what was trained
since the last flush, and a run can be continued to a later step than the job first asked for.
"""

import os
import shutil
from pathlib import Path
from typing import NamedTuple, Self

import numpy as np

from repatlas.artifacts.files import Arrays, Unreadable, set_aside, write_arrays
from repatlas.artifacts.layout import PARTS

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
    """What the file records of the run: spec, steps (T of them), diverged_step, converged_step,
    device and versions. It also records its basis (dependencies other than spec, seed and code),
    and whether training goes_on from the last checkpoint"""
    curves: dict[str, Curve] = {}  # noqa: RUF012 (a named tuple, so nobody writes to it)
    """What was recorded between checkpoints, by name, for example a loss at every epoch"""

    @property
    def last_step(self) -> int:
        return self.about["steps"][-1]

    def resting_on(self, basis: dict) -> Self:
        """Return the same run with these dependencies on record."""
        return self._replace(about=self.about | {"basis": basis})

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


def write_runs(path: Path, header: dict, runs: dict[str, Run]) -> None:
    arrays = {}
    for key, run in runs.items():
        arrays |= {f"{key}/{name}": values for name, values in run.parameters.items()}
        arrays |= {f"{key}/{STATE}{name}": values for name, values in run.state.items()}
        for name, curve in run.curves.items():
            arrays |= {f"{key}/{CURVES}{name}/{n}": v for n, v in curve._asdict().items()}
    about = {"runs": {key: run.about for key, run in runs.items()}}
    write_arrays(path, "runs", header | about, arrays)


def read_runs(path: Path, wanted: dict[str, list[int]], basis: dict[str, dict]) -> dict[str, Run]:
    """Return the wanted runs (key -> steps) that a file has with the same basis. They are
    finished, or begun so that their training can continue. Raises Unreadable."""
    file = Arrays(path, "runs")
    runs = {}
    for key, about in file.header["runs"].items():
        if key in wanted and serves(about, wanted[key], basis[key]):
            runs[key] = _run(file, key)
    return runs


def _run(file: Arrays, key: str) -> Run:
    arrays = run_arrays(file, key)
    state = {n.removeprefix(STATE): a for n, a in arrays.items() if n.startswith(STATE)}
    about = file.header["runs"][key]
    return Run(_parameters_at_checkpoints(arrays), state, about, curves_of(arrays))


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


def serves(about: dict, steps: list[int], basis: dict) -> bool:
    """Return True if a stored run has the same basis, and each wanted step that it passed."""
    if about["basis"] != basis:  # of other code, whose files may say other things
        return False
    stored = about["steps"]
    passed = {step for step in steps if step <= stored[-1]}
    reaches = about["goes_on"] or stored[-1] >= steps[-1]
    return passed <= set(stored) and reaches


class Parts:
    """The folder next to the versions of a shard's file into which jobs flush runs, one file each
    time. The next version takes them from there, whatever its identity is."""

    def __init__(self, shard: Path):
        self.folder = shard.parent / PARTS

    def files(self) -> list[Path]:
        # A hidden one was left half written.
        found = self.folder.glob("*.safetensors")
        return sorted(path for path in found if not path.name.startswith("."))

    def flush(self, runs: dict[str, Run]) -> None:
        if os.path.lexists(self.folder) and not self.folder.is_dir():
            set_aside(self.folder)
        numbers = [int(path.stem) for path in self.files()]
        write_runs(self.folder / f"{max(numbers, default=0) + 1:06d}.safetensors", {}, runs)

    def remove(self, written: dict[str, Run]) -> None:
        """Remove each file whose runs are all among these, and the folder if no file is left. A
        killed job of another config may have left other runs. A damaged file is renamed, and
        stays."""
        for path in self.files():
            if not path.exists():  # a link to nothing
                path.unlink()
                continue
            try:
                found = Arrays(path, "runs").header["runs"]
            except Unreadable:
                set_aside(path)
                continue
            if all(
                key in written and about["steps"][-1] <= written[key].last_step
                for key, about in found.items()
            ):
                path.unlink()
        remove_folder_of_parts(self.folder)


def remove_folder_of_parts(folder: Path) -> None:
    """Remove a folder of parts, unless it has more than half-written files, whose names are
    hidden."""
    if all(path.name.startswith(".") for path in folder.glob("*")):
        shutil.rmtree(folder, ignore_errors=True)
