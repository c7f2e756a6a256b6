"""The runs of a shard on disk: its file, the parts that a job flushes while it trains, and a file
beside it with the runs that the config no longer wants.

A run that is not finished is stored like any other, with a last checkpoint where its training
stands: training goes on from there with the same bits. So no run is ever lost but for what was
trained since the last flush, and a run can be continued to a later step than it was first asked
for.
"""

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, Self

import numpy as np

from repatlas.artifacts.files import Arrays, Unreadable, set_aside, write_arrays
from repatlas.artifacts.running import check_sources

UNUSED = ".unused"
"""Suffix of a file with what another file no longer has."""
PARTS = ".parts"
"""Suffix of the folder with what a job has made of a file so far."""
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
    return Run(_of_checkpoints(arrays), state, about, curves_of(arrays))


def _of_checkpoints(arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    return {n: values for n, values in arrays.items() if not n.startswith((STATE, CURVES))}


def curves_of(arrays: dict[str, np.ndarray]) -> dict[str, Curve]:
    """Return the curves among the arrays of a run."""
    ends = "/epochs"
    names = [n.removesuffix(ends) for n in arrays if n.startswith(CURVES) and n.endswith(ends)]
    return {
        name.removeprefix(CURVES): Curve(arrays[f"{name}{ends}"], arrays[f"{name}/values"])
        for name in names
    }


def keep_unused(shard: Path, written: dict[str, Run], is_current: Callable[[dict], bool]) -> None:
    """Keep, beside a shard's file, what it has of today's code, or its parts have, and will not
    have once these runs are written to it: runs, or some of their steps. Should the config want
    them again, they are not trained again.

    is_current: by what a file says of a run, whether that is of today's code.
    """
    place, parts = shard.with_suffix(UNUSED), Parts(shard).files()
    kept: dict[str, Run] = {}
    for path in (place, shard, *parts):
        try:
            file = Arrays(path, "runs") if path.exists() else None
            for key, about in file.header["runs"].items() if file else ():
                # The last checkpoint of a part is not wanted: its training stood there.
                covers = key in written and (path in parts or _covers(written[key], about))
                longer = key not in kept or about["steps"][-1] > kept[key].last_step
                if longer and not covers and is_current(about):
                    kept[key] = _run(file, key)
        except Unreadable:
            if path == place:
                set_aside(place)
    if kept:
        write_runs(place, {}, kept)
    else:
        check_sources()  # before a write that would be refused for it
        place.unlink(missing_ok=True)


def _covers(run: Run, about: dict) -> bool:
    """Return True if a run has all that another has, which a file describes so."""
    steps = set(about["steps"]) <= set(run.about["steps"])
    return steps and (run.about["goes_on"] or not about["goes_on"])


class Parameters(dict):
    """The arrays of a run at one of its checkpoints, by name. For one that the file lacks it raises
    Unreadable."""

    def __init__(self, file: Arrays, key: str, arrays: dict[str, np.ndarray], index: int):
        super().__init__({n: values[index] for n, values in _of_checkpoints(arrays).items()})
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
    """The folder next to a shard's file into which a job flushes runs, one file each time."""

    def __init__(self, shard: Path):
        self.folder = shard.with_suffix(PARTS)

    def files(self) -> list[Path]:
        # A hidden one was left half written.
        found = self.folder.glob("*.safetensors")
        return sorted(path for path in found if not path.name.startswith("."))

    def flush(self, runs: dict[str, Run]) -> None:
        if os.path.lexists(self.folder) and not self.folder.is_dir():
            set_aside(self.folder)
        numbers = [int(path.stem) for path in self.files()]
        write_runs(self.folder / f"{max(numbers, default=0) + 1:06d}.safetensors", {}, runs)

    def remove(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
