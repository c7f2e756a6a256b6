"""What of networks that name digits is compared: layers, their order and their rows."""

import numpy as np
import pytest
import torch
from naming import sweep
from selections import some
from stages import make_data, make_runs

from repatlas.artifacts.files import Arrays
from repatlas.artifacts.runs import Parameters, run_arrays
from repatlas.experiments.classification.compared import Compared
from repatlas.experiments.classification.convolutions import network
from repatlas.experiments.classification.represent import Checkpoint
from repatlas.experiments.classification.spec import Spec
from repatlas.images.training import load_parameters
from repatlas.networks.activation import activation

SIZES = {"train": 200, "test": 360, "all": 1797}


@pytest.fixture
def trained(plan_of, tmp_path, monkeypatch):
    """The spec, the last parameters and what is compared, of the first seed or of both."""
    monkeypatch.chdir(tmp_path)

    def networks(kind, **more):
        one = {"network": {"kind": kind, "activation": "tanh", "width": 4, "depth": 2}}
        plan = plan_of(sweep(kind, **one, **more))
        found = []
        for shard in plan.shards:
            runs = Arrays(make_runs(plan, shard), "runs")
            ((key, about),) = runs.header["runs"].items()
            parameters = Parameters(runs, key, run_arrays(runs, key), -1)
            data = Arrays(make_data(plan, shard), "data")
            found.append(
                (Spec.model_validate(about["spec"]), parameters, Compared(data, shard.seed))
            )
        return found

    return networks


@pytest.mark.parametrize("items", SIZES)
def test_a_perceptron_has_its_hidden_layers_logits_and_softmax(trained, items):
    spec, parameters, of = trained("mlp", seeds=1)[0]
    layers = of.layers(spec, parameters, items)
    assert [(each.number, each.name) for each in layers] == list(
        enumerate(["input", "hidden1", "hidden2", "logits", "softmax"])
    )
    assert {(len(each.rows), each.variant, each.groups) for each in layers} == {
        (SIZES[items], "", None)
    }
    assert len(of.labels(spec, items)) == SIZES[items]
    x, f = layers[0].rows, activation("tanh").value
    for number in (1, 2):
        x = f(x @ parameters[f"weights{number}"].T.astype(float) + parameters[f"bias{number}"])
        np.testing.assert_allclose(layers[number].rows, x)
    x = x @ parameters["readout"].T.astype(float) + parameters["output_bias"]
    np.testing.assert_allclose(layers[3].rows, x)
    np.testing.assert_allclose(layers[4].rows, torch.softmax(torch.tensor(x), dim=1))


@pytest.mark.parametrize("kind", ["mlp", "small_cnn"])
def test_the_last_hidden_layer_and_its_readout_name_the_images_as_the_network_does(trained, kind):
    spec, parameters, of = trained(kind, seeds=1, task={"images": 200, "labels": "permuted"})[0]
    seen = Checkpoint(spec, parameters, of)
    of_training, of_test = seen.last_layers()
    for last, items in ((of_training, "train"), (of_test, "test")):
        outputs = last.features @ last.weights.T + last.intercepts
        np.testing.assert_allclose(outputs, seen.logits(items))
        assert some(last.classes == of.labels(spec, items)).all()
    assert (of_training.classes != of.task(spec).true_labels["train"][of.task(spec).chosen]).any()


def test_all_images_have_those_that_are_trained_on_among_them(trained):
    spec, parameters, of = trained("mlp", seeds=1)[0]
    train, test, everything = (of.layers(spec, parameters, items)[2].rows for items in SIZES)
    np.testing.assert_allclose(everything[of.task(spec).chosen], train)
    np.testing.assert_allclose(everything[1437:], test)


def test_a_convolution_has_its_positions_and_their_means(trained):
    spec, parameters, of = trained("small_cnn", seeds=1)[0]
    layers = of.layers(spec, parameters, "test")
    assert [(each.number, each.name, each.variant, *each.rows.shape) for each in layers] == [
        (0, "input", "flat", 360, 64),
        (1, "conv1", "spatial", 4992, 4),
        (1, "conv1", "pooled", 360, 4),
        (2, "conv2", "spatial", 360 * 4, 8),
        (2, "conv2", "pooled", 360, 8),
        (3, "hidden3", "", 360, 32),
        (4, "logits", "", 360, 10),
        (5, "softmax", "", 360, 10),
    ]
    spatial, pooled = layers[3:5]
    means = [spatial.rows[spatial.groups == image].mean(axis=0) for image in range(360)]
    np.testing.assert_allclose(pooled.rows, means, atol=1e-6)
    module = network(spec, 0)
    load_parameters(module, {name: parameters[name] for name in module.state_dict()})
    with torch.no_grad():
        logits = module.eval()(torch.from_numpy(of.task(spec).images("test").inputs(slice(None))))
    np.testing.assert_allclose(layers[6].rows, logits, atol=1e-4)


@pytest.mark.parametrize("kind", ["mlp", "small_cnn"])
def test_two_seeds_have_the_same_items_and_other_weights(trained, kind):
    task = {"images": 200, "labels": "random", "corrupted": 0.5, "pixels": "random"}
    (spec, parameters, one), (_, others, other) = trained(kind, task=task)
    first, second = one.layers(spec, parameters, "train"), other.layers(spec, others, "train")
    np.testing.assert_array_equal(first[0].rows, second[0].rows)
    np.testing.assert_array_equal(one.labels(spec, "train"), other.labels(spec, "train"))
    assert not np.allclose(first[1].rows, second[1].rows)
    if kind == "small_cnn":
        np.testing.assert_array_equal(first[1].groups, second[1].groups)


@pytest.mark.parametrize("number", [0, 1, 2])
def test_the_rest_of_a_perceptron_can_be_run_on_the_activity_of_a_layer(trained, number):
    spec, parameters, of = trained("mlp", seeds=1)[0]
    layers = of.layers(spec, parameters, "test")
    found = of.logits_from(spec, parameters, number, layers[number].rows)
    np.testing.assert_allclose(some(found), layers[3].rows)


def test_the_rest_of_a_convolutional_network_is_run_on_its_last_hidden_layer_alone(trained):
    spec, parameters, of = trained("small_cnn", seeds=1)[0]
    with pytest.raises(ValueError, match=r"number is 1; .* allowed is the last hidden layer, 3"):
        of.logits_from(spec, parameters, 1, np.zeros((2, 4)))
