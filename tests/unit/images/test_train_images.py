"""The stage that trains networks on images: what it stores, how it goes on, what it says."""

import re

import numpy as np
import pytest
import torch
from selections import some
from stages import run

from repatlas.artifacts.files import Arrays, write_arrays
from repatlas.artifacts.recipes.networks import TrainJob
from repatlas.experiments.images import train as of_images
from repatlas.experiments.images.task import LABELS
from repatlas.images.scaled import Images, scale
from repatlas.images.training import adam, train_epochs
from repatlas.networks.architectures import ConvolutionalNetwork
from repatlas.networks.convolutional import build
from repatlas.stages import train as stage
from repatlas.streams import stream

FAMILIES = {"small_cnn": "digits-small-cnn-w{}-d2", "resnet18": "digits-resnet18-w{}-d1"}
architectures = pytest.mark.parametrize(
    "architecture", ["small_cnn", pytest.param("resnet18", marks=pytest.mark.slow)]
)


def job(architecture="small_cnn", epochs=(0, 4), activation=("tanh",), seed=0, width=2):
    depth = {"small_cnn": 2, "resnet18": 1}[architecture]
    network = {"architecture": architecture, "activation": list(activation)}
    network |= {"width": width, "depth": depth}
    grid = {
        "data_set": "digits",
        "pairing": ["fixed"],
        "network": network,
        "training": {"batch": 20},
        "epochs": list(epochs),
    }
    shard = {"experiment": "images", "family": FAMILIES[architecture].format(width), "seed": seed}
    return TrainJob(**shard, grids=[grid]).with_code({})


