"""How large a network is, and what its jobs do: in closed form, without loading what does it."""

from math import comb

from repatlas.experiments.clusters.spec import Spec
from repatlas.representation import Decoders


def work(spec: Spec, measures: dict[str, list[int]], decoders: Decoders) -> int:
    """Units of work in measuring a network: its time goes with the samples in all fits."""
    deviations, clusters = len(decoders.test_deviations), spec.task.clusters
    fits = {
        "ccgp": 2 * deviations * spec.task.targets * (2 if clusters == 4 else 1),
        "decoding": deviations * comb(clusters, clusters // 2) // 2,
    }
    number = sum(len(steps) * fits.get(name, 1) for name, steps in measures.items())
    return number * decoders.train_samples


def stored_bytes(spec: Spec, steps: list[int]) -> int:
    """Of all that is trained at each step, and of Adam's moments at the last, in float32."""
    width, depth = spec.network.width, spec.network.depth
    trained = width * (spec.task.inputs + (depth - 1) * width)
    if spec.network.hidden_bias == "trained":
        trained += width * depth
    if spec.network.readout == "trained":
        trained += (width + 1) * spec.task.targets
    moments = 2 if spec.training.optimiser == "adam" else 0
    return (len(steps) + moments) * trained * 4


def training_bytes(spec: Spec) -> int:
    """Of the samples, and of a batch in all layers, forward and back: in float32."""
    task, network, training = spec.task, spec.network, spec.training
    of_batch = training.batch * (task.inputs + 2 * network.width * network.depth)
    return 4 * (training.samples * task.inputs + of_batch)


def measuring_bytes(spec: Spec, decoders: Decoders) -> int:
    """Of all samples, in float32, and of those in the last layer that a decoder is fitted on, in
    float64."""
    samples = spec.training.samples + decoders.train_samples + decoders.test_samples
    return 4 * samples * spec.task.inputs + 8 * decoders.train_samples * spec.network.width
