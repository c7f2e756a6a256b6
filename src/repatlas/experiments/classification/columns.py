"""The settings of a network that names images, as columns."""

from typing import Any

import pyarrow as pa

COLUMNS = {
    "data_set": pa.string(),
    "images": pa.int32(),
    "labels": pa.string(),
    "corrupted": pa.float64(),
    "pixels": pa.string(),
    "network": pa.string(),
    "activation": pa.string(),
    "width": pa.int32(),
    "depth": pa.int32(),
    "frozen": pa.string(),
    "passes": pa.int32(),
}
"""`network` is the architecture. `corrupted` is null where labels are not random, and `images` is
null where a network is trained on all of them."""


def columns_of(spec: Any) -> dict[str, Any]:
    """Return the settings of a network, by column; None for settings that its architecture
    lacks."""
    found = {
        name: getattr(part, name)
        for part in (spec.task, spec.network, spec.training)
        for name in type(part).model_fields
    }
    if spec.task.labels != "random":
        found["corrupted"] = None
    values = {name: found.get(name) for name in COLUMNS}
    return values | {"data_set": spec.data_set, "network": spec.network.kind}
