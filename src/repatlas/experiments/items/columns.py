"""The settings of a network on a few items, as columns."""

from typing import Any

import pyarrow as pa

RENAMED = {"units": "width"}
COLUMNS = {
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
"""`task` and `network` have the types of task and network. `width` has the hidden units of a layer,
or of each pathway."""


def columns_of(spec: Any) -> dict[str, Any]:
    """Return the settings of a network, by column; None for settings that its type does not
    have."""
    found = {
        RENAMED.get(name, name): getattr(part, name)
        for part in (spec.task, spec.network)
        for name in type(part).model_fields
    }
    values = {name: found.get(name) for name in COLUMNS}
    return values | {"task": spec.task.kind, "network": spec.network.kind}
