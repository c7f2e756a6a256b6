"""The columns of the tables of this study."""

from collections.abc import Iterable
from typing import Any

import pyarrow as pa

from repatlas.record import Record

SETTINGS = {
    "task": pa.string(),
    "network": pa.string(),
    "delta": pa.float64(),
    "initial": pa.string(),
    "sigma": pa.float64(),
}
"""The settings of networks, by column. `network` is the activation function, "linear" for none, or
"closed_form". Settings that a network lacks are null."""
TABLE_SCHEMA = pa.schema(
    [
        pa.field("run", pa.string()),
        pa.field("family", pa.string()),
        pa.field("seed", pa.int32()),
        pa.field("step", pa.int32()),
        pa.field("measure", pa.string(), nullable=False),
        pa.field("variant", pa.string(), nullable=False),
        pa.field("contrast", pa.string()),
        pa.field("value", pa.float64()),
        pa.field("diverged_step", pa.int32()),
        pa.field("converged_step", pa.int32()),
    ]
)
"""The rows of a figure: a row for each family, theory and seed. `variant` is the theory, or "other
seeds". `run` is the family, too, since all networks of a seed count as one."""


def table_schema(grids: Iterable[Record]) -> pa.Schema:
    """Return the columns of a table of these grids' networks."""
    return TABLE_SCHEMA


def settings_on_clusters(spec: Any) -> dict[str, Any]:
    """Return the settings of a network on clusters, by column."""
    found = {"task": spec.task.kind, "network": spec.network.activation}
    return dict.fromkeys(SETTINGS) | found | {"delta": getattr(spec.task, "delta", None)}


def settings_on_items(spec: Any) -> dict[str, Any]:
    """Return the settings of a network on a few items, by column."""
    task, network = spec.task, spec.network
    return {
        "task": task.kind,
        "network": network.kind,
        "delta": getattr(task, "delta", None),
        "initial": getattr(network, "initial", None),
        "sigma": getattr(network, "sigma", None),
    }


SORTED_BY = ["measure", "variant", "family", "run", "step", "seed"]
"""The order of a table's rows."""
