"""A small experiment whose networks are compared: those on clusters, shown what all have in common,
the same random items for all seeds."""

import sys
from types import ModuleType

import numpy as np
import pytest

from repatlas.config import comparisons
from repatlas.networks.layer import Layer
from repatlas.networks.mlp import hidden_layers, initial_parameters, logits
from repatlas.workflow.stages import compare_networks

ITEMS = {"train": 60, "test": 40}


class Compared:
    """Hidden layers and logits of networks on clusters, for random items; the classes are which of
    two halves of the inputs is larger."""

    made = 0
    """How often layers were made of a network."""

    def __init__(self, data, seed):
        self.seed = seed

    def sets(self, spec):
        return tuple(ITEMS)

    def layers(self, spec, parameters, items):
        Compared.made += 1
        values, inputs = self._values(spec, parameters), self._inputs(spec, items)
        hidden = hidden_layers(inputs, values, spec.network.activation)
        found = [Layer(n, f"hidden{n}", "", rows) for n, rows in enumerate(hidden, start=1)]
        return [*found, Layer(len(hidden) + 1, "logits", "", logits(hidden[-1], values))]

    def logits_from(self, spec, parameters, number, activity):
        values = self._values(spec, parameters)
        for layer in range(number + 1, spec.network.depth + 1):
            one = {n: v for n, v in values.items() if n in (f"weights{layer}", f"bias{layer}")}
            renamed = {name.replace(str(layer), "1"): value for name, value in one.items()}
            [activity] = hidden_layers(activity, renamed, spec.network.activation)
        found = logits(activity, values)
        return np.hstack([-found, found])

    def labels(self, spec, items):
        inputs = self._inputs(spec, items)
        return (inputs[:, 0] > inputs[:, 1]).astype(int)

    def _values(self, spec, parameters):
        start = initial_parameters(self.seed, spec.network, spec.task.inputs, spec.task.targets)
        trained = {name: parameters[name] for name in spec.network.trained}
        return {name: np.asarray(v, dtype=float) for name, v in (start | trained).items()}

    def _inputs(self, spec, items):
        rng = np.random.default_rng(list(ITEMS).index(items))
        return rng.standard_normal((ITEMS[items], spec.task.inputs))


@pytest.fixture
def shown(monkeypatch):
    """Networks on clusters may be compared, whatever their seeds."""
    module = ModuleType("compared")
    module.Compared = Compared
    monkeypatch.setitem(sys.modules, "repatlas.experiments.clusters.compared", module)
    monkeypatch.setattr(comparisons, "shows_layers", lambda experiment: True)
    monkeypatch.setattr(comparisons, "has_own_items", lambda spec: False)
    Compared.made = 0
    return Compared


@pytest.fixture
def values():
    """The values of a config: networks of two activations, and a comparison of one of them."""
    common = {
        "task": {"kind": "separable", "inputs": 6, "delta": [0.5]},
        "network": {"activation": "relu", "width": 8, "depth": 2, "readout": "trained"},
        "training": {"batch": 10, "samples": 20},
        "steps": [0, 2, 4],
        "seeds": 4,
        "measures": ["accuracy"],
    }
    tanh = common | {"network": common["network"] | {"activation": "tanh"}}
    return {
        "sweeps": {"relu": common, "tanh": tanh},
        "compare": [
            {
                "between": ["relu"],
                "similarities": ["cca", "matching"],
                "items": ["train"],
                "layers": [1, 2],
            }
        ],
    }


@pytest.fixture
def count_rows(monkeypatch):
    """What was compared: of each part the seeds, the step, the items and the similarity."""
    counted = []
    measured = compare_networks._Comparing._measured

    def counting(comparing, parts):
        counted.extend((p.a[1], p.b[1], p.step, p.items, p.by) for p in parts)
        return measured(comparing, parts)

    monkeypatch.setattr(compare_networks._Comparing, "_measured", counting)
    return counted
