"""The columns of a figure's table.

There are columns of all figures, columns of networks on images, and settings of networks. Settings
follow from the records of task, network and training. So a parameter of a new task has its column
at once, in the tables that have such tasks.
"""

from collections.abc import Iterable
from types import NoneType
from typing import Any, get_args

import pyarrow as pa

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
    """Return the columns of the settings in these records, by name, with the type of their
    values."""
    return {
        RENAMED.get(name, name): TYPES[_kind(info.annotation)]
        for record in records
        for name, info in record.model_fields.items()
        if name not in WITHOUT_COLUMN
    }


def _kind(annotation: Any) -> type:
    """Return the type of the values of a setting, which may be null, or one of several texts or
    numbers."""
    options = [option for option in get_args(annotation) if option is not NoneType]
    if options:
        return _kind(options[0])
    return annotation if isinstance(annotation, type) else type(annotation)


def settings_of(spec: Spec) -> dict[str, Any]:
    """Return the settings of a network, by column; None for settings that its task does not
    have."""
    columns = SETTINGS | setting_columns((type(spec.task),))
    fields = {column: field for field, column in RENAMED.items()}
    values = {}
    for column in columns:
        field = fields.get(column, column)
        parts = [part for part in (spec.network, spec.training) if field in type(part).model_fields]
        values[column] = getattr(parts[0] if parts else spec.task, field, None)
    return values


COMMON = pa.schema(
    [
        pa.field("run", pa.string()),
        pa.field("activation", pa.string()),
        pa.field("delta", pa.float64()),
        pa.field("noise_variance", pa.float64()),
        pa.field("clusters", pa.int32(), nullable=False),
        pa.field("targets", pa.int32(), nullable=False),
        pa.field("kernel", pa.string()),
        pa.field("alignment", pa.float64()),
        pa.field("participation_ratio", pa.float64()),
        pa.field("draw", pa.int32()),
        pa.field("distribution", pa.string()),
        pa.field("centred", pa.bool_()),
        pa.field("depth", pa.int32()),
        pa.field("readout", pa.string()),
        pa.field("errors", pa.string()),
        pa.field("seed", pa.int32()),
        pa.field("step", pa.int32()),
        pa.field("measure", pa.string(), nullable=False),
        pa.field("variant", pa.string(), nullable=False),
        pa.field("deviation", pa.float64()),
        pa.field("layer", pa.int32()),
        pa.field("neuron", pa.int32()),
        pa.field("cluster", pa.int32()),
        pa.field("intra", pa.float64()),
        pa.field("inter", pa.float64()),
        pa.field("x", pa.float64()),
        pa.field("y", pa.float64()),
        pa.field("contrast", pa.string()),
        pa.field("value", pa.float64()),
        pa.field("low", pa.float64()),
        pa.field("high", pa.float64()),
        pa.field("diverged_step", pa.int32()),
        pa.field("converged_step", pa.int32()),
    ]
)
"""The columns of a figure's rows. `kernel`, `alignment`, `participation_ratio` and `draw` describe
the inputs of a task with a chosen alignment. `distribution` and `centred` describe unstructured
inputs. `run` and `seed` are null if the row belongs to no single network. `deviation` is the
standard deviation of the noise in the samples, if something was measured on samples. `intra` and
`inter` are a position in the plane of the two axes, and `x` and `y` a position in another panel. If
the value is a mean over networks, `low` and `high` are its 95 % interval. `contrast` names the
paired difference that the mean is over, if any."""
NETWORK = setting_columns((Network, Training))
SETTINGS = {
    name: COMMON.field(name).type
    for name in ("delta", "noise_variance", "clusters", "targets", "kernel", "alignment", "draw")
} | {"distribution": pa.string(), "centred": pa.bool_()}
SETTINGS = NETWORK | SETTINGS
"""The settings that all tables have: networks, their training and the paper's tasks."""
TABLE_SCHEMA = pa.schema(
    [
        *COMMON,
        pa.field("dataset", pa.string()),
        pa.field("architecture", pa.string()),
        pa.field("pairing", pa.string()),
        pa.field("images", pa.int32()),
        pa.field("published", pa.int32()),
        pa.field("test_images", pa.int32()),
        pa.field("test_published", pa.int32()),
        # Last, so that a new one moves no other.
        *(pa.field(n, t) for n, t in NETWORK.items() if n not in COMMON.names),
    ]
)
"""The columns of all tables. Networks on images have these columns in addition to COMMON: data set,
architecture, and which classes share a label. They also have the number of training images and of
held-out images, and the published number of both. Their `layer` counts from the input, 0, and their
`step` is an epoch."""


def table_schema(grids: Iterable[Record]) -> pa.Schema:
    """Return the columns of a table of these grids' networks.

    The columns of all tables come first, then the parameters that only these tasks have.
    """
    tasks = {type(grid.specs()[0].task) for grid in grids if "task" in type(grid).model_fields}
    found = setting_columns(tuple(sorted(tasks, key=lambda task: task.__name__)))
    more = {name: kind for name, kind in found.items() if name not in TABLE_SCHEMA.names}
    return pa.schema([*TABLE_SCHEMA, *(pa.field(name, kind) for name, kind in more.items())])


SORTED_BY = [
    "measure",
    "variant",
    "deviation",
    "contrast",
    *(name for name in TABLE_SCHEMA.names if name in SETTINGS.keys() | {"participation_ratio"}),
    "dataset",
    "architecture",
    "pairing",
    "step",
    "seed",
    "layer",
    "neuron",
    "cluster",
    "inter",
    "intra",
    "y",
    "x",
]
"""The order of a table's rows."""
