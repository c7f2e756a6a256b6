"""The columns of the tables of users' representations."""

from collections.abc import Iterable

import pyarrow as pa

from repatlas.artifacts.files import ESTIMATES_SCHEMA
from repatlas.studies.own.roles import columns_of

OF_REPRESENTATION = ("representation", "label", "unit", "order")
"""The columns of a representation: its set, the values of its braces except the unit, as text, its
unit, and its position in the set."""
TABLE_SCHEMA = pa.schema(
    [
        pa.field("representation", pa.string()),
        pa.field("label", pa.string()),
        pa.field("unit", pa.string()),
        pa.field("order", pa.int32()),
        pa.field("other_representation", pa.string()),
        pa.field("other_label", pa.string()),
        pa.field("other_unit", pa.string()),
        pa.field("other_order", pa.int32()),
        pa.field("axis", pa.string()),
        pa.field("place", pa.string()),
        pa.field("line", pa.string()),
        *(ESTIMATES_SCHEMA.field(name) for name in ("measure", "about", "variant", "value")),
        *(ESTIMATES_SCHEMA.field(name) for name in ("low", "high", "chance", "p", "p_geometry")),
        pa.field("p_family", pa.float64()),
        *(ESTIMATES_SCHEMA.field(name) for name in ("n", "of", "cluster", "neuron", "draw")),
        ESTIMATES_SCHEMA.field("reason"),
    ]
)
"""The columns of all tables. `axis` is the brace along which a figure draws, `place` its value, and
`line` what the other braces stand for. p_family is the p value of all pairs of a comparison
together. After them come the braces, each under its own name."""
SORTED_BY = ["measure", "about", "representation", "order", "unit", "other_representation"]
SORTED_BY += ["other_order", "other_unit", "cluster", "neuron", "variant", "draw"]
"""The order of a table's rows."""


def table_schema(grids: Iterable) -> pa.Schema:
    """Return the columns of a table of these representations: the columns of all tables, and the
    braces."""
    values: dict[str, set[type]] = {}
    for grid in grids:
        for each in grid.arrays:
            for name, value in columns_of(each.columns).items():
                values.setdefault(name, set()).add(type(value))
    more = {name: _type(kinds) for name, kinds in values.items() if name not in TABLE_SCHEMA.names}
    return pa.schema([*TABLE_SCHEMA, *(pa.field(name, kind) for name, kind in more.items())])


def _type(kinds: set[type]) -> pa.DataType:
    if kinds <= {int}:
        return pa.int64()
    return pa.float64() if kinds <= {int, float} else pa.string()
