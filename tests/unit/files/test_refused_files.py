"""Files of another kind, format or program are refused with the reason."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from safetensors.numpy import save_file
from small_files import both_files, metrics

from repatlas.artifacts.files import (
    FORMAT,
    METRICS_SCHEMA,
    Arrays,
    Unreadable,
    read_header,
    read_table,
    write_table,
)


def read(path, kind=None):
    if path.suffix == ".safetensors":
        return Arrays(path, kind or "runs")["a/weights"]
    return read_table(path, kind or "metrics", METRICS_SCHEMA)


def assert_unreadable(path, message=None, kind=None, header_too=True):
    with pytest.raises(Unreadable, match=message) as refusal:
        read(path, kind)
    assert str(refusal.value) == f"{path}: {refusal.value.reason}"
    assert refusal.value.path == path
    if header_too:
        with pytest.raises(Unreadable, match=message):
            read_header(path, kind or ("runs" if path.suffix == ".safetensors" else "metrics"))


@both_files
def test_a_file_of_another_kind_is_refused(file):
    found = "runs" if file.suffix == ".safetensors" else "metrics"
    assert_unreadable(file, f"is a file of {found}, format {FORMAT}, not of tasks", kind="tasks")


@both_files
def test_a_file_of_another_format_is_refused(file, monkeypatch):
    monkeypatch.setattr("repatlas.artifacts.files.FORMAT", FORMAT + 1)
    assert_unreadable(file, f"format {FORMAT}, not of .*, format {FORMAT + 1}")


@both_files
@pytest.mark.parametrize("kept", [0.02, 0.3, 0.7, 0.99])
def test_a_truncated_file_is_refused(file, kept):
    whole = file.read_bytes()
    file.write_bytes(whole[: int(kept * len(whole))])
    assert_unreadable(file, "damaged, or no")


def test_safetensors_of_someone_else_are_refused(tmp_path):
    path = tmp_path / "foreign.safetensors"
    save_file({"a/weights": np.zeros(3)}, path)
    assert_unreadable(path, "not written by repatlas")
    save_file({"a/weights": np.zeros(3)}, path, metadata={"format": "pt"})
    assert_unreadable(path, "not written by repatlas")


def test_a_parquet_file_of_someone_else_is_refused(tmp_path):
    path = tmp_path / "foreign.parquet"
    pq.write_table(pa.table({"value": [1.0, 2.0]}), path)
    assert_unreadable(path, "not written by repatlas")


def test_a_table_with_other_columns_is_refused(tmp_path):
    path = tmp_path / "old.parquet"
    write_table(path, "metrics", {}, metrics().drop_columns(["neuron"]))
    assert_unreadable(path, "other columns than a file of metrics", header_too=False)
    write_table(
        path, "metrics", {}, metrics().cast(metrics().schema.set(1, pa.field("seed", "i8")))
    )
    assert_unreadable(path, "other columns than a file of metrics", header_too=False)


def test_an_array_that_is_not_there_is_named(arrays_file):
    with pytest.raises(Unreadable, match="has no array b/weights"):
        Arrays(arrays_file, "runs")["b/weights"]


@both_files
def test_a_file_that_is_missing_is_not_taken_for_a_damaged_one(file):
    file.unlink()
    with pytest.raises(FileNotFoundError, match=f"No such file or directory.*{file.name}"):
        read(file)
    with pytest.raises(FileNotFoundError):
        read_header(file, "runs")
