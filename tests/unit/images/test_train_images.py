"""Training of networks on images: what is kept, how it goes on, what it says."""

import numpy as np
import pytest
import torch

from repatlas.artifacts.files import Arrays, write_arrays
from repatlas.experiments.images import train as of_images
from repatlas.experiments.images.spec import ImageGrid
from repatlas.experiments.images.task import LABELS
from repatlas.images.scaled import Images, scale
from repatlas.images.training import adam, train_epochs
from repatlas.networks.architectures import ConvolutionalNetwork
from repatlas.networks.convolutional import build
from repatlas.networks.devices import chosen_device
from repatlas.runs import Wanted
from repatlas.streams import stream

architectures = pytest.mark.parametrize(
    "architecture", ["small_cnn", pytest.param("resnet18", marks=pytest.mark.slow)]
)


def networks(architecture="small_cnn", epochs=(0, 4), activation=("tanh",), width=2):
    depth = {"small_cnn": 2, "resnet18": 1}[architecture]
    network = {"architecture": architecture, "activation": list(activation)}
    network |= {"width": width, "depth": depth}
    grid = ImageGrid.model_validate(
        {
            "data_set": "digits",
            "pairing": ["fixed"],
            "network": network,
            "training": {"batch": 20},
            "epochs": list(epochs),
        }
    )
    return {spec.key: Wanted(spec, list(epochs), {}) for spec in grid.specs()}


def digits():
    """Return digits in which the position of the bright spot gives the class."""
    rng = np.random.default_rng(0)
    labels = (np.arange(90) % 10).astype(np.uint8)
    images = rng.integers(0, 4, (90, 1, 8, 8), dtype=np.uint8)
    images[np.arange(90), 0, 1 + labels // 2, 1 + labels % 2 * 5] = 16
    return {"train/images": images, "train/labels": labels}


@pytest.fixture
def train(tmp_path):
    """Train networks, and return their runs by key. until: the epoch after which it is killed."""

    def train(wanted, begun=None, arrays=None, seed=0, until=None):
        path, runs = tmp_path / "digits.safetensors", dict(begun or {})
        write_arrays(path, "data", {"identity": "x"}, arrays or digits())
        device = chosen_device("cpu")  # as in a job
        for found in of_images.train(wanted, runs, Arrays(path, "data"), seed, device, print):
            runs |= found
            if until in {run.last_step for run in found.values()}:
                break
        return runs

    return train


def contents(runs):
    return {
        (key, kind, name): values.tobytes()
        for key, run in runs.items()
        for kind in ("parameters", "state")
        for name, values in getattr(run, kind).items()
    }


@architectures
def test_checkpoints_are_stored_at_the_epochs_asked_for(train, architecture):
    (run,) = train(networks(architecture, epochs=(0, 1, 3))).values()
    assert run.about["steps"] == [0, 1, 3]
    weights = run.parameters["readout.weight"]
    assert len(weights) == 3
    assert not np.array_equal(weights[0], weights[1])


@pytest.fixture
def four_threads():
    threads = torch.get_num_threads()
    torch.set_num_threads(4)
    yield
    torch.set_num_threads(threads)


@architectures
def test_training_is_the_same_whatever_the_threads(train, architecture, four_threads):
    """The layers are so wide that torch shares their work among threads."""
    wide = networks(architecture, epochs=(0, 1), width=16)
    several = contents(train(wide))
    torch.set_num_threads(1)
    assert contents(train(wide)) == several


@architectures
def test_a_network_goes_on_to_a_later_epoch_with_the_same_bits(train, architecture):
    whole = contents(train(networks(architecture, epochs=(0, 2, 4))))
    begun = train(networks(architecture, epochs=(0, 2)))
    assert contents(train(networks(architecture, epochs=(0, 2, 4)), begun)) == whole


@pytest.mark.parametrize("images", [0, 19])
def test_fewer_images_than_a_batch_are_named(train, images):
    """The data set is cut. A batch here has 20 images."""
    arrays = {"train/images": np.ones((images, 1, 8, 8), np.uint8)}
    sentence = rf"training.batch: found 20, allowed: at most the {images} images of .*digits"
    with pytest.raises(ValueError, match=sentence):
        train(networks(), arrays=arrays | {"train/labels": np.zeros(images, np.uint8)})


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(3.2, "3 s"), (89, "89 s"), (600, "10 min"), (5400, "1 h 30 min"), (86_400, "24 h 00 min")],
)
def test_durations_have_the_unit_that_suits_them(seconds, text):
    assert of_images.duration(seconds) == text


def test_a_network_that_diverges_is_recorded_with_its_epoch(train, monkeypatch):
    def epochs(*arguments):
        for epoch in train_epochs(*arguments):
            yield epoch._replace(loss=float("nan")) if epoch.number >= 2 else epoch

    monkeypatch.setattr(of_images, "train_epochs", epochs)
    (run,) = train(networks()).values()
    assert run.about["diverged_step"] == 2


def test_a_gpu_that_is_not_there_is_refused(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(ValueError, match=r"device: found 'cuda' on a machine without one"):
        chosen_device("cuda")


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


def test_neither_order_nor_company_of_networks_changes_a_bit(train):
    (tanh,) = alone = train(networks())
    among = train(networks(activation=("relu", "tanh", "gelu")))
    assert contents(alone).items() <= contents(among).items()
    # The network with tanh exists; the others are trained after it.
    others = networks(activation=("relu", "tanh", "gelu"))
    del others[tanh]
    assert contents(train(others, alone)) == contents(among)
