"""STL-10, Fashion-MNIST and the digits: read as they are published, refused otherwise."""

import gzip
import hashlib
import shutil
import struct
import tarfile
import tracemalloc
import zlib

import numpy as np
import pytest

from repatlas.images.content import BadImages
from repatlas.images.data_sets import digits, fashion_mnist, stl10
from repatlas.images.published import PACKAGE, data_set
from repatlas.named import names


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


@pytest.fixture
def stl_archive(write_stl, tmp_path, monkeypatch):
    """Make an archive with the ten images of the published one, and remove the unpacked folder."""
    name = stl10.ARCHIVE[0]
    unpacked = write_stl(range(1, 11)) / "stl10_binary"
    with tarfile.open(tmp_path / name, "w:gz") as archive:
        # The published one holds more than what is read, too.
        (unpacked / "class_names.txt").write_text("airplane\n")
        archive.add(unpacked, "stl10_binary")
    shutil.rmtree(unpacked)
    monkeypatch.setattr(stl10, "ARCHIVE", (name, md5((tmp_path / name).read_bytes())))
    return tmp_path / name


def test_the_archive_of_stl10_is_read_where_it_is(stl_archive, stl_images):
    for split in stl10.read(stl_archive.parent, subset=False).values():
        np.testing.assert_array_equal(split.images, stl_images)
        np.testing.assert_array_equal(split.labels, range(10))
    assert list(stl_archive.parent.iterdir()) == [stl_archive]


@pytest.mark.parametrize("subset", [False, True])
def test_a_cut_archive_of_stl10_is_refused(stl_archive, subset):
    stl_archive.write_bytes(stl_archive.read_bytes()[:-1000])
    with pytest.raises(BadImages, match=r"stl10_binary.tar.gz: damaged, found MD5"):
        stl10.read(stl_archive.parent, subset=subset)


@pytest.mark.parametrize("label", [0, 11])
def test_a_label_of_stl10_out_of_range_is_named(write_stl, label):
    folder = write_stl([1, 2, label, *range(4, 11)])
    with pytest.raises(BadImages, match=rf"y.bin: found label {label} at image 2, allowed: 1 to 1"):
        stl10.read(folder, subset=False)


def test_a_damaged_file_of_stl10_is_named(write_stl):
    folder = write_stl(range(1, 11))
    path = folder / "stl10_binary/test_X.bin"
    path.write_bytes(b"\1" + path.read_bytes()[1:])
    with pytest.raises(BadImages, match=r"test_X.bin: damaged, found MD5"):
        stl10.read(folder, subset=True)


def test_a_cut_stl10_has_the_images_that_are_whole(write_stl):
    folder = write_stl(range(1, 11))
    path = folder / "stl10_binary/train_X.bin"
    path.write_bytes(path.read_bytes()[: 4 * 27_648 + 5])
    with pytest.raises(BadImages, match=r"train_X.bin: cut short"):
        stl10.read(folder, subset=False)
    splits = stl10.read(folder, subset=True)
    assert len(splits["train"].images) == len(splits["train"].labels) == 4


def test_a_folder_without_stl10_is_told_what_it_may_hold(tmp_path):
    with pytest.raises(BadImages, match=r"no STL-10, allowed: stl10_binary.tar.gz or stl10_binary"):
        stl10.read(tmp_path, subset=False)


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


def test_images_of_another_size_are_refused(write_fashion, fashion):
    images, labels = fashion
    folder = write_fashion(images[:, :27], labels)
    with pytest.raises(BadImages, match=r"found items of \[27, 28\], allowed: \[28, 28\]"):
        fashion_mnist.read(folder, subset=False)


def test_a_gz_file_of_something_else_is_refused(write_fashion, fashion, monkeypatch):
    folder = write_fashion(*fashion)
    content = gzip.compress(b"something else")
    name = "train-images-idx3-ubyte.gz"
    (folder / name).write_bytes(content)
    monkeypatch.setitem(fashion_mnist.FILES, name, (len(content), md5(content)))
    with pytest.raises(BadImages, match=r"no idx file of bytes with 3 axes"):
        fashion_mnist.read(folder, subset=False)


@pytest.mark.parametrize("kind", ["images", "labels"])
def test_a_gz_file_that_inflates_without_end_is_refused(write_fashion, fashion, monkeypatch, kind):
    """A gigabyte of zeros takes a megabyte packed: of a cut file no checksum tells."""
    folder = write_fashion(*fashion)
    monkeypatch.setattr(fashion_mnist, "SIZES", {"train": 200, "test": 200})
    path = next(folder.glob(f"train-{kind}*"))
    header = gzip.decompress(path.read_bytes())[:16]
    packed = zlib.compressobj(wbits=31)
    bomb = [packed.compress(header), *(packed.compress(bytes(10**6)) for _ in range(50))]
    path.write_bytes(b"".join(bomb))
    monkeypatch.setitem(fashion_mnist.FILES, path.name, (10**6, "of the whole file"))
    tracemalloc.start()
    with pytest.raises(BadImages, match=rf"{kind}.*: has more than [0-9,]+ bytes after"):
        fashion_mnist.read(folder, subset=True)
    assert tracemalloc.get_traced_memory()[1] < 10**7
    tracemalloc.stop()


def test_the_digits_need_no_folder():
    splits = digits.read(None, subset=False)
    assert {name: len(split.labels) for name, split in splits.items()} == digits.SIZES
    assert splits["train"].images.max() == 16


def test_every_class_of_digits_is_held_out():
    assert np.bincount(digits.read(None, subset=False)["test"].labels).min() > 30


@pytest.mark.parametrize("name", names(PACKAGE))
def test_every_data_set_says_what_it_has(name):
    published = data_set(name)
    assert len(published.SHAPE) == 3
    assert set(published.SIZES) == {"train", "test"}
    assert callable(published.read)
