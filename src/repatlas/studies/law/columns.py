"""The columns of the tables of this study."""

from collections.abc import Iterable
from typing import Any

import pyarrow as pa

from repatlas.record import Record

SETTINGS = {
    "functions": pa.string(),
    "function": pa.int32(),
    "activation": pa.string(),
    "delta": pa.float64(),
    "noise_variance": pa.float64(),
}
"""The settings of networks, by column. `functions` is "drawn" or "named". A drawn function has a
number in `function`, and a named one has its name in `activation`."""
TABLE_SCHEMA = pa.schema(
    [
        pa.field("run", pa.string()),
        *(pa.field(name, kind) for name, kind in SETTINGS.items()),
        pa.field("seed", pa.int32()),
        pa.field("step", pa.int32()),
        pa.field("measure", pa.string(), nullable=False),
        pa.field("variant", pa.string(), nullable=False),
        pa.field("contrast", pa.string()),
        pa.field("value", pa.float64()),
        pa.field("predicted", pa.float64()),
        pa.field("low", pa.float64()),
        pa.field("high", pa.float64()),
        pa.field("gain", pa.float64()),
        pa.field("evenness", pa.float64()),
        pa.field("skew", pa.float64()),
        pa.field("diverged_step", pa.int32()),
        pa.field("converged_step", pa.int32()),
    ]
)
"""The rows of a figure. A row of a network has the value that the law predicts, and the three
properties of its function. Rows over functions have a measure such as "explained" and, as variant,
the measure of the networks that it is about. `low` and `high` are a 95 % interval over
functions. `contrast` is null: no row is a difference of networks."""


def table_schema(grids: Iterable[Record]) -> pa.Schema:
    """Return the columns of a table of these grids' networks."""
    return TABLE_SCHEMA


def settings_of(spec: Any) -> dict[str, Any]:
    """Return the settings of a network, by column."""
    network, task = spec.network, spec.task
    drawn = spec.experiment == "drawn"
    return {
        "functions": "drawn" if drawn else "named",
        "function": network.function if drawn else None,
        "activation": None if drawn else network.activation,
        "delta": task.delta,
        "noise_variance": task.noise_variance,
    }


SORTED_BY = ["measure", "variant", *SETTINGS, "run", "step", "seed"]
"""The order of a table's rows."""
