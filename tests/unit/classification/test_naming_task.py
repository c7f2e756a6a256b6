"""What is learned of a data set, drawn once for all networks or for some seeds."""

import numpy as np
import pytest
from selections import some

from repatlas.experiments.classification.task import (
    ImageTask,
    changed_labels,
    changed_pixels,
)
from repatlas.experiments.classification.taught import taught

LABELS = np.random.default_rng(0).integers(0, 10, 20_000)
IMAGES = np.random.default_rng(1).integers(0, 256, (300, 3, 4, 5), dtype=np.uint8)
ZERO = np.zeros((3, 1, 1), np.float32)


class Stored(dict):
    """Use these arrays instead of the arrays of a file."""


@pytest.fixture
def data(monkeypatch):
    module = "repatlas.experiments.classification.taught.mapped"
    monkeypatch.setattr(module, lambda arrays, name: arrays[name])
    return Stored(
        {
            "images/train/images": IMAGES[:200],
            "images/train/labels": LABELS[:200].astype(np.uint8),
            "images/test/images": IMAGES[200:],
            "images/test/labels": LABELS[200:300].astype(np.uint8),
        }
    )


def pixels(kind, number=0):
    return changed_pixels(ImageTask(pixels=kind), IMAGES, number, ZERO + 100, ZERO + 20)


def test_permuted_labels_are_the_same_ones_in_another_order():
    found = changed_labels(ImageTask(labels="permuted"), LABELS)
    assert sorted(found) == sorted(LABELS)
    assert np.mean(found == LABELS) == pytest.approx(0.1, abs=0.01)


@pytest.mark.parametrize("q", [0.25, 0.5, 1.0])
def test_random_labels_differ_with_nine_tenths_of_their_probability(q):
    found = changed_labels(ImageTask(labels="random", corrupted=q), LABELS)
    assert np.mean(found != LABELS) == pytest.approx(0.9 * q, abs=0.015)


def test_shuffled_pixels_are_those_of_each_image_in_one_order():
    found, places = pixels("shuffled"), np.arange(20).reshape(1, 1, 4, 5).repeat(3, axis=1)
    (order,) = changed_pixels(ImageTask(pixels="shuffled"), places, 0, ZERO, ZERO)
    assert some(order == order[0]).all()  # channels stay together
    np.testing.assert_array_equal(found, IMAGES.reshape(300, 3, 20)[:, :, order[0].ravel()].reshape(
        IMAGES.shape
    ))  # fmt: skip
    assert sorted(order[0].ravel()) == list(range(20)) != order[0].ravel().tolist()
    np.testing.assert_array_equal(some(found), pixels("shuffled", 1))  # test images, too


def test_random_pixels_have_an_order_for_each_image():
    places = np.arange(20).reshape(1, 1, 4, 5).repeat(3, axis=1).repeat(300, axis=0)
    orders = changed_pixels(ImageTask(pixels="random"), places, 0, ZERO, ZERO).reshape(300, 3, 20)
    assert some(orders == orders[:, :1]).all()
    assert len({tuple(order) for order in orders[:, 0].tolist()}) == 300
    assert some(np.sort(orders) == np.arange(20)).all()


def test_inputs_of_perceptrons_have_the_mean_0_over_what_is_learned(data):
    task = taught(ImageTask(images=50), data, seed=0)
    inputs = task.flat("train")
    np.testing.assert_allclose(some(inputs[task.chosen].mean(axis=0)), 0, atol=1e-6)
    spread = task.pixels["train"][task.chosen].reshape(50, -1)
    expected = task.pixels["test"].reshape(100, -1) / spread.max()
    expected -= (spread / spread.max()).mean(axis=0)
    np.testing.assert_allclose(task.flat("test"), expected, atol=1e-6)


TASKS = {
    "images": {"images": 50},
    "permuted labels": {"labels": "permuted"},
    "random labels": {"labels": "random"},
    "shuffled pixels": {"pixels": "shuffled"},
    "random pixels": {"pixels": "random"},
    "Gaussian pixels": {"pixels": "gaussian"},
}


def shown(task, data, seed):
    """Return what the network of a seed learns: images, labels and pixels, as bytes."""
    found = taught(ImageTask(**task), data, seed)
    return b"".join(a.tobytes() for a in (found.chosen, found.labels, found.pixels["train"]))


@pytest.mark.parametrize("name", TASKS)
def test_seeds_that_share_a_draw_learn_the_same_and_others_something_else(data, name):
    task = TASKS[name] | {"seeds_per_draw": 2}
    first, same, other = (shown(task, data, seed) for seed in (2, 3, 4))
    assert first == same
    assert first != other
