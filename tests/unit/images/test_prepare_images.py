"""The stage that reads a data set: what it stores, what it says, when it is made again."""

import os
from pathlib import Path

import image_configs as configs
import pytest
from stages import make

from repatlas.artifacts.files import Arrays
from repatlas.config.config import read_config
from repatlas.images import prepared as images
from repatlas.images.content import BadImages
from repatlas.images.data_sets import cifar10
from repatlas.workflow.plan import Plan

SWEEP = {
    "data_set": "digits",
    "network": {"architecture": "small_cnn", "activation": ["tanh", "relu"], "width": 4},
    "epochs": [0, 2],
    "seeds": 3,
}


def on_images(values, data_set="digits", **source):
    """Return the values of a config that draws Figure 4C from this data set."""
    sources = {data_set: {"folder": "data"} | source} if data_set != "digits" else {}
    return configs.on_images(values, SWEEP | {"data_set": data_set}) | {"image_sets": sources}


@pytest.fixture
def plan_of(config_values, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def plan(data_set="digits", **source):
        return Plan(read_config(on_images(config_values, data_set, **source)))

    return plan


def prepare(plan, data_set):
    return Arrays(make(plan, f"images/images/{data_set}.safetensors"), "data")


def recipe_of(plan, data_set):
    return plan.results[f"images/images/{data_set}.safetensors"].recipe


@pytest.fixture
def cut_cifar10(tmp_path, monkeypatch):
    """Write a folder with CIFAR-10 whose files have an image of each class."""
    folder = tmp_path / "data"
    (folder / "cifar-10-batches-bin").mkdir(parents=True)
    for names in cifar10.BATCHES.values():
        for name in names:
            records = b"".join(bytes([label]) + bytes(3072) for label in range(10))
            (folder / f"cifar-10-batches-bin/{name}.bin").write_bytes(records)
    return folder


def test_a_cut_data_set_is_refused_unless_the_config_says_subset(plan_of, cut_cifar10):
    plan = plan_of("cifar10", folder=str(cut_cifar10))
    with pytest.raises(BadImages, match=r"data_batch_1.bin: cut short"):
        prepare(plan, "cifar10")
    assert not list(Path("results").rglob("*.safetensors"))


def test_a_subset_says_of_how_many_it_is_one(plan_of, cut_cifar10, capsys):
    plan = plan_of("cifar10", folder=str(cut_cifar10), subset=True)
    header = prepare(plan, "cifar10").header
    assert header["images"] == {"train": 50, "test": 10}
    assert header["published"] == {"train": 50_000, "test": 10_000}
    assert "cifar10: 50 train images, a subset of 50000" in capsys.readouterr().err


@pytest.mark.parametrize(("images", "lacking"), [(0, 0), (7, 7)])
def test_a_cut_that_leaves_a_class_without_images_is_refused(plan_of, cut_cifar10, images, lacking):
    path = cut_cifar10 / "cifar-10-batches-bin/test_batch.bin"
    path.write_bytes(path.read_bytes()[: images * 3073])
    plan = plan_of("cifar10", folder=str(cut_cifar10), subset=True)
    sentence = rf"data: found {images} test images and none of class {lacking}, allowed: some of"
    with pytest.raises(BadImages, match=sentence):
        prepare(plan, "cifar10")
    assert not list(Path("results").rglob("*.safetensors"))


def test_a_whole_data_set_is_the_same_wherever_it_lies(plan_of):
    here, there = (plan_of("cifar10", folder=folder) for folder in ("here", "there"))
    assert recipe_of(here, "cifar10") == recipe_of(there, "cifar10")


def test_what_is_missing_is_fetched_and_the_rest_is_not(plan_of, tmp_path, monkeypatch):
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "t10k-labels-idx1-ubyte.gz").touch()
    fetched = []
    monkeypatch.setattr(images, "download", lambda url, path, *_: fetched.append((url, path.name)))
    plan = plan_of(
        "fashion_mnist", folder=str(folder), download=True, url="http://localhost/images/"
    )
    with pytest.raises(BadImages):  # nothing came
        prepare(plan, "fashion_mnist")
    assert [name for _, name in fetched] == [
        "train-images-idx3-ubyte.gz",
        "train-labels-idx1-ubyte.gz",
        "t10k-images-idx3-ubyte.gz",
    ]
    assert fetched[0][0] == "http://localhost/images/train-images-idx3-ubyte.gz"


@pytest.mark.parametrize(
    ("data_set", "held"),
    [
        ("cifar10", "cifar-10-batches-bin"),
        ("cifar10", "cifar-10-batches-py"),
        ("cifar10", "cifar-10-python.tar.gz"),
        ("stl10", "stl10_binary"),
    ],
)
def test_what_is_there_in_another_form_is_not_fetched(
    plan_of, tmp_path, monkeypatch, data_set, held
):
    folder = tmp_path / "data"
    (folder / held).mkdir(parents=True)
    monkeypatch.setattr(images, "download", lambda *_: pytest.fail("fetched"))
    with pytest.raises(BadImages):  # it is empty
        prepare(plan_of(data_set, folder=str(folder), download=True), data_set)


def test_what_the_files_of_a_cut_data_set_hold_is_part_of_its_recipe(plan_of, tmp_path):
    def recipe(folder):
        plan = plan_of("fashion_mnist", folder=str(folder), subset=True)
        return recipe_of(plan, "fashion_mnist")

    one, other = tmp_path / "one", tmp_path / "other"
    for folder in (one, other):
        folder.mkdir()
        (folder / "train-images-idx3-ubyte.gz").write_bytes(b"so far")
    before = recipe(one)
    assert recipe(other) == before, "wherever it lies"
    os.utime(one / "train-images-idx3-ubyte.gz", (0, 0))
    assert recipe(one) == before, "whenever it was fetched"
    (one / "train-images-idx3-ubyte.gz").write_bytes(b"so far, and more")
    assert recipe(one) != before
    (other / "train-labels-idx1-ubyte.gz").write_bytes(b"labels")
    assert recipe(other) != before
