"""The columns of the tables of figures: their types, and the order of rows.

A table has the columns of its rows, except those without any value. All who read one get the others
as empty columns. The settings of networks are columns by the modules `columns` of experiments.
"""

from collections.abc import Iterable

import pandas as pd
import pyarrow as pa

from repatlas.artifacts.files import ESTIMATES_SCHEMA, NETWORK_PAIRS_SCHEMA
from repatlas.named import named, names


def _settings(experiments: Iterable[str]) -> dict[str, pa.DataType]:
    """Return the types of settings of networks, and of the second network of a pair."""
    found: dict[str, pa.DataType] = {}
    for experiment in experiments:
        found |= named(f"experiments.{experiment}", "columns").COLUMNS
    return found | {f"other_{name}": kind for name, kind in found.items()}


OF_ROWS = {
    "family": pa.string(),
    "comparison": pa.string(),
    "contrast": pa.string(),
    "reference": pa.string(),
    "functions": pa.string(),
    "layer_name": pa.string(),
    "other_run": pa.string(),
    "other_seed": pa.int32(),
    "other_step": pa.int32(),
    "other_layer": pa.int32(),
    "participation_ratio": pa.float64(),
    "predicted": pa.float64(),
    "gain": pa.float64(),
    "evenness": pa.float64(),
    "skew": pa.float64(),
    "intra": pa.float64(),
    "inter": pa.float64(),
    "x": pa.float64(),
    "y": pa.float64(),
    "p_family": pa.float64(),
    "axis": pa.string(),
    "place": pa.string(),
    "line": pa.string(),
}
"""The columns that the tables of figures add.

`contrast` names the difference, or what the median or mean is over; `low` and `high` are then its
interval of 95 %. `comparison` names the comparison of a pair, and `reference` what a curve is
compared with. `functions` is "drawn" or "named". `participation_ratio` belongs to the inputs.
`intra` and `inter` are a position in the plane of the two axes, and `x` and `y` a position in
another panel. `axis` is the brace along which a figure draws, `place` its value, and `line` what
the other braces stand for. `p_family` is the p value of all pairs of a comparison together."""
MEASURED = [*NETWORK_PAIRS_SCHEMA, *ESTIMATES_SCHEMA]
COLUMNS = _settings(names("experiments"))
COLUMNS |= {each.name: each.type for each in MEASURED if each.name[:2] not in ("a_", "b_", "by")}
COLUMNS |= {"run": pa.string()} | OF_ROWS
"""The type of each column, except parameters of tasks, which have the type of their values."""
SORTED_BY = [
    *("comparison", "measure", "variant", "deviation", "reference", "contrast", "about"),
    *("representation", "order", "other_representation", "other_order"),
    *("functions", "function", "data_set", "images", "labels", "corrupted", "pixels"),
    *("activation", "task", "contexts", "blocks", "delta", "noise_variance", "clusters"),
    *("targets", "kernel", "alignment", "participation_ratio", "draw", "distribution"),
    *("centred", "network", "pathways", "gradient", "constants", "gates", "width", "depth"),
    *("readout", "errors", "frozen", "passes", "initial", "sigma", "context_sigma"),
    *("dataset", "architecture", "pairing", "family", "items", "reduction", "run", "step"),
    *("seed", "layer", "neuron", "other_run", "other_step", "other_seed", "other_layer"),
    *("cluster", "other_cluster", "at", "unit", "other_unit", "inter", "intra", "y", "x"),
]
"""The order of a table's rows: what is measured, the settings of networks, and the network."""


def schema_of(frame: pd.DataFrame, experiments: Iterable[str]) -> pa.Schema:
    """Return the columns of a frame with their types. experiments: what its rows are about, since
    `unit` is a text in rows of representations, and a number in rows of networks."""
    experiments = {*experiments}
    types = COLUMNS | _settings(experiments)
    if experiments == {"files"}:  # a brace may have the name of another column, such as layer
        taken = {*_settings(experiments), *named("experiments.files", "columns").TAKEN}
        types = {name: kind for name, kind in types.items() if name in taken}
    for name in [name for name in frame if name not in types]:
        kind = pa.array(frame[name], from_pandas=True).type
        types[name] = pa.string() if pa.types.is_large_string(kind) else kind
    return pa.schema((name, kind) for name, kind in types.items() if name in frame)


def typed(frame: pd.DataFrame, schema: pa.Schema) -> pa.Table:
    """Return the rows of a frame in these columns; one that it lacks has no values."""
    whole = {name: "Int32" for name in schema.names if schema.field(name).type == "int32"}
    found = frame.reindex(columns=schema.names).astype(whole)
    return pa.Table.from_pandas(found, schema=schema, preserve_index=False)


def without_empty(table: pa.Table) -> pa.Table:
    """Return the table without the columns that have no value."""
    return table.select([n for n in table.column_names if table[n].null_count < len(table)])


def with_all_columns(table: pa.Table) -> pa.Table:
    """Return the table with all columns that tables may have."""
    for name, kind in COLUMNS.items():
        if name not in table.column_names:
            table = table.append_column(name, pa.nulls(len(table), kind))
    return table
