"""Networks with drawn functions, as a job trains them."""

import numpy as np
import pytest
from pydantic import ValidationError

from repatlas.experiments.clusters.arrays import geometry_key
from repatlas.experiments.drawn.spec import Grid
from repatlas.experiments.drawn.train import train
from repatlas.runs import Wanted

SETTINGS = {
    "task": {"kind": "separable", "inputs": 12, "delta": [0.5, 1.0]},
    "training": {"batch": 10, "samples": 60},
    "steps": [0, 5, 20],
}


def grid(function):
    return Grid(network={"function": function, "width": 8}, **SETTINGS)


def data_of(specs):
    found = {}
    for spec in specs:
        drawn = spec.task.draw(3)
        found[f"{geometry_key(spec.task)}/centres"] = drawn.centres
        found[f"{geometry_key(spec.task)}/labels"] = drawn.labels
    return found


def trained(specs, steps=(0, 5, 20), begun=None):
    """Return the runs of one job, by key."""
    wanted = {spec.key: Wanted(spec, list(steps), {}) for spec in specs}
    runs = {}
    for found in train(wanted, begun or {}, data_of(specs), 3, "cpu", lambda text: None):
        runs |= found
    return runs


def assert_equal(one, other):
    for name, values in one.parameters.items():
        assert np.array_equal(values, other.parameters[name]), name


def test_a_network_has_the_same_bits_whichever_others_its_job_trains():
    specs = grid("0-5").specs()
    together = trained(specs)
    assert len(together) == 12
    for spec in specs[::-5]:
        assert_equal(trained([spec])[spec.key], together[spec.key])


def test_a_network_that_continues_ends_as_one_that_was_trained_at_once():
    specs = grid([4]).specs()
    begun = trained(specs, (0, 5))
    continued = trained(specs, begun=begun)
    at_once = trained(specs)
    for key, run in at_once.items():
        assert run.about["steps"] == [0, 5, 20]
        assert_equal(continued[key], run)
        first, last = run.parameters["weights1"][[0, -1]]
        assert not np.allclose(first, last)


def test_a_range_of_functions_is_a_list_of_their_numbers():
    assert grid("3-6").network.function == [3, 4, 5, 6]
    for wrong in ("6-3", "a-b", -1, 100_000):
        with pytest.raises(ValidationError):
            grid(wrong)
