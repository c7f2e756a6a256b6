"""The columns of a figure's table.

Those of all figures, those of networks on images, and the settings of networks, which follow from
the records of task, network and training: a parameter of a new task has its column at once, in the
tables that have such tasks.
"""

from types import NoneType
from typing import Any, get_args

import pyarrow as pa

from repatlas.artifacts import files
from repatlas.experiments.clusters.arrays import task_class
from repatlas.experiments.clusters.spec import Spec
from repatlas.experiments.clusters.training import Training
from repatlas.networks.mlp import Network
from repatlas.record import Record

RENAMED = {"geometry": "draw"}
WITHOUT_COLUMN = {"kind", "inputs", "target_labels", "rank", "width", "hidden_bias", "initial"}
WITHOUT_COLUMN |= {"optimiser", "learning_rate", "batch", "samples", "stop_below"}
"""Settings of which a figure has one value, or tells by its rows. `run` tells them apart."""
TYPES = {bool: pa.bool_(), int: pa.int32(), float: pa.float64(), str: pa.string()}


def setting_columns(records: tuple[type[Record], ...]) -> dict[str, pa.DataType]:
    """The columns of the settings in these records, by name, with the type of their values."""
    return {
        RENAMED.get(name, name): TYPES[_kind(info.annotation)]
        for record in records
        for name, info in record.model_fields.items()
        if name not in WITHOUT_COLUMN
    }


def _kind(annotation: Any) -> type:
    """Of the values of a setting, which may be null, or one of several texts or numbers."""
    options = [option for option in get_args(annotation) if option is not NoneType]
    if options:
        return _kind(options[0])
    return annotation if isinstance(annotation, type) else type(annotation)


def settings_of(spec: Spec) -> dict[str, Any]:
    """The settings of a network, by column; None for one that its task does not have."""
    columns = SETTINGS | setting_columns((type(spec.task),))
    fields = {column: field for field, column in RENAMED.items()}
    values = {}
    for column in columns:
        field = fields.get(column, column)
        parts = [part for part in (spec.network, spec.training) if field in type(part).model_fields]
        values[column] = getattr(parts[0] if parts else spec.task, field, None)
    return values


NETWORK = setting_columns((Network, Training))
SETTINGS = {
    name: files.TABLE_SCHEMA.field(name).type
    for name in ("delta", "noise_variance", "clusters", "targets", "kernel", "alignment", "draw")
} | {"distribution": pa.string(), "centred": pa.bool_()}
SETTINGS = NETWORK | SETTINGS
"""Of all tables: those of networks and their training, and of the paper's tasks."""
TABLE_SCHEMA = pa.schema(
    [
        *files.TABLE_SCHEMA,
        pa.field("dataset", pa.string()),
        pa.field("architecture", pa.string()),
        pa.field("pairing", pa.string()),
        pa.field("images", pa.int32()),
        pa.field("published", pa.int32()),
        pa.field("test_images", pa.int32()),
        pa.field("test_published", pa.int32()),
        # Last, so that a new one moves no other.
        *(pa.field(n, t) for n, t in NETWORK.items() if n not in files.TABLE_SCHEMA.names),
    ]
)
"""Beside those in files: of networks on images their data set, architecture and which classes share
a label, and how many images there were for training and held out, each of how many published. Their
`layer` counts from the input, 0; their `step` is an epoch."""


def table_schema(kinds: set[str]) -> pa.Schema:
    """The columns of a table with tasks of these families: after those of all tables the parameters
    of tasks that no other has."""
    found = setting_columns(tuple(task_class(kind) for kind in sorted(kinds)))
    more = {name: kind for name, kind in found.items() if name not in TABLE_SCHEMA.names}
    return pa.schema([*TABLE_SCHEMA, *(pa.field(name, kind) for name, kind in more.items())])
