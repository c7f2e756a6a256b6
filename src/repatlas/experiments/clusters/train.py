"""Trains networks on clusters, in blocks that share all but their task."""

import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from repatlas.artifacts.files import Arrays
from repatlas.experiments.clusters import engine
from repatlas.experiments.clusters.engine import Block, Trained
from repatlas.experiments.clusters.spec import Spec
from repatlas.experiments.clusters.training import training_conditions, training_noise
from repatlas.networks.activation import activation as activation_of
from repatlas.networks.mlp import initial_parameters
from repatlas.runs import Run, Wanted

try:
    from repatlas.experiments.clusters import compiled
except ImportError:  # numba need not be installed
    compiled = None

USES_TORCH = True
"""True: torch chooses the device, and trains on a GPU. False: trained with numpy on a CPU core."""
BLOCK_RUNS = {"cpu": 16, "cuda": 4096}
"""Runs that are trained between two yields, or together. With torch on a CPU 8 to 32 stay in the
cache; a GPU wants all there are."""
SEGMENT_STEPS = {"cpu": 1000, "cuda": 8000}
"""Steps between two yields: on a CPU 2 s for 16 networks of width 120; on a GPU half a second or
more."""


def train_block(block: Block, activation: str, device: str, **more: Any) -> Trained:
    """Train a block with numba on a CPU; with torch on a GPU, without numba, and for an activation
    that has no loops for numba."""
    if device == "cpu" and compiled and activation_of(activation).loops:
        return compiled.train(block, activation, **more)
    return engine.train(block, activation, device=device, **more)


def train(
    missing: dict[str, Wanted],
    begun: dict[str, Run],
    data: Arrays,
    seed: int,
    device: str,
    log: Callable[[str], None],
) -> Iterator[dict[str, Run]]:
    """Train in blocks of runs that differ in task alone, and in segments of steps; yield the runs
    of the block after each segment."""
    groups = defaultdict(list)
    for key, (spec, steps, _) in missing.items():
        start = begun[key].last_step if key in begun else 0
        groups[spec.network, spec.training, spec.task.rectified, tuple(steps), start].append(key)
    size = BLOCK_RUNS[device]
    blocks = [
        (steps, start, keys[first : first + size])
        for (_, _, _, steps, start), keys in groups.items()
        for first in range(0, len(keys), size)
    ]
    for number, (steps, start, keys) in enumerate(blocks, start=1):
        specs = [missing[key].spec for key in keys]
        # At step 0 a stored run may have a state, of zeros, where a new one has none.
        runs = [begun[k] if start else _new_run(missing[k].spec, seed) for k in keys]
        started = time.perf_counter()
        block = _block(specs, data, seed)
        segment = SEGMENT_STEPS[device]
        for stop in [*range(start + segment, steps[-1], segment), steps[-1]]:
            runs = _train_segment(block, specs[0], runs, steps, stop, seed, device)
            yield dict(zip(keys, runs, strict=True))
        seconds = time.perf_counter() - started
        each = 1e6 * seconds / max((steps[-1] - start) * len(keys), 1)
        log(
            f"block {number} of {len(blocks)}: {len(keys)} {specs[0].network.activation} networks,"
            f" steps {start} to {steps[-1]}, {seconds:.1f} s, {each:.0f} us per network and step"
            f" on {device}: {' '.join(keys)}"
        )


def _train_segment(
    block: Block,
    spec: Spec,
    runs: list[Run],
    steps: tuple[int, ...],
    stop: int,
    seed: int,
    device: str,
) -> list[Run]:
    """Return the runs of a block, trained on to step `stop`, with that as their last checkpoint."""
    start = runs[0].last_step
    stored = [step for step in steps if step <= start]
    ahead = sorted({step for step in steps if start < step < stop} | {stop})
    trained = train_block(
        block._replace(
            parameters=block.parameters | _stacked([_last(run.parameters) for run in runs]),
            state=_stacked([run.state for run in runs]),
        ),
        spec.network.activation,
        device,
        trained=spec.network.trained,
        training=spec.training,
        seed=seed,
        steps=ahead,
        start=start,
    )
    longer = []
    for number, run in enumerate(runs):
        past = run.at(stored).parameters  # without the checkpoint that only served to go on
        about = run.about | {
            "steps": stored + ahead,
            "goes_on": True,
            "device": device,
        }
        for name, found in (("diverged", trained.diverged), ("converged", trained.converged)):
            if found[number] >= 0 and about[f"{name}_step"] is None:
                about[f"{name}_step"] = int(found[number])
        parameters = {
            name: np.concatenate([past[name], values[number]])
            for name, values in trained.parameters.items()
        }
        state = {name: values[number] for name, values in trained.state.items()}
        longer.append(Run(parameters, state, about))
    return longer


def _last(parameters: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    return {name: values[-1] for name, values in parameters.items()}


def _stacked(arrays: list[dict[str, np.ndarray]]) -> dict[str, np.ndarray]:
    return {name: np.stack([each[name] for each in arrays]) for name in arrays[0]}


def _new_run(spec: Spec, seed: int) -> Run:
    """Return a run before training, at step 0."""
    initial = initial_parameters(seed, spec.network, spec.task.inputs, spec.task.targets)
    about = {
        "spec": spec.model_dump(mode="json"),
        "steps": [0],
        "diverged_step": None,
        "converged_step": None,
        "goes_on": True,
    }
    return Run({name: initial[name][None] for name in spec.network.trained}, {}, about)


def _block(specs: list[Spec], data: Arrays, seed: int) -> Block:
    """Return a block with the parameters before training. Runs that were interrupted have later
    parameters, which replace these."""
    centres = np.stack([data[f"{spec.data}/centres"] for spec in specs])
    labels = np.stack([data[f"{spec.data}/labels"] for spec in specs])
    deviations = [np.sqrt(spec.task.noise_variance) * spec.task.unit for spec in specs]
    clusters, inputs = centres.shape[1:]
    samples = specs[0].training.samples
    return Block(
        centres.astype(np.float32),
        labels.astype(np.float32),
        np.array(deviations, np.float32),
        training_conditions(seed, samples, clusters),
        training_noise(seed, samples, inputs),
        initial_parameters(seed, specs[0].network, inputs, labels.shape[2]),
        rectified=specs[0].task.rectified,
    )
