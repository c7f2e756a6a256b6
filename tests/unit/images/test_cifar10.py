"""CIFAR-10 is read from each form in which it is published, and from nothing that isn't that."""

import hashlib
import io
import os
import pickle
import struct
import tarfile

import numpy as np
import pytest

from repatlas.images.content import BadImages
from repatlas.images.data_sets import cifar10
from repatlas.images.pickled import read_batch

RECORDS = 12
"""Records in each file of the small copies that tests make."""


@pytest.fixture
def published(monkeypatch):
    """Ten thousand images a file would take long: these have twelve. By name, its pixels (n, 3072)
    and labels (n,)."""
    monkeypatch.setattr(cifar10, "BINARY_BYTES", RECORDS * 3073)
    rng = np.random.default_rng(0)
    return {
        name: (
            rng.integers(0, 256, (RECORDS, 3072), dtype=np.uint8),
            rng.integers(0, 10, RECORDS, dtype=np.uint8),
        )
        for names in cifar10.BATCHES.values()
        for name in names
    }


def binary(pixels, labels):
    return np.column_stack([labels, pixels]).tobytes()


def pickled(pixels, labels):
    """Return a batch as Python 2 pickled it: texts are bytes."""

    def text(value):
        return b"T" + struct.pack("<I", len(value)) + value

    numbers = b"".join(b"K" + bytes([label]) for label in labels)
    array = (
        b"cnumpy.core.multiarray\n_reconstruct\nq\x02cnumpy\nndarray\nq\x03K\x00\x85"
        + text(b"b")
        + b"\x87R(K\x01M"
        + struct.pack("<H", len(pixels))
        + b"M\x00\x0c\x86cnumpy\ndtype\n"
        + text(b"u1")
        + b"K\x00K\x01\x87R(K\x03"
        + text(b"|")
        + b"NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb\x89"
        + text(pixels.tobytes())
        + b"tb"
    )
    names = b"]q\x07(" + text(b"cat_s_000001.png") + b"e"
    return (
        b"\x80\x02}q\x01("
        + (text(b"data") + array)
        + (text(b"labels") + b"]q\x06(" + numbers + b"e")
        + (text(b"batch_label") + text(b"training batch 1 of 5"))
        + (text(b"filenames") + names)
        + b"u."
    )


def write_files(folder, published, encode, suffix=""):
    folder.mkdir(parents=True)
    for name, arrays in published.items():
        (folder / f"{name}{suffix}").write_bytes(encode(*arrays))
    return folder.parent


def write_archive(path, published, place, encode):
    with tarfile.open(path, "w:gz") as archive:
        for name, arrays in published.items():
            content = encode(*arrays)
            member = tarfile.TarInfo(place.format(name))
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return hashlib.md5(path.read_bytes()).hexdigest()


@pytest.fixture
def binary_folder(tmp_path, published):
    return write_files(tmp_path / "cifar-10-batches-bin", published, binary, ".bin")


def check_is_all_of(splits, published):
    train = [published[name] for name in cifar10.BATCHES["train"]]
    for split, batches in (("train", train), ("test", [published["test_batch"]])):
        pixels, labels = (np.concatenate(parts) for parts in zip(*batches, strict=True))
        np.testing.assert_array_equal(splits[split].images.reshape(len(pixels), -1), pixels)
        np.testing.assert_array_equal(splits[split].labels, labels)
    assert splits["test"].images.shape == (RECORDS, 3, 32, 32)


def test_the_binary_files_are_read_in_their_order(binary_folder, published):
    check_is_all_of(cifar10.read(binary_folder, subset=False), published)


def test_the_binary_archive_is_read_where_it_is(tmp_path, published, monkeypatch):
    name = cifar10.BINARY_ARCHIVE[0]
    md5 = write_archive(tmp_path / name, published, "cifar-10-batches-bin/{}.bin", binary)
    monkeypatch.setattr(cifar10, "BINARY_ARCHIVE", (name, md5))
    check_is_all_of(cifar10.read(tmp_path, subset=False), published)


