"""Files give back the arrays, tables and headers that were written."""

import numpy as np
import pytest
from small_files import HEADER, metrics, sha256

from repatlas.artifacts.files import (
    FORMAT,
    METRICS_SCHEMA,
    Arrays,
    read_header,
    read_table,
    write_arrays,
    write_table,
)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64, np.bool_])
def test_arrays_come_back_as_they_were(tmp_path, dtype):
    rng = np.random.default_rng(0)
    array = (10 * rng.standard_normal((3, 4, 5))).astype(dtype)
    empty = np.zeros((0, 4), dtype)
    path = tmp_path / "a.safetensors"
    write_arrays(path, "runs", {}, {"key/weights": array, "empty": empty})
    file = Arrays(path, "runs")
    for name, expected in (("key/weights", array), ("empty", empty)):
        assert file[name].dtype == dtype
        assert np.array_equal(file[name], expected)


@pytest.mark.parametrize(
    "view",
    [
        lambda a: a.T,
        lambda a: a[:, ::2],
        lambda a: np.broadcast_to(a[0], a.shape),
    ],
    ids=["transposed", "strided", "broadcast"],
)
def test_an_array_that_does_not_lie_in_memory_row_by_row_comes_back_as_it_was(tmp_path, view):
    array = view(np.arange(12.0).reshape(3, 4))
    write_arrays(tmp_path / "a.safetensors", "runs", {}, {"a": array})
    assert np.array_equal(Arrays(tmp_path / "a.safetensors", "runs")["a"], array)


def test_nan_and_infinity_come_back_as_they_were(tmp_path):
    array = np.array([np.nan, np.inf, -np.inf, -0.0], np.float32)
    write_arrays(tmp_path / "a.safetensors", "runs", {}, {"a": array})
    assert Arrays(tmp_path / "a.safetensors", "runs")["a"].tobytes() == array.tobytes()


def test_an_array_without_dimensions_comes_back_as_it_was(tmp_path):
    write_arrays(tmp_path / "a.safetensors", "runs", {}, {"a": np.array(1.5)})
    array = Arrays(tmp_path / "a.safetensors", "runs")["a"]
    assert array.shape == ()
    assert array == 1.5


def test_a_table_comes_back_as_it_was(table_file):
    _, table = read_table(table_file, "metrics", METRICS_SCHEMA)
    assert table.equals(metrics())
    assert table["value"].to_pylist() == [0.1 + 0.2, None, 2.0]


def test_a_table_without_rows_comes_back_as_it_was(tmp_path):
    path = tmp_path / "empty.parquet"
    write_table(path, "table", {}, METRICS_SCHEMA.empty_table())
    _, table = read_table(path, "table")
    assert table.num_rows == 0


def test_a_header_comes_back_as_it_was(arrays_file, table_file):
    digests = {
        "runs": {"digests": {"a/weights": sha256(b"float64 (2, 3)", np.arange(6.0).tobytes())}},
        "metrics": {"digest": read_header(table_file, "metrics")["digest"]},
    }
    for path, kind in ((arrays_file, "runs"), (table_file, "metrics")):
        expected = HEADER | {"format": FORMAT, "kind": kind} | digests[kind]
        assert read_header(path, kind) == expected
    assert Arrays(arrays_file, "runs").header == read_header(arrays_file, "runs")
    assert read_table(table_file, "metrics", METRICS_SCHEMA)[0] == (
        read_header(table_file, "metrics")
    )


def test_the_same_contents_are_the_same_bytes(tmp_path, arrays_file, table_file):
    write_arrays(tmp_path / "again", "runs", HEADER, {"a/weights": np.arange(6.0).reshape(2, 3)})
    assert (tmp_path / "again").read_bytes() == arrays_file.read_bytes()
    write_table(tmp_path / "again", "metrics", HEADER, metrics())
    assert (tmp_path / "again").read_bytes() == table_file.read_bytes()
