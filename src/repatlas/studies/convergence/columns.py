"""The columns of a figure's table: the same for all figures of this study."""

from collections.abc import Iterable
from typing import Any

import pyarrow as pa

from repatlas.experiments.classification.spec import Spec
from repatlas.experiments.clusters.spec import Spec as ClusterSpec
from repatlas.record import Record

SETTINGS = {
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
"""The settings of networks, by column; `network` is the kind. `corrupted` is null where labels are
not random. Null where a kind has no such setting."""
PAIR = {"run": pa.string(), "seed": pa.int32(), "step": pa.int32(), "layer": pa.int32()}
"""The columns of each of two networks; columns of the second network begin with other_."""
SIZES = [f"{name}_{side}" for name in ("h", "rank", "kept") for side in "ab"]
TABLE_SCHEMA = pa.schema(
    [
        pa.field("comparison", pa.string()),
        *(pa.field(name, kind) for name, kind in SETTINGS.items()),
        *(pa.field(name, kind) for name, kind in PAIR.items()),
        *(pa.field(f"other_{name}", kind) for name, kind in PAIR.items()),
        pa.field("layer_name", pa.string()),
        pa.field("items", pa.string()),
        pa.field("reduction", pa.string()),
        pa.field("measure", pa.string(), nullable=False),
        pa.field("variant", pa.string(), nullable=False),
        pa.field("cluster", pa.int32()),
        pa.field("other_cluster", pa.int32()),
        pa.field("unit", pa.int32()),
        pa.field("other_unit", pa.int32()),
        pa.field("at", pa.float64()),
        pa.field("contrast", pa.string()),
        pa.field("value", pa.float64()),
        pa.field("low", pa.float64()),
        pa.field("high", pa.float64()),
        pa.field("sd", pa.float64()),
        pa.field("similarity", pa.bool_()),
        pa.field("m", pa.int32()),
        *(pa.field(name, pa.int32()) for name in SIZES),
        pa.field("reason", pa.string()),
        pa.field("diverged_step", pa.int32()),
        pa.field("converged_step", pa.int32()),
    ]
)
"""The columns of a figure's rows. `comparison` names the comparison of a pair. It is null for
single networks, and `other_` columns are null, too. Settings are from the first network. `at` is
what a value is a function of: a penalty, a number of directions or of units, a fraction of
training. `cluster` is a class. `similarity` is true if larger values mean more similar. There are m
items, and h features, rank and kept directions of each side. If the value is a median or a mean
over networks, `low` and `high` are its 95 % interval, and `contrast` names what it is over."""


TASK = {
    "task": pa.string(),
    "clusters": pa.int32(),
    "targets": pa.int32(),
    "delta": pa.float64(),
    "alignment": pa.float64(),
}
"""The settings of tasks of clusters, by column. `task` is the type of task, and `alignment` the
alignment of inputs and targets. Settings that a type does not have are null."""
OTHER_ACTIVATION = "other_activation"
"""The column with the activation of the second network of a pair, where both have the same task."""


def table_schema(grids: Iterable[Record]) -> pa.Schema:
    """Return the columns of a table of these grids' networks.

    The columns of all tables come first, then the columns of tasks of clusters, if the table has
    any.
    """
    if all(grid.experiment != "clusters" for grid in grids):
        return TABLE_SCHEMA
    more = TASK | {OTHER_ACTIVATION: pa.string()}
    return pa.schema([*TABLE_SCHEMA, *(pa.field(name, kind) for name, kind in more.items())])


def settings_of(spec: Spec) -> dict[str, Any]:
    """Return the settings of a network, by column; None for settings that its architecture
    lacks."""
    values: dict[str, Any] = dict.fromkeys(SETTINGS)
    for part in (spec.task, spec.network, spec.training):
        for field in type(part).model_fields:
            if field in values:
                values[field] = getattr(part, field)
    if spec.task.labels != "random":
        values["corrupted"] = None
    return values | {"data_set": spec.data_set, "network": spec.network.kind}


def settings_on_clusters(spec: ClusterSpec) -> dict[str, Any]:
    """Return the settings of a network on clusters, by column."""
    values: dict[str, Any] = dict.fromkeys(SETTINGS)
    values |= {name: getattr(spec.network, name) for name in ("activation", "width", "depth")}
    values |= {name: getattr(spec.task, name, None) for name in TASK}
    return values | {"network": "mlp", "task": spec.task.kind}


SORTED_BY = [
    *("comparison", "measure", "variant", "contrast", *SETTINGS, "items", "reduction"),
    *("run", "step", "seed", "layer", "other_run", "other_step", "other_seed", "other_layer"),
    *("cluster", "other_cluster", "at", "unit", "other_unit"),
]
"""The order of a table's rows."""
