"""A result comes back as it was written, or is refused."""

import pyarrow as pa
import pytest

from repatlas.artifacts.files import Unreadable, read_table
from repatlas.workflow.results import (
    MEASURED,
    pieces_of,
    read_json,
    with_columns,
    write_json,
    write_rows,
)

HEADER = {"identity": "0123456789abcdef", "job": {"stage": "measure"}}


def rows(made, values, **more):
    found = [
        {"step": step, "measure": "ccgp", "variant": "samples", "value": value, "made": made}
        | {"by": "ccgp"}
        | more
        for step, value in enumerate(values)
    ]
    return pa.Table.from_pylist(found, schema=MEASURED)


def test_a_mapping_comes_back_and_damage_is_seen(tmp_path):
    write_json(path := tmp_path / "a.json", HEADER, {"b": [1, None], "a": "é"})
    found = read_json(path)
    assert found["content"] == {"b": [1, None], "a": "é"} and found["job"] == HEADER["job"]
    text = path.read_text(encoding="utf-8")
    for damaged in (text[:-9], text.replace("[1, null]", "[2, null]"), "", "{}"):
        path.write_text(damaged, encoding="utf-8")
        with pytest.raises(Unreadable, match="damaged"):
            read_json(path)


def test_rows_come_back_by_what_they_were_made_from(tmp_path):
    """The settings of networks do not, since another config may name others."""
    parts = {"one": rows("one", [0.5, None]), "two": rows("two", [1.0], layer=2)}
    shared = {"run": "key", "seed": 3, "diverged_step": None, "converged_step": None}
    kinds = {"delta": pa.float64()}
    tables = [
        with_columns(part, shared, {"delta": None, "width": 8}, kinds) for part in parts.values()
    ]
    about = HEADER | {"settings": ["delta", "width"]}
    write_rows(path := tmp_path / "rows.parquet", "metrics", about, tables)
    header, table = read_table(path, "metrics")
    assert header["job"] == HEADER["job"]
    assert table["width"].to_pylist() == [8] * 3 and table["seed"].to_pylist() == [3] * 3
    assert "diverged_step" not in table.column_names, "nothing to say"
    found = pieces_of(path, "metrics", MEASURED)
    assert found.keys() == parts.keys()
    for made, part in parts.items():
        assert found[made].equals(part.select(MEASURED.names))


def test_a_flipped_bit_of_rows_is_seen(tmp_path):
    write_rows(path := tmp_path / "rows.parquet", "metrics", HEADER, [rows("one", [0.5] * 99)])
    content = bytearray(path.read_bytes())
    for place in range(4, len(content), len(content) // 40):
        content[place] ^= 1
        path.write_bytes(content)
        content[place] ^= 1
        try:
            assert read_table(path, "metrics")[1]["value"].to_pylist() == [0.5] * 99
        except Unreadable:
            continue
