"""STL-10, Fashion-MNIST and the digits: read as they are published, refused otherwise."""

import gzip
import hashlib
import struct

import numpy as np
import pytest

from repatlas.images.content import BadImages
from repatlas.images.data_sets import digits, fashion_mnist, stl10


def md5(content):
    return hashlib.md5(content).hexdigest()


@pytest.fixture
def stl_images():
    return np.random.default_rng(0).integers(0, 256, (10, 3, 96, 96), dtype=np.uint8)


@pytest.fixture
def write_stl(tmp_path, stl_images, monkeypatch):
    """Write files of ten images, with these labels, instead of the published files."""

    def write(labels):
        columns = stl_images.swapaxes(2, 3).tobytes()
        content = dict.fromkeys(("train_X.bin", "test_X.bin"), columns)
        content |= dict.fromkeys(("train_y.bin", "test_y.bin"), bytes(labels))
        (tmp_path / "stl10_binary").mkdir()
        for name, values in content.items():
            (tmp_path / "stl10_binary" / name).write_bytes(values)
        published = {name: (len(values), md5(values)) for name, values in content.items()}
        monkeypatch.setattr(stl10, "FILES", published)
        return tmp_path

    return write


def test_stl10_is_stored_in_columns_with_labels_from_1(write_stl, stl_images):
    splits = stl10.read(write_stl(range(1, 11)), subset=False)
    for split in splits.values():
        np.testing.assert_array_equal(split.images, stl_images)
        np.testing.assert_array_equal(split.labels, range(10))


def test_a_cut_stl10_has_the_images_that_are_whole(write_stl):
    folder = write_stl(range(1, 11))
    path = folder / "stl10_binary/train_X.bin"
    path.write_bytes(path.read_bytes()[: 4 * 27_648 + 5])
    with pytest.raises(BadImages, match=r"train_X.bin: cut short"):
        stl10.read(folder, subset=False)
    splits = stl10.read(folder, subset=True)
    assert len(splits["train"].images) == len(splits["train"].labels) == 4


def idx(values):
    header = bytes([0, 0, 8, values.ndim]) + struct.pack(f">{values.ndim}I", *values.shape)
    return gzip.compress(header + values.tobytes())


@pytest.fixture
def fashion():
    rng = np.random.default_rng(0)
    return rng.integers(0, 256, (200, 28, 28), dtype=np.uint8), np.arange(200, dtype=np.uint8) % 10


@pytest.fixture
def write_fashion(tmp_path, monkeypatch):
    def write(images, labels):
        content = {
            name: idx(images if "images" in name else labels) for name in fashion_mnist.FILES
        }
        for name, values in content.items():
            (tmp_path / name).write_bytes(values)
        published = {name: (len(values), md5(values)) for name, values in content.items()}
        monkeypatch.setattr(fashion_mnist, "FILES", published)
        return tmp_path

    return write


def test_fashion_mnist_is_read_from_its_gz_files(write_fashion, fashion):
    images, labels = fashion
    for split in fashion_mnist.read(write_fashion(images, labels), subset=False).values():
        np.testing.assert_array_equal(split.images, images[:, None])
        np.testing.assert_array_equal(split.labels, labels)


def test_a_cut_fashion_mnist_has_the_images_that_are_whole(write_fashion, fashion):
    images, labels = fashion
    folder = write_fashion(images, labels)
    path = folder / "train-images-idx3-ubyte.gz"
    path.write_bytes(path.read_bytes()[:-1000])
    with pytest.raises(BadImages, match=r"train-images-idx3-ubyte.gz: cut short"):
        fashion_mnist.read(folder, subset=False)
    train = fashion_mnist.read(folder, subset=True)["train"]
    assert 0 < len(train.images) == len(train.labels) < 200
    np.testing.assert_array_equal(train.images[:, 0], images[: len(train.images)])


def test_a_label_of_fashion_mnist_out_of_range_is_named(write_fashion, fashion):
    images, labels = fashion
    folder = write_fashion(images, np.where(np.arange(200) == 3, 17, labels).astype(np.uint8))
    with pytest.raises(BadImages, match=r"labels-idx1-ubyte.gz: found label 17 at image 3"):
        fashion_mnist.read(folder, subset=False)


def test_the_digits_need_no_folder():
    splits = digits.read(None, subset=False)
    assert {name: len(split.labels) for name, split in splits.items()} == digits.SIZES
    assert splits["train"].images.max() == 16
