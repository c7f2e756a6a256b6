"""What is measured of networks on images: by the stage, and by hand."""

import numpy as np
import pytest
import torch
from image_configs import on_images
from selections import some
from stages import make_metrics, make_runs

from repatlas.artifacts.files import Arrays, write_arrays
from repatlas.config.config import read_config
from repatlas.experiments.images.represent import ClassMeans, activity
from repatlas.experiments.images.task import LABELS, class_labels, one_hot
from repatlas.geometry import kernel_alignment
from repatlas.geometry.paired import paired_ccgp, paired_parallelism_score
from repatlas.images.scaled import Images, scale
from repatlas.measures import accuracy, alignment, ccgp, parallelism
from repatlas.networks.architectures import ConvolutionalNetwork
from repatlas.networks.convolutional import build
from repatlas.representation import Decoders
from repatlas.workflow.plan import Plan

SWEEP = {
    "data_set": "digits",
    "network": {"architecture": "small_cnn", "activation": ["tanh", "relu"], "width": 2},
    "epochs": [0, 3],
    "seeds": 2,
}
GROUP = "structure/images1/seeds-0"


@pytest.fixture
def plan(config_values, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return Plan(read_config(on_images(config_values, SWEEP)))


def readout(module):
    return [module.state_dict()[f"readout.{kind}"].numpy() for kind in ("weight", "bias")]


def test_every_network_is_measured_before_and_after_training(plan):
    rows = make_metrics(plan, GROUP)
    assert rows["step"].unique().tolist() == [0, 3]
    assert rows["run"].nunique() == 4  # two activations, two pairings
    for _, of_network in rows.groupby(["run", "step"]):
        assert of_network["measure"].value_counts().to_dict() == {
            "target_alignment": 4,
            "input_alignment": 4,
            "accuracy": 1,
            "input_output_alignment": 1,
            "participation_ratio": 1,
            "input_participation_ratio": 1,
            "parallelism": 1,
            "ccgp": 1,
        }


def test_a_network_whose_last_step_diverged_has_rows_without_values(plan):
    """The loss of an epoch is from before its last step, and so may still be finite."""
    make_runs(plan, GROUP, flush_seconds=1000)
    path = next(plan.store.glob("networks/images/*/seed-0/*.safetensors"))
    file = Arrays(path, "networks")
    arrays = {name: file[name] for name in file.header["digests"]}
    arrays[f"{next(iter(file.header['runs']))}/layers.0.0.weight"][1:] = np.nan
    write_arrays(path, "networks", {"runs": file.header["runs"]}, arrays)
    rows = make_metrics(plan, GROUP)
    diverged = rows[rows["diverged_step"] == 3]
    assert diverged["run"].nunique() == 1
    assert some(diverged.loc[diverged["step"] == 0, "value"].notna()).all()
    assert some(diverged.loc[diverged["step"] == 3, "value"].isna()).all()
    assert set(diverged["step"]) == {0, 3}
    assert some(rows.loc[rows["diverged_step"].isna(), "value"].notna()).all()


@pytest.fixture(params=["small_cnn", "resnet18"])
def module(request):
    network = ConvolutionalNetwork(architecture=request.param, activation="tanh", width=3, depth=1)
    return build(0, network, (1, 8, 8), LABELS)


@pytest.fixture
def classes(rng):
    return rng.permutation(np.repeat(np.arange(10), 23))


@pytest.fixture
def images(rng, classes):
    pixels = rng.integers(0, 17, (len(classes), 1, 8, 8), dtype=np.uint8)
    return Images(pixels, class_labels("fixed", 0)[classes], *scale(pixels))


def test_class_means_are_those_of_all_images_at_once(module, images, classes):
    found = activity(module, images, classes)
    inputs = torch.from_numpy(images.inputs(slice(None)))
    with torch.no_grad():
        layers = [inputs, *module.representations(inputs)]
        logits = module(inputs)
    assert len(found.means) == len(layers)
    for means, layer in zip(found.means, layers, strict=True):
        flat = layer.flatten(1).numpy()
        for index in range(10):
            np.testing.assert_allclose(means[index], flat[classes == index].mean(0), atol=1e-5)
    np.testing.assert_allclose(found.final, layers[-1].numpy(), atol=1e-5)
    assert found.accuracy == np.mean(logits.argmax(1).numpy() == images.labels)


def test_the_measures_are_those_of_the_last_layer(module, images, classes):
    labels = class_labels("random", 5)
    found = activity(module, images, classes)
    seen = ClassMeans(found, classes, labels, readout(module))
    rows = {
        (row.measure, row.layer): row.value
        for module in (accuracy, alignment, ccgp, parallelism)
        for row in module.rows(seen, Decoders(regularisation=1.0))
    }
    last, means = len(found.means) - 1, found.means[-1]
    assert rows["parallelism", last] == paired_parallelism_score(means, labels)
    assert rows["ccgp", last] == paired_ccgp(found.final, classes, labels, 1.0)
    assert rows["target_alignment", last] == pytest.approx(kernel_alignment(means, one_hot(labels)))
    assert rows["input_alignment", last] == pytest.approx(kernel_alignment(means, found.means[0]))
    assert rows["input_output_alignment", None] == pytest.approx(
        kernel_alignment(found.means[0], one_hot(labels))
    )


def test_the_last_layer_and_its_readout_name_as_many_images_right_as_the_network(
    module, images, classes
):
    """Collapse is of the five labels that the network learns, and not of the ten classes."""
    labels = class_labels("random", 5)
    found = activity(module, images._replace(labels=labels[classes]), classes)
    (last,) = ClassMeans(found, classes, labels, readout(module)).last_layers()
    named = (last.features @ last.weights.T + last.intercepts).argmax(axis=1)
    assert np.mean(named == last.classes) == pytest.approx(found.accuracy)
    assert some(last.classes == labels[classes]).all() and len(last.weights) == 5
