"""The settings of a network with a drawn activation function, as columns."""

from typing import Any

import pyarrow as pa

from repatlas.experiments.clusters.columns import OF_TASKS, task_columns

COLUMNS = OF_TASKS | {"function": pa.int32(), "width": pa.int32()}


def columns_of(spec: Any) -> dict[str, Any]:
    """Return the settings of a network, by column. `function` is the number of its function."""
    of_network = {"function": spec.network.function, "width": spec.network.width}
    return task_columns(spec.task) | of_network