def test_the_python_files_are_read(tmp_path, published, monkeypatch):
    folder = write_files(tmp_path / "cifar-10-batches-py", published, pickled)
    about = {name: hashlib.md5(pickled(*arrays)).hexdigest() for name, arrays in published.items()}
    monkeypatch.setattr(cifar10, "PYTHON_FILES", about)
    check_is_all_of(cifar10.read(folder, subset=False), published)


@pytest.mark.parametrize("protocol", [2, 5])
def test_a_batch_pickled_by_python_3_is_read_too(tmp_path, published, protocol):
    pixels, labels = published["test_batch"]
    values = {"data": pixels.tobytes(), "labels": labels.tolist(), "batch_label": "testing batch"}
    found, also = read_batch(tmp_path, pickle.dumps(values, protocol), 3072)
    np.testing.assert_array_equal(found, pixels)
    np.testing.assert_array_equal(also, labels)


class Forged:
    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.mkdir, (str(self.path),)


def test_a_forged_pickle_is_read_and_not_executed(tmp_path, published):
    pixels, labels = published["test_batch"]
    values = {"data": pixels.tobytes(), "labels": labels.tolist(), "x": Forged(tmp_path / "run")}
    read_batch(tmp_path, pickle.dumps(values, 2), 3072)
    assert not (tmp_path / "run").exists()


def cut(folder, name, length):
    path = folder / "cifar-10-batches-bin" / name
    path.write_bytes(path.read_bytes()[:length])


def test_a_cut_file_is_named(binary_folder):
    cut(binary_folder, "data_batch_3.bin", 5 * 3073)
    with pytest.raises(BadImages, match=r"data_batch_3.bin: cut short, found 15,365 of 36,876"):
        cifar10.read(binary_folder, subset=False)


def test_of_a_cut_file_the_whole_images_are_used_where_the_config_says_subset(binary_folder):
    cut(binary_folder, "data_batch_3.bin", 5 * 3073 + 100)
    splits = cifar10.read(binary_folder, subset=True)
    assert len(splits["train"].images) == len(splits["train"].labels) == 4 * RECORDS + 5


def test_a_label_out_of_range_is_named_with_its_place(binary_folder):
    path = binary_folder / "cifar-10-batches-bin/data_batch_2.bin"
    content = bytearray(path.read_bytes())
    content[7 * 3073] = 10
    path.write_bytes(content)
    with pytest.raises(BadImages, match=r"data_batch_2.bin: found label 10 at image 7, allowed: 0"):
        cifar10.read(binary_folder, subset=False)


@pytest.fixture
def balanced_folder(tmp_path, monkeypatch):
    """Ten images a file. As in the published ones, classes are balanced in the test batch, and in
    the training batches together."""
    monkeypatch.setattr(cifar10, "BINARY_BYTES", 10 * 3073)
    monkeypatch.setattr(cifar10, "SIZES", {"train": 50, "test": 10})
    labels = {name: np.arange(10, dtype=np.uint8) for name in cifar10.PYTHON_FILES}
    labels["data_batch_1"][1] = 0
    labels["data_batch_2"][0] = 1
    batches = {name: (np.zeros((10, 3072), np.uint8), values) for name, values in labels.items()}
    return write_files(tmp_path / "cifar-10-batches-bin", batches, binary, ".bin")


@pytest.mark.parametrize("name", ["test_batch", "data_batch_3"])
def test_a_batch_under_another_one_s_name_is_noticed(balanced_folder, name):
    """No MD5 of the binary files is published, only the MD5 of their archive."""
    folder = balanced_folder / "cifar-10-batches-bin"
    (folder / f"{name}.bin").write_bytes((folder / "data_batch_1.bin").read_bytes())
    with pytest.raises(BadImages, match=r"found \d to \d \w+ images of a class, allowed: \d"):
        cifar10.read(balanced_folder, subset=False)
