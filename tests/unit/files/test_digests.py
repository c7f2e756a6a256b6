"""Digests change with every value, and find damage that the formats do not find."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from small_files import HEADER, ROWS, flipped, metrics

from repatlas.artifacts.files import (
    METRICS_SCHEMA,
    Arrays,
    Unreadable,
    read_header,
    read_table,
    write_arrays,
    write_table,
)


@pytest.mark.parametrize(
    ("row", "column", "value"),
    [
        (0, "run", "A"),
        (0, "seed", 1),
        (0, "value", 0.3),  # the file has 0.30000000000000004
        (0, "value", None),
        (1, "value", 0.0),  # null there
        (2, "value", -2.0),
        (2, "neuron", None),
        (0, "cluster", 0),
    ],
)
def test_the_digest_of_a_table_changes_with_any_value(tmp_path, table_file, row, column, value):
    rows = [dict(row) for row in ROWS]
    rows[row][column] = value
    path = tmp_path / "other.parquet"
    write_table(path, "metrics", HEADER, pa.Table.from_pylist(rows, schema=METRICS_SCHEMA))
    digests = {read_header(file, "metrics")["digest"] for file in (path, table_file)}
    assert len(digests) == 2


def test_the_digest_of_a_table_is_that_of_its_values_however_they_lie_in_memory(
    tmp_path, table_file
):
    path = tmp_path / "again.parquet"
    pieces = pa.concat_tables([metrics().slice(0, 1), metrics().slice(1)])
    write_table(path, "metrics", HEADER, pieces)
    assert read_header(path, "metrics") == read_header(table_file, "metrics")
    assert read_table(path, "metrics", METRICS_SCHEMA)[1].equals(metrics())


def test_each_bit_of_an_array_is_looked_at(arrays_file):
    whole = arrays_file.read_bytes()
    for place in range(len(whole) - 6 * 8, len(whole)):
        arrays_file.write_bytes(flipped(whole, place, place % 8))
        file = Arrays(arrays_file, "runs")  # its header is whole
        for look in (file.check, lambda file=file: file["a/weights"]):
            with pytest.raises(Unreadable, match="damaged, array a/weights is not what was writt"):
                look()


def test_each_bit_of_a_header_is_looked_at(arrays_file):
    whole = arrays_file.read_bytes()
    place = whole.index(b"diverged_step")
    for number in range(8 * len(b"diverged_step")):
        arrays_file.write_bytes(flipped(whole, place + number // 8, number % 8))
        with pytest.raises(Unreadable, match="damaged"):
            Arrays(arrays_file, "runs")


def test_a_check_reads_every_array(tmp_path):
    path = tmp_path / "runs.safetensors"
    write_arrays(path, "runs", {}, {name: np.full(3, ord(name), np.uint8) for name in "abc"})
    Arrays(path, "runs").check()
    whole = path.read_bytes()
    for name in b"abc":
        path.write_bytes(
            whole[:-9] + whole[-9:].replace(bytes([name] * 3), bytes([name] * 2 + [0]))
        )
        file = Arrays(path, "runs")
        for other in set(b"abc") - {name}:
            assert file[chr(other)].tolist() == [other] * 3
        with pytest.raises(Unreadable, match=f"array {chr(name)} "):
            file.check()


def test_an_array_that_took_the_place_of_another_is_refused(tmp_path):
    path = tmp_path / "runs.safetensors"
    write_arrays(path, "runs", {}, {"a": np.zeros(3), "b": np.ones(3)})
    path.write_bytes(path.read_bytes().replace(b'"a":{', b'"x":{').replace(b'"b":{', b'"a":{'))
    with pytest.raises(Unreadable, match="array a is not what was written"):
        Arrays(path, "runs")["a"]
    with pytest.raises(Unreadable, match="has no array b"):
        Arrays(path, "runs")["b"]


def test_a_value_that_damage_made_no_text_is_refused(tmp_path):
    path = tmp_path / "metrics.parquet"
    table = metrics().set_column(4, METRICS_SCHEMA.field("measure"), [["ccgp", "ccgp", "weight"]])
    write_table(path, "metrics", {}, table)
    # Without compression, as pyarrow would also read it: the text lies in the file as it is.
    raw = pq.read_table(path)
    pq.write_table(raw, path, compression="none", use_dictionary=False, write_statistics=False)
    assert read_table(path, "metrics", METRICS_SCHEMA)[1].equals(table)
    whole = path.read_bytes()
    path.write_bytes(flipped(whole, whole.index(b"weight"), 7))
    with pytest.raises(Unreadable, match="damaged"):
        read_table(path, "metrics", METRICS_SCHEMA)
