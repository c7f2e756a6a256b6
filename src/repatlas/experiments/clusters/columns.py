"""The settings of a network on clusters, as columns."""

from typing import Any

import pyarrow as pa

RENAMED = {"geometry": "draw"}
WITHOUT_COLUMN = {"kind", "inputs", "target_labels", "rank"}
"""Parameters of tasks with one value in each figure."""
OF_TASKS = {
    "task": pa.string(),
    "delta": pa.float64(),
    "noise_variance": pa.float64(),
    "clusters": pa.int32(),
    "targets": pa.int32(),
    "kernel": pa.string(),
    "alignment": pa.float64(),
    "draw": pa.int32(),
    "distribution": pa.string(),
    "centred": pa.bool_(),
}
COLUMNS = OF_TASKS | {
    "network": pa.string(),
    "activation": pa.string(),
    "width": pa.int32(),
    "depth": pa.int32(),
    "readout": pa.string(),
    "errors": pa.string(),
}


def columns_of(spec: Any) -> dict[str, Any]:
    """Return the settings of a network, by column; None for settings that its task does not
    have."""
    of_network = {name: getattr(spec.network, name) for name in ("activation", "width", "depth")}
    of_network |= {"network": "mlp", "readout": spec.network.readout}
    return task_columns(spec.task) | of_network | {"errors": spec.training.errors}


def task_columns(task: Any) -> dict[str, Any]:
    """Return the parameters of a task, by column. A parameter of a new task has a column at once,
    with its own name."""
    names = [name for name in type(task).model_fields if name not in WITHOUT_COLUMN]
    found = {RENAMED.get(name, name): getattr(task, name) for name in names}
    common = {name: getattr(task, name) for name in ("clusters", "targets")}
    return dict.fromkeys(OF_TASKS) | found | common | {"task": task.kind}
