"""The columns of a figure's table: the same for all figures of this study."""

from collections.abc import Iterable
from typing import Any

import pyarrow as pa

from repatlas.experiments.items.spec import Spec
from repatlas.record import Record

SETTINGS = {
    "task": pa.string(),
    "contexts": pa.int32(),
    "blocks": pa.string(),
    "delta": pa.float64(),
    "network": pa.string(),
    "pathways": pa.string(),
    "gradient": pa.string(),
    "constants": pa.string(),
    "gates": pa.string(),
    "width": pa.int32(),
    "depth": pa.int32(),
    "initial": pa.string(),
    "sigma": pa.float64(),
    "context_sigma": pa.float64(),
}
"""The settings of networks, by column. `task` and `network` have the types of task and network.
`width` has the hidden units of a layer, or of each pathway. Settings that a type lacks are null."""
RENAMED = {"units": "width"}
TABLE_SCHEMA = pa.schema(
    [
        pa.field("run", pa.string()),
        *(pa.field(name, kind) for name, kind in SETTINGS.items()),
        pa.field("seed", pa.int32()),
        pa.field("step", pa.int32()),
        pa.field("measure", pa.string(), nullable=False),
        pa.field("variant", pa.string(), nullable=False),
        pa.field("reference", pa.string()),
        pa.field("layer", pa.int32()),
        pa.field("neuron", pa.int32()),
        pa.field("cluster", pa.int32()),
        pa.field("other_cluster", pa.int32()),
        pa.field("x", pa.float64()),
        pa.field("contrast", pa.string()),
        pa.field("value", pa.float64()),
        pa.field("low", pa.float64()),
        pa.field("high", pa.float64()),
        pa.field("diverged_step", pa.int32()),
        pa.field("converged_step", pa.int32()),
    ]
)
"""The rows of a figure. `step` is an epoch; `run` and `seed` are null for what belongs to no
network, as a task or a number that follows from one. `reference` says what a curve is compared
with, `x` where on an axis a value stands. Where the value is a median over networks, `low` and
`high` are its 95 % interval."""


def table_schema(grids: Iterable[Record]) -> pa.Schema:
    """Return the columns of a table of these grids' networks."""
    return TABLE_SCHEMA


def settings_of(spec: Spec) -> dict[str, Any]:
    """Return the settings of a network, by column; None for settings that its type does not
    have."""
    values: dict[str, Any] = dict.fromkeys(SETTINGS)
    for part in (spec.task, spec.network):
        for field in type(part).model_fields:
            column = RENAMED.get(field, field)
            if column in values and field != "kind":
                values[column] = getattr(part, field)
    return values | {"task": spec.task.kind, "network": spec.network.kind}


SORTED_BY = [
    *("measure", "variant", "reference", "contrast", *SETTINGS),
    *("run", "step", "seed", "layer", "neuron", "cluster", "other_cluster", "x"),
]
"""The order of a table's rows."""
