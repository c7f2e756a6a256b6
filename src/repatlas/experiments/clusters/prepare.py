"""The data of networks on clusters: the centres, labels and axes of every task of a shard."""

from collections.abc import Callable
from typing import Any

import numpy as np
from pydantic import TypeAdapter

from repatlas.experiments.clusters.arrays import PACKAGE, AnyTaskGrid, geometry_key
from repatlas.grids import records
from repatlas.named import module_of

OWN_DATA = True
"""True if each seed has separate data."""


def modules(wanted: dict[str, Any]) -> list[str]:
    """Return the modules that the data of a grid of tasks name."""
    return [module_of(PACKAGE, wanted["kind"])]


def prepare(
    wanted: list[dict], seed: int, source: dict, log: Callable[[str], None]
) -> tuple[dict[str, np.ndarray], dict[str, Any], str]:
    """Return the arrays of each task of these grids, under its key; the tasks by their keys; and a
    line for the log."""
    arrays, tasks = {}, {}
    for values in wanted:
        for task in records(TypeAdapter(AnyTaskGrid).validate_python(values)):
            key = geometry_key(task)
            tasks[key] = task.model_dump(exclude={"noise_variance"})
            for name, array in task.draw(seed)._asdict().items():
                arrays[f"{key}/{name}"] = array
    return arrays, {"tasks": tasks}, f"drew {len(tasks)} tasks of seed {seed}"
