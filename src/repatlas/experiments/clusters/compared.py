"""What of a network on clusters is compared with others: each layer, for the same inputs."""

import numpy as np

from repatlas.artifacts.files import Arrays
from repatlas.experiments.clusters.samples import balanced_samples
from repatlas.experiments.clusters.spec import Spec
from repatlas.networks.layer import Layer
from repatlas.networks.mlp import hidden_layers, initial_parameters, logits

SETS = ("samples", "centres")
"""The sets of items: fresh noisy samples, equally many of each cluster; and the cluster centres,
without noise."""
SAMPLES = 5000
DEVIATION = 1.0
"""Standard deviation of their noise."""


class Compared:
    """The layers of networks on clusters: the input, each hidden layer, and the logits, numbered
    from 0 in this order.

    Networks can be compared item by item if they learn the same task. Networks of one seed do, and
    so do networks of a task with a `geometry`, which all seeds have in common. Samples of such a
    task are drawn with this number, and so are also the same for all seeds.
    """

    def __init__(self, data: Arrays, seed: int):
        self.data, self.seed = data, seed

    def sets(self, spec: Spec) -> tuple[str, ...]:
        """Return the names of the sets of items."""
        return SETS

    def layers(self, spec: Spec, parameters: dict[str, np.ndarray], items: str) -> list[Layer]:
        """Return every layer, in order of depth. parameters: those that are trained, at one
        step."""
        trained = {name: parameters[name] for name in spec.network.trained}
        initial = initial_parameters(self.seed, spec.network, spec.task.inputs, spec.task.targets)
        whole = {name: v.astype(np.float64) for name, v in (initial | trained).items()}
        inputs = self._inputs(spec, items)
        hidden = hidden_layers(inputs, whole, spec.network.activation)
        return [
            Layer(0, "input", "", inputs),
            *(Layer(n, f"hidden{n}", "", rows) for n, rows in enumerate(hidden, start=1)),
            Layer(len(hidden) + 1, "logits", "", logits(hidden[-1], whole)),
        ]

    def _inputs(self, spec: Spec, items: str) -> np.ndarray:
        """Return (m, N) float64"""
        centres, task = self.data[f"{spec.data}/centres"].astype(np.float64), spec.task
        if items == "centres":
            return centres
        drawn_by = getattr(task, "geometry", self.seed)
        samples = balanced_samples(drawn_by, "decoder training", SAMPLES, *centres.shape)
        return task.inputs_around(centres[samples.conditions], samples.noise, DEVIATION)
