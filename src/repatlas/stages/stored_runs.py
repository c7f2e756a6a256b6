"""The runs that the files of a job hold already: only the others are trained."""

from pathlib import Path

from repatlas.artifacts.files import Unreadable, set_aside
from repatlas.artifacts.runs import Run, read_runs
from repatlas.stages.job import log


def stored_runs(paths: list[Path], steps: dict[str, list[int]], basis: dict) -> dict[str, Run]:
    """Of each run that a file has, that which has been trained longest.

    steps: of each wanted run, by key, the steps whose parameters are wanted.
    A damaged file is set aside.
    """
    runs: dict[str, Run] = {}
    for path in paths:
        if not path.exists():
            continue
        try:
            found = read_runs(path, steps, basis)
        except Unreadable as error:
            log(f"{error}; set aside as {set_aside(path).name}")
            continue
        for key, run in found.items():
            if key not in runs or run.last_step > runs[key].last_step:
                runs[key] = run
    return runs
