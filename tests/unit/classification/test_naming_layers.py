"""What of networks that name digits is compared: layers, their order and their rows."""

import numpy as np
import pytest
import torch
from naming import sweep
from selections import some
from stages import make_data, make_runs

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
        found, group = [], "structure/sweep0/seeds-0"
        for (_, seed), run in make_runs(plan, group).items():
            parameters = {name: values[-1] for name, values in run.parameters.items()}
            spec = Spec.model_validate(run.about["spec"])
            found.append((spec, parameters, Compared(make_data(plan, group), seed)))
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
