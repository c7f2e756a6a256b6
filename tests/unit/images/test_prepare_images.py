"""The stage that reads a data set: what it stores, what it says, when it is made again."""

import os

import numpy as np
import pytest

from repatlas.artifacts.files import Arrays
from repatlas.config.config import read_config
from repatlas.experiments.images.content import BadImages
from repatlas.experiments.images.data_sets import cifar10
from repatlas.operations.freshness import state
from repatlas.plan import Plan, expected_files
from repatlas.stages import prepare_images

SWEEP = {
    "data_set": "digits",
    "network": {"architecture": "small_cnn", "activation": ["tanh", "relu"], "width": 4},
    "epochs": [0, 2],
    "seeds": 3,
}
FIGURE = {"lines": ["lines"], "dots": ["dots"], "step": 5}


def on_images(values, data_set="digits", **source):
    """The values of a config that draws Figure 4C from this data set."""
    sources = {data_set: {"folder": "data"} | source} if data_set != "digits" else {}
    return values | {
        "images": "own",
        "image_sweeps": {"own": [SWEEP | {"data_set": data_set}]},
        "image_sets": sources,
    }


@pytest.fixture
def plan_of(config_values):
    def plan(data_set="digits", **source):
        return Plan(read_config(on_images(config_values, data_set, **source)))

    return plan


def prepare(plan, data_set, folder):
    splits = {name: folder / f"{name}.safetensors" for name in ("train", "test")}
    outputs = [text for name, path in splits.items() for text in (f"--{name}", str(path))]
    job = plan.prepare_images_job(data_set)
    prepare_images.main(["--job", job, *plan.image_source_options(data_set), *outputs])
    return {name: Arrays(path, "images") for name, path in splits.items()}


def test_digits_are_stored_one_file_for_each_split(plan_of, tmp_path):
    files = prepare(plan_of(), "digits", tmp_path)
    assert files["train"]["images"].shape == (1437, 1, 8, 8)
    assert files["test"]["labels"].shape == (360,)
    assert files["test"]["images"].dtype == np.uint8


def test_what_is_stored_is_what_the_config_implies(plan_of, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    plan = plan_of()
    prepare(plan, "digits", tmp_path / "results/images/digits")
    expected = expected_files(plan)
    stored = [path for path in expected if path.parts[1] == "images"]
    assert [path.name for path in stored] == ["train.safetensors", "test.safetensors"]
    assert [state(path, expected[path]) for path in stored] == [("fresh", "")] * 2


@pytest.fixture
def cut_cifar10(tmp_path, monkeypatch):
    """A folder with CIFAR-10 whose files have an image of each class."""
    folder = tmp_path / "data"
    (folder / "cifar-10-batches-bin").mkdir(parents=True)
    for names in cifar10.BATCHES.values():
        for name in names:
            records = b"".join(bytes([label]) + bytes(3072) for label in range(10))
            (folder / f"cifar-10-batches-bin/{name}.bin").write_bytes(records)
    return folder


def test_a_cut_data_set_is_refused_unless_the_config_says_subset(plan_of, cut_cifar10, tmp_path):
    plan = plan_of("cifar10", folder=str(cut_cifar10))
    with pytest.raises(BadImages, match=r"data_batch_1.bin: cut short"):
        prepare(plan, "cifar10", tmp_path)
    assert not list(tmp_path.glob("*.safetensors"))


def test_a_subset_says_of_how_many_it_is_one(plan_of, cut_cifar10, tmp_path, capsys):
    plan = plan_of("cifar10", folder=str(cut_cifar10), subset=True)
    header = prepare(plan, "cifar10", tmp_path)["train"].header
    assert (header["images"], header["published"]) == (50, 50_000)
    assert "cifar10: 50 train images, a subset of 50000" in capsys.readouterr().err


@pytest.mark.parametrize(("images", "lacking"), [(0, 0), (7, 7)])
def test_a_cut_that_leaves_a_class_without_images_is_refused(
    plan_of, cut_cifar10, tmp_path, images, lacking
):
    path = cut_cifar10 / "cifar-10-batches-bin/test_batch.bin"
    path.write_bytes(path.read_bytes()[: images * 3073])
    plan = plan_of("cifar10", folder=str(cut_cifar10), subset=True)
    sentence = rf"data: found {images} test images and none of class {lacking}, allowed: some of"
    with pytest.raises(BadImages, match=sentence):
        prepare(plan, "cifar10", tmp_path)
    assert not list(tmp_path.glob("*.safetensors"))


def test_a_whole_data_set_is_the_same_wherever_it_lies(plan_of):
    here, there = (plan_of("cifar10", folder=folder) for folder in ("here", "there"))
    assert here.prepare_images_job("cifar10") == there.prepare_images_job("cifar10")


def test_nothing_is_fetched_unless_the_config_says_so(plan_of):
    assert "--download" not in plan_of("stl10").image_source_options("stl10")
    assert "--download" in plan_of("stl10", download=True).image_source_options("stl10")


def test_what_is_missing_is_fetched_and_the_rest_is_not(plan_of, tmp_path, monkeypatch):
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "t10k-labels-idx1-ubyte.gz").touch()
    fetched = []
    monkeypatch.setattr(
        prepare_images, "download", lambda url, path, *_: fetched.append((url, path.name))
    )
    plan = plan_of(
        "fashion_mnist", folder=str(folder), download=True, url="http://localhost/images/"
    )
    with pytest.raises(BadImages):  # nothing came
        prepare(plan, "fashion_mnist", tmp_path)
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
    monkeypatch.setattr(prepare_images, "download", lambda *_: pytest.fail("fetched"))
    with pytest.raises(BadImages):  # it is empty
        prepare(plan_of(data_set, folder=str(folder), download=True), data_set, tmp_path)


def test_what_the_files_of_a_cut_data_set_hold_is_part_of_its_job(config_values, tmp_path):
    def job(folder):
        source = {"folder": str(folder), "subset": True}
        values = config_values | {"image_sets": {"fashion_mnist": source}}
        return Plan(read_config(values)).prepare_images_job("fashion_mnist")

    one, other = tmp_path / "one", tmp_path / "other"
    for folder in (one, other):
        folder.mkdir()
        (folder / "train-images-idx3-ubyte.gz").write_bytes(b"so far")
    before = job(one)
    assert job(other) == before, "wherever it lies"
    os.utime(one / "train-images-idx3-ubyte.gz", (0, 0))
    assert job(one) == before, "whenever it was fetched"
    (one / "train-images-idx3-ubyte.gz").write_bytes(b"so far, and more")
    assert job(one) != before
    (other / "train-labels-idx1-ubyte.gz").write_bytes(b"labels")
    assert job(other) != before
