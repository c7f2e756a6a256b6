"""What of networks on clusters is compared: the same items for all networks of a task."""

import numpy as np
import pytest
from stages import make_data, make_runs

from repatlas.config.config import read_config
from repatlas.experiments.clusters.compared import Compared
from repatlas.experiments.clusters.spec import Spec
from repatlas.networks.activation import activation
from repatlas.workflow.plan import Plan
from repatlas.workflow.stages.prepare import data_of_seed

TASKS = {
    "separable": {"delta": 0.5},
    "common_separable": {"delta": 0.5, "frame": 3},
    "aligned": {"clusters": 4, "targets": 1, "alignment": 0.3},
}


@pytest.fixture
def trained(tmp_path, monkeypatch):
    """Return a function that gives for each seed the spec, the last parameters, and the
    representation that is compared."""
    monkeypatch.chdir(tmp_path)

    def networks(kind):
        task = {"kind": kind, "inputs": 12, **TASKS[kind]}
        readout = {"depth": 2, "readout": "trained"}
        sweep = {
            "task": task,
            "network": {"activation": "tanh", "width": 8, **readout},
            "training": {"batch": 20, "samples": 40},
            "steps": [0, 5],
            "seeds": 2,
            "measures": ["accuracy"],
        }
        plan = Plan(read_config({"sweeps": {"one": sweep}}))
        found, group = [], "structure/one/seeds-0"
        for (_, seed), run in make_runs(plan, group).items():
            parameters = {name: values[1] for name, values in run.parameters.items()}
            data = data_of_seed(make_data(plan, group), seed)
            spec = Spec.model_validate(run.about["spec"])
            found.append((spec, parameters, Compared(data, seed)))
        return found

    return networks


def test_a_common_task_is_the_same_for_all_seeds_and_that_of_the_seed_of_its_number():
    common, own = (
        Spec.model_validate(
            {"task": {"kind": kind, **TASKS[kind]}, "network": {"activation": "tanh"}}
        ).task
        for kind in ("common_separable", "separable")
    )
    for seed in range(2):
        np.testing.assert_array_equal(common.draw(seed).centres, own.draw(3).centres)


@pytest.mark.parametrize("items", ["samples", "centres"])
@pytest.mark.parametrize("kind", TASKS)
def test_networks_of_two_seeds_see_the_same_items_where_they_have_one_task(trained, kind, items):
    (_, _, one), (spec, parameters, other) = trained(kind)
    rows = [of.layers(spec, parameters, items)[0].rows for of in (one, other)]
    assert np.array_equal(*rows) == (kind != "separable")
    assert rows[0].shape == (5000 if items == "samples" else 4, 12)


def test_layers_are_numbered_from_the_input_to_the_logits(trained):
    (spec, parameters, of), _ = trained("common_separable")
    layers = of.layers(spec, parameters, "centres")
    assert [(each.number, each.name) for each in layers] == [
        (0, "input"), (1, "hidden1"), (2, "hidden2"), (3, "logits"),
    ]  # fmt: skip
    x, f = layers[0].rows, activation("tanh").value
    for number in (1, 2):
        x = f(x @ parameters[f"weights{number}"].T.astype(float) + parameters[f"bias{number}"])
        np.testing.assert_allclose(layers[number].rows, x)
    x = x @ parameters["readout"].T.astype(float) + parameters["output_bias"]
    np.testing.assert_allclose(layers[3].rows, x)
    assert of.sets(spec) == ("samples", "centres")