def digits():
    """Return digits in which the position of the bright spot gives the class."""
    rng = np.random.default_rng(0)
    labels = (np.arange(90) % 10).astype(np.uint8)
    images = rng.integers(0, 4, (90, 1, 8, 8), dtype=np.uint8)
    images[np.arange(90), 0, 1 + labels // 2, 1 + labels % 2 * 5] = 16
    return {"train/images": images, "train/labels": labels}


def write_images(path, arrays):
    """Write the training images, and ten held-out images."""
    held_out = {"test/images": np.ones((10, 1, 8, 8), np.uint8)}
    held_out["test/labels"] = np.arange(10, dtype=np.uint8)
    arrays = held_out | arrays
    images = {name: len(arrays[f"{name}/labels"]) for name in ("train", "test")}
    about = {"experiment": "images", "data": "digits"}
    write_arrays(path, "data", {"identity": "x", "job": about, "images": images}, arrays)


@pytest.fixture
def images_file(tmp_path):
    path = tmp_path / "digits.safetensors"
    write_images(path, digits())
    return path


@pytest.fixture
def train(tmp_path, images_file):
    def run_stage(job, name="runs", *options):
        output = tmp_path / f"{name}.safetensors"
        files = ["--data", str(images_file)]
        return Arrays(run(stage, job, output, *files, *options), "runs")

    return run_stage


def contents(file):
    """Return every array, and each run's entries that do not depend on the machine."""
    return {name: file[name].tobytes() for name in file.header["digests"]}


def steps(file):
    (about,) = file.header["runs"].values()
    return about["steps"]


@architectures
def test_checkpoints_are_stored_at_the_epochs_asked_for(train, architecture):
    file = train(job(architecture, epochs=(0, 1, 3)))
    assert steps(file) == [0, 1, 3]
    (key,) = file.header["runs"]
    weights = file[f"{key}/readout.weight"]
    assert len(weights) == 3
    assert not np.array_equal(weights[0], weights[1])


@architectures
def test_training_is_the_same_to_the_last_bit(train, architecture):
    assert contents(train(job(architecture))) == contents(train(job(architecture), "again"))


@pytest.fixture
def four_threads():
    threads = torch.get_num_threads()
    torch.set_num_threads(4)
    yield
    torch.set_num_threads(threads)


@architectures
def test_training_is_the_same_whatever_the_threads(train, architecture, four_threads):
    """The layers are so wide that torch shares their work among threads."""
    wide = job(architecture, epochs=(0, 1), width=16)
    several = contents(train(wide, "several"))
    torch.set_num_threads(1)
    assert contents(train(wide)) == several


@architectures
def test_a_network_goes_on_to_a_later_epoch_with_the_same_bits(train, architecture):
    whole = contents(train(job(architecture, epochs=(0, 2, 4)), "whole"))
    train(job(architecture, epochs=(0, 2)))
    assert contents(train(job(architecture, epochs=(0, 2, 4)))) == whole


@architectures
def test_a_network_killed_in_the_middle_ends_with_the_same_bits(
    train, architecture, monkeypatch, tmp_path, capsys
):
    whole = contents(train(job(architecture), "whole"))

    class Killed(Exception):
        pass

    log_epoch = of_images.Progress.log_epoch

    def log_until(progress, spec, last, epoch):
        if epoch.number == 3:
            raise Killed
        log_epoch(progress, spec, last, epoch)

    with monkeypatch.context() as patched:
        patched.setattr(of_images.Progress, "log_epoch", log_until)
        with pytest.raises(Killed):
            train(job(architecture), "runs", "--flush-seconds", "0")
    assert not (tmp_path / "runs.safetensors").exists()
    capsys.readouterr()
    assert contents(train(job(architecture))) == whole
    said = capsys.readouterr().err
    assert "1 to train (1 of them begun)" in said
    assert "epoch 2 of 4" not in said
    assert not (tmp_path / "parts").exists()


def test_networks_that_the_file_has_are_kept(train, capsys):
    before = contents(train(job()))
    capsys.readouterr()
    after = contents(train(job(activation=("relu", "tanh"))))
    assert "1 kept, 1 to train" in capsys.readouterr().err
    assert before.items() <= after.items()


def test_networks_of_other_images_are_not(train, images_file, capsys):
    train(job())
    labels = np.arange(90, dtype=np.uint8) % 10
    arrays = {"train/images": np.zeros((90, 1, 8, 8), np.uint8), "train/labels": labels}
    arrays["train/images"][:, 0, 0, 0] = labels
    write_images(images_file, arrays)
    capsys.readouterr()
    train(job())
    assert "0 kept, 1 to train" in capsys.readouterr().err


def test_networks_are_kept_where_other_images_are_held_out(train, images_file, capsys):
    train(job())
    held_out = {"test/images": np.zeros((5, 1, 8, 8), np.uint8)}
    write_images(images_file, digits() | held_out | {"test/labels": np.zeros(5, np.uint8)})
    capsys.readouterr()
    train(job())
    assert "1 kept, 0 to train" in capsys.readouterr().err


def test_a_damaged_file_is_set_aside_and_trained_anew(train, tmp_path, capsys):
    whole = contents(train(job()))
    (tmp_path / "runs.safetensors").write_bytes(b"damaged")
    assert contents(train(job())) == whole
    assert "set aside as runs.safetensors.aside-1" in capsys.readouterr().err


@pytest.mark.parametrize("images", [0, 19])
def test_fewer_images_than_a_batch_are_named(train, images_file, images):
    """The data set is cut. A batch here has 20 images."""
    arrays = {"train/images": np.ones((images, 1, 8, 8), np.uint8)}
    write_images(images_file, arrays | {"train/labels": np.zeros(images, np.uint8)})
    sentence = rf"training.batch: found 20, allowed: at most the {images} images of .*digits"
    with pytest.raises(ValueError, match=sentence):
        train(job())


def test_the_log_says_epoch_loss_accuracy_and_time_left(train, capsys):
    train(job(activation=("relu", "tanh")))
    lines = [line for line in capsys.readouterr().err.splitlines() if ": epoch " in line]
    assert len(lines) == 8
    pattern = r"relu, fixed pairs: epoch 1 of 4, loss \d\.\d{3}, accuracy 0\.\d{3}, \d+ s left"
    assert re.fullmatch(pattern, lines[0])
    assert lines[-1].endswith("0 s left")


def test_the_terminal_is_told_now_and_then(train, capsys, monkeypatch):
    train(job())
    assert capsys.readouterr().out == ""
    monkeypatch.setattr(of_images, "TERMINAL_SECONDS", 0)
    train(job(seed=1), "other")
    told = capsys.readouterr().out.splitlines()
    assert told[0].startswith("digits-small-cnn-w2-d2 seed 1: tanh, fixed pairs: epoch 1 of 4")


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(3.2, "3 s"), (89, "89 s"), (600, "10 min"), (5400, "1 h 30 min"), (86_400, "24 h 00 min")],
)
def test_durations_have_the_unit_that_suits_them(seconds, text):
    assert of_images.duration(seconds) == text


