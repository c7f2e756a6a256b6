"""What a network on clusters makes of them: its hidden activity at the centres, and around them."""

from collections.abc import Iterator
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from repatlas.artifacts.files import Arrays
from repatlas.experiments.clusters.arrays import Task, TaskArrays
from repatlas.experiments.clusters.samples import Samples, balanced_samples
from repatlas.experiments.clusters.spec import Spec
from repatlas.experiments.clusters.training import batches, training_conditions, training_noise
from repatlas.networks.mlp import hidden_layers, initial_parameters, logits
from repatlas.representation import Decoders, LastLayer, class_readout
from repatlas.runs import Parameters, run_arrays


class SeedSamples(NamedTuple):
    """The samples that all networks of a seed are measured on."""

    training: Samples
    """The samples that the networks were trained on."""
    fitted: Samples
    """The samples that decoders are fitted on."""
    scored: Samples
    """The samples that decoders, and the networks themselves, are scored on."""


class Inputs:
    """The inputs of a task that networks are measured on, each made once for all networks that
    learn the task."""

    def __init__(self, arrays: TaskArrays, samples: SeedSamples):
        self.arrays, self.samples = arrays, samples
        self._made: dict[tuple[str, float], np.ndarray] = {}

    def around(self, task: Task, split: str, deviation: float) -> np.ndarray:
        """Return (m, N): the inputs of a split, with noise of this standard deviation."""
        if (split, deviation) not in self._made:
            samples: Samples = getattr(self.samples, split)
            centres = self.arrays.centres[samples.conditions]
            self._made[split, deviation] = task.inputs_around(centres, samples.noise, deviation)
        return self._made[split, deviation]


class Source:
    """The representations of the networks of one seed."""

    def __init__(self, data: Arrays, seed: int, decoders: Decoders, device: str):
        # Decoders are fitted on a CPU, and take most of the time.
        self.data, self.seed, self.decoders, self.device = data, seed, decoders, "cpu"
        self.about: dict[str, Any] = {}
        self._samples: dict[tuple[int, ...], SeedSamples] = {}
        self._last: tuple[tuple, Inputs] | None = None

    def of(self, spec: Spec, parameters: dict[str, np.ndarray]) -> "Checkpoint":
        """Return what a network makes of its clusters. parameters: as stored, at one step."""
        initial = initial_parameters(self.seed, spec.network, spec.task.inputs, spec.task.targets)
        trained = {name: parameters[name] for name in spec.network.trained}
        return Checkpoint(spec, self._inputs(spec), initial | trained, self.decoders)

    def whole_run(self, spec: Spec, runs: Arrays, key: str) -> "Whole":
        """Return all that is stored of a run."""
        arrays, steps = run_arrays(runs, key), runs.header["runs"][key]["steps"]
        seen = {
            step: self.of(spec, Parameters(runs, key, arrays, index))
            for index, step in enumerate(steps)
        }
        return Whole(spec, self.seed, seen)

    def _inputs(self, spec: Spec) -> Inputs:
        """Return the inputs of the task, and keep them: the next network often learns the same."""
        key = (spec.data, spec.training.samples)
        if self._last is None or self._last[0] != key:
            task = TaskArrays(*(self.data[f"{spec.data}/{name}"] for name in TaskArrays._fields))
            shape = (spec.training.samples, *task.centres.shape)
            if shape not in self._samples:
                self._samples[shape] = seed_samples(self.seed, spec, self.decoders)
            self._last = key, Inputs(task, self._samples[shape])
        return self._last[1]


def seed_samples(seed: int, spec: Spec, decoders: Decoders) -> SeedSamples:
    """Return the samples for networks of this shape."""
    clusters, inputs, number = spec.task.clusters, spec.task.inputs, spec.training.samples
    training = Samples(
        training_conditions(seed, number, clusters), training_noise(seed, number, inputs)
    )
    return SeedSamples(
        training,
        balanced_samples(seed, "decoder training", decoders.train_samples, clusters, inputs),
        balanced_samples(seed, "decoder test", decoders.test_samples, clusters, inputs),
    )


