"""Rows made up by hand, in the form in which claims read them."""

import pyarrow as pa

from repatlas.claims.rows import by_kind


def by_kind_of(frame):
    """Return the rows of a frame by their kind."""
    frame = frame if "run" in frame else frame.assign(run="a")
    table = pa.Table.from_pandas(frame, preserve_index=False).replace_schema_metadata()
    nothing = {field.name for field in table.schema if pa.types.is_null(field.type)}
    for name in nothing | {name for name in frame if frame[name].dtype == "category"}:
        at = table.column_names.index(name)
        table = table.set_column(at, name, table[name].cast(pa.string()))
    return by_kind(table, [name for name in table.column_names if name not in ("seed", "value")])


def rows_of(frame):
    """Return the rows of all measures of a frame."""
    return by_kind_of(frame).with_measures({*frame["measure"]})