@architectures
def test_networks_learn(train, architecture, capsys):
    train(job(architecture, epochs=(0, 60)))
    accuracies = re.findall(r"accuracy (\d\.\d+)", capsys.readouterr().err)
    assert float(accuracies[-1]) > 0.8


def test_a_network_that_diverges_is_recorded_with_its_epoch(train, monkeypatch):
    def epochs(*arguments):
        for epoch in train_epochs(*arguments):
            yield epoch._replace(loss=float("nan")) if epoch.number >= 2 else epoch

    monkeypatch.setattr(of_images, "train_epochs", epochs)
    (about,) = train(job()).header["runs"].values()
    assert about["diverged_step"] == 2


def test_inputs_have_mean_0_and_variance_1_in_each_channel():
    images = np.random.default_rng(1).integers(0, 256, (2300, 3, 5, 4), dtype=np.uint8)
    images[:, 1] //= 7
    inputs = Images(images, np.zeros(2300, np.int64), *scale(images)).inputs(slice(None))
    np.testing.assert_allclose(some(inputs.mean(axis=(0, 2, 3))), 0, atol=1e-5)
    np.testing.assert_allclose(some(inputs.std(axis=(0, 2, 3))), 1, rtol=1e-5)


def test_an_epoch_shows_every_image_once_but_for_a_remainder():
    class Seen(torch.nn.Linear):
        def forward(self, images):
            shown.extend(images[:, 0, 0, 0].tolist())
            return super().forward(images.flatten(1))

    shown = []
    images = np.arange(23, dtype=np.uint8)[:, None, None, None]
    numbers = Images(images, np.zeros(23, np.int64), np.float32(0), np.float32(1))
    module = Seen(1, 5)
    list(train_epochs(module, adam(module, 1e-3), numbers, 5, 0, 0, 1))
    assert len(shown) == len(set(shown)) == 20


def test_a_gpu_that_is_not_there_is_refused(train, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(ValueError, match=r"--device: found 'cuda' on a machine without one"):
        train(job(), "runs", "--device", "cuda")


@architectures
def test_training_is_that_of_a_plain_loop(architecture):
    """The loop is Adam by hand (Kingma and Ba 2015, algorithm 1), on the same batches."""
    rng = np.random.default_rng(2)
    pixels = rng.integers(0, 256, (50, 3, 8, 8), dtype=np.uint8)
    images = Images(pixels, rng.integers(0, 5, 50), *scale(pixels))
    network = ConvolutionalNetwork(architecture=architecture, activation="tanh", width=2, depth=1)
    module, plain = (build(4, network, (3, 8, 8), LABELS) for _ in range(2))
    list(train_epochs(module, adam(module, 0.01), images, 20, 4, 0, 2))

    x = (pixels.astype(np.float64) - pixels.mean((0, 2, 3), keepdims=True)) / pixels.std(
        (0, 2, 3), keepdims=True
    )
    plain.double().train()
    weights = list(plain.parameters())
    first, second = ([torch.zeros_like(w) for w in weights] for _ in range(2))
    step = 0
    for epoch in range(2):
        order = stream(4, "order", epoch).permutation(50)
        for batch in (order[:20], order[20:40]):
            logits = plain(torch.from_numpy(x[batch]))
            chances = torch.log_softmax(logits, 1)
            loss = -chances[torch.arange(20), torch.from_numpy(images.labels[batch])].mean()
            step += 1
            for w, m, v, g in zip(
                weights, first, second, torch.autograd.grad(loss, weights), strict=True
            ):
                m.mul_(0.9).add_(0.1 * g)
                v.mul_(0.999).add_(0.001 * g**2)
                with torch.no_grad():
                    w -= 0.01 * (m / (1 - 0.9**step)) / ((v / (1 - 0.999**step)).sqrt() + 1e-8)
    for trained, expected in zip(module.parameters(), weights, strict=True):
        torch.testing.assert_close(trained.double(), expected, rtol=1e-3, atol=1e-4)


def test_neither_order_nor_company_of_networks_changes_a_bit(train, capsys):
    alone = contents(train(job(activation=("tanh",)), "alone"))
    among = contents(train(job(activation=("relu", "tanh", "gelu")), "among"))
    assert alone.items() <= among.items()
    # The network with tanh exists; the others are trained after it.
    train(job(activation=("tanh",)), "later")
    assert contents(train(job(activation=("relu", "tanh", "gelu")), "later")) == among
