"""What a network with a drawn function makes of clusters."""

import numpy as np

from repatlas.experiments.clusters import represent as clusters
from repatlas.experiments.drawn.spec import Spec
from repatlas.networks.drawn import shape
from repatlas.networks.mlp import initial_parameters


class Source(clusters.Source):
    """The representations of the networks of one seed."""

    def of(self, spec: Spec, parameters: dict[str, np.ndarray]) -> "Checkpoint":
        """Return what a network makes of its clusters. parameters: as stored, at one step."""
        start = spec.network.start
        initial = initial_parameters(self.seed, start, spec.task.inputs, spec.task.targets)
        trained = {name: parameters[name] for name in start.trained}
        return Checkpoint(spec, self._inputs(spec), initial | trained, self.decoders)


class Checkpoint(clusters.Checkpoint):
    """A network at a step, with its task and what it is measured on."""

    def _layers(self, inputs: np.ndarray) -> list[np.ndarray]:
        u = inputs @ self.parameters["weights1"].T + self.parameters["bias1"]
        return [shape(self.spec.network.function).value(u)]