class Checkpoint:
    """A network at a step, with its task and what it is measured on."""

    variant = "centres"
    first_layer = 1
    single_layer = None

    def __init__(
        self,
        spec: Spec,
        inputs: Inputs,
        parameters: dict[str, np.ndarray],  # as networks.mlp names them
        decoders: Decoders,
    ):
        self.spec, self.task, self._inputs = spec, inputs.arrays, inputs
        self.finite = all(np.isfinite(values).all() for values in parameters.values())
        self.parameters = {name: array.astype(np.float64) for name, array in parameters.items()}
        self.inputs, self.targets = self.task.centres, self.task.labels
        self.deviations = decoders.test_deviations
        self._noisy: dict[tuple, np.ndarray] = {}

    @cached_property
    def layers(self) -> list[np.ndarray]:
        """(P, H) for each hidden layer: its activity at the centres, without noise."""
        return self._layers(self.task.centres)

    def samples(self, split: str, deviation: float | None) -> tuple[np.ndarray, np.ndarray]:
        """Return (m, H) the last hidden layer's activity for noisy inputs, and (m,) their clusters;
        of the split "training", too."""
        if (split, deviation) not in self._noisy:
            inputs = self._inputs.around(self.spec.task, split, deviation)
            self._noisy[split, deviation] = self._layers(inputs)[-1]
        return self._noisy[split, deviation], getattr(self._inputs.samples, split).conditions

    def training_samples(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the samples that it was trained on: (m, N) inputs and (m, K) targets."""
        noise = float(np.sqrt(self.spec.task.noise_variance))
        inputs = self._inputs.around(self.spec.task, "training", noise)
        return inputs, self.targets[self._inputs.samples.training.conditions]

    def last_layers(self) -> Iterator[LastLayer]:
        """Yield the last hidden layer for the clusters, and for the samples of training."""
        bias = self.parameters.get("output_bias", 0.0)
        classes, *readout = class_readout(self.targets, self.parameters["readout"], bias)
        clusters = np.arange(len(self.targets))
        yield LastLayer("centres", self.layers[-1], clusters, classes, *readout)
        noise = float(np.sqrt(self.spec.task.noise_variance))
        hidden, conditions = self.samples("training", noise)
        yield LastLayer("training", hidden, conditions, classes[conditions], *readout)

    def scores(self) -> Iterator[tuple[str, str, float]]:
        """Yield accuracy on fresh samples, and at the centres."""
        outputs, labels = self._outputs("scored")
        yield "accuracy", "test", np.mean((outputs > 0) == (labels > 0))
        outputs = logits(self.layers[-1], self.parameters)
        yield "accuracy", "centres", np.mean((outputs > 0) == (self.targets > 0))

    def training_scores(self) -> Iterator[tuple[str, str, float]]:
        """Yield accuracy and loss on the samples that it was trained on."""
        outputs, labels = self._outputs("training")
        yield "accuracy", "training", np.mean((outputs > 0) == (labels > 0))
        cross_entropy = np.logaddexp(0, outputs) - labels * outputs
        yield "loss", "training", cross_entropy.sum(axis=1).mean()

    def _outputs(self, split: str) -> tuple[np.ndarray, np.ndarray]:
        """Return (m, K) both: the outputs for samples with the noise of training, and their
        targets."""
        hidden, conditions = self.samples(split, np.sqrt(self.spec.task.noise_variance))
        return logits(hidden, self.parameters), self.targets[conditions]

    def _layers(self, inputs: np.ndarray) -> list[np.ndarray]:
        return hidden_layers(inputs, self.parameters, self.spec.network.activation)


class Whole:
    """A run: a network at all of its checkpoints."""

    def __init__(self, spec: Spec, seed: int, checkpoints: dict[int, Checkpoint]):
        self.spec, self.seed, self.checkpoints = spec, seed, checkpoints

    def batches(self) -> list[np.ndarray]:
        """Return the samples of each step up to the last checkpoint."""
        return list(batches(self.seed, self.spec.training, max(self.checkpoints)))
