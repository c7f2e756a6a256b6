"""Identity is the content: numbers, and not the file that holds them."""

import os
import time
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from repatlas.experiments.files import content
from repatlas.experiments.files.content import Digests, array_digest, table_digest


@pytest.fixture
def digest(array):
    np.save("a.npy", array)
    return array_digest(Path("a.npy"))


def test_an_array_saved_again_has_the_same_digest(array, digest):
    np.save("b.npy", array)
    assert array_digest(Path("b.npy")) == digest


def test_another_type_of_file_changes_nothing(array, digest):
    np.savez_compressed("b.npz", x=array)
    save_file({"x": array}, "b.safetensors")
    assert array_digest(Path("b.npz"), "x") == array_digest(Path("b.safetensors"), "x") == digest


def test_hdf5_and_zarr_change_nothing(array, digest, h5py, zarr):
    with h5py.File("b.h5", "w") as file:
        file.create_dataset("x", data=array, chunks=(3, 2), compression="gzip")
    zarr.create_array("b.zarr", data=array, chunks=(3, 2))
    assert array_digest(Path("b.h5"), "x") == array_digest(Path("b.zarr")) == digest


@pytest.mark.parametrize("again", [np.asfortranarray, lambda x: x.astype(">f4")])
def test_order_in_memory_and_byte_order_change_nothing(again, array, digest):
    np.save("b.npy", again(array))
    assert array_digest(Path("b.npy")) == digest


def test_one_changed_number_changes_it(array, digest):
    array[7, 3] = np.nextafter(array[7, 3], 9)
    np.save("b.npy", array)
    assert array_digest(Path("b.npy")) != digest


@pytest.mark.parametrize(
    "other", [lambda x: x.astype(np.float64), lambda x: x.reshape(6, 10), lambda x: x[::-1]]
)
def test_another_type_shape_or_order_of_rows_changes_it(other, array, digest):
    np.save("b.npy", other(array))
    assert array_digest(Path("b.npy")) != digest


def test_a_large_array_is_read_in_blocks(monkeypatch, digest):
    from repatlas.experiments.files import matrix

    monkeypatch.setattr(matrix, "BLOCK_BYTES", 2 * 6 * 4)  # two rows
    assert array_digest(Path("a.npy")) == digest


def test_columns_that_do_not_count_do_not_change_a_table(table):
    table("a.csv", image=["a", "b"], note=["x", "y"])
    table("b.csv", note=["x", "z"], image=["a", "b"])
    assert table_digest(Path("a.csv"), ["image"]) == table_digest(Path("b.csv"), ["image"])
    assert table_digest(Path("a.csv"), ["note"]) != table_digest(Path("b.csv"), ["note"])


@pytest.fixture
def counted(monkeypatch):
    """How often arrays are read for a digest."""
    reads = []

    def counting(path, key=None):
        reads.append(path)
        return array_digest(path, key)

    monkeypatch.setattr(content, "array_digest", counting)
    return reads


def age(path, seconds):
    then = time.time_ns() - int(seconds * 1e9)
    os.utime(path, ns=(then, then))


def test_digests_are_remembered_for_another_process(counted, digest):
    age("a.npy", 60)
    for _ in range(2):
        digests = Digests(Path("digests.json"))
        assert digests.array(Path("a.npy"), None) == digest
        digests.save()
    assert len(counted) == 1


def test_a_file_that_changed_is_read_again(counted, array, digest):
    age("a.npy", 60)
    digests = Digests(None)
    digests.array(Path("a.npy"), None)
    np.save("a.npy", array + 1)
    assert digests.array(Path("a.npy"), None) != digest


def test_a_file_that_changed_just_now_is_not_remembered(counted, digest):
    """It may change again within the same tick of the clock of its file system."""
    digests = Digests(None)
    for _ in range(2):
        digests.array(Path("a.npy"), None)
    assert len(counted) == 2


def test_a_changed_chunk_of_zarr_is_noticed(zarr, array):
    stored = zarr.create_array("a.zarr", data=array, chunks=(5, 6))
    digests = Digests(None)
    before = digests.array(Path("a.zarr"), None)
    stored[9, 5] += 1
    assert digests.array(Path("a.zarr"), None) != before


def test_a_damaged_memory_is_made_anew(digest):
    Path("digests.json").write_text("{", encoding="utf-8")
    assert Digests(Path("digests.json")).array(Path("a.npy"), None) == digest
