"""The data of networks on clusters: the centres, labels and axes of every task of a shard."""

from collections.abc import Callable
from typing import Any

import numpy as np
from pydantic import TypeAdapter

from repatlas.experiments.clusters.arrays import AnyTask, AnyTaskGrid, geometry_key
from repatlas.grids import points


def prepare(
    wanted: list[dict], seed: int, source: dict, log: Callable[[str], None]
) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """The arrays of each task of these grids, under its key, and the tasks by their keys."""
    arrays, tasks = {}, {}
    for values in wanted:
        for point in points(TypeAdapter(AnyTaskGrid).validate_python(values)):
            task = TypeAdapter(AnyTask).validate_python(point)
            key = geometry_key(task)
            tasks[key] = task.model_dump(exclude={"noise_variance"})
            for name, array in task.draw(seed)._asdict().items():
                arrays[f"{key}/{name}"] = array
    log(f"drew {len(tasks)} tasks of seed {seed}")
    return arrays, {"tasks": tasks}
